//! Tests of commands during an outage of the database, and after processes were killed.

use std::fs;
use std::time::Duration;

use podqueue_pgserver::{Proxy, Server, Traffic};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::time::timeout;

use crate::support::{Fixture, ended};
use crate::{fixture, run, signal, status_submitted};

/// Reads the standard error of a program until a line with this text.
async fn wait_for_line(child: &mut Child, what: &str) {
    let mut lines = BufReader::new(child.stderr.as_mut().unwrap()).lines();
    let mut before = String::new();
    let reading = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains(what) {
                return;
            }
            before += &format!("{line}\n");
        }
        panic!("{what:?} is not said, but {before}");
    };
    timeout(Duration::from_secs(60), reading).await.unwrap_or_else(|_| panic!("no {what:?}"));
}

/// The exit code of a program that must end within this time.
async fn ends_within(mut child: Child, seconds: u64) -> Option<i32> {
    let time = Duration::from_secs(seconds);
    timeout(time, child.wait()).await.expect("the program ends").unwrap().code()
}

/// Starts a run, and waits until it has submitted jobs.
async fn submitted(fixture: &Fixture, results: &str, journal: &str) -> Child {
    let child = fixture.program(&run(results, journal)).spawn().unwrap();
    while status_submitted(fixture, journal).await < 20 {}
    child
}

#[tokio::test]
async fn a_second_interruption_ends_a_run_whose_database_does_not_respond() {
    let server = Server::start();
    let journal = server.create("jobs");
    let (fixture, _gate) = fixture(60).await;
    let proxy = Proxy::start(&server);
    for (name, first, note, second) in [
        ("one", "-INT", "Ctrl-C again", Some("-INT")),
        ("two", "-TERM", "terminated: collecting outstanding jobs for 1000 ms", None),
    ] {
        proxy.set(Traffic::Passes);
        let (url, looking) = (format!("{}#{name}", proxy.url("jobs")), format!("{journal}#{name}"));
        let run = [&run(name, &url)[..], &["--grace", "1s"]].concat();
        let mut child = fixture.program(&run).spawn().unwrap();
        while status_submitted(&fixture, &looking).await < 20 {}
        proxy.set(Traffic::Stalls);
        signal(&child, first);
        wait_for_line(&mut child, note).await;
        if let Some(second) = second {
            signal(&child, second);
        }
        wait_for_line(&mut child, "the journal does not respond; last status: 0 of 60 ended").await;
        assert_eq!(ends_within(child, 3).await, Some(130), "{first}");
    }
}

#[tokio::test]
async fn a_cancellation_reports_an_unreachable_database_and_can_be_interrupted() {
    let server = Server::start();
    let journal = server.create("jobs");
    let (fixture, _gate) = fixture(120).await;
    // More jobs than the service cancels in ten seconds.
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "one.jsonl", "--journal", &journal];
    let mut child = fixture.program(&run).spawn().unwrap();
    while status_submitted(&fixture, &journal).await < 120 {}
    child.kill().await.unwrap();
    let proxy = Proxy::start(&server);
    let cancel = ["batch", "cancel", "one.jsonl", "--journal", &proxy.url("jobs")];
    for traffic in [Traffic::Cut, Traffic::Stalls] {
        let before = fixture.local.requests().len();
        let mut cancel = fixture.program(&cancel).spawn().unwrap();
        fixture.requested_since(before, "/cancel/").await;
        proxy.set(traffic);
        wait_for_line(&mut cancel, "waiting for the journal").await;
        signal(&cancel, "-INT");
        assert_eq!(ends_within(cancel, 4).await, Some(130), "{traffic:?}");
        proxy.set(Traffic::Passes);
    }
}

#[tokio::test]
async fn watch_waits_for_an_unreachable_database() {
    let server = Server::start();
    let journal = server.create("jobs");
    let (fixture, gate) = fixture(60).await;
    let machine = submitted(&fixture, "one.jsonl", &journal).await;
    let proxy = Proxy::start(&server);
    let watch = ["batch", "watch", "one.jsonl", "--json", "--journal", &proxy.url("jobs")];
    let watching = async || {
        let mut watch = fixture.program(&watch).spawn().unwrap();
        let mut lines = BufReader::new(watch.stdout.as_mut().unwrap()).lines();
        assert!(lines.next_line().await.unwrap().unwrap().contains("\"running\":true"));
        watch
    };
    let (mut one, mut two) = (watching().await, watching().await);
    proxy.set(Traffic::Cut);
    wait_for_line(&mut one, "waiting for the journal").await;
    wait_for_line(&mut two, "waiting for the journal").await;
    proxy.set(Traffic::Passes);
    let mut lines = BufReader::new(two.stdout.as_mut().unwrap()).lines();
    lines.next_line().await.unwrap().unwrap();
    // Until it blocks on a read.
    proxy.set(Traffic::Stalls);
    tokio::time::sleep(Duration::from_secs(2)).await;
    signal(&two, "-INT");
    assert_eq!(ends_within(two, 2).await, Some(130));
    proxy.set(Traffic::Passes);
    gate.send_replace(true);
    ended(machine).await.assert_code(0);
    ended(one).await.assert_code(0);
}

#[tokio::test]
async fn watch_ends_when_all_processes_were_killed_but_not_when_disconnected() {
    let server = Server::start();
    let journal = server.create("jobs");
    let (fixture, gate) = fixture(60).await;
    let machine = submitted(&fixture, "one.jsonl", &journal).await;
    let late = "UPDATE podqueue.process SET lease_until = now() - interval '1 minute'";
    let watch = ["batch", "watch", "one.jsonl", "--journal", &journal];
    // Leases do not expire until the server has run for a while.
    tokio::time::sleep(Duration::from_secs(9)).await;
    server.sql("jobs", late);
    let other = fixture.program(&watch).spawn().unwrap();
    let mut killed = submitted(&fixture, "two.jsonl", &server.create("others")).await;
    killed.kill().await.unwrap();
    server.sql("others", late);
    let others = server.url("others");
    let watch = fixture.program(&["batch", "watch", "two.jsonl", "--journal", &others]).spawn();
    let watch = timeout(Duration::from_secs(8), ended(watch.unwrap())).await.unwrap();
    watch.fails(3, "no process runs this batch");
    gate.send_replace(true);
    ended(machine).await.assert_code(0);
    ended(other).await.assert_code(0);
}

#[tokio::test]
async fn results_of_a_batch_in_a_database_lead_to_a_hint_without_its_name() {
    let (fixture, _gate) = fixture(1).await;
    let hint = "name it with --journal postgres://…";
    let looks = ["status", "watch", "unknown", "export", "retry", "cancel"];
    let none = fixture.run(&["batch", "status", "one.jsonl"]).await;
    assert!(none.code == 1 && !none.stderr.contains(hint), "{none:?}");
    fs::write(fixture.home.path().join("one.jsonl.writer"), "").unwrap();
    for look in looks {
        fixture.run(&["batch", look, "one.jsonl"]).await.fails(1, hint);
    }
}
