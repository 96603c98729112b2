//! What a loss of power, or a backup, leaves of a database and of the results that go with it.

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue_batch::store::{OpenStore, Postgres};
use podqueue_batch::{Batch, ErrorKind, Open, State};
use podqueue_pgserver::Server;

use crate::durability::{completed, watched};
use crate::journal;
use crate::support::{Folder, endpoint, service};

fn open(folder: &Folder, store: impl OpenStore) -> Open {
    Batch::open(store).inputs(folder.inputs()).results(folder.path("results.jsonl"))
}

/// The power goes when results were written and are about to be committed: of what was written last,
/// any part may be there.
#[tokio::test]
async fn results_that_a_loss_of_power_cuts_off_anywhere_go_on_where_they_are_durable() {
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
    // Within the first line that is not durable, and around each end of a line.
    let ends = (durable..written.len()).filter(|at| written[*at] == b'\n');
    let around = ends.flat_map(|at| [at - 1, at, at + 1]);
    for cut in [durable, durable + 1, durable + 50].into_iter().chain(around) {
        fs::write(&results, &written[..cut]).unwrap();
        let batch = open(&folder, database()).await.unwrap();
        assert_eq!(fs::read(&results).unwrap(), written[..durable], "cut at {cut}");
        drop(batch);
    }
    // What was durable is not taken for less.
    fs::write(&results, &written[..durable - 1]).unwrap();
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
    let error = open(&folder, nightly(&older)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
    assert!(error.to_string().contains("older copy"), "{error}");
    assert_eq!(folder.results(), results, "none of them is cut off");
    open(&folder, nightly(&url)).await.unwrap();
}
