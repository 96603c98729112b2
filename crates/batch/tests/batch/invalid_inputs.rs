//! Invalid inputs, and files that change.

use std::fs;

use podqueue_batch::{Batch, ErrorKind, State};
use serde_json::json;

use crate::support::{Folder, counts, endpoint, service};

async fn refused(folder: &Folder) -> (ErrorKind, String) {
    let error = folder.open().await.unwrap_err();
    (error.kind(), error.to_string())
}

#[tokio::test]
async fn invalid_lines_are_refused_with_their_numbers_and_other_lines_complete() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    let lines = [
        r#"{"id": "a", "n": 1}"#,
        r#"{"id": "b", "n": "#,
        "",
        r#"{"n": 2}"#,
        r#"{"id": "a", "n": 3}"#,
        "17",
        r#"{"id": {}, "n": 4}"#,
        r#"{"id": "c", "n": 5}"#,
    ];
    folder.write("inputs.jsonl", &lines.join("\r\n"));
    let inputs = folder.inputs().key_field("id");
    let batch = folder.open().inputs(inputs).await.unwrap();
    let checked = batch.check().await.unwrap();
    assert_eq!((checked.valid, checked.invalid), (2, 5));
    assert_eq!(checked.errors.iter().map(|it| it.0).collect::<Vec<_>>(), [2, 4, 5, 6, 7]);
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "2 completed, 5 refused");
    let failures = folder.failures();
    for (index, part) in [
        (1, "line 2 of the inputs is not valid JSON"),
        (2, "line 4 of the inputs has no member \"id\""),
        (3, "line 5 of the inputs has the same key \"a\" as line 1"),
        (4, "line 6 of the inputs is not a JSON object"),
        (5, "line 7 of the inputs has a key \"id\" that is not a string"),
    ] {
        let error = failures[&index]["error"].as_str().unwrap();
        assert!(error.contains(part), "{index}: {error}");
    }
    assert_eq!(failures[&1]["text"], lines[1].trim_end());
    // A retry does not make them valid.
    assert_eq!(batch.retry(&[State::Refused]).await.unwrap(), 5);
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "2 completed, 5 refused");
}

#[tokio::test]
async fn a_line_above_the_payload_limit_is_refused_alone() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    let long = "x".repeat(10 * 1024 * 1024);
    folder.write_inputs([json!({ "n": 1 }), json!({ "n": 2, "long": long })].into_iter());
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "1 completed, 1 refused");
    let error = folder.failures()[&1]["error"].as_str().unwrap().to_owned();
    assert!(error.contains("above the limit"), "{error}");
}

#[tokio::test]
async fn a_line_that_is_too_long_to_be_read_is_refused_alone() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    let long = "x".repeat(33 << 20);
    let inputs = [json!({ "n": 1 }), json!({ "long": long }), json!({ "n": 3 })];
    folder.write_inputs(inputs.into_iter());
    let batch = folder.open().await.unwrap();
    let checked = batch.check().await.unwrap();
    assert_eq!((checked.valid, checked.errors), (2, vec![(2, "is longer than 32 MiB".to_owned())]));
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "2 completed, 1 refused");
    let failure = folder.failures()[&1].clone();
    assert_eq!(failure["error"], "line 2 of the inputs is longer than 32 MiB");
    assert_eq!(failure["text"].as_str().unwrap().len(), 1_000, "its beginning");
    drop(batch);
    // Appended lines are found after it.
    let mut file =
        std::fs::OpenOptions::new().append(true).open(folder.path("inputs.jsonl")).unwrap();
    std::io::Write::write_all(&mut file, b"{\"n\": 4}\n").unwrap();
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "3 completed, 1 refused");
    assert_eq!(folder.results()[&3]["output"]["n"], 8);
}

#[tokio::test]
async fn inputs_that_are_empty_missing_or_changed_are_refused() {
    let folder = Folder::new();
    assert_eq!(refused(&folder).await.0, ErrorKind::Inputs, "missing");
    for text in ["", "\n \n"] {
        folder.write("inputs.jsonl", text);
        let (kind, message) = refused(&folder).await;
        assert_eq!(kind, ErrorKind::Inputs, "{message}");
        assert!(message.ends_with("has no inputs"), "{message}");
    }
    let text = "{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3}\n";
    folder.write("inputs.jsonl", text);
    folder.open().await.unwrap();
    for (changed, how) in [
        ("{\"n\": 1}\n{\"n\": 9}\n{\"n\": 3}\n", "line 2 of "),
        ("{\"n\": 1}\n{\"n\": 2}\n", " has only 2 of the batch's 3 inputs"),
        ("{\"n\": 1}\n\n{\"n\": 2}\n{\"n\": 3}\n", "line 3 of "),
        ("{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3, \"m\": 4}\n", "line 3 of "),
    ] {
        folder.write("inputs.jsonl", changed);
        let (kind, message) = refused(&folder).await;
        assert_eq!(kind, ErrorKind::InputsChanged, "{message}");
        assert!(message.contains(how), "{message}");
    }
    folder.write("inputs.jsonl", &format!("{text}{{\"n\": 4}}"));
    let batch = folder.open().await.unwrap();
    assert_eq!(batch.status().await.unwrap().counts.total(), 4, "appended");
    drop(batch);
    let other = folder.open().inputs(folder.inputs().input_field("n")).await.unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Settings);
    assert!(other.to_string().contains(". Use the same ones; or new results"), "{other}");
}

#[tokio::test]
async fn inputs_that_change_while_they_are_used_stop_the_run() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(40);
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).take(5).await.unwrap();
    let text = fs::read_to_string(folder.path("inputs.jsonl")).unwrap();
    folder.write("inputs.jsonl", &text.replace("{\"n\":7}", "{\"n\":8}"));
    let error = batch.run(endpoint(&local, "double")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InputsChanged, "{error}");
    assert!(error.to_string().contains("line 8 of "), "{error}");
    let status = batch.status().await.unwrap();
    assert_eq!(status.counts.of(State::Unknown) + status.counts.of(State::Intent), 0);
    folder.write("inputs.jsonl", &text);
    assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
}

#[tokio::test]
async fn the_results_of_another_batch_are_left_alone() {
    let folder = Folder::with(3);
    folder.write("results.jsonl", "{\"index\": 0}\n");
    assert_eq!(refused(&folder).await.0, ErrorKind::OtherResults);
    fs::remove_file(folder.path("results.jsonl")).unwrap();
    // The journal has indexed nothing yet.
    folder.write("inputs.jsonl", "{\"n\": 7}\n");
    let local = service().start().await.unwrap();
    let batch = folder.open().await.unwrap();
    batch.run(endpoint(&local, "double")).await.unwrap();
    drop(batch);
    let text = fs::read_to_string(folder.path("results.jsonl")).unwrap();
    for other in [text.replace("COMPLETED", "completed"), text[1..].to_owned(), String::new()] {
        folder.write("results.jsonl", &other);
        assert_eq!(refused(&folder).await.0, ErrorKind::OtherResults);
        assert_eq!(fs::read_to_string(folder.path("results.jsonl")).unwrap(), other);
    }
    folder.write("results.jsonl", &format!("{text}{{\"index\": 1, \"st"));
    folder.open().await.unwrap();
    assert_eq!(fs::read_to_string(folder.path("results.jsonl")).unwrap(), text, "the rest is cut");
}

#[tokio::test]
async fn a_new_batch_needs_inputs_and_results() {
    let folder = Folder::with(1);
    let error = Batch::open(folder.journal()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings);
    let error = Batch::open(folder.journal()).inputs(folder.inputs()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings);
}

#[tokio::test]
async fn results_in_a_folder_that_cannot_be_written_are_an_error() {
    let folder = Folder::with(1);
    let open = Batch::open(folder.journal()).inputs(folder.inputs()).results("/proc/results");
    assert_eq!(open.await.unwrap_err().kind(), ErrorKind::Results);
}
