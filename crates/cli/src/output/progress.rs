//! What the program is waiting for: a spinner on a terminal, a line every ten seconds elsewhere.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::json::one_line;

/// How often a log gets a line.
const INTERVAL: Duration = Duration::from_secs(10);
/// How often the spinner turns.
const TICK: Duration = Duration::from_millis(120);

/// Progress that is shown until it is dropped.
pub struct Progress {
    shown: Shown,
}

enum Shown {
    Nothing,
    Spinner(ProgressBar),
    Lines(What, JoinHandle<()>),
}

/// What is awaited, which may change.
type What = Arc<Mutex<String>>;

impl Progress {
    /// Must be called within a runtime.
    pub fn start(what: &str, quiet: bool) -> Self {
        let what = one_line(what);
        let shown = if quiet {
            Shown::Nothing
        } else if io::stderr().is_terminal() {
            Shown::Spinner(spinner(what))
        } else {
            let what = Arc::new(Mutex::new(what));
            Shown::Lines(Arc::clone(&what), tokio::spawn(lines(what, io::stderr())))
        };
        Self { shown }
    }

    /// Says anew what the program waits for.
    pub fn say(&self, what: String) {
        let what = one_line(&what);
        match &self.shown {
            Shown::Nothing => {}
            Shown::Spinner(spinner) => spinner.set_message(what),
            Shown::Lines(shown, _) => *shown.lock().unwrap_or_else(PoisonError::into_inner) = what,
        }
    }

    /// Does `print`, without the spinner in its way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.shown {
            Shown::Spinner(spinner) => spinner.suspend(print),
            _ => print(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Spinner(spinner) => spinner.finish_and_clear(),
            Shown::Lines(_, task) => task.abort(),
        }
    }
}

fn spinner(what: String) -> ProgressBar {
    let colors = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
    let template = if colors {
        "{spinner:.cyan} {wide_msg} {elapsed}"
    } else {
        "{spinner} {wide_msg} {elapsed}"
    };
    let style = ProgressStyle::with_template(template);
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    spinner.set_message(what);
    spinner.enable_steady_tick(TICK);
    spinner
}

async fn lines(what: What, mut out: impl Write) {
    let started = Instant::now();
    let mut ticks = interval_at(started + INTERVAL, INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        let seconds = started.elapsed().as_secs();
        let what = what.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if writeln!(out, "{what} ({seconds} s)").is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no writer panics").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_terminal_a_line_is_written_every_ten_seconds() {
        let log = Log::default();
        let what = What::new(Mutex::new("waiting for job 7".to_owned()));
        let task = tokio::spawn(lines(what.clone(), log.clone()));
        tokio::time::sleep(Duration::from_millis(10_500)).await;
        *what.lock().expect("no writer panics") = "waiting for job 8".to_owned();
        tokio::time::sleep(Duration::from_secs(19)).await;
        task.abort();
        let text = String::from_utf8(log.0.lock().expect("no writer panics").clone());
        assert_eq!(text.as_deref(), Ok("waiting for job 7 (10 s)\nwaiting for job 8 (20 s)\n"));
    }
}
