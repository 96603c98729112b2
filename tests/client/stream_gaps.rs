//! Streams whose responses were lost: each gap is reported once, and none where no chunk is
//! missing.

use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Endpoint, Error, Polling, RetryPolicy, StreamChunk};
use serde_json::{Value, json};

use crate::support::{Reply, Script, quick_retries};

fn chunks(outputs: Value) -> Reply {
    let outputs = outputs.as_array().unwrap().iter();
    Reply::ok(json!(outputs.map(|output| json!({"output": output})).collect::<Vec<_>>()))
}

fn nothing() -> Reply {
    Reply::ok("[]")
}

fn record(status: &str) -> Reply {
    Reply::ok(json!({"id": "j", "status": status, "error": "the reason"}))
}

/// The end of a stream: nothing new, the status, and once more nothing.
fn end(status: &str) -> [Reply; 3] {
    [nothing(), record(status), nothing()]
}

/// Every response after which chunks may be missing.
fn lost() -> Vec<Reply> {
    vec![
        Reply::Close,
        Reply::json(500, "{}"),
        Reply::json(502, "<html>bad gateway</html>"),
        Reply::json(504, ""),
        Reply::json(408, "{}"),
        Reply::ok(r#"[{"output":1}"#).cut_off(),
        chunks(json!([1])).cut_off(),
        Reply::ok(""),
        Reply::ok("<html>"),
        Reply::ok(r#"[{"output":1},{"outp"#),
        Reply::ok(r#"{"status":"COMPLETED","stream":[{"output":1}"#),
        Reply::ok(r#"{"jobs":{},"workers":{}}"#),
        Reply::ok(r#"{"status":500,"error":"upstream"}"#),
        Reply::ok(json!({"id": "other", "status": "COMPLETED", "stream": [{"output": 1}]})),
    ]
}

/// An endpoint whose streams poll at the default intervals.
fn patient(server: &Script) -> Endpoint {
    server.settings().polling(Polling::new()).build().unwrap().endpoint("ep")
}

type Item = Result<StreamChunk<Value>, Error>;

async fn all(endpoint: &Endpoint) -> Vec<Item> {
    let items = endpoint.job("j").stream::<Value>().collect();
    tokio::time::timeout(Duration::from_secs(3_600), items).await.expect("a stream that ends")
}

/// The items as a reader sees them: an output, with a mark where it comes after a gap, or a kind.
fn told(items: &[Item]) -> Vec<String> {
    let told = items.iter().map(|item| match item {
        Ok(chunk) => format!("{}{}", if chunk.after_gap { "gap " } else { "" }, chunk.output),
        Err(error) => format!("{:?}", error.kind()),
    });
    told.collect()
}

#[tokio::test]
async fn a_gap_that_no_chunk_follows_is_an_item_at_the_end() {
    for retry in [RetryPolicy::never(), quick_retries()] {
        for lost in lost() {
            for (status, expected) in [
                ("COMPLETED", vec!["StreamGap"]),
                ("FAILED", vec!["StreamGap", "JobFailed"]),
                ("CANCELLED", vec!["StreamGap", "JobCancelled"]),
            ] {
                let server = Script::of([lost.clone()].into_iter().chain(end(status))).await;
                let client = server.settings().retry(retry.clone()).build().unwrap();
                let items = all(&client.endpoint("ep")).await;
                assert_eq!(told(&items), expected, "{lost:?}");
                let gap = items[0].as_ref().unwrap_err();
                assert_eq!((gap.job_id(), gap.is_retryable()), (Some("j"), false));
                let text = gap.to_string();
                assert!(text.contains("may be missing") && text.contains("job.status()"), "{text}");
            }
        }
    }
}

#[tokio::test]
async fn a_gap_before_a_chunk_is_reported_by_that_chunk_only() {
    for lost in lost() {
        let script = [chunks(json!([0])), lost.clone(), chunks(json!([2, 3]))];
        let server = Script::of(script.into_iter().chain(end("COMPLETED"))).await;
        let items = all(&server.endpoint()).await;
        assert_eq!(told(&items), ["0", "gap 2", "3"], "{lost:?}");
    }
}

#[tokio::test]
async fn a_lost_response_is_a_gap_whatever_comes_after_it_in_the_same_call() {
    for then in [Reply::json(429, "{}"), Reply::json(403, "<html>")] {
        let script = [Reply::Close, then.clone(), then.clone()];
        let server = Script::of(script.into_iter().chain(end("COMPLETED"))).await;
        assert_eq!(told(&all(&server.endpoint()).await), ["StreamGap"], "{then:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_response_is_a_gap_where_no_connection_is_made_after_it() {
    let server = Script::of([chunks(json!([0])), Reply::Close]).await;
    let mut stream = patient(&server).job("j").stream::<Value>();
    let first = stream.next().await.unwrap();
    server.refuse_connections().await;
    let mut items = vec![first];
    items.extend(stream.collect::<Vec<_>>().await);
    assert_eq!(told(&items), ["0", "StreamGap", "Connect"]);
}

#[tokio::test(start_paused = true)]
async fn there_is_no_gap_if_no_chunk_can_have_been_delivered() {
    let script = [
        Reply::json(429, "{}"),
        Reply::json(429, "{}").header("retry-after", 7),
        Reply::json(403, "<html>denied</html>"),
        Reply::json(404, "<html>no such host</html>"),
        Reply::json(429, "<html>slow down</html>"),
        chunks(json!([1])),
        Reply::json(404, "<html>no such host</html>"),
    ];
    for retry in [RetryPolicy::never(), quick_retries()] {
        let server = Script::of(script.clone().into_iter().chain(end("COMPLETED"))).await;
        let client = server.settings().retry(retry).build().unwrap();
        assert_eq!(told(&all(&client.endpoint("ep")).await), ["1"]);
    }
    let server = Script::of([]).await;
    server.refuse_connections().await;
    assert_eq!(told(&all(&patient(&server)).await), ["Connect"]);
}

#[tokio::test]
async fn the_error_that_ends_a_stream_comes_after_its_gap() {
    for (last, kind) in [
        (Reply::json(404, r#"{"error":"no such job"}"#), "NotFound"),
        (Reply::json(401, "{}"), "Unauthorized"),
        (Reply::json(403, "{}"), "UnexpectedStatus"),
        (Reply::json(501, "{}"), "Server"),
        (Reply::ok(json!({"stream": 7})), "Decode"),
    ] {
        let server = Script::of([Reply::Close, last.clone()]).await;
        assert_eq!(told(&all(&server.endpoint()).await), ["StreamGap", kind], "{last:?}");
    }
    // Of a stream that ends without anything lost, the error is all there is.
    let server = Script::of([Reply::json(404, r#"{"error":"no such job"}"#)]).await;
    assert_eq!(told(&all(&server.endpoint()).await), ["NotFound"]);
    // Chunks that are too large to be read were delivered.
    let server = Script::of([chunks(json!(["x".repeat(2_000)]))]).await;
    let client = server.settings().largest_response(1_000).build().unwrap();
    assert_eq!(told(&all(&client.endpoint("ep")).await), ["StreamGap", "ResponseTooLarge"]);
}

#[tokio::test]
async fn a_chunk_that_cannot_be_read_hides_no_gap() {
    let wrong = || chunks(json!(["two"]));
    for (script, expected) in [
        (vec![Reply::Close, wrong()], vec!["Decode", "StreamGap"]),
        (vec![Reply::Close, wrong(), chunks(json!([3]))], vec!["Decode", "gap 3"]),
        (vec![wrong(), chunks(json!([3]))], vec!["Decode", "3"]),
    ] {
        let server = Script::of(script.into_iter().chain(end("COMPLETED"))).await;
        let items: Vec<_> = server.endpoint().job("j").stream::<u32>().collect().await;
        let told: Vec<_> = items
            .iter()
            .map(|item| match item {
                Ok(chunk) if chunk.after_gap => format!("gap {}", chunk.output),
                Ok(chunk) => chunk.output.to_string(),
                Err(error) => format!("{:?}", error.kind()),
            })
            .collect();
        assert_eq!(told, expected);
        let error = items.iter().find_map(|item| item.as_ref().err()).unwrap();
        assert_eq!(error.body().unwrap(), r#"{"output":"two"}"#, "it does not come again");
    }
}

#[tokio::test]
async fn a_status_that_cannot_be_read_does_not_take_the_chunks_along() {
    let odd = Reply::ok(json!({"status": 7, "stream": [{"output": 1}]}));
    let server = Script::of([odd].into_iter().chain(end("COMPLETED"))).await;
    assert_eq!(told(&all(&server.endpoint()).await), ["1"]);
}

#[tokio::test]
async fn malformed_chunks_are_read_as_far_as_they_can_be() {
    let malformed = Reply::ok(
        "\u{feff}[{\"output\":1,\"metrics\":{\"pending\":NaN}},{\"output\":NaN},{\"output\":oops},{\"output\":4}]",
    );
    for body in [malformed.clone(), in_object(malformed)] {
        let server = Script::of([body].into_iter().chain(end("COMPLETED"))).await;
        let items = all(&server.endpoint()).await;
        assert_eq!(told(&items), ["1", "null", "Decode", "4"]);
        assert_eq!(items[2].as_ref().unwrap_err().body().unwrap(), r#"{"output":oops}"#);
    }
}

fn in_object(list: Reply) -> Reply {
    let Reply::Answer { body, .. } = list else { panic!("{list:?} has no body") };
    Reply::ok(format!("\u{feff}{{\"stream\":{}}}", body.trim_start_matches('\u{feff}')))
}

#[tokio::test(start_paused = true)]
async fn a_stalled_poll_is_given_up_while_the_rest_can_still_be_read() {
    for stalled in [Reply::Hang, chunks(json!([1])).stalled()] {
        let done = Reply::ok(json!({"id": "sync-j", "status": "COMPLETED"}));
        let server = Script::of([stalled, chunks(json!([2])), nothing(), done, nothing()]).await;
        let started = tokio::time::Instant::now();
        let stream = server.endpoint().job("sync-j").stream::<Value>();
        assert_eq!(told(&stream.collect::<Vec<_>>().await), ["gap 2"]);
        assert!(started.elapsed() <= Duration::from_secs(20), "{:?}", started.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_without_a_chunk_list_counts_as_a_gap() {
    let server = Script::of(
        [chunks(json!([0])), Reply::ok("[1, 2]"), chunks(json!([3]))]
            .into_iter()
            .chain(end("COMPLETED")),
    )
    .await;
    let items = all(&server.endpoint()).await;
    assert_eq!(told(&items), ["0", "Decode", "Decode", "gap 3"]);
    let last = Script::of([Reply::ok("[1]")].into_iter().chain(end("COMPLETED"))).await;
    assert_eq!(told(&all(&last.endpoint()).await), ["Decode", "StreamGap"]);
}
