//! Schedules: plays a test under many schedules of its threads, in controlled time.
//!
//! `scripts/threads.sh` sets `SECONDS_EACH` and `SEED`: half of the time schedules are drawn at
//! random, half of it by PCT, which finds every bug of a few preemptions with a known probability.
//! `SCHEDULE` is the schedule of a failure, which is played again.
//!
//! Locks, atomics, channels and threads of the module `sync` are shuttle's. All threads run in turn
//! on one thread of the system, so that tokio's channels, timers and clock work as they are, each
//! operation in one step; time stands still until [`pass`]. A timeout of a channel expires at any
//! moment.

#![allow(dead_code, reason = "a crate uses a part of it")]

use std::cell::Cell;
use std::io::Write;
use std::str::FromStr;
use std::time::{Duration, Instant};

use shuttle::rand::Rng;
use shuttle::scheduler::{PctScheduler, RandomScheduler, ReplayScheduler, Scheduler};
use shuttle::{Config, MaxSteps, Runner};
use tokio::runtime::{Builder, Runtime};

/// The number of preemptions of PCT, and one.
const DEPTH: usize = 3;

/// The number of schedules from one seed, before the next is taken.
const SCHEDULES: usize = 100;

/// Plays a test, and prints the number of schedules.
pub(crate) fn check<F: Fn() + Copy + Send + Sync + 'static>(test: F) {
    let name = std::any::type_name::<F>().trim_end_matches("::{{closure}}");
    let name = name.split_once("::").map_or(name, |(_, name)| name);
    let _how = HowToReplay(name);
    PLAYED.set(0);
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    // Kept for as long as any thread of a failed schedule.
    let runtime: &'static Runtime = Box::leak(Box::new(runtime.expect("a runtime")));
    let _entered = runtime.enter();
    TIME.set(Some(runtime));
    if let Ok(schedule) = std::env::var("SCHEDULE") {
        play(ReplayScheduler::new_from_encoded(schedule.trim()), test);
        return;
    }
    let first = setting("SEED", 1);
    let half = Duration::from_secs_f64(setting("SECONDS_EACH", 0.2) / 2.0);
    let random =
        during(half, first, |seed| play(RandomScheduler::new_from_seed(seed, SCHEDULES), test));
    let pct =
        during(half, first, |seed| play(PctScheduler::new_from_seed(seed, DEPTH, SCHEDULES), test));
    // Not captured by the test harness.
    let _ = writeln!(std::io::stdout(), "{name}: {random} random schedules, {pct} of PCT");
}

fn setting<T: FromStr>(name: &str, default: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Plays the schedules of seed after seed for this time. Returns their number.
fn during(time: Duration, first: u64, play: impl FnMut(u64) -> usize) -> usize {
    let began = Instant::now();
    (first..).take_while(|_| began.elapsed() < time).map(play).sum()
}

fn play(scheduler: impl Scheduler + 'static, test: impl Fn() + Send + Sync + 'static) -> usize {
    let mut config = Config::new();
    config.stack_size = 512 * 1024;
    config.max_steps = MaxSteps::FailAfter(200_000);
    Runner::new(scheduler, config).run(move || {
        PLAYED.set(PLAYED.get() + 1);
        fastrand::seed(0);
        test();
    })
}

/// Printed if a test fails, after the schedule that shuttle prints.
struct HowToReplay(&'static str);

impl Drop for HowToReplay {
    #[expect(clippy::print_stderr, reason = "captured by the test harness, as shuttle's output is")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let (Self(name), played) = (self, PLAYED.get());
            eprintln!("found after {played} schedules, to replay with the failing schedule above:");
            eprintln!("SCHEDULE='…' scripts/threads.sh {name}");
        }
    }
}

/// Draws a number below this, which a schedule contains.
pub(crate) fn choose(below: usize) -> usize {
    shuttle::rand::thread_rng().gen_range(0..below)
}

std::thread_local! {
    static PLAYED: Cell<usize> = const { Cell::new(0) };
    static TIME: Cell<Option<&'static Runtime>> = const { Cell::new(None) };
}

/// Lets time pass, and wakes what waits for it.
pub(crate) fn pass(time: Duration) {
    TIME.get().expect("a checked test").block_on(tokio::time::advance(time));
}

/// Channels whose timeouts expire at any moment.
pub(crate) mod mpsc {
    use std::time::Duration;

    use shuttle::sync::mpsc::{self, TryRecvError};
    pub(crate) use shuttle::sync::mpsc::{RecvError, RecvTimeoutError, Sender};

    pub(crate) struct Receiver<T>(mpsc::Receiver<T>);

    pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
        let (sender, receiver) = mpsc::channel();
        (sender, Receiver(receiver))
    }

    impl<T> Receiver<T> {
        pub(crate) fn recv(&self) -> Result<T, RecvError> {
            self.0.recv()
        }

        pub(crate) fn recv_timeout(&self, _: Duration) -> Result<T, RecvTimeoutError> {
            loop {
                match self.0.try_recv() {
                    Ok(value) => return Ok(value),
                    Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
                    Err(TryRecvError::Empty) => shuttle::thread::yield_now(),
                }
                if super::choose(2) == 0 {
                    return Err(RecvTimeoutError::Timeout);
                }
            }
        }
    }
}

/// Threads whose timeouts are in controlled time, and that are never unparked spuriously, as those
/// of shuttle are: that would hide a lost wake-up.
pub(crate) mod thread {
    use std::cell::RefCell;
    use std::future::{Future, poll_fn};
    use std::io;
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::Poll;
    use std::time::Duration;

    use futures_util::task::AtomicWaker;
    use shuttle::future::block_on;
    use shuttle::sync::atomic::{AtomicBool, Ordering};

    #[derive(Clone, Default)]
    pub(crate) struct Thread(Arc<Token>);

    #[derive(Default)]
    struct Token {
        is_available: AtomicBool,
        waker: AtomicWaker,
    }

    impl Thread {
        pub(crate) fn unpark(&self) {
            self.0.is_available.store(true, Ordering::SeqCst);
            self.0.waker.wake();
        }
    }

    shuttle::thread_local! {
        static CURRENT: RefCell<Thread> = RefCell::default();
    }

    /// Parks until this thread is unparked.
    pub(crate) fn park() {
        park_until(std::future::pending());
    }

    /// Parks until this thread is unparked, or the time has passed.
    pub(crate) fn park_timeout(time: Duration) {
        park_until(tokio::time::sleep(time));
    }

    fn park_until(timeout: impl Future<Output = ()>) {
        let Thread(token) = CURRENT.with(|current| current.borrow().clone());
        let mut timeout = pin!(timeout);
        block_on(poll_fn(|context| {
            token.waker.register(context.waker());
            match token.is_available.swap(false, Ordering::SeqCst) {
                true => Poll::Ready(()),
                false => timeout.as_mut().poll(context),
            }
        }));
    }

    pub(crate) struct Builder(shuttle::thread::Builder);

    pub(crate) struct JoinHandle(Thread);

    impl Builder {
        pub(crate) fn new() -> Self {
            Self(shuttle::thread::Builder::new())
        }

        pub(crate) fn name(self, name: String) -> Self {
            Self(self.0.name(name))
        }

        pub(crate) fn spawn(self, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle> {
            let thread = Thread::default();
            let current = thread.clone();
            self.0.spawn(move || {
                CURRENT.with(|of_thread| of_thread.replace(current));
                work();
            })?;
            Ok(JoinHandle(thread))
        }
    }

    impl JoinHandle {
        pub(crate) fn thread(&self) -> &Thread {
            &self.0
        }
    }
}
