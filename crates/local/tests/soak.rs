//! The memory stays flat while jobs come and go: the example `soak`, with fewer jobs.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../examples/soak/soak.rs"]
mod soak;
#[path = "../examples/soak/wire.rs"]
mod wire;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_thousand_jobs_leave_nothing_behind() {
    let soak = soak::Soak { jobs: 20_000, kept: 1000, may_grow: 8 * 1024 * 1024 };
    let mut printed = Vec::new();
    let result = soak.run(&mut printed).await;
    assert!(result.is_ok(), "{result:?}\n{}", String::from_utf8(printed).unwrap());
}
