//! A database that cannot be reached for long, or comes back as an older one.

use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use podqueue_batch::store::{OpenStore, Postgres, Store};
use podqueue_batch::{ErrorKind, State};
use podqueue_pgserver::{Proxy, Server, Traffic};

use crate::journal;
use crate::misbehaving::requests;
use crate::recovery::open;
use crate::rules::{counts as counts_of, stored};
use crate::support::{Folder, counts, endpoint, service, until};

#[tokio::test]
async fn a_database_that_has_lost_changes_stops_the_process_that_made_them() {
    let url = journal::database("behind");
    let local = service().start().await.unwrap();
    let folder = Folder::with(50);
    let batch = open(&folder, Postgres::connect(&url, "nightly")).await.unwrap();
    let run = batch.run(endpoint(&local, "double")).window(2);
    // A replica that is behind takes over once ten are submitted.
    let lost = async {
        until(async || requests(&local, "/run") >= 10).await;
        let lose = "UPDATE podqueue.process SET last_change = last_change - 5";
        tokio::task::spawn_blocking(move || journal::sql("behind", lose)).await.unwrap();
        requests(&local, "/run")
    };
    let (ended, before) = tokio::join!(run, lost);
    let error = ended.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
    assert!(error.to_string().contains("has lost changes"), "{error}");
    let after = requests(&local, "/run") - before;
    assert!(after <= 4, "{after} of those that were claimed before");
}

#[tokio::test]
async fn a_database_that_stays_away_ends_a_run_once_and_not_by_each_use() {
    let server = Server::start();
    let _ = server.create("jobs");
    let local = service().start().await.unwrap();
    // One waits for long, but is left; the other not.
    for (patience, is_left) in [(120, true), (3, false)] {
        let proxy = Proxy::start(&server);
        let folder = Folder::with(200);
        let database = Postgres::connect(proxy.url("jobs"), format!("{is_left}"));
        let database = database.patience(Duration::from_secs(patience));
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
            let mut trouble = None;
            while trouble.is_none() {
                trouble = run.next().await.unwrap().trouble;
            }
            let trouble = trouble.unwrap();
            assert!(trouble.starts_with("the journal has been out of reach"), "{trouble}");
            stopper.leave();
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

/// As in a process that was stopped in the middle of a change, for longer than it is patient.
#[test]
fn a_change_that_failed_after_a_long_time_is_tried_again() {
    let server = Server::start();
    let _ = server.create("jobs");
    let proxy = Proxy::start(&server);
    let (patience, lease) = (Duration::from_secs(1), Duration::from_secs(60));
    let database = Postgres::connect(proxy.url("jobs"), "a").patience(patience).lease(lease);
    let mut store = database.open().unwrap();
    store.add(&[stored("a")], &[]).unwrap();
    proxy.set(Traffic::Stalls);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(2 * patience);
            proxy.set(Traffic::Cut);
            thread::sleep(patience / 2);
            proxy.set(Traffic::Passes);
        });
        store.add(&[stored("b")], &[]).unwrap();
    });
    assert_eq!(counts_of(&mut store), "2 pending");
}
