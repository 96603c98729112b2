//! Journals that are damaged, old, or on a read-only path.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use podqueue_batch::store::{Claim, Commit, OpenStore, RunRecord, Store};
use podqueue_batch::{Batch, Error, ErrorKind, Reader, Sqlite, State};

use crate::support::{Folder, counts, endpoint, service};

const JOURNAL: &str = "results.jsonl.journal";
const LOG: &str = "results.jsonl.journal-wal";
const LOCK: &str = "results.jsonl.journal.lock";

/// The bytes of a frame of the log: a page and its header.
const FRAME: u64 = 4096 + 24;

/// A folder as a loss of power leaves it after a process has claimed inputs one by one.
async fn killed() -> Folder {
    leave(&[JOURNAL, LOG, "results.jsonl", "inputs.jsonl"]).await
}

/// These files as they are when a process has claimed inputs one by one.
async fn leave(names: &[&str]) -> Folder {
    let folder = Folder::with(20);
    drop(folder.open().await.unwrap());
    let mut store = folder.journal().open().unwrap();
    let run = RunRecord {
        endpoint_id: "double".to_owned(),
        base_url: "http://127.0.0.1:1".to_owned(),
        policy: None,
        ttl: None,
        started_at: 0,
    };
    let run = store.begin_run(&run).unwrap();
    for _ in 0..10 {
        let claim = Some(Claim { limit: 1, bytes: u64::MAX, run, ..Claim::default() });
        store.commit(&Commit { claim, ..Commit::default() }).unwrap();
    }
    // The files of a process that was killed.
    let left = Folder::with(20);
    for name in names {
        fs::copy(folder.path(name), left.path(name)).unwrap();
    }
    left
}

fn damage(path: &Path, at: u64) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&[0xa5; 64]).unwrap();
}

async fn open(folder: &Folder) -> Result<Batch, Error> {
    Batch::open(folder.journal())
        .results(folder.path("results.jsonl"))
        .inputs(folder.inputs())
        .await
}

#[tokio::test]
async fn the_journal_of_a_killed_process_is_recovered() {
    let folder = killed().await;
    let batch = open(&folder).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "10 pending, 10 unknown");
}

#[tokio::test]
async fn a_log_that_is_damaged_before_its_end_is_refused_and_left_alone() {
    let frames = fs::metadata(killed().await.path(LOG)).unwrap().len() / FRAME;
    assert!(frames > 10, "{frames}");
    for at in [0, 40, 32 + 5 * FRAME + 12, 32 + 5 * FRAME + 2_000, 32 + (frames / 2) * FRAME] {
        let folder = killed().await;
        damage(&folder.path(LOG), at);
        let before = fs::read(folder.path(LOG)).unwrap();
        for _ in 0..2 {
            let error = open(&folder).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Journal, "{at}: {error}");
            let message = error.to_string();
            assert!(message.contains("is damaged") && message.contains("keep copies"), "{message}");
            let error = Reader::open(&folder.journal()).unwrap_err();
            assert!(error.to_string().contains("is damaged"), "{at}: {error}");
        }
        assert_eq!(fs::read(folder.path(LOG)).unwrap(), before, "{at}");
    }
}

#[tokio::test]
async fn a_last_transaction_that_was_not_written_to_its_end_did_not_happen() {
    let folder = killed().await;
    let length = fs::metadata(folder.path(LOG)).unwrap().len();
    let log = OpenOptions::new().write(true).open(folder.path(LOG)).unwrap();
    log.set_len(length - 100).unwrap();
    let batch = open(&folder).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "11 pending, 9 unknown");
}

/// No output shows that the log is missing.
#[tokio::test]
async fn a_journal_without_its_log_after_a_kill_is_refused() {
    let folder = leave(&[JOURNAL, LOG, LOCK, "inputs.jsonl", "results.jsonl"]).await;
    let moved = folder.path("moved.wal");
    fs::rename(folder.path(LOG), &moved).unwrap();
    let before = fs::read(folder.path(JOURNAL)).unwrap();
    for _ in 0..2 {
        let error = open(&folder).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
        let message = error.to_string();
        assert!(message.contains("-wal") && message.contains("put"), "{message}");
    }
    assert_eq!(fs::read(folder.path(JOURNAL)).unwrap(), before, "nothing was changed");
    // A log without its last frame is refused, too.
    let whole = fs::read(&moved).unwrap();
    fs::write(folder.path(LOG), &whole[..whole.len() - FRAME as usize]).unwrap();
    open(&folder).await.unwrap_err();
    assert_eq!(fs::read(folder.path(JOURNAL)).unwrap(), before, "nor into it");
    fs::write(folder.path(LOG), &whole).unwrap();
    let batch = open(&folder).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "10 pending, 10 unknown");
}

/// The lock file stays behind.
#[tokio::test]
async fn a_journal_of_a_killed_process_that_was_moved_without_its_log_is_refused() {
    let folder = leave(&[JOURNAL, LOG, "inputs.jsonl", "results.jsonl"]).await;
    let moved = folder.path("moved.wal");
    fs::rename(folder.path(LOG), &moved).unwrap();
    let before = fs::read(folder.path(JOURNAL)).unwrap();
    for _ in 0..2 {
        let error = open(&folder).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
        assert!(error.to_string().contains("moved without its -wal file"), "{error}");
    }
    assert_eq!(fs::read(folder.path(JOURNAL)).unwrap(), before, "nothing was changed");
    fs::rename(&moved, folder.path(LOG)).unwrap();
    let batch = open(&folder).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "10 pending, 10 unknown");
    // A journal that was closed has all changes in its file.
    drop(batch);
    assert!(!folder.path(LOG).exists());
    fs::remove_file(folder.path(LOCK)).unwrap();
    let batch = open(&folder).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "10 pending, 10 unknown");
}

#[tokio::test]
async fn an_empty_log_continues_a_journal_whose_log_is_lost() {
    let folder = leave(&[JOURNAL, "inputs.jsonl", "results.jsonl"]).await;
    open(&folder).await.unwrap_err();
    fs::write(folder.path(LOG), "").unwrap();
    open(&folder).await.unwrap();
}

/// Other programs merge the log when they close a journal that they have read.
#[tokio::test]
async fn a_journal_with_a_merged_log_is_accepted() {
    let folder = Folder::with(20);
    let batch = folder.open().await.unwrap();
    fs::copy(folder.path(LOCK), folder.path("lock")).unwrap();
    assert!(fs::metadata(folder.path("lock")).unwrap().len() > 0);
    drop(batch);
    assert!(!folder.path(LOG).exists());
    fs::rename(folder.path("lock"), folder.path(LOCK)).unwrap();
    open(&folder).await.unwrap();
}

#[tokio::test]
async fn the_lock_file_of_a_removed_journal_does_not_refuse_a_new_one() {
    let folder = leave(&[LOCK, "inputs.jsonl"]).await;
    let batch = open(&folder).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "20 pending");
}

#[tokio::test]
async fn a_reader_leaves_the_log_to_the_next_run() {
    let folder = killed().await;
    let before = fs::read(folder.path(LOG)).unwrap();
    let mut reader = Reader::open(&folder.journal()).unwrap();
    assert_eq!(reader.status().unwrap().counts.of(State::Intent), 10);
    drop(reader);
    assert_eq!(fs::read(folder.path(LOG)).unwrap(), before);
    // Without a log, a reader leaves none.
    drop(open(&folder).await.unwrap());
    Reader::open(&folder.journal()).unwrap().status().unwrap();
    assert!(!folder.path(LOG).exists());
}

#[cfg(unix)]
#[tokio::test]
async fn a_journal_behind_a_link_is_the_same_one() {
    let folder = Folder::with(1);
    let link = Sqlite::file(folder.path("link.journal"));
    std::os::unix::fs::symlink(folder.path(JOURNAL), link.path()).unwrap();
    let batch = open(&folder).await.unwrap();
    assert!(link.is_open());
    let error = Batch::open(link.clone()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InUse, "{error}");
    drop(batch);
    let folder = killed().await;
    std::os::unix::fs::symlink(folder.path(JOURNAL), folder.path("link.journal")).unwrap();
    damage(&folder.path(LOG), 40);
    let link = Sqlite::file(folder.path("link.journal"));
    assert!(Reader::open(&link).unwrap_err().to_string().contains("is damaged"));
}

#[tokio::test]
async fn unknown_inputs_are_listed_although_the_inputs_are_gone() {
    let folder = killed().await;
    drop(open(&folder).await.unwrap());
    fs::remove_file(folder.path("inputs.jsonl")).unwrap();
    let unknown = Reader::open(&folder.journal()).unwrap().unknown().unwrap();
    assert_eq!(unknown.len(), 10);
}

#[tokio::test]
async fn a_file_that_is_damaged_is_refused_after_a_crash() {
    let folder = killed().await;
    // The first page is in the log, and the last page is that of an index.
    let pages = fs::metadata(folder.path(JOURNAL)).unwrap().len() / 4096;
    assert!(pages > 3, "{pages}");
    for page in 1..pages {
        damage(&folder.path(JOURNAL), page * 4096);
    }
    for _ in 0..2 {
        let error = open(&folder).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
        assert!(error.to_string().contains("is damaged"), "{error}");
    }
    assert!(fs::metadata(folder.path(LOG)).unwrap().len() > 0, "the log is left");
}

#[tokio::test]
async fn a_file_that_is_cut_off_is_refused() {
    let folder = Folder::with(500);
    drop(folder.open().await.unwrap());
    let file = OpenOptions::new().write(true).open(folder.path(JOURNAL)).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    let error = open(&folder).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
    assert!(error.to_string().contains("is damaged"), "{error}");
}

#[tokio::test]
async fn a_journal_that_is_older_than_the_results_is_refused() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(20);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).take(5).await.unwrap();
    drop(batch);
    let old = fs::read(folder.path(JOURNAL)).unwrap();
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    drop(batch);
    let (results, new) = (folder.results(), fs::read(folder.path(JOURNAL)).unwrap());
    fs::write(folder.path(JOURNAL), old).unwrap();
    let error = open(&folder).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
    assert!(error.to_string().contains("older copy"), "{error}");
    assert_eq!(folder.results(), results, "none of them is cut off");
    fs::write(folder.path(JOURNAL), new).unwrap();
    open(&folder).await.unwrap();
}
