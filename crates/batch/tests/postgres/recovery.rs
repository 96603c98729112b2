//! Recovery of a database and of results after a loss of power, or from a backup.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue_batch::store::{OpenStore, Postgres};
use podqueue_batch::{Batch, ErrorKind, Open, State};
use podqueue_local::LocalService;
use podqueue_pgserver::Server;
use serde_json::json;

use crate::durability::{completed, watched};
use crate::faulty_services::{left_completed, requests};
use crate::journal;
use crate::support::{Folder, counts, endpoint, service, until};

pub fn open(folder: &Folder, store: impl OpenStore) -> Open {
    Batch::open(store).inputs(folder.inputs()).results(folder.path("results.jsonl"))
}

/// Power is lost when results were written and are about to be committed: any part of the last
/// write may be in the file.
#[tokio::test]
async fn results_that_a_loss_of_power_truncates_continue_where_they_are_durable() {
    let server = Arc::new(Mutex::new(Server::start()));
    let url = server.lock().unwrap().create("jobs");
    let database = || Postgres::connect(&url, "nightly").lease(Duration::from_secs(1));
    let local = service().start().await.unwrap();
    let folder = Folder::with(40);
    let results = folder.path("results.jsonl");
    let (durable, written) = (Arc::<Mutex<usize>>::default(), Arc::<Mutex<Vec<u8>>>::default());
    let (committed, last) = (Arc::clone(&durable), Arc::clone(&written));
    let (path, power) = (results.clone(), Arc::clone(&server));
    let store = watched(
        database(),
        move |commit| {
            if completed(commit).count() > 0 && *committed.lock().unwrap() > 0 {
                power.lock().unwrap().crash();
                *last.lock().unwrap() = fs::read(&path).unwrap();
                panic!("the power is lost");
            }
        },
        {
            let (path, committed) = (results.clone(), Arc::clone(&durable));
            move |commit, _| {
                if completed(commit).count() > 0 {
                    *committed.lock().unwrap() = fs::read(&path).unwrap().len();
                }
            }
        },
    );
    let batch = open(&folder, store).await.unwrap();
    batch.run(endpoint(&local, "double")).window(5).await.unwrap_err();
    drop(batch);
    server.lock().unwrap().resume();

    let (durable, written) = (*durable.lock().unwrap(), written.lock().unwrap().clone());
    assert!((1..written.len()).contains(&durable), "{durable} of {}", written.len());
    let mut taken = durable;
    // Within the first line that is not durable, and around each end of a line.
    let ends = (durable..written.len()).filter(|at| written[*at] == b'\n');
    let around = ends.flat_map(|at| [at - 1, at, at + 1]);
    for cut in [durable, durable + 1, durable + 50].into_iter().chain(around) {
        fs::write(&results, &written[..cut]).unwrap();
        let whole = written[..cut].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        match open(&folder, database()).await {
            // The lines before were recovered, and are durable since.
            Err(error) => assert!(cut + 1 == taken, "cut at {cut} of {taken}: {error}"),
            Ok(batch) => {
                assert_eq!(fs::read(&results).unwrap(), written[..whole], "cut at {cut}");
                drop(batch);
                taken = whole;
            }
        }
    }
    assert_eq!(taken, written.len());
    // A durable change does not count as lost.
    fs::write(&results, &written[..taken - 1]).unwrap();
    let error = open(&folder, database()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
    fs::write(&results, &written).unwrap();

    let batch = open(&folder, database()).await.unwrap();
    let counts = batch.run(endpoint(&local, "double")).await.unwrap().counts;
    assert_eq!(counts.of(State::Completed) + counts.of(State::Unknown), 40, "{counts:?}");
    assert!(counts.of(State::Unknown) <= 5, "{counts:?}");
    assert_eq!(folder.results().len() as u64, counts.of(State::Completed));
    let submitted = local.requests().iter().filter(|it| it.path.ends_with("/run")).count();
    assert!(submitted <= 40, "{submitted}");
}

#[tokio::test]
async fn a_database_that_is_older_than_the_results_is_refused() {
    let url = journal::database("backed-up");
    let older = url.replace("backed-up", "older");
    let nightly = |url: &str| Postgres::connect(url, "nightly");
    let local = service().start().await.unwrap();
    let folder = Folder::with(20);
    let batch = open(&folder, nightly(&url)).await.unwrap();
    batch.run(endpoint(&local, "double")).take(5).await.unwrap();
    drop(batch);
    journal::sql("postgres", "CREATE DATABASE older TEMPLATE \"backed-up\"");
    let batch = open(&folder, nightly(&url)).await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    drop(batch);
    let results = folder.results();
    forget_last_change(&folder);
    let error = open(&folder, nightly(&older)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
    assert!(error.to_string().contains("older copy"), "{error}");
    assert_eq!(folder.results(), results, "none of them is cut off");
    // The proof is in the database now.
    let new = Batch::open(nightly(&older)).inputs(folder.inputs());
    let error = new.results(folder.path("new.jsonl")).await.unwrap_err();
    assert!(error.to_string().contains("has lost changes"), "{error}");
    open(&folder, nightly(&url)).await.unwrap();
}

/// A loss of power can leave the results alone to prove that a database is older: the number of the
/// last change is not synced.
fn forget_last_change(folder: &Folder) {
    let writer = fs::read_to_string(folder.path("results.jsonl.writer")).unwrap();
    let lines: Vec<_> = writer.lines().take(2).collect();
    folder.write("results.jsonl.writer", &lines.join("\n"));
}

/// An input that was submitted since the backup has no result yet: only the number of the change
/// proves that it was.
#[tokio::test]
async fn a_database_that_is_older_than_the_last_change_is_refused_without_any_result() {
    let url = journal::database("without-results");
    let older = url.replace("without-results", "without-results-older");
    let nightly = |url: &str| Postgres::connect(url, "nightly");
    let hours = Duration::from_secs(3 * 3_600);
    let local = service().endpoint("slow", move |_| async move {
        tokio::time::sleep(hours).await;
        Ok(json!(null))
    });
    let local = local.start().await.unwrap();
    let folder = Folder::with(20);
    let submit = async |url: &str, inputs: u64| {
        let batch = open(&folder, nightly(url)).await.unwrap();
        let before = requests(&local, "/run");
        let run = batch.run(endpoint(&local, "slow")).take(inputs);
        let stopper = run.stopper();
        let run = tokio::spawn(run.into_future());
        let is_submitted = async || {
            let counts = batch.status().await.unwrap().counts;
            counts.of(State::Submitted) == before as u64 + inputs
        };
        until(is_submitted).await;
        stopper.exit();
        run.await.unwrap().unwrap();
    };
    submit(&url, 5).await;
    journal::sql(
        "postgres",
        "CREATE DATABASE \"without-results-older\" TEMPLATE \"without-results\"",
    );
    submit(&url, 5).await;
    let error = open(&folder, nightly(&older)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
    assert!(error.to_string().contains("has lost changes"), "{error}");
    // The proof is in the database: a machine that has none is refused, too.
    let new = Batch::open(nightly(&older)).inputs(folder.inputs());
    let error = new.results(folder.path("new.jsonl")).await.unwrap_err();
    assert!(error.to_string().contains("has lost changes"), "{error}");
    assert_eq!(requests(&local, "/run"), 10);
    // The newest one knows all, and the older one continues once the loss is accepted.
    drop(open(&folder, nightly(&url)).await.unwrap());
    let batch = open(&folder, nightly(&older).accept_loss()).await.unwrap();
    assert_eq!(batch.status().await.unwrap().counts.of(State::Submitted), 5);
}

/// A batch of so many inputs whose jobs have all ended, and a database from before: what was
/// recorded then is that they were outstanding. The service has no results any more.
async fn put_back(name: &str, inputs: u64) -> (Folder, LocalService, Postgres) {
    let (url, older) = (journal::database(name), format!("{name}-older"));
    let local = service().start().await.unwrap();
    let folder = Folder::with(inputs);
    let batch = open(&folder, Postgres::connect(&url, "nightly")).await.unwrap();
    left_completed(&local, &batch, inputs).await;
    drop(batch);
    journal::sql("postgres", &format!("CREATE DATABASE \"{older}\" TEMPLATE \"{name}\""));
    let batch = open(&folder, Postgres::connect(&url, "nightly")).await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    drop(batch);
    assert_eq!(folder.results().len() as u64, inputs);
    forget_last_change(&folder);
    local.clock().advance(Duration::from_secs(31 * 60));
    let url = url.replace(&format!("/{name}"), &format!("/{older}"));
    (folder, local, Postgres::connect(url, "nightly"))
}

/// Another machine, which starts first, recovers all jobs, and must find them gone.
#[tokio::test]
async fn results_unknown_to_a_backup_are_recovered_although_their_jobs_have_expired() {
    let (folder, local, database) = put_back("finished", 9).await;
    // One is not known to have been accepted.
    journal::sql(
        "finished-older",
        "UPDATE podqueue.input SET state = 9, owner = NULL, job_id = NULL WHERE idx = 2;
         UPDATE podqueue.process SET moved[3] = moved[3] - 1, moved[10] = moved[10] + 1",
    );
    let (results, submitted) = (folder.results(), requests(&local, "/run"));
    let others = Batch::open(database.clone()).inputs(folder.inputs());
    let others = others.results(folder.path("others.jsonl")).await.unwrap();
    let found_gone = tokio::spawn(others.run(endpoint(&local, "double")));
    let polled = requests(&local, "/status/");
    until(async || requests(&local, "/status/") > polled).await;
    let batch = open(&folder, database).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "9 completed");
    assert_eq!(folder.results(), results);
    assert!(folder.failures().is_empty());
    found_gone.await.unwrap().unwrap();
    assert_eq!(fs::metadata(folder.path("others.jsonl")).unwrap().len(), 0);
    assert_eq!(requests(&local, "/run"), submitted, "nothing is submitted again");
}

#[tokio::test]
async fn results_of_a_process_that_a_backup_does_not_know_are_recovered() {
    let (folder, _local, database) = put_back("joined", 5).await;
    let results = folder.results();
    journal::sql(
        "joined-older",
        "DELETE FROM podqueue.note WHERE results <> 0; DELETE FROM podqueue.results",
    );
    let batch = open(&folder, database).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "5 completed");
    assert_eq!(folder.results(), results);
}

#[tokio::test]
async fn results_of_other_jobs_than_the_database_has_are_not_removed() {
    let (folder, _local, database) = put_back("again", 5).await;
    let results = folder.results();
    // Another machine has submitted it again.
    journal::sql("again-older", "UPDATE podqueue.input SET job_id = 'another' WHERE idx = 3");
    let error = open(&folder, database).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
    assert!(error.to_string().contains("input 3"), "{error}");
    assert_eq!(folder.results(), results);
}

#[tokio::test]
async fn results_that_the_database_does_not_know_are_refused() {
    let url = journal::database("known");
    let other = journal::database("unknown");
    let local = service().start().await.unwrap();
    let folder = Folder::with(5);
    let batch = open(&folder, Postgres::connect(&url, "nightly")).await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    drop(batch);
    let results = folder.results();
    for (url, name) in [(&other, "nightly"), (&url, "weekly")] {
        let error = open(&folder, Postgres::connect(url, name)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
        assert!(error.to_string().contains("an older copy of the database"), "{error}");
        assert_eq!(folder.results(), results);
    }
    // The tables are there, and so is the batch.
    Postgres::connect(&other, "nightly").open().unwrap();
    let error = open(&folder, Postgres::connect(&other, "nightly")).await.unwrap_err();
    assert!(error.to_string().contains("an older copy of the database"), "{error}");
    // Nor does a batch that has begun accept them.
    let monthly = Batch::open(Postgres::connect(&url, "monthly")).inputs(folder.inputs());
    monthly.results(folder.path("monthly.jsonl")).await.unwrap();
    let error = open(&folder, Postgres::connect(&url, "monthly")).await.unwrap_err();
    assert!(error.to_string().contains("an older copy of the database"), "{error}");
    // A file of another program is not taken for results, and is left unchanged.
    for _ in 0..2 {
        folder.write("notes.txt", "mine");
        let notes = Batch::open(Postgres::connect(&url, "nightly")).inputs(folder.inputs());
        let error = notes.results(folder.path("notes.txt")).await.unwrap_err();
        assert!(error.to_string().contains("choose another file"), "{error}");
    }
    assert!(!folder.path("notes.txt.writer").exists());
    // Neither does a batch leave anything that is refused.
    let changed = Batch::open(Postgres::connect(&url, "nightly"));
    let changed = changed.inputs(podqueue_batch::Inputs::iter([1, 2]));
    changed.results(folder.path("more.jsonl")).await.unwrap_err();
    assert!(!folder.path("more.jsonl.writer").exists());
    open(&folder, Postgres::connect(&url, "nightly")).await.unwrap();
}
