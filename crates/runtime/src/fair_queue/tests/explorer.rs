//! Explorer of a fair queue: callers arrive, are polled or not, leave, fare well or badly with their
//! with their turns, while time passes. It drives the real lines with a clock that is turned.
//!
//! A run is a row of choices. [`explore`] makes all runs of a length, [`wander`] long ones at random.
//! After its choices a run comes to an end in which some callers are never polled again, and the
//! others always when they are woken:
//!
//! - nobody who is polled waits longer than it may, whoever is not;
//! - nobody goes before another who came earlier, is not late, and is no less urgent;
//! - once everybody has gone or left, the line is as good as new.
//!
//! `PODQUEUE_MODEL_DEPTH` sets the length of the runs of [`explore`], `PODQUEUE_MODEL_RUNS` how many
//! [`wander`] makes.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, advance, timeout_at};

/// What is explored.
pub(crate) trait Subject {
    /// What a caller gets, and has to bring to an end.
    type Turn;

    /// A caller arrives.
    fn turn(&self, is_urgent: bool) -> Pin<Box<dyn Future<Output = Self::Turn>>>;

    /// In how many ways a turn may go on; the first leads to a good end.
    fn ways(&self, turn: &Self::Turn) -> usize;

    /// A turn goes on in this way; `None` where that was its end.
    fn go_on(&self, turn: Self::Turn, way: usize) -> Option<Self::Turn>;

    /// By when all who are polled have gone, if so many hold turns, wait, and are never polled again.
    fn longest(&self, held: u32, waiting: u32, frozen: u32) -> Duration;

    /// Holds what must hold at any time.
    fn check(&self) -> Result<(), String>;

    /// Holds what must hold when nobody has a turn and the last one was long ago.
    fn check_idle(&self) -> Result<(), String>;
}

/// Where the choices of a run come from.
trait Choices {
    fn choose(&mut self, from: usize) -> usize;
}

/// All runs, one after the other.
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
    /// Goes on to the next run; false after the last.
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

/// Makes all runs with so many choices, after these callers have arrived.
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

/// More callers than this never wait or hold a turn at once.
const MOST: usize = 5;

/// The time that may pass in a step: less than the line waits for a caller, more, much more.
const STEPS: [Duration; 3] =
    [Duration::from_millis(3), Duration::from_millis(120), Duration::from_secs(4)];

struct World<S: Subject> {
    subject: S,
    callers: Vec<Caller<S>>,
    /// Told when anybody is woken.
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
    /// It is never polled again.
    is_frozen: bool,
}

enum Stage<S: Subject> {
    Waits(Pin<Box<dyn Future<Output = S::Turn>>>),
    Goes(S::Turn),
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

/// What can happen next.
#[derive(Debug)]
enum Event {
    Arrives { is_urgent: bool },
    Polled(usize),
    Leaves(usize),
    GoesOn(usize, usize),
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
                Event::GoesOn(index, way) => self.go_on(index, way),
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
        if self.callers.len() < MOST {
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
                Stage::Goes(turn) => {
                    events
                        .extend((0..self.subject.ways(turn)).map(|way| Event::GoesOn(index, way)));
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
            stage: Stage::Waits(self.subject.turn(is_urgent)),
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
        let Stage::Waits(turn) = &mut caller.stage else { return };
        let Poll::Ready(turn) = turn.as_mut().poll(&mut Context::from_waker(&waker)) else {
            return;
        };
        caller.stage = Stage::Goes(turn);
        let caller = &self.callers[index];
        let overtaken = self.callers[..index].iter().find(|other| {
            let is_in_time = !other.is_late && !other.is_frozen && !other.is_woken();
            other.waits() && other.is_urgent == caller.is_urgent && is_in_time
        });
        if let Some(overtaken) = overtaken {
            panic!("{} went before {}: {:#?}", caller.name, overtaken.name, self.story);
        }
    }

    fn go_on(&mut self, index: usize, way: usize) {
        let mut caller = self.callers.remove(index);
        let Stage::Goes(turn) = caller.stage else { return };
        if let Some(turn) = self.subject.go_on(turn, way) {
            caller.stage = Stage::Goes(turn);
            self.callers.insert(index, caller);
        }
    }

    /// Polls those who are woken, and ends turns, until nobody who is polled waits any more.
    async fn end(&mut self) {
        let count = |what: fn(&Caller<S>) -> bool| {
            self.callers.iter().filter(|caller| what(caller)).count() as u32
        };
        let (waiting, frozen) = (count(Caller::waits), count(|caller| caller.is_frozen));
        let longest = self.subject.longest(self.callers.len() as u32 - waiting, waiting, frozen);
        let limit = Instant::now() + longest;
        let mut turns = 0;
        while self.callers.iter().any(|caller| !caller.is_frozen) {
            turns += 1;
            assert!(turns < 10_000, "nobody rests: {:#?}", self.story);
            let next = self
                .callers
                .iter()
                .position(|caller| !caller.is_frozen && (!caller.waits() || caller.is_woken()));
            match next {
                Some(index) if self.callers[index].waits() => self.poll(index),
                Some(index) => self.go_on(index, 0),
                None => {
                    let woken = timeout_at(limit, self.woken.notified()).await;
                    assert!(woken.is_ok(), "nobody goes: {:#?}", self.story);
                }
            }
            self.check();
        }
        self.callers.clear();
        advance(self.subject.longest(MOST as u32, MOST as u32, 0)).await;
        if let Err(wrong) = self.subject.check_idle() {
            panic!("{wrong}: {:#?}", self.story);
        }
    }
}
