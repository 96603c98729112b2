//! The state of the terminal.

#[cfg(unix)]
use std::io;

/// Puts the terminal back as it was when dropped: whoever is interrupted while asking for a secret
/// leaves its echo off.
#[cfg(unix)]
pub struct Kept(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl Kept {
    pub fn now() -> Self {
        Self(rustix::termios::tcgetattr(io::stdin()).ok())
    }
}

#[cfg(unix)]
impl Drop for Kept {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        // Without a terminal there is nothing to put back.
        let _ = self.0.as_ref().map(|kept| tcsetattr(io::stdin(), OptionalActions::Now, kept));
    }
}

#[cfg(not(unix))]
pub struct Kept;

#[cfg(not(unix))]
impl Kept {
    pub fn now() -> Self {
        Self
    }
}
