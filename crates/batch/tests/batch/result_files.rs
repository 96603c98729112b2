//! Files of a batch: its results, their export, large outputs, and failures.

use std::fs;
use std::time::Duration;

use podqueue_batch::{Inputs, Reader, State};
use podqueue_local::{LocalJob, Workers};
use serde_json::{Value, json};

use crate::support::{Folder, endpoint, service, until};

#[tokio::test]
async fn results_are_exported_in_order_and_read_from_another_process() {
    let local = service()
        .endpoint("any-order", |job: LocalJob| async move {
            let n = job.input["n"].as_u64().unwrap();
            tokio::time::sleep(Duration::from_millis(n * 7 % 40)).await;
            Ok(json!(n))
        })
        .workers_of("any-order", Workers::between(40, 40))
        .start()
        .await
        .unwrap();
    let folder = Folder::with(100);
    let batch = folder.open().await.unwrap();
    let run = tokio::spawn(batch.run(endpoint(&local, "any-order")).window(30));
    until(async || !folder.results().is_empty()).await;
    // As another process does.
    let mut reader = Reader::open(&folder.journal()).unwrap();
    let status = reader.status().unwrap();
    assert_eq!(status.counts.total(), 100);
    let exported = reader.export(&mut Vec::new()).unwrap();
    assert!(exported >= status.counts.of(State::Completed));
    run.await.unwrap().unwrap();
    let mut ordered = Vec::new();
    assert_eq!(reader.export(&mut ordered).unwrap(), 100);
    let indexes = String::from_utf8(ordered).unwrap();
    let indexes = indexes
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["index"].as_u64().unwrap());
    assert!(indexes.eq(0..100));
    assert_eq!(reader.results().unwrap(), Some(folder.path("results.jsonl")));
    assert!(reader.unknown().unwrap().is_empty());
}

#[tokio::test]
async fn large_outputs_are_files_and_every_output_fits_into_its_line() {
    let local = service()
        .endpoint("text", |job: LocalJob| async move { Ok(job.input["text"].clone()) })
        .start()
        .await
        .unwrap();
    let folder = Folder::new();
    let long = "long\n".repeat(100);
    folder.write_inputs([json!({ "text": "a\nb\u{2028}" }), json!({ "text": long })].into_iter());
    let batch = folder.open().max_inline_output(100).await.unwrap();
    batch.run(endpoint(&local, "text")).await.unwrap();
    let results = folder.results();
    assert_eq!(results[&0]["output"], "a\nb\u{2028}");
    assert_eq!(results[&1]["output"], Value::Null);
    let file = results[&1]["output_file"].as_str().unwrap();
    let output: String = serde_json::from_slice(&fs::read(folder.path(file)).unwrap()).unwrap();
    assert_eq!(output, long);
}

#[tokio::test]
async fn the_file_of_failures_is_complete_while_the_batch_runs() {
    let local = service()
        .endpoint("some", |job: LocalJob| async move {
            match job.input["n"].as_u64().unwrap() % 3 {
                0 => Err("no".into()),
                1 => Ok(json!(null)),
                _ => {
                    job.cancelled().await;
                    Ok(json!(null))
                }
            }
        })
        .workers_of("some", Workers::between(90, 90))
        .start()
        .await
        .unwrap();
    let folder = Folder::with(90);
    let batch = folder.open().await.unwrap();
    let run = batch.run(endpoint(&local, "some"));
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || folder.failures().len() == 30).await;
    until(async || folder.results().len() == 30).await;
    // It is a file of inputs, also of a batch without keys.
    let retry = Folder::new();
    let failed = Inputs::jsonl(folder.path("results.jsonl.failed.jsonl"));
    let second = retry.open().inputs(failed.input_field("input").key_field("key"));
    let second = second.await.unwrap();
    second.run(endpoint(&local, "double")).await.unwrap();
    let results: Vec<_> = retry.results().into_values().collect();
    assert_eq!(results.len(), 30);
    for line in results {
        assert_eq!(line["output"]["n"], json!(line["key"].as_u64().unwrap() * 2));
    }
    stopper.exit();
    run.await.unwrap().unwrap();
    assert_eq!(folder.failures().len(), 30);
}
