//! Tests of the lifecycle of a batch: changed and missing inputs, expiry, concurrent processes, and
//! the end of its last run.

use std::fs;
use std::time::Duration;

use podqueue_batch::Sqlite;
use podqueue_batch::store::{OpenStore, Store};
use podqueue_local::{Builder, Fault, HandlerError, LocalJob, LocalService, Operation, Workers};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::batch::{Stderr, gated, outstanding};
use crate::support::{Fixture, KEY, ended, ran};

/// Pause before another process of the program reads the state of a batch or a queue.
const BETWEEN_READS: Duration = Duration::from_millis(100);

const GATED: [&str; 7] = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl"];

#[tokio::test]
async fn changed_inputs_are_refused_and_accepted_with_force() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(4);
    let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl"];
    fixture.run(&[&run[..], &["--take", "2"]].concat()).await;
    fs::write(
        fixture.home.path().join("in.jsonl"),
        "{\"n\":9}\n{\"n\": 1}\n{\"n\":8}\n{\"n\": 3}\n",
    )
    .unwrap();
    fixture.run(&run).await.fails(2, "the same command with --force");
    let forced = fixture.run(&[&run[..], &["--force"]].concat()).await;
    forced.fails(
        0,
        "1 are submitted with their new content, 1 have been submitted or have ended, and keep",
    );
    let mut results = fixture.lines("out.jsonl");
    results.sort_by_key(|line| line["index"].as_u64());
    let outputs: Vec<_> = results.iter().map(|line| line["output"]["n"].clone()).collect();
    assert_eq!(outputs, [0, 1, 8, 3]);
    // The changed inputs are the inputs from now on.
    fixture.run(&run).await.assert_code(0);
}

#[tokio::test]
async fn a_refused_line_that_is_corrected_keeps_its_state() {
    let fixture = Fixture::start().await;
    let write = |line: &str| {
        fs::write(fixture.home.path().join("in.jsonl"), format!("{{\"n\": 0}}\n{line}\n")).unwrap();
    };
    let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl"];
    write("no JSON");
    fixture.run(&run).await.assert_code(3);
    write("{\"n\": 1}");
    let forced = fixture.run(&[&run[..], &["--force"]].concat()).await;
    forced.fails(3, "1 have been submitted or have ended, and keep their state");
    assert_eq!(fixture.submissions(), 1);
}

#[tokio::test]
async fn a_running_batch_is_cancelled_from_another_terminal() {
    let (builder, _gate) = gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(10);
    let child = fixture.program(&[&GATED[..], &["--window", "4"]].concat()).spawn().unwrap();
    outstanding(&fixture, 4).await;
    let cancelled = fixture.run(&["batch", "cancel", "out.jsonl", "--json"]).await;
    cancelled.fails(0, "is asked to cancel it");
    let counts: Value = serde_json::from_str(&cancelled.stdout).unwrap();
    assert_eq!(counts, json!({ "cancelled": 10, "outstanding": 0 }));
    let ran = ended(child).await;
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.contains("cancelled by another process"), "{}", ran.stdout);
    assert_eq!(fixture.submissions(), 4);
    assert_eq!(fixture.lines("out.jsonl.failed.jsonl").len(), 10);
}

#[cfg(unix)]
#[tokio::test]
async fn a_cancellation_reports_a_suspended_process() {
    use rustix::process::Signal;

    use crate::interruptions::signal;

    let (builder, _gate) = gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(10);
    let child = fixture.program(&[&GATED[..], &["--window", "4"]].concat()).spawn().unwrap();
    outstanding(&fixture, 4).await;
    signal(&child, Signal::STOP);
    let cancel = || fixture.program(&["batch", "cancel", "out.jsonl"]).spawn().unwrap();
    let (mut interrupted, mut waiting) = (cancel(), cancel());
    Stderr::by(&mut interrupted).until("kill -CONT").await;
    signal(&interrupted, Signal::INT);
    ended(interrupted).await.assert_code(130);
    let mut said = Stderr::by(&mut waiting);
    said.until("kill -CONT").await;
    signal(&child, Signal::CONT);
    ended(waiting).await.assert(0, "cancelled 10 inputs\n");
    assert!(!said.rest().await.contains("kill -CONT"), "it is said once");
    ended(child).await.assert_code(3);
}

#[tokio::test]
async fn watch_shows_the_rate_and_ends_without_a_running_process() {
    let handler = |job: LocalJob| async move {
        match job.input["n"].as_u64() {
            Some(100..) => {
                job.cancelled().await;
                Err(HandlerError::from("cancelled"))
            }
            _ => Ok(job.input),
        }
    };
    let fixture = Fixture::with(
        LocalService::builder()
            .endpoint("gated", handler)
            .workers_of("gated", Workers::between(8, 8)),
    )
    .await;
    fixture.write_inputs(105);
    let mut child = fixture.program(&GATED).spawn().unwrap();
    outstanding(&fixture, 5).await;
    let watch = ["batch", "watch", "out.jsonl", "--interval", "100ms"];
    let mut watching = fixture.program(&[&watch[..], &["--json"]].concat()).spawn().unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut next = async || -> Value {
        serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap()
    };
    let seen = loop {
        let seen = next().await;
        if seen["eta_seconds"].is_number() {
            break seen;
        }
    };
    assert_eq!(seen["running"], true);
    let (rate, eta) = (seen["rate"].as_f64().unwrap(), seen["eta_seconds"].as_f64().unwrap());
    assert!((rate * eta - 5.0).abs() < 1e-6, "5 are left: {seen}");
    child.kill().await.unwrap();
    let seen = loop {
        let seen = next().await;
        if seen["running"] == false {
            break seen;
        }
    };
    assert_eq!((&seen["rate"], &seen["submitted"]), (&Value::Null, &json!(5)));
    assert_eq!(lines.next_line().await.unwrap(), None, "it does not wait for another process");
    ended(watching).await.fails(3, "the command that began it continues it");
    let watched = fixture.run(&watch).await;
    watched.fails(3, "no process runs this batch");
    assert!(watched.stdout.contains("submitted"), "{}", watched.stdout);
    fixture.run(&["batch", "status", "out.jsonl"]).await.fails(0, "no process runs this batch");
    fixture.run(&["batch", "cancel", "out.jsonl"]).await.assert_code(0);
}

/// Waits until the status shows this error.
async fn wait_for_error(fixture: &Fixture, error: &str) {
    let looking = async {
        loop {
            let status = fixture.status("out.jsonl").await;
            if status["error_summary"].as_str().is_some_and(|text| text.contains(error)) {
                return;
            }
            tokio::time::sleep(BETWEEN_READS).await;
        }
    };
    let seen = tokio::time::timeout(Duration::from_secs(60), looking).await;
    seen.unwrap_or_else(|_| panic!("no error is seen: {error}"));
}

#[tokio::test]
async fn status_and_watch_show_persistent_errors() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(2);
    fixture.local.add_fault(Fault::response(200, "<html>log in</html>").on(Operation::Status));
    let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl"];
    let child = fixture.program(&run).spawn().unwrap();
    fixture.requested("/run").await;
    wait_for_error(&fixture, "the status of 2 jobs cannot be read").await;
    let status = fixture.run(&["batch", "status", "out.jsonl"]).await;
    assert!(status.stdout.contains("errors      the status of 2 jobs"), "{}", status.stdout);
    let mut watching = fixture.program(&["batch", "watch", "out.jsonl"]).spawn().unwrap();
    Stderr::by(&mut watching).until("the status of 2 jobs cannot be read").await;
    fixture.local.clear_faults();
    ended(child).await.assert_code(0);
    ended(watching).await.assert_code(0);
    assert_eq!(fixture.status("out.jsonl").await.get("error_summary"), None);
}

#[tokio::test]
async fn webhooks_resolve_unknown_outcomes() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(20);
    let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl", "--on-unknown"];
    let run = [&run[..], &["by_webhook"]].concat();
    fixture.run(&run).await.fails(2, "needs --webhook-url and --webhook-listen");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = free.to_string();
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(3));
    let url = format!("http://{address}/hook?token=s3cret");
    let arguments = ["--webhook-listen", &address, "--webhook-wait", "30s", "--quiet"];
    let mut program = fixture.program(&[&run[..], &arguments].concat());
    let ran = ended(program.env("PODQUEUE_WEBHOOK_URL", &url).spawn().unwrap()).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(fixture.lines("out.jsonl").len(), 20);
    assert_eq!(fixture.submissions(), 20);
    assert!(!format!("{ran:?}").contains("s3cret"));
    let help = ended(
        fixture.program(&["batch", "run", "-h"]).env("PODQUEUE_WEBHOOK_URL", &url).spawn().unwrap(),
    );
    assert!(!help.await.stdout.contains("s3cret"));
    // A free port, since nothing listens there any more.
    let _taken = std::net::TcpListener::bind(free).unwrap();
    let mut program =
        fixture.program(&[&run[..], &arguments, &["--webhook-url", "http://h/"]].concat());
    ended(program.spawn().unwrap()).await.fails(1, "could not listen on");
}

#[tokio::test]
async fn a_run_waits_for_a_full_queue() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(120);
    let mut local = fixture.program(&["local", "--listen", "127.0.0.1:0", "--max-queued", "10"]);
    let mut local = local.spawn().unwrap();
    let mut lines = BufReader::new(local.stdout.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let url = line.strip_prefix("export PODQUEUE_BASE_URL=").unwrap();
    let inputs: String = (0..120).map(|_| "{\"ms\": 20}\n").collect();
    fs::write(fixture.home.path().join("in.jsonl"), inputs).unwrap();
    for (results, window) in [("a.jsonl", "1000"), ("b.jsonl", "5")] {
        let run = ["batch", "run", "in.jsonl", "-e", "sleep", "-o", results, "--window", window];
        let child = fixture.program(&run).env("PODQUEUE_BASE_URL", url).spawn().unwrap();
        ended(child).await.assert_code(0);
        assert_eq!(fixture.lines(results).len(), 120);
    }
    local.kill().await.unwrap();
    let at_most = fixture.program(&GATED).args(["--window", "many"]).spawn().unwrap();
    ended(at_most).await.fails(2, "--window");
}

/// The outcome of a batch that is not run for this long, by the clocks of the service and the
/// program.
#[cfg(target_os = "linux")]
async fn resume_after(minutes: u64) -> (Value, usize) {
    let handler = |job: LocalJob| async move {
        if job.input["n"].as_u64() >= Some(5) {
            job.cancelled().await;
        }
        Ok(job.input)
    };
    let builder = LocalService::builder()
        .manual_clock()
        .endpoint("gated", handler)
        .workers_of("gated", Workers::between(10, 10))
        .execution_timeout_of("gated", Duration::from_secs(7_200));
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(10);
    fixture.local.add_fault(Fault::response(503, "{}").on(Operation::Status));
    let mut child = fixture.program(&GATED).spawn().unwrap();
    outstanding(&fixture, 10).await;
    loop {
        let health = fixture.run(&["health", "gated", "--json"]).await;
        let health: Value = serde_json::from_str(&health.stdout).unwrap();
        if health["jobs"]["completed"] == 5 {
            break;
        }
        tokio::time::sleep(BETWEEN_READS).await;
    }
    child.kill().await.unwrap();
    fixture.local.clear_faults();
    let away = Duration::from_secs(minutes * 60);
    fixture.local.clock().advance(away);
    let tools = tempfile::tempdir().unwrap();
    let mut child = fixture
        .program(&GATED)
        .env("LD_PRELOAD", crate::preload::library(tools.path()))
        .env("PRELOAD_CLOCK", away.as_secs().to_string())
        .spawn()
        .unwrap();
    let status = loop {
        let status = fixture.status("out.jsonl").await;
        if status["submitted"] == 5 {
            break status;
        }
        tokio::time::sleep(BETWEEN_READS).await;
    };
    child.kill().await.unwrap();
    (status, fixture.submissions())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn after_29_minutes_every_result_is_collected() {
    let (status, submissions) = resume_after(29).await;
    assert_eq!((&status["completed"], &status["expired"]), (&json!(5), &json!(0)), "{status}");
    assert_eq!(submissions, 10);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn after_31_minutes_finished_jobs_have_expired() {
    let (status, submissions) = resume_after(31).await;
    assert_eq!((&status["completed"], &status["expired"]), (&json!(0), &json!(5)), "{status}");
    assert_eq!(submissions, 10);
}

/// Runs the program as a user without write access to its home: root could write everywhere.
#[cfg(unix)]
async fn run_as_reader(fixture: &Fixture, arguments: &[&str]) -> crate::support::Ran {
    const NOBODY: u32 = 65_534;
    let home = fixture.home.path();
    let program = home.join("podqueue");
    if !program.exists() {
        // By another process: a concurrently started program inherits the file that this process
        // has open for writing, and then the copy cannot be executed.
        let mut copy = std::process::Command::new("cp");
        copy.args([env!("CARGO_BIN_EXE_podqueue").as_ref(), program.as_os_str()]);
        assert!(copy.status().unwrap().success());
    }
    let mut command = tokio::process::Command::new(program);
    command.args(arguments).current_dir(home).env_clear().env("HOME", "/");
    command.stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    if rustix::process::geteuid().is_root() {
        for entry in fs::read_dir(home).unwrap() {
            std::os::unix::fs::chown(entry.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        std::os::unix::fs::chown(home, Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let permit = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(home, mode).unwrap();
    };
    permit(0o555);
    let ran = ended(command.spawn().unwrap()).await;
    permit(0o755);
    ran
}

#[cfg(unix)]
#[tokio::test]
async fn a_batch_in_a_read_only_folder_is_readable() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(3);
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out ?%.jsonl"];
    fixture.run(&run).await.assert_code(5);
    let status = run_as_reader(&fixture, &["batch", "status", "out ?%.jsonl"]).await;
    assert!(status.code == 0 && status.stdout.contains("completed   2"), "{status:?}");
    let exported = run_as_reader(&fixture, &["batch", "export", "out ?%.jsonl"]).await;
    assert!(exported.code == 0 && exported.stdout.lines().count() == 2, "{exported:?}");
    let unknown = run_as_reader(&fixture, &["batch", "unknown", "out ?%.jsonl"]).await;
    assert!(unknown.code == 0 && unknown.stdout.starts_with("INDEX"), "{unknown:?}");
    run_as_reader(&fixture, &["batch", "watch", "out ?%.jsonl"]).await.assert_code(5);
    let retried = run_as_reader(&fixture, &["batch", "retry", "out ?%.jsonl"]).await;
    retried.fails(1, "check the permissions");
}

#[cfg(unix)]
#[tokio::test]
async fn a_batch_of_a_killed_process_is_readable_in_a_read_only_folder() {
    let (builder, _gate) = gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(5);
    let mut child = fixture.program(&GATED).spawn().unwrap();
    outstanding(&fixture, 5).await;
    child.kill().await.unwrap();
    let status = run_as_reader(&fixture, &["batch", "status", "out.jsonl"]).await;
    assert!(status.code == 0 && status.stdout.contains("submitted   5"), "{status:?}");
    // As if only some of the files had been copied.
    fs::remove_file(fixture.home.path().join("out.jsonl.journal-shm")).unwrap();
    let status = run_as_reader(&fixture, &["batch", "status", "out.jsonl"]).await;
    status.fails(1, "copy both to another folder");
}

#[tokio::test]
async fn a_moved_batch_is_read_at_its_new_path() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(3);
    fixture
        .run(&["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl"])
        .await
        .assert_code(0);
    let exported = fixture.run(&["batch", "export", "out.jsonl"]).await;
    fs::create_dir(fixture.home.path().join("moved")).unwrap();
    for name in ["out.jsonl", "out.jsonl.journal"] {
        let path = |folder: &str| fixture.home.path().join(folder).join(name);
        fs::rename(path("."), path("moved")).unwrap();
    }
    let there = |command| ["batch", command, "moved/out.jsonl"];
    fixture.run(&there("export")).await.assert(0, &exported.stdout);
    for command in ["status", "watch"] {
        let shown = fixture.run(&there(command)).await.stdout;
        assert!(shown.contains("results     moved/out.jsonl\n"), "{shown}");
    }
}

#[tokio::test]
async fn jobs_of_another_url_are_reported_with_it() {
    let (builder, gate) = gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(2);
    let mut child = fixture.program(&GATED).spawn().unwrap();
    outstanding(&fixture, 2).await;
    child.kill().await.unwrap();
    let other = LocalService::builder().api_key(KEY).start().await.unwrap();
    let elsewhere = ran(fixture.program(&GATED).env("PODQUEUE_BASE_URL", other.base_url())).await;
    elsewhere.fails(3, &format!("to collect the jobs of {}", fixture.local.base_url()));
    assert!(!elsewhere.stderr.contains(&other.base_url()), "{elsewhere:?}");
    gate.send_replace(true);
    let back = fixture.run(&GATED).await;
    back.assert_code(0);
    assert!(!back.stderr.contains("submitted to"), "{back:?}");
}

impl Fixture {
    /// The names of the files in the home.
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

/// An endpoint whose jobs fail at their first attempt.
fn flaky() -> Builder {
    let handler = |job: LocalJob| async move {
        if job.attempt() == 1 { Err(HandlerError::from("not yet")) } else { Ok(job.input) }
    };
    LocalService::builder().endpoint("gated", handler)
}

#[tokio::test]
async fn refused_settings_create_no_files() {
    let fixture = Fixture::with(flaky()).await;
    fixture.write_inputs(1);
    fs::write(fixture.home.path().join("blank.jsonl"), "\n").unwrap();
    let before = fixture.files();
    let webhook = ["--on-unknown", "by-webhook", "--webhook-listen", "127.0.0.1:0"];
    for (arguments, code, why) in [
        (&["--ttl", "1s"][..], 2, "policy.ttl"),
        (&["--execution-timeout", "1s"], 2, "policy.executionTimeout"),
        (&[&webhook[..], &["--webhook-url", "ftp://h.example"]].concat(), 2, "webhook"),
        (&[&webhook[..], &["--webhook-url", "http://h.example/#a"]].concat(), 2, "fragment"),
        (&["--journal", "./in.jsonl"], 2, "--journal names a file of its own"),
        (&["--journal", "."], 1, "is not a regular file"),
    ] {
        let ran = fixture.run(&[&GATED[..], arguments].concat()).await;
        ran.fails(code, why);
        assert_eq!(fixture.files(), before, "{arguments:?}");
    }
    let run = |inputs, endpoint| ["batch", "run", inputs, "-e", endpoint, "-o", "out.jsonl"];
    fixture.run(&run("in.jsonl", "..")).await.fails(2, "endpoint id");
    fixture.run(&run("blank.jsonl", "echo")).await.fails(2, "has no inputs");
    assert_eq!(fixture.files(), before);
    let sent = fixture.local.requests();
    assert!(sent.iter().all(|request| request.path.ends_with("/health")), "{sent:?}");
}

#[tokio::test]
async fn the_error_of_the_last_run_is_shown_until_the_next_run() {
    let (builder, gate) = gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(2);
    fixture.local.add_fault(Fault::response(401, "{\"error\": \"revoked\"}").on(Operation::Run));
    fixture.run(&GATED).await.fails(4, "podqueue doctor gated");
    let refused = "the service refuses all calls";
    let status = fixture.status("out.jsonl").await;
    assert!(status["error"].as_str().unwrap().starts_with(refused), "{status}");
    let shown = fixture.run(&["batch", "status", "out.jsonl"]).await;
    assert!(shown.stdout.contains(&format!("error       {refused}")), "{}", shown.stdout);
    let watched = fixture.run(&["batch", "watch", "out.jsonl"]).await;
    assert!(watched.stdout.contains(&format!("error       {refused}")), "{}", watched.stdout);
    let watched = fixture.run(&["batch", "watch", "out.jsonl", "--json"]).await;
    let last: Value = serde_json::from_str(watched.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["error"], status["error"]);

    fixture.local.clear_faults();
    let child = fixture.program(&GATED).spawn().unwrap();
    outstanding(&fixture, 2).await;
    assert_eq!(fixture.status("out.jsonl").await.get("error"), None, "a run continues");
    gate.send_replace(true);
    ended(child).await.assert_code(0);
    let status = fixture.status("out.jsonl").await;
    assert_eq!((status.get("error"), status.get("stopped")), (None, None));
}

#[tokio::test]
async fn the_stop_reason_of_the_last_run_is_shown() {
    let fixture = Fixture::start().await;
    fixture.write_inputs(3);
    let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", "out.jsonl", "--take", "1"];
    fixture.run(&run).await.assert_code(3);
    assert_eq!(fixture.status("out.jsonl").await["stopped"], "taken");
    let shown = fixture.run(&["batch", "status", "out.jsonl"]).await;
    assert!(shown.stdout.contains("stopped     as many inputs as --take"), "{}", shown.stdout);
}

#[tokio::test]
async fn a_batch_without_its_inputs_is_cancelled() {
    let (builder, _gate) = gated();
    let fixture = Fixture::with(builder).await;
    fixture.write_inputs(10);
    let mut child = fixture.program(&[&GATED[..], &["--window", "4"]].concat()).spawn().unwrap();
    outstanding(&fixture, 4).await;
    child.kill().await.unwrap();
    fixture.remove_inputs();
    let cancelled = fixture.run(&["batch", "cancel", "out.jsonl", "--json"]).await;
    cancelled.assert_code(0);
    let cancelled: Value = serde_json::from_str(&cancelled.stdout).unwrap();
    assert_eq!(cancelled, json!({ "cancelled": 10, "outstanding": 0 }));
    assert_eq!(fixture.lines("out.jsonl.failed.jsonl").len(), 10);
    // Such a file is not a file of inputs, and is refused as one.
    let run = ["batch", "run", "out.jsonl.failed.jsonl", "--input-field", "input", "--dry-run"];
    fixture.run(&run).await.assert_code(2);
}

#[tokio::test]
async fn a_batch_without_its_inputs_retries_the_same_jobs() {
    let fixture = Fixture::with(flaky()).await;
    fixture.write_inputs(2);
    fixture.run(&GATED).await.assert_code(3);
    let failures = fixture.lines("out.jsonl.failed.jsonl");
    fixture.remove_inputs();
    let retried = fixture.run(&["batch", "retry", "out.jsonl"]).await;
    retried.fails(2, "podqueue batch retry out.jsonl --same-jobs");
    assert!(retried.stderr.contains("in.jsonl"), "{}", retried.stderr);
    assert!(retried.stderr.contains("restore them first"), "{}", retried.stderr);
    assert_eq!(fixture.lines("out.jsonl.failed.jsonl"), failures, "nothing is lost");
    let retried = fixture.run(&["batch", "retry", "out.jsonl", "--same-jobs"]).await;
    retried.assert(0, "retried 2 jobs; the service no longer allows it for 0\n");
    // A run needs its inputs.
    fixture.run(&GATED).await.fails(2, "could not open the inputs in.jsonl");
    fixture.write_inputs(2);
    fixture.run(&GATED).await.assert_code(0);
    assert_eq!(fixture.submissions(), 2);
}

#[tokio::test]
async fn a_batch_that_still_reads_its_inputs_is_not_empty() {
    let fixture = Fixture::start().await;
    // As a process that runs a batch, before it has read any inputs.
    let mut store = Sqlite::file(fixture.home.path().join("out.jsonl.journal")).open().unwrap();
    let mut child = fixture.program(&["batch", "cancel", "out.jsonl"]).spawn().unwrap();
    while !store.note("request").unwrap().is_some_and(|it| it.starts_with("cancel")) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let early = tokio::time::timeout(Duration::from_secs(1), child.wait()).await;
    assert!(early.is_err(), "nothing is cancelled yet: {early:?}");
    drop(store);
    ended(child).await.fails(2, "pass the inputs");
}
