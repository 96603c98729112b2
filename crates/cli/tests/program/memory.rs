//! Test of the memory use of a batch.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use podqueue_local::{HandlerError, LocalService, Workers};
use serde_json::json;

use crate::support::{Fixture, ended};

const MIB: u64 = 1 << 20;

/// The peak memory of a batch of this many outputs of this size, in bytes.
async fn peak(outputs: usize, size: u64) -> u64 {
    let handler = move |_| async move {
        Ok::<_, HandlerError>(json!("x".repeat(usize::try_from(size).unwrap())))
    };
    let builder = LocalService::builder().endpoint("large", handler);
    let fixture = Fixture::with(builder.workers_of("large", Workers::between(8, 8))).await;
    fixture.write_inputs(outputs);
    let run = ["batch", "run", "in.jsonl", "-e", "large", "-o", "out.jsonl", "--no-rate-limits"];
    let child = fixture.program(&run).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id().unwrap());
    let peak = AtomicU64::new(0);
    let watching = async {
        loop {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
            peak.fetch_max(kib.unwrap_or_default() * 1024, SeqCst);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let ran = tokio::select! {
        ran = ended(child) => ran,
        () = watching => unreachable!(),
    };
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(fixture.lines("out.jsonl").len(), outputs);
    peak.into_inner()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_of_large_outputs_needs_little_memory() {
    let small = peak(24, 10).await;
    // Both exceed the bound if all outputs are in memory at once.
    for (outputs, size) in [(24, 3 * MIB), (4, 20 * MIB)] {
        let large = peak(outputs, size).await;
        assert!(large < small + 64 * MIB, "{size}: {large} bytes, and {small} with small outputs");
    }
}
