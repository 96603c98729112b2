//! Copies of a journal, and hard links to it.

use std::fs;

use podqueue_batch::{Batch, Error, ErrorKind, Reader, Sqlite, State};

use crate::support::{Folder, counts, endpoint, service};

const JOURNAL: &str = "results.jsonl.journal";

async fn open(folder: &Folder, journal: &str) -> Result<Batch, Error> {
    let open = Batch::open(Sqlite::file(folder.path(journal))).inputs(folder.inputs());
    open.results(folder.path("results.jsonl")).await
}

#[cfg(unix)]
#[tokio::test]
async fn a_journal_with_two_names_is_refused_under_both() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(4);
    let batch = folder.open().await.unwrap();
    fs::hard_link(folder.path(JOURNAL), folder.path("other.journal")).unwrap();
    let error = open(&folder, "other.journal").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Duplicate, "{error}");
    assert!(error.to_string().contains("has 2 names"), "{error}");
    let error = Reader::open(&Sqlite::file(folder.path("other.journal"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Duplicate, "{error}");
    // The batch that has the journal open continues.
    batch.run(endpoint(&local, "double")).take(2).await.unwrap();
    drop(batch);
    for name in [JOURNAL, "other.journal"] {
        let error = open(&folder, name).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Duplicate, "{error}");
    }
    fs::remove_file(folder.path("other.journal")).unwrap();
    let batch = open(&folder, JOURNAL).await.unwrap();
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
}

#[tokio::test]
async fn a_copy_of_a_journal_that_is_still_there_is_refused() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(6);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).take(2).await.unwrap();
    drop(batch);
    fs::copy(folder.path(JOURNAL), folder.path("copy.journal")).unwrap();
    for _ in 0..2 {
        let error = open(&folder, "copy.journal").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Duplicate, "{error}");
        let message = error.to_string();
        assert!(message.contains("is a copy of") && message.contains(JOURNAL), "{message}");
    }
    // A copy of the journal in another folder, with copies of the results and inputs, is refused,
    // too.
    let elsewhere = Folder::new();
    for name in [JOURNAL, "results.jsonl", "inputs.jsonl"] {
        fs::copy(folder.path(name), elsewhere.path(name)).unwrap();
    }
    let error = elsewhere.open().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Duplicate, "{error}");
    // The copy is accepted once the original journal is removed, or belongs to another batch.
    fs::remove_file(folder.path(JOURNAL)).unwrap();
    let batch = open(&folder, "copy.journal").await.unwrap();
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    drop(batch);
    let error = elsewhere.open().await.map(drop);
    assert!(error.is_ok(), "the recorded path is free: {error:?}");
}

/// A copy of the journal without its log, which has most of the changes.
#[tokio::test]
async fn a_young_journal_that_is_copied_without_its_log_is_refused() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(6);
    let batch = folder.open().await.unwrap();
    for name in ["before.journal", "during.journal"] {
        fs::copy(folder.path(JOURNAL), folder.path(name)).unwrap();
        let open = Batch::open(Sqlite::file(folder.path(name))).inputs(folder.inputs());
        let error = open.results(folder.path("others.jsonl")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Duplicate, "{name}: {error}");
        batch.run(endpoint(&local, "double")).take(2).await.unwrap();
    }
    drop(batch);
    // The same holds for the place that it was moved to.
    let moved = folder.path("moved.journal");
    fs::rename(folder.path(JOURNAL), &moved).unwrap();
    let batch = open(&folder, "moved.journal").await.unwrap();
    fs::copy(&moved, folder.path("copy.journal")).unwrap();
    let error = open(&folder, "copy.journal").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Duplicate, "{error}");
    assert!(error.to_string().contains("moved.journal"), "{error}");
    drop(batch);
}

#[tokio::test]
async fn a_moved_journal_continues() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(4);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).take(2).await.unwrap();
    drop(batch);
    fs::rename(folder.path(JOURNAL), folder.path("moved.journal")).unwrap();
    // Another batch begins at the former path of the journal.
    let other = Batch::open(folder.journal()).inputs(folder.inputs());
    let other = other.results(folder.path("others.jsonl")).await.unwrap();
    let batch = open(&folder, "moved.journal").await.unwrap();
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    assert_eq!(counts(&other.status().await.unwrap()), "4 pending");
}

#[cfg(unix)]
#[tokio::test]
async fn two_journals_do_not_write_the_same_results_at_the_same_time() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(6);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).take(2).await.unwrap();
    drop(batch);
    for copy in ["a.journal", "b.journal"] {
        fs::copy(folder.path(JOURNAL), folder.path(copy)).unwrap();
    }
    fs::remove_file(folder.path(JOURNAL)).unwrap();
    let batch = open(&folder, "a.journal").await.unwrap();
    let error = open(&folder, "b.journal").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InUse, "{error}");
    assert!(error.to_string().contains("results.jsonl"), "{error}");
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    assert_eq!(batch.status().await.unwrap().counts.of(State::Completed), 6);
    drop(batch);
    // Now the journal `b.journal` is older than the results.
    let error = open(&folder, "b.journal").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_new_journal_does_not_begin_with_results_that_another_one_has_open() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(6);
    let batch = folder.open().await.unwrap();
    let error = open(&folder, "other.journal").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InUse, "{error}");
    // A new journal is refused even if the first journal is lost while its batch is open.
    for name in [JOURNAL, "results.jsonl.journal.lock"] {
        fs::remove_file(folder.path(name)).unwrap();
    }
    let error = folder.open().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InUse, "{error}");
    assert!(error.to_string().contains("results.jsonl are being written"), "{error}");
    drop(batch);
    let batch = open(&folder, "other.journal").await.unwrap();
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
}
