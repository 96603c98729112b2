//! The results of several machines, merged into one file.

use std::fs;
use std::path::PathBuf;

use podqueue_batch::{Batch, Ending, ErrorKind, Reader, Result, Stopped};
use serde_json::json;

use crate::support::{Folder, endpoint, service};

/// The merged results of a batch in these files: their number, and their lines.
fn merged(folder: &Folder, files: &[&str]) -> Result<(u64, String)> {
    let files: Vec<PathBuf> = files.iter().map(|file| folder.path(file)).collect();
    let mut to = Vec::new();
    let lines = Reader::open(&folder.journal())?.export_files(&files, &mut to)?;
    Ok((lines, String::from_utf8(to).unwrap()))
}

fn a_line() -> &'static str {
    "{\"index\":1,\"status\":\"COMPLETED\",\"job_id\":\"j\",\"output\":1}\n"
}

#[tokio::test]
async fn each_result_is_merged_once_whatever_files_are_named() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    let input = |n| if n == 2 { json!({ "fail": "no" }) } else { json!({ "n": n }) };
    folder.write_inputs((0..9).map(input));
    let run = async |results: &str, most: u64| {
        let journal = folder.journal();
        let opening = Batch::open(journal).inputs(folder.inputs()).results(folder.path(results));
        let batch = opening.await.unwrap();
        batch.run(endpoint(&local, "double")).take(most).await.unwrap();
    };
    // One gets nothing.
    run("answers.none.jsonl", 0).await;
    run("answers.a.jsonl", 4).await;
    run("answers.b.jsonl", 5).await;
    let (lines, text) = merged(&folder, &["answers.a.jsonl", "answers.b.jsonl"]).unwrap();
    assert_eq!((lines, text.lines().count()), (8, 8));

    // The files that a shell pattern matches.
    fs::copy(folder.path("answers.a.jsonl"), folder.path("answers.copy.jsonl")).unwrap();
    let mut found: Vec<_> = fs::read_dir(folder.path("."))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("answers.") && name.ends_with(".jsonl"))
        .collect();
    found.sort_unstable();
    assert!(found.contains(&"answers.a.jsonl.failed.jsonl".to_owned()), "{found:?}");
    let found: Vec<_> = found.iter().map(String::as_str).collect();
    assert_eq!(merged(&folder, &found).unwrap(), (8, text.clone()));

    // The reason for which the last of all runs ended.
    let ending = || Reader::open(&folder.journal()).unwrap().ending().unwrap();
    assert_eq!(ending(), Some(Ending::Stopped(Stopped::Taken)));
    run("answers.a.jsonl", 9).await;
    assert_eq!(ending(), None);

    // Lines of a process that died with its first results, which do not count yet.
    folder.write("answers.none.jsonl", a_line());
    assert_eq!(merged(&folder, &found).unwrap(), (8, text.clone()));

    // Not the copy of a file that has grown since, nor any other.
    let a = fs::read_to_string(folder.path("answers.a.jsonl")).unwrap();
    let first = a.split_inclusive('\n').next().unwrap();
    for (name, content) in [("early.jsonl", first), ("other.jsonl", "{\"index\":1}\n")] {
        folder.write(name, content);
        let error = merged(&folder, &[name, "answers.b.jsonl"]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherResults);
        assert!(error.to_string().contains("copy it again"), "{error}");
    }

    // Of a machine that has none, nothing is missing.
    fs::remove_file(folder.path("answers.none.jsonl")).unwrap();
    let mut to = Vec::new();
    assert_eq!(Reader::open(&folder.journal()).unwrap().export(&mut to).unwrap(), 8);
    assert_eq!(String::from_utf8(to).unwrap(), text);
}
