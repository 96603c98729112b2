//! Soak test: memory stays flat while jobs are created and expire. It counts the allocated memory
//! after each tenth of the jobs, and fails if it exceeds that after the first jobs.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod soak;
mod wire;

use std::io;

use peak_alloc::PeakAlloc;

use self::soak::Soak;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn soak(warm_up: u64, jobs: u64, kept: u64) -> Soak {
    Soak { warm_up, jobs, kept, live: || MEMORY.current_usage(), may_grow: 16 * 1024 }
}

#[tokio::test]
async fn twenty_thousand_jobs_leave_nothing_behind() {
    let mut printed = Vec::new();
    let result = soak(6_000, 20_000, 1_000).run(&mut printed).await;
    assert!(result.is_ok(), "{result:?}\n{}", String::from_utf8(printed).unwrap());
}

/// `cargo test --release -p podqueue-local --test soak -- --ignored`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn a_million_jobs_leave_nothing_behind() {
    soak(20_000, 1_000_000, 20_000).run(&mut io::stdout()).await.unwrap();
}
