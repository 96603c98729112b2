//! Features beyond a run: export, retry, cancellation, appended inputs, equal inputs.

use std::fs;
use std::io::Write;
use std::time::Duration;

use podqueue::Policy;
use podqueue_batch::store::{OpenStore, Store};
use podqueue_batch::{Batch, ErrorKind, Inputs, Reader, State};
use podqueue_local::{LocalJob, Workers};
use serde_json::{Value, json};

use crate::support::{Folder, counts, endpoint, service, until};

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
async fn inputs_that_are_appended_to_a_running_batch_are_submitted() {
    let local = service().start().await.unwrap();
    let folder = Folder::with(50);
    let batch = folder.open().await.unwrap();
    let run = tokio::spawn(batch.run(endpoint(&local, "double")).window(3));
    until(async || !folder.results().is_empty()).await;
    let mut file = fs::File::options().append(true).open(folder.path("inputs.jsonl")).unwrap();
    file.write_all(b"{\"n\": 50}\n{\"n\": 51}\n").unwrap();
    let report = run.await.unwrap().unwrap();
    assert_eq!((report.counts.total(), report.is_complete()), (52, true));
    assert_eq!(folder.results()[&51]["output"], json!({ "n": 102 }));
}

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
async fn a_status_serializes_as_one_object() {
    let folder = Folder::with(2);
    let batch = folder.open().await.unwrap();
    let status = serde_json::to_value(batch.status().await.unwrap()).unwrap();
    let expected = json!({
        "total": 2, "pending": 2, "intent": 0, "submitted": 0, "completed": 0, "failed": 0,
        "cancelled": 0, "timed_out": 0, "expired": 0, "lost": 0, "unknown": 0, "refused": 0,
    });
    assert_eq!(status, expected);
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
    let batch = folder.open().largest_output_in_line(100).await.unwrap();
    batch.run(endpoint(&local, "text")).await.unwrap();
    let results = folder.results();
    assert_eq!(results[&0]["output"], "a\nb\u{2028}");
    assert_eq!(results[&1]["output"], Value::Null);
    let file = results[&1]["output_file"].as_str().unwrap();
    let output: String = serde_json::from_slice(&fs::read(folder.path(file)).unwrap()).unwrap();
    assert_eq!(output, long);
}

#[tokio::test]
async fn failures_are_retried_as_new_jobs_or_as_the_same() {
    let local = service()
        .endpoint("moody", |job: LocalJob| async move {
            match job.attempt() {
                1 if job.input["n"] == 0 => Err("not yet".into()),
                attempt => Ok(json!(attempt)),
            }
        })
        .start()
        .await
        .unwrap();
    let moody = endpoint(&local, "moody");
    let folder = Folder::with(2);
    let batch = folder.open().await.unwrap();
    batch.run(moody.clone()).await.unwrap();
    assert_eq!(batch.retry(&[State::Failed]).await.unwrap(), 1);
    batch.run(moody.clone()).await.unwrap();
    assert_eq!(counts(&batch.status().await.unwrap()), "1 completed, 1 failed", "a new job");
    assert_eq!(batch.retry_jobs(&moody).await.unwrap().retried, 1);
    assert!(batch.run(moody).await.unwrap().is_complete());
    assert_eq!(folder.results()[&0]["output"], 2);
    assert!(folder.failures().is_empty());
    let error = batch.retry(&[State::Completed]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings);
}

#[tokio::test]
async fn a_cancelled_batch_leaves_nothing_running() {
    let local = service().workers_of("double", Workers::between(0, 0)).start().await.unwrap();
    let double = endpoint(&local, "double");
    let folder = Folder::with(30);
    let batch = folder.open().await.unwrap();
    let run = batch.run(double.clone()).window(10);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 10).await;
    assert_eq!(batch.cancel(&double).await.unwrap_err().kind(), ErrorKind::Settings, "it runs");
    stopper.exit();
    run.await.unwrap().unwrap();
    assert_eq!(batch.cancel(&double).await.unwrap(), 30);
    assert_eq!(counts(&batch.status().await.unwrap()), "30 cancelled");
    assert_eq!(double.health().await.unwrap().jobs.in_queue, 0);
}

#[tokio::test]
async fn another_endpoint_and_policy_can_be_used_on_resume() {
    let local = service()
        .endpoint("other", |_| async { Ok(json!("other")) })
        .workers_of("double", Workers::between(0, 1).cold_start(Duration::from_secs(2)))
        .start()
        .await
        .unwrap();
    let folder = Folder::with(6);
    let batch = folder.open().await.unwrap();
    let policy = Policy::new().ttl(Duration::from_secs(3_600)).low_priority(false);
    let run = batch.run(endpoint(&local, "double")).policy(policy).window(3);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 3).await;
    stopper.exit();
    run.await.unwrap().unwrap();
    let report = batch.run(endpoint(&local, "other")).await.unwrap();
    assert!(report.is_complete(), "{report:?}");
    let outputs: Vec<_> = folder.results().into_values().map(|it| it["output"].clone()).collect();
    assert_eq!(outputs[..3], [json!({"n": 0}), json!({"n": 2}), json!({"n": 4})]);
    assert_eq!(outputs[3..], [json!("other"), json!("other"), json!("other")]);
    drop(batch);
    let runs = folder.journal().open().unwrap().runs().unwrap();
    assert_eq!(runs[0].1.ttl, Some(3_600_000));
    assert_eq!(
        (runs[0].1.endpoint_id.as_str(), runs[1].1.endpoint_id.as_str()),
        ("double", "other")
    );
}

#[tokio::test]
async fn jobs_of_another_service_are_left_to_a_run_that_knows_it() {
    let [one, two] = [service().start().await.unwrap(), service().start().await.unwrap()];
    let folder = Folder::new();
    let values = || Inputs::iter((0..2).map(|n| json!({ "n": n })));
    let batch: Batch = folder.open().inputs(values()).await.unwrap();
    one.add_fault(podqueue_local::Fault::response(503, "{}").on(podqueue_local::Operation::Status));
    let run = batch.run(endpoint(&one, "double")).take(1);
    let stopper = run.stopper();
    let run = tokio::spawn(run);
    until(async || batch.status().await.unwrap().counts.of(State::Submitted) == 1).await;
    stopper.exit();
    run.await.unwrap().unwrap();
    one.clear_faults();
    let report = batch.run(endpoint(&two, "double")).await.unwrap();
    assert_eq!((report.not_collected, report.counts.of(State::Submitted)), (1, 1));
    let run = batch.run(endpoint(&two, "double")).collect_from(endpoint(&one, "double"));
    assert!(run.await.unwrap().is_complete());
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
    let open = || folder.open().inputs(inputs()).largest_output_in_line(100);
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
