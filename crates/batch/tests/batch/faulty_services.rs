//! Services that fail, refuse everything, cannot be reached, or violate the interface.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, SystemTime};

use futures_util::StreamExt;
use podqueue::{Client, Policy};
use podqueue_batch::{Batch, ErrorKind, OnUnknown, Run, State, Stopped};
use podqueue_local::{Fault, LocalService, Operation};
use serde_json::json;

use crate::support::{Folder, KEY, counts, endpoint, service, until};

pub fn requests(local: &LocalService, path: &str) -> usize {
    local.requests().iter().filter(|request| request.path.contains(path)).count()
}

/// Leaves jobs to the next run that have all completed.
pub async fn left_completed(local: &LocalService, batch: &Batch, jobs: u64) {
    local.add_fault(Fault::response(503, "{}").on(Operation::Status));
    let double = endpoint(local, "double");
    let run = batch.run(double.clone());
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || double.health().await.unwrap().jobs.completed == jobs).await;
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == jobs).await;
    stopper.exit();
    run.await.unwrap().unwrap();
    local.clear_faults();
}

#[tokio::test]
async fn a_retry_after_of_any_length_returns_inputs_to_pending() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(3);
    let batch = folder.open().await.unwrap();
    for asked in ["1e300", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        local.add_fault(Fault::response(429, "{}").header("retry-after", asked).on(Operation::Run));
        let run = batch.run(endpoint(&local, "double"));
        let stopper = run.stopper();
        let run = tokio::spawn(run);
        let before = requests(&local, "/run");
        until(async || requests(&local, "/run") > before).await;
        until(async || counts(&batch.status().await.unwrap()) == "3 pending").await;
        stopper.stop();
        assert_eq!(run.await.unwrap().unwrap().stopped, Some(Stopped::OnRequest), "{asked}");
        local.clear_faults();
    }
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
}

#[tokio::test]
async fn an_undocumented_status_is_reported_and_expires_with_the_ttl() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(1);
    let batch = folder.open().await.unwrap();
    local.add_fault(Fault::response(200, r#"{"status": "ARCHIVED"}"#).on(Operation::Status));
    let mut run = batch.run(endpoint(&local, "double")).outage_timeout(LONG_OUTAGE_TIMEOUT);
    let error = persistent_error(&mut run).await;
    assert!(error.contains(r#"the service reports the status "ARCHIVED" that"#), "{error}");
    let run = tokio::spawn(run);
    elapse(Duration::from_secs(24 * 3_600 + 1)).await;
    run.await.unwrap().unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "1 expired");
    let error = folder.failures()[&0]["error"].as_str().unwrap().to_owned();
    assert!(error.contains(r#"although the service reports the status "ARCHIVED""#), "{error}");
}

#[tokio::test]
async fn a_job_that_is_not_found_for_a_moment_is_not_lost() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(3);
    let batch = folder.open().await.unwrap();
    let not_found = Fault::response(404, r#"{"error": "no such endpoint"}"#).on(Operation::Status);
    local.add_fault(not_found);
    let run = tokio::spawn(batch.run(endpoint(&local, "double")));
    until(async || requests(&local, "/status") >= 9).await;
    local.clear_faults();
    run.await.unwrap().unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "3 completed");
}

/// Advances the monotonic clock in one step. The time of day stays.
async fn elapse(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// Advances the monotonic clock until these jobs have been polled again, or none is outstanding.
async fn polled(local: &LocalService, batch: &Batch, jobs: usize) {
    let before = requests(local, "/status");
    until(async || {
        elapse(Duration::from_millis(100)).await;
        let outstanding = batch.status().await.unwrap().counts.of(State::Submitted);
        outstanding == 0 || requests(local, "/status") >= before + 2 * jobs
    })
    .await;
}

/// Longer than any test lets elapse: what was in flight meanwhile has timed out.
const LONG_OUTAGE_TIMEOUT: Duration = Duration::from_secs(10 * 24 * 3_600);

#[tokio::test]
async fn a_clock_that_jumps_ahead_expires_no_job_whose_status_cannot_be_read() {
    const JOBS: u64 = 50;
    let local = service().start().await.unwrap();
    let folder = Folder::with(JOBS);
    let offset = Arc::new(AtomicU64::new(0));
    let advanced = Arc::clone(&offset);
    let clock = move || SystemTime::now() + Duration::from_secs(advanced.load(SeqCst));
    local.add_fault(Fault::response(502, "{}").on(Operation::Status));
    // In the process that submitted them, and in one that is started after the jump.
    for restarts in [false, true] {
        let batch = folder.open().clock(clock.clone()).await.unwrap();
        let run = batch.run(endpoint(&local, "double")).outage_timeout(LONG_OUTAGE_TIMEOUT);
        let stopper = run.stopper();
        let running = tokio::spawn(run);
        until(async || batch.status().await.unwrap().counts.of(State::Submitted) == JOBS).await;
        offset.store(3 * 24 * 3_600, SeqCst);
        for _ in 0..2 {
            polled(&local, &batch, JOBS as usize).await;
            elapse(Duration::from_secs(13)).await;
        }
        polled(&local, &batch, JOBS as usize).await;
        assert_eq!(counts(&batch.status().await.unwrap()), "50 submitted", "{restarts}");
        match restarts {
            false => stopper.exit(),
            true => local.clear_faults(),
        }
        until(async || {
            elapse(Duration::from_millis(100)).await;
            running.is_finished()
        })
        .await;
        running.await.unwrap().unwrap();
    }
    assert_eq!(folder.results().len(), JOBS as usize);
    assert_eq!(requests(&local, "/run"), JOBS as usize);
}

#[tokio::test]
async fn a_job_whose_status_cannot_be_read_expires_once_its_ttl_has_elapsed() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(2);
    let batch = folder.open().await.unwrap();
    local.add_fault(Fault::response(502, "{}").on(Operation::Status));
    let policy = Policy::new().ttl(Duration::from_secs(3_600));
    let run =
        batch.run(endpoint(&local, "double")).policy(policy).outage_timeout(LONG_OUTAGE_TIMEOUT);
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 2).await;
    polled(&local, &batch, 2).await;
    elapse(Duration::from_secs(3_500)).await;
    polled(&local, &batch, 2).await;
    assert_eq!(counts(&batch.status().await.unwrap()), "2 submitted");
    elapse(Duration::from_secs(200)).await;
    run.await.unwrap().unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "2 expired");
    let error = folder.failures()[&0]["error"].as_str().unwrap().to_owned();
    assert!(error.contains("its ttl has elapsed, and its status could not be read"), "{error}");
}

#[tokio::test]
async fn a_job_that_has_completed_is_not_cancelled() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(2);
    let batch = folder.open().await.unwrap();
    left_completed(&local, &batch, 2).await;
    local.add_fault(Fault::response(200, r#"{"status": "COMPLETED"}"#).on(Operation::Cancel));
    let double = endpoint(&local, "double");
    assert_eq!(batch.cancel(&double).await.unwrap(), 0);
    assert!(batch.run(double).await.unwrap().is_complete());
}

#[tokio::test]
async fn a_changed_line_delays_only_its_own_result() {
    let local = service().start().await.unwrap();
    let double = endpoint(&local, "double");
    let folder = Folder::with(30);
    let batch = folder.open().inputs(folder.inputs().key_field("n")).await.unwrap();
    left_completed(&local, &batch, 30).await;
    drop(batch);
    let before = std::fs::read_to_string(folder.path("inputs.jsonl")).unwrap();
    folder.write("inputs.jsonl", &before.replace("{\"n\":7}", "{\"n\":8}"));
    let open = Batch::open(folder.journal()).results(folder.path("results.jsonl"));
    let batch = open.await.unwrap();
    let error = batch.run(double.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged, "{error}");
    assert_eq!(counts(&batch.status().await.unwrap()), "1 submitted, 29 completed");
    folder.write("inputs.jsonl", &before);
    assert!(batch.run(double).await.unwrap().is_complete());
    assert_eq!(folder.results()[&7]["key"], 7);
}

#[tokio::test]
async fn errors_are_recorded_without_the_webhook_and_not_at_any_length() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(1);
    let webhook = "http://127.0.0.1:1/hook?token=secret";
    let to = OnUnknown::ByWebhook(webhook.into());
    let batch = folder.open().on_unknown(to).await.unwrap();
    let error = format!("cannot call {webhook}&index=0: {}", "é".repeat(20_000));
    let failed = json!({ "status": "FAILED", "error": error }).to_string();
    local.add_fault(Fault::response(200, failed).on(Operation::Status));
    batch.run(endpoint(&local, "double")).await.unwrap();
    let error = folder.failures()[&0]["error"].as_str().unwrap().to_owned();
    assert!(error.starts_with("cannot call [redacted]&index=0: é"), "{error}");
    assert!(error.ends_with("é… (truncated)") && error.chars().count() < 8_100, "{error}");
}

#[tokio::test]
async fn a_job_whose_id_is_too_long_for_a_url_fails_alone() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(3);
    let batch = folder.open().await.unwrap();
    let long = json!({ "id": "x".repeat(100_000), "status": "IN_QUEUE" }).to_string();
    local.add_fault(Fault::response(200, long).on(Operation::Run).times(1));
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "2 completed, 1 failed");
    let failures = folder.failures();
    let error = failures.values().next().unwrap()["error"].as_str().unwrap();
    assert!(error.contains("cannot be polled"), "{error}");
}

#[tokio::test]
async fn a_service_that_refuses_every_request_stops_the_run() {
    let local = service().api_key("other").start().await.unwrap();
    let folder = Folder::with(100);
    let batch = folder.open().await.unwrap();
    let error = batch.run(endpoint(&local, "nowhere")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Service);
    assert_eq!(error.service().unwrap().status(), Some(404));
    assert_eq!(counts(&batch.status().await.unwrap()), "100 pending");

    // A key that is revoked in the middle.
    let run = tokio::spawn(batch.run(endpoint(&local, "double")).window(5));
    until(async || !folder.results().is_empty()).await;
    local.add_fault(Fault::response(401, "{\"error\": \"revoked\"}"));
    let error = run.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Service);
    assert!(error.to_string().contains("run the batch again"), "{error}");
    assert!(!error.to_string().contains(KEY));
    let status = batch.status().await.unwrap();
    assert_eq!(status.counts.of(State::Unknown) + status.counts.of(State::Intent), 0);
    local.clear_faults();
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
}

#[tokio::test]
async fn an_unreachable_service_is_waited_for_with_a_bound() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(10);
    let batch = folder.open().await.unwrap();
    let double = endpoint(&local, "double");
    local.add_fault(Fault::down(Duration::from_millis(300)).on(Operation::Health).times(1));
    let _ = double.health().await;
    let report = batch.run(double).await.unwrap();
    assert_eq!(report.counts.of(State::Unknown), 0);
    assert!(report.is_complete());
    drop(local);

    let unreachable =
        Client::builder().api_key(KEY).base_url("http://127.0.0.1:1").build().unwrap();
    let folder = Folder::with(3);
    let batch = folder.open().await.unwrap();
    let run = batch.run(unreachable.endpoint("double")).outage_timeout(Duration::from_millis(1));
    assert_eq!(run.await.unwrap_err().kind(), ErrorKind::Unreachable);
    assert_eq!(counts(&batch.status().await.unwrap()), "3 pending");
}

#[tokio::test]
async fn a_service_that_fails_leaves_few_inputs_unknown() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(2_000);
    let batch = folder.open().await.unwrap();
    local.add_fault(Fault::response(500, "{}").on(Operation::Run));
    let run = batch.run(endpoint(&local, "double"));
    let error = run.outage_timeout(Duration::from_secs(2)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    let unknown = batch.status().await.unwrap().counts.of(State::Unknown);
    assert!((1..=20).contains(&unknown), "{unknown}");
}

/// The persistent error of a run, once it is reported.
pub async fn persistent_error(run: &mut Run) -> String {
    let said = async {
        loop {
            if let Some(error) = run.next().await.unwrap().error {
                return error;
            }
        }
    };
    let said = tokio::time::timeout(Duration::from_secs(60), said).await;
    said.expect("a persistent error")
}

#[tokio::test]
async fn an_output_with_nan_keeps_its_digits_and_its_order_of_fields() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(1);
    let batch = folder.open().await.unwrap();
    let nested = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let output = format!(
        r#"{{"z":NaN,"id":123456789012345678901234567890,"a":1.50,"text":"\ud800","a":{nested}}}"#
    );
    let record = format!(r#"{{"status":"COMPLETED","output":{output}}}"#);
    local.add_fault(Fault::response(200, record).on(Operation::Status));
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    let results = std::fs::read_to_string(folder.path("results.jsonl")).unwrap();
    assert!(results.contains(&output.replace("NaN", "null")), "{results}");
}

#[tokio::test]
async fn progress_reports_persistent_errors() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(3);
    let batch = folder.open().await.unwrap();
    local.add_fault(Fault::response(200, "<html>log in</html>").on(Operation::Status));
    let mut run = batch.run(endpoint(&local, "double"));
    let error = persistent_error(&mut run).await;
    assert!(error.contains("status of 3 jobs cannot be read"), "{error}");
    assert!(error.contains("is not JSON"), "{error}");
    local.clear_faults();
    while let Some(progress) = run.next().await {
        assert!(progress.error.is_some() || progress.counts.of(State::Completed) > 0);
    }
    assert!(run.await.unwrap().is_complete());

    let folder = Folder::with(1);
    let batch = folder.open().await.unwrap();
    local.add_fault(Fault::response(429, "{}").on(Operation::Run));
    let mut run = batch.run(endpoint(&local, "double"));
    let error = persistent_error(&mut run).await;
    let why = "no input is accepted: the service's queue is full, or other clients of the account use the same limits";
    assert!(error.contains(why), "{error}");
    local.clear_faults();
    assert!(run.await.unwrap().is_complete());
}
