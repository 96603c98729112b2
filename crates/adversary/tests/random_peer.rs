//! A few seconds of random runs; `scripts/adversary.sh` plays them for longer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use podqueue_adversary::search::{Finding, play};

/// How long shrinking may take where something breaks.
const SHRINKING: Duration = Duration::from_secs(20);

/// How many of the fixed seeds are played.
const FIXED: u64 = 100;

/// The seeds are the same each time, so that a change that breaks something is told from bad luck.
#[test]
fn nothing_breaks_in_the_fixed_runs() {
    if std::env::var_os("SEED").is_none() {
        (0..FIXED).for_each(holds);
    }
}

/// `SEED=… cargo test -p podqueue-adversary` plays that run alone.
#[test]
fn nothing_breaks_in_a_run_of_a_random_seed() {
    let given = std::env::var("SEED").ok().map(|seed| seed.parse().expect("a number"));
    let first = given.unwrap_or_else(|| fastrand::u64(..) >> 16);
    let until = Instant::now() + Duration::from_secs(2);
    for seed in first.. {
        holds(seed);
        if given.is_some() || Instant::now() > until {
            break;
        }
    }
}

/// One seed is one run, byte for byte: what the peer saw, and what the callers were told.
#[test]
fn a_seed_replays_exactly() {
    for seed in 0..10 {
        let seen = || {
            let plan = podqueue_adversary::plan::plan(seed);
            let run = podqueue_adversary::run(&plan);
            run.transcript.lines()
        };
        assert_eq!(seen(), seen(), "SEED={seed}");
    }
}

fn holds(seed: u64) {
    let played = catch_unwind(AssertUnwindSafe(|| play(seed)));
    let finding = played.unwrap_or_else(|_| panic!("SEED={seed} panics outside of the client"));
    if let Some(finding) = finding {
        panic!("{}", told(&finding));
    }
}

fn told(finding: &Finding) -> String {
    let first = finding.invariants()[0];
    format!("{first}\n{}", finding.report(first, SHRINKING))
}
