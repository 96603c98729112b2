//! Invalid paths and settings, which are refused before a file is created.

use std::fs;
use std::time::Duration;

use podqueue::Policy;
use podqueue_batch::{Batch, ErrorKind, Inputs, MaxFailures, OnUnknown, State};
use podqueue_local::{Fault, Operation};

use crate::journal;
use crate::support::{Folder, endpoint, service, until};

/// The names of the files in a folder, whose batch has not begun.
fn names(folder: &Folder) -> Vec<String> {
    assert!(!journal::exists(&folder.journal()));
    let entries = fs::read_dir(folder.path("")).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn files_that_cannot_be_used_are_refused_before_a_journal_is_created() {
    let folder = Folder::with(1);
    fs::create_dir(folder.path("folder")).unwrap();
    folder.write("blank.jsonl", " \n\r\n");
    folder.write("taken.jsonl", "{\"n\": 1}\n");
    let before = names(&folder);
    let inputs = "inputs.jsonl";
    for (inputs, results, kind, why) in [
        ("missing.jsonl", "out.jsonl", ErrorKind::Inputs, "could not open the inputs"),
        ("folder", "out.jsonl", ErrorKind::Inputs, "is a folder"),
        ("/dev/zero", "out.jsonl", ErrorKind::Inputs, "is not a regular file"),
        ("blank.jsonl", "out.jsonl", ErrorKind::Inputs, "has no inputs"),
        (inputs, "taken.jsonl", ErrorKind::OtherResults, "has content already"),
        (inputs, "/proc/out.jsonl", ErrorKind::Results, "could not create the results"),
        (inputs, "", ErrorKind::Settings, "that is not the name of a file"),
        (inputs, ".", ErrorKind::Settings, "that is not the name of a file"),
        (inputs, "..", ErrorKind::Settings, "that is not the name of a file"),
        (inputs, "out/", ErrorKind::Settings, "that is not the name of a file"),
        (inputs, "folder", ErrorKind::Settings, "that is a folder"),
        (inputs, "/dev/null", ErrorKind::Settings, "that is not a regular file"),
        (inputs, "none/out.jsonl", ErrorKind::Settings, "create it first"),
        (inputs, "other.jsonl.failed.jsonl", ErrorKind::Settings, "the name of the failures"),
        (inputs, "other.jsonl.journal-wal", ErrorKind::Settings, "the name of the journal"),
        (inputs, inputs, ErrorKind::Settings, "is the file of the batch's own results"),
    ] {
        let results = match results {
            "" | "." | ".." => results.into(),
            name => folder.path(name),
        };
        let opening = Batch::open(folder.journal()).inputs(Inputs::jsonl(folder.path(inputs)));
        let error = opening.results(&results).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{inputs} {results:?}: {error}");
        assert!(error.to_string().contains(why), "{inputs} {results:?}: {error}");
        assert_eq!(names(&folder), before, "{inputs} {results:?}");
    }
}

#[tokio::test]
async fn settings_that_cannot_be_used_are_refused_before_a_journal_is_created() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(1);
    let before = names(&folder);
    let double = endpoint(&local, "double");
    let hour = Duration::from_secs(3_600);
    let good = Policy::new().ttl(hour);
    let brief = Policy::new().ttl(Duration::from_secs(1));
    let long = Policy::new().execution_timeout(hour * 24 * 8);
    let to = |url: &str| OnUnknown::ByWebhook(url.into());
    for (endpoint, policy, on_unknown, why) in [
        (double.clone(), &brief, OnUnknown::Hold, "`policy.ttl`"),
        (double.clone(), &long, OnUnknown::Hold, "`policy.executionTimeout`"),
        (double.clone(), &good, to("ftp://h.example/hook"), "`webhook`"),
        (double.clone(), &good, to("http://h.example/hook#there"), "has a fragment"),
        (double.with_id(".."), &good, OnUnknown::Hold, "`endpoint id`"),
        (double.with_id(""), &good, OnUnknown::Hold, "`endpoint id`"),
    ] {
        let open = folder.open().on_unknown(on_unknown).check_run(&endpoint, policy);
        let error = open.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
        assert!(error.to_string().contains(why), "{error}");
        assert_eq!(names(&folder), before, "{why}");
    }
    let error = Batch::open(folder.journal()).inputs(folder.inputs()).await.unwrap_err();
    assert!(error.to_string().contains("say where the results go"), "{error}");
    let error = Batch::open(folder.journal()).results(folder.path("out.jsonl")).await.unwrap_err();
    assert!(error.to_string().contains("pass the inputs"), "{error}");
    assert_eq!(names(&folder), before);
    // A run refuses the same, without an earlier check.
    let batch = folder.open().check_run(&double, &good).await.unwrap();
    let error = batch.run(double.clone()).policy(brief).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
    assert!(local.requests().is_empty(), "nothing is sent");
    assert!(batch.run(double).policy(good).await.unwrap().is_complete());
}

#[tokio::test]
async fn failures_of_another_batch_are_neither_removed_nor_overwritten() {
    let folder = Folder::with(1);
    let failures = "{\"n\": 1}\n";
    folder.write("results.jsonl.failed.jsonl", failures);
    let error = folder.open().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
    let as_inputs = Inputs::jsonl(folder.path("results.jsonl.failed.jsonl"));
    let error = folder.open().inputs(as_inputs).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
    assert!(error.to_string().contains("batch's own failures"), "{error}");
    let found = fs::read_to_string(folder.path("results.jsonl.failed.jsonl")).unwrap();
    assert_eq!(found, failures);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_path_that_cannot_be_recorded_is_refused_before_a_journal_is_created() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::with(1);
    let before = names(&folder);
    let odd = folder.path("").join(std::ffi::OsStr::from_bytes(b"n\xff.jsonl"));
    let error = folder.open().results(odd).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings);
    assert!(error.to_string().contains("n\\xFF.jsonl\" is not: rename the file"), "{error}");
    assert_eq!(names(&folder), before);
}

#[tokio::test]
async fn invalid_settings_of_a_run_are_refused_by_name() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(1);
    let batch = folder.open().await.unwrap();
    let run = || batch.run(endpoint(&local, "double"));
    for percent in [f64::NAN, f64::INFINITY, -1.0, 100.1] {
        let error = run().max_failures(MaxFailures::Percent(percent)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
        assert!(error.to_string().starts_with("max_failures: "), "{error}");
    }
    let error = run().window(0).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings, "{error}");
    assert!(error.to_string().starts_with("window: "), "{error}");
    assert!(run().window(1).max_failures(MaxFailures::Percent(0.0)).await.unwrap().is_complete());
}

#[tokio::test]
async fn results_that_are_cut_off_or_removed_during_a_run_stop_it() {
    let local = service().start().await.unwrap();
    let lose: [fn(&std::path::Path); 3] = [
        |path| fs::write(path, "").unwrap(),
        |path| fs::remove_file(path).unwrap(),
        |path| fs::rename(path, path.with_extension("old")).unwrap(),
    ];
    for lose in lose {
        let folder = Folder::with(20);
        let batch = folder.open().await.unwrap();
        batch.run(endpoint(&local, "double")).take(5).await.unwrap();
        lose(&folder.path("results.jsonl"));
        let error = batch.run(endpoint(&local, "double")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
        let status = batch.status().await.unwrap();
        assert_eq!(status.counts.of(State::Completed), 5, "nothing counts that is not there");
    }
}

/// Text of another program.
fn append(path: &std::path::Path, text: &str) {
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
}

#[tokio::test]
async fn text_appended_to_the_results_by_another_program_stops_the_run_and_is_kept() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(4);
    let path = folder.path("results.jsonl");
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).take(2).await.unwrap();
    let ours = fs::read(&path).unwrap();
    // With the end of a line, without it, and one that could be read as a result.
    for text in ["a note\n", "a note", "\n", "{\"index\":1}\n", "{\"n\": 1}\n{\"index\":7,\"st"] {
        local.add_fault(Fault::response(503, "{}").on(Operation::Status));
        let run = tokio::spawn(batch.run(endpoint(&local, "double")));
        let submitted = async || batch.status().await.unwrap().counts.of(State::Submitted) == 2;
        until(submitted).await;
        append(&path, text);
        local.clear_faults();
        let error = run.await.unwrap().unwrap_err();
        let at = format!("from line 3, byte {} on", ours.len());
        let is_named =
            error.to_string().contains(&at) && error.to_string().contains("results.jsonl");
        assert!(is_named, "{text:?}: {error}");
        assert_eq!(error.kind(), ErrorKind::OtherResults, "{text:?}");
        let found = fs::read(&path).unwrap();
        assert_eq!(found, [&ours, text.as_bytes()].concat(), "{text:?}");
        fs::write(&path, &ours).unwrap();
    }
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
    assert_eq!(folder.results().len(), 4);
}

#[tokio::test]
async fn text_that_another_program_appends_between_runs_is_refused_and_not_removed() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(2);
    let path = folder.path("results.jsonl");
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    drop(batch);
    let ours = fs::read(&path).unwrap();
    for text in ["a note\n", "a note", "\n", "{\"index\":1}\n", "{\"n\": 1}\n"] {
        append(&path, text);
        let error = folder.open().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherResults, "{text:?}: {error}");
        assert!(error.to_string().contains("from line 3, byte"), "{text:?}: {error}");
        assert_eq!(fs::read(&path).unwrap(), [&ours, text.as_bytes()].concat(), "{text:?}");
        fs::write(&path, &ours).unwrap();
    }
    // The beginning of a line is what a killed process leaves.
    append(&path, "{\"index\":1,\"sta");
    folder.open().await.unwrap();
    assert_eq!(fs::read(&path).unwrap(), ours);
}
