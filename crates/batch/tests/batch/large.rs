//! Inputs that are so large that few of them fit into memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use podqueue_batch::{JobId, Submission, Submit};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::support::{Folder, endpoint, service, until};

/// How many bytes of inputs are in flight besides the last one.
const MOST: usize = 64 << 20;
const LARGE: usize = 9 << 20;

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
            if bytes >= LARGE {
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
    let large = (0..16).map(|_| json!({ "text": "x".repeat(LARGE) }));
    folder.write_inputs(small.chain(large));
    let batch = folder.open().await.unwrap();
    let weighed = Weighed { held: Arc::default(), released: Arc::new(Semaphore::new(0)) };
    let run = batch.run(endpoint(&local, "double")).submit_with(weighed.clone());
    let run = tokio::spawn(run.into_future());
    until(async || weighed.held.load(SeqCst) >= MOST).await;
    // What was claimed together is held by now.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let held = weighed.held.load(SeqCst);
    assert!(held < MOST + LARGE + 100, "{held} bytes");
    weighed.released.add_permits(1);
    assert!(run.await.unwrap().unwrap().is_complete());
}
