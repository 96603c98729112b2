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

use crate::support::{Fixture, ended, ran};

const RUN: [&str; 6] = ["batch", "run", "in.jsonl", "--endpoint", "echo", "--out"];

impl Fixture {
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
    let fixture = Fixture::start().await;
    fixture.write_inputs(30);
    let run = [&RUN[..], &["out.jsonl", "--quiet"]].concat();
    let first = fixture.run(&run).await;
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    assert!(first.stdout.contains("completed   30\n"), "{}", first.stdout);
    let mut results = fixture.lines("out.jsonl");
    results.sort_by_key(|line| line["index"].as_u64());
    assert_eq!(results.len(), 30);
    for (index, line) in results.iter().enumerate() {
        let found = (&line["index"], &line["status"], &line["output"]);
        assert_eq!(found, (&json!(index), &json!("COMPLETED"), &json!({ "n": index })));
    }
    let again = fixture.run(&run).await;
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    assert!(again.stdout.starts_with("all inputs have completed before"), "{}", again.stdout);
    assert_eq!(fixture.submissions(), 30);
}

#[tokio::test]
async fn an_invalid_line_is_refused_and_other_lines_complete() {
    let fixture = Fixture::start().await;
    let inputs = "{\"n\": 1}\n{\"n\": \n{\"n\": 3}\n";
    fs::write(fixture.home.path().join("in.jsonl"), inputs).unwrap();
    let checked = fixture.run(&["batch", "run", "in.jsonl", "--dry-run"]).await;
    assert_eq!(checked.code, 2, "{}", checked.stderr);
    assert!(checked.stdout.contains("line 2   is not valid JSON"), "{}", checked.stdout);
    assert_eq!(fs::read_dir(fixture.home.path()).unwrap().count(), 1, "a dry run leaves nothing");
    let ran = fixture.run(&[&RUN[..], &["out.jsonl"]].concat()).await;
    ran.fails(3, "podqueue batch retry out.jsonl --status refused");
    let named = ran.stdout.lines().find(|line| line.starts_with("in.jsonl:2 "));
    assert!(named.is_some_and(|it| it.contains("is not valid JSON: EOF")), "{}", ran.stdout);
    let retry = ["batch", "retry", "out.jsonl"];
    fixture.run(&retry).await.assert(0, "0 inputs pending again\n");
    let failures = fixture.lines("out.jsonl.failed.jsonl");
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0]["index"], 1);
    assert_eq!(failures[0]["status"], "REFUSED");
    assert_eq!(fixture.lines("out.jsonl").len(), 2);
    // A corrected line is submitted on request.
    let corrected = inputs.replace("{\"n\": \n", "{\"n\": 2}\n");
    fs::write(fixture.home.path().join("in.jsonl"), corrected).unwrap();
    let run = [&RUN[..], &["out.jsonl"]].concat();
    fixture.run(&run).await.fails(2, "has changed since the batch began");
    fixture.run(&[&run[..], &["--force"]].concat()).await.assert_code(3);
    let refused = fixture.run(&[&retry[..], &["--status", "refused"]].concat()).await;
    refused.assert(0, "1 input pending again\n");
    fixture.run(&run).await.assert_code(0);
}

#[tokio::test]
async fn a_summary_names_the_first_refused_lines() {
    let fixture = Fixture::start().await;
    fs::write(fixture.home.path().join("in.jsonl"), "[1]\n".repeat(8)).unwrap();
    let ran = fixture.run(&[&RUN[..], &["out.jsonl"]].concat()).await;
    ran.assert_code(3);
    for line in 1..=5 {
        assert!(ran.stdout.contains(&format!("in.jsonl:{line} ")), "{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("in.jsonl:6"), "{}", ran.stdout);
    assert!(ran.stdout.contains("and 3 more that were refused"), "{}", ran.stdout);
}

#[tokio::test]
async fn an_unknown_key_or_endpoint_creates_no_files() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(3);
    let names = || fs::read_dir(fixture.home.path()).unwrap().count();
    let before = names();
    let run = [&RUN[..], &["out.jsonl"]].concat();
    let wrong = ran(fixture.program(&run).env("PODQUEUE_API_KEY", "another")).await;
    wrong.fails(4, "podqueue doctor echo");
    assert_eq!(names(), before);
    let run = ["batch", "run", "in.jsonl", "--endpoint", "nowhere", "--out", "out.jsonl"];
    fixture.run(&run).await.fails(6, "podqueue doctor nowhere");
    assert_eq!(names(), before);
    assert_eq!(fixture.submissions(), 0);
}

#[tokio::test]
async fn a_finished_batch_reports_it_with_json() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(2);
    let run = [&RUN[..], &["out.jsonl", "--json"]].concat();
    let first = fixture.run(&run).await;
    assert!(!first.stderr.contains("nothing was left to do"), "{first:?}");
    fixture.run(&run).await.fails(0, "nothing was left to do");
}

#[tokio::test]
async fn results_truncated_during_a_run_exit_with_1() {
    let (builder, gate) = gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(40);
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl", "--window", "10"];
    gate.send_replace(true);
    // An unknown outcome is not the reason of the stop.
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    fixture.run(&[&run[..], &["--take", "5"]].concat()).await.assert_code(5);
    gate.send_replace(false);
    let child = fixture.program(&run).spawn().unwrap();
    fixture.requests_to("/run", 10).await;
    let results = fs::OpenOptions::new().write(true).open(fixture.home.path().join("out.jsonl"));
    results.unwrap().set_len(10).unwrap();
    gate.send_replace(true);
    ended(child).await.fails(1, "was moved, replaced or cut off while the batch ran");
    assert_eq!(fixture.status("out.jsonl").await["unknown"], 1);
}

#[cfg(unix)]
#[tokio::test]
async fn a_cancellation_of_many_jobs_shows_its_progress() {
    const JOBS: usize = 120;
    let (builder, _gate) = gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(JOBS);
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl", "--grace", "0s"];
    let child = fixture.program(&run).spawn().unwrap();
    outstanding(&fixture, JOBS as u64).await;
    crate::interruptions::signal(&child, rustix::process::Signal::TERM);
    ended(child).await;
    // The service allows 100 cancellations in 10 seconds.
    let cancelled = fixture.run(&["batch", "cancel", "out.jsonl"]).await;
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
    let fixture = Fixture::with(LocalService::builder().endpoint("moody", handler)).await;
    fixture.write_inputs(3);
    let run = ["batch", "run", "in.jsonl", "-e", "moody", "-o", "out.jsonl", "--key-field", "n"];
    assert_eq!(fixture.run(&run).await.code, 3);
    let failure = &fixture.lines("out.jsonl.failed.jsonl")[0];
    let found = (&failure["key"], &failure["input"], &failure["status"]);
    assert_eq!(found, (&json!(1), &json!({ "n": 1 }), &json!("FAILED")));
    works.store(true, Ordering::SeqCst);
    let second = ["batch", "run", "out.jsonl.failed.jsonl", "-e", "moody", "-o", "second.jsonl"];
    let fields = ["--input-field", "input", "--key-field", "key"];
    assert_eq!(fixture.run(&[&second[..], &fields].concat()).await.code, 0);
    assert_eq!(fixture.lines("second.jsonl")[0]["key"], 1);
    fixture
        .run(&["batch", "retry", "out.jsonl", "--status", "cancelled"])
        .await
        .assert(0, "0 inputs pending again\n");
    fixture.run(&["batch", "retry", "out.jsonl"]).await.assert(0, "1 input pending again\n");
    assert_eq!(fixture.run(&run).await.code, 0);
    assert_eq!(fixture.status("out.jsonl").await["completed"], 3);
    assert!(!fixture.home.path().join("out.jsonl.failed.jsonl").exists());
}

#[tokio::test]
async fn the_same_job_is_retried_on_request() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(1);
    let run = ["batch", "run", "in.jsonl", "-e", "fail", "-o", "out.jsonl"];
    assert_eq!(fixture.run(&run).await.code, 3);
    let job = fixture.lines("out.jsonl.failed.jsonl")[0]["job_id"].clone();
    let retried = fixture.json(&["batch", "retry", "out.jsonl", "--same-jobs"]).await;
    assert_eq!(retried, json!({ "retried": 1, "not_retriable": 0 }));
    assert_eq!(fixture.run(&run).await.code, 3);
    assert_eq!(fixture.lines("out.jsonl.failed.jsonl")[0]["job_id"], job);
    assert_eq!(fixture.submissions(), 1);
}

#[tokio::test]
async fn hints_name_the_journal() {
    let fixture = Fixture::start().await;
    fs::write(fixture.home.path().join("in.jsonl"), "{\"n\": 1}\n[\n").unwrap();
    let run = [&RUN[..], &["out.jsonl", "--journal", "my journal"]].concat();
    fixture
        .run(&run)
        .await
        .fails(3, "podqueue batch retry out.jsonl --journal 'my journal' --status refused");
    let retry = ["batch", "retry", "out.jsonl", "--journal", "my journal", "--status", "refused"];
    assert_eq!(fixture.json(&retry).await["retried"], 1);
}

#[tokio::test]
async fn an_unknown_outcome_exits_with_5_and_is_listed() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(5);
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    let run = [&RUN[..], &["out.jsonl", "--key-field", "n"]].concat();
    fixture.run(&run).await.fails(5, "podqueue batch unknown out.jsonl");
    let status = fixture.status("out.jsonl").await;
    let expected = json!({
        "total": 5, "pending": 0, "intent": 0, "submitted": 0, "completed": 4, "failed": 0,
        "cancelled": 0, "timed_out": 0, "expired": 0, "lost": 0, "unknown": 1, "refused": 0,
    });
    assert_eq!(status, expected);
    let unknown = fixture.json(&["batch", "unknown", "out.jsonl"]).await;
    let index = unknown["index"].clone();
    assert_eq!(unknown, json!({ "index": index, "key": index, "attempt": 1 }));
    let listed = fixture.run(&["batch", "unknown", "out.jsonl"]).await;
    assert!(listed.code == 0 && listed.stdout.starts_with("INDEX  LINE"), "{listed:?}");
    // It is not submitted again without a request.
    assert_eq!(fixture.run(&run).await.code, 5);
    assert_eq!(fixture.submissions(), 5);
    let resubmitted = fixture.run(&[&run[..], &["--on-unknown", "resubmit"]].concat()).await;
    assert_eq!(
        resubmitted.code,
        0,
        "{resubmitted:?} {:?}",
        fixture.lines("out.jsonl.failed.jsonl")
    );
    assert_eq!(fixture.submissions(), 6);
}

#[tokio::test]
async fn the_report_is_printed_as_json() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(10);
    let run = [&RUN[..], &["out.jsonl", "--take", "4", "--price", "2"]].concat();
    let report = fixture.json(&run).await;
    assert_eq!(report["completed"], 4);
    assert_eq!(report["pending"], 6);
    assert_eq!(report["stopped"], "taken");
    assert_eq!(report["submitted_now"], 4);
    let seconds = report["execution_seconds"].as_f64().unwrap();
    assert!((report["cost"].as_f64().unwrap() - 2.0 * seconds).abs() < 1e-9, "{report}");
    assert_eq!(fixture.run(&run).await.code, 3);
}

#[tokio::test]
async fn a_batch_stops_before_it_costs_too_much() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(10);
    let run = |more: &'static [&'static str]| [&RUN[..], &["out.jsonl"], more].concat();
    for (more, named) in [
        (&["--max-cost", "1"][..], "--price"),
        (&["--max-cost", "1", "--price", "1"], "--execution-timeout"),
        (&["--price", "1/day"], "1.58/h"),
        (&["--price", "1", "--sample", "3"], "--dry-run"),
    ] {
        let refused = fixture.run(&run(more)).await;
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains(named), "{refused:?}");
    }
    // A second costs one, and each job may take five.
    let none = ["--price", "3600/h", "--execution-timeout", "5s", "--max-cost", "4.9"];
    let stopped = fixture.run(&[&run(&[])[..], &none].concat()).await;
    assert_eq!((stopped.code, fixture.submissions()), (3, 0), "{stopped:?}");
    assert!(stopped.stdout.contains("another job could exceed --max-cost"), "{stopped:?}");
    let sample = run(&["--price", "1/s", "--dry-run", "--sample", "6"]);
    let report = fixture.json(&sample).await;
    assert_eq!((&report["completed"], &report["stopped"]), (&json!(6), &json!("taken")));
    let (cost, whole) = (&report["cost"], &report["cost_estimate"]["expected"]);
    let ratio = whole.as_f64().unwrap() / cost.as_f64().unwrap();
    assert!((ratio * 0.6 - 1.0).abs() < 1e-6 || cost == &json!(0.0), "{report}");
    let status = fixture.json(&["batch", "status", "out.jsonl"]).await;
    assert_eq!(status["cost"], *cost);
    let all = ["--price", "1", "--execution-timeout", "5s", "--max-cost", "100"];
    let done = fixture.run(&[&run(&[])[..], &all].concat()).await;
    assert_eq!((done.code, fixture.submissions()), (0, 10), "{done:?}");
}

#[tokio::test]
async fn too_many_failures_stop_a_batch() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(10);
    let run = ["batch", "run", "in.jsonl", "-e", "fail", "-o", "out.jsonl"];
    let limits = ["--max-failures", "1", "--window", "1"];
    let ran = fixture.run(&[&run[..], &limits].concat()).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("--max-failures"), "{}", ran.stdout);
    assert!(fixture.status("out.jsonl").await["pending"].as_u64() > Some(0));
}

#[tokio::test]
async fn results_are_exported_in_the_order_of_the_inputs() {
    let fixture = Fixture::start().await;
    let inputs = "{\"ms\": 300}\n{\"ms\": 0}\n{\"ms\": 0}\n";
    fs::write(fixture.home.path().join("in.jsonl"), inputs).unwrap();
    let run = ["batch", "run", "in.jsonl", "-e", "sleep", "-o", "out.jsonl"];
    assert_eq!(fixture.run(&run).await.code, 0);
    let exported = fixture.run(&["batch", "export", "out.jsonl"]).await;
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    let lines: Vec<Value> =
        exported.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let indices: Vec<_> = lines.iter().map(|line| line["index"].as_u64().unwrap()).collect();
    assert_eq!(indices, [0, 1, 2]);
    let mut results = fixture.lines("out.jsonl");
    results.sort_by_key(|line| line["index"].as_u64());
    assert_eq!(lines, results);
}

#[tokio::test]
async fn a_journal_of_another_batch_is_refused() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(3);
    assert_eq!(fixture.run(&[&RUN[..], &["a.jsonl"]].concat()).await.code, 0);
    let other = [&RUN[..], &["b.jsonl", "--journal", "a.jsonl.journal"]].concat();
    fixture.run(&other).await.fails(1, "does not belong to this journal");
    fs::write(fixture.home.path().join("in.jsonl"), "{\"n\": 7}\n").unwrap();
    fixture.run(&[&RUN[..], &["a.jsonl"]].concat()).await.fails(2, "line 1 of");
    let missing = fixture.run(&["batch", "status", "none.jsonl"]).await;
    missing.fails(1, "there is no journal none.jsonl.journal");
    fixture.run(&["batch", "retry", "none.jsonl"]).await.fails(1, "there is no journal");
    assert!(!fixture.home.path().join("none.jsonl.journal").exists());
    assert_eq!(fixture.submissions(), 3);
}

#[tokio::test]
async fn invalid_arguments_are_usage_errors() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(1);
    fixture.run(&["batch", "run", "in.jsonl", "--out", "o.jsonl"]).await.fails(2, "--endpoint");
    let with = async |option: &str, value: &str| {
        fixture.run(&[&RUN[..], &["out.jsonl", option, value]].concat()).await
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
    let accepting = fixture.run(&[&RUN[..], &["out.jsonl", "--accept-loss"]].concat()).await;
    accepting.fails(2, "--accept-loss is for a journal in a database");
    fixture
        .run(&["batch", "retry", "out.jsonl", "--status", "completed"])
        .await
        .fails(2, "completed");
    assert_eq!(fixture.submissions(), 0);
    let files = || fs::read_dir(fixture.home.path()).unwrap().count();
    let before = files();
    // The inputs are read twice, so they cannot be a pipe; no file is created.
    let run = async |inputs: &str| {
        fixture.run(&["batch", "run", inputs, "-e", "echo", "-o", "x.jsonl"]).await
    };
    run("-").await.fails(2, "write them to one first");
    run("missing.jsonl").await.fails(2, "could not open the inputs missing.jsonl");
    run("/dev/zero").await.fails(2, "is not a regular file");
    fixture.run(&["batch", "run", "in.jsonl", "-e", "echo", "-o", "."]).await.fails(2, "a file");
    for journal in ["in.jsonl", "x.jsonl"] {
        let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "x.jsonl", "--journal", journal];
        fixture.run(&run).await.fails(2, "--journal names a file of its own");
    }
    assert_eq!(files(), before);
    fixture
        .run(&["batch", "run", "in.jsonl", "-e", "no-such", "-o", "x.jsonl"])
        .await
        .fails(6, "podqueue doctor no-such");
}

#[tokio::test]
async fn status_and_watch_show_a_running_batch() {
    let (builder, gate) = gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(5);
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl"];
    let child = fixture.program(&run).spawn().unwrap();
    outstanding(&fixture, 5).await;
    fixture.run(&run).await.fails(1, "podqueue batch watch out.jsonl");
    fixture.run(&["batch", "retry", "out.jsonl"]).await.fails(1, "open in another process");
    let mut watching = fixture
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
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(10);
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl", "--window", "4"];
    let mut child = fixture.program(&run).spawn().unwrap();
    outstanding(&fixture, 4).await;
    child.kill().await.unwrap();
    let cancelled = fixture.json(&["batch", "cancel", "out.jsonl"]).await;
    assert_eq!(cancelled, json!({ "cancelled": 10, "outstanding": 0 }));
    assert_eq!(fixture.run(&run).await.code, 3);
    assert_eq!(fixture.submissions(), 4);
}

/// Waits until this many jobs of the batch in `out.jsonl` are outstanding.
pub async fn outstanding(fixture: &Fixture, jobs: u64) {
    fixture.requested("/run").await;
    while fixture.status("out.jsonl").await["submitted"] != jobs {}
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
        let fixture = Fixture::with(builder).await;
        fixture.write_inputs(10);
        let mut child = fixture.program(&RUN).spawn().unwrap();
        let mut said = Stderr::by(&mut child);
        outstanding(&fixture, 4).await;
        signal(&child, Signal::INT);
        said.until("collecting outstanding jobs").await;
        gate.send_replace(true);
        let ran = ended(child).await;
        assert_eq!(ran.code, 130, "{ran:?}");
        assert!(ran.stdout.contains("stopped     on request"), "{}", ran.stdout);
        let status = fixture.status("out.jsonl").await;
        assert_eq!((&status["completed"], &status["pending"]), (&json!(4), &json!(6)));
        assert_eq!(fixture.run(&RUN).await.code, 0);
        assert_eq!(fixture.submissions(), 10);
    }

    #[tokio::test]
    async fn the_second_signal_leaves_outstanding_jobs_to_the_next_run() {
        let (builder, gate) = gated();
        let fixture = Fixture::with(builder).await;
        fixture.write_inputs(10);
        let mut child = fixture.program(&RUN).spawn().unwrap();
        let mut said = Stderr::by(&mut child);
        outstanding(&fixture, 4).await;
        signal(&child, Signal::INT);
        said.until("collecting outstanding jobs").await;
        signal(&child, Signal::INT);
        said.until("interrupted; 0 of 10 ended (0%), 4 outstanding").await;
        said.until("the same command again continues").await;
        ended(child).await.assert(130, "");
        assert_eq!(fixture.status("out.jsonl").await["submitted"], 4);
        gate.send_replace(true);
        assert_eq!(fixture.run(&RUN).await.code, 0);
        assert_eq!(fixture.submissions(), 10);
    }

    #[tokio::test]
    async fn sigterm_leaves_jobs_beyond_the_grace_period() {
        let (builder, gate) = gated();
        let fixture = Fixture::with(builder).await;
        fixture.write_inputs(10);
        let child = fixture.program(&[&RUN[..], &["--grace", "100ms"]].concat()).spawn().unwrap();
        outstanding(&fixture, 4).await;
        signal(&child, Signal::TERM);
        let ran = ended(child).await;
        ran.fails(130, "terminated: collecting outstanding jobs for 100 ms");
        assert!(ran.stderr.contains("the same command again continues"), "{}", ran.stderr);
        assert_eq!(fixture.status("out.jsonl").await["submitted"], 4);
        let child = fixture.program(&[&RUN[..], &["--grace", "1h"]].concat()).spawn().unwrap();
        outstanding(&fixture, 4).await;
        gate.send_replace(true);
        assert_eq!(ended(child).await.code, 0);
        assert_eq!(fixture.submissions(), 10);
    }

    /// A lost connection to a remote machine closes the terminal.
    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_closed_terminal_ends_a_run_like_sigterm_except_under_nohup() {
        let (builder, gate) = gated();
        let fixture = Fixture::with(builder).await;
        fixture.write_inputs(10);
        let child = fixture.program(&[&RUN[..], &["--grace", "100ms"]].concat()).spawn().unwrap();
        outstanding(&fixture, 4).await;
        signal(&child, Signal::HUP);
        ended(child).await.fails(130, "terminated: collecting outstanding jobs for 100 ms");
        assert_eq!(fixture.status("out.jsonl").await["submitted"], 4);
        let run = fixture.program(&RUN);
        let run = run.as_std();
        let settings = run.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let mut nohup = tokio::process::Command::new("nohup");
        nohup.arg(run.get_program()).args(run.get_args()).envs(settings);
        nohup.current_dir(fixture.home.path()).kill_on_drop(true);
        let child = nohup.stdin(Stdio::null()).stderr(Stdio::piped()).stdout(Stdio::piped());
        let child = child.spawn().unwrap();
        outstanding(&fixture, 4).await;
        signal(&child, Signal::HUP);
        gate.send_replace(true);
        assert_eq!(ended(child).await.code, 0);
        assert_eq!(fixture.submissions(), 10);
    }

    #[tokio::test]
    async fn sigterm_does_not_wait_for_hanging_submissions() {
        let fixture = Fixture::start().await;
        fixture.write_inputs(3);
        fixture.local.add_fault(Fault::stall().on(Operation::Run));
        let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl", "--grace", "1ms"];
        let child = fixture.program(&run).spawn().unwrap();
        fixture.requested("/run").await;
        signal(&child, Signal::TERM);
        let signalled = Instant::now();
        ended(child).await.fails(130, "the same command again continues");
        assert!(signalled.elapsed() < SOON, "{:?}", signalled.elapsed());
        let status = fixture.status("out.jsonl").await;
        assert!(status["intent"].as_u64() > Some(0), "no response was waited for: {status}");
        fixture.local.clear_faults();
        fixture.run(&run).await.assert_code(5);
        assert_eq!(fixture.submissions(), 3);
    }

    #[tokio::test]
    async fn a_second_signal_does_not_wait_for_hanging_submissions() {
        for second in [Signal::INT, Signal::TERM] {
            let fixture = Fixture::start().await;
            fixture.write_inputs(3);
            fixture.local.add_fault(Fault::stall().on(Operation::Run));
            let mut child =
                fixture.program(&[&super::RUN[..], &["out.jsonl"]].concat()).spawn().unwrap();
            let mut said = Stderr::by(&mut child);
            fixture.requested("/run").await;
            signal(&child, Signal::INT);
            said.until("collecting outstanding jobs").await;
            signal(&child, second);
            said.until("recording the submissions in flight").await;
            let signalled = Instant::now();
            said.until("the same command again continues").await;
            ended(child).await.assert_code(130);
            assert!(signalled.elapsed() < SOON, "{:?}", signalled.elapsed());
            // Their responses were not awaited, so their outcome is unknown.
            let status = fixture.status("out.jsonl").await;
            assert!(status["intent"].as_u64() > Some(0), "{status}");
            assert_eq!(status["unknown"], 0, "{status}");
        }
    }
}

#[tokio::test]
async fn rate_limits_can_be_turned_off() {
    let fixture =
        Fixture::with(LocalService::builder().rate_limits(RateLimits::documented())).await;
    // One window of submissions, and some more.
    fixture.write_inputs(1_050);
    let run = [&RUN[..], &["out.jsonl", "--no-rate-limits", "--quiet"]].concat();
    fixture.run(&run).await.assert_code(0);
    let refused = fixture.local.requests().iter().any(|request| request.status == Some(429));
    assert!(refused, "it submitted faster than the limits allow");
    assert_eq!(fixture.lines("out.jsonl").len(), 1_050);
}
