//! Memory bound of responses, whose size the peer chooses. In a process of its own, since the
//! maximum memory of the process is measured.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

use std::fmt::Write as _;

use bytes::Bytes;
use futures_util::StreamExt;
use podqueue::{Client, ErrorKind, RetryPolicy};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const MIB: usize = 1024 * 1024;

/// A value of `/proc/self/status`, in bytes.
fn held(what: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

/// Resets the peak, and returns the current memory of the process.
fn start() -> usize {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    held("VmRSS:")
}

/// The peak memory since `start`, beyond this value.
fn taken_since(start: usize) -> usize {
    held("VmHWM:").saturating_sub(start)
}

/// A server that announces this length and sends this body, whatever it is asked.
async fn serve(announced: Option<u64>, body: Bytes) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let body = body.clone();
            tokio::spawn(async move {
                let mut read = [0; 4096];
                let _ = stream.read(&mut read).await;
                let length = announced.unwrap_or(body.len() as u64);
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
                let _ = stream.write_all(head.as_bytes()).await;
                let _ = stream.write_all(&body).await;
                // Closing with something unread would take the response along.
                let _ = stream.shutdown().await;
                let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
            });
        }
    });
    let settings = Client::builder().api_key("k").base_url(url).largest_response(usize::MAX);
    settings.retry(RetryPolicy::never()).build().unwrap()
}

/// Size of the bodies: more than the rest of the memory of a process.
const LARGE: usize = 8 * MIB;

/// An object of very many small fields after `first`.
fn tiny_fields(first: &str) -> Bytes {
    let mut body = format!("{{{first}");
    for number in 0.. {
        if body.len() > LARGE {
            break;
        }
        write!(body, ",\"{:x}\":1", number % 4_096).unwrap();
    }
    body.push('}');
    Bytes::from(body)
}

#[tokio::test]
async fn a_response_takes_a_small_multiple_of_its_size_whatever_it_holds() {
    let record = tiny_fields(r#""id":"j","status":"COMPLETED","output":1"#);
    let repeated = Bytes::from(format!(
        r#"{{"id":"j"{},"status":"COMPLETED"}}"#,
        r#","output":1"#.repeat(LARGE / 11)
    ));
    let chunk = format!(r#"{{"status":"COMPLETED","stream":[{}]}}"#, tiny_chunk());
    for (name, body) in [("tiny fields", record), ("one field", repeated)] {
        let length = body.len();
        let client = serve(None, body).await;
        let before = start();
        let record = client.endpoint("ep").job("j").status().await.unwrap();
        assert_eq!(record.output::<u32>().unwrap(), 1);
        assert!(record.other::<u32>("absent").unwrap().is_none());
        assert!(format!("{record:?}").len() < 10_000);
        let taken = taken_since(before);
        assert!(taken < length * 2, "{name}: {taken} bytes for {length}");
    }

    let failed = format!(r#"{{"id":"j","status":"FAILED","error":[{}1]}}"#, "1,".repeat(LARGE / 2));
    let length = failed.len();
    let client = serve(None, Bytes::from(failed)).await;
    let before = start();
    let error = client.endpoint("ep").job("j").wait().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::JobFailed);
    let taken = taken_since(before);
    assert!(taken < length * 8, "a failure: {taken} bytes for {length}");

    let length = chunk.len();
    let client = serve(None, Bytes::from(chunk)).await;
    let before = start();
    let mut chunks = client.endpoint("ep").job("j").stream::<Value>();
    let first = chunks.next().await.unwrap().unwrap();
    assert_eq!(first.output, 1);
    let taken = taken_since(before);
    assert!(taken < length * 2, "a chunk: {taken} bytes for {length}");

    // An announced length that is not sent allocates nothing.
    for announced in [u64::MAX - 2, 1 << 40, 8 << 30] {
        let client = serve(Some(announced), Bytes::from_static(b"{\"id\":\"j\",")).await;
        let before = start();
        let error = client.endpoint("ep").job("j").status().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Network, "{announced}: {error}");
        let error = client.endpoint("ep").run(&serde_json::json!({})).await.unwrap_err();
        assert_eq!((error.kind(), error.job_id()), (ErrorKind::OutcomeUnknown, Some("j")));
        assert!(taken_since(before) < 4 * MIB);
    }
}

fn tiny_chunk() -> String {
    let fields = tiny_fields(r#""output":1"#);
    String::from_utf8(fields.to_vec()).unwrap()
}
