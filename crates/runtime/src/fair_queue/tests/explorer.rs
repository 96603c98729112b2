//! Explorer of a fair queue: callers arrive, are polled or not, are dropped, and end their permits
//! in different ways, while time passes. It drives the real queues in controlled time.
//!
//! A run is a sequence of choices. [`explore`] makes all runs of a length, [`wander`] long runs at
//! random. After its choices a run comes to an end in which some callers are never polled again,
//! and all other callers whenever they are woken. Checked are:
//!
//! - no polled caller waits longer than allowed, whichever callers are not polled;
//! - no caller is admitted before an earlier caller that was polled in time and is no less urgent;
//! - once all callers have ended or were dropped, the queue is as good as new.
//!
//! `PODQUEUE_MODEL_DEPTH` sets the length of the runs of [`explore`], `PODQUEUE_MODEL_RUNS` the
//! number of runs of [`wander`].

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, advance, timeout_at};

/// The queue to explore.
pub(crate) trait Subject {
    /// The permit of an admitted caller, which proceeds to its end.
    type Permit;

    /// A caller arrives.
    fn acquire_permit(&self, is_urgent: bool) -> Pin<Box<dyn Future<Output = Self::Permit>>>;

    /// The number of ways in which a permit may proceed; the first leads to a good end.
    fn outcomes(&self, permit: &Self::Permit) -> usize;

    /// The permit proceeds in this way; `None` at its end.
    fn proceed(&self, permit: Self::Permit, way: usize) -> Option<Self::Permit>;

    /// The time in which all polled callers are admitted, by the numbers of callers that hold
    /// permits, wait, and are never polled again.
    fn longest(&self, held: u32, waiting: u32, frozen: u32) -> Duration;

    /// Checks the invariants that hold at any time.
    fn check(&self) -> Result<(), String>;

    /// Checks the invariants of an idle queue, long after the last permit ended.
    fn check_idle(&self) -> Result<(), String>;
}

/// The source of the choices of a run.
trait Choices {
    fn choose(&mut self, from: usize) -> usize;
}

/// All runs, in sequence.
#[derive(Default)]
struct All {
    chosen: Vec<(usize, usize)>,
    at: usize,
}

impl Choices for All {
    fn choose(&mut self, from: usize) -> usize {
        if self.at == self.chosen.len() {
            self.chosen.push((0, from));
        }
        let (choice, of) = self.chosen[self.at];
        assert_eq!(of, from, "a run can be repeated");
        self.at += 1;
        choice
    }
}

impl All {
    /// Advances to the next run; false after the last.
    fn next(&mut self) -> bool {
        self.at = 0;
        while let Some((choice, of)) = self.chosen.pop() {
            if choice + 1 < of {
                self.chosen.push((choice + 1, of));
                return true;
            }
        }
        false
    }
}

impl Choices for fastrand::Rng {
    fn choose(&mut self, from: usize) -> usize {
        self.usize(..from)
    }
}

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Makes all runs of `depth` choices, after these callers have arrived.
pub(crate) fn explore<S: Subject>(new: impl Fn() -> S, arrived: &[bool], depth: usize) -> usize {
    let depth = setting("PODQUEUE_MODEL_DEPTH", depth);
    in_controlled_time(async {
        let (mut choices, mut runs) = (All::default(), 0);
        loop {
            fastrand::seed(0);
            let mut world = World::new(new(), arrived);
            world.run(&mut choices, depth).await;
            runs += 1;
            if !choices.next() {
                return runs;
            }
        }
    })
}

/// Makes this many long runs, with choices drawn at random.
pub(crate) fn wander<S: Subject>(new: impl Fn() -> S, runs: usize) {
    let runs = setting("PODQUEUE_MODEL_RUNS", runs);
    in_controlled_time(async {
        for seed in 0..runs {
            fastrand::seed(seed as u64);
            let mut random = fastrand::Rng::with_seed(seed as u64);
            let mut world = World::new(new(), &[]);
            world.polls_at_will = true;
            world.run(&mut random, 80).await;
        }
    });
}

fn in_controlled_time<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().expect("a runtime");
    runtime.block_on(work)
}

/// The maximum number of callers that wait or hold a permit.
const MAX_CALLERS: usize = 5;

/// The time that may pass in a step: less than the reservation of an offered caller, more, much more.
const STEPS: [Duration; 3] =
    [Duration::from_millis(3), Duration::from_millis(120), Duration::from_secs(4)];

struct World<S: Subject> {
    subject: S,
    callers: Vec<Caller<S>>,
    /// Notified when any caller is woken.
    woken: Arc<Notify>,
    story: Vec<String>,
    /// Callers are also polled without having been woken.
    polls_at_will: bool,
}

struct Caller<S: Subject> {
    name: usize,
    is_urgent: bool,
    stage: Stage<S>,
    waker: Arc<Flag>,
    /// Time has passed while it was woken and not polled.
    is_late: bool,
    /// The caller is never polled again.
    is_frozen: bool,
}

enum Stage<S: Subject> {
    Waits(Pin<Box<dyn Future<Output = S::Permit>>>),
    Admitted(S::Permit),
}

struct Flag {
    is_up: AtomicBool,
    woken: Arc<Notify>,
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.is_up.store(true, Ordering::Relaxed);
        self.woken.notify_one();
    }
}

impl<S: Subject> Caller<S> {
    fn waits(&self) -> bool {
        matches!(self.stage, Stage::Waits(_))
    }

    fn is_woken(&self) -> bool {
        self.waker.is_up.load(Ordering::Relaxed)
    }
}

/// The next event of a run.
#[derive(Debug)]
enum Event {
    Arrives { is_urgent: bool },
    Polled(usize),
    Leaves(usize),
    Proceeds(usize, usize),
    Time(Duration),
}

impl<S: Subject> World<S> {
    fn new(subject: S, arrived: &[bool]) -> Self {
        let mut world = Self {
            subject,
            callers: Vec::new(),
            woken: Arc::default(),
            story: Vec::new(),
            polls_at_will: false,
        };
        for is_urgent in arrived {
            world.arrive(*is_urgent);
        }
        world
    }

    async fn run(&mut self, choices: &mut impl Choices, depth: usize) {
        for _ in 0..depth {
            let mut events = self.events();
            let event = events.swap_remove(choices.choose(events.len()));
            self.story.push(format!("{event:?}"));
            match event {
                Event::Arrives { is_urgent } => self.arrive(is_urgent),
                Event::Polled(index) => self.poll(index),
                Event::Leaves(index) => drop(self.callers.remove(index)),
                Event::Proceeds(index, way) => self.proceed(index, way),
                Event::Time(time) => {
                    for caller in &mut self.callers {
                        caller.is_late |= caller.waits() && caller.is_woken();
                    }
                    advance(time).await;
                }
            }
            self.check();
        }
        for caller in &mut self.callers {
            caller.is_frozen = choices.choose(2) == 1;
        }
        self.end().await;
    }

    fn check(&self) {
        if let Err(wrong) = self.subject.check() {
            panic!("{wrong}: {:#?}", self.story);
        }
    }

    fn events(&self) -> Vec<Event> {
        let mut events: Vec<_> = STEPS.map(Event::Time).into();
        if self.callers.len() < MAX_CALLERS {
            events.extend([false, true].map(|is_urgent| Event::Arrives { is_urgent }));
        }
        for (index, caller) in self.callers.iter().enumerate() {
            match &caller.stage {
                Stage::Waits(_) => {
                    events.push(Event::Leaves(index));
                    if caller.is_woken() || self.polls_at_will {
                        events.push(Event::Polled(index));
                    }
                }
                Stage::Admitted(permit) => {
                    events.extend(
                        (0..self.subject.outcomes(permit)).map(|way| Event::Proceeds(index, way)),
                    );
                }
            }
        }
        events
    }

    fn arrive(&mut self, is_urgent: bool) {
        let name = self.callers.last().map_or(0, |last| last.name + 1);
        self.callers.push(Caller {
            name,
            is_urgent,
            stage: Stage::Waits(self.subject.acquire_permit(is_urgent)),
            waker: Arc::new(Flag { is_up: AtomicBool::new(false), woken: Arc::clone(&self.woken) }),
            is_late: false,
            is_frozen: false,
        });
        self.poll(self.callers.len() - 1);
    }

    fn poll(&mut self, index: usize) {
        let caller = &mut self.callers[index];
        caller.waker.is_up.store(false, Ordering::Relaxed);
        let waker = Waker::from(Arc::clone(&caller.waker));
        let Stage::Waits(permit) = &mut caller.stage else { return };
        let Poll::Ready(permit) = permit.as_mut().poll(&mut Context::from_waker(&waker)) else {
            return;
        };
        caller.stage = Stage::Admitted(permit);
        let caller = &self.callers[index];
        let overtaken = self.callers[..index].iter().find(|other| {
            let is_in_time = !other.is_late && !other.is_frozen && !other.is_woken();
            other.waits() && other.is_urgent == caller.is_urgent && is_in_time
        });
        if let Some(overtaken) = overtaken {
            panic!("{} was admitted before {}: {:#?}", caller.name, overtaken.name, self.story);
        }
    }

    fn proceed(&mut self, index: usize, way: usize) {
        let mut caller = self.callers.remove(index);
        let Stage::Admitted(permit) = caller.stage else { return };
        if let Some(permit) = self.subject.proceed(permit, way) {
            caller.stage = Stage::Admitted(permit);
            self.callers.insert(index, caller);
        }
    }

    /// Polls woken callers, and ends permits, until no polled caller waits.
    async fn end(&mut self) {
        let count = |what: fn(&Caller<S>) -> bool| {
            self.callers.iter().filter(|caller| what(caller)).count() as u32
        };
        let (waiting, frozen) = (count(Caller::waits), count(|caller| caller.is_frozen));
        let longest = self.subject.longest(self.callers.len() as u32 - waiting, waiting, frozen);
        let limit = Instant::now() + longest;
        let mut rounds = 0;
        while self.callers.iter().any(|caller| !caller.is_frozen) {
            rounds += 1;
            assert!(rounds < 10_000, "no caller rests: {:#?}", self.story);
            let next = self
                .callers
                .iter()
                .position(|caller| !caller.is_frozen && (!caller.waits() || caller.is_woken()));
            match next {
                Some(index) if self.callers[index].waits() => self.poll(index),
                Some(index) => self.proceed(index, 0),
                None => {
                    let woken = timeout_at(limit, self.woken.notified()).await;
                    assert!(woken.is_ok(), "no caller is admitted: {:#?}", self.story);
                }
            }
            self.check();
        }
        self.callers.clear();
        advance(self.subject.longest(MAX_CALLERS as u32, MAX_CALLERS as u32, 0)).await;
        if let Err(wrong) = self.subject.check_idle() {
            panic!("{wrong}: {:#?}", self.story);
        }
    }
}
