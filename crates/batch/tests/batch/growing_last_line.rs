//! Last line without a line break, which grows while it is in flight.

use std::sync::Arc;

use futures_util::StreamExt;
use podqueue_batch::store::{OpenStore, Store};
use podqueue_batch::{Batch, ErrorKind, JobId, PostRun, Run, State, Submission, Submit};
use podqueue_local::{Fault, LocalService, Operation};
use tokio::sync::Semaphore;

use crate::support::{Folder, counts, endpoint, service};

/// Submits inputs, the second of which is held until it is released.
#[derive(Clone)]
struct Held(Arc<Semaphore>);

impl Submit for Held {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        Box::pin(async move {
            if submission.index == 1 {
                let _ = self.0.acquire().await.unwrap();
            }
            PostRun.submit(submission).await
        })
    }
}

/// A run whose last line had no line break when it was submitted, and grows to this text while it
/// is in flight. It is still held.
async fn grown_in_flight(
    folder: &Folder,
    batch: &Batch,
    text: &str,
    local: &LocalService,
) -> (Run, Held) {
    let held = Held(Arc::new(Semaphore::new(0)));
    let mut run = batch.run(endpoint(local, "double")).submit_with(held.clone());
    // The first one has ended, and the run has checked for more inputs than once.
    let mut polls = 0;
    while let Some(progress) = run.next().await {
        if progress.counts.of(State::Completed) > 0 {
            if polls == 0 {
                folder.write("inputs.jsonl", text);
            }
            polls += 1;
        }
        if polls == 4 {
            assert_eq!(progress.counts.total(), 2, "it is left alone while it is in flight");
            break;
        }
    }
    (run, held)
}

async fn with_two() -> (Folder, Batch) {
    let folder = Folder::new();
    folder.write("inputs.jsonl", "{\"n\": 0}\n{\"n\": 1}");
    let batch = folder.open().await.unwrap();
    (folder, batch)
}

#[tokio::test]
async fn a_last_line_that_grows_in_flight_is_the_one_that_was_submitted() {
    let local = service().start().await.unwrap();
    let (folder, batch) = with_two().await;
    let text = "{\"n\": 0}\n{\"n\": 1}, {\n{\"n\": 2}\n";
    let (run, held) = grown_in_flight(&folder, &batch, text, &local).await;
    held.0.add_permits(1);
    let error = run.await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged, "{error}");
    assert!(error.to_string().contains("line 2 of"), "{error}");
    assert_eq!(counts(&batch.status().await.unwrap()), "2 completed");
    drop(batch);
    assert_eq!(folder.open().await.unwrap_err().kind(), ErrorKind::InputsChanged);
}

#[tokio::test]
async fn inputs_appended_while_the_last_line_is_in_flight_are_submitted_by_the_same_run() {
    let local = service().start().await.unwrap();
    let text = "{\"n\": 0}\n{\"n\": 1}\n{\"n\": 2}\n{\"n\": \"two\"}\n";
    for is_refused in [true, false] {
        let (folder, batch) = with_two().await;
        let (run, held) = grown_in_flight(&folder, &batch, text, &local).await;
        if is_refused {
            // There is no job to wait for.
            local.add_fault(Fault::response(400, "{}").on(Operation::Run).times(1));
        }
        held.0.add_permits(1);
        let report = run.await.unwrap();
        assert_eq!((report.counts.total(), report.stopped), (4, None));
        assert_eq!(report.counts.of(State::Refused), u64::from(is_refused));
        let inputs = folder.journal().inspect().unwrap().inputs(&State::ALL, 0, 9).unwrap();
        assert_eq!(inputs.iter().map(|input| input.line).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }
}
