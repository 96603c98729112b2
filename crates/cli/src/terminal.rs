//! The state of the terminal.

#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::thread::sleep;
#[cfg(unix)]
use std::time::Duration;

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

/// Discards what was typed or pasted after a line that was read, and returns whether that was more
/// than the rest of a line end.
#[cfg(unix)]
pub fn discard_typed() -> bool {
    use rustix::io::ioctl_fionread;
    use rustix::termios::{QueueSelector, tcflush};
    // What is pasted comes in pieces.
    sleep(Duration::from_millis(50));
    let unread = ioctl_fionread(io::stdin()).unwrap_or_default();
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    unread > 1
}

#[cfg(not(unix))]
pub fn discard_typed() -> bool {
    false
}

#[cfg(not(unix))]
pub struct Kept;

#[cfg(not(unix))]
impl Kept {
    pub fn now() -> Self {
        Self
    }
}
