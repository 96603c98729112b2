//! Webhook calls that are forged, early, late, out of order or repeated.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue_batch::{Batch, ErrorKind, JobId, OnUnknown, PostRun, State, Submission, Submit};
use podqueue_local::{Fault, LocalService, Operation};
use tokio::sync::Semaphore;

use crate::support::{Folder, counts, endpoint, service, until};

const URL: &str = "http://127.0.0.1:1/hook";

/// Submits inputs, and keeps the URLs of their webhooks; holds those of one attempt, and panics at
/// those of another.
#[derive(Clone)]
struct RecordedWebhooks {
    urls: Arc<Mutex<Vec<String>>>,
    holds: Option<u64>,
    released: Arc<Semaphore>,
    panics: bool,
}

impl RecordedWebhooks {
    fn new() -> Self {
        let (urls, released) = (Arc::default(), Arc::new(Semaphore::new(0)));
        Self { urls, holds: None, released, panics: false }
    }

    fn urls(&self) -> Vec<String> {
        self.urls.lock().unwrap().clone()
    }
}

impl Submit for RecordedWebhooks {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        let url = submission.webhook.as_ref().unwrap().expose().to_owned();
        self.urls.lock().unwrap().push(url);
        Box::pin(async move {
            assert!(!self.panics, "a panic of the caller's step");
            if self.holds == Some(submission.attempt) {
                let _ = self.released.acquire().await.unwrap();
            }
            PostRun.submit(submission).await
        })
    }
}

async fn open(folder: &Folder) -> Batch {
    folder.open().on_unknown(OnUnknown::ByWebhook(URL.into())).await.unwrap()
}

fn body(id: &str) -> Vec<u8> {
    format!("{{\"id\": \"{id}\", \"status\": \"COMPLETED\"}}").into_bytes()
}

/// A batch whose inputs are all unknown after their first attempt.
async fn unknown(inputs: u64) -> (LocalService, Folder, Batch, RecordedWebhooks) {
    let local = service().start().await.unwrap();
    local.add_fault(Fault::reset().on(Operation::Run));
    let folder = Folder::with(inputs);
    let batch = open(&folder).await;
    let overheard = RecordedWebhooks::new();
    let run = batch.run(endpoint(&local, "double")).submit_with(overheard.clone());
    run.await_webhooks(Duration::ZERO).await.unwrap();
    local.clear_faults();
    assert_eq!(batch.status().await.unwrap().counts.of(State::Unknown), inputs);
    (local, folder, batch, overheard)
}

#[tokio::test]
async fn a_forged_call_changes_nothing() {
    let (_local, _folder, batch, overheard) = unknown(2).await;
    let (_, _other, other_batch, of_other) = unknown(2).await;
    let url = overheard.urls()[0].clone();
    let member = |url: &str, name: &str| {
        let (_, rest) = url.split_once(&format!("{name}=")).unwrap();
        rest.split('&').next().unwrap().to_owned()
    };
    let with = |name: &str, value: &str| {
        let found = member(&url, name);
        url.replace(&format!("{name}={found}"), &format!("{name}={value}"))
    };
    let index: u64 = member(&url, "index").parse().unwrap();
    let proof = member(&url, "proof");
    let forged = [
        with("index", &(1 - index).to_string()),
        with("index", &u64::MAX.to_string()),
        with("index", "-1"),
        with("attempt", "2"),
        with("attempt", "0"),
        with("batch", &member(&of_other.urls()[0], "batch")),
        with("proof", &proof.replace(|letter| letter != '0', "0")),
        with("proof", &proof[..63]),
        with("proof", ""),
        // The last one counts.
        format!("{url}&index={}", 1 - index),
        of_other.urls()[0].clone(),
        URL.to_owned(),
        String::new(),
    ];
    for forged in &forged {
        assert!(!batch.expects(forged), "{forged}");
        assert!(!batch.deliver(forged, &body("job-1")).await.unwrap(), "{forged}");
    }
    for body in ["", "{", "null", "[]", "{}", r#"{"id": 7}"#, r#"{"id": ""}"#, r#"{"id": ".."}"#] {
        assert!(!batch.deliver(&url, body.as_bytes()).await.unwrap(), "{body}");
    }
    assert_eq!(counts(&batch.status().await.unwrap()), "2 unknown");
    assert!(!other_batch.deliver(&url, &body("job-1")).await.unwrap());
    assert!(batch.expects(&url) && batch.deliver(&url, &body("job-1")).await.unwrap());
    assert_eq!(counts(&batch.status().await.unwrap()), "1 submitted, 1 unknown");
}

#[tokio::test]
async fn an_output_that_is_not_json_does_not_hide_the_job() {
    let (_local, _folder, batch, overheard) = unknown(1).await;
    let body = br#"{"output": {"loss": NaN, "id": "other"}, "id": "job-1"}"#;
    assert!(batch.deliver(&overheard.urls()[0], body).await.unwrap());
    assert_eq!(counts(&batch.status().await.unwrap()), "1 submitted");
}

#[tokio::test]
async fn a_call_that_comes_again_after_the_end_changes_nothing() {
    let (local, folder, batch, overheard) = unknown(1).await;
    let url = overheard.urls()[0].clone();
    let job = endpoint(&local, "double").run(&serde_json::json!({ "n": 5 })).await.unwrap();
    for _ in 0..3 {
        assert!(batch.deliver(&url, &body(job.id())).await.unwrap());
    }
    assert!(batch.deliver(&url, &body("another")).await.unwrap());
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    for id in [job.id(), "another"] {
        assert!(batch.deliver(&url, &body(id)).await.unwrap());
    }
    assert_eq!(counts(&batch.status().await.unwrap()), "1 completed");
    assert_eq!(folder.results()[&0]["job_id"], job.id());
}

/// Passes a call on in a task, and lets it arrive.
async fn calling(batch: &Batch, url: &str, id: &str) -> tokio::task::JoinHandle<bool> {
    let (batch, url, body) = (batch.clone(), url.to_owned(), body(id));
    let calling = tokio::spawn(async move { batch.deliver(&url, &body).await.unwrap() });
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    calling
}

#[tokio::test]
async fn early_webhook_calls_wait_for_the_outcome_of_their_attempt() {
    let (local, _folder, batch, mut overheard) = unknown(1).await;
    let first = overheard.urls()[0].clone();
    assert_eq!(batch.retry(&[State::Unknown]).await.unwrap(), 1);
    overheard.holds = Some(2);
    local.add_fault(Fault::reset().on(Operation::Run));
    let run = batch.run(endpoint(&local, "double")).submit_with(overheard.clone());
    let run = tokio::spawn(run.await_webhooks(Duration::ZERO).into_future());
    until(async || overheard.urls().len() == 2).await;
    let second = overheard.urls()[1].clone();
    let calls = [
        calling(&batch, &second, "job-2").await,
        // The second attempt calls twice, and the first one late.
        calling(&batch, &second, "job-2").await,
        calling(&batch, &first, "job-1").await,
    ];
    assert!(calls.iter().all(|call| !call.is_finished()), "nothing is recorded yet");
    overheard.released.add_permits(1);
    for call in calls {
        assert!(call.await.unwrap());
    }
    // The service does not know it, but that is the job that was polled.
    run.await.unwrap().unwrap();
    let polled = |id: &str| local.requests().iter().any(|it| it.path.ends_with(id));
    assert_eq!((polled("/status/job-2"), polled("/status/job-1")), (true, false));
}

#[tokio::test]
async fn a_call_is_not_acknowledged_while_the_outcome_may_stay_open() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(1);
    let batch = open(&folder).await;
    let overheard = RecordedWebhooks { panics: true, ..RecordedWebhooks::new() };
    let run = batch.run(endpoint(&local, "double")).submit_with(overheard.clone());
    run.await.unwrap_err();
    let url = overheard.urls()[0].clone();
    let error = batch.deliver(&url, &body("job-1")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
    drop(batch);
    let batch = open(&folder).await;
    assert!(batch.deliver(&url, &body("job-1")).await.unwrap());
    assert_eq!(counts(&batch.status().await.unwrap()), "1 submitted");
}

#[tokio::test]
async fn repeated_webhook_calls_do_not_prolong_a_run() {
    let (local, _folder, batch, overheard) = unknown(2).await;
    let url = overheard.urls()[0].clone();
    let job = endpoint(&local, "double").run(&serde_json::json!({ "n": 5 })).await.unwrap();
    assert!(batch.deliver(&url, &body(job.id())).await.unwrap());
    let run = batch.run(endpoint(&local, "double")).await_webhooks(Duration::from_secs(1));
    let replaying = async {
        for _ in 0..200 {
            assert!(batch.deliver(&url, &body(job.id())).await.unwrap());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        report = run => {
            let counts = report.unwrap().counts;
            assert_eq!((counts.of(State::Completed), counts.of(State::Unknown)), (1, 1));
        }
        () = replaying => panic!("the run keeps waiting"),
    }
}
