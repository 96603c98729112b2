//! Draws a plan from a seed.
//!
//! Each step is drawn by itself, from weights that depend on the store and on what already happened,
//! never on what a step is to find.

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
    let mut steps = Vec::new();
    for machine in 0..machines {
        steps.push(Step::Begin(run(random, machine)));
    }
    for _ in 0..random.u8(2..12) {
        if random.bool() {
            steps.push(Step::Wait(time(random)));
        }
        let is_backed_up = steps.contains(&Step::BackUp);
        let is_restored = steps.contains(&Step::Restore);
        let step = match store {
            Store::Sqlite => on_sqlite(random),
            Store::Postgres => on_postgres(random, is_backed_up, is_restored),
        };
        steps.push(step);
    }
    let window = *pick(random, &[10, 40, 200]);
    let work = random.u64(100..1_000);
    // Enough inputs to be busy for seconds: a machine that is busy otherwise does some 30 a second.
    let per_second = (window * u64::from(machines) * 1_000 / work).min(30);
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

fn on_sqlite(random: &mut Rng) -> Step {
    match random.u8(..36) {
        0..6 => Step::Begin(run(random, 0)),
        6..12 => Step::Kill(None),
        12..15 => {
            Step::Copy { log: random.bool(), results: random.bool(), moved: random.u8(..4) == 0 }
        }
        15 => Step::BackUp,
        16 => Step::Restore,
        _ => anywhere(random, 1),
    }
}

fn on_postgres(random: &mut Rng, is_backed_up: bool, is_restored: bool) -> Step {
    // What a database that was put back is about, and what its owner does about that.
    if random.u8(..3) == 0 {
        return match (is_backed_up, is_restored) {
            (false, _) => Step::BackUp,
            (true, false) => Step::Restore,
            (true, true) => {
                let machine = random.u8(..MACHINES);
                let accepting = accepting(random, machine);
                Step::Finish(accepting, death(random))
            }
        };
    }
    match random.u8(..40) {
        0..6 => {
            let machine = random.u8(..MACHINES);
            Step::Begin(run(random, machine))
        }
        6..11 => Step::Kill(None),
        11..13 => Step::Kill(Some(random.u8(..MACHINES))),
        13..15 => Step::BackUp,
        15..17 => Step::Restore,
        17..20 => Step::Crash,
        _ => anywhere(random, MACHINES),
    }
}

fn anywhere(random: &mut Rng, machines: u8) -> Step {
    let machine = random.u8(..machines);
    match random.u8(..20) {
        0..3 => Step::Fault(fault(random), time(random)),
        // Longer than anything is waited for.
        3..5 => Step::Fault(fault(random), random.u64(25_000..45_000)),
        5..8 => Step::Clock(*pick(random, &[-86_400, 3_600, 172_800, 259_200])),
        8..10 => {
            let signal = *pick(random, &[Signal::Int, Signal::Term, Signal::Hup]);
            let longest = *pick(random, &[40, 150, 400]);
            Step::Signal { signal, after: random.u64(..longest), is_new: random.bool() }
        }
        10 => Step::Append { machine },
        11 => Step::Truncate { machine, bytes: random.u64(1..200) },
        12..14 => {
            let command = Command::Retry { machine, same_jobs: random.u8(..4) == 0 };
            Step::Finish(command, death(random))
        }
        _ => {
            let accepting = accepting(random, machine);
            Step::Finish(accepting, death(random))
        }
    }
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

/// Mostly short, sometimes long.
fn time(random: &mut Rng) -> u64 {
    let longest = *pick(random, &[100, 1_000, 1_000, 4_000]);
    random.u64(..longest)
}

fn pick<'a, T>(random: &mut Rng, from: &'a [T]) -> &'a T {
    &from[random.usize(..from.len())]
}
