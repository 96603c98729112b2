//! Batches whose inputs file is gone, or has changed.

use std::fs;
use std::time::Duration;

use podqueue_batch::{Batch, ErrorKind, Reader, State};
use podqueue_local::{Fault, LocalJob, LocalService, Operation, Workers};
use serde_json::json;

use crate::support::{Folder, counts, endpoint, service, until};

/// Fails once, and completes when it is retried.
async fn moody() -> LocalService {
    let moody = |job: LocalJob| async move {
        match job.attempt() {
            1 if job.input["n"].as_u64() < Some(2) => Err("not yet".into()),
            attempt => Ok(json!(attempt)),
        }
    };
    service().endpoint("moody", moody).start().await.unwrap()
}

async fn open(folder: &Folder) -> Batch {
    Batch::open(folder.journal()).results(folder.path("results.jsonl")).await.unwrap()
}

/// Changes of the inputs file.
const LOSSES: [fn(&Folder); 2] = [
    |folder| fs::remove_file(folder.path("inputs.jsonl")).unwrap(),
    |folder| folder.write("inputs.jsonl", "{\"other\": 1}\n"),
];

#[tokio::test]
async fn a_batch_is_cancelled_without_its_inputs() {
    for lose in LOSSES {
        let local = service().workers_of("double", Workers::between(0, 0)).start().await.unwrap();
        let double = endpoint(&local, "double");
        let folder = Folder::with(5);
        let batch = folder.open().await.unwrap();
        let run = batch.run(double.clone()).take(2);
        let stopper = run.stopper();
        let run = tokio::spawn(run);
        until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 2).await;
        stopper.exit();
        run.await.unwrap().unwrap();
        drop(batch);
        lose(&folder);
        let batch = open(&folder).await;
        assert_eq!(batch.cancel(&double).await.unwrap(), 5);
        assert_eq!(counts(&batch.status().await.unwrap()), "5 cancelled");
        assert_eq!(double.health().await.unwrap().jobs.in_queue, 0);
        let failures = folder.failures();
        assert_eq!(failures.len(), 5);
        assert!(failures.values().all(|line| line["input"].is_null()), "{failures:?}");
        // Once the inputs are back, they are there, too.
        drop(batch);
        folder.write_inputs((0..5).map(|n| json!({ "n": n })));
        open(&folder).await;
        assert_eq!(folder.failures()[&4]["input"], json!({ "n": 4 }));
    }
}

#[tokio::test]
async fn the_same_jobs_are_retried_without_the_inputs_and_new_ones_are_not() {
    for lose in LOSSES {
        let local = moody().await;
        let moody = endpoint(&local, "moody");
        let folder = Folder::with(4);
        let batch = folder.open().inputs(folder.inputs().key_field("n")).await.unwrap();
        batch.run(moody.clone()).take(3).await.unwrap();
        assert_eq!(counts(&batch.status().await.unwrap()), "1 pending, 1 completed, 2 failed");
        drop(batch);
        let before = folder.failures();
        lose(&folder);
        let batch = open(&folder).await;
        assert_eq!(folder.failures(), before, "nothing is lost of what was said of them");
        let error = batch.retry(&[State::Failed]).await.unwrap_err();
        let kind = error.kind();
        assert!(matches!(kind, ErrorKind::Inputs | ErrorKind::InputsChanged), "{error}");
        assert!(error.to_string().contains("so restore them first"), "{error}");
        assert!(error.to_string().contains("inputs.jsonl"), "{error}");
        assert_eq!(counts(&batch.status().await.unwrap()), "1 pending, 1 completed, 2 failed");
        assert_eq!(batch.retry(&[State::Lost]).await.unwrap(), 0, "there are none");
        assert_eq!(batch.retry_jobs(&moody).await.unwrap().retried, 2);
        assert!(folder.failures().is_empty());
        // Nothing is submitted, and the keys of results are needed.
        let error = batch.run(moody).await.unwrap_err();
        assert!(error.to_string().contains("inputs.jsonl"), "{error}");
        assert_eq!(local.requests().iter().filter(|it| it.path.ends_with("/run")).count(), 3);
    }
}

#[tokio::test]
async fn outstanding_jobs_are_collected_without_the_inputs() {
    let local = service()
        .workers_of("double", Workers::between(0, 1).cold_start(Duration::from_secs(1)))
        .start()
        .await
        .unwrap();
    let folder = Folder::with(3);
    let batch = folder.open().await.unwrap();
    let run = batch.run(endpoint(&local, "double")).window(2);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 2).await;
    stopper.exit();
    run.await.unwrap().unwrap();
    drop(batch);
    fs::remove_file(folder.path("inputs.jsonl")).unwrap();
    let batch = open(&folder).await;
    let error = batch.run(endpoint(&local, "double")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Inputs, "{error}");
    assert_eq!(counts(&batch.status().await.unwrap()), "1 pending, 2 completed");
}

#[tokio::test]
async fn unknown_inputs_are_listed_without_their_keys() {
    let local = service().start().await.unwrap();
    local.add_fault(Fault::reset().on(Operation::Run));
    let folder = Folder::with(1);
    let batch = folder.open().inputs(folder.inputs().key_field("n")).await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    drop(batch);
    let key = || {
        let mut unknown = Reader::open(&folder.journal()).unwrap().unknown().unwrap();
        unknown.remove(0).key.map(|key| key.get().to_owned())
    };
    assert_eq!(key().as_deref(), Some("0"));
    fs::remove_file(folder.path("inputs.jsonl")).unwrap();
    assert_eq!(key(), None);
}
