//! Ctrl-C, SIGTERM, and SIGHUP of a terminal that is gone.

use std::future::Future;
#[cfg(unix)]
use std::future::pending;
use std::io;
use std::pin::pin;
#[cfg(unix)]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
#[cfg(unix)]
use std::thread;
#[cfg(unix)]
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::task::yield_now;

use crate::exit::Exit;
use crate::failure::Failure;

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

/// The signals that end the program. Once they are listened to, they do so only where
/// [`unless`](Self::unless) is awaited.
pub struct Signals(Received);

impl Signals {
    pub fn listen() -> Result<Self, Failure> {
        let listen = || {
            // The first to handle signals: one that only the other noticed would be lost.
            let received = Received::listen()?;
            end_blocked().map(|()| Self(received))
        };
        listen().map_err(|error: io::Error| {
            Failure::new(Exit::Error, format!("failed to listen to signals: {error}"))
        })
    }

    /// Does `work`, unless a signal arrives before it is done: then it is dropped. The signal counts
    /// if both happen at once, as when Ctrl-C also ends the program whose output is read: what came
    /// of it may be cut short.
    pub async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Interrupted> {
        let work = async {
            let done = work.await;
            // The runtime learns of a signal from a pipe, which it reads only between polls. The
            // first look at it may be what lets a pending signal write there, and the second finds
            // what was written.
            for _ in 0..2 {
                yield_now().await;
            }
            done
        };
        match select(pin!(self.0.any()), pin!(work)).await {
            Either::Left((by, _)) => Err(by),
            Either::Right((done, _)) => Ok(done),
        }
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

/// How often work that may block its thread began or ended: odd while it goes on.
static UNGUARDED: AtomicU64 = AtomicU64::new(0);

/// Does `work` that may block the thread on which signals are noticed, such as writing to a pipe that
/// nobody reads. If it does block, a signal ends the program, as if nobody listened to it.
pub fn unguarded<T>(work: impl FnOnce() -> T) -> T {
    struct Guarded;
    impl Drop for Guarded {
        fn drop(&mut self) {
            UNGUARDED.fetch_add(1, Ordering::SeqCst);
        }
    }
    UNGUARDED.fetch_add(1, Ordering::SeqCst);
    let _guarded = Guarded;
    work()
}

/// How long work takes at most that does not block.
#[cfg(unix)]
const BLOCKED: Duration = Duration::from_millis(200);

/// Whether the program is blocked, given the count in [`UNGUARDED`] and a way to wait.
#[cfg(unix)]
fn is_blocked(count: impl Fn() -> u64, mut wait: impl FnMut(Duration)) -> bool {
    // It may be about to block.
    wait(BLOCKED);
    let before = count();
    let is_at_work = before % 2 == 1;
    if is_at_work {
        wait(BLOCKED);
    }
    is_at_work && count() == before
}

/// Ends the program on a signal that finds it blocked.
#[cfg(unix)]
fn end_blocked() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static ONCE: OnceLock<()> = OnceLock::new();
    if ONCE.set(()).is_err() {
        return Ok(());
    }
    let hangup = heeds_hangups().then_some(SIGHUP);
    let mut signals =
        signal_hook::iterator::Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup))?;
    let watch = move || {
        for _ in signals.forever() {
            if is_blocked(|| UNGUARDED.load(Ordering::SeqCst), thread::sleep) {
                signal_hook::low_level::exit(Exit::Interrupted.code().into());
            }
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(watch).map(drop)
}

#[cfg(not(unix))]
fn end_blocked() -> io::Result<()> {
    Ok(())
}

/// Whether the program is to end when its terminal is gone: not under `nohup`, which has it ignore that.
/// Where this cannot be told, the system does with it what it does with any program.
#[cfg(unix)]
fn heeds_hangups() -> bool {
    static HEEDS: OnceLock<bool> = OnceLock::new();
    // Before it is handled: then it is not ignored any more.
    *HEEDS.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask & (1 << (signal_hook::consts::SIGHUP - 1)) == 0)
    })
}

#[cfg(unix)]
struct Received {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Received {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let hangup = heeds_hangups().then(|| signal(SignalKind::hangup()));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: hangup.transpose()?,
        })
    }

    async fn any(&mut self) -> Interrupted {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Interrupted::ByUser,
            _ = self.terminate.recv() => Interrupted::BySupervisor,
            _ = hangup => Interrupted::BySupervisor,
        }
    }
}

#[cfg(windows)]
struct Received(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Received {
    fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn any(&mut self) -> Interrupted {
        let _ = self.0.recv().await;
        Interrupted::ByUser
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::cell::Cell;
    use std::future::ready;

    use nix::sys::signal::{Signal, raise};

    use super::*;

    #[tokio::test]
    async fn a_signal_that_came_before_the_work_was_done_counts() {
        let mut signals = Signals::listen().unwrap_or_else(|_| panic!("no signals"));
        for (signal, by) in
            [(Signal::SIGINT, Interrupted::ByUser), (Signal::SIGTERM, Interrupted::BySupervisor)]
        {
            raise(signal).expect("a signal");
            assert_eq!(signals.unless(ready(())).await, Err(by));
            assert_eq!(signals.unless(ready(())).await, Ok(()));
        }
    }

    /// Whether a program counts as blocked that does such work at these times, in milliseconds after
    /// the signal; and when that was decided.
    fn blocked_at(times: &[(u64, u64)]) -> (bool, u64) {
        let now = Cell::new(0);
        let passed = |time: &u64| *time <= now.get();
        let count = || {
            let ends = times.iter().flat_map(|(start, end)| [*start, *end]);
            ends.filter(passed).map(|_| 1).sum()
        };
        let wait = |time: Duration| {
            now.set(now.get() + time.as_secs() * 1000 + u64::from(time.subsec_millis()))
        };
        (is_blocked(count, wait), now.get())
    }

    #[test]
    fn a_signal_ends_a_program_that_is_blocked_and_not_one_that_writes_for_a_moment() {
        for begin in [0, 50, 100] {
            let (is_blocked, waited) = blocked_at(&[(begin, u64::MAX)]);
            assert!(is_blocked && waited <= 1000, "{begin}: {waited}");
        }
        for length in [1, 20, 100] {
            let one_write = [(0, length)];
            assert!(!blocked_at(&one_write).0, "{length}");
            // One after another, with a moment in between.
            let writes: Vec<_> =
                (0..100).map(|n| n * (length + 1)).map(|start| (start, start + length)).collect();
            assert!(!blocked_at(&writes).0, "{length}");
        }
        assert!(!blocked_at(&[]).0);
    }
}
