//! Tests of the memory use of a batch, and of the Batch API.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use podqueue_local::{HandlerError, LocalService, Workers};
use podqueue_runtime::Part;
use serde_json::json;

use crate::batch_serve::first_line;
use crate::serving::{api, fixture};
use crate::support::{Fixture, ended};

const MIB: u64 = 1 << 20;

/// A value of the memory use of a process, in bytes; 0 if it has ended.
fn memory(id: u32, name: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}

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
    let id = child.id().unwrap();
    let peak = AtomicU64::new(0);
    let watching = async {
        loop {
            peak.fetch_max(memory(id, "VmHWM:"), SeqCst);
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

/// Its own memory: what the system maps of the program depends on other processes.
#[tokio::test]
async fn an_upload_to_the_batch_api_needs_little_memory() {
    let (fixture, _) = fixture().await;
    let arguments = ["batch", "serve", "poet", "--dir", "b", "--listen", "127.0.0.1:0"];
    let mut server = fixture.program(&arguments).spawn().unwrap();
    let url = first_line(&mut server).await;
    let api = api(url.strip_prefix("http://").unwrap().strip_suffix("/v1").unwrap());
    let id = server.id().unwrap();
    let upload = async |length: u64| {
        let content = vec![b'x'; usize::try_from(length).unwrap()];
        api.create_file(Part::file("r.jsonl", content), "batch").await.unwrap();
    };
    upload(MIB).await;
    let (before, peak) = (memory(id, "RssAnon:"), AtomicU64::new(0));
    let watching = async {
        loop {
            peak.fetch_max(memory(id, "RssAnon:"), SeqCst);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::select! {
        () = upload(64 * MIB) => {}
        () = watching => unreachable!(),
    }
    let peak = peak.into_inner();
    assert!(before > 0 && peak < before + 8 * MIB, "{peak} bytes, and {before} before");
}
