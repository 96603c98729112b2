//! Outage of a database, which may come back as an older one.

use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use podqueue_batch::store::{OpenStore, Postgres, PostgresStore, Store};
use podqueue_batch::{Batch, Ending, ErrorKind, Reader, State};
use podqueue_pgserver::{Proxy, Server, Traffic};

use crate::faulty_services::requests;
use crate::journal;
use crate::recovery::open;
use crate::rules::{counts as counts_of, stored};
use crate::support::{Folder, counts, endpoint, service, until};

/// A replica that is behind becomes the primary once ten inputs are submitted: it knows a process
/// by an older change, or not at all, or another process has recovered it since.
#[tokio::test]
async fn a_database_that_has_lost_changes_stops_all_processes() {
    for (n, lose) in [
        "UPDATE podqueue.process SET last_change = last_change - 5 WHERE id = ID",
        "DELETE FROM podqueue.process WHERE id = ID",
        "INSERT INTO podqueue.recovered SELECT id, batch, last_change - 5 FROM podqueue.process
             WHERE id = ID;
         DELETE FROM podqueue.process WHERE id = ID",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("behind-{n}");
        let database = Postgres::connect(journal::database(&name), "nightly");
        let local = service().start().await.unwrap();
        let folder = Folder::with(5_000);
        let batch = open(&folder, database.clone()).await.unwrap();
        let one = tokio::spawn(batch.run(endpoint(&local, "double")).window(2));
        until(async || requests(&local, "/run") >= 10).await;
        let id = journal::sql(&name, "SELECT id FROM podqueue.process");
        // The process is locked first, as by the processes themselves.
        let pending = "UPDATE podqueue.input SET state = 0, owner = NULL WHERE owner = ID";
        let lost = format!("{lose}; {pending}").replace("ID", id.trim());
        let others = Batch::open(database.clone()).inputs(folder.inputs());
        let others = others.results(folder.path("others.jsonl")).await.unwrap();
        let other = tokio::spawn(others.run(endpoint(&local, "double")).window(2));
        let sql = name.clone();
        tokio::task::spawn_blocking(move || journal::sql(&sql, &lost)).await.unwrap();
        for run in [one, other] {
            let error = run.await.unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
            assert!(error.to_string().contains("has lost changes"), "{error}");
        }
        drop((batch, others));
        assert!(requests(&local, "/run") < 5_000, "both have stopped");
        let before = requests(&local, "/run");
        let error = open(&folder, database.clone()).await.unwrap_err();
        assert!(error.to_string().contains("Postgres::accept_loss"), "{error}");
        let ending = Reader::open(&database).unwrap().ending().unwrap();
        let is_told = |it: &str| it.contains("has lost changes");
        assert!(matches!(&ending, Some(Ending::Failed(why)) if is_told(why)), "{ending:?}");
        // Each imports its own results, and the last one continues.
        let error = open(&folder, database.clone().accept_loss()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
        assert!(error.to_string().contains("others.jsonl"), "{error}");
        let others = Batch::open(database.clone().accept_loss()).inputs(folder.inputs());
        let batch = others.results(folder.path("others.jsonl")).await.unwrap();
        assert_eq!(requests(&local, "/run"), before);
        // Until inputs are claimed, or a run ends, other processes are refused.
        open(&folder, database.clone()).await.unwrap_err();
        batch.run(endpoint(&local, "double")).take(1).await.unwrap();
        assert_eq!(requests(&local, "/run"), before + 1);
        open(&folder, database).await.unwrap();
    }
}

#[tokio::test]
async fn a_lasting_outage_ends_a_run_once() {
    let server = Server::start();
    let _ = server.create("jobs");
    let local = service().start().await.unwrap();
    // The first run has a long outage timeout, but is stopped; the second run exhausts its own.
    for (outage_timeout, is_left) in [(120, true), (3, false)] {
        let proxy = Proxy::start(&server);
        let folder = Folder::with(200);
        let database = Postgres::connect(proxy.url("jobs"), format!("{is_left}"));
        let database = database.outage_timeout(Duration::from_secs(outage_timeout));
        let batch = open(&folder, database).await.unwrap();
        let mut run = batch.run(endpoint(&local, "double")).window(20);
        let stopper = run.stopper();
        let before = requests(&local, "/run");
        while requests(&local, "/run") < before + 20 {
            run.next().await;
        }
        proxy.set(Traffic::Cut);
        let cut = Instant::now();
        if is_left {
            let mut error = None;
            while error.is_none() {
                error = run.next().await.unwrap().error;
            }
            let error = error.unwrap();
            assert!(error.starts_with("the journal has been unreachable"), "{error}");
            stopper.exit();
        }
        let error = run.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
        assert!(error.to_string().contains("once the database can be reached"), "{error}");
        drop(batch);
        assert!(cut.elapsed() < Duration::from_secs(30), "{:?}", cut.elapsed());
        proxy.set(Traffic::Passes);
        let database = Postgres::connect(proxy.url("jobs"), format!("{is_left}"));
        let batch = open(&folder, database).await.unwrap();
        let report = batch.run(endpoint(&local, "double")).await.unwrap();
        let all = counts(&batch.status().await.unwrap());
        assert_eq!(
            report.counts.of(State::Completed) + report.counts.of(State::Unknown),
            200,
            "{all}"
        );
        assert!(requests(&local, "/run") <= before + 200, "{all}");
    }
}

/// As in a process that was suspended during a change, for longer than its outage timeout.
#[test]
fn a_change_that_failed_after_a_long_time_is_tried_again() {
    let server = Server::start();
    let _ = server.create("jobs");
    let proxy = Proxy::start(&server);
    let (outage_timeout, lease) = (Duration::from_secs(1), Duration::from_secs(60));
    let database =
        Postgres::connect(proxy.url("jobs"), "a").outage_timeout(outage_timeout).lease(lease);
    let mut store = database.open().unwrap();
    store.add(&[stored("a")], &[]).unwrap();
    proxy.set(Traffic::Stalls);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(2 * outage_timeout);
            proxy.set(Traffic::Cut);
            thread::sleep(outage_timeout / 2);
            proxy.set(Traffic::Passes);
        });
        store.add(&[stored("b")], &[]).unwrap();
    });
    assert_eq!(counts_of(&mut store), "2 pending");
}

/// A process that was stopped before the loss, and continues after another one has accepted it.
#[test]
fn an_accepted_loss_stops_no_process_again() {
    let url = journal::database("accepted");
    let database = Postgres::connect(&url, "a");
    let mut late = database.clone().open().unwrap();
    late.add(&[stored("a")], &[]).unwrap();
    let mut first = database.clone().open().unwrap();
    first.add(&[stored("b")], &[]).unwrap();
    // Where there is no loss, no process accepts one.
    database.clone().accept_loss().open().unwrap().sharing().unwrap().accept_loss().unwrap();
    let position = late.sharing().unwrap().position().unwrap();
    journal::sql("accepted", "DELETE FROM podqueue.process");
    is_refused(&mut first);
    drop(first);
    let mut first = database.clone().accept_loss().open().unwrap();
    first.add(&[stored("c")], &[]).unwrap();
    let error = database.clone().open().map(drop).unwrap_err();
    assert!(error.to_string().contains("has lost changes"), "not accepted yet: {error}");
    first.sharing().unwrap().accept_loss().unwrap();
    let error = late.add(&[stored("d")], &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    late.sharing().unwrap().rejoin().unwrap();
    late.add(&[stored("d")], &[]).unwrap();
    first.add(&[stored("e")], &[]).unwrap();
    first.sharing().unwrap().check_position(&position).unwrap();
    database.clone().open().unwrap();
    // The next loss is another one, also for the process that accepted the last one: whether that
    // process or another one has lost changes.
    let lose = |store: &mut PostgresStore| {
        let position = store.sharing().unwrap().position().unwrap();
        let id = position.split(' ').next().unwrap();
        journal::sql("accepted", &format!("DELETE FROM podqueue.process WHERE id = {id}"));
        is_refused(store);
    };
    lose(&mut late);
    is_refused(&mut first);
    let mut third = database.accept_loss().open().unwrap();
    third.sharing().unwrap().accept_loss().unwrap();
    lose(&mut third);
}

fn is_refused(store: &mut PostgresStore) {
    let error = store.add(&[stored("refused")], &[]).unwrap_err();
    assert!(error.to_string().contains("has lost changes"), "{error}");
}

/// The join is committed, its response is lost, and the process is recovered; then it joins again.
#[test]
fn a_process_whose_join_got_no_response_is_recovered_and_joins_again() {
    let server = Server::start();
    let url = server.create("jobs");
    let proxy = Proxy::start(&server);
    let lease = Duration::from_millis(1_500);
    let mut other = Postgres::connect(&url, "a").lease(lease).open().unwrap();
    other.add(&[stored("a")], &[]).unwrap();
    let mut store = Postgres::connect(proxy.url("jobs"), "a").lease(lease).open().unwrap();
    proxy.lose_next_commit();
    thread::scope(|scope| {
        scope.spawn(|| {
            // It breaks the connection once the commit is made.
            while server.sql("jobs", "SELECT count(*) FROM podqueue.process").trim() != "2" {}
            proxy.set(Traffic::Cut);
            let taken = "SELECT count(*) FROM podqueue.recovered";
            while server.sql("jobs", taken).trim() != "1" {
                other.sharing().unwrap().recover().unwrap();
                thread::sleep(Duration::from_millis(100));
            }
            proxy.set(Traffic::Passes);
        });
        store.add(&[stored("b")], &[]).unwrap();
    });
    drop(store);
    other.sharing().unwrap().recover().unwrap();
    assert_eq!(counts_of(&mut other), "2 pending");
}

#[test]
fn joins_are_synced_whatever_the_default_of_the_server() {
    let mut server = Server::start();
    let url = server.create("jobs");
    for setting in ["synchronous_commit = off", "wal_writer_delay = '10s'"] {
        server.sql("postgres", &format!("ALTER SYSTEM SET {setting}"));
    }
    server.stop();
    server.resume();
    let database = Postgres::connect(&url, "a");
    let mut store = database.open().unwrap();
    store.add(&[stored("a")], &[]).unwrap();
    // No process can be recovered, which would be another change.
    store.sharing().unwrap().rejoin().unwrap();
    server.crash();
    server.resume();
    store.add(&[stored("b")], &[]).unwrap();
    assert_eq!(counts_of(&mut store), "2 pending");
}
