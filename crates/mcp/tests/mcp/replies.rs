//! Replies: bounded, in windows, without secrets, and with errors that name what is next.

use podqueue::Client;
use podqueue_local::{Fault, LocalJob, LocalService};
use podqueue_mcp::Action;
use serde_json::{Value, json};

use crate::support::{Assistant, Fixture, KEY};

#[tokio::test]
async fn a_long_output_is_read_in_windows() {
    let text = "“quoted” \\ \n and 🦀 ".repeat(1_500);
    let output = json!({ "text": text });
    let returned = output.clone();
    let handler = move |_: LocalJob| {
        let output = returned.clone();
        async move { Ok(output) }
    };
    let fixture = Fixture::with(LocalService::builder().endpoint("long", handler)).await;
    let assistant = fixture.serve().await;
    let mut reply = assistant.ok("run", json!({ "endpoint": "long", "input": {} })).await;
    let mut read = String::new();
    let mut replies = 1;
    loop {
        let window = &reply["output_window"];
        assert_eq!(window["from"], read.len());
        read.push_str(reply["output_text"].as_str().unwrap());
        assert_eq!(window["to"], read.len());
        if window["to"] == window["total"] {
            break;
        }
        assert_eq!(reply["next"]["tool"], "status");
        reply = assistant.ok("status", reply["next"]["arguments"].clone()).await;
        replies += 1;
    }
    assert_eq!(serde_json::from_str::<Value>(&read).unwrap(), output);
    assert!(replies < 60, "{replies} replies");
    assistant.stop().await;
}

#[tokio::test]
async fn long_chunks_and_errors_are_cut() {
    let handler = |job: LocalJob| async move {
        for _ in 0..20 {
            job.emit(json!("x".repeat(5_000))).await;
        }
        Err("y".repeat(50_000).into())
    };
    let fixture = Fixture::with(LocalService::builder().endpoint("long", handler)).await;
    let assistant = fixture.serve().await;
    let job = assistant.ok("run", json!({ "endpoint": "long", "input": {} })).await;
    assert_eq!(job["status"], "FAILED");
    let stream = json!({ "endpoint": "long", "job_id": job["job_id"], "wait_s": 20 });
    let chunks = assistant.ok("stream", stream).await;
    assert!(chunks["chunks"][0].as_str().unwrap().ends_with('…'), "{chunks}");
    assert!(chunks["window"]["to"].as_u64().unwrap() >= 1, "{chunks}");
    assistant.stop().await;
}

#[tokio::test]
async fn invalid_calls_are_answered_within_the_limit() {
    let fixture = Fixture::start().await;
    let assistant = fixture.serve().await;
    let long = "z".repeat(20_000);
    for (tool, arguments) in [
        ("run", json!({ "endpoint": "echo" })),
        ("run", json!({ "endpoint": "echo", "input": {}, "inputs": {} })),
        ("run", json!({ "endpoint": "echo", "input": {}, "wait_s": 26 })),
        ("run", json!({ "endpoint": "echo", "input": {}, "wait_s": -1 })),
        ("run", json!({ "endpoint": "echo", "input": {}, "key": "" })),
        ("run", json!({ "endpoint": "echo", "input": {}, "key": long })),
        ("run", json!({ "endpoint": "echo", "input": {}, "execution_timeout_s": 0 })),
        ("status", json!({ "endpoint": "echo", "job_id": long })),
        ("cancel", json!({ "endpoint": long, "job_id": long })),
        ("health", json!({ "endpoint": long })),
        ("nothing", json!({})),
    ] {
        assistant.error(tool, arguments).await;
    }
    assert_eq!(fixture.accepted(), 0);
    let message = assistant.error("nothing", json!({})).await;
    assert!(message.contains("expected run, wait"), "{message}");
    assistant.stop().await;
}

/// Each of its characters takes twelve bytes in the text of a reply.
#[tokio::test]
async fn an_error_of_control_characters_is_within_the_limit() {
    let fixture = Fixture::start().await;
    let assistant = fixture.serve().await;
    let input = json!({ "message": format!("bad {}", "\u{1}".repeat(5_000)) });
    let failed = assistant.ok("run", json!({ "endpoint": "fail", "input": input })).await;
    assert_eq!(failed["status"], "FAILED");
    assert!(failed["error"]["message"].as_str().unwrap().starts_with("bad \u{1}"), "{failed}");
    assistant.stop().await;
}

#[tokio::test]
async fn an_id_that_no_service_has_is_refused_before_a_reply_repeats_it() {
    let fixture = Fixture::start().await;
    let assistant = fixture.serve().await;
    let long = "x".repeat(50_000);
    for (endpoint, job, field) in
        [("echo", long.as_str(), "job_id"), (&long, "j", "endpoint"), ("echo", "", "job_id")]
    {
        for tool in ["wait", "status", "cancel", "stream"] {
            let message =
                assistant.error(tool, json!({ "endpoint": endpoint, "job_id": job })).await;
            assert!(message.starts_with(field) && message.contains("256 bytes"), "{message}");
        }
    }
    assert_eq!(fixture.local.requests().len(), 0);
    assistant.stop().await;
}

#[tokio::test]
async fn a_key_that_the_service_echoes_is_in_no_result() {
    let fixture = Fixture::start().await;
    let escaped = KEY.replace('c', "\\u0063");
    for status in [400, 401, 404, 409, 500, 503] {
        let body = format!("{{\"error\": \"Bearer {KEY}, {escaped}\"}}");
        fixture.local.add_fault(Fault::response(status, body));
        let client = Client::builder()
            .api_key(KEY)
            .base_url(fixture.local.base_url())
            .account_url(fixture.local.account_url())
            .retry(podqueue::RetryPolicy::never())
            .build()
            .unwrap();
        let builder = podqueue_mcp::Server::builder(fixture.state.path()).client(client).account();
        let assistant = Assistant::of(builder.allow([Action::Run, Action::Cancel])).await;
        let job = json!({ "endpoint": "echo", "job_id": "j" });
        let key = format!("{status}");
        assistant.call("run", json!({ "endpoint": "echo", "input": {}, "key": key })).await;
        for tool in ["wait", "status", "stream", "cancel", "health", "doctor", "workers", "logs"] {
            let with_job = ["wait", "status", "stream", "cancel", "doctor"].contains(&tool);
            let mut arguments = if with_job { job.clone() } else { json!({ "endpoint": "echo" }) };
            if ["wait", "stream"].contains(&tool) {
                arguments["wait_s"] = json!(0.2);
            }
            assistant.call(tool, arguments).await;
        }
        assistant.call("endpoints", json!({})).await;
        assistant.stop().await;
        fixture.local.clear_faults();
    }
}

#[tokio::test]
async fn the_schemas_describe_what_is_returned() {
    let fixture = Fixture::start().await;
    fixture.write("inputs.jsonl", [json!({ "a": 1 })]);
    let builder = fixture.with_batches().account().allow([Action::Local]);
    let assistant = Assistant::of(builder).await;
    let tools = assistant.client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 16);
    for tool in &tools {
        // What validators of clients complain about.
        let schemas = json!([tool.input_schema, tool.output_schema]).to_string();
        for foreign in ["\"uint", "\"int64\"", "\"double\"", "\"null\"", "\"items\":true"] {
            assert!(!schemas.contains(foreign), "{}: {foreign}", tool.name);
        }
        let output = tool.output_schema.as_ref().unwrap();
        assert_eq!(output["type"], "object", "{}", tool.name);
        assert_eq!(tool.input_schema["type"], "object", "{}", tool.name);
        assert!(tool.description.is_some());
    }
    let schema = |name: &str| {
        let tool = tools.iter().find(|tool| tool.name == name).unwrap();
        tool.output_schema.clone().unwrap()
    };
    let job = assistant.ok("run", json!({ "endpoint": "count", "input": { "n": 2 } })).await;
    let with_job = json!({ "endpoint": "count", "job_id": job["job_id"] });
    let batch = json!({ "endpoint": "echo", "inputs": "inputs.jsonl", "out": "out.jsonl" });
    let named = json!({ "batch": assistant.ok("batch_run", batch.clone()).await["batch"] });
    assistant.ended(&named["batch"]).await;
    for (tool, arguments) in [
        ("run", json!({ "endpoint": "fail", "input": {} })),
        ("status", with_job.clone()),
        ("stream", with_job.clone()),
        ("health", json!({ "endpoint": "count" })),
        ("doctor", with_job),
        ("endpoints", json!({})),
        ("local_start", json!({})),
        ("batch_run", batch),
        ("batch_status", named.clone()),
        ("batch_unknown", named.clone()),
        ("batch_retry", named.clone()),
        ("batch_cancel", named),
    ] {
        let reply = assistant.ok(tool, arguments).await;
        let schema = schema(tool);
        let members = reply.as_object().unwrap();
        for name in members.keys() {
            assert!(schema["properties"].get(name).is_some(), "{tool}: {name}");
        }
        let required = schema.get("required").and_then(Value::as_array).cloned();
        for name in required.unwrap_or_default() {
            assert!(members.contains_key(name.as_str().unwrap()), "{tool}: {name}");
        }
    }
    assistant.stop().await;
}
