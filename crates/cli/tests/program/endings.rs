//! Batches whose last run failed, whose inputs are gone, or which are refused.

use std::fs;
use std::time::Duration;

use podqueue_batch::Sqlite;
use podqueue_batch::store::{OpenStore, Store};
use podqueue_local::{Builder, Fault, HandlerError, LocalJob, LocalService, Operation};
use serde_json::{Value, json};

use crate::batch::{gated, outstanding};
use crate::support::{Site, ended};

const RUN: [&str; 7] = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl"];

impl Site {
    /// The names of the files in its home.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.home.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn remove_inputs(&self) {
        fs::remove_file(self.home.path().join("in.jsonl")).unwrap();
    }
}

/// Jobs fail at their first attempt.
fn moody() -> Builder {
    let handler = |job: LocalJob| async move {
        if job.attempt() == 1 { Err(HandlerError::from("not yet")) } else { Ok(job.input) }
    };
    LocalService::builder().endpoint("gated", handler)
}

#[tokio::test]
async fn settings_that_are_refused_leave_nothing_behind() {
    let site = Site::with(moody()).await;
    site.write_inputs(1);
    fs::write(site.home.path().join("blank.jsonl"), "\n").unwrap();
    let before = site.files();
    let webhook = ["--on-unknown", "by-webhook", "--webhook-listen", "127.0.0.1:0"];
    for (arguments, code, why) in [
        (&["--ttl", "1s"][..], 2, "policy.ttl"),
        (&["--execution-timeout", "1s"], 2, "policy.executionTimeout"),
        (&[&webhook[..], &["--webhook-url", "ftp://h.example"]].concat(), 2, "webhook"),
        (&[&webhook[..], &["--webhook-url", "http://h.example/#a"]].concat(), 2, "fragment"),
        (&["--journal", "./in.jsonl"], 2, "--journal names a file of its own"),
        (&["--journal", "."], 1, "is not a regular file"),
    ] {
        let ran = site.run(&[&RUN[..], arguments].concat()).await;
        ran.fails(code, why);
        assert_eq!(site.files(), before, "{arguments:?}");
    }
    let run = |inputs, endpoint| ["batch", "run", inputs, "-e", endpoint, "-o", "out.jsonl"];
    site.run(&run("in.jsonl", "..")).await.fails(2, "endpoint id");
    site.run(&run("blank.jsonl", "echo")).await.fails(2, "has no inputs");
    assert_eq!(site.files(), before);
    let sent = site.local.requests();
    assert!(sent.iter().all(|request| request.path.ends_with("/health")), "{sent:?}");
}

#[tokio::test]
async fn why_the_last_run_ended_is_shown_until_another_one_begins() {
    let (builder, gate) = gated();
    let site = Site::with(builder).await;
    site.write_inputs(2);
    site.local.add_fault(Fault::response(401, "{\"error\": \"revoked\"}").on(Operation::Run));
    site.run(&RUN).await.fails(4, "podqueue doctor gated");
    let refused = "the service refuses all calls";
    let status = site.status("out.jsonl").await;
    assert!(status["error"].as_str().unwrap().starts_with(refused), "{status}");
    let shown = site.run(&["batch", "status", "out.jsonl"]).await;
    assert!(shown.stdout.contains(&format!("error       {refused}")), "{}", shown.stdout);
    let watched = site.run(&["batch", "watch", "out.jsonl"]).await;
    assert!(watched.stdout.contains(&format!("error       {refused}")), "{}", watched.stdout);
    let watched = site.run(&["batch", "watch", "out.jsonl", "--json"]).await;
    let last: Value = serde_json::from_str(watched.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["error"], status["error"]);

    site.local.clear_faults();
    let child = site.program(&RUN).spawn().unwrap();
    outstanding(&site, 2).await;
    assert_eq!(site.status("out.jsonl").await.get("error"), None, "a run goes on");
    gate.send_replace(true);
    ended(child).await.assert_code(0);
    let status = site.status("out.jsonl").await;
    assert_eq!((status.get("error"), status.get("stopped")), (None, None));
}

#[tokio::test]
async fn why_the_last_run_stopped_is_shown() {
    let site = Site::start().await;
    site.write_inputs(3);
    let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl", "--take", "1"];
    site.run(&run).await.assert_code(3);
    assert_eq!(site.status("out.jsonl").await["stopped"], "taken");
    let shown = site.run(&["batch", "status", "out.jsonl"]).await;
    assert!(shown.stdout.contains("stopped     as many inputs as --take"), "{}", shown.stdout);
}

#[tokio::test]
async fn a_batch_without_its_inputs_is_cancelled() {
    let (builder, _gate) = gated();
    let site = Site::with(builder).await;
    site.write_inputs(10);
    let mut child = site.program(&[&RUN[..], &["--window", "4"]].concat()).spawn().unwrap();
    outstanding(&site, 4).await;
    child.kill().await.unwrap();
    site.remove_inputs();
    let cancelled = site.run(&["batch", "cancel", "out.jsonl", "--json"]).await;
    cancelled.assert_code(0);
    let cancelled: Value = serde_json::from_str(&cancelled.stdout).unwrap();
    assert_eq!(cancelled, json!({ "cancelled": 10, "outstanding": 0 }));
    assert_eq!(site.lines("out.jsonl.failed.jsonl").len(), 10);
    // Such a file is no file of inputs, which shows.
    let run = ["batch", "run", "out.jsonl.failed.jsonl", "--input-field", "input", "--dry-run"];
    site.run(&run).await.assert_code(2);
}

#[tokio::test]
async fn a_batch_without_its_inputs_is_retried_where_it_can_be() {
    let site = Site::with(moody()).await;
    site.write_inputs(2);
    site.run(&RUN).await.assert_code(3);
    let failures = site.lines("out.jsonl.failed.jsonl");
    site.remove_inputs();
    let retried = site.run(&["batch", "retry", "out.jsonl"]).await;
    retried.fails(2, "podqueue batch retry out.jsonl --same-jobs");
    assert!(retried.stderr.contains("in.jsonl"), "{}", retried.stderr);
    assert!(retried.stderr.contains("restore them first"), "{}", retried.stderr);
    assert_eq!(site.lines("out.jsonl.failed.jsonl"), failures, "nothing is lost");
    let retried = site.run(&["batch", "retry", "out.jsonl", "--same-jobs"]).await;
    retried.assert(0, "retried 2 jobs; the service no longer allows it for 0\n");
    // The run wants its inputs.
    site.run(&RUN).await.fails(2, "could not open the inputs in.jsonl");
    site.write_inputs(2);
    site.run(&RUN).await.assert_code(0);
    assert_eq!(site.submissions(), 2);
}

#[tokio::test]
async fn a_batch_that_reads_its_inputs_is_not_taken_for_one_without_any() {
    let site = Site::start().await;
    // As a process that runs a batch, and has not read any inputs yet.
    let mut store = Sqlite::file(site.home.path().join("out.jsonl.journal")).open().unwrap();
    let mut child = site.program(&["batch", "cancel", "out.jsonl"]).spawn().unwrap();
    while !store.note("request").unwrap().is_some_and(|it| it.starts_with("cancel")) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let early = tokio::time::timeout(Duration::from_secs(1), child.wait()).await;
    assert!(early.is_err(), "nothing is cancelled yet: {early:?}");
    drop(store);
    ended(child).await.fails(2, "pass the inputs");
}
