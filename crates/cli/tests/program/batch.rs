//! Tests of `podqueue batch`.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use podqueue_local::RateLimits;
use podqueue_local::{Builder, Fault, HandlerError, LocalJob, LocalService, Operation};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::sync::watch;

use crate::support::{Site, ended, ran};

const RUN: [&str; 6] = ["batch", "run", "in.jsonl", "--endpoint", "echo", "--out"];

impl Site {
    /// Writes `{"n": 0}`, `{"n": 1}` and so on to `in.jsonl`.
    pub fn write_inputs(&self, count: usize) {
        let lines: String = (0..count).map(|n| format!("{{\"n\": {n}}}\n")).collect();
        fs::write(self.home.path().join("in.jsonl"), lines).unwrap();
    }

    /// The values in a file of lines; none if there is no such file.
    pub fn lines(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.home.path().join(name)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The one value that a command prints with `--json`.
    async fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat()).await;
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
    }

    pub async fn status(&self, results: &str) -> Value {
        self.json(&["batch", "status", results]).await
    }

    pub fn submissions(&self) -> usize {
        self.local.requests().iter().filter(|request| request.path.ends_with("/run")).count()
    }
}

/// An endpoint whose jobs complete once the gate is open.
pub fn gated() -> (Builder, watch::Sender<bool>) {
    let gate = watch::Sender::new(false);
    let opened = gate.clone();
    let handler = move |job: LocalJob| {
        let mut opened = opened.subscribe();
        async move {
            let _ = opened.wait_for(|open| *open).await;
            Ok::<_, HandlerError>(job.input)
        }
    };
    (LocalService::builder().endpoint("gated", handler), gate)
}

#[tokio::test]
async fn a_finished_batch_reports_that_nothing_is_left() {
    let site = Site::start().await;
    site.write_inputs(30);
    let run = [&RUN[..], &["out.jsonl", "--quiet"]].concat();
    let first = site.run(&run).await;
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    assert!(first.stdout.contains("completed   30\n"), "{}", first.stdout);
    let mut results = site.lines("out.jsonl");
    results.sort_by_key(|line| line["index"].as_u64());
    assert_eq!(results.len(), 30);
    for (index, line) in results.iter().enumerate() {
        let found = (&line["index"], &line["status"], &line["output"]);
        assert_eq!(found, (&json!(index), &json!("COMPLETED"), &json!({ "n": index })));
    }
    let again = site.run(&run).await;
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    assert!(again.stdout.starts_with("all inputs have completed before"), "{}", again.stdout);
    assert_eq!(site.submissions(), 30);
}

#[tokio::test]
async fn an_invalid_line_is_refused_and_other_lines_complete() {
    let site = Site::start().await;
    let inputs = "{\"n\": 1}\n{\"n\": \n{\"n\": 3}\n";
    fs::write(site.home.path().join("in.jsonl"), inputs).unwrap();
    let checked = site.run(&["batch", "run", "in.jsonl", "--dry-run"]).await;
    assert_eq!(checked.code, 2, "{}", checked.stderr);
    assert!(checked.stdout.contains("line 2   is not valid JSON"), "{}", checked.stdout);
    assert_eq!(fs::read_dir(site.home.path()).unwrap().count(), 1, "a dry run leaves nothing");
    let ran = site.run(&[&RUN[..], &["out.jsonl"]].concat()).await;
    ran.fails(3, "podqueue batch retry out.jsonl --status refused");
    let named = ran.stdout.lines().find(|line| line.starts_with("in.jsonl:2 "));
    assert!(named.is_some_and(|it| it.contains("is not valid JSON: EOF")), "{}", ran.stdout);
    let retry = ["batch", "retry", "out.jsonl"];
    site.run(&retry).await.assert(0, "0 inputs pending again\n");
    let failures = site.lines("out.jsonl.failed.jsonl");
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0]["index"], 1);
    assert_eq!(failures[0]["status"], "REFUSED");
    assert_eq!(site.lines("out.jsonl").len(), 2);
    // A corrected line is submitted on request.
    let corrected = inputs.replace("{\"n\": \n", "{\"n\": 2}\n");
    fs::write(site.home.path().join("in.jsonl"), corrected).unwrap();
    let run = [&RUN[..], &["out.jsonl"]].concat();
    site.run(&run).await.fails(2, "has changed since the batch began");
    site.run(&[&run[..], &["--force"]].concat()).await.assert_code(3);
    let refused = site.run(&[&retry[..], &["--status", "refused"]].concat()).await;
    refused.assert(0, "1 input pending again\n");
    site.run(&run).await.assert_code(0);
}

#[tokio::test]
async fn a_summary_names_the_first_refused_lines() {
    let site = Site::start().await;
    fs::write(site.home.path().join("in.jsonl"), "[1]\n".repeat(8)).unwrap();
    let ran = site.run(&[&RUN[..], &["out.jsonl"]].concat()).await;
    ran.assert_code(3);
    for line in 1..=5 {
        assert!(ran.stdout.contains(&format!("in.jsonl:{line} ")), "{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("in.jsonl:6"), "{}", ran.stdout);
    assert!(ran.stdout.contains("and 3 more that were refused"), "{}", ran.stdout);
}

#[tokio::test]
async fn an_unknown_key_or_endpoint_creates_no_files() {
    let site = Site::start().await;
    site.write_inputs(3);
    let names = || fs::read_dir(site.home.path()).unwrap().count();
    let before = names();
    let run = [&RUN[..], &["out.jsonl"]].concat();
    let wrong = ran(site.program(&run).env("PODQUEUE_API_KEY", "another")).await;
    wrong.fails(4, "podqueue doctor echo");
    assert_eq!(names(), before);
    let run = ["batch", "run", "in.jsonl", "--endpoint", "nowhere", "--out", "out.jsonl"];
    site.run(&run).await.fails(6, "podqueue doctor nowhere");
    assert_eq!(names(), before);
    assert_eq!(site.submissions(), 0);
}

#[tokio::test]
async fn a_finished_batch_reports_it_with_json() {
    let site = Site::start().await;
    site.write_inputs(2);
    let run = [&RUN[..], &["out.jsonl", "--json"]].concat();
    let first = site.run(&run).await;
    assert!(!first.stderr.contains("nothing was left to do"), "{first:?}");
    site.run(&run).await.fails(0, "nothing was left to do");
}

#[tokio::test]
async fn results_truncated_during_a_run_exit_with_1() {
    let (builder, gate) = gated();
    let site = Site::with(builder).await;
    site.write_inputs(40);
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl", "--window", "10"];
    gate.send_replace(true);
    // An unknown outcome is not the reason of the stop.
    site.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    site.run(&[&run[..], &["--take", "5"]].concat()).await.assert_code(5);
    gate.send_replace(false);
    let child = site.program(&run).spawn().unwrap();
    site.requests_to("/run", 10).await;
    let results = fs::OpenOptions::new().write(true).open(site.home.path().join("out.jsonl"));
    results.unwrap().set_len(10).unwrap();
    gate.send_replace(true);
    ended(child).await.fails(1, "was moved, replaced or cut off while the batch ran");
    assert_eq!(site.status("out.jsonl").await["unknown"], 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_cancellation_of_many_jobs_shows_its_progress() {
    const JOBS: usize = 120;
    let (builder, _gate) = gated();
    let site = Site::with(builder).await;
    site.write_inputs(JOBS);
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl", "--grace", "0s"];
    let child = site.program(&run).spawn().unwrap();
    outstanding(&site, JOBS as u64).await;
    crate::interruptions::signal(&child, rustix::process::Signal::TERM);
    ended(child).await;
    // The service allows 100 cancellations in 10 seconds.
    let cancelled = site.run(&["batch", "cancel", "out.jsonl"]).await;
    cancelled.assert(0, "cancelled 120 inputs\n");
    assert!(cancelled.stderr.contains(" outstanding (10 s)"), "{}", cancelled.stderr);
}

#[tokio::test]
async fn failed_inputs_are_retried_from_their_file_or_by_a_command() {
    let works = Arc::new(AtomicBool::new(false));
    let handler = {
        let works = Arc::clone(&works);
        move |job: LocalJob| {
            let fails = !works.load(Ordering::SeqCst) && job.input["n"] == 1;
            async move { if fails { Err(HandlerError::from("boo")) } else { Ok(job.input) } }
        }
    };
    let site = Site::with(LocalService::builder().endpoint("moody", handler)).await;
    site.write_inputs(3);
    let run = ["batch", "run", "in.jsonl", "-e", "moody", "-o", "out.jsonl", "--key-field", "n"];
    assert_eq!(site.run(&run).await.code, 3);
    let failure = &site.lines("out.jsonl.failed.jsonl")[0];
    let found = (&failure["key"], &failure["input"], &failure["status"]);
    assert_eq!(found, (&json!(1), &json!({ "n": 1 }), &json!("FAILED")));
    works.store(true, Ordering::SeqCst);
    let second = ["batch", "run", "out.jsonl.failed.jsonl", "-e", "moody", "-o", "second.jsonl"];
    let fields = ["--input-field", "input", "--key-field", "key"];
    assert_eq!(site.run(&[&second[..], &fields].concat()).await.code, 0);
    assert_eq!(site.lines("second.jsonl")[0]["key"], 1);
    site.run(&["batch", "retry", "out.jsonl", "--status", "cancelled"])
        .await
        .assert(0, "0 inputs pending again\n");
    site.run(&["batch", "retry", "out.jsonl"]).await.assert(0, "1 input pending again\n");
    assert_eq!(site.run(&run).await.code, 0);
    assert_eq!(site.status("out.jsonl").await["completed"], 3);
    assert!(!site.home.path().join("out.jsonl.failed.jsonl").exists());
}

#[tokio::test]
async fn the_same_job_is_retried_on_request() {
    let site = Site::start().await;
    site.write_inputs(1);
    let run = ["batch", "run", "in.jsonl", "-e", "fail", "-o", "out.jsonl"];
    assert_eq!(site.run(&run).await.code, 3);
    let job = site.lines("out.jsonl.failed.jsonl")[0]["job_id"].clone();
    let retried = site.json(&["batch", "retry", "out.jsonl", "--same-jobs"]).await;
    assert_eq!(retried, json!({ "retried": 1, "gone": 0 }));
    assert_eq!(site.run(&run).await.code, 3);
    assert_eq!(site.lines("out.jsonl.failed.jsonl")[0]["job_id"], job);
    assert_eq!(site.submissions(), 1);
}

#[tokio::test]
async fn hints_name_the_journal() {
    let site = Site::start().await;
    fs::write(site.home.path().join("in.jsonl"), "{\"n\": 1}\n[\n").unwrap();
    let run = [&RUN[..], &["out.jsonl", "--journal", "my journal"]].concat();
    site.run(&run)
        .await
        .fails(3, "podqueue batch retry out.jsonl --journal 'my journal' --status refused");
    let retry = ["batch", "retry", "out.jsonl", "--journal", "my journal", "--status", "refused"];
    assert_eq!(site.json(&retry).await["retried"], 1);
}

#[tokio::test]
async fn an_unknown_outcome_exits_with_5_and_is_listed() {
    let site = Site::start().await;
    site.write_inputs(5);
    site.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    let run = [&RUN[..], &["out.jsonl", "--key-field", "n"]].concat();
    site.run(&run).await.fails(5, "podqueue batch unknown out.jsonl");
    let status = site.status("out.jsonl").await;
    let expected = json!({
        "total": 5, "pending": 0, "intent": 0, "submitted": 0, "completed": 4, "failed": 0,
        "cancelled": 0, "timed_out": 0, "expired": 0, "lost": 0, "unknown": 1, "refused": 0,
    });
    assert_eq!(status, expected);
    let unknown = site.json(&["batch", "unknown", "out.jsonl"]).await;
    let index = unknown["index"].clone();
    assert_eq!(unknown, json!({ "index": index, "key": index, "attempt": 1 }));
    let listed = site.run(&["batch", "unknown", "out.jsonl"]).await;
    assert!(listed.code == 0 && listed.stdout.starts_with("INDEX  LINE"), "{listed:?}");
    // It is not submitted again without a request.
    assert_eq!(site.run(&run).await.code, 5);
    assert_eq!(site.submissions(), 5);
    let resubmitted = site.run(&[&run[..], &["--on-unknown", "resubmit"]].concat()).await;
    assert_eq!(resubmitted.code, 0, "{resubmitted:?} {:?}", site.lines("out.jsonl.failed.jsonl"));
    assert_eq!(site.submissions(), 6);
}

#[tokio::test]
async fn the_report_is_printed_as_json() {
    let site = Site::start().await;
    site.write_inputs(10);
    let run = [&RUN[..], &["out.jsonl", "--take", "4", "--price", "2"]].concat();
    let report = site.json(&run).await;
    assert_eq!(report["completed"], 4);
    assert_eq!(report["pending"], 6);
    assert_eq!(report["stopped"], "taken");
    assert_eq!(report["submitted_now"], 4);
    let seconds = report["execution_seconds"].as_f64().unwrap();
    assert!((report["cost"].as_f64().unwrap() - 2.0 * seconds).abs() < 1e-9, "{report}");
    assert_eq!(site.run(&run).await.code, 3);
}

#[tokio::test]
async fn too_many_failures_stop_a_batch() {
    let site = Site::start().await;
    site.write_inputs(10);
    let run = ["batch", "run", "in.jsonl", "-e", "fail", "-o", "out.jsonl"];
    let limits = ["--max-failures", "1", "--window", "1"];
    let ran = site.run(&[&run[..], &limits].concat()).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("--max-failures"), "{}", ran.stdout);
    assert!(site.status("out.jsonl").await["pending"].as_u64() > Some(0));
}

#[tokio::test]
async fn results_are_exported_in_the_order_of_the_inputs() {
    let site = Site::start().await;
    let inputs = "{\"ms\": 300}\n{\"ms\": 0}\n{\"ms\": 0}\n";
    fs::write(site.home.path().join("in.jsonl"), inputs).unwrap();
    let run = ["batch", "run", "in.jsonl", "-e", "sleep", "-o", "out.jsonl"];
    assert_eq!(site.run(&run).await.code, 0);
    let exported = site.run(&["batch", "export", "out.jsonl", "--ordered"]).await;
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    let lines: Vec<Value> =
        exported.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let indices: Vec<_> = lines.iter().map(|line| line["index"].as_u64().unwrap()).collect();
    assert_eq!(indices, [0, 1, 2]);
    let mut results = site.lines("out.jsonl");
    results.sort_by_key(|line| line["index"].as_u64());
    assert_eq!(lines, results);
}

#[tokio::test]
async fn a_journal_of_another_batch_is_refused() {
    let site = Site::start().await;
    site.write_inputs(3);
    assert_eq!(site.run(&[&RUN[..], &["a.jsonl"]].concat()).await.code, 0);
    let other = [&RUN[..], &["b.jsonl", "--journal", "a.jsonl.journal"]].concat();
    site.run(&other).await.fails(1, "does not belong to this journal");
    fs::write(site.home.path().join("in.jsonl"), "{\"n\": 7}\n").unwrap();
    site.run(&[&RUN[..], &["a.jsonl"]].concat()).await.fails(2, "line 1 of");
    let missing = site.run(&["batch", "status", "none.jsonl"]).await;
    missing.fails(1, "there is no journal none.jsonl.journal");
    site.run(&["batch", "retry", "none.jsonl"]).await.fails(1, "there is no journal");
    assert!(!site.home.path().join("none.jsonl.journal").exists());
    assert_eq!(site.submissions(), 3);
}

#[tokio::test]
async fn invalid_arguments_are_usage_errors() {
    let site = Site::start().await;
    site.write_inputs(1);
    site.run(&["batch", "run", "in.jsonl", "--out", "o.jsonl"]).await.fails(2, "--endpoint");
    let with = async |option: &str, value: &str| {
        site.run(&[&RUN[..], &["out.jsonl", option, value]].concat()).await
    };
    with("--max-failures", "2.5").await.fails(2, "a percentage such as 2.5%");
    with("--max-failures", "101%").await.fails(2, "a percentage");
    with("--max-failures", "NaN%").await.fails(2, "a percentage");
    for window in ["0", "-1", "NaN"] {
        with("--window", window).await.fails(2, "--window");
    }
    for price in ["NaN", "inf", "-1"] {
        with("--price", price).await.fails(2, "--price");
    }
    with("--price", "free").await.fails(2, "--price");
    for option in ["--grace", "--webhook-wait"] {
        with(option, "-1s").await.fails(2, option);
    }
    with("--take", "-1").await.fails(2, "--take");
    with("--max-failures", "-1").await.fails(2, "--max-failures");
    with("--journal", "mysql://host/db").await.fails(2, "expected postgres://");
    with("--ttl", "1s").await.fails(2, "policy.ttl");
    let accepting = site.run(&[&RUN[..], &["out.jsonl", "--accept-loss"]].concat()).await;
    accepting.fails(2, "--accept-loss is for a journal in a database");
    site.run(&["batch", "retry", "out.jsonl", "--status", "completed"]).await.fails(2, "completed");
    assert_eq!(site.submissions(), 0);
    let files = || fs::read_dir(site.home.path()).unwrap().count();
    let before = files();
    // The inputs are read twice, so they cannot be a pipe; no file is created.
    let run = async |inputs: &str| {
        site.run(&["batch", "run", inputs, "-e", "echo", "-o", "x.jsonl"]).await
    };
    run("-").await.fails(2, "write them to one first");
    run("missing.jsonl").await.fails(2, "could not open the inputs missing.jsonl");
    run("/dev/zero").await.fails(2, "is not a regular file");
    site.run(&["batch", "run", "in.jsonl", "-e", "echo", "-o", "."]).await.fails(2, "a file");
    for journal in ["in.jsonl", "x.jsonl"] {
        let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "x.jsonl", "--journal", journal];
        site.run(&run).await.fails(2, "--journal names a file of its own");
    }
    assert_eq!(files(), before);
    site.run(&["batch", "run", "in.jsonl", "-e", "no-such", "-o", "x.jsonl"])
        .await
        .fails(6, "podqueue doctor no-such");
}

#[tokio::test]
async fn status_and_watch_show_a_running_batch() {
    let (builder, gate) = gated();
    let site = Site::with(builder).await;
    site.write_inputs(5);
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl"];
    let child = site.program(&run).spawn().unwrap();
    outstanding(&site, 5).await;
    site.run(&run).await.fails(1, "podqueue batch watch out.jsonl");
    site.run(&["batch", "retry", "out.jsonl"]).await.fails(1, "open in another process");
    let mut watching = site
        .program(&["batch", "watch", "out.jsonl", "--json", "--interval", "100ms"])
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let first: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    assert_eq!(first["submitted"], 5);
    gate.send_replace(true);
    let mut last = first;
    while let Some(line) = lines.next_line().await.unwrap() {
        last = serde_json::from_str(&line).unwrap();
    }
    assert_eq!(last["completed"], 5);
    assert_eq!(ended(watching).await.code, 0);
    assert_eq!(ended(child).await.code, 0);
}

#[tokio::test]
async fn a_cancelled_batch_has_nothing_left_to_do() {
    let (builder, _gate) = gated();
    let site = Site::with(builder).await;
    site.write_inputs(10);
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl", "--window", "4"];
    let mut child = site.program(&run).spawn().unwrap();
    outstanding(&site, 4).await;
    child.kill().await.unwrap();
    let cancelled = site.json(&["batch", "cancel", "out.jsonl"]).await;
    assert_eq!(cancelled, json!({ "cancelled": 10, "outstanding": 0 }));
    assert_eq!(site.run(&run).await.code, 3);
    assert_eq!(site.submissions(), 4);
}

/// Waits until this many jobs of the batch in `out.jsonl` are outstanding.
pub async fn outstanding(site: &Site, jobs: u64) {
    site.requested("/run").await;
    while site.status("out.jsonl").await["submitted"] != jobs {}
}

/// The standard error of a program.
pub struct Stderr(BufReader<tokio::process::ChildStderr>);

impl Stderr {
    pub fn by(child: &mut Child) -> Self {
        Self(BufReader::new(child.stderr.take().unwrap()))
    }

    /// Reads until this text.
    pub async fn until(&mut self, text: &str) {
        while !self.next().await.contains(text) {}
    }

    /// Reads a line.
    pub async fn next(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.0.read_line(&mut line).await.unwrap(), 0, "nothing more was said");
        line
    }

    /// Reads until the program has ended.
    #[cfg(unix)]
    pub async fn rest(mut self) -> String {
        use tokio::io::AsyncReadExt;

        let mut rest = String::new();
        self.0.read_to_string(&mut rest).await.unwrap();
        rest
    }
}

#[cfg(unix)]
mod interruptions {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    use rustix::process::Signal;

    use super::*;
    use crate::interruptions::signal;

    /// Maximum time of an exit with submissions in flight, much longer than the two seconds that
    /// they are given.
    const SOON: Duration = Duration::from_secs(10);

    const RUN: [&str; 9] =
        ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl", "--window", "4"];

    #[tokio::test]
    async fn the_first_signal_collects_outstanding_jobs() {
        let (builder, gate) = gated();
        let site = Site::with(builder).await;
        site.write_inputs(10);
        let mut child = site.program(&RUN).spawn().unwrap();
        let mut said = Stderr::by(&mut child);
        outstanding(&site, 4).await;
        signal(&child, Signal::INT);
        said.until("collecting outstanding jobs").await;
        gate.send_replace(true);
        let ran = ended(child).await;
        assert_eq!(ran.code, 130, "{ran:?}");
        assert!(ran.stdout.contains("stopped     on request"), "{}", ran.stdout);
        let status = site.status("out.jsonl").await;
        assert_eq!((&status["completed"], &status["pending"]), (&json!(4), &json!(6)));
        assert_eq!(site.run(&RUN).await.code, 0);
        assert_eq!(site.submissions(), 10);
    }

    #[tokio::test]
    async fn the_second_signal_leaves_outstanding_jobs_to_the_next_run() {
        let (builder, gate) = gated();
        let site = Site::with(builder).await;
        site.write_inputs(10);
        let mut child = site.program(&RUN).spawn().unwrap();
        let mut said = Stderr::by(&mut child);
        outstanding(&site, 4).await;
        signal(&child, Signal::INT);
        said.until("collecting outstanding jobs").await;
        signal(&child, Signal::INT);
        said.until("interrupted; 0 of 10 ended (0%), 4 outstanding").await;
        said.until("the same command again continues").await;
        ended(child).await.assert(130, "");
        assert_eq!(site.status("out.jsonl").await["submitted"], 4);
        gate.send_replace(true);
        assert_eq!(site.run(&RUN).await.code, 0);
        assert_eq!(site.submissions(), 10);
    }

    #[tokio::test]
    async fn sigterm_leaves_jobs_beyond_the_grace_period() {
        let (builder, gate) = gated();
        let site = Site::with(builder).await;
        site.write_inputs(10);
        let child = site.program(&[&RUN[..], &["--grace", "100ms"]].concat()).spawn().unwrap();
        outstanding(&site, 4).await;
        signal(&child, Signal::TERM);
        let ran = ended(child).await;
        ran.fails(130, "terminated: collecting outstanding jobs for 100 ms");
        assert!(ran.stderr.contains("the same command again continues"), "{}", ran.stderr);
        assert_eq!(site.status("out.jsonl").await["submitted"], 4);
        let child = site.program(&[&RUN[..], &["--grace", "1h"]].concat()).spawn().unwrap();
        outstanding(&site, 4).await;
        gate.send_replace(true);
        assert_eq!(ended(child).await.code, 0);
        assert_eq!(site.submissions(), 10);
    }

    /// A lost connection to a remote machine closes the terminal.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_closed_terminal_ends_a_run_like_sigterm_except_under_nohup() {
        let (builder, gate) = gated();
        let site = Site::with(builder).await;
        site.write_inputs(10);
        let child = site.program(&[&RUN[..], &["--grace", "100ms"]].concat()).spawn().unwrap();
        outstanding(&site, 4).await;
        signal(&child, Signal::HUP);
        ended(child).await.fails(130, "terminated: collecting outstanding jobs for 100 ms");
        assert_eq!(site.status("out.jsonl").await["submitted"], 4);
        let run = site.program(&RUN);
        let run = run.as_std();
        let settings = run.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut nohup = tokio::process::Command::new("nohup");
        nohup.arg(run.get_program()).args(run.get_args()).envs(settings);
        nohup.current_dir(site.home.path()).kill_on_drop(true);
        let child = nohup.stdin(Stdio::null()).stderr(Stdio::piped()).stdout(Stdio::piped());
        let child = child.spawn().unwrap();
        outstanding(&site, 4).await;
        signal(&child, Signal::HUP);
        gate.send_replace(true);
        assert_eq!(ended(child).await.code, 0);
        assert_eq!(site.submissions(), 10);
    }

    #[tokio::test]
    async fn sigterm_does_not_wait_for_hanging_submissions() {
        let site = Site::start().await;
        site.write_inputs(3);
        site.local.add_fault(Fault::stall().on(Operation::Run));
        let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl", "--grace", "1ms"];
        let child = site.program(&run).spawn().unwrap();
        site.requested("/run").await;
        signal(&child, Signal::TERM);
        let signalled = Instant::now();
        ended(child).await.fails(130, "the same command again continues");
        assert!(signalled.elapsed() < SOON, "{:?}", signalled.elapsed());
        let status = site.status("out.jsonl").await;
        assert!(status["intent"].as_u64() > Some(0), "no response was waited for: {status}");
        site.local.clear_faults();
        site.run(&run).await.assert_code(5);
        assert_eq!(site.submissions(), 3);
    }

    #[tokio::test]
    async fn a_second_signal_does_not_wait_for_hanging_submissions() {
        for second in [Signal::INT, Signal::TERM] {
            let site = Site::start().await;
            site.write_inputs(3);
            site.local.add_fault(Fault::stall().on(Operation::Run));
            let mut child =
                site.program(&[&super::RUN[..], &["out.jsonl"]].concat()).spawn().unwrap();
            let mut said = Stderr::by(&mut child);
            site.requested("/run").await;
            signal(&child, Signal::INT);
            said.until("collecting outstanding jobs").await;
            signal(&child, second);
            said.until("recording the submissions in flight").await;
            let signalled = Instant::now();
            said.until("the same command again continues").await;
            ended(child).await.assert_code(130);
            assert!(signalled.elapsed() < SOON, "{:?}", signalled.elapsed());
            // Their responses were not awaited, so their outcome is unknown.
            let status = site.status("out.jsonl").await;
            assert!(status["intent"].as_u64() > Some(0), "{status}");
            assert_eq!(status["unknown"], 0, "{status}");
        }
    }
}

#[tokio::test]
async fn rate_limits_can_be_turned_off() {
    let site = Site::with(LocalService::builder().rate_limits(RateLimits::documented())).await;
    // One window of submissions, and some more.
    site.write_inputs(1_050);
    let run = [&RUN[..], &["out.jsonl", "--no-rate-limits", "--quiet"]].concat();
    site.run(&run).await.assert_code(0);
    let refused = site.local.requests().iter().any(|request| request.status == Some(429));
    assert!(refused, "it submitted faster than the limits allow");
    assert_eq!(site.lines("out.jsonl").len(), 1_050);
}
