//! Server-sent events from a service that fails, is silent, or sends too much.

use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use podqueue::__private::rest::RestCall;
use podqueue::{Client, ErrorKind, Result, ServerEvents, Service};
use serde_json::json;

use crate::support::{KEY, Reply, Script};

fn stream(body: &str) -> Reply {
    let headers = vec![("content-type", "Text/Event-Stream".to_owned())];
    Reply::Answer { status: 200, headers, body: body.to_owned() }
}

/// As a generated call does it.
async fn watch(client: &Client, timeout: Option<Duration>) -> Result<ServerEvents> {
    let service = Service::from(client).below("");
    let call = RestCall::new(service, "watch", "GET").literal("/events").timeout(timeout);
    call.send_events().await
}

/// The data of all events, and the kinds of errors.
async fn all(events: ServerEvents) -> Vec<std::result::Result<String, ErrorKind>> {
    events.map(|event| event.map(|it| it.data).map_err(|it| it.kind())).collect().await
}

#[tokio::test]
async fn a_stream_is_retried_until_it_begins_and_not_after() {
    let replies = [Reply::json(503, "{}"), Reply::Close, stream("data: a\n\n").cut_off()];
    let server = Script::of(replies).await;
    let events = watch(&server.client(), None).await.unwrap();
    assert_eq!(all(events).await, [Ok("a".to_owned()), Err(ErrorKind::Network)]);
    assert_eq!(server.requests().len(), 3);
    assert_eq!(server.requests()[2].header("accept"), Some("text/event-stream"));
}

#[tokio::test]
async fn the_end_of_the_response_ends_the_stream_without_a_cut_off_event() {
    let server = Script::of([stream("id: 7\nretry: 250\ndata: a\n\ndata: cut off")]).await;
    let mut events = watch(&server.client(), None).await.unwrap();
    let event = events.next().await.unwrap().unwrap();
    assert_eq!(event.id.as_deref(), Some("7"));
    assert_eq!((event.event.as_str(), event.retry), ("message", Some(Duration::from_millis(250))));
    assert!(events.next().await.is_none());
    assert!(events.next().await.is_none(), "and again");
}

#[tokio::test]
async fn silence_ends_the_stream() {
    let short = Duration::from_millis(100);
    let server = Script::then_always([], stream("data: a\n\ndata").stalled()).await;
    let client = server.client();
    let late = [Ok("a".to_owned()), Err(ErrorKind::Timeout)];
    let by_default = watch(&client, Some(short)).await.unwrap();
    assert_eq!(all(by_default).await, late, "the call's timeout");
    let mut events = watch(&client, None).await.unwrap().idle_timeout(short);
    events.next().await.unwrap().unwrap();
    tokio::time::sleep(short * 2).await;
    let error = events.next().await.unwrap().unwrap_err();
    assert!(error.to_string().contains("100ms"), "{error}");
    assert!(events.next().await.is_none());
}

/// The whole stream takes longer than the timeout, and no part of it does.
#[tokio::test]
async fn a_stream_may_go_on_for_longer_than_a_call() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (next, mut asked) = tokio::sync::mpsc::unbounded_channel::<()>();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).await.unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: begin\n\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        while asked.recv().await.is_some() {
            stream.write_all(b"data: tick\n\n").await.unwrap();
        }
    });
    let settings = Client::builder().api_key("k").rest_url(&url);
    let client = settings.timeout(Duration::from_secs(3)).build().unwrap();
    let mut events = watch(&client, None).await.unwrap();
    for _ in 0..3 {
        // Longer than the total timeout; no task waits for an event meanwhile.
        tokio::time::sleep(Duration::from_millis(1_100)).await;
        next.send(()).unwrap();
        assert_eq!(events.next().await.unwrap().unwrap().data, "tick");
    }
    drop(next);
    assert!(events.next().await.is_none());
}

/// A service that sends a comment again and again, and its address.
async fn commenting() -> String {
    commenting_to(Arc::default()).await
}

/// The same, which counts the connections that are open.
async fn commenting_to(open: Arc<AtomicUsize>) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let open = Arc::clone(&open);
            open.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
                let mut sent = stream.write_all(head.as_bytes()).await;
                while sent.is_ok() {
                    sent = stream.write_all(b": still here\n\n").await;
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                open.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    url
}

#[tokio::test]
async fn comments_do_not_keep_a_stream_alive_beyond_its_total_timeout() {
    let client = Client::builder().api_key("k").base_url(commenting().await).build().unwrap();
    let endpoint = client.endpoint("ep");
    let events = endpoint.openai_stream("v1/x", &json!({})).await.unwrap();
    let mut events = events.total_timeout(Duration::from_millis(300));
    let waited = tokio::time::timeout(Duration::from_secs(20), events.next()).await;
    let error = waited.expect("an end").unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().contains("300ms"), "{error}");
    assert!(events.next().await.is_none());
}

/// One stream at a time is allowed, and the first is not polled.
#[tokio::test]
async fn a_stream_that_is_not_polled_keeps_its_place_until_its_total_timeout() {
    let url = commenting().await;
    let one_at_a_time = podqueue::RateLimits::new().share(0.0025);
    let builder = Client::builder().api_key("k").base_url(url).rate_limits(one_at_a_time);
    let client = builder.build().unwrap();
    let endpoint = client.endpoint("ep");
    let second = Duration::from_secs(1);
    let held = endpoint.openai_stream("v1/x", &json!({})).await.unwrap();
    let next = endpoint.openai_stream("v1/x", &json!({}));
    let mut next = std::pin::pin!(next.into_future());
    assert!(tokio::time::timeout(3 * second, next.as_mut()).await.is_err(), "by default");
    let held = held.total_timeout(second);
    assert!(tokio::time::timeout(10 * second, next).await.expect("a free place").is_ok());
    drop(held);
}

/// The service counts a request as in flight as long as its connection is open.
#[tokio::test]
async fn a_stream_that_is_not_polled_is_closed_at_its_total_timeout() {
    let open = Arc::<AtomicUsize>::default();
    let url = commenting_to(Arc::clone(&open)).await;
    let client = Client::builder().api_key("k").base_url(url).build().unwrap();
    let endpoint = client.endpoint("ep");
    let events = endpoint.openai_stream("v1/x", &json!({})).await.unwrap();
    let mut events = events.total_timeout(Duration::from_millis(200));
    assert_eq!(open.load(Ordering::SeqCst), 1);
    let closed = async {
        while open.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), closed).await.expect("it is closed");
    // Also where the time is set anew, it is over.
    events = events.total_timeout(Duration::from_secs(60));
    let last = loop {
        match events.next().await.expect("an error") {
            Ok(_) => continue,
            Err(error) => break error,
        }
    };
    assert_eq!(last.kind(), ErrorKind::Timeout);
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn a_streamed_response_without_events_is_an_error() {
    let headers = vec![("content-type", "text/event-stream".to_owned())];
    let no_content = Reply::Answer { status: 204, headers, body: String::new() };
    let encoded = stream("data: a\n\n").header("content-encoding", "identity");
    let encoded = encoded.header("content-encoding", "gzip");
    let server = Script::of([no_content, encoded.clone(), encoded]).await;
    let client = server.client();
    let call = || async { client.endpoint("ep").openai_stream("v1/x", &json!({})).await };
    for word in ["no content", "compressed"] {
        let error = call().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
        assert!(error.to_string().contains(word), "{error}");
    }
    let error = watch(&client, None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);

    let plain = stream("data: a\n\n").header("content-encoding", "Identity, ");
    let server = Script::of([stream(""), stream(": comment\n\n"), plain]).await;
    let client = server.client();
    let call = || async { client.endpoint("ep").openai_stream("v1/x", &json!({})).await };
    for _ in 0..2 {
        let mut events = call().await.unwrap();
        let error = events.next().await.expect("an item").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert!(error.to_string().contains("before its first event"), "{error}");
        assert!(events.next().await.is_none());
    }
    assert_eq!(all(call().await.unwrap()).await, [Ok("a".to_owned())]);
}

#[tokio::test]
async fn an_event_that_is_too_large_ends_the_stream() {
    let body = format!("data: a\n\ndata: {}\n\n", "x".repeat(2_000));
    let server = Script::of([stream(&body)]).await;
    let client = server.settings().largest_response(1_000).build().unwrap();
    let events = all(watch(&client, None).await.unwrap()).await;
    assert_eq!(events.last(), Some(&Err(ErrorKind::ResponseTooLarge)), "{events:?}");
}

#[tokio::test]
async fn no_secret_of_the_request_is_shown() {
    let server = Script::of([
        stream(&format!("data: {{\"{KEY}\": 1}}\n\n")),
        Reply::ok(format!("{{\"is\": \"{KEY}\"}}")),
    ])
    .await;
    let client = server.client();
    let mut events = watch(&client, None).await.unwrap();
    let event = events.next().await.unwrap().unwrap();
    let error = event.json::<std::collections::HashMap<String, bool>>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert!(error.to_string().contains("`data.[redacted]`"), "{error}");
    let other = watch(&client, None).await.unwrap_err();
    assert_eq!(other.kind(), ErrorKind::Decode);
    let shown = format!("{event:?} {events:?} {error} {error:?} {other} {other:?}");
    assert!(!shown.contains(KEY), "{shown}");
    assert!(error.body().unwrap().contains("[redacted]"), "{:?}", error.body());
}
