//! Draws a plan from a seed.
//!
//! A plan consists of a few kinds of steps out of many (swarm testing,
//! <https://users.cs.utah.edu/~regehr/papers/swarm12.pdf>): what rarely happens then happens several
//! times, and next to each other. The kinds, and each step, are drawn by themselves; but for two stories,
//! of several steps that seldom meet in their order: a backup that is put back while nothing runs, and a
//! clock that is turned while the jobs that are outstanding cannot be asked for.

use fastrand::Rng;

use super::plan::{Command, Fault, Mistake, Plan, Signal, Step, Store, Unknown};

/// How many machines take part at most.
const MACHINES: u8 = 3;

/// The plan of a seed.
#[must_use]
pub fn plan(seed: u64, postgres: bool) -> Plan {
    let mut random = Rng::with_seed(seed);
    let random = &mut random;
    let store = match postgres && random.u8(..10) < 5 {
        true => Store::Postgres,
        false => Store::Sqlite,
    };
    let machines = if store == Store::Sqlite { 1 } else { random.u8(1..=MACHINES) };
    let window = *pick(random, &[10, 40, 200]);
    let work = random.u64(100..1_000);
    // Enough inputs to be busy for seconds: a machine that is busy otherwise does some 30 a second.
    let per_second = (window * u64::from(machines) * 1_000 / work).min(30);
    let mut steps: Vec<_> = (0..machines).map(|it| Step::Begin(run(random, it))).collect();
    let kinds = kinds(random, store);
    // At first, while there is much left to do.
    if kinds.contains(&Kind::Backups) && random.u8(..4) > 0 {
        steps.extend(restored(random, machines));
    } else if kinds.contains(&Kind::LongFault) && random.u8(..4) > 0 {
        steps.extend(turned(random));
    }
    for _ in 0..random.u8(2..12) {
        if random.bool() {
            steps.push(match random.bool() {
                true => Step::Wait(time(random)),
                false => Step::Submissions(random.usize(1..150)),
            });
        }
        let kind = *pick(random, &kinds);
        let is_backed_up = steps.contains(&Step::BackUp);
        steps.push(step(random, kind, machines, is_backed_up));
    }
    Plan {
        seed,
        store,
        inputs: per_second * random.u64(3..15),
        work,
        window,
        preemption: *pick(random, &[0, 20_000]),
        steps,
    }
}

/// What steps are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Begin,
    Kill,
    Fault,
    LongFault,
    Clock,
    Signal,
    Files,
    Retry,
    Accepting,
    Backups,
    Copy,
    Crash,
}

/// The few kinds that a plan consists of, and beginning again, so that they meet often.
fn kinds(random: &mut Rng, store: Store) -> Vec<Kind> {
    use Kind::{
        Accepting, Backups, Begin, Clock, Copy, Crash, Fault, Files, Kill, LongFault, Retry, Signal,
    };
    let own = if store == Store::Sqlite { Copy } else { Crash };
    let mut all = [Kill, Fault, LongFault, Clock, Signal, Files, Retry, Accepting, Backups, own];
    random.shuffle(&mut all);
    let mut kinds = all[..random.usize(2..=3)].to_vec();
    if random.bool() {
        kinds.push(Begin);
    }
    kinds
}

fn step(random: &mut Rng, kind: Kind, machines: u8, is_backed_up: bool) -> Step {
    let machine = random.u8(..machines);
    match kind {
        Kind::Begin => {
            let machine = if machines > 1 { random.u8(..MACHINES) } else { machine };
            Step::Begin(run(random, machine))
        }
        Kind::Kill => Step::Kill(random.bool().then_some(machine)),
        Kind::Fault => Step::Fault(fault(random), time(random)),
        Kind::LongFault => Step::Fault(fault(random), long(random)),
        Kind::Clock => Step::Clock(turn(random)),
        Kind::Signal => {
            let signal = *pick(random, &[Signal::Int, Signal::Term, Signal::Hup]);
            let longest = *pick(random, &[40, 150, 400]);
            Step::Signal { signal, after: random.u64(..longest), is_new: random.bool() }
        }
        Kind::Files if random.bool() => Step::Append { machine },
        Kind::Files => Step::Truncate { machine, bytes: random.u64(1..200) },
        Kind::Retry => {
            let command = Command::Retry { machine, same_jobs: random.u8(..4) == 0 };
            Step::Finish(command, death(random))
        }
        Kind::Accepting => {
            let accepting = accepting(random, machine);
            Step::Finish(accepting, death(random))
        }
        Kind::Backups if is_backed_up && random.u8(..4) > 0 => Step::Restore,
        Kind::Backups => Step::BackUp,
        Kind::Copy => {
            Step::Copy { log: random.bool(), results: random.bool(), moved: random.u8(..4) == 0 }
        }
        Kind::Crash => Step::Crash,
    }
}

/// A backup is put back after more has been submitted and collected, mostly when nothing is left that
/// runs, and could notice: only results can prove it then.
fn restored(random: &mut Rng, machines: u8) -> Vec<Step> {
    let (more, collecting) = (random.usize(10..100), random.u64(500..3_000));
    let mut steps = vec![
        Step::Submissions(random.usize(1..30)),
        Step::BackUp,
        Step::Submissions(more),
        Step::Wait(collecting),
    ];
    if random.u8(..4) > 0 {
        steps.push(Step::Kill(None));
    }
    steps.push(Step::Restore);
    if random.bool() {
        let machine = random.u8(..machines);
        steps.push(Step::Begin(run(random, machine)));
    }
    steps
}

/// The clock is turned while jobs are outstanding, and nothing can be learned of them for long.
fn turned(random: &mut Rng) -> Vec<Step> {
    let fault = *pick(random, &[Fault::StatusUnavailable, Fault::Unavailable, Fault::Reset]);
    vec![
        Step::Submissions(random.usize(5..50)),
        Step::Fault(fault, long(random)),
        Step::Clock(turn(random)),
    ]
}

/// A command that may accept a loss, mostly with a mistake in it.
fn accepting(random: &mut Rng, machine: u8) -> Command {
    if random.bool() {
        let mistake = (random.u8(..3) > 0).then_some(Mistake::Results);
        return Command::Cancel { machine, mistake };
    }
    let mistakes = [Mistake::Results, Mistake::Inputs, Mistake::Settings, Mistake::Key];
    let mistake = Some(*pick(random, &mistakes));
    Command::Run { machine, accept_loss: random.u8(..4) > 0, unknown: Unknown::Hold, mistake }
}

fn run(random: &mut Rng, machine: u8) -> Command {
    let unknown = match random.u8(..10) {
        0 => Unknown::Resubmit,
        1..4 => Unknown::ByWebhook,
        _ => Unknown::Hold,
    };
    Command::Run { machine, accept_loss: random.u8(..12) == 0, unknown, mistake: None }
}

fn fault(random: &mut Rng) -> Fault {
    *pick(
        random,
        &[
            Fault::LostSubmissions,
            Fault::Throttled,
            Fault::StatusUnavailable,
            Fault::Unavailable,
            Fault::Reset,
        ],
    )
}

/// When a command is killed, if it is.
fn death(random: &mut Rng) -> Option<u64> {
    (random.u8(..4) == 0).then(|| random.u64(5..150))
}

/// Longer than anything is waited for, in milliseconds.
fn long(random: &mut Rng) -> u64 {
    random.u64(28_000..45_000)
}

/// By how many seconds the clock is turned.
fn turn(random: &mut Rng) -> i64 {
    *pick(random, &[-86_400, 3_600, 172_800, 259_200])
}

/// Mostly short, sometimes long.
fn time(random: &mut Rng) -> u64 {
    let longest = *pick(random, &[100, 1_000, 1_000, 4_000]);
    random.u64(..longest)
}

fn pick<'a, T>(random: &mut Rng, from: &'a [T]) -> &'a T {
    &from[random.usize(..from.len())]
}
