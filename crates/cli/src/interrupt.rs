//! Interruption: what a termination signal does to a command, and the restoration of the terminal.
//!
//! The signals are received by the listener that the local service has, too
//! (`podqueue_local::program::signals`).

use std::future::Future;
#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::thread::sleep;
#[cfg(unix)]
use std::time::Duration;

use podqueue_local::program::signals::{Listener, Signal};

use crate::exit::Exit;
use crate::failure::Failure;

pub use podqueue_local::program::signals::{blocking, install};

/// The receipt of a termination signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// Ctrl-C, which the user can press again.
    ByUser,
    /// SIGTERM, from a supervisor that soon kills the program; or SIGHUP, because the terminal was
    /// closed.
    BySupervisor,
}

impl Interrupted {
    /// The failure of a modifying request that was in flight.
    pub fn while_changing(self) -> Failure {
        let message = "interrupted; the request may have taken effect";
        Failure { message: message.to_owned(), ..Failure::from(self) }
    }
}

impl From<Interrupted> for Failure {
    fn from(_: Interrupted) -> Self {
        Self::silent(Exit::Interrupted)
    }
}

impl From<Signal> for Interrupted {
    fn from(signal: Signal) -> Self {
        match signal {
            Signal::Interrupt => Self::ByUser,
            Signal::Terminate | Signal::Hangup => Self::BySupervisor,
        }
    }
}

/// A listener for termination signals. While it exists, they take effect only where
/// [`unless`](Self::unless) is awaited.
pub struct Signals(Listener);

impl Signals {
    pub fn listen() -> Result<Self, Failure> {
        Listener::new().map(Self).map_err(Failure::of_signals)
    }

    /// Runs `work` until it completes or a signal arrives, which drops it.
    pub async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        self.0.unless(work).await.map_err(Interrupted::from)
    }

    /// Sends a modifying request, and waits for the response or a signal.
    pub async fn unless_sent<T>(&mut self, request: impl Future<Output = T>) -> Result<T, Failure> {
        self.unless(request).await.map_err(Interrupted::while_changing)
    }

    /// Runs `work` that blocks, such as reading from a terminal, on another thread until it
    /// completes or a signal arrives, which abandons the thread.
    pub async fn unless_blocked<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Interrupted> {
        self.unless(on_thread(work)).await
    }
}

/// Runs `work` that blocks, such as waiting for a database, on another thread, which is abandoned if
/// the caller stops waiting.
pub async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let working = tokio::task::spawn_blocking(work);
    working.await.unwrap_or_else(|panicked| std::panic::resume_unwind(panicked.into_panic()))
}

/// The saved state of the terminal, restored on drop: an interrupted prompt for a secret leaves the
/// echo turned off.
#[cfg(unix)]
pub struct TerminalState(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl TerminalState {
    pub fn save() -> Self {
        Self(rustix::termios::tcgetattr(io::stdin()).ok())
    }

    /// Saves the state, and turns off the echo and the terminal's own line buffer, which truncates
    /// long lines. A prompt that is printed before the echo is off would show the beginning of a
    /// secret that is typed or pasted at once.
    pub fn without_echo() -> Self {
        use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcsetattr};
        let state = Self::save();
        if let Some(mut silent) = state.0.clone() {
            silent.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON);
            silent.special_codes[SpecialCodeIndex::VMIN] = 1;
            silent.special_codes[SpecialCodeIndex::VTIME] = 0;
            // Fails only without a terminal, which then echoes nothing.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &silent);
        }
        state
    }
}

#[cfg(unix)]
impl Drop for TerminalState {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        // Fails only without a terminal, which then needs no restoration.
        let _ = self.0.as_ref().map(|saved| tcsetattr(io::stdin(), OptionalActions::Now, saved));
    }
}

/// Discards pending input after a line that was read, and returns true if it was more than the rest
/// of a line end.
#[cfg(unix)]
pub fn discard_pending_input() -> bool {
    use rustix::io::ioctl_fionread;
    use rustix::termios::{QueueSelector, tcflush};
    // A pasted text arrives in pieces.
    sleep(Duration::from_millis(50));
    let unread = ioctl_fionread(io::stdin()).unwrap_or_default();
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    unread > 1
}

#[cfg(not(unix))]
pub fn discard_pending_input() -> bool {
    false
}

#[cfg(not(unix))]
pub struct TerminalState;

#[cfg(not(unix))]
impl TerminalState {
    pub fn save() -> Self {
        Self
    }

    pub fn without_echo() -> Self {
        Self
    }
}
