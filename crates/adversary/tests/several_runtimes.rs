//! One client on several runtimes, of which only one is driven at a time.

use std::time::{Duration, Instant};

use podqueue_adversary::invariants::{Violation, broken};
use podqueue_adversary::runtimes::{plan, run};

#[test]
fn nothing_breaks_on_several_runtimes() {
    let given = std::env::var("SEED").ok().map(|seed| seed.parse().expect("a number"));
    let first = given.unwrap_or_else(|| fastrand::u64(..) >> 16);
    let until = Instant::now() + Duration::from_secs(3);
    for seed in first.. {
        let (plan, turns) = plan(seed);
        let run = run(&plan, &turns);
        let broken: Vec<Violation> = broken(&run);
        assert!(
            broken.is_empty(),
            "SEED={seed}\n{broken:#?}\nHTTP/2: {}\n{turns:#?}\n{}",
            plan.settings.http2,
            run.transcript.lines()
        );
        if given.is_some() || Instant::now() > until {
            break;
        }
    }
}
