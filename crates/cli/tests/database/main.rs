//! Tests of the program on several machines that share a batch in a database.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../program/serving.rs"]
mod serving;
#[cfg(unix)]
#[path = "../../../local/tests/interface/signal_dispositions.rs"]
#[allow(dead_code, reason = "these tests need less of it")]
mod signal_dispositions;
#[path = "../program/support.rs"]
#[allow(dead_code, reason = "these tests need less of it")]
mod support;

mod outages;
mod shared_folder;

use std::fs;
use std::process::Command;
use std::time::Duration;

use podqueue_local::{Fault, HandlerError, LocalJob, LocalService, Operation, RateLimits, Workers};
use podqueue_pgserver::{Proxy, Server, Traffic};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::sync::watch;

use crate::support::{Fixture, ended};

/// A fixture with this many inputs, and an endpoint whose jobs complete once the gate is open.
async fn fixture(inputs: usize) -> (Fixture, watch::Sender<bool>) {
    let gate = watch::Sender::new(false);
    let opened = gate.clone();
    let handler = move |job: LocalJob| {
        let mut opened = opened.subscribe();
        async move {
            let _ = opened.wait_for(|open| *open).await;
            Ok::<_, HandlerError>(job.input)
        }
    };
    let builder = LocalService::builder().endpoint("gated", handler);
    let fixture = Fixture::with(builder.workers_of("gated", Workers::between(20, 20))).await;
    let lines: String = (0..inputs).map(|n| format!("{{\"n\": {n}}}\n")).collect();
    fs::write(fixture.home.path().join("in.jsonl"), lines).unwrap();
    (fixture, gate)
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().unwrap().to_string();
    assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
}

/// The command that runs the batch and writes these results.
fn run<'a>(results: &'a str, journal: &'a str) -> Vec<&'a str> {
    let journal = ["--journal", journal];
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "--window", "20", "-o", results];
    [&run[..], &journal].concat()
}

async fn status(fixture: &Fixture, results: &str, journal: &str) -> Value {
    let ran = fixture.run(&["batch", "status", results, "--journal", journal, "--json"]).await;
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

#[tokio::test]
async fn several_machines_run_one_batch_and_their_results_are_merged() {
    let server = Server::start();
    let journal = format!("{}#nightly", server.create("jobs"));
    let (fixture, gate) = fixture(120).await;
    let one = fixture.program(&run("one.jsonl", &journal)).spawn().unwrap();
    let two = fixture.program(&run("two.jsonl", &journal)).spawn().unwrap();
    // Each machine submits as many as its window allows.
    while status_submitted(&fixture, &journal).await < 40 {}
    let own = fixture.run(&run("one.jsonl", &journal)).await;
    own.fails(1, "each needs a file of its own");
    gate.send_replace(true);
    for machine in [one, two] {
        ended(machine).await.assert_code(0);
    }
    let counts = status(&fixture, "one.jsonl", &journal).await;
    assert_eq!((&counts["total"], &counts["completed"]), (&json!(120), &json!(120)));
    // A # in a password does not precede the name of the batch.
    let secret = journal.replace("postgres@", "postgres:1#s3cr3t@");
    assert_eq!(status(&fixture, "one.jsonl", &secret).await["total"], json!(120));
    // The recorded path of the results of another machine does not exist here.
    for look in ["status", "watch"] {
        let shown = fixture.run(&["batch", look, "three.jsonl", "--journal", &journal]).await;
        shown.assert_code(0);
        assert!(shown.stdout.contains("120"), "{shown:?}");
        assert!(!shown.stdout.contains(".jsonl"), "{shown:?}");
    }
    let again = fixture.run(&run("two.jsonl", &journal)).await;
    assert!(again.stdout.starts_with("all inputs have completed before"), "{}", again.stdout);
    for files in [&["one.jsonl", "two.jsonl"][..], &["one.jsonl"]] {
        let export = [&["batch", "export"], files, &["--journal", &journal]].concat();
        let exported = fixture.run(&export).await;
        let indexes = exported
            .stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["index"].as_u64().unwrap());
        assert!(indexes.eq(0..120), "{exported:?}");
    }
    // A subset of the files causes a warning.
    let missing = fixture.home.path().join("one.jsonl");
    let copied = fixture.home.path().join("copied.jsonl");
    fs::rename(&missing, &copied).unwrap();
    let export = ["batch", "export", "copied.jsonl", "copied.jsonl", "--journal", &journal];
    let exported = fixture.run(&export).await;
    exported.assert_code(0);
    assert!(exported.stderr.contains("of 120 results are in these files"), "{exported:?}");
    let export = ["batch", "export", "one.jsonl", "--journal", &journal];
    fixture.run(&export).await.fails(1, "copy the results of all machines here");
    let other = journal.replace("nightly", "no");
    let other = fixture.run(&["batch", "status", "x", "--journal", &other]).await;
    other.fails(1, "there is no batch \"no\"");
}

#[tokio::test]
async fn a_suspended_process_reports_its_lost_lease() {
    let server = Server::start();
    let journal = server.create("jobs");
    let (fixture, gate) = fixture(60).await;
    let one = fixture.program(&run("one.jsonl", &journal)).spawn().unwrap();
    let two = fixture.program(&run("two.jsonl", &journal)).spawn().unwrap();
    while status_submitted(&fixture, &journal).await < 40 {}
    signal(&two, "-STOP");
    gate.send_replace(true);
    while status(&fixture, "one.jsonl", &journal).await["completed"] != 60 {}
    signal(&two, "-CONT");
    ended(one).await.assert_code(0);
    let two = ended(two).await;
    two.assert_code(0);
    assert!(two.stdout.contains("interrupted  once: "), "{}", two.stdout);
}

#[tokio::test]
async fn a_cancellation_continues_once_the_suspended_process_has_ended() {
    let server = Server::start();
    let journal = server.create("jobs");
    let (fixture, _gate) = fixture(60).await;
    let mut child = fixture.program(&run("one.jsonl", &journal)).spawn().unwrap();
    while status_submitted(&fixture, &journal).await < 20 {}
    signal(&child, "-STOP");
    // Of the same results, which only that process may write while it exists.
    let cancel = ["batch", "cancel", "one.jsonl", "--journal", &journal];
    let mut cancel = fixture.program(&cancel).spawn().unwrap();
    let mut said = BufReader::new(cancel.stderr.as_mut().unwrap()).lines();
    while !said.next_line().await.unwrap().unwrap().contains("kill -KILL") {}
    child.kill().await.unwrap();
    ended(cancel).await.assert(0, "cancelled 60 inputs\n");
}

#[tokio::test]
async fn an_interruption_ends_a_cancellation_that_waits_for_its_database() {
    let server = Server::start();
    let journal = server.create("jobs");
    let (fixture, _gate) = fixture(60).await;
    let child = fixture.program(&run("one.jsonl", &journal)).spawn().unwrap();
    while status_submitted(&fixture, &journal).await < 20 {}
    signal(&child, "-STOP");
    let proxy = Proxy::start(&server);
    let cancel = ["batch", "cancel", "one.jsonl", "--journal", &proxy.url("jobs")];
    let mut cancel = fixture.program(&cancel).spawn().unwrap();
    let mut said = BufReader::new(cancel.stderr.take().unwrap()).lines();
    while !said.next_line().await.unwrap().unwrap().contains("is asked to cancel it") {}
    proxy.set(Traffic::Stalls);
    // Until it waits for the database.
    tokio::time::sleep(Duration::from_secs(1)).await;
    signal(&cancel, "-INT");
    let ended = tokio::time::timeout(Duration::from_secs(5), cancel.wait()).await;
    assert_eq!(ended.unwrap().unwrap().code(), Some(130));
}

#[tokio::test]
async fn processes_without_connections_report_it_and_continue_later() {
    let server = Server::start();
    let journal = server.create("jobs").replace("postgres@", "worker@");
    let user = "CREATE ROLE worker LOGIN; GRANT CREATE ON DATABASE jobs TO worker";
    server.sql("jobs", user);
    let limit = |limit: &str| {
        server.sql("jobs", &format!("ALTER ROLE worker CONNECTION LIMIT {limit}"));
    };
    let (fixture, gate) = fixture(60).await;
    gate.send_replace(true);
    limit("1");
    let mut machine = fixture.program(&run("one.jsonl", &journal)).spawn().unwrap();
    let mut said = BufReader::new(machine.stderr.as_mut().unwrap()).lines();
    while !said.next_line().await.unwrap().unwrap().contains("needs two connections") {}
    let again = fixture.run(&run("two.jsonl", &journal)).await;
    again.fails(1, "needs two connections, one for the journal and one for the shared limits");
    // The status by another process, without the name of a builder setting.
    let looking = journal.replace("worker@", "postgres@");
    let shown = loop {
        let shown = fixture.run(&["batch", "status", "one.jsonl", "--journal", &looking]).await;
        shown.assert_code(0);
        if shown.stdout.contains("errors") {
            break shown.stdout;
        }
    };
    assert!(shown.contains("needs two connections"), "{shown}");
    assert!(!shown.contains("ClientBuilder"), "{shown}");
    limit("-1");
    ended(machine).await.assert_code(0);
}

#[tokio::test]
async fn a_user_without_privileges_is_told_which_are_needed() {
    let server = Server::start();
    let journal = server.create("jobs");
    let (fixture, gate) = fixture(1).await;
    gate.send_replace(true);
    fixture.run(&run("one.jsonl", &journal)).await.assert_code(0);
    server.sql("jobs", "CREATE ROLE guest LOGIN");
    let journal = journal.replace("postgres@", "guest@");
    let status = ["batch", "status", "one.jsonl", "--journal", &journal];
    fixture.run(&status).await.fails(1, "USAGE on it and SELECT on its tables");
    let rights = "GRANT USAGE ON SCHEMA podqueue TO guest;
        GRANT SELECT ON ALL TABLES IN SCHEMA podqueue TO guest";
    server.sql("jobs", rights);
    fixture.run(&status).await.assert_code(0);
}

async fn status_submitted(fixture: &Fixture, journal: &str) -> u64 {
    let status = fixture.run(&["batch", "status", "-", "--journal", journal, "--json"]).await;
    let status: Value = serde_json::from_str(&status.stdout).unwrap_or_default();
    status["submitted"].as_u64().unwrap_or_default()
}

#[tokio::test]
async fn any_machine_can_cancel_a_shared_batch() {
    let server = Server::start();
    let journal = server.create("jobs");
    let (fixture, _gate) = fixture(120).await;
    let one = fixture.program(&run("one.jsonl", &journal)).spawn().unwrap();
    let two = fixture.program(&run("two.jsonl", &journal)).spawn().unwrap();
    while status_submitted(&fixture, &journal).await < 40 {}
    let cancel = ["batch", "cancel", "three.jsonl", "--journal", &journal, "--quiet"];
    fixture.run(&cancel).await.assert_code(0);
    for (machine, results) in [(one, "one.jsonl"), (two, "two.jsonl")] {
        // Without the URL, which may contain a password.
        let next = format!("podqueue batch retry {results} --journal 'postgres://…#batch'");
        ended(machine).await.fails(3, &next);
    }
    assert_eq!(status(&fixture, "one.jsonl", &journal).await["cancelled"], json!(120));
    // The request does not affect the next run.
    let retry = ["batch", "retry", "one.jsonl", "--journal", &journal];
    fixture.run(&retry).await.assert_code(0);
    assert_eq!(status(&fixture, "one.jsonl", &journal).await["pending"], json!(120));
}

#[tokio::test]
async fn machines_with_one_database_share_the_rate_limits() {
    let server = Server::start();
    let journal = server.create("jobs");
    let limits = RateLimits::documented();
    let fixture = Fixture::with(LocalService::builder().rate_limits(limits)).await;
    // More inputs than the window of one machine.
    let lines: String = (0..1_300).map(|n| format!("{{\"n\": {n}}}\n")).collect();
    fs::write(fixture.home.path().join("in.jsonl"), lines).unwrap();
    let machines = ["one.jsonl", "two.jsonl"].map(|results| {
        let run = ["batch", "run", "in.jsonl", "-e", "echo", "-o", results, "--quiet"];
        fixture.program(&[&run[..], &["--journal", &journal]].concat()).spawn().unwrap()
    });
    for machine in machines {
        ended(machine).await.assert_code(0);
    }
    let all = fixture.local.requests();
    assert!(all.iter().all(|request| request.status != Some(429)), "a limit is exceeded");
    assert_eq!(status(&fixture, "one.jsonl", &journal).await["completed"], json!(1_300));
    let records = server.sql("jobs", "SELECT string_agg(key, ' ') FROM podqueue.limit_record");
    assert!(records.contains(" run ") && records.contains(" status "), "{records}");
}

#[tokio::test]
async fn a_password_in_a_url_is_never_printed() {
    let (fixture, _gate) = fixture(1).await;
    for journal in [
        "postgres://u:s3cr3t@127.0.0.1:1/db#x",
        "postgres://u:p@s3cr3t@127.0.0.1:1/db#x",
        "postgres://u:1#s3cr3t@127.0.0.1:1/db#x",
        "postgres://u:s3cr3t%00@127.0.0.1:1/db",
        "mysql://u:s3cr3t@h/db",
    ] {
        let said = fixture.run(&run("out.jsonl", journal)).await;
        assert_ne!(said.code, 0);
        assert!(!said.stderr.contains("s3cr3t"), "{said:?}");
    }
}

#[tokio::test]
async fn lost_changes_of_a_database_are_refused_until_accepted() {
    let server = Server::start();
    let journal = format!("{}#nightly", server.create("jobs"));
    let (fixture, gate) = fixture(30).await;
    gate.send_replace(true);
    let some = [&run("one.jsonl", &journal)[..], &["--take", "10"]].concat();
    fixture.run(&some).await.assert_code(3);
    let lose = "INSERT INTO podqueue.note SELECT id, 0, 'lost', 'the database has lost changes'
        FROM podqueue.batch";
    server.sql("jobs", lose);
    let refused = fixture.run(&run("one.jsonl", &journal)).await;
    refused.fails(1, "has lost changes");
    assert!(refused.stderr.contains("--accept-loss"), "{refused:?}");
    let said = status(&fixture, "one.jsonl", &journal).await.to_string();
    assert!(said.contains("the database has lost changes"), "{said}");
    let some = [&some[..], &["--accept-loss"]].concat();
    fixture.run(&some).await.assert_code(3);
    server.sql("jobs", lose);
    fixture.run(&["batch", "cancel", "one.jsonl", "--journal", &journal]).await.assert_code(0);
    let said = status(&fixture, "one.jsonl", &journal).await;
    assert_eq!((&said["completed"], &said["cancelled"]), (&json!(20), &json!(10)));
    assert!(said.to_string().contains("the database has lost changes"), "{said}");
}

#[tokio::test]
async fn a_command_that_is_refused_or_killed_accepts_no_loss() {
    let server = Server::start();
    let journal = format!("{}#nightly", server.create("jobs"));
    let (fixture, gate) = fixture(30).await;
    let one = fixture.program(&run("one.jsonl", &journal)).spawn().unwrap();
    while status_submitted(&fixture, &journal).await < 20 {}
    signal(&one, "-KILL");
    ended(one).await;
    // A machine that does not return.
    let two = [&run("two.jsonl", &journal)[..], &["--take", "1"]].concat();
    let two = fixture.program(&two).spawn().unwrap();
    while status_submitted(&fixture, &journal).await < 21 {}
    signal(&two, "-KILL");
    ended(two).await;
    server.sql(
        "jobs",
        "INSERT INTO podqueue.note SELECT id, 0, 'lost', 'the database has lost changes'
         FROM podqueue.batch",
    );
    let marks = || server.sql("jobs", "SELECT count(*) FROM podqueue.note WHERE name = 'lost'");
    let requests =
        || fixture.local.requests().iter().filter(|it| it.path.ends_with("/run")).count();
    let submitted = requests();

    let accepting = [&run("one.jsonl", &journal)[..], &["--accept-loss"]].concat();
    let lines = fs::read_to_string(fixture.home.path().join("in.jsonl")).unwrap();
    fs::write(fixture.home.path().join("in.jsonl"), lines.replace("{\"n\": 3}", "{\"n\": 4}"))
        .unwrap();
    assert_ne!(fixture.run(&accepting).await.code, 0);
    fs::write(fixture.home.path().join("in.jsonl"), lines).unwrap();
    assert_eq!(marks(), "1", "of a run with changed inputs");
    fixture.run(&[&accepting[..], &["--dedupe"]].concat()).await.assert_code(2);
    assert_eq!(marks(), "1", "of a run with other settings");
    fs::write(fixture.home.path().join("foreign.jsonl"), "{\"a\": 1}\n").unwrap();
    let foreign = ["batch", "cancel", "foreign.jsonl", "--journal", &journal];
    fixture.run(&foreign).await.assert_code(1);
    assert_eq!(marks(), "1", "of a cancellation with other results");
    // One machine has not imported its results yet.
    let refused = fixture.run(&accepting).await;
    refused.fails(1, "two.jsonl");
    assert!(refused.stderr.contains("--accept-loss=all"), "{refused:?}");
    assert_eq!(marks(), "1", "of a run that others must precede");
    fixture.local.add_fault(Fault::delay(Duration::from_secs(60)).on(Operation::Cancel));
    let cancel = ["batch", "cancel", "one.jsonl", "--journal", &journal];
    let cancelling = fixture.program(&cancel).spawn().unwrap();
    while status(&fixture, "one.jsonl", &journal).await["cancelled"] != json!(9) {}
    signal(&cancelling, "-KILL");
    ended(cancelling).await;
    assert_eq!(marks(), "1", "of a cancellation that is killed");
    assert_eq!(requests(), submitted);
    fixture.local.clear_faults();
    fixture.run(&cancel).await.assert_code(0);
    assert_eq!(marks(), "1", "of a cancellation, which submits nothing");
    let retry = ["batch", "retry", "one.jsonl", "--journal", &journal];
    fixture.run(&retry).await.fails(1, "has lost changes");
    // The results of the other machine can be given up, by a run that can submit.
    let all = [&run("one.jsonl", &journal)[..], &["--accept-loss=all"]].concat();
    let elsewhere = all.iter().map(|it| if *it == "gated" { "nowhere" } else { it });
    fixture.run(&elsewhere.collect::<Vec<_>>()).await.assert_code(6);
    assert_eq!(marks(), "1", "of a run on an endpoint that does not exist");
    fixture.local.add_fault(Fault::response(401, "{}").on(Operation::Health));
    fixture.run(&all).await.assert_code(4);
    fixture.local.clear_faults();
    fixture.local.add_fault(Fault::response(503, "{}").on(Operation::Health));
    fixture.run(&all).await.assert_code(1);
    fixture.local.clear_faults();
    assert_eq!(marks(), "1", "of runs whose service refuses the key, or fails");
    gate.send_replace(true);
    fixture.run(&all).await.assert_code(3);
    assert_eq!(marks(), "0");
    fixture.run(&retry).await.assert_code(0);
    fixture.run(&run("one.jsonl", &journal)).await.assert_code(0);
}
