//! Files of batches: only those below the permitted folders, whatever the path says.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Assistant, Fixture};

fn run(inputs: &str, out: &str) -> Value {
    json!({ "endpoint": "echo", "inputs": inputs, "out": out })
}

#[tokio::test]
async fn no_batch_leaves_its_folders() {
    let fixture = Fixture::start().await;
    fixture.write("inputs.jsonl", [json!({ "a": 1 })]);
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.jsonl");
    fs::write(&secret, "{}\n").unwrap();
    let assistant = Assistant::of(fixture.with_batches()).await;
    let (secret, outside) = (secret.to_str().unwrap(), outside.path().to_str().unwrap());
    let state = fixture.state.path().join("calls.db");
    for (inputs, out) in [
        (secret, "out.jsonl"),
        ("inputs.jsonl", &*format!("{outside}/out.jsonl")),
        ("../secret.jsonl", "out.jsonl"),
        ("inputs.jsonl", "../out.jsonl"),
        ("inputs.jsonl", "missing/out.jsonl"),
        ("inputs.jsonl", ".."),
        ("inputs.jsonl", ""),
        ("inputs.jsonl", "a\nb.jsonl"),
        ("missing.jsonl", "out.jsonl"),
        (".", "out.jsonl"),
        ("inputs.jsonl", state.to_str().unwrap()),
        ("inputs.jsonl", &"x".repeat(500)),
    ] {
        assistant.error("batch_run", run(inputs, out)).await;
    }
    assert!(fixture.local.requests().is_empty());
    assert_eq!(fs::read_dir(fixture.files.path()).unwrap().count(), 1);
    assistant.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_that_leads_out_is_refused() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::start().await;
    fixture.write("inputs.jsonl", [json!({ "a": 1 })]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.jsonl"), "{}\n").unwrap();
    let path = |name: &str| fixture.files.path().join(name);
    symlink(outside.path().join("secret.jsonl"), path("linked.jsonl")).unwrap();
    symlink(outside.path(), path("folder")).unwrap();
    symlink(outside.path().join("new"), path("out.jsonl")).unwrap();
    symlink(outside.path().join("new"), path("other.jsonl.failed.jsonl")).unwrap();
    symlink(path("inputs.jsonl"), path("alias.jsonl")).unwrap();
    // Of another name, it is no file of the batch.
    symlink(outside.path().join("new"), path("a.jsonl-linked")).unwrap();
    let assistant = Assistant::of(fixture.with_batches()).await;
    for (inputs, out, message) in [
        ("linked.jsonl", "a.jsonl", "--files"),
        ("folder/secret.jsonl", "a.jsonl", "--files"),
        ("inputs.jsonl", "folder/a.jsonl", "--files"),
        ("inputs.jsonl", "out.jsonl", "is a link"),
        ("inputs.jsonl", "other.jsonl", "is a link"),
    ] {
        let refused = assistant.error("batch_run", run(inputs, out)).await;
        assert!(refused.contains(message), "{refused}");
    }
    assert!(fixture.local.requests().is_empty());
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    // Within the folders, a link is a name like any other.
    let reply = assistant.ok("batch_run", run("alias.jsonl", "a.jsonl")).await;
    assistant.ended(&reply["batch"]).await;
    assert_eq!(fixture.results("a.jsonl")[0]["output"], json!({ "a": 1 }));
    assistant.stop().await;
}

#[tokio::test]
async fn batches_need_folders_and_a_permission() {
    let fixture = Fixture::start().await;
    fixture.write("inputs.jsonl", [json!({ "a": 1 })]);
    fixture.read_only().files([fixture.files.path().join("missing")]).build().unwrap_err();
    fixture.read_only().files([fixture.files.path().join("inputs.jsonl")]).build().unwrap_err();

    let without_files = fixture.builder().allow([podqueue_mcp::Action::Batch]);
    let assistant = Assistant::of(without_files).await;
    let tools = assistant.tools().await;
    assert!(!tools.iter().any(|tool| tool.starts_with("batch")), "{tools:?}");
    let message = assistant.error("batch_run", run("inputs.jsonl", "out.jsonl")).await;
    assert!(message.contains("--files"), "{message}");
    let instructions = assistant.client.peer_info().unwrap().instructions.clone().unwrap();
    assert!(instructions.contains("--files DIR"), "{instructions}");
    assistant.stop().await;

    let read_only = fixture.read_only().files([fixture.files.path()]);
    let assistant = Assistant::of(read_only).await;
    let tools = assistant.tools().await;
    let batches: Vec<_> = tools.iter().filter(|tool| tool.starts_with("batch")).collect();
    assert_eq!(batches, ["batch_status", "batch_unknown"]);
    let message = assistant.error("batch_run", run("inputs.jsonl", "out.jsonl")).await;
    assert!(message.contains("--allow batch"), "{message}");
    assistant.stop().await;

    let bounded = fixture.with_batches().endpoints(["count"]);
    let assistant = Assistant::of(bounded).await;
    let message = assistant.error("batch_run", run("inputs.jsonl", "out.jsonl")).await;
    assert!(message.contains("--endpoints"), "{message}");
    assert!(fixture.local.requests().is_empty());
    assistant.stop().await;

    // A batch of an endpoint that is not permitted is not read either.
    let assistant = Assistant::of(fixture.with_batches()).await;
    let reply = assistant.ok("batch_run", run("inputs.jsonl", "out.jsonl")).await;
    assistant.ended(&reply["batch"]).await;
    assistant.stop().await;
    let assistant = Assistant::of(fixture.with_batches().endpoints(["count"])).await;
    let message = assistant.error("batch_status", json!({ "batch": reply["batch"] })).await;
    assert!(message.contains("--endpoints"), "{message}");
    assert!(assistant.client.list_all_resources().await.unwrap().is_empty());
    assistant.stop().await;
}
