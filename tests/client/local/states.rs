//! States and transitions: one test for each row of the table, named after it.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{ErrorKind, JobStatus, Policy};
use serde_json::{Value, json};

use crate::local::support::{client, service, until};

#[tokio::test]
async fn none_to_in_queue_when_accepted() {
    let local = service().start().await.unwrap();
    let endpoint = client(&local).endpoint("stalled");
    let job = endpoint.run(&json!({})).await.unwrap();
    assert!(!job.id().is_empty());
    assert_eq!(job.status().await.unwrap().status(), JobStatus::InQueue);
    let record = endpoint.run_sync(&json!({})).wait(Duration::from_secs(1)).await.unwrap();
    assert_eq!(record.status(), JobStatus::InQueue);
    assert!(record.id().starts_with("sync-"), "{}", record.id());
}

#[tokio::test]
async fn in_queue_to_in_progress_when_a_worker_is_available() {
    let local = service().start().await.unwrap();
    let job = client(&local).endpoint("gate").run(&json!({})).await.unwrap();
    until(&job, JobStatus::InProgress).await;
}

#[tokio::test]
async fn in_progress_to_completed_with_output() {
    let local = service().start().await.unwrap();
    let job = client(&local).endpoint("echo").run(&json!({"a": [1, null]})).await.unwrap();
    let record = job.wait().await.unwrap();
    assert_eq!(record.status(), JobStatus::Completed);
    assert_eq!(record.output::<Value>().unwrap(), json!({"a": [1, null]}));
    assert!(record.delay_time().is_some() && record.execution_time().is_some());
}

#[tokio::test]
async fn in_progress_to_failed_when_the_handler_fails() {
    let local = service().start().await.unwrap();
    let job = client(&local).endpoint("fail").run(&json!({"message": "no"})).await.unwrap();
    let error = job.wait().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobFailed);
    assert_eq!(error.record().unwrap().failure().unwrap().message, "no");
}

#[tokio::test]
async fn in_queue_to_cancelled_before_it_starts() {
    let local = service().start().await.unwrap();
    let job = client(&local).endpoint("stalled").run(&json!({})).await.unwrap();
    assert_eq!(job.cancel().await.unwrap().status(), JobStatus::Cancelled);
    let error = job.wait().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobCancelled);
}

#[tokio::test]
async fn in_progress_to_cancelled_and_execution_stops() {
    let local = service().start().await.unwrap();
    let client = client(&local);
    let job = client.endpoint("gate").run(&json!({})).await.unwrap();
    until(&job, JobStatus::InProgress).await;
    assert_eq!(job.cancel().await.unwrap().status(), JobStatus::Cancelled);
    assert_eq!(job.cancel().await.unwrap().status(), JobStatus::Cancelled, "again");
    assert_eq!(job.wait().await.unwrap_err().kind(), ErrorKind::JobCancelled);
    let health = client.endpoint("gate").health().await.unwrap();
    assert_eq!((health.jobs.in_progress, health.workers.running), (0, 0));
}

#[tokio::test]
async fn failed_to_in_queue_by_retry_with_the_same_id_and_input() {
    let local = service().start().await.unwrap();
    let job = client(&local).endpoint("second-time").run(&json!({"a": 1})).await.unwrap();
    assert_eq!(job.wait().await.unwrap_err().kind(), ErrorKind::JobFailed);
    let record = job.retry().await.unwrap();
    assert_eq!((record.id(), record.status()), (job.id(), JobStatus::InQueue));
    let record = job.wait().await.unwrap();
    assert_eq!(record.output::<Value>().unwrap(), json!({"attempt": 2, "input": {"a": 1}}));
}

#[tokio::test]
async fn timed_out_to_in_queue_by_retry() {
    let local = service().manual_clock().start().await.unwrap();
    let policy = Policy::new().execution_timeout(Duration::from_secs(5));
    let job = client(&local).endpoint("half-done").run(&json!({})).policy(policy).await.unwrap();
    until(&job, JobStatus::InProgress).await;
    local.clock().advance(Duration::from_secs(5));
    let error = job.wait().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobTimedOut);
    let record = job.retry().await.unwrap();
    assert_eq!(record.status(), JobStatus::InQueue);
    assert_eq!(record.output_json(), None, "earlier output is removed");
    until(&job, JobStatus::InProgress).await;
}

#[tokio::test]
async fn any_to_deleted_when_the_ttl_elapses() {
    let local = service().manual_clock().start().await.unwrap();
    let client = client(&local);
    let minute = Policy::new().ttl(Duration::from_secs(60));
    let queued = client.endpoint("stalled").run(&json!({})).policy(minute.clone()).await.unwrap();
    let running = client.endpoint("gate").run(&json!({})).policy(minute.clone()).await.unwrap();
    let done = client.endpoint("echo").run(&json!({})).policy(minute).await.unwrap();
    until(&running, JobStatus::InProgress).await;
    done.wait().await.unwrap();
    local.clock().advance(Duration::from_secs(61));
    for job in [queued, running, done] {
        let error = job.wait().await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::JobExpired, Some(404)));
    }
}

#[tokio::test]
async fn in_queue_to_removed_by_purge_and_only_there() {
    let local = service().workers(1, 1).start().await.unwrap();
    let endpoint = client(&local).endpoint("gate");
    let running = endpoint.run(&json!({})).await.unwrap();
    until(&running, JobStatus::InProgress).await;
    let queued = [endpoint.run(&json!({})).await.unwrap(), endpoint.run(&json!({})).await.unwrap()];
    let health = endpoint.health().await.unwrap();
    assert_eq!((health.jobs.in_progress, health.jobs.in_queue), (1, 2));
    let purged = endpoint.purge_queue().await.unwrap();
    assert_eq!((purged.removed, purged.status.as_str()), (2, "completed"));
    for job in queued {
        assert_eq!(job.status().await.unwrap_err().kind(), ErrorKind::JobExpired);
    }
    assert_eq!(running.status().await.unwrap().status(), JobStatus::InProgress);
}

#[tokio::test]
async fn other_transitions_are_refused() {
    let local = service().start().await.unwrap();
    let client = client(&local);
    let done = client.endpoint("echo").run(&json!({})).await.unwrap();
    done.wait().await.unwrap();
    let queued = client.endpoint("stalled").run(&json!({})).await.unwrap();
    for error in [
        done.cancel().await.unwrap_err(),
        done.retry().await.unwrap_err(),
        queued.retry().await.unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.status()), (ErrorKind::BadRequest, Some(400)), "{error}");
        assert!(error.to_string().contains("the service says"), "{error}");
    }
}

#[tokio::test]
async fn progress_is_seen_and_a_cancelled_stream_ends() {
    let local = service().start().await.unwrap();
    let job = client(&local).endpoint("half-done").run(&json!({})).await.unwrap();
    until(&job, JobStatus::InProgress).await;
    let mut chunks = job.stream::<String>();
    assert_eq!(chunks.next().await.unwrap().unwrap().output, "half");
    let record = job.status().await.unwrap();
    assert_eq!(record.progress::<Value>().unwrap(), Some(json!({"percent": 50})));
    job.cancel().await.unwrap();
    assert_eq!(chunks.next().await.unwrap().unwrap_err().kind(), ErrorKind::JobCancelled);
    assert!(chunks.next().await.is_none());
}
