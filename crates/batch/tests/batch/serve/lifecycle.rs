//! The life of a batch: each status, and what is in its files.

use std::time::Duration;

use podqueue_batch::serve::api::types::{BatchStatus, NewBatch};
use podqueue_local::{Fault, Operation};
use serde_json::{Value, json};

use crate::serve::support::{ANY_KEY, CHAT, Served, World, request, requests};

#[tokio::test]
async fn a_batch_completes_with_its_output_errors_and_usage() {
    let world = World::new().await;
    let served = world.serve().await;
    let file = served.upload(requests(["a", "b", "fail c", "refuse d"])).await;
    assert_eq!((file.object.as_deref(), file.status.as_deref()), (Some("file"), Some("processed")));
    let mut new = NewBatch::new("24h", CHAT, file.id.clone().unwrap());
    new.metadata = Some(Some([("job".to_owned(), "nightly".to_owned())].into()));
    let created = served.api.create_batch(new).await.unwrap();
    assert_eq!(created.status, Some(BatchStatus::Validating));
    let id = created.id.clone().unwrap();
    let batch = served.until_ended(&id).await;
    assert_eq!(batch.status, Some(BatchStatus::Completed), "{batch:?}");
    assert_eq!((batch.model.as_deref(), batch.endpoint.as_deref()), (Some("poet"), Some(CHAT)));
    assert_eq!(batch.input_file_id, file.id);
    assert_eq!(batch.metadata["job"], "nightly");
    assert_eq!(batch.expires_at.unwrap() - batch.created_at.unwrap(), 24 * 60 * 60);
    let usage = batch.usage.as_ref().unwrap();
    let tokens = (usage.input_tokens, usage.output_tokens, usage.total_tokens);
    assert_eq!(tokens, (Some(4), Some(6), Some(10)));

    let outcome = served.outcome(&batch).await;
    for content in ["a", "b"] {
        let line = &outcome.output[content];
        assert!(line["id"].as_str().unwrap().starts_with("batch_req_"), "{line}");
        assert_eq!((&line["error"], &line["response"]["status_code"]), (&Value::Null, &json!(200)));
        assert!(!line["response"]["request_id"].as_str().unwrap().is_empty(), "{line}");
        let body = &line["response"]["body"];
        assert_eq!(body["choices"][0]["message"]["content"], content);
    }
    for (content, status, message) in
        [("fail c", 500, "out of memory"), ("refuse d", 400, "too long")]
    {
        let line = &outcome.errors[content];
        assert_eq!(
            (&line["error"], &line["response"]["status_code"]),
            (&Value::Null, &json!(status))
        );
        let error = &line["response"]["body"]["error"]["message"];
        assert!(error.as_str().unwrap().contains(message), "{line}");
    }
    let output = served.api.retrieve_file(batch.output_file_id.clone().unwrap()).await.unwrap();
    assert_eq!(output.purpose.as_deref(), Some("batch_output"));
    assert_eq!(output.filename, Some(format!("{id}_output.jsonl")));
    assert_eq!(*world.problems.lock().unwrap(), [] as [&str; 0]);
    for content in ["a", "b", "fail c", "refuse d"] {
        assert_eq!(world.worker.calls(content), 1, "{content}");
    }
}

/// An output that is an error is never counted as completed.
#[tokio::test]
async fn the_counts_only_grow() {
    let world = World::new().await;
    let served = world.serve().await;
    let contents: Vec<_> =
        (0..200).map(|n| if n % 3 == 0 { format!("refuse {n}") } else { n.to_string() }).collect();
    let id = served.submit(requests(&contents)).await.id.unwrap();
    let batch = served.until_ended(&id).await;
    let outcome = served.outcome(&batch).await;
    assert_eq!((outcome.output.len(), outcome.errors.len()), (133, 67));
}

#[tokio::test]
async fn a_batch_does_not_need_its_input_file_once_it_is_created() {
    let world = World::new().await;
    let served = world.serve().await;
    let file = served.upload(request("a")).await;
    let batch = served.create(&file).await;
    served.api.delete_file(file.id.unwrap()).await.unwrap();
    let batch = served.until_ended(&batch.id.unwrap()).await;
    assert_eq!(batch.status, Some(BatchStatus::Completed));
}

#[tokio::test]
async fn a_cancelled_batch_keeps_its_completed_requests() {
    let world = World::new().await;
    let served = world.serve().await;
    let batch = served.submit(requests(["a", "b", "wait c", "wait d"])).await;
    let id = batch.id.unwrap();
    served.until(&id, |it| it.request_counts.as_ref().unwrap().completed == Some(2)).await;
    let batch = served.api.cancel_batch(id.as_str()).await.unwrap();
    assert_eq!(batch.status, Some(BatchStatus::Cancelling));
    let batch = served.until_ended(&id).await;
    assert_eq!(batch.status, Some(BatchStatus::Cancelled), "{batch:?}");
    let outcome = served.outcome(&batch).await;
    assert_eq!(outcome.output.keys().collect::<Vec<_>>(), ["a", "b"]);
    for content in ["wait c", "wait d"] {
        let line = &outcome.errors[content];
        assert_eq!(
            (&line["response"], &line["error"]["code"]),
            (&Value::Null, &json!("batch_cancelled"))
        );
    }
}

#[tokio::test]
async fn a_batch_that_is_cancelled_at_once_submits_little_and_ends() {
    let world = World::new().await;
    let served = world.serve().await;
    let contents: Vec<_> = (0..300).map(|n| format!("wait {n}")).collect();
    let batch = served.submit(requests(&contents)).await;
    let id = batch.id.unwrap();
    served.api.cancel_batch(id.as_str()).await.unwrap();
    // Once more, while it is being cancelled, changes nothing.
    let again = served.api.cancel_batch(id.as_str()).await;
    let batch = served.until_ended(&id).await;
    assert_eq!(batch.status, Some(BatchStatus::Cancelled));
    assert!(again.is_ok_and(|it| it.status == Some(BatchStatus::Cancelling)));
    assert_eq!(served.outcome(&batch).await.errors.len(), 300);
}

/// Its file may turn out to be invalid.
#[tokio::test]
async fn a_batch_that_is_cancelled_while_it_is_validated_ends_as_cancelled() {
    let world = World::new().await;
    let served = world.serve().await;
    let content = "x\n".repeat(20_000);
    for _ in 0..5 {
        let id = served.submit(content.as_str()).await.id.unwrap();
        let expected = match served.api.cancel_batch(id.as_str()).await {
            Ok(batch) => {
                assert_eq!(batch.status, Some(BatchStatus::Cancelling));
                BatchStatus::Cancelled
            }
            // It had failed before.
            Err(error) => {
                assert_eq!(error.status(), Some(409), "{error}");
                BatchStatus::Failed
            }
        };
        assert_eq!(served.until_ended(&id).await.status, Some(expected));
    }
}

#[tokio::test]
async fn a_batch_expires_when_its_window_has_passed() {
    let world = World::new().await;
    let served = world.serve().await;
    let batch = served.submit(requests(["a", "wait b"])).await;
    let id = batch.id.unwrap();
    served.until(&id, |it| it.request_counts.as_ref().unwrap().completed == Some(1)).await;
    world.advance(Duration::from_secs(24 * 60 * 60 - 60));
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(served.read(&id).await.status, Some(BatchStatus::InProgress));
    world.advance(Duration::from_secs(60));
    let batch = served.until_ended(&id).await;
    assert_eq!(batch.status, Some(BatchStatus::Expired));
    let outcome = served.outcome(&batch).await;
    assert_eq!(outcome.output.keys().collect::<Vec<_>>(), ["a"]);
    assert_eq!(outcome.errors["wait b"]["error"]["code"], "batch_expired");
}

#[tokio::test]
async fn a_request_whose_outcome_is_unknown_says_so() {
    let world = World::new().await;
    world.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    let served = world.serve().await;
    let batch = served.submit(requests(["a"])).await;
    let batch = served.until_ended(&batch.id.unwrap()).await;
    assert_eq!(batch.status, Some(BatchStatus::Completed));
    let outcome = served.outcome(&batch).await;
    let line = &outcome.errors["a"];
    assert_eq!(
        (&line["response"], &line["error"]["code"]),
        (&Value::Null, &json!("outcome_unknown"))
    );
    let message = line["error"]["message"].as_str().unwrap();
    assert!(message.contains("not known whether") && message.contains("check"), "{message}");
    assert_eq!(world.worker.calls("a"), 1);
}

#[tokio::test]
async fn batches_wait_for_each_other_where_their_number_is_limited() {
    let world = World::new().await;
    let served = Served::start(world.builder().concurrent_batches(1), ANY_KEY).await;
    let first = served.submit(requests(["wait a"])).await.id.unwrap();
    served.until(&first, |it| it.status == Some(BatchStatus::InProgress)).await;
    while world.worker.calls("wait a") == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let second = served.submit(requests(["b"])).await.id.unwrap();
    let third = served.submit(requests(["c"])).await.id.unwrap();
    served.until(&second, |it| it.status == Some(BatchStatus::InProgress)).await;
    // One that waits can be cancelled.
    served.api.cancel_batch(third.as_str()).await.unwrap();
    assert_eq!(served.until_ended(&third).await.status, Some(BatchStatus::Cancelled));
    assert_eq!((world.worker.calls("b"), world.worker.calls("c")), (0, 0));
    world.worker.open_gate();
    for id in [first, second] {
        assert_eq!(served.until_ended(&id).await.status, Some(BatchStatus::Completed));
    }
}
