//! Progress: a spinner on a terminal once the work takes longer than a moment, or a log line every
//! ten seconds.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::json::one_line;

/// Interval of log lines.
const LOG_INTERVAL: Duration = Duration::from_secs(10);
/// Interval of the frames of the spinner.
const SPINNER_INTERVAL: Duration = Duration::from_millis(120);
/// The time after which the spinner is shown: earlier it would only flash.
const SPINNER_DELAY: Duration = Duration::from_millis(300);

/// Progress, shown until it is dropped.
pub enum Progress {
    Hidden,
    Shown(ProgressBar, Spinner, JoinHandle<()>),
    Log(Message, JoinHandle<()>),
}

/// The spinner that is shown now, if there is one, for messages of other tasks.
#[derive(Clone, Debug, Default)]
pub struct Spinner(Arc<Mutex<Option<ProgressBar>>>);

impl Spinner {
    fn set(&self, spinner: Option<ProgressBar>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = spinner;
    }

    /// Hides the spinner while `print` runs.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        let spinner = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match spinner {
            Some(spinner) => spinner.suspend(print),
            None => print(),
        }
    }
}

/// The current message.
type Message = Arc<Mutex<String>>;

impl Progress {
    /// Must be called within a runtime.
    pub fn start(message: &str, quiet: bool, shown: &Spinner) -> Self {
        let message = one_line(message);
        if quiet {
            Self::Hidden
        } else if io::stderr().is_terminal() {
            let spinner = spinner(message);
            shown.set(Some(spinner.clone()));
            let showing = tokio::spawn(show_later(spinner.clone()));
            Self::Shown(spinner, shown.clone(), showing)
        } else {
            let message = Arc::new(Mutex::new(message));
            Self::Log(Arc::clone(&message), tokio::spawn(log(message, io::stderr())))
        }
    }

    /// Replaces the message.
    pub fn set_message(&self, message: &str) {
        let message = one_line(message);
        match self {
            Self::Hidden => {}
            Self::Shown(spinner, ..) => spinner.set_message(message),
            Self::Log(current, _) => {
                *current.lock().unwrap_or_else(PoisonError::into_inner) = message;
            }
        }
    }

    /// Hides the spinner while `print` runs.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match self {
            Self::Shown(spinner, ..) => spinner.suspend(print),
            _ => print(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        match self {
            Self::Hidden => {}
            Self::Shown(spinner, shown, showing) => {
                // The runtime has one thread: it does not run at this moment.
                showing.abort();
                shown.set(None);
                spinner.finish_and_clear();
            }
            Self::Log(_, task) => task.abort(),
        }
    }
}

fn spinner(message: String) -> ProgressBar {
    let colors = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let template = if colors {
        "{spinner:.cyan} {wide_msg} {elapsed}"
    } else {
        "{spinner} {wide_msg} {elapsed}"
    };
    let style = ProgressStyle::with_template(template);
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    spinner.set_message(message);
    spinner
}

async fn show_later(spinner: ProgressBar) {
    tokio::time::sleep(SPINNER_DELAY).await;
    spinner.set_draw_target(ProgressDrawTarget::stderr());
    spinner.enable_steady_tick(SPINNER_INTERVAL);
}

async fn log(message: Message, mut out: impl Write) {
    let started = Instant::now();
    let mut ticks = interval_at(started + LOG_INTERVAL, LOG_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        let seconds = started.elapsed().as_secs();
        let message = message.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if writeln!(out, "{message} ({seconds} s)").is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Buffer(Arc<Mutex<Vec<u8>>>);

    impl Write for Buffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no writer panics").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_log_line_is_written_every_ten_seconds_without_a_terminal() {
        let buffer = Buffer::default();
        let message = Message::new(Mutex::new("waiting for job 7".to_owned()));
        let task = tokio::spawn(log(message.clone(), buffer.clone()));
        tokio::time::sleep(Duration::from_millis(10_500)).await;
        *message.lock().expect("no writer panics") = "waiting for job 8".to_owned();
        tokio::time::sleep(Duration::from_secs(19)).await;
        task.abort();
        let text = String::from_utf8(buffer.0.lock().expect("no writer panics").clone());
        assert_eq!(text.as_deref(), Ok("waiting for job 7 (10 s)\nwaiting for job 8 (20 s)\n"));
    }
}
