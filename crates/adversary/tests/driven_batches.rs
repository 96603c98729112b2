//! Plans of the random driver for batches; `scripts/batches.sh` plays them.

#![cfg(unix)]

use podqueue_adversary::batches::{Plan, plan};

fn printed(plan: &Plan) -> String {
    serde_json::to_string(plan).expect("a plan is JSON")
}

#[test]
fn a_seed_draws_the_same_plan_and_a_printed_plan_is_read_again() {
    let plans: Vec<_> = (0..200).map(|seed| printed(&plan(seed, true))).collect();
    for (seed, text) in (0..).zip(&plans) {
        assert_eq!(*text, printed(&plan(seed, true)), "SEED={seed}");
        let read: Plan = serde_json::from_str(text).expect("the plan that was printed");
        assert_eq!(*text, printed(&read));
    }
    // Both stores are drawn, and a database only where there is one.
    assert!(plans.iter().any(|plan| plan.contains("Postgres")));
    assert!(plans.iter().any(|plan| plan.contains("Sqlite")));
    assert!(!(0..200).any(|seed| printed(&plan(seed, false)).contains("Postgres")));
}
