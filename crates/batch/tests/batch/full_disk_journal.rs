//! Full disk: no space for the journal.

use std::env::var_os;
use std::path::Path;
use std::time::Duration;

use podqueue_batch::store::{
    Change, Claim, Commit, Event, Input, OpenStore, RunRecord, Sqlite, SqliteStore, Store,
};
use podqueue_batch::{Error, State};
use podqueue_local::{Fault, LocalJob, Operation};

use crate::full_disk::limited;
use crate::support::{Folder, counts, endpoint, service};

/// Submissions in flight are recorded although the disk of the journal is full.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_leaves_no_submission_unknown() {
    // Responses that take a while leave many submissions in flight.
    let local = service()
        .endpoint("seen", |job: LocalJob| async move { Ok(job.input["n"].clone()) })
        .start()
        .await
        .unwrap();
    local.add_fault(Fault::delay(Duration::from_millis(300)).on(Operation::Run));
    for blocks in [1_050, 1_300, 1_600] {
        let folder = Folder::with(2_000);
        let limit = format!("ulimit -f {blocks};");
        let ended = limited(&folder, &local.base_url(), &limit, "kill::helper_process_of_a_batch");
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(said.contains("could not write the journal"), "{blocks}: {said}");
        let batch = folder.open().await.unwrap();
        let status = batch.status().await.unwrap();
        assert_eq!(status.counts.of(State::Unknown), 0, "{blocks}: {}", counts(&status));
        assert!(status.counts.of(State::Submitted) > 0, "{blocks}: {}", counts(&status));
    }
}

/// Outcomes are recorded in the reserved space; after that, nothing is claimed.
#[tokio::test]
async fn no_input_is_claimed_after_a_commit_on_a_full_disk() {
    let folder = Folder::with(3);
    folder.open().await.unwrap();
    let ended =
        limited(&folder, "", "ulimit -f 1100;", "full_disk_journal::helper_process_on_a_full_disk");
    assert!(ended.status.success(), "{ended:?}");
}

fn begin(store: &mut SqliteStore) -> u64 {
    let (endpoint_id, base_url) = ("double".to_owned(), "http://h.example".to_owned());
    let run = RunRecord { endpoint_id, base_url, policy: None, ttl: None, started_at: 1 };
    store.begin_run(&run).unwrap()
}

fn claim(store: &mut SqliteStore, run: u64) -> Result<Vec<Input>, Error> {
    let claim = Some(Claim { limit: 1, bytes: 100, run, ..Claim::default() });
    store.commit(&Commit { claim, ..Commit::default() })
}

#[test]
#[ignore = "the process that may write little"]
fn helper_process_on_a_full_disk() {
    let folder = var_os("BATCH_FOLDER").unwrap();
    let journal = Path::new(&folder).join("results.jsonl.journal");
    let mut store = Sqlite::file(journal).open().unwrap();
    let run = begin(&mut store);
    let claimed = claim(&mut store, run).unwrap().remove(0);
    for number in 0..20 {
        let notes = vec![("note", number.to_string().repeat(100_000))];
        store.commit(&Commit { notes, ..Commit::default() }).unwrap();
    }
    let error = claim(&mut store, run).unwrap_err();
    assert!(error.to_string().contains("could not write the journal"), "{error}");
    let (index, attempt) = (claimed.index, claimed.attempt);
    let changes = vec![Change { index, attempt, event: Event::NotSent }];
    store.commit(&Commit { changes, ..Commit::default() }).unwrap();
    let next = begin(&mut store);
    assert_eq!(claim(&mut store, next).unwrap()[0].index, index, "the next run tries again");
}

#[tokio::test]
async fn disk_space_is_reserved_while_the_journal_is_open() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(1);
    let kept = || std::fs::metadata(folder.path("results.jsonl.journal.lock")).unwrap().len();
    let batch = folder.open().await.unwrap();
    for _ in 0..2 {
        batch.run(endpoint(&local, "double")).await.unwrap();
        assert_eq!(kept(), 1024 * 1024);
    }
    drop(batch);
    assert_eq!(kept(), 0);
}
