//! Large inputs and outputs, few of which fit into memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use podqueue_batch::{Batch, ErrorKind, Inputs, JobId, Submission, Submit};
use podqueue_local::{Builder, HandlerError, LocalService};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::faulty_services::left_completed;
use crate::support::{Folder, KEY, counts, endpoint, service, until};

/// Largest number of bytes in flight besides the last input.
const MAX_HELD_BYTES: usize = 64 << 20;
const INPUT_BYTES: usize = 9 << 20;

/// Holds large inputs until they are released, and counts the bytes of those that are held.
#[derive(Clone)]
struct Weighed {
    held: Arc<AtomicUsize>,
    released: Arc<Semaphore>,
}

impl Submit for Weighed {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        Box::pin(async move {
            let bytes = submission.input.get().len();
            if bytes >= INPUT_BYTES {
                self.held.fetch_add(bytes, SeqCst);
                let _ = self.released.acquire().await.unwrap();
                self.held.fetch_sub(bytes, SeqCst);
            }
            let job = submission.endpoint.run(&json!({ "n": 1 })).await?;
            Ok(job.id().to_owned())
        })
    }
}

#[tokio::test]
async fn so_few_large_inputs_are_in_flight_that_they_fit_into_memory() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    // Many may be in flight once the small ones are accepted.
    let small = (0..24).map(|n| json!({ "n": n }));
    let large = (0..16).map(|_| json!({ "text": "x".repeat(INPUT_BYTES) }));
    folder.write_inputs(small.chain(large));
    let batch = folder.open().await.unwrap();
    let weighed = Weighed { held: Arc::default(), released: Arc::new(Semaphore::new(0)) };
    let run = batch.run(endpoint(&local, "double")).submit_with(weighed.clone());
    let run = tokio::spawn(run.into_future());
    until(async || weighed.held.load(SeqCst) >= MAX_HELD_BYTES).await;
    // By now, all inputs that were claimed together are held.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let held = weighed.held.load(SeqCst);
    assert!(held < MAX_HELD_BYTES + INPUT_BYTES + 100, "{held} bytes");
    weighed.released.add_permits(1);
    assert!(run.await.unwrap().unwrap().is_complete());
}

/// Outputs have so many bytes.
fn large(bytes: usize) -> Builder {
    let handler = move |_| async move { Ok::<_, HandlerError>(json!("x".repeat(bytes))) };
    LocalService::builder().api_key(KEY).endpoint("double", handler)
}

/// Twelve lines with one input.
fn equal(folder: &Folder) -> Inputs {
    folder.write_inputs((10..22).map(|id| json!({ "id": id, "input": { "n": 1 } })));
    folder.inputs().input_field("input").key_field("id").dedupe()
}

#[tokio::test]
async fn an_output_of_many_inputs_is_in_all_of_their_lines_or_in_none() {
    let local = large(1_000_000).start().await.unwrap();
    let folder = Folder::new();
    let batch = folder.open().inputs(equal(&folder)).await.unwrap();
    left_completed(&local, &batch, 1).await;
    drop(batch);
    let before = std::fs::read_to_string(folder.path("inputs.jsonl")).unwrap();
    folder.write("inputs.jsonl", &before.replace("21", "22"));
    let open = Batch::open(folder.journal()).results(folder.path("results.jsonl"));
    let batch = open.await.unwrap();
    let error = batch.run(endpoint(&local, "double")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged, "{error}");
    assert_eq!(counts(&batch.status().await.unwrap()), "11 pending, 1 submitted");
    assert_eq!(folder.results().len(), 0, "the first ones fill a part of the file");
    folder.write("inputs.jsonl", &before);
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    let keys: Vec<_> = folder.results().values().map(|line| line["key"].clone()).collect();
    assert_eq!(keys, (10..22).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_large_output_of_many_inputs_is_one_file() {
    let local = large(1_000).start().await.unwrap();
    let folder = Folder::new();
    let open = folder.open().inputs(equal(&folder)).max_inline_output(100);
    let batch = open.await.unwrap();
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    let results = folder.results();
    assert_eq!(results.len(), 12);
    assert!(results.values().all(|line| line["output_file"] == "results.jsonl.outputs/0.json"));
    assert_eq!(std::fs::read_dir(folder.path("results.jsonl.outputs")).unwrap().count(), 1);
}
