//! Retention, ttl and waiting, on a controlled clock.

use std::time::Duration;

use podqueue::{ErrorKind, JobStatus, Policy, RemoteCancel};
use serde_json::{Value, json};

use crate::local::support::{client, service, until};

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_result_of_run_is_kept_for_30_minutes() {
    let local = service().manual_clock().start().await.unwrap();
    let job = client(&local).endpoint("echo").run(&json!({})).await.unwrap();
    job.wait().await.unwrap();
    local.clock().advance(30 * MINUTE - Duration::from_secs(1));
    job.status().await.unwrap();
    local.clock().advance(Duration::from_secs(2));
    assert_eq!(job.status().await.unwrap_err().kind(), ErrorKind::JobExpired);
    assert_eq!(job.retry().await.unwrap_err().kind(), ErrorKind::JobExpired);
}

#[tokio::test]
async fn a_result_of_run_sync_is_kept_for_1_to_5_minutes() {
    let local = service().manual_clock().start().await.unwrap();
    let endpoint = client(&local).endpoint("echo");
    for (wait, kept) in [(1, MINUTE), (120, 2 * MINUTE), (300, 5 * MINUTE)] {
        let submission = endpoint.run_sync(&json!({})).wait(Duration::from_secs(wait));
        let record = submission.await.unwrap();
        local.clock().advance(kept - Duration::from_secs(1));
        record.job().status().await.unwrap();
        local.clock().advance(Duration::from_secs(2));
        let error = record.job().status().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::JobExpired, "wait {wait}");
    }
}

#[tokio::test]
async fn status_can_set_the_ttl() {
    let local = service().manual_clock().start().await.unwrap();
    let job = client(&local).endpoint("stalled").run(&json!({})).await.unwrap();
    local.clock().advance(MINUTE);
    job.status().ttl(2 * MINUTE).await.unwrap();
    local.clock().advance(MINUTE - Duration::from_secs(1));
    job.status().await.unwrap();
    local.clock().advance(Duration::from_secs(2));
    assert_eq!(job.status().await.unwrap_err().kind(), ErrorKind::JobExpired);
}

#[tokio::test]
async fn seven_days_of_ttl_two_days_queued_leave_five() {
    let day = 24 * 60 * MINUTE;
    let local = service().manual_clock().start().await.unwrap();
    let policy = Policy::new().ttl(7 * day).execution_timeout(7 * day);
    let job = client(&local).endpoint("stalled").run(&json!({})).policy(policy).await.unwrap();
    local.clock().advance(7 * day - Duration::from_secs(1));
    assert_eq!(job.status().await.unwrap().status(), JobStatus::InQueue);
    local.clock().advance(Duration::from_secs(2));
    assert_eq!(job.status().await.unwrap_err().kind(), ErrorKind::JobExpired);
}

#[tokio::test]
async fn a_sync_wait_that_runs_out_leaves_a_job_to_go_on_with() {
    let local = service().start().await.unwrap();
    let endpoint = client(&local).endpoint("sleep");
    let submission = endpoint.run_sync(&json!({"ms": 120_000})).wait(Duration::from_secs(1));
    let record = submission.await.unwrap();
    assert_eq!(record.status(), JobStatus::InProgress);
    local.clock().advance(Duration::from_secs(120));
    let record = record.job().wait().await.unwrap();
    assert_eq!(record.output::<Value>().unwrap(), json!({"slept": 120_000}));
}

#[tokio::test]
async fn a_wait_that_runs_out_cancels_at_the_service_where_it_is_asked_to() {
    let local = service().start().await.unwrap();
    let job = client(&local).endpoint("gate").run(&json!({})).await.unwrap();
    until(&job, JobStatus::InProgress).await;
    let moment = Duration::from_millis(50);
    let error = job.wait().timeout(moment).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WaitTimedOut);
    assert_eq!(job.status().await.unwrap().status(), JobStatus::InProgress);
    let error = job.wait().timeout(moment).cancel_on_timeout().await.unwrap_err();
    assert!(matches!(error.remote_cancel(), Some(RemoteCancel::Cancelled)), "{error}");
    assert_eq!(job.status().await.unwrap().status(), JobStatus::Cancelled);
}
