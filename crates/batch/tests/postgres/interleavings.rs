//! Interleavings of SQL statements: processes that share a batch, whose statements are executed one
//! at a time in an order that a seed decides, with broken connections, killed processes and ended
//! leases, against a model of the batch ([`model`]).
//!
//! `scripts/interleavings.sh` plays them for longer: `TIME` are its seconds, `SEED` the first seed,
//! `COUNT` the number of schedules. With `ALL`, all schedules of small pairs are played instead.

#![expect(clippy::print_stdout, reason = "a finding and the figures are printed")]

mod model;
mod process;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, thread};

use fastrand::Rng;
use podqueue_batch::State;
use podqueue_batch::store::{
    Change, Claim, Commit, OpenStore, Postgres, PostgresStore, Sharing, Store,
};
use podqueue_pgserver::{
    Actor, Cut, Deviation, Event, Played, Schedule, Scheduler, Script, Server,
};

use self::model::Model;
use self::process::{Operation, Worker, ended};
use crate::rules::run;

/// Largest number of processes.
const PROCESSES: usize = 3;

/// Largest number of plans that are played to shrink one.
const SHRINKS: usize = 400;

/// Name of the database.
const DATABASE: &str = "jobs";

/// Schedulers at work at a time.
const WIDTH: usize = 6;

/// Seconds of the search as a part of all tests.
const BRIEF: u64 = 5;

/// Scripts of processes, and their schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plan {
    inputs: usize,
    scripts: Vec<process::Script>,
    schedule: Schedule,
    /// A last process completes the batch.
    completes: bool,
}

/// Outcome of a plan.
struct Outcome {
    played: Played,
    violations: Vec<String>,
    recoveries: u64,
    changes: u64,
}

impl Plan {
    fn random(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let processes = if rng.u8(..3) == 0 { 3 } else { 2 };
        let repeats = rng.u8(..3) == 0;
        let scripts: Vec<_> = (0..processes).map(|_| script(&mut rng, repeats)).collect();
        let mut order: Vec<_> = (0..processes).collect();
        rng.shuffle(&mut order);
        let is_whole = rng.u8(..16) == 0;
        let operations: usize = scripts.iter().map(|it| it.operations.len()).sum();
        // About six statements each.
        let steps = operations * 6 + if is_whole { processes * 12 } else { 0 };
        let preemptions = rng.usize(1..=3);
        let faults = [0, 1, 1, 2][rng.usize(..4)];
        let mut deviations: Vec<_> = (0..preemptions)
            .map(|_| Deviation { step: rng.usize(..steps), event: Event::Preempt })
            .collect();
        for _ in 0..faults {
            deviations.push(Deviation { step: rng.usize(..steps), event: fault(&mut rng) });
        }
        deviations.sort_by_key(|it| it.step);
        let schedule = Schedule { order, deviations, is_whole };
        let completes = rng.u8(..4) == 0;
        Self { inputs: rng.usize(1..=4), scripts, schedule, completes }
    }

    fn play(&self, scheduler: &mut Scheduler, name: &str) -> Outcome {
        let urls: Vec<_> = (0..self.scripts.len()).map(|it| scheduler.url(it)).collect();
        let model = Mutex::new(Model::begin(scheduler.session(), name, self.inputs));
        let known = || model.lock().unwrap_or_else(PoisonError::into_inner);
        let work = |number: usize| -> Script<'_> {
            let (script, model) = (&self.scripts[number], &model);
            let batch = Postgres::connect(&urls[number], name);
            let waits = !self.schedule.is_whole;
            Box::new(move |actor: &Actor| {
                let worker = Worker::open(number, batch, script, actor, model);
                let Some(mut worker) = worker else { return };
                if waits {
                    actor.begin();
                }
                worker.work(&script.operations);
            })
        };
        let scripts = (0..self.scripts.len()).map(work).collect();
        let played = scheduler.play(&self.schedule, scripts, &mut |session, step| {
            known().observe(session, step);
        });
        let mut violations = played.violations.clone();
        violations.append(&mut known().violations);
        if violations.is_empty() && self.completes {
            let batch = Postgres::connect(scheduler.url(PROCESSES), name);
            let mut scripts: Vec<Script<'_>> =
                (0..PROCESSES).map(|_| -> Script<'_> { Box::new(|_| {}) }).collect();
            scripts.push(Box::new(|_| {
                if let Err(error) = complete(&batch) {
                    known().violations.push(format!("the batch cannot be completed: {error}"));
                }
            }));
            let alone = Schedule { order: vec![PROCESSES], ..Schedule::default() };
            let last = scheduler.play(&alone, scripts, &mut |session, step| {
                known().observe(session, step);
            });
            violations.extend(last.violations);
            known().check_end(scheduler.session());
            violations.append(&mut known().violations);
        }
        let model = known();
        Outcome { played, violations, recoveries: model.recoveries, changes: model.changes }
    }

    /// All schedules of small pairs with one deviation, and with two preemptions. `count` counts the
    /// steps of a plan.
    fn all(count: &mut dyn FnMut(&Self) -> usize) -> Vec<Self> {
        use Operation::{Accept, AcceptAndClaim, Add, Claim, End, NotSent, Recover, Retry};
        let pairs: [[&[Operation]; 2]; 4] = [
            [&[Claim(1), Accept], &[Recover]],
            [&[Claim(1), AcceptAndClaim(1)], &[Recover, End(true)]],
            [&[Claim(2), NotSent], &[Claim(2)]],
            [&[Add(true)], &[Retry]],
        ];
        let cuts = [Cut::Before, Cut::After, Cut::Late(8)];
        let mut plans = Vec::new();
        let mut doubles = Vec::new();
        for (pair, order) in pairs.iter().flat_map(|pair| [(pair, [0, 1]), (pair, [1, 0])]) {
            let script = |operations: &&[Operation]| process::Script {
                operations: operations.to_vec(),
                repeats: false,
                recovers: operations.contains(&Recover),
            };
            let schedule = Schedule { order: order.to_vec(), ..Schedule::default() };
            let scripts = pair.iter().map(script).collect();
            let plan = Self { inputs: 2, scripts, schedule, completes: false };
            let with = |deviations: &[(usize, Event)]| {
                let mut plan = plan.clone();
                let of = |(step, event): &(usize, Event)| Deviation { step: *step, event: *event };
                plan.schedule.deviations = deviations.iter().map(of).collect();
                plan
            };
            for step in 0..count(&plan) {
                plans.push(with(&[(step, Event::Preempt)]));
                for (cut, kills) in cuts.iter().flat_map(|cut| [(*cut, false), (*cut, true)]) {
                    plans.push(with(&[(step, Event::Cut { cut, at_commit: false, kills })]));
                }
                let before =
                    (0..step).map(|other| [(other, Event::Preempt), (step, Event::Preempt)]);
                doubles.extend(before.map(|both| with(&both)));
            }
        }
        plans.append(&mut doubles);
        plans
    }

    /// Simpler plans.
    fn simpler(&self) -> Vec<Self> {
        let mut simpler = Vec::new();
        for number in 0..self.schedule.deviations.len() {
            let mut plan = self.clone();
            plan.schedule.deviations.remove(number);
            simpler.push(plan);
        }
        for number in 0..self.scripts.len() {
            if self.scripts[number].operations.len() > 1 {
                let mut plan = self.clone();
                plan.scripts[number].operations.clear();
                simpler.push(plan);
            }
            for place in (0..self.scripts[number].operations.len()).rev() {
                let mut plan = self.clone();
                plan.scripts[number].operations.remove(place);
                simpler.push(plan.clone());
                // Later deviations happen earlier then.
                for deviation in &mut plan.schedule.deviations {
                    deviation.step = deviation.step.saturating_sub(6);
                }
                simpler.push(plan);
            }
        }
        for number in 0..self.schedule.deviations.len() {
            for earlier in [8, 3, 1] {
                let mut plan = self.clone();
                let step = &mut plan.schedule.deviations[number].step;
                if *step >= earlier {
                    *step -= earlier;
                    simpler.push(plan);
                }
            }
        }
        simpler
    }

    /// Prefers fewer deviations, then fewer operations, then earlier ones.
    fn size(&self) -> usize {
        let operations: usize = self.scripts.iter().map(|it| it.operations.len()).sum();
        let late: usize = self.schedule.deviations.iter().map(|it| it.step).sum();
        self.schedule.deviations.len() * 100_000 + operations * 1_000 + late
    }
}

fn script(rng: &mut Rng, repeats: bool) -> process::Script {
    let mut operations = vec![Operation::Claim(rng.usize(1..=3))];
    let recovers = rng.u8(..3) > 0;
    if recovers && rng.bool() {
        operations.clear();
    }
    for _ in 0..rng.usize(2..=6) {
        operations.push(match rng.u8(..24) {
            0..=3 => Operation::Claim(rng.usize(1..=2)),
            4..=6 => Operation::Accept,
            7 => Operation::AcceptAndClaim(1),
            8 => Operation::Refuse,
            9 => Operation::NotSent,
            10 => Operation::Unknown,
            11 => Operation::Seen,
            12 | 13 => Operation::End(rng.u8(..4) > 0),
            14..=16 if recovers => Operation::Recover,
            14 => Operation::Renew,
            15 => Operation::Tally,
            17 => Operation::Release,
            18 => Operation::Add(rng.u8(..4) > 0),
            19 => Operation::Retry,
            20 if rng.bool() => Operation::Forget,
            20 => Operation::MoveAll,
            21 => Operation::BeginRun,
            _ => Operation::RecordLate,
        });
    }
    process::Script { operations, repeats, recovers }
}

fn fault(rng: &mut Rng) -> Event {
    match rng.u8(..16) {
        0 => return Event::Restart,
        1 | 2 => return Event::CutWaiting,
        _ => {}
    }
    let cut = match rng.u8(..4) {
        0 => Cut::Before,
        1 | 2 => Cut::After,
        _ => Cut::Late(rng.usize(..30)),
    };
    Event::Cut { cut, at_commit: rng.u8(..4) > 0, kills: rng.u8(..5) == 0 }
}

/// Completes a batch as a last process, which recovers all others.
fn complete(batch: &Postgres) -> Result<(), podqueue_batch::Error> {
    let mut store = batch.clone().lease(Duration::ZERO).open()?;
    Sharing::identify(&mut store, "last", State::Unknown)?;
    store.recover()?;
    store.recover()?;
    let end = |store: &mut PostgresStore, inputs: &[podqueue_batch::store::Input]| {
        let change = |it: &podqueue_batch::store::Input| Change {
            index: it.index,
            attempt: it.attempt,
            event: ended(State::Completed),
        };
        let changes = inputs.iter().map(change).collect();
        store.commit(&Commit { changes, ..Commit::default() })
    };
    let outstanding = store.outstanding()?;
    end(&mut store, &outstanding)?;
    store.move_all(&[State::Unknown], State::Pending)?;
    let run = store.begin_run(&run())?;
    let claim = Some(Claim { limit: 99, bytes: u64::MAX, run, ..Claim::default() });
    let claimed = store.commit(&Commit { claim, ..Commit::default() })?;
    end(&mut store, &claimed)?;
    Ok(())
}

/// Sums over schedules.
#[derive(Default)]
struct Figures {
    schedules: u64,
    steps: usize,
    faults: usize,
    changes: u64,
    recoveries: u64,
}

impl Figures {
    fn add(&mut self, outcome: &Outcome) {
        self.schedules += 1;
        self.steps += outcome.played.steps;
        self.faults += outcome.played.faults;
        self.changes += outcome.changes;
        self.recoveries += outcome.recoveries;
    }
}

/// The database of all schedules, in each of which a batch has a name of its own.
struct Search {
    server: Server,
    next: AtomicU64,
    names: AtomicU64,
    has_failed: AtomicBool,
}

impl Search {
    fn new() -> Self {
        let server = Server::start();
        for setting in ["fsync = off", "full_page_writes = off", "autovacuum = off"] {
            server.sql("postgres", &format!("ALTER SYSTEM SET {setting}"));
        }
        server.sql("postgres", "SELECT pg_reload_conf()");
        let url = server.create(DATABASE);
        drop(Postgres::connect(&url, "tables").open().unwrap());
        let (next, names) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { server, next, names, has_failed: AtomicBool::new(false) }
    }

    fn scheduler(&self) -> Scheduler {
        let mut scheduler = Scheduler::start(&self.server, DATABASE, PROCESSES + 1);
        model::prepare(scheduler.session());
        scheduler
    }

    fn all(&self) -> Vec<Plan> {
        let mut scheduler = self.scheduler();
        Plan::all(&mut |plan| self.play(plan, &mut scheduler).played.steps)
    }

    fn play(&self, plan: &Plan, scheduler: &mut Scheduler) -> Outcome {
        let name = format!("batch-{}", self.names.fetch_add(1, Ordering::SeqCst));
        plan.play(scheduler, &name)
    }

    /// Reports the simplest plan that is violated too.
    fn report(&self, name: &str, plan: Plan, outcome: Outcome, scheduler: &mut Scheduler) {
        println!("{name}: {}; simplifying", outcome.violations.join("; "));
        let (mut best, mut worst, mut tries) = (plan, outcome, 0);
        'simpler: loop {
            for plan in best.simpler() {
                tries += 1;
                if tries > SHRINKS {
                    break 'simpler;
                }
                if plan.size() >= best.size() {
                    continue;
                }
                let outcome = self.play(&plan, scheduler);
                if kind(&outcome) == kind(&worst) {
                    (best, worst) = (plan, outcome);
                    continue 'simpler;
                }
            }
            break;
        }
        println!("{} inputs, {}", best.inputs, best.schedule);
        for (number, script) in best.scripts.iter().enumerate() {
            println!("process {number}: {script:?}");
        }
        for line in worst.played.lines {
            println!("{line}");
        }
        for violation in worst.violations {
            println!("violated: {violation}");
        }
        if let Some(seed) = name.strip_prefix("seed ") {
            println!("again: COUNT=1 scripts/interleavings.sh 60 {seed}");
        }
    }
}

/// The first violation, without numbers.
fn kind(outcome: &Outcome) -> Option<String> {
    let first = outcome.violations.first()?;
    Some(first.split(|it: char| it.is_ascii_digit()).collect())
}

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap())
}

#[test]
fn statements_in_any_order_violate_no_invariant() {
    let first = number("SEED").unwrap_or_else(|| u64::from(fastrand::u32(..)));
    let time = Duration::from_secs(number("TIME").unwrap_or(BRIEF));
    let count = number("COUNT").unwrap_or(u64::MAX);
    let search = Search::new();
    let all = env::var_os("ALL").map(|_| search.all());
    let began = Instant::now();
    let plan = |number: u64| match &all {
        Some(all) => all.get(usize::try_from(number).unwrap()).cloned(),
        None => (number < count && began.elapsed() < time).then(|| Plan::random(first + number)),
    };
    let name = |number: u64| match &all {
        Some(all) => format!("schedule {number} of {}", all.len()),
        None => format!("seed {}", first + number),
    };
    let figures = Mutex::new(Figures::default());
    thread::scope(|scope| {
        for _ in 0..WIDTH {
            scope.spawn(|| {
                let mut scheduler = search.scheduler();
                while !search.has_failed.load(Ordering::SeqCst) {
                    let number = search.next.fetch_add(1, Ordering::SeqCst);
                    let Some(plan) = plan(number) else { break };
                    let outcome = search.play(&plan, &mut scheduler);
                    figures.lock().unwrap().add(&outcome);
                    let is_violated = !outcome.violations.is_empty();
                    if is_violated && !search.has_failed.swap(true, Ordering::SeqCst) {
                        search.report(&name(number), plan, outcome, &mut scheduler);
                    }
                }
            });
        }
    });
    let (figures, seconds) = (figures.into_inner().unwrap(), began.elapsed().as_secs_f64());
    let Figures { schedules, steps, faults, changes, recoveries } = figures;
    let what = match &all {
        Some(all) => format!("of {} schedules of pairs", all.len()),
        None => format!("schedules from seed {first} on"),
    };
    println!(
        "{schedules} {what}, {steps} steps, {changes} changes, {recoveries} recoveries, {faults} faults, {seconds:.1} s, {:.1} schedules a second",
        schedules as f64 / seconds
    );
    assert!(!search.has_failed.into_inner(), "an invariant is violated");
    assert!(recoveries > 0 || schedules < 100, "nothing is recovered");
}
