//! Journal file: invalid paths, removal during a run, and replacement by an older one.

use std::fs;
use std::time::Duration;

use podqueue_batch::{Batch, ErrorKind, Inputs, Sqlite};

use crate::faulty_services::{left_completed, requests};
use crate::support::{Folder, counts, endpoint, service};

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
    // Another program, or a request, begins a new one.
    let replaced = |path: &std::path::Path| {
        let log = format!("{}-wal", path.display());
        fs::rename(&log, path.with_extension("log")).unwrap();
        fs::write(log, "new").unwrap();
    };
    let lose: [&dyn Fn(&std::path::Path); 5] = [
        &|path| fs::remove_file(path).unwrap(),
        &|path| fs::rename(path, path.with_extension("old")).unwrap(),
        &copied,
        &log,
        &replaced,
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

#[tokio::test]
async fn results_that_an_older_journal_waits_for_are_recovered_and_not_cut_off() {
    for (end, completed) in [("", 6), ("{\"index\": 5, \"sta", 6), ("cut", 5), ("copy", 0)] {
        let local = service().start().await.unwrap();
        let folder = Folder::new();
        let lines = [1, 2, 3, 1, 4, 5].map(|n| format!("{{\"id\": \"{n}\", \"n\": {n}}}\n"));
        folder.write("inputs.jsonl", &lines.concat());
        let open = || folder.open().inputs(Inputs::jsonl(folder.path("inputs.jsonl")).dedupe());
        let batch = open().await.unwrap();
        left_completed(&local, &batch, 5).await;
        drop(batch);
        let older = fs::read(folder.journal().path()).unwrap();
        let batch = open().await.unwrap();
        let report = batch.run(endpoint(&local, "double")).await.unwrap();
        assert_eq!(counts(&batch.status().await.unwrap()), "6 completed");
        drop(batch);

        // The service has none of the results any more.
        local.clock().advance(Duration::from_secs(31 * 60));
        fs::write(folder.journal().path(), older).unwrap();
        let mut text = fs::read_to_string(folder.path("results.jsonl")).unwrap();
        match end {
            "cut" => text.truncate(text.len() - 5),
            // Its original's result is there.
            "copy" => text.truncate(text.find("{\"index\":3,").unwrap()),
            end => text.push_str(end),
        }
        folder.write("results.jsonl", &text);
        let before = requests(&local, "/run");
        let batch = open().await.unwrap();
        let now = batch.run(endpoint(&local, "double")).await.unwrap();
        let found = now.counts.of(podqueue_batch::State::Completed);
        match end {
            "copy" => assert!(folder.results().contains_key(&3), "the copy has its result"),
            _ => assert_eq!(found, completed, "{end:?}"),
        }
        assert_eq!(folder.results().len() as u64, found);
        if completed == 6 {
            assert_eq!(now.execution, report.execution);
        }
        assert_eq!(requests(&local, "/run"), before, "nothing is submitted again");
    }
}
