//! Lifecycle of a batch, from its first run to its last.

use std::fs;
use std::io::Write;

use futures_util::StreamExt;
use podqueue::Client;
use podqueue_batch::{ErrorKind, Inputs, JobId, PostRun, State, Stopped, Submission, Submit};
use podqueue_local::{Fault, Operation, Workers};
use serde_json::{Value, json};

use crate::support::{Folder, KEY, counts, endpoint, service, until};

#[tokio::test]
async fn a_batch_submits_all_inputs_and_collects_their_outputs() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(500);
    let batch = folder.open().await.unwrap();
    let mut run = batch.run(endpoint(&local, "double"));
    let mut last = None;
    while let Some(progress) = run.next().await {
        assert_eq!(progress.counts.total(), 500);
        last = Some(progress);
    }
    let report = run.await.unwrap();
    assert!(report.is_complete() && report.stopped.is_none(), "{report:?}");
    assert!(last.is_some());
    assert_eq!(report.submitted_now, 500);
    let results = folder.results();
    for (index, line) in &results {
        assert_eq!(line["output"], json!({ "n": 2 * index }));
        assert_eq!(line["status"], "COMPLETED");
        assert!(line["job_id"].is_string() && line["execution_ms"].is_number(), "{line}");
    }
    assert_eq!(results.len(), 500);
    assert!(!folder.path("results.jsonl.failed.jsonl").exists());

    let again = batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!((again.submitted_now, again.is_complete()), (0, true), "all is done");
}

#[tokio::test]
async fn failures_are_written_as_inputs_of_another_batch() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    let input = |n: u64| match n % 3 {
        0 => json!({ "id": n, "input": { "n": n, "fail": "no\nluck" } }),
        _ => json!({ "id": n, "input": { "n": n } }),
    };
    folder.write_inputs((0..9).map(input));
    let inputs = || folder.inputs().input_field("input").key_field("id");
    let batch = folder.open().inputs(inputs()).await.unwrap();
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "6 completed, 3 failed");
    assert_eq!(report.failures, Some(folder.path("results.jsonl.failed.jsonl")));
    assert_eq!(folder.results()[&4]["key"], json!(4));
    let failures = folder.failures();
    assert_eq!(failures.keys().collect::<Vec<_>>(), [&0, &3, &6]);
    assert_eq!(failures[&3]["input"], json!({ "n": 3, "fail": "no\nluck" }));
    assert_eq!(failures[&3]["key"], json!(3));
    assert_eq!(failures[&3]["status"], "FAILED");
    assert_eq!(failures[&3]["error"], "no\nluck");

    let retry = Folder::new();
    let failed = Inputs::jsonl(folder.path("results.jsonl.failed.jsonl"));
    let failed = failed.input_field("input").key_field("key");
    let second = retry.open().inputs(failed).await.unwrap();
    second.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&second.status().await.unwrap()), "3 failed");
    assert_eq!(retry.failures()[&1]["key"], json!(3));
}

#[tokio::test]
async fn inputs_refused_before_sending_are_not_counted_as_submitted() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    let large = format!("{{\"n\": \"{}\"}}", "x".repeat(11_000_000));
    let lines = ["{\"n\": 0}", "no JSON", &large, "{\"n\": 3}", "[", "{\"n\": 5}"];
    folder.write("inputs.jsonl", &lines.join("\n"));
    let batch = folder.open().await.unwrap();
    let report = batch.run(endpoint(&local, "double")).take(2).await.unwrap();
    assert_eq!((report.stopped, report.submitted_now), (Some(Stopped::Taken), 2));
    assert_eq!(report.counts.of(State::Completed), 2);
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!((report.submitted_now, report.stopped), (1, None));
    assert_eq!(counts(&batch.status().await.unwrap()), "3 completed, 3 refused");
}

#[tokio::test]
async fn inputs_can_be_values_and_need_not_be_passed_again() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    let values = || Inputs::iter((0..20).map(|n| json!({ "n": n })));
    let batch = folder.open().inputs(values()).await.unwrap();
    let report = batch.run(endpoint(&local, "double")).take(5).await.unwrap();
    assert_eq!((report.stopped, report.submitted_now), (Some(Stopped::Taken), 5));
    assert_eq!(counts(&batch.status().await.unwrap()), "15 pending, 5 completed");
    drop(batch);
    let batch = crate::journal::open_without_inputs(&folder).await.unwrap();
    let none = batch.run(endpoint(&local, "double")).take(0).await.unwrap();
    assert_eq!((none.stopped, none.submitted_now), (Some(Stopped::Taken), 0));
    batch.run(endpoint(&local, "double")).take(5).await.unwrap();
    drop(batch);
    let batch = folder.open().inputs(values()).await.unwrap();
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!((report.submitted_now, report.is_complete()), (10, true));
    assert_eq!(folder.results()[&19]["output"], json!({ "n": 38 }));
}

#[tokio::test]
async fn faults_of_safe_calls_are_retried_and_ambiguous_ones_are_reported() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(300);
    let some = |fault: Fault, seed| fault.probability(0.05, seed);
    local.add_fault(some(Fault::lost_response(), 1).on(Operation::Status));
    local.add_fault(some(Fault::response(503, "{}"), 2).on(Operation::Status));
    local.add_fault(some(Fault::gateway(404), 3).on(Operation::Status));
    local.add_fault(some(Fault::lost_response(), 5).on(Operation::Run).times(3));
    let batch = folder.open().await.unwrap();
    local.add_fault(Fault::response(400, "{\"error\": \"no\"}").on(Operation::Run).times(2));
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    let unknown = batch.unknown().await.unwrap();
    assert_eq!(report.counts.of(State::Unknown), unknown.len() as u64);
    assert!(unknown.iter().all(|input| input.attempt == 1 && !input.reason.is_empty()));
    assert_eq!(report.counts.of(State::Refused), 2);
    let completed = report.counts.of(State::Completed);
    assert_eq!(completed + unknown.len() as u64 + 2, 300);
    assert_eq!(folder.results().len() as u64, completed);
}

/// Submits inputs with a mark, and some of them not at all.
struct Marked;

impl Submit for Marked {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        Box::pin(async move {
            assert_eq!(submission.attempt, 1);
            let mut input: Value = serde_json::from_str(submission.input.get()).unwrap();
            input["n"] = json!(submission.index + 1_000);
            if submission.index == 3 {
                input = json!(null);
            }
            Ok(submission.endpoint.run(&input).await?.id().to_owned())
        })
    }
}

#[tokio::test]
async fn the_submission_step_can_be_replaced() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(5);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).submit_with(Marked).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "4 completed, 1 refused");
    assert_eq!(folder.results()[&4]["output"], json!({ "n": 2_008 }));
    assert!(folder.failures().contains_key(&3));
}

/// Has a job for one input whose id names no job that can be polled.
struct Odd;

impl Submit for Odd {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        match submission.index {
            1 => Box::pin(async { Ok("..".to_owned()) }),
            _ => PostRun.submit(submission),
        }
    }
}

#[tokio::test]
async fn a_job_that_cannot_be_polled_fails_alone() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(3);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).submit_with(Odd).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "2 completed, 1 failed");
    let error = folder.failures()[&1]["error"].as_str().unwrap().to_owned();
    assert!(error.contains("cannot be polled") && error.contains("`job id`"), "{error}");
}

/// Submits one input, and returns its job for every other input.
struct OneJob(tokio::sync::OnceCell<String>);

impl Submit for OneJob {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        Box::pin(async move {
            let submit =
                || async { Ok(submission.endpoint.run(submission.input).await?.id().into()) };
            self.0.get_or_try_init(submit).await.cloned()
        })
    }
}

#[tokio::test]
async fn a_job_id_assigned_twice_belongs_to_the_first_input() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(3);
    let batch = folder.open().await.unwrap();
    let one_job = std::sync::Arc::new(OneJob(tokio::sync::OnceCell::new()));
    batch.run(endpoint(&local, "double")).submit_with(Shared(one_job.clone())).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "1 completed, 2 unknown");
    assert_eq!(folder.results().len(), 1);
    for input in batch.unknown().await.unwrap() {
        assert!(input.reason.contains("is the job of input"), "{}", input.reason);
    }
    // Nor is it another input's later on.
    assert_eq!(batch.retry(&[State::Unknown]).await.unwrap(), 2);
    batch.run(endpoint(&local, "double")).submit_with(Shared(one_job)).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "1 completed, 2 unknown");
}

struct Shared(std::sync::Arc<OneJob>);

impl Submit for Shared {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        self.0.submit(submission)
    }
}

#[tokio::test]
async fn inputs_that_are_appended_to_a_running_batch_are_submitted() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(50);
    let batch = folder.open().await.unwrap();
    let run = tokio::spawn(batch.run(endpoint(&local, "double")).window(3));
    until(async || !folder.results().is_empty()).await;
    let mut file = fs::File::options().append(true).open(folder.path("inputs.jsonl")).unwrap();
    file.write_all(b"{\"n\": 50}\n{\"n\": 51}\n").unwrap();
    let report = run.await.unwrap().unwrap();
    assert_eq!((report.counts.total(), report.is_complete()), (52, true));
    assert_eq!(folder.results()[&51]["output"], json!({ "n": 102 }));
}

#[tokio::test]
async fn a_status_serializes_as_one_object() {
    let folder = Folder::with(2);
    let batch = folder.open().await.unwrap();
    let status = serde_json::to_value(batch.status().await.unwrap()).unwrap();
    let expected = json!({
        "total": 2, "pending": 2, "intent": 0, "submitted": 0, "completed": 0, "failed": 0,
        "cancelled": 0, "timed_out": 0, "expired": 0, "lost": 0, "unknown": 0, "refused": 0,
    });
    assert_eq!(status, expected);
}

#[tokio::test]
async fn a_cancelled_batch_leaves_nothing_running() {
    let local = service().workers_of("double", Workers::between(0, 0)).start().await.unwrap();
    let double = endpoint(&local, "double");
    let folder = Folder::with(30);
    let batch = folder.open().await.unwrap();
    let run = batch.run(double.clone()).window(10);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 10).await;
    assert_eq!(batch.cancel(&double).await.unwrap_err().kind(), ErrorKind::Settings, "it runs");
    stopper.exit();
    run.await.unwrap().unwrap();
    assert_eq!(batch.cancel(&double).await.unwrap(), 30);
    assert_eq!(counts(&batch.status().await.unwrap()), "30 cancelled");
    assert_eq!(double.health().await.unwrap().jobs.in_queue, 0);
}

#[tokio::test]
async fn a_panic_in_the_callers_code_ends_the_run_and_loses_nothing() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(30);
    let batch = folder.open().await.unwrap();
    let calls = std::sync::atomic::AtomicU64::new(0);
    let client = Client::builder().api_key(KEY).base_url(local.base_url()).observe(move |_| {
        let call = calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        assert_ne!(call, 12, "a panic");
    });
    let run = batch.run(client.build().unwrap().endpoint("double"));
    assert_eq!(run.await.unwrap_err().kind(), ErrorKind::Service);
    drop(batch);
    let batch = folder.open().await.unwrap();
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    assert!(report.counts.of(State::Unknown) <= 1, "{report:?}");
    assert_eq!(report.counts.of(State::Completed) + report.counts.of(State::Unknown), 30);
}
