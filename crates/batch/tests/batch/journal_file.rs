//! Journals in places where no file can be, and those that are taken away during a run.

use std::fs;

use podqueue_batch::{Batch, ErrorKind, Sqlite};

#[cfg(unix)]
use crate::misbehaving::requests;
use crate::support::Folder;
#[cfg(unix)]
use crate::support::{endpoint, service};

#[tokio::test]
async fn a_journal_that_cannot_be_a_file_is_refused() {
    let folder = Folder::with(1);
    fs::create_dir(folder.path("folder")).unwrap();
    for (place, why) in [
        ("missing/a.journal", "could not"),
        ("/proc/a.journal", "could not"),
        ("folder", "is not a regular file"),
    ] {
        let open = Batch::open(Sqlite::file(folder.path(place))).inputs(folder.inputs());
        let error = open.results(folder.path("results.jsonl")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
        assert!(error.to_string().contains(why), "{error}");
        assert!(!folder.path("results.jsonl").exists(), "{place}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_journal_that_is_removed_or_replaced_during_a_run_stops_it() {
    let local = service().start().await.unwrap();
    let copied = |path: &std::path::Path| {
        fs::copy(path, path.with_extension("old")).unwrap();
        fs::rename(path.with_extension("old"), path).unwrap();
    };
    let log = |path: &std::path::Path| fs::remove_file(format!("{}-wal", path.display())).unwrap();
    let lose: [&dyn Fn(&std::path::Path); 4] = [
        &|path| fs::remove_file(path).unwrap(),
        &|path| fs::rename(path, path.with_extension("old")).unwrap(),
        &copied,
        &log,
    ];
    for lose in lose {
        let folder = Folder::with(20);
        let batch = folder.open().await.unwrap();
        batch.run(endpoint(&local, "double")).take(5).await.unwrap();
        let before = requests(&local, "/run");
        lose(folder.journal().path());
        let error = batch.run(endpoint(&local, "double")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Journal, "{error}");
        assert!(error.to_string().contains("moved or replaced while it was open"), "{error}");
        assert_eq!(requests(&local, "/run"), before, "nothing more is submitted");
    }
}
