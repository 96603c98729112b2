//! Retries of inputs that failed, as new jobs or as the same.

use podqueue_batch::{ErrorKind, State};
use podqueue_local::{Builder, Fault, LocalJob, Operation};
use serde_json::json;

use crate::faulty_services::requests;
use crate::journal;
use crate::support::{Folder, counts, endpoint, service, until};

/// A service with an endpoint whose jobs fail until they are retried.
fn moody() -> Builder {
    service().endpoint("moody", |job: LocalJob| async move {
        match job.attempt() {
            1 => Err("not yet".into()),
            attempt => Ok(json!(attempt)),
        }
    })
}

#[tokio::test]
async fn failures_are_retried_as_new_jobs_or_as_the_same() {
    let local = service()
        .endpoint("moody", |job: LocalJob| async move {
            match job.attempt() {
                1 if job.input["n"] == 0 => Err("not yet".into()),
                attempt => Ok(json!(attempt)),
            }
        })
        .start()
        .await
        .unwrap();
    let moody = endpoint(&local, "moody");
    let folder = Folder::with(2);
    let batch = folder.open().await.unwrap();
    batch.run(moody.clone()).await.unwrap();
    assert_eq!(batch.retry(&[State::Failed]).await.unwrap(), 1);
    batch.run(moody.clone()).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "1 completed, 1 failed", "a new job");
    assert_eq!(batch.retry_jobs(&moody).await.unwrap().retried, 1);
    assert!(batch.run(moody).await.unwrap().is_complete());
    assert_eq!(folder.results()[&0]["output"], 2);
    assert!(folder.failures().is_empty());
    let error = batch.retry(&[State::Completed]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings);
}

#[tokio::test]
async fn the_output_of_a_retried_job_is_not_lost_when_the_process_ends() {
    let local = moody().start().await.unwrap();
    let moody = endpoint(&local, "moody");
    let folder = Folder::with(5);
    let batch = folder.open().await.unwrap();
    batch.run(moody.clone()).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "5 failed");
    local.add_fault(Fault::stall().on(Operation::Retry));
    let (retried, there) = (batch.clone(), moody.clone());
    let retrying = tokio::spawn(async move { retried.retry_jobs(&there).await });
    until(async || moody.health().await.unwrap().jobs.completed == 5).await;
    retrying.abort();
    let _ = retrying.await;
    drop(batch);
    local.clear_faults();
    until(async || !journal::is_open(&folder.journal())).await;
    let batch = folder.open().await.unwrap();
    assert!(batch.run(moody).await.unwrap().is_complete());
    assert_eq!(requests(&local, "/run"), 5, "nothing was submitted again");
}

#[tokio::test]
async fn a_retry_that_fails_loses_none_of_the_others() {
    let local = moody().start().await.unwrap();
    let moody = endpoint(&local, "moody");
    let folder = Folder::with(100);
    let batch = folder.open().await.unwrap();
    batch.run(moody.clone()).await.unwrap();
    local.add_fault(Fault::response(401, "{}").on(Operation::Retry).times(1));
    let error = batch.retry_jobs(&moody).await.unwrap_err();
    assert_eq!(error.service().unwrap().status(), Some(401), "{error}");
    let retried = requests(&local, "/retry/") - 1;
    let now = batch.status().await.unwrap().counts;
    assert_eq!(now.of(State::Submitted), retried as u64);
    assert_eq!(now.of(State::Failed), 100 - retried as u64);
    assert!(retried < 99, "no more are begun");
    assert_eq!(folder.failures().len(), 100 - retried);
    batch.run(moody.clone()).await.unwrap();
    assert_eq!(batch.status().await.unwrap().counts.of(State::Completed), retried as u64);
    assert_eq!(batch.retry_jobs(&moody).await.unwrap().retried, 100 - retried as u64);
    assert!(batch.run(moody).await.unwrap().is_complete());
}

/// The service may have queued the job again before it failed, or not: its status shows the first,
/// and leaves the second unknown, so that the next run collects the job in both cases.
#[tokio::test]
async fn a_retry_at_which_the_service_fails_is_collected_by_the_next_run() {
    for was_processed in [true, false] {
        let local = moody().start().await.unwrap();
        let moody = endpoint(&local, "moody");
        let folder = Folder::with(1);
        let batch = folder.open().await.unwrap();
        batch.run(moody.clone()).await.unwrap();
        let fault = Fault::response(500, "{}").on(Operation::Retry).times(1);
        local.add_fault(if was_processed { fault.processed() } else { fault });
        match batch.retry_jobs(&moody).await {
            Ok(done) => assert!(was_processed && done.retried == 1, "{done:?}"),
            Err(error) => {
                let kind = error.service().unwrap().kind();
                assert!(!was_processed, "{error}");
                assert_eq!(kind, podqueue::ErrorKind::OutcomeUnknown, "{error}");
            }
        }
        assert_eq!(counts(&batch.status().await.unwrap()), "1 submitted");
        assert_eq!(requests(&local, "/retry/"), 1, "it is not sent again");
        batch.run(moody.clone()).await.unwrap();
        if !was_processed {
            assert_eq!(counts(&batch.status().await.unwrap()), "1 failed");
            assert_eq!(batch.retry_jobs(&moody).await.unwrap().retried, 1);
            batch.run(moody).await.unwrap();
        }
        assert_eq!(counts(&batch.status().await.unwrap()), "1 completed");
        assert_eq!(folder.results()[&0]["output"], 2);
    }
}

#[tokio::test]
async fn copies_get_the_result_of_a_job_that_is_retried() {
    let local = moody().start().await.unwrap();
    let moody = endpoint(&local, "moody");
    let folder = Folder::new();
    folder.write_inputs((0..6).map(|n| json!({ "n": n % 2 })));
    let batch = folder.open().inputs(folder.inputs().dedupe()).await.unwrap();
    batch.run(moody.clone()).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "6 failed");
    // One is gone: it and its copies are what they were.
    local.add_fault(Fault::response(404, "{}").on(Operation::Retry).times(1));
    let done = batch.retry_jobs(&moody).await.unwrap();
    assert_eq!((done.retried, done.not_retriable), (1, 1));
    assert_eq!(folder.failures().len(), 3);
    batch.run(moody.clone()).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "3 completed, 3 failed");
    assert!(folder.failures().values().all(|line| line["error"] == "not yet"));
}
