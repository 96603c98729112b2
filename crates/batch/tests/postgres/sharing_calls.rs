//! Webhook calls that arrive at another process than the one that submitted the input.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue_batch::store::Postgres;
use podqueue_batch::{Batch, JobId, OnUnknown, PostRun, State, Submission, Submit};
use podqueue_local::{Fault, HandlerError, LocalJob, LocalService, Operation, Workers};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::faulty_services::requests;
use crate::journal;
use crate::support::{Folder, KEY, endpoint, until};

/// A call about a submission: its URL, and the id of the job, if it is known.
type Call = (String, Option<String>);

/// Submits inputs, and keeps the calls about them.
#[derive(Clone, Default)]
struct RecordedWebhooks(Arc<Mutex<Vec<Call>>>);

impl Submit for RecordedWebhooks {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        let url = submission.webhook.as_ref().unwrap().expose().to_owned();
        Box::pin(async move {
            let submitted = PostRun.submit(submission).await;
            let job_id = submitted.as_ref().ok().cloned();
            self.0.lock().unwrap().push((url, job_id));
            submitted
        })
    }
}

/// Each call arrives at both processes at once, several times, while the jobs run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_about_a_submission_of_another_process_changes_nothing() {
    let url = journal::database("calls");
    let may_end = Arc::new(Semaphore::new(0));
    let gate = Arc::clone(&may_end);
    let gated = move |job: LocalJob| {
        let gate = Arc::clone(&gate);
        async move {
            let _ = gate.acquire().await.map_err(|error| HandlerError::from(error.to_string()));
            Ok::<_, HandlerError>(json!({ "got": job.input }))
        }
    };
    let builder = LocalService::builder().api_key(KEY).endpoint("gated", gated);
    let local = builder.workers_of("gated", Workers::between(60, 60)).start().await.unwrap();
    // The outcome of some is unknown.
    local.add_fault(Fault::lost_response().on(Operation::Run).probability(0.2, 7));
    let folder = Folder::with(60);
    let (mut batches, mut runs, overheard) = (Vec::new(), Vec::new(), RecordedWebhooks::default());
    for results in ["a.jsonl", "b.jsonl"] {
        let batch = Batch::open(Postgres::connect(&url, "calls")).inputs(folder.inputs());
        let batch = batch.results(folder.path(results));
        let hook = OnUnknown::ByWebhook("http://127.0.0.1:1/hook".into());
        let batch = batch.on_unknown(hook).await.unwrap();
        let run = batch.run(endpoint(&local, "gated")).submit_with(overheard.clone()).window(30);
        runs.push(tokio::spawn(run.await_webhooks(Duration::from_secs(20))));
        batches.push(batch);
    }
    // A call that comes before the outcome of its submission was recorded may be refused.
    until(async || {
        let counts = batches[0].status().await.unwrap().counts;
        counts.of(State::Pending) + counts.of(State::Intent) == 0
    })
    .await;
    let unknown = batches[0].status().await.unwrap().counts.of(State::Unknown);
    // The jobs that the service has, by their inputs, in the order of submission.
    let jobs: Vec<_> = overheard.0.lock().unwrap().clone();
    assert!(jobs.iter().any(|(_, job_id)| job_id.is_none()), "none is unknown: {unknown}");
    let mut calls = Vec::new();
    for (n, (url, job_id)) in jobs.iter().enumerate() {
        let made_up = format!("job-{n}");
        let body = json!({ "id": job_id.as_ref().unwrap_or(&made_up) }).to_string();
        for _ in 0..2 {
            for batch in &batches {
                let (batch, url, body) = (batch.clone(), url.clone(), body.clone());
                calls.push(tokio::spawn(async move { batch.deliver(&url, body.as_bytes()).await }));
            }
        }
    }
    for call in calls {
        assert!(call.await.unwrap().unwrap(), "it is this batch's");
    }
    may_end.add_permits(1_000);
    for run in runs {
        run.await.unwrap().unwrap();
    }
    let counts = batches[0].status().await.unwrap().counts;
    let known = jobs.iter().filter(|(_, job_id)| job_id.is_some()).count() as u64;
    assert_eq!(counts.of(State::Completed), known, "{counts:?}");
    assert_eq!(counts.of(State::Unknown) + counts.of(State::Lost), 60 - known, "{counts:?}");
    let mut lines: Vec<_> = ["a.jsonl", "b.jsonl"]
        .iter()
        .flat_map(|results| {
            let text = std::fs::read_to_string(folder.path(results)).unwrap();
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
            lines.map(|line: serde_json::Value| line["index"].as_u64().unwrap()).collect::<Vec<_>>()
        })
        .collect();
    let all = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!((lines.len(), all as u64), (all, known), "one line each");
    assert_eq!(requests(&local, "/run"), 60);
}
