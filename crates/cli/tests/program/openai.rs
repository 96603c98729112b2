//! Tests of the OpenAI-compatible interface.

use podqueue_local::{Fault, Operation};

use crate::support::Fixture;

#[tokio::test]
async fn the_openai_interface_prints_the_response() {
    let fixture = Fixture::start().await;
    let response = Fault::response(200, "{\"choices\": [1, 2]}").on(Operation::OpenAi);
    fixture.local.add_fault(response);
    let ran = fixture.run(&["openai", "echo", "v1/chat/completions", "{\"messages\": []}"]).await;
    ran.assert(0, "{\"choices\":[1,2]}\n");
    assert_eq!(fixture.local.requests()[0].path, "/v2/echo/openai/v1/chat/completions");
}

#[tokio::test]
async fn a_streamed_response_is_printed_event_by_event() {
    let fixture = Fixture::start().await;
    let events = "data: {\"n\": 1}\n\ndata: {\"n\":\ndata: 2}\n\ndata: [DONE]\n\n";
    let response = Fault::response(200, events).header("content-type", "text/event-stream");
    fixture.local.add_fault(response.on(Operation::OpenAi));
    let ran = fixture.run(&["openai", "echo", "v1/chat/completions", "{}", "--stream"]).await;
    ran.assert(0, "{\"n\":1}\n{\"n\":2}\n");
    fixture.local.clear_faults();
    let ran = fixture.run(&["openai", "fail", "v1/x", "{\"a\": 1}", "--stream"]).await;
    ran.fails(5, "failed on request");
}

/// A script must not mistake the beginning of a response for the whole.
#[tokio::test]
async fn a_streamed_response_that_ends_with_an_error_fails() {
    let fixture = Fixture::start().await;
    for error in [r#"{"error":{"message":"no memory","code":null}}"#, r#"{"error":"no memory"}"#] {
        let events = format!("data: {{\"error\": null}}\n\ndata: {error}\n\ndata: 1\n\n");
        let response = Fault::response(200, events).header("content-type", "text/event-stream");
        fixture.local.add_fault(response.on(Operation::OpenAi).times(1));
        let ran = fixture.run(&["openai", "echo", "v1/x", "--stream"]).await;
        assert_eq!((ran.code, ran.stdout), (3, format!("{{\"error\":null}}\n{error}\n")));
        assert!(ran.stderr.contains("ended with an error"), "{}", ran.stderr);
    }
}

#[tokio::test]
async fn an_event_that_is_no_json_is_printed_as_text() {
    let fixture = Fixture::start().await;
    let response = Fault::response(200, "data: a\u{1b}[31m\ndata: b\n\n");
    let response = response.header("content-type", "text/event-stream");
    fixture.local.add_fault(response.on(Operation::OpenAi));
    let ran = fixture.run(&["openai", "echo", "v1/x", "--stream"]).await;
    ran.assert(0, "a\\u{1b}[31m b\n");
    let ran = fixture.run(&["openai", "echo", "v1/x", "--stream", "--json"]).await;
    ran.assert(0, "\"a\\u001b[31m\\nb\"\n");
}
