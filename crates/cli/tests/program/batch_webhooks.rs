//! Tests of the receiver of `batch run --on-unknown by-webhook`: valid, forged and incomplete
//! calls.

use std::net::SocketAddr;
use std::time::Duration;

use podqueue_local::{Fault, Operation};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Child;

use crate::batch::{gated, outstanding};
use crate::support::{Fixture, ended};

/// A free address.
fn free() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// Sends a request with this part of its body, and returns the status.
async fn call(to: SocketAddr, target: &str, length: u64, sent: &[u8]) -> u16 {
    let mut connection = loop {
        // Until the program listens.
        match TcpStream::connect(to).await {
            Ok(connection) => break connection,
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    let head = format!("POST {target} HTTP/1.1\r\nhost: h\r\ncontent-length: {length}\r\n\r\n");
    connection.write_all(head.as_bytes()).await.unwrap();
    // The response may arrive before the body is sent.
    let _ = connection.write_all(sent).await;
    let (mut line, mut connection) = (String::new(), BufReader::new(connection));
    let response = tokio::time::timeout(Duration::from_secs(60), connection.read_line(&mut line));
    response.await.expect("a response").unwrap();
    line.split(' ').nth(1).unwrap_or_else(|| panic!("{line:?}")).parse().unwrap()
}

/// A call whose body the program awaits.
struct PendingCall(BufReader<TcpStream>);

impl PendingCall {
    async fn call(to: SocketAddr, target: &str, length: usize) -> Self {
        let mut connection = BufReader::new(TcpStream::connect(to).await.unwrap());
        let head = format!(
            "POST {target} HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\n\
             content-length: {length}\r\n\r\n"
        );
        connection.write_all(head.as_bytes()).await.unwrap();
        let mut line = String::new();
        connection.read_line(&mut line).await.unwrap();
        assert!(line.starts_with("HTTP/1.1 100 "), "{line:?}");
        Self(connection)
    }

    /// Sends the body, and returns the status of the response.
    async fn sends(&mut self, body: &[u8]) -> u16 {
        self.0.write_all(body).await.unwrap();
        let mut text = String::new();
        self.0.read_to_string(&mut text).await.unwrap();
        let last = text.lines().rfind(|line| line.starts_with("HTTP/1.1 "));
        last.unwrap_or_else(|| panic!("{text:?}")).split(' ').nth(1).unwrap().parse().unwrap()
    }
}

/// Receives a call of the service without responding, so that the service retries it.
async fn intercept(listener: &TcpListener) -> (String, Vec<u8>) {
    let (connection, _) = listener.accept().await.unwrap();
    let mut connection = BufReader::new(connection);
    let (mut line, mut target, mut length) = (String::new(), String::new(), 0);
    while connection.read_line(&mut line).await.unwrap() > 2 {
        if let Some(rest) = line.strip_prefix("POST ") {
            target = rest.split(' ').next().unwrap().to_owned();
        } else if let Some(rest) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = rest.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await.unwrap();
    let response = b"HTTP/1.1 503 Later\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    connection.write_all(response).await.unwrap();
    (target, body)
}

fn start(fixture: &Fixture, url: &str, listen: SocketAddr) -> Child {
    let run = ["batch", "run", "in.jsonl", "-e", "gated", "-o", "out.jsonl", "--quiet"];
    let mut program = fixture.program(&run);
    program.args(["--on-unknown", "by-webhook", "--webhook-wait", "1h", "--webhook-url", url]);
    program.args(["--webhook-listen", &listen.to_string()]).spawn().unwrap()
}

#[tokio::test]
async fn only_calls_of_the_batch_are_read_also_after_a_kill() {
    let (builder, gate) = gated();
    let fixture = Fixture::with(builder.manual_clock()).await;
    fixture.write_inputs(3);
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    let service = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", service.local_addr().unwrap());
    let listen = free();
    let mut child = start(&fixture, &url, listen);
    outstanding(&fixture, 2).await;
    // The program is killed before the first call.
    child.kill().await.unwrap();
    gate.send_replace(true);
    let mut calls = Vec::new();
    for _ in 0..3 {
        calls.push(intercept(&service).await);
    }
    let child = start(&fixture, &url, listen);
    let status = async || fixture.status("out.jsonl").await;
    while status().await["completed"] != 2 {}
    assert_eq!(status().await["unknown"], 1);
    // The receiver reads neither the body of a forged call nor one beyond the limit.
    let huge = 1 << 40;
    assert_eq!(call(listen, "/hook", huge, b"").await, 404);
    let forged = calls[0].0.replace("attempt=1", "attempt=2");
    assert_eq!(call(listen, &forged, huge, b"").await, 404);
    let too_large = vec![b' '; 64 * 1024 * 1024 + 1];
    let length = too_large.len() as u64;
    assert_eq!(call(listen, &calls[0].0, length, &too_large).await, 413);
    assert_eq!(call(listen, &calls[0].0, 2, b"{}").await, 404);
    assert_eq!(status().await["unknown"], 1);
    // In any order, and repeatedly. The last call ends the run, so it is sent separately.
    let known: Vec<String> = fixture
        .lines("out.jsonl")
        .iter()
        .map(|line| line["job_id"].as_str().unwrap().into())
        .collect();
    let is_known = |(_, body): &(String, Vec<u8>)| {
        let body: serde_json::Value = serde_json::from_slice(body).unwrap();
        known.iter().any(|id| body["id"] == **id)
    };
    let (known, unknown): (Vec<_>, Vec<_>) = calls.iter().rev().partition(|call| is_known(call));
    for (target, body) in known.iter().chain(&known) {
        assert_eq!(call(listen, target, body.len() as u64, body).await, 200);
    }
    let [(target, body)] = unknown[..] else { panic!("{unknown:?}") };
    // A call in progress at the end of the run completes; an incomplete one is not awaited.
    let mut begun = PendingCall::call(listen, target, body.len()).await;
    let _endless = PendingCall::call(listen, target, body.len()).await;
    assert_eq!(call(listen, target, body.len() as u64, body).await, 200);
    while fixture.lines("out.jsonl").len() < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The run has ended when connections are refused.
    while TcpStream::connect(listen).await.is_ok() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(begun.sends(body).await, 200);
    ended(child).await.assert_code(0);
    assert_eq!(fixture.lines("out.jsonl").len(), 3);
    assert_eq!(fixture.submissions(), 3);
}

#[tokio::test]
async fn a_receiver_that_was_down_gets_the_next_attempt() {
    let (builder, gate) = gated();
    let fixture = Fixture::with(builder.manual_clock()).await;
    fixture.write_inputs(1);
    fixture.local.add_fault(Fault::lost_response().on(Operation::Run).times(1));
    let listen = free();
    let url = format!("http://{listen}/hook");
    let mut child = start(&fixture, &url, listen);
    while fixture.submissions() == 0 || fixture.status("out.jsonl").await["unknown"] != 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    child.kill().await.unwrap();
    gate.send_replace(true);
    let completed = async || {
        let health = fixture.run(&["health", "gated", "--json"]).await;
        let health: serde_json::Value = serde_json::from_str(&health.stdout).unwrap();
        health["jobs"]["completed"] == json!(1)
    };
    while !completed().await {}
    let child = start(&fixture, &url, listen);
    let ended = async {
        let ended = ended(child);
        tokio::pin!(ended);
        loop {
            // The service retries ten seconds after the first attempt.
            tokio::select! {
                ended = &mut ended => return ended,
                () = tokio::time::sleep(Duration::from_millis(50)) => {
                    fixture.local.clock().advance(Duration::from_secs(1));
                }
            }
        }
    };
    ended.await.assert_code(0);
    assert_eq!((fixture.lines("out.jsonl").len(), fixture.submissions()), (1, 1));
}
