//! Creation of a batch: interrupted, twice at once, and with files of an earlier one.

use std::fs;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{iter, pending};
use podqueue::{Client, RateLimits};
use podqueue_batch::{Batch, ErrorKind, Inputs, State};
use serde_json::json;

use crate::journal;
use crate::support::{Folder, KEY, counts, endpoint, service, until};

fn values(count: u64) -> impl Iterator<Item = serde_json::Value> {
    (0..count).map(|n| json!({ "n": n }))
}

/// Begins a batch whose inputs are not all there yet when its opening is given up.
async fn interrupted(folder: &Folder, inputs: u64) {
    let stream = Inputs::stream(iter(values(inputs)).chain(pending()));
    let opening = folder.open().inputs(stream);
    let opened = tokio::time::timeout(Duration::from_secs(1), opening.into_future()).await;
    opened.expect_err("the inputs have not ended");
    until(async || !journal::is_open(&folder.journal())).await;
}

#[tokio::test]
async fn partially_copied_inputs_are_refused() {
    let local = service().start().await.unwrap();
    let client = Client::builder().api_key(KEY).base_url(local.base_url());
    let double = client.rate_limits(RateLimits::off()).build().unwrap().endpoint("double");
    let folder = Folder::new();
    let without = || Batch::open(folder.journal()).results(folder.path("results.jsonl"));
    interrupted(&folder, 10).await;
    let error = without().await.unwrap_err();
    assert!(error.to_string().contains("pass the inputs"), "{error}");
    interrupted(&folder, 5_500).await;
    match without().await {
        Ok(batch) => {
            let error = batch.run(double.clone()).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Inputs, "{error}");
            assert!(error.to_string().contains("pass them again"), "{error}");
            assert_eq!(
                batch.status().await.unwrap().counts.of(State::Pending),
                0,
                "some were there"
            );
        }
        // A database has all of them or none.
        Err(error) => assert!(error.to_string().contains("pass the inputs"), "{error}"),
    }
    let batch = folder.open().inputs(Inputs::iter(values(5_600))).await.unwrap();
    assert!(batch.run(double.clone()).await.unwrap().is_complete());
    assert_eq!(counts(&batch.status().await.unwrap()), "5600 completed");
    drop(batch);
    assert!(without().await.unwrap().run(double).await.unwrap().is_complete());
}

#[tokio::test]
async fn large_outputs_of_another_batch_are_not_overwritten() {
    let folder = Folder::with(1);
    let outputs = folder.path("results.jsonl.outputs");
    fs::create_dir(&outputs).unwrap();
    fs::write(outputs.join("0.json"), "{}").unwrap();
    let error = folder.open().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OtherResults, "{error}");
    assert!(error.to_string().contains("results.jsonl.outputs"), "{error}");
    assert!(!journal::exists(&folder.journal()));
    fs::remove_file(outputs.join("0.json")).unwrap();
    folder.open().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_processes_creates_a_batch() {
    let local = service().start().await.unwrap();
    for _ in 0..20 {
        let folder = Folder::with(2);
        let openings: Vec<_> = (0..4).map(|_| tokio::spawn(folder.open().into_future())).collect();
        let mut begun = None;
        for opening in openings {
            match opening.await.unwrap() {
                Ok(batch) => assert!(begun.replace(batch).is_none(), "two have begun it"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::InUse, "{error}"),
            }
        }
        // All of them may have been in each other's way.
        if let Some(batch) = begun {
            assert!(batch.run(endpoint(&local, "double")).await.unwrap().is_complete());
            assert_eq!(folder.results().len(), 2);
        }
    }
}

#[tokio::test]
async fn a_check_finds_inputs_above_the_payload_limit() {
    let folder = Folder::new();
    let line = |bytes: usize| format!("{{\"n\":\"{}\"}}\n", "x".repeat(bytes - 8));
    let most = podqueue::Run::MAX_BODY - r#"{"input":}"#.len();
    folder.write("inputs.jsonl", &(line(most) + &line(most + 1)));
    let checked = folder.open().await.unwrap().check().await.unwrap();
    assert_eq!((checked.valid, checked.invalid), (1, 1));
    let (line, error) = &checked.errors[0];
    assert_eq!(*line, 2);
    assert!(error.contains("makes a body of 10485761 bytes"), "{error}");
}

#[tokio::test]
async fn keys_are_compared_by_value_not_by_encoding() {
    let folder = Folder::new();
    folder.write(
        "inputs.jsonl",
        "{\"id\": \"a\"}\n{\"id\": \"\\u0061\"}\n{\"id\": 1}\n{\"id\": \"1\"}\n\
         {\"id\": 12345678901234567890123}\n{\"id\": 12345678901234567890124}\n",
    );
    let batch = folder.open().inputs(folder.inputs().key_field("id")).await.unwrap();
    let checked = batch.check().await.unwrap();
    assert_eq!((checked.valid, checked.invalid), (5, 1));
    assert!(checked.errors[0].1.contains("as line 1"), "{}", checked.errors[0].1);
}
