//! Interruption of a command by a termination signal: what a command that listens does with it.

use std::future::Future;

use podqueue_local::program::signals::{Listener, Signal};

use crate::exit::Exit;
use crate::failure::Failure;

pub use podqueue_local::program::signals::{blocking, install};

/// A signal that ends the program arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// Ctrl-C, by a person who can press it again.
    ByUser,
    /// SIGTERM, by a supervisor that kills the program a little later; or SIGHUP, because the terminal
    /// is gone.
    BySupervisor,
}

impl Interrupted {
    /// While a request was under way that changes something.
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

/// The signals that end the program. While this exists, they do so only where
/// [`unless`](Self::unless) is awaited.
pub struct Signals(Listener);

impl Signals {
    pub fn listen() -> Result<Self, Failure> {
        Listener::new().map(Self).map_err(Failure::of_signals)
    }

    /// Does `work`, unless a signal arrives before it is done: then it is dropped.
    pub async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        self.0.unless(work).await.map_err(Interrupted::from)
    }

    /// Sends a request that changes something, unless a signal arrives before the response does.
    pub async fn unless_sent<T>(&mut self, request: impl Future<Output = T>) -> Result<T, Failure> {
        self.unless(request).await.map_err(Interrupted::while_changing)
    }

    /// Does `work` that blocks its thread, such as reading from a terminal, unless a signal arrives
    /// before it is done: then its thread is left behind.
    pub async fn unless_blocked<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Interrupted> {
        match self.unless(tokio::task::spawn_blocking(work)).await? {
            Ok(done) => Ok(done),
            Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
        }
    }
}
