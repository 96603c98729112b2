//! Validation: each invalid line is named, with the reason.

use podqueue_batch::serve::api::types::{Batch, BatchStatus};
use serde_json::json;

use crate::serve::support::{ANY_KEY, CHAT, Served, World, request, requests};

/// The line, code and member of each error.
fn errors(batch: &Batch) -> Vec<(Option<i64>, &str, Option<&str>)> {
    let errors = batch.errors.as_ref().unwrap();
    let error = |error: &'_ podqueue_batch::serve::api::types::LineError| {
        assert!(!error.message.as_deref().unwrap().is_empty());
    };
    errors.data.iter().for_each(error);
    let errors = errors.data.iter();
    errors.map(|it| (it.line, it.code.as_deref().unwrap(), it.param.as_deref())).collect()
}

async fn failed(served: &Served, content: String) -> Batch {
    let batch = served.submit(content).await;
    let batch = served.until_ended(&batch.id.unwrap()).await;
    assert_eq!(batch.status, Some(BatchStatus::Failed), "{batch:?}");
    batch
}

#[tokio::test]
async fn each_invalid_line_is_named() {
    let world = World::new().await;
    let served = world.serve().await;
    let line = |id: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let mut line: serde_json::Value = serde_json::from_str(&request(id)).unwrap();
        change(&mut line);
        format!("{line}\n")
    };
    let content = [
        request("fine"),
        "{\"custom_id\": \n".to_owned(),
        "[1]\n".to_owned(),
        "\n".to_owned(),
        line("x", &|it| drop(it.as_object_mut().unwrap().remove("custom_id"))),
        line("x", &|it| it["custom_id"] = json!(7)),
        request("fine"),
        line("a", &|it| it["method"] = json!("GET")),
        line("b", &|it| it["url"] = json!("/v1/embeddings")),
        line("c", &|it| drop(it.as_object_mut().unwrap().remove("body"))),
        line("d", &|it| it["body"] = json!([])),
        line("e", &|it| it["body"] = json!({})),
        line("f", &|it| it["body"]["model"] = json!("other")),
        line("g", &|it| it["body"]["stream"] = json!(true)),
        line("h", &|it| it["body"]["stream"] = json!(false)),
        line("", &|_| {}),
        "[\"i\", \"POST\", \"/v1/chat/completions\", {\"model\": \"poet\"}]\n".to_owned(),
    ];
    let batch = failed(&served, content.concat()).await;
    assert_eq!(
        errors(&batch),
        [
            (Some(2), "invalid_json_line", None),
            (Some(3), "invalid_json_line", None),
            (Some(5), "missing_required_parameter", Some("custom_id")),
            (Some(6), "invalid_type", Some("custom_id")),
            (Some(7), "duplicate_custom_id", Some("custom_id")),
            (Some(8), "invalid_method", Some("method")),
            (Some(9), "mismatched_endpoint", Some("url")),
            (Some(10), "missing_required_parameter", Some("body")),
            (Some(11), "invalid_type", Some("body")),
            (Some(12), "missing_required_parameter", Some("body.model")),
            (Some(13), "model_not_found", Some("body.model")),
            (Some(14), "unsupported_parameter", Some("body.stream")),
            (Some(16), "invalid_value", Some("custom_id")),
            (Some(17), "invalid_json_line", None),
        ]
    );
    assert_eq!(world.worker.calls("fine"), 0, "nothing of an invalid file is submitted");
}

#[tokio::test]
async fn a_batch_has_one_model() {
    let world = World::new().await;
    let builder = world.builder().model("bard", world.endpoint());
    let served = Served::start(builder, ANY_KEY).await;
    let content = request("a") + &request("b").replace("\"poet\"", "\"bard\"");
    let batch = failed(&served, content).await;
    assert_eq!(errors(&batch), [(Some(2), "mismatched_model", Some("body.model"))]);
}

#[tokio::test]
async fn empty_files_and_too_many_requests_are_refused() {
    let world = World::new().await;
    let served = Served::start(world.builder().max_requests(3), ANY_KEY).await;
    for (content, code) in [
        (String::new(), "empty_file"),
        ("\n \n".to_owned(), "empty_file"),
        (requests(["a", "b", "c", "d"]), "too_many_requests"),
    ] {
        let batch = failed(&served, content).await;
        assert_eq!(errors(&batch), [(None, code, None)]);
    }
    let batch = served.submit(requests(["a", "b", "c"])).await;
    let batch = served.until_ended(&batch.id.unwrap()).await;
    assert_eq!(batch.status, Some(BatchStatus::Completed));
}

#[tokio::test]
async fn a_file_may_have_a_byte_order_mark_blank_lines_and_no_last_line_break() {
    let world = World::new().await;
    let served = world.serve().await;
    let content = format!("\u{feff}{}\r\n\n{}", request("a").trim(), request("b").trim());
    let batch = served.submit(content).await;
    let batch = served.until_ended(&batch.id.unwrap()).await;
    assert_eq!(batch.status, Some(BatchStatus::Completed), "{batch:?}");
    assert_eq!(served.outcome(&batch).await.output.len(), 2);
    assert_eq!(batch.endpoint.as_deref(), Some(CHAT));
}
