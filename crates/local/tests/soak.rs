//! Soak test: memory stays flat while jobs are created and expire. The example `soak` runs more
//! jobs.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use peak_alloc::PeakAlloc;

#[path = "../examples/soak/soak.rs"]
mod soak;
#[path = "../examples/soak/wire.rs"]
mod wire;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[tokio::test]
async fn twenty_thousand_jobs_leave_nothing_behind() {
    let live = || MEMORY.current_usage();
    let soak = soak::Soak { warm_up: 6_000, jobs: 20_000, kept: 1000, live, may_grow: 16 * 1024 };
    let mut printed = Vec::new();
    let result = soak.run(&mut printed).await;
    assert!(result.is_ok(), "{result:?}\n{}", String::from_utf8(printed).unwrap());
}
