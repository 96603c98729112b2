//! Hostile peers: bounds of connections and of memory. No peer holds a connection indefinitely,
//! fills the memory or keeps other clients out.
//!
//! These timeouts are in real time. The clock of the runtime is paused: it jumps to the next timer
//! when the runtime is idle, so exchanges that must not time out run within `in_real_time`.

use std::io::ErrorKind;
use std::time::Duration;

use podqueue_local::{LocalService, Operation};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::support::{KEY, Service, eventually, in_real_time, raw, seconds};

const HEAD: &str = "POST /v2/echo/run HTTP/1.1\r\nhost: localhost\r\nauthorization: a key\r\n";

async fn service() -> Service {
    Service::still(|builder| builder.control_plane()).await
}

async fn connect(service: &Service) -> TcpStream {
    TcpStream::connect(service.local.address()).await.unwrap()
}

/// Reads until the connection ends, and returns the received text.
async fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    // A reset is an end, too.
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8(bytes).unwrap()
}

#[tokio::test(start_paused = true)]
async fn half_a_head_times_out() {
    let service = service().await;
    for sent in ["G", "GET / HTTP/1.1\r\nhost: localh", HEAD] {
        let mut stream = connect(&service).await;
        stream.write_all(sent.as_bytes()).await.unwrap();
        let begun = Instant::now();
        assert_eq!(rest(stream).await, "");
        assert!(begun.elapsed() <= seconds(20), "{:?}", begun.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_in_pieces_is_not_timed_out_while_its_job_runs() {
    let service = service().await;
    let body = r#"{"input": {"ms": 200000}}"#;
    let mut stream = connect(&service).await;
    let head = "POST /v2/sleep/runsync?wait=300000 HTTP/1.1\r\nhost: localhost\r\n";
    let fields = format!("authorization: {KEY}\r\ncontent-length: {}\r\n\r\n", body.len());
    for piece in [head, &fields, &body[..9], &body[9..]] {
        stream.write_all(piece.as_bytes()).await.unwrap();
        // A piece that arrives with the next one is still in time.
        tokio::time::sleep(seconds(10)).await;
    }
    in_real_time(service.until_busy("sleep", 1, 0)).await;
    let mut response = vec![0; 4096];
    let early = tokio::time::timeout(seconds(400), stream.read(&mut response)).await;
    assert!(early.is_err(), "it is not closed as long as the service owes a response");
    service.local.clock().advance(seconds(301));
    let length = in_real_time(stream.read(&mut response)).await.unwrap();
    assert!(response[..length].starts_with(b"HTTP/1.1 200 "));
}

#[tokio::test(start_paused = true)]
async fn a_head_that_trickles_in_times_out() {
    let service = service().await;
    let mut stream = connect(&service).await;
    let begun = Instant::now();
    let head = format!("GET /?{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(1000));
    for byte in head.bytes() {
        if begun.elapsed() > seconds(15) || stream.write_all(&[byte]).await.is_err() {
            break;
        }
        tokio::time::sleep(seconds(1)).await;
    }
    // It is closed by now, which this end learns only in real time.
    assert_eq!(in_real_time(rest(stream)).await, "");
}

/// The next head on a connection is due as the first one is, though idle it may stay longer.
#[tokio::test(start_paused = true)]
async fn a_second_head_that_trickles_in_times_out() {
    let service = service().await;
    let mut stream = connect(&service).await;
    let request =
        b"GET /v2/echo/health HTTP/1.1\r\nhost: localhost\r\nauthorization: a key\r\n\r\n";
    in_real_time(async {
        stream.write_all(request).await.unwrap();
        assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
    })
    .await;
    tokio::time::sleep(seconds(60)).await;
    let begun = Instant::now();
    for byte in request.repeat(20) {
        // Without the line break at which the head would end.
        if begun.elapsed() > seconds(15) || stream.write_all(&[byte.max(b' ')]).await.is_err() {
            break;
        }
        tokio::time::sleep(seconds(1)).await;
    }
    // It is closed by now, which this end learns only in real time.
    assert_eq!(in_real_time(rest(stream)).await, "");
}

#[tokio::test(start_paused = true)]
async fn an_endless_body_without_a_key_times_out() {
    let service = service().await;
    let mut stream = connect(&service).await;
    let head =
        "POST /v2/echo/run HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    in_real_time(eventually("a request", async || service.local.unauthorized_requests() == 1))
        .await;
    let begun = Instant::now();
    while begun.elapsed() < seconds(6) && stream.write_all(b"1\r\na\r\n").await.is_ok() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // It is closed by now, which this end learns only in real time.
    in_real_time(eventually("the end of the connection", async || {
        stream.write_all(b"1\r\na\r\n").await.is_err()
    }))
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_without_requests_is_closed() {
    let service = service().await;
    let mut used = connect(&service).await;
    let request =
        format!("GET /v2/echo/health HTTP/1.1\r\nhost: localhost\r\nauthorization: {KEY}\r\n\r\n");
    for _ in 0..3 {
        // As long as HTTP clients keep a connection, it stays.
        let mut response = [0; 4096];
        let exchange = async {
            used.write_all(request.as_bytes()).await.unwrap();
            used.read(&mut response).await.unwrap()
        };
        let length = in_real_time(exchange).await;
        assert!(response[..length].starts_with(b"HTTP/1.1 200 "));
        tokio::time::sleep(seconds(90)).await;
    }
    let never_used = connect(&service).await;
    let begun = Instant::now();
    assert_eq!(rest(never_used).await, "");
    rest(used).await;
    assert!(begun.elapsed() <= seconds(150), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn half_a_body_times_out() {
    let service = service().await;
    for (number, sent) in [
        "content-length: 100\r\n\r\n{",
        "content-length: 100\r\n\r\n",
        "transfer-encoding: chunked\r\n\r\n5\r\n{\"inp",
        "transfer-encoding: chunked\r\n\r\n5",
        "content-length: 100\r\nexpect: 100-continue\r\n\r\n",
    ]
    .into_iter()
    .enumerate()
    {
        let mut stream = connect(&service).await;
        stream.write_all(format!("{HEAD}{sent}").as_bytes()).await.unwrap();
        let has_begun = async || service.local.requests().len() > number;
        in_real_time(eventually("a request", has_begun)).await;
        let begun = Instant::now();
        let response = rest(stream).await;
        assert!(response.contains("HTTP/1.1 408 "), "{sent:?} {response:?}");
        assert!(begun.elapsed() <= seconds(60), "{:?}", begun.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_trickles_in_times_out() {
    let service = service().await;
    let mut stream = connect(&service).await;
    stream.write_all(format!("{HEAD}content-length: 1000\r\n\r\n").as_bytes()).await.unwrap();
    let begun = Instant::now();
    for _ in 0..1000 {
        if stream.write_all(b" ").await.is_err() {
            break;
        }
        // The service has received it before the clock jumps ahead.
        in_real_time(tokio::time::sleep(Duration::from_millis(1))).await;
        tokio::time::sleep(seconds(5)).await;
    }
    assert!(begun.elapsed() < seconds(600), "{:?}", begun.elapsed());
}

/// Asks for a response that is larger than what the system buffers, and reads its first byte.
async fn half_read_response(service: &Service) -> TcpStream {
    let text = "a".repeat(8 * 1024 * 1024);
    let id = service.run("echo", json!({ "input": { "text": text } })).await;
    service.until("echo", &id, "COMPLETED").await;
    let mut stream = connect(service).await;
    let ask = format!(
        "GET /v2/echo/status/{id} HTTP/1.1\r\nhost: localhost\r\nauthorization: {KEY}\r\n\r\n"
    );
    stream.write_all(ask.as_bytes()).await.unwrap();
    stream.read_exact(&mut [0; 1]).await.unwrap();
    stream
}

#[tokio::test(start_paused = true)]
async fn an_unread_response_times_out() {
    let service = service().await;
    let mut stream = in_real_time(half_read_response(&service)).await;
    tokio::time::sleep(seconds(200)).await;
    let error = stream.read_to_end(&mut Vec::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let service = service().await;
    let long = "a".repeat(100_000);
    let many: String = (0..200).map(|n| format!("x-{n}: 1\r\n")).collect();
    let pairs = "a&".repeat(100_000);
    for (request, statuses) in [
        (format!("GET /v2/echo/status/{long} HTTP/1.1\r\nhost: localhost\r\n\r\n"), ["414", "431"]),
        (format!("GET /?{pairs} HTTP/1.1\r\nhost: localhost\r\n\r\n"), ["414", "431"]),
        (format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {long}\r\n\r\n"), ["431", "431"]),
        (format!("GET / HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"), ["431", "431"]),
    ] {
        let response = raw(&service, request.as_bytes()).await;
        // It may be reset before it has read why.
        let is_refused = statuses.iter().any(|status| response.contains(&format!(" {status} ")));
        assert!(response.is_empty() || is_refused, "{response}");
    }
    assert_eq!(service.get("/v2/echo/health").await.0, 200);
}

#[tokio::test]
async fn many_query_parameters_are_accepted() {
    let service = service().await;
    let pairs = "a&".repeat(20_000);
    let begun = std::time::Instant::now();
    for path in ["/v2/echo/status/x", "/v1/pods/pod-gpu", "/graphql"] {
        let answer = service.get(&format!("{path}?{pairs}ttl=20000")).await;
        assert!([200, 404, 405].contains(&answer.0), "{answer:?}");
    }
    assert!(begun.elapsed() < seconds(60), "{:?}", begun.elapsed());
}

/// A proxy that reads the length in another way must not see a second request in the first.
#[tokio::test]
async fn two_lengths_end_the_connection() {
    let service = service().await;
    let smuggled = "GET /smuggled HTTP/1.1\r\nhost: localhost\r\n\r\n";
    for lengths in [
        "content-length: 3\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked\r\ncontent-length: 3\r\n",
        "content-length: 3\r\ncontent-length: 5\r\n",
        "transfer-encoding: chunked, identity\r\n",
        "transfer-encoding: xchunked\r\n",
        "content-length: +3\r\n",
        "content-length: 3, 5\r\n",
        "transfer-encoding : chunked\r\n",
    ] {
        let request = format!("{HEAD}{lengths}\r\n0\r\n\r\n{smuggled}");
        raw(&service, request.as_bytes()).await;
    }
    let seen = service.local.requests();
    assert!(seen.iter().all(|request| request.path != "/smuggled"), "{seen:?}");
}

#[tokio::test]
async fn a_connection_beyond_the_limit_evicts_the_oldest_idle_one() {
    let service = Service::still(|builder| builder.max_connections(4)).await;
    let mut idle = Vec::new();
    for _ in 0..50 {
        let mut stream = connect(&service).await;
        stream.write_all(b"GET / HT").await.unwrap();
        idle.push(stream);
    }
    assert_eq!(service.get("/v2/echo/health").await.0, 200);
    // All but the last few are closed.
    for stream in idle.drain(..46) {
        assert_eq!(rest(stream).await, "");
    }
}

/// Returns true if the service keeps a connection that it does not respond on.
fn is_open(stream: &TcpStream) -> bool {
    let mut byte = [0; 1];
    match stream.try_read(&mut byte) {
        Err(error) => error.kind() == ErrorKind::WouldBlock,
        Ok(_) => false,
    }
}

/// The memory for a connection is bounded: a head, or the rest of a refused request.
#[tokio::test]
async fn unauthenticated_connections_with_buffered_bytes_are_bounded() {
    let service = service().await;
    let request = |key: &str| {
        format!("GET /v2/echo/health HTTP/1.1\r\nhost: localhost\r\nauthorization: {key}\r\n\r\n")
    };
    let mut of_a_client = connect(&service).await;
    of_a_client.write_all(request(KEY).as_bytes()).await.unwrap();
    assert!(of_a_client.read(&mut [0; 4096]).await.unwrap() > 0);
    let refused = request("wrong");
    let part_of_a_head = &refused[..60];
    let endless_body =
        "POST /v2/echo/run HTTP/1.1\r\nhost: localhost\r\ncontent-length: 99\r\n\r\n";
    let mut strangers = Vec::new();
    for number in 0..600 {
        let mut stream = connect(&service).await;
        let sent = [part_of_a_head, &refused, endless_body][number % 3];
        stream.write_all(sent.as_bytes()).await.unwrap();
        if sent == refused {
            assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
        }
        strangers.push(stream);
    }
    eventually("room", async || {
        let mut open = 0;
        for stream in &strangers {
            open += usize::from(is_open(stream));
        }
        open <= 256
    })
    .await;
    assert!(is_open(&strangers[597]), "the newest stay");
    assert!(!is_open(&strangers[0]), "the oldest goes");
    of_a_client.write_all(request(KEY).as_bytes()).await.unwrap();
    assert!(of_a_client.read(&mut [0; 4096]).await.unwrap() > 0);
    assert_eq!(service.get("/v2/echo/health").await.0, 200);
}

/// Clients that open many connections before they use them are not treated as unauthenticated
/// peers.
#[tokio::test]
async fn many_connections_that_have_sent_nothing_are_all_kept() {
    let service = service().await;
    let mut connections = Vec::new();
    for _ in 0..600 {
        connections.push(connect(&service).await);
    }
    let request =
        format!("GET /v2/echo/health HTTP/1.1\r\nhost: localhost\r\nauthorization: {KEY}\r\n\r\n");
    for _ in 0..2 {
        for stream in &mut connections {
            stream.write_all(request.as_bytes()).await.unwrap();
        }
        for stream in &mut connections {
            let mut response = [0; 4096];
            let length = stream.read(&mut response).await.unwrap();
            assert!(response[..length].starts_with(b"HTTP/1.1 200 "));
        }
    }
}

#[tokio::test]
async fn authenticated_connections_are_evicted_last() {
    let service = Service::still(|builder| builder.max_connections(4)).await;
    let request =
        format!("GET /v2/echo/health HTTP/1.1\r\nhost: localhost\r\nauthorization: {KEY}\r\n\r\n");
    let mut of_a_client = connect(&service).await;
    for _ in 0..2 {
        of_a_client.write_all(request.as_bytes()).await.unwrap();
        let mut response = [0; 4096];
        let length = of_a_client.read(&mut response).await.unwrap();
        assert!(response[..length].starts_with(b"HTTP/1.1 200 "));
        let mut strangers = Vec::new();
        for _ in 0..20 {
            strangers.push(connect(&service).await);
        }
        // All but the last three are closed.
        for stream in strangers.drain(..17) {
            assert_eq!(rest(stream).await, "");
        }
    }
}

#[tokio::test]
async fn requests_in_flight_are_not_evicted() {
    let service = Service::still(|builder| builder.max_connections(3)).await;
    let url = format!("{}/v2/sleep/runsync", service.local.base_url());
    let body = json!({ "input": { "ms": 1000 } }).to_string();
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            let call = reqwest::Client::new().post(&url).header("authorization", KEY);
            tokio::spawn(call.body(body.clone()).send())
        })
        .collect();
    eventually("three requests", async || service.local.requests().len() == 3).await;
    let refused = reqwest::Client::new().get(&url).send().await;
    assert!(refused.is_err());
    service.advance(seconds(1));
    for call in waiting {
        assert_eq!(call.await.unwrap().unwrap().status(), 200);
    }
}

#[tokio::test]
async fn a_flood_without_a_key_neither_fills_the_log_nor_empties_it() {
    let service = service().await;
    assert_eq!(service.get("/v2/echo/health?mine").await.0, 200);
    let one = format!("GET /v2/echo/{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(30_000));
    // A peer that closes its side instead need not get a response to what it has just sent.
    let last = one.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
    let flood = one.repeat(99) + &last;
    for _ in 0..10 {
        let mut stream = connect(&service).await;
        let (mut read, mut write) = stream.split();
        let sent = async { write.write_all(flood.as_bytes()).await.unwrap() };
        let mut responses = Vec::new();
        let (_, end) = tokio::join!(sent, read.read_to_end(&mut responses));
        end.unwrap();
    }
    assert_eq!(service.local.unauthorized_requests(), 1000);
    let kept = service.local.requests();
    assert_eq!(kept[0].query, "mine");
    let bytes: usize = kept.iter().map(|request| request.path.len()).sum();
    assert!((2..=101).contains(&kept.len()) && bytes < 300_000, "{} {bytes}", kept.len());
}

#[tokio::test]
async fn wrong_keys_count_as_none_and_restricted_ones_do_not() {
    let service =
        Service::still(|builder| builder.restricted_api_key("reader", [Operation::Status])).await;
    let url = format!("{}/v2/echo/health", service.local.base_url());
    for key in ["wrong", "reader"] {
        let request = service.http.get(&url).header("authorization", key);
        assert_eq!(request.send().await.unwrap().status(), 401);
    }
    assert_eq!(service.local.unauthorized_requests(), 1);
    let statuses: Vec<_> = service.local.requests().into_iter().map(|r| r.status).collect();
    assert_eq!(statuses, [Some(401), Some(401)]);
}

/// Opens a connection in each of the states in which it waits for its peer.
async fn waiting_connections(service: &Service) -> Vec<TcpStream> {
    let health =
        format!("GET /v2/echo/health HTTP/1.1\r\nhost: localhost\r\nauthorization: {KEY}\r\n\r\n");
    let half_a_body = format!("{HEAD}content-length: 100\r\n\r\n{{");
    let mut connections = Vec::new();
    for sent in ["", "GET / HTTP/1.1\r\nhost", &half_a_body, &health, &format!("{health}GET /half")]
    {
        let mut stream = connect(service).await;
        stream.write_all(sent.as_bytes()).await.unwrap();
        if sent.starts_with(&health) {
            stream.read_exact(&mut [0; 12]).await.unwrap();
        }
        connections.push(stream);
    }
    eventually("three requests", async || service.local.requests().len() == 3).await;
    connections
}

async fn assert_closed(connections: Vec<TcpStream>) {
    for mut stream in connections {
        match stream.read_to_end(&mut Vec::new()).await {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_drop_closes_all_connections_and_frees_the_port() {
    let service = service().await;
    let address = service.local.address();
    let connections = in_real_time(waiting_connections(&service)).await;
    let begun = Instant::now();
    drop(service.local);
    assert_eq!(
        std::net::TcpStream::connect(address).unwrap_err().kind(),
        ErrorKind::ConnectionRefused
    );
    drop(std::net::TcpListener::bind(address).unwrap());
    assert_closed(connections).await;
    assert!(begun.elapsed() < seconds(1), "{:?}", begun.elapsed());
    assert!(LocalService::builder().listen(address).start().await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_closes_all_connections_and_waits_for_none() {
    let service = service().await;
    let connections = in_real_time(waiting_connections(&service)).await;
    let begun = Instant::now();
    service.local.shutdown().await;
    assert!(begun.elapsed() < seconds(1), "{:?}", begun.elapsed());
    assert_closed(connections).await;
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_does_not_wait_for_a_peer_that_does_not_read() {
    let service = service().await;
    let mut stream = in_real_time(half_read_response(&service)).await;
    let begun = Instant::now();
    service.local.shutdown().await;
    assert!(begun.elapsed() <= seconds(3), "{:?}", begun.elapsed());
    assert!(stream.read_to_end(&mut Vec::new()).await.is_err());
}

#[tokio::test]
async fn nested_and_huge_json_is_400() {
    let service = service().await;
    let nested = format!("{{\"input\": {}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let objects = format!("{}1{}", "{\"input\":".repeat(50_000), "}".repeat(50_000));
    for body in [nested, objects, "{\"input\": {\"n\": 1e999}}".to_owned()] {
        for path in ["/v2/echo/run", "/v2/echo/openai/v1/x", "/_local/faults", "/_local/pods"] {
            let answer = service.send(reqwest::Method::POST, path, body.clone().into()).await;
            assert_eq!(answer.0, 400, "{path}");
        }
    }
}

#[tokio::test]
async fn a_client_still_sending_a_refused_body_can_read_why() {
    let service = service().await;
    let body = "x".repeat(9_000_000);
    for (method, path, key, host, status) in [
        ("POST", "/v2/nope/run", KEY, "localhost", "404"),
        ("POST", "/v2/echo/run", "wrong", "localhost", "401"),
        ("POST", "/v2/echo/run", KEY, "page.example", "421"),
        ("POST", "/v2/echo/cancel/none", KEY, "localhost", "404"),
        ("PUT", "/v2/echo/run", KEY, "localhost", "405"),
        ("POST", "/nothing", KEY, "localhost", "404"),
        ("POST", "/graphql", KEY, "localhost", "401"),
        ("POST", "/_local/pods", KEY, "localhost", "415"),
    ] {
        for length in ["content-length: 9000000", "transfer-encoding: chunked"] {
            let mut stream = connect(&service).await;
            let head = format!(
                "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: {key}\r\n{length}\r\n\r\n"
            );
            let sent = if length.starts_with("content") {
                format!("{head}{body}")
            } else {
                format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
            };
            // All of it is taken, and the connection continues.
            stream.write_all(sent.as_bytes()).await.unwrap();
            let health = "GET /v2/echo/health HTTP/1.1\r\nhost: localhost\r\n\
                          connection: close\r\n\r\n";
            stream.write_all(health.as_bytes()).await.unwrap();
            let responses = rest(stream).await;
            assert!(responses.starts_with(&format!("HTTP/1.1 {status} ")), "{path} {responses}");
            assert_eq!(responses.matches("HTTP/1.1 ").count(), 2, "{path} {responses}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_body_that_never_arrives_does_not_delay_the_response() {
    let service = service().await;
    for (number, (expect, within)) in
        [("", seconds(1)), ("expect: 100-continue\r\n", seconds(0))].into_iter().enumerate()
    {
        let mut stream = connect(&service).await;
        let head = "POST /v2/nope/run HTTP/1.1\r\nhost: localhost\r\nauthorization: ";
        let sent = format!("{head}{KEY}\r\n{expect}content-length: 100\r\n\r\n");
        stream.write_all(sent.as_bytes()).await.unwrap();
        let has_begun = async || service.local.requests().len() > number;
        in_real_time(eventually("a request", has_begun)).await;
        let begun = Instant::now();
        let response = rest(stream).await;
        assert!(response.starts_with("HTTP/1.1 404 "), "{response}");
        assert!(begun.elapsed() <= within, "{:?}", begun.elapsed());
    }
}
