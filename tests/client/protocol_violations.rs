//! A peer that violates HTTP/1.1, or uses its rare forms: the outcome of a call, and its error.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use podqueue::{Client, ErrorKind, RetryPolicy};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Connection after the response.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    /// The server continues with the connection.
    Serve,
    /// The server closes the connection.
    Close,
}

use Then::{Close, Serve};

/// A peer that writes these bytes for the first request, and a record for every further request.
async fn answering(bytes: impl Into<Vec<u8>>, then: Then) -> (Client, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (bytes, requests) = (Arc::new(bytes.into()), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (bytes, counted) = (Arc::clone(&bytes), Arc::clone(&counted));
            tokio::spawn(async move {
                let mut read = Vec::new();
                while stream.read_buf(&mut read).await.is_ok_and(|read| read > 0) {
                    let Some(head) = read.windows(4).position(|end| end == b"\r\n\r\n") else {
                        continue;
                    };
                    let text = String::from_utf8_lossy(&read[..head]).to_ascii_lowercase();
                    let length = text.split("content-length: ").nth(1);
                    let length = length.map_or(0, |text| {
                        text.split("\r\n").next().unwrap().parse::<usize>().unwrap()
                    });
                    if read.len() < head + 4 + length {
                        continue;
                    }
                    read.clear();
                    if counted.fetch_add(1, Ordering::SeqCst) > 0 {
                        stream.write_all(&whole(RECORD)).await.unwrap();
                        continue;
                    }
                    let _ = stream.write_all(&bytes).await;
                    if then == Close {
                        return;
                    }
                }
            });
        }
    });
    let settings = Client::builder().api_key("k").base_url(url).retry(RetryPolicy::never());
    (settings.timeout(Duration::from_secs(20)).build().unwrap(), requests)
}

const RECORD: &str = r#"{"id":"j","status":"IN_QUEUE"}"#;

/// A record of another job.
const FOREIGN: &str = r#"{"id":"foreign","status":"IN_QUEUE"}"#;

fn whole(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn before(prefix: &str, rest: Vec<u8>) -> Vec<u8> {
    [prefix.as_bytes().to_vec(), rest].concat()
}

fn after(rest: Vec<u8>, suffix: &[u8]) -> Vec<u8> {
    [rest, suffix.to_vec()].concat()
}

#[tokio::test]
async fn unusual_but_valid_responses_are_read() {
    let many = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(20);
    for (name, bytes, then) in [
        ("100", before("HTTP/1.1 100 Continue\r\n\r\n", whole(RECORD)), Serve),
        ("102", before("HTTP/1.1 102 Processing\r\n\r\n", whole(RECORD)), Serve),
        ("many 103", before(&many, whole(RECORD)), Serve),
        ("1.0", format!("HTTP/1.0 200 OK\r\n\r\n{RECORD}").into_bytes(), Close),
        ("no length", format!("HTTP/1.1 200 OK\r\n\r\n{RECORD}").into_bytes(), Close),
        ("no reason", before("HTTP/1.1 200\r\n", whole(RECORD)[17..].to_vec()), Serve),
        (
            "chunks of one byte",
            after(
                RECORD.chars().fold(
                    b"HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n".to_vec(),
                    |bytes, char| after(bytes, format!("1\r\n{char}\r\n").as_bytes()),
                ),
                b"0\r\nx-trailer: 1\r\n\r\n",
            ),
            Serve,
        ),
    ] {
        let (client, _) = answering(bytes, then).await;
        let job = client.endpoint("ep").run(&json!({})).await;
        assert_eq!(job.unwrap_or_else(|error| panic!("{name}: {error}")).id(), "j", "{name}");
    }
}

#[tokio::test]
async fn an_unreadable_response_leaves_a_submission_unknown_and_is_transient_for_a_read() {
    let head = "HTTP/1.1 200 OK\r\n";
    let bomb = format!("{head}{}\r\n", "x-header: of very many\r\n".repeat(5_000));
    let long = format!("{head}x: {}\r\n\r\n", "y".repeat(2_000_000));
    for (name, bytes, kind) in [
        ("garbage", "\u{1}\u{2}\u{3} what?\r\n\r\n".to_owned(), ErrorKind::Network),
        ("an end of line", "\r\n".to_owned(), ErrorKind::Network),
        ("half a head", format!("{head}content-le"), ErrorKind::Network),
        (
            "two lengths",
            format!("{head}content-length: 3\r\ncontent-length: 4\r\n\r\n{{}}  "),
            ErrorKind::Network,
        ),
        (
            "a length that is no number",
            format!("{head}content-length: many\r\n\r\n{{}}"),
            ErrorKind::Network,
        ),
        (
            "a length below zero",
            format!("{head}content-length: -1\r\n\r\n{{}}"),
            ErrorKind::Network,
        ),
        ("too long", format!("{head}content-length: 99\r\n\r\n{{}}"), ErrorKind::Network),
        (
            "a chunk without an end",
            format!("{head}transfer-encoding: chunked\r\n\r\nff\r\n{{"),
            ErrorKind::Network,
        ),
        (
            "a chunk of no size",
            format!("{head}transfer-encoding: chunked\r\n\r\nzz\r\n{{"),
            ErrorKind::Network,
        ),
        (
            "chunks without an end",
            format!("{head}transfer-encoding: chunked\r\n\r\n2\r\n{{}}\r\n"),
            ErrorKind::Network,
        ),
        ("a header bomb", bomb, ErrorKind::Network),
        ("a long header", long, ErrorKind::Network),
        ("only informational", "HTTP/1.1 100 Continue\r\n\r\n".to_owned(), ErrorKind::Network),
        (
            "cut by its length",
            format!("{head}content-length: 5\r\n\r\n{RECORD}"),
            ErrorKind::Decode,
        ),
        ("204 with a body", format!("HTTP/1.1 204 No Content\r\n\r\n{RECORD}"), ErrorKind::Decode),
        (
            "204 with a length",
            format!("HTTP/1.1 204 No Content\r\ncontent-length: 30\r\n\r\n{RECORD}"),
            ErrorKind::Decode,
        ),
        (
            "compressed",
            format!("{head}content-encoding: gzip\r\ncontent-length: 2\r\n\r\n\u{1f}x"),
            ErrorKind::Decode,
        ),
    ] {
        let (client, requests) = answering(bytes.as_bytes(), Close).await;
        let error = client.endpoint("ep").run(&json!({})).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{name}: {error}");
        assert_eq!(requests.load(Ordering::SeqCst), 1, "{name}");

        let (client, requests) = answering(bytes.as_bytes(), Close).await;
        let error = client.endpoint("ep").job("j").status().await.unwrap_err();
        assert_eq!(error.kind(), kind, "{name}: {error}");
        assert_eq!(requests.load(Ordering::SeqCst), 1, "{name}");
    }
}

#[tokio::test]
async fn bytes_after_a_response_are_not_taken_for_the_next() {
    let twice = after(whole(RECORD), &whole(FOREIGN));
    for (name, bytes) in [
        ("garbage", after(whole(RECORD), b"garbage")),
        ("a second response", twice),
        ("more than its length", after(whole(RECORD), FOREIGN.as_bytes())),
    ] {
        let (client, _) = answering(bytes, Serve).await;
        let endpoint = client.endpoint("ep");
        assert_eq!(endpoint.run(&json!({})).await.unwrap().id(), "j", "{name}");
        for _ in 0..3 {
            let record = endpoint.job("j").status().await;
            assert_eq!(record.unwrap_or_else(|error| panic!("{name}: {error}")).id(), "j");
        }
    }
}

#[tokio::test]
async fn an_unrequested_protocol_switch_is_not_a_success() {
    let bytes = "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n";
    let (client, _) = answering(bytes, Serve).await;
    let error = client.endpoint("ep").run(&json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{error}");
}

#[tokio::test]
async fn a_refusal_before_the_body_was_sent_keeps_its_kind() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut read = vec![0; 100];
        stream.read_exact(&mut read).await.unwrap();
        stream.write_all(b"HTTP/1.1 401 No\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
        // Drains the request, so that the refusal is not lost in a reset.
        let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    });
    let client = Client::builder().api_key("k").base_url(url).build().unwrap();
    let error =
        client.endpoint("ep").run(&json!({"text": "x".repeat(8_000_000)})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized, "{error}");
}

#[tokio::test]
async fn a_refusal_is_read_no_further_than_words_go() {
    let huge = "x".repeat(3_000_000);
    let head = format!("HTTP/1.1 500 No\r\ncontent-length: {}\r\n\r\n", huge.len());
    let (client, _) = answering(format!("{head}{huge}"), Serve).await;
    let error = client.endpoint("ep").job("j").status().await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(500)), "{error}");
    assert_eq!(error.body().unwrap(), "");
}
