//! Equal inputs: one of them is submitted, and the others are copies of it.

use podqueue_local::LocalJob;
use serde_json::{Value, json};

use crate::support::{Folder, counts, endpoint, service};

#[tokio::test]
async fn equal_inputs_are_submitted_once() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    let lines = [
        r#"{"id": 0, "input": {"n": 1, "m": {"a": 1, "b": 2}}}"#,
        r#"{"id": 1, "input": {"m": {"b":2, "a":1}, "n": 1}}"#,
        r#"{"id": 2, "input": {"n": 2}}"#,
        r#"{"id": 3, "input": {"n": 1, "m": {"b": 2, "a": 1}}}"#,
        r#"{"id": 4, "input": {"n": 3, "fail": "no"}}"#,
        r#"{"id": 5, "input": {"fail": "no", "n": 3}}"#,
    ];
    folder.write("inputs.jsonl", &lines.join("\n"));
    let inputs = folder.inputs().input_field("input").key_field("id").dedupe();
    let batch = folder.open().inputs(inputs).await.unwrap();
    assert_eq!(batch.check().await.unwrap().copies, 3);
    let report = batch.run(endpoint(&local, "double")).await.unwrap();
    assert_eq!(report.submitted_now, 3);
    assert_eq!(counts(&batch.status().await.unwrap()), "4 completed, 2 failed");
    let results = folder.results();
    for (index, line) in &results {
        assert_eq!(line["key"], json!(index));
        assert_eq!(line["output"], json!({ "n": if *index == 2 { 4 } else { 2 } }));
    }
    assert_eq!(folder.failures()[&5]["key"], json!(5));
}

#[tokio::test]
async fn copies_are_cancelled_with_their_original() {
    let local = service().start().await.unwrap();
    let folder = Folder::new();
    folder.write_inputs([1, 2, 1, 1].into_iter().map(|n| json!({ "n": n })));
    let batch = folder.open().inputs(folder.inputs().dedupe()).await.unwrap();
    assert_eq!(batch.cancel(&endpoint(&local, "double")).await.unwrap(), 4);
    assert_eq!(counts(&batch.status().await.unwrap()), "4 cancelled");
}

#[tokio::test]
async fn a_copy_that_is_appended_late_ends_as_its_original_did() {
    let local = service()
        .endpoint("some", |job: LocalJob| async move {
            match job.input["n"].as_u64() {
                Some(0) => Err("no".into()),
                Some(1) => Ok(Value::Null),
                _ => Ok(json!("long".repeat(100))),
            }
        })
        .start()
        .await
        .unwrap();
    let folder = Folder::new();
    let inputs = || folder.inputs().input_field("in").key_field("id").dedupe();
    let line = |id: u64| json!({ "id": id, "in": { "n": id % 3 } });
    folder.write_inputs((0..3).map(line));
    let open = || folder.open().inputs(inputs()).max_inline_output(100);
    let batch = open().await.unwrap();
    batch.run(endpoint(&local, "some")).await.unwrap();
    drop(batch);
    folder.write_inputs((0..6).map(line));
    let batch = open().await.unwrap();
    let report = batch.run(endpoint(&local, "some")).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "4 completed, 2 failed");
    assert_eq!((report.submitted_now, folder.failures().len()), (0, 2));
    let results = folder.results();
    for index in [1, 2] {
        let mut expected = results[&index].clone();
        (expected["index"], expected["key"]) = (json!(index + 3), json!(index + 3));
        assert_eq!(results[&(index + 3)], expected);
    }
    assert!(results[&4].as_object().unwrap().contains_key("output"), "null is an output");
}
