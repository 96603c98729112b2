//! Faults of the storage while results are published.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue_batch::{Batch, ErrorKind, Publication, State};

use super::results::{manifest, parts};
use super::server::{CANARY, Fault, Server};
use crate::support::{Folder, endpoint, service};

/// Publishes to a folder of the server, in parts of about four lines.
fn published_to(server: &Server) -> Publication {
    let folder = server.patient("out", Duration::from_secs(1));
    Publication::to(folder).part_bytes(400)
}

/// Asserts that the published parts are the results.
fn assert_published(server: &Server, folder: &Folder) {
    let found = server.all("out/");
    assert_eq!(parts(&found), fs::read_to_string(folder.path("results.jsonl")).unwrap());
    manifest(&found, "out/");
}

#[tokio::test]
async fn interrupted_slow_and_lost_requests_publish_each_part_once() {
    let (server, folder) = (Server::start().await, Folder::with(30));
    let local = service().start().await.unwrap();
    let mut requests = 0;
    server.on_request(move |method, _, _| {
        requests += 1;
        match (requests % 7, method) {
            (2, _) => Fault::Status(503, "<Error><Code>SlowDown</Code></Error>".to_owned()),
            (3, _) => Fault::Slow(Duration::from_millis(20)),
            (4, "PUT") => Fault::LostResponse,
            (5, "PUT") => Fault::Interrupted,
            (5, _) => Fault::Cut,
            _ => Fault::None,
        }
    });
    let batch = folder.open().await.unwrap();
    let run = batch.run(endpoint(&local, "double")).publish_to(published_to(&server));
    let report = run.await.unwrap();
    assert_eq!(report.manifest.as_deref(), Some("s3://bucket/out/manifest.json"));
    assert_published(&server, &folder);
}

#[tokio::test]
async fn a_storage_that_is_down_stops_no_job_and_the_next_run_publishes() {
    let (server, folder) = (Server::start().await, Folder::with(10));
    let local = service().start().await.unwrap();
    let batch = folder.open().await.unwrap();
    server.on_request(|_, _, _| Fault::Status(503, String::new()));
    let publish = || batch.run(endpoint(&local, "double")).publish_to(published_to(&server));
    let error = publish().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert!(error.to_string().contains("the next run publishes what is missing"), "{error}");
    assert_eq!(batch.status().await.unwrap().counts.of(State::Completed), 10);
    assert!(server.all("").is_empty());
    server.without_faults();
    let report = publish().await.unwrap();
    assert_eq!((report.submitted_now, report.manifest.is_some()), (0, true));
    assert_published(&server, &folder);
}

#[tokio::test]
async fn wrong_credentials_and_missing_buckets_are_refused_before_a_job_is_submitted() {
    let (server, folder) = (Server::start().await, Folder::with(3));
    let local = service().start().await.unwrap();
    let batch = folder.open().await.unwrap();
    let denied = "<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>\
                  x-amz-security-token:canary-token</CanonicalRequest></Error>";
    let missing = "<Error><Code>NoSuchBucket</Code></Error>";
    for (status, body, why) in [
        (403, denied, "the storage refused access (SignatureDoesNotMatch)"),
        (404, missing, "there is no such bucket or object (NoSuchBucket)"),
    ] {
        server.on_request(move |_, _, _| Fault::Status(status, body.to_owned()));
        let run = batch.run(endpoint(&local, "double")).publish_to(published_to(&server));
        assert!(!format!("{run:?}").contains(CANARY));
        let error = run.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage);
        let text = format!("{error} {error:?}");
        assert!(text.contains(why) && text.contains("s3://bucket/out"), "{text}");
        assert!(!text.contains(CANARY), "{text}");
        assert_eq!(batch.status().await.unwrap().counts.of(State::Pending), 3);
    }
    server.without_faults();
    batch.run(endpoint(&local, "double")).publish_to(published_to(&server)).await.unwrap();
    drop(batch);
    for entry in fs::read_dir(folder.path("")).unwrap() {
        let content = fs::read(entry.unwrap().path()).unwrap_or_default();
        let canary = CANARY.as_bytes();
        assert!(!content.windows(canary.len()).any(|part| part == canary), "a secret is stored");
    }
}

#[tokio::test]
async fn a_run_that_is_told_to_exit_leaves_the_rest_to_the_next_run() {
    let (server, folder) = (Server::start().await, Folder::with(10));
    let local = service().start().await.unwrap();
    let batch = folder.open().await.unwrap();
    let run = batch.run(endpoint(&local, "double")).publish_to(published_to(&server));
    let stopper = run.stopper();
    let reached = Arc::new(Mutex::new(Some(stopper)));
    server.on_request(move |_, name, _| match name.ends_with("part-00001.jsonl") {
        true => {
            if let Some(stopper) = reached.lock().unwrap().take() {
                stopper.exit();
            }
            Fault::Hang { applied: true }
        }
        false => Fault::None,
    });
    let report = run.await.unwrap();
    assert_eq!((report.counts.of(State::Completed), report.manifest), (10, None));
    drop(batch);
    server.without_faults();
    let batch: Batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).publish_to(published_to(&server)).await.unwrap();
    assert_published(&server, &folder);
}
