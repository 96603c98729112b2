//! A few seconds of each randomized test. `scripts/adversary.sh` and `scripts/batches.sh` run them
//! for longer.
//!
//! `SEED=… cargo test -p podqueue-adversary` plays the run of one seed alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use podqueue_adversary::client::ClientDriver;
use podqueue_adversary::client::invariants::violations;
use podqueue_adversary::client::{plan, run, several_runtimes};
use podqueue_adversary::search::{Driver, format, shrink};

/// Time limit for shrinking a plan that violates an invariant.
const SHRINKING: Duration = Duration::from_secs(20);

/// Number of fixed seeds.
const FIXED: u64 = 100;

/// The seeds are the same each time, so that a regression can be distinguished from
/// bad luck.
#[test]
fn fixed_seeds_violate_no_invariant() {
    if given_seed().is_none() {
        (0..FIXED).for_each(check);
    }
}

#[test]
fn a_random_seed_violates_no_invariant() {
    for_random_seeds(Duration::from_secs(2), check);
}

#[test]
fn a_seed_replays_exactly() {
    for seed in 0..10 {
        let transcript = || run(&plan::plan(seed)).transcript.lines();
        assert_eq!(transcript(), transcript(), "SEED={seed}");
    }
}

/// One client on several runtimes, of which one is driven at a time.
#[test]
fn several_runtimes_violate_no_invariant() {
    for_random_seeds(Duration::from_secs(3), |seed| {
        let (plan, turns) = several_runtimes::plan(seed);
        let run = several_runtimes::run(&plan, &turns);
        let violations = violations(&run);
        assert!(
            violations.is_empty(),
            "SEED={seed}\n{violations:#?}\nHTTP/2: {}\n{turns:#?}\n{}",
            plan.settings.http2,
            run.transcript.lines()
        );
    });
}

#[test]
fn a_seed_draws_the_same_batch_plan_and_a_printed_plan_can_be_read() {
    use podqueue_adversary::batches::{Plan, plan};

    let printed = |plan: &Plan| serde_json::to_string(plan).expect("a plan is JSON");
    let plans: Vec<_> = (0..200).map(|seed| printed(&plan(seed, true))).collect();
    for (seed, text) in (0..).zip(&plans) {
        assert_eq!(*text, printed(&plan(seed, true)), "SEED={seed}");
        let read: Plan = serde_json::from_str(text).expect("the printed plan");
        assert_eq!(*text, printed(&read));
    }
    // Both stores are drawn, and PostgreSQL only where it is available.
    assert!(plans.iter().any(|plan| plan.contains("Postgres")));
    assert!(plans.iter().any(|plan| plan.contains("Sqlite")));
    assert!(!(0..200).any(|seed| printed(&plan(seed, false)).contains("Postgres")));
}

fn given_seed() -> Option<u64> {
    std::env::var("SEED").ok().map(|seed| seed.parse().expect("a number"))
}

/// Checks the given seed alone, or random seeds for a time.
fn for_random_seeds(time: Duration, check: impl Fn(u64)) {
    let given = given_seed();
    let first = given.unwrap_or_else(|| fastrand::u64(..) >> 16);
    let until = Instant::now() + time;
    for seed in first.. {
        check(seed);
        if given.is_some() || Instant::now() > until {
            break;
        }
    }
}

fn check(seed: u64) {
    let mut driver = ClientDriver;
    let plan = driver.draw(seed);
    let played = catch_unwind(AssertUnwindSafe(|| driver.play(&plan)));
    let played = played.unwrap_or_else(|_| panic!("SEED={seed} panics outside of the client"));
    let played = played.expect("a run");
    if let Some(&invariant) = played.invariants().first() {
        let shrunk = shrink(&mut driver, &plan, invariant, SHRINKING).expect("a run");
        panic!("{invariant}\n{}", format::<ClientDriver>(&shrunk.unwrap_or(played)));
    }
}
