//! Unknown outcomes, and webhooks that resolve them.

use std::sync::{Arc, Mutex};

use podqueue_batch::{Batch, JobId, OnUnknown, PostRun, State, Submission, Submit};
use podqueue_local::{Fault, Operation};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Folder, endpoint, service};

/// Passes all calls on to the batch.
pub async fn receive(listener: TcpListener, batch: Batch) {
    while let Ok((connection, _)) = listener.accept().await {
        tokio::spawn(answer(connection, batch.clone()));
    }
}

async fn answer(connection: TcpStream, batch: Batch) {
    let mut connection = BufReader::new(connection);
    let (mut line, mut target, mut length) = (String::new(), String::new(), 0);
    while connection.read_line(&mut line).await.unwrap() > 2 {
        if let Some(rest) = line.strip_prefix("POST ") {
            target = rest.split(' ').next().unwrap().to_owned();
        } else if let Some(rest) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = rest.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await.unwrap();
    let status = match batch.deliver(&target, &body).await {
        Ok(true) => "200 OK",
        Ok(false) => "404 Not Found",
        Err(_) => "500 Internal Server Error",
    };
    let response = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    connection.write_all(response.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn a_webhook_resolves_a_submission_whose_response_was_lost() {
    let local = service().start().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook?token=s3cret-token", listener.local_addr().unwrap());
    let folder = Folder::with(60);
    let batch = folder.open().on_unknown(OnUnknown::ByWebhook(url.into())).await.unwrap();
    let receiver = tokio::spawn(receive(listener, batch.clone()));
    // Some are accepted, and one is not: for that one no call comes.
    local.add_fault(Fault::reset().on(Operation::Run).times(1));
    local.add_fault(Fault::lost_response().on(Operation::Run).probability(0.1, 7));
    let run = batch.run(endpoint(&local, "double"));
    let report = run.await_webhooks(std::time::Duration::from_secs(3)).await.unwrap();
    assert_eq!(report.counts.of(State::Completed), 59, "{report:?}");
    assert_eq!(report.counts.of(State::Unknown), 1);
    assert_eq!(folder.results().len(), 59);
    let submitted = local.requests().iter().filter(|it| it.path.ends_with("/run")).count();
    assert_eq!(submitted, 60, "nothing is submitted twice");
    let foreign = batch.deliver("/hook?batch=b&index=1&attempt=1&proof=00", b"{}").await;
    assert!(!foreign.unwrap());
    receiver.abort();
    let _ = receiver.await;
    drop(batch);
    for file in std::fs::read_dir(folder.path("")).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        for secret in [crate::support::KEY, "s3cret-token"] {
            let is_there = bytes.windows(secret.len()).any(|found| found == secret.as_bytes());
            assert!(!is_there, "the journal and the results contain no secret");
        }
    }
}

/// Submits inputs, and keeps the URLs of their webhooks.
#[derive(Clone, Default)]
struct RecordedWebhooks(Arc<Mutex<Vec<String>>>);

impl Submit for RecordedWebhooks {
    fn submit<'a>(&'a self, submission: Submission<'a>) -> JobId<'a> {
        let url = submission.webhook.as_ref().unwrap().expose().to_owned();
        self.0.lock().unwrap().push(url);
        PostRun.submit(submission)
    }
}

#[tokio::test]
async fn a_webhook_job_id_of_two_inputs_belongs_to_the_first() {
    let local = service().start().await.unwrap();
    local.add_fault(Fault::reset().on(Operation::Run));
    let folder = Folder::with(2);
    let url = OnUnknown::ByWebhook("http://127.0.0.1:1/hook".into());
    let batch = folder.open().on_unknown(url).await.unwrap();
    let overheard = RecordedWebhooks::default();
    let run = batch.run(endpoint(&local, "double")).submit_with(overheard.clone());
    run.await_webhooks(std::time::Duration::ZERO).await.unwrap();
    assert_eq!(batch.status().await.unwrap().counts.of(State::Unknown), 2);
    let urls = overheard.0.lock().unwrap().clone();
    for url in &urls {
        assert!(batch.deliver(url, b"{\"id\": \"job-1\"}").await.unwrap(), "it is this batch's");
    }
    let counts = batch.status().await.unwrap().counts;
    assert_eq!((counts.of(State::Submitted), counts.of(State::Unknown)), (1, 1));
}
