//! Termination signals: a process-wide receiver of SIGINT, SIGTERM and SIGHUP.
//!
//! **Invariant.** From [`install`] on, every termination signal has exactly one effect: a
//! [`Listener`] takes it, or it ends the process as if it had never been handled. None is lost.
//!
//! **Installation.** `main` calls [`install`] before it starts a thread. The signals are blocked
//! while their handlers are registered: registration replaces the action first and stores the
//! receiver next, and a signal in between would find the handler without its receiver. Blocked, it
//! stays pending until the receiver is stored. A signal that is ignored when the process starts
//! (by `nohup`, or by a shell for a background job) stays ignored.
//!
//! **Children.** The signals are not blocked for longer, because a child process inherits the
//! signal mask; that is why they are not received with `sigwait`, which needs them blocked in every
//! thread, permanently. A child gets an empty mask, and the default action for every signal that is
//! handled here: `exec` resets handlers, and keeps what is ignored.
//!
//! **Delivery.** A handler notes its signal in a slot and writes to a pipe. The slots are emptied
//! into `SignalState::pending`, under one lock, by the signal thread, which reads the pipe, or
//! earlier by a listener whose work is done. So a signal that arrived before work was done
//! is seen at that moment, without waiting for the signal thread. Signals that arrive before the
//! pending signal is taken are merged with it.
//!
//! **Default action.** The signal thread ends the process by the pending signal as soon as
//!
//! - no listener exists, so that a command that does not listen ends at once, or
//! - one piece of [`blocking`] work has continued for `BLOCKED_AFTER` since the signal arrived: the
//!   thread that would poll the listener may be blocked indefinitely, by a pipe that is not read.
//!   Short pieces of blocking work, one after another, do not add up.
//!
//! Checked by `signals.rs` in the tests of both programs: with a signal inside `sigaction`, at many
//! moments of the start, under ignored and blocked signals; and by the tests below.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use tokio::sync::Notify;

use self::system::{Blocked, Handlers, Wakeups, end_by};
use crate::tasks::locked;

/// Time after a signal until blocking work counts as blocked.
const BLOCKED_AFTER: Duration = Duration::from_millis(500);

/// A termination signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, or Ctrl-C on Windows: a user ends the program, and may do so again.
    Interrupt,
    /// SIGTERM: a supervisor ends the program, and kills it later.
    Terminate,
    /// SIGHUP: the terminal is closed.
    Hangup,
}

/// Receives termination signals from now on. Later calls change nothing.
///
/// Other threads must not run yet: they could take a signal while it is blocked in this thread
/// only.
///
/// # Errors
///
/// If the handlers, their pipe or the signal thread cannot be made.
pub fn install() -> io::Result<()> {
    SignalReceiver::installed().map(drop)
}

/// Takes termination signals, instead of their ending the process, until it is dropped. With
/// several listeners, the first that is polled takes a signal.
#[derive(Debug)]
pub struct Listener(&'static SignalReceiver);

impl Listener {
    /// Installs the handlers too, if [`install`] was not called.
    ///
    /// # Errors
    ///
    /// If the handlers cannot be installed, as for [`install`].
    pub fn new() -> io::Result<Self> {
        let receiver = SignalReceiver::installed()?;
        receiver.state().listeners += 1;
        Ok(Self(receiver))
    }

    /// The next signal. Dropping the future loses none.
    pub async fn received(&mut self) -> Signal {
        loop {
            // Before taking, so that a signal between taking and waiting wakes it.
            let arrival = self.0.arrival.notified();
            if let Some(signal) = self.0.take() {
                return signal;
            }
            arrival.await;
        }
    }

    /// Completes `work`, or drops it if a signal arrives before it is complete.
    ///
    /// The signal counts if both happen at once, as when Ctrl-C also ends the program whose output
    /// is read: the result may be cut short.
    ///
    /// # Errors
    ///
    /// The signal.
    pub async fn unless<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Signal> {
        let receiver = self.0;
        match select(pin!(self.received()), pin!(work)).await {
            Either::Left((signal, _)) => Err(signal),
            Either::Right((done, _)) => receiver.take().map_or(Ok(done), Err),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.state().listeners -= 1;
        // A signal that it did not take ends the process now.
        self.0.changed.notify_one();
    }
}

/// Does `work` that may block this thread, on which a listener is polled. If it does block, a
/// signal ends the process.
pub fn blocking<T>(work: impl FnOnce() -> T) -> T {
    struct Guard(&'static SignalReceiver, Option<Instant>);
    impl Drop for Guard {
        fn drop(&mut self) {
            // Work around this work has made progress.
            self.0.state().blocking_since = self.1.map(|_| Instant::now());
        }
    }
    let _guard = SignalReceiver::if_installed().map(|receiver| {
        let outer = receiver.state().blocking_since.replace(Instant::now());
        // A signal may be pending: its time begins.
        receiver.changed.notify_one();
        Guard(receiver, outer)
    });
    work()
}

/// The receiver of the process.
#[derive(Debug)]
struct SignalReceiver {
    state: Mutex<SignalState>,
    /// Tells the signal thread that a pending signal was taken, or may have to end the process.
    changed: Condvar,
    /// Tells listeners that a signal is pending.
    arrival: Notify,
}

#[derive(Debug)]
struct SignalState {
    handlers: Handlers,
    /// The last signal that was not taken yet, and when it was first seen.
    pending: Option<(Signal, Instant)>,
    listeners: usize,
    /// The start of the blocking work, if there is any.
    blocking_since: Option<Instant>,
}

/// The decision of the signal thread on a pending signal.
#[derive(Debug, PartialEq, Eq)]
enum SignalDecision {
    /// Ends the process by the signal.
    End(Signal),
    /// Waits for a change, with a timeout.
    Wait(Option<Duration>),
    /// Waits for a signal: none is pending.
    Sleep,
}

impl SignalState {
    /// Empties the slots of the handlers.
    fn collect(&mut self) {
        if let Some(signal) = self.handlers.noted() {
            self.note(signal);
        }
    }

    fn note(&mut self, signal: Signal) {
        let since = self.pending.map_or_else(Instant::now, |(_, since)| since);
        self.pending = Some((signal, since));
    }

    fn decision(&self) -> SignalDecision {
        decision(self.pending, self.listeners, self.blocking_since, Instant::now())
    }
}

fn decision(
    pending: Option<(Signal, Instant)>,
    listeners: usize,
    blocking_since: Option<Instant>,
    now: Instant,
) -> SignalDecision {
    let Some((signal, arrived)) = pending else { return SignalDecision::Sleep };
    if listeners == 0 {
        return SignalDecision::End(signal);
    }
    let Some(since) = blocking_since else { return SignalDecision::Wait(None) };
    match (since.max(arrived) + BLOCKED_AFTER).checked_duration_since(now) {
        Some(left) if !left.is_zero() => SignalDecision::Wait(Some(left)),
        _ => SignalDecision::End(signal),
    }
}

static RECEIVER: OnceLock<io::Result<SignalReceiver>> = OnceLock::new();

impl SignalReceiver {
    fn installed() -> io::Result<&'static Self> {
        let install = || {
            let _blocked = Blocked::now()?;
            let (handlers, wakeups) = Handlers::install()?;
            // With the signals blocked, so that it never runs a handler. It waits for the end of
            // this initialization.
            let run = || Self::installed().map(|receiver| receiver.run(wakeups));
            thread::Builder::new().name("signals".to_owned()).spawn(run)?;
            let state = SignalState { handlers, pending: None, listeners: 0, blocking_since: None };
            let (changed, arrival) = (Condvar::new(), Notify::new());
            Ok(Self { state: Mutex::new(state), changed, arrival })
        };
        let receiver = RECEIVER.get_or_init(install).as_ref();
        receiver.map_err(|error| io::Error::new(error.kind(), error.to_string()))
    }

    fn if_installed() -> Option<&'static Self> {
        RECEIVER.get()?.as_ref().ok()
    }

    fn state(&self) -> MutexGuard<'_, SignalState> {
        locked(&self.state)
    }

    fn take(&self) -> Option<Signal> {
        let mut state = self.state();
        state.collect();
        let (signal, _) = state.pending.take()?;
        self.changed.notify_one();
        Some(signal)
    }

    /// The signal thread.
    fn run(&self, mut wakeups: Wakeups) {
        while let Ok(signal) = wakeups.next() {
            let mut state = self.state();
            signal.into_iter().for_each(|signal| state.note(signal));
            state.collect();
            self.arrival.notify_waiters();
            loop {
                state = match state.decision() {
                    SignalDecision::Sleep => break,
                    SignalDecision::End(signal) => end_by(signal),
                    SignalDecision::Wait(None) => {
                        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
                    }
                    SignalDecision::Wait(Some(left)) => {
                        let woken = self.changed.wait_timeout(state, left);
                        woken.unwrap_or_else(PoisonError::into_inner).0
                    }
                };
            }
        }
    }
}

#[cfg(unix)]
mod system {
    use std::ffi::c_int;
    use std::io::{self, Read};
    use std::mem::MaybeUninit;
    use std::os::unix::net::UnixStream;
    use std::process::abort;
    use std::ptr;

    use nix::libc;
    use nix::sys::signal::{SigSet, Signal as Number};
    use signal_hook::iterator::backend::SignalDelivery;
    use signal_hook::iterator::exfiltrator::SignalOnly;
    use signal_hook::low_level::emulate_default_handler;

    use super::Signal;

    const NUMBERS: [(Number, Signal); 3] = [
        (Number::SIGINT, Signal::Interrupt),
        (Number::SIGTERM, Signal::Terminate),
        (Number::SIGHUP, Signal::Hangup),
    ];

    /// Blocks the signals in this thread. When dropped, it leaves the thread an empty mask,
    /// whatever the process inherited.
    pub(super) struct Blocked;

    impl Blocked {
        pub(super) fn now() -> io::Result<Self> {
            let signals: SigSet = NUMBERS.into_iter().map(|(number, _)| number).collect();
            signals.thread_block()?;
            Ok(Self)
        }
    }

    impl Drop for Blocked {
        fn drop(&mut self) {
            // Cannot fail for a valid set.
            let _ = SigSet::empty().thread_set_mask();
        }
    }

    /// The slots in which handlers note their signals.
    #[derive(Debug)]
    pub(super) struct Handlers(SignalDelivery<UnixStream, SignalOnly>);

    impl Handlers {
        pub(super) fn install() -> io::Result<(Self, Wakeups)> {
            let (read, write) = UnixStream::pair()?;
            let wakeups = Wakeups(read.try_clone()?);
            let mut handled = Vec::new();
            for (number, _) in NUMBERS {
                if !is_ignored(number as c_int)? {
                    handled.push(number as c_int);
                }
            }
            let delivery = SignalDelivery::with_pipe(read, write, SignalOnly, handled)?;
            Ok((Self(delivery), wakeups))
        }

        /// The last of the signals noted since the last call.
        pub(super) fn noted(&mut self) -> Option<Signal> {
            let last = self.0.pending().last()?;
            NUMBERS.into_iter().find(|(number, _)| *number as c_int == last).map(|(_, it)| it)
        }
    }

    /// The pipe to which handlers write.
    pub(super) struct Wakeups(UnixStream);

    impl Wakeups {
        /// Waits until a handler has noted a signal.
        pub(super) fn next(&mut self) -> io::Result<Option<Signal>> {
            match self.0.read(&mut [0; 64]) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
                _ => Ok(None),
            }
        }
    }

    #[expect(unsafe_code, reason = "no crate has a safe way to read the action of a signal")]
    fn is_ignored(number: c_int) -> io::Result<bool> {
        let mut action = MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: with a null pointer for a new action, the call changes nothing, and writes the
        // present action to the place that it is given, which has its size and alignment.
        if unsafe { libc::sigaction(number, ptr::null(), action.as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call has succeeded, and so has written all of it.
        Ok(unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN)
    }

    /// Ends the process by a signal, as its default action does.
    pub(super) fn end_by(signal: Signal) -> ! {
        if let Some((number, _)) = NUMBERS.into_iter().find(|(_, it)| *it == signal) {
            // Fails for unknown signals only.
            let _ = emulate_default_handler(number as c_int);
        }
        abort()
    }
}

#[cfg(windows)]
mod system {
    use std::io;
    use std::process::exit;

    use tokio::runtime::{Builder, Runtime};
    use tokio::signal::windows::{CtrlC, ctrl_c};

    use super::Signal;

    /// There is no mask: the handler is registered in one step.
    pub(super) struct Blocked;

    impl Blocked {
        pub(super) fn now() -> io::Result<Self> {
            Ok(Self)
        }
    }

    /// The signal thread learns of signals itself.
    #[derive(Debug)]
    pub(super) struct Handlers;

    impl Handlers {
        pub(super) fn install() -> io::Result<(Self, Wakeups)> {
            Ok((Self, Wakeups(ctrl_c()?, Builder::new_current_thread().build()?)))
        }

        pub(super) fn noted(&mut self) -> Option<Signal> {
            None
        }
    }

    pub(super) struct Wakeups(CtrlC, Runtime);

    impl Wakeups {
        /// Waits for Ctrl-C.
        pub(super) fn next(&mut self) -> io::Result<Option<Signal>> {
            let pressed = self.1.block_on(self.0.recv());
            pressed
                .map(|()| Some(Signal::Interrupt))
                .ok_or_else(|| io::ErrorKind::BrokenPipe.into())
        }
    }

    /// Ends the process with the status that Ctrl-C gives it.
    pub(super) fn end_by(_: Signal) -> ! {
        const CONTROL_C_EXIT: i32 = 0xC000_013A_u32 as i32;
        exit(CONTROL_C_EXIT)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::future::ready;

    use nix::sys::signal::{SigHandler, Signal as Number, raise};

    use super::*;

    #[expect(unsafe_code, reason = "the action of a signal is that of the whole process")]
    fn restore_default_action(number: Number) {
        // SAFETY: the default action runs no code of this process.
        unsafe { nix::sys::signal::signal(number, SigHandler::SigDfl) }.expect("an action");
    }

    /// The only test that raises signals: handlers of other tests in this process would take them.
    #[tokio::test]
    async fn a_signal_that_arrived_before_the_work_was_done_counts() {
        // The tests may run in the background of a shell, which ignores an interrupt there.
        for number in [Number::SIGINT, Number::SIGTERM] {
            restore_default_action(number);
        }
        let mut listener = Listener::new().expect("a listener");
        for (number, signal) in
            [(Number::SIGINT, Signal::Interrupt), (Number::SIGTERM, Signal::Terminate)]
        {
            for _ in 0..100 {
                raise(number).expect("a signal");
                assert_eq!(listener.unless(ready(())).await, Err(signal));
                assert_eq!(listener.unless(ready(())).await, Ok(()));
                let raised = async { raise(number).expect("a signal") };
                assert_eq!(listener.unless(raised).await, Err(signal));
                let (received, ()) = tokio::join!(listener.received(), async {
                    tokio::task::yield_now().await;
                    raise(number).expect("a signal");
                });
                assert_eq!(received, signal);
            }
        }
    }

    #[test]
    fn a_pending_signal_ends_a_process_that_does_not_listen_or_is_blocked() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let signal = Signal::Interrupt;
        let pending = Some((signal, at(1000)));
        assert_eq!(decision(None, 1, Some(at(0)), at(9000)), SignalDecision::Sleep);
        assert_eq!(decision(pending, 0, None, at(1000)), SignalDecision::End(signal));
        // However long other work takes.
        assert_eq!(decision(pending, 1, None, at(9000)), SignalDecision::Wait(None));
        let left = |millis| SignalDecision::Wait(Some(Duration::from_millis(millis)));
        for since in [0, 1000] {
            assert_eq!(decision(pending, 1, Some(at(since)), at(1000)), left(500));
            assert_eq!(decision(pending, 1, Some(at(since)), at(1499)), left(1));
            assert_eq!(
                decision(pending, 1, Some(at(since)), at(1500)),
                SignalDecision::End(signal)
            );
        }
        // A piece of work that began later has its own time.
        assert_eq!(decision(pending, 1, Some(at(1400)), at(1600)), left(300));
        assert_eq!(decision(pending, 1, Some(at(1400)), at(1900)), SignalDecision::End(signal));
    }
}
