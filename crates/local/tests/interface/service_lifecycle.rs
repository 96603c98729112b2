//! Lifecycle of a service: start, stop, and what it reports about itself.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use podqueue_local::LocalService;
use serde_json::json;

use crate::support::{KEY, Service, eventually, seconds};

#[tokio::test]
async fn the_service_starts_in_under_100_ms_on_a_free_port() {
    let start = async || LocalService::builder().start().await.unwrap();
    // One of many does, however busy the machine is.
    eventually("a start in under 100 ms", async || {
        let before = Instant::now();
        drop(start().await);
        before.elapsed() < Duration::from_millis(100)
    })
    .await;
    let local = start().await;
    assert_ne!(local.address().port(), 0);
    assert_eq!(local.base_url(), format!("http://{}", local.address()));
    assert_eq!(local.rest_url(), format!("http://{}/v1", local.address()));
    assert_eq!(local.graphql_url(), format!("http://{}/graphql", local.address()));
}

#[tokio::test]
async fn an_address_in_use_is_an_error_that_names_it() {
    let local = LocalService::builder().start().await.unwrap();
    let error = LocalService::builder().listen(local.address()).start().await.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot listen on {}", local.address()));
}

#[tokio::test]
async fn the_service_stops_on_drop() {
    let local = LocalService::builder().start().await.unwrap();
    let address = local.address();
    assert!(TcpStream::connect(address).is_ok());
    drop(local);
    eventually("an end of listening", async || TcpStream::connect(address).is_err()).await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_port_is_free_at_once_also_while_processes_are_started() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    // Until it runs its program, a new process has all sockets of the one that starts it.
    let done = Arc::new(AtomicBool::new(false));
    let starting = std::thread::spawn({
        let done = done.clone();
        move || {
            while !done.load(Ordering::Relaxed) {
                std::process::Command::new("true").status().unwrap();
            }
        }
    });
    let mut address = (std::net::Ipv4Addr::LOCALHOST, 0).into();
    let mut failed = None;
    for turn in 0..60 {
        match LocalService::builder().listen(address).start().await {
            Ok(local) => {
                address = local.address();
                tokio::task::yield_now().await;
            }
            Err(error) => {
                failed = Some((turn, error));
                break;
            }
        }
    }
    done.store(true, Ordering::Relaxed);
    starting.join().unwrap();
    assert!(failed.is_none(), "{failed:?}");
}

#[tokio::test]
async fn shutdown_responds_to_waiting_requests_and_frees_the_port() {
    let service = Service::still(|builder| builder).await;
    let address = service.local.address();
    let url = format!("{}/v2/sleep/runsync", service.local.base_url());
    let body = json!({ "input": { "ms": 1_000_000 } }).to_string();
    let request = service.http.post(url).header("authorization", KEY).body(body);
    let waiting = tokio::spawn(request.send());
    service.until_busy("sleep", 1, 0).await;
    service.local.shutdown().await;
    assert_eq!(waiting.await.unwrap().unwrap().status(), 500);
    assert!(LocalService::builder().listen(address).start().await.is_ok());
}

#[tokio::test]
async fn shutdown_responds_to_half_a_request() {
    let service = Service::still(|builder| builder).await;
    let mut client = TcpStream::connect(service.local.address()).unwrap();
    let head = format!(
        "POST /v2/echo/run HTTP/1.1\r\nhost: localhost\r\nauthorization: {KEY}\r\n\
         content-length: 100\r\n\r\n{{",
    );
    client.write_all(head.as_bytes()).unwrap();
    eventually("a request", async || !service.local.requests().is_empty()).await;
    service.local.shutdown().await;
    let mut response = String::new();
    client.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 500 "), "{response}");
}

#[tokio::test]
async fn requests_are_logged_without_credentials() {
    let service = Service::still(|builder| builder).await;
    service.get("/v2/echo/status/some%20id?ttl=20000").await;
    service.post_json("/v2/echo/runsync?wait=1000", json!({ "input": {} })).await;
    service.graphql("{ _empty }").await;
    service.get("/nowhere?a=1&api%5Fkey=secret&b=2").await;
    let seen: Vec<_> = service
        .local
        .requests()
        .into_iter()
        .map(|request| (request.method, request.path, request.query, request.status))
        .collect();
    let expected = [
        ("GET", "/v2/echo/status/some%20id", "ttl=20000", 404),
        ("POST", "/v2/echo/runsync", "wait=1000", 200),
        ("POST", "/graphql", "", 200),
        ("GET", "/nowhere", "a=1&b=2", 404),
    ];
    let expected: Vec<_> = expected
        .into_iter()
        .map(|(method, path, query, status)| {
            (method.to_owned(), path.to_owned(), query.to_owned(), Some(status))
        })
        .collect();
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn a_request_that_waits_is_in_the_log_without_a_status() {
    let service = Service::still(|builder| builder).await;
    let call = service.post_json("/v2/sleep/runsync", json!({ "input": { "ms": 1000 } }));
    let look = async {
        service.until_busy("sleep", 1, 0).await;
        let status = service.local.requests()[0].status;
        service.advance(seconds(1));
        status
    };
    let (answer, status) = tokio::join!(call, look);
    assert_eq!((answer.0, status), (200, None));
    assert_eq!(service.local.requests()[0].status, Some(200));
}

#[tokio::test]
async fn builtin_endpoints_can_be_replaced_or_left_out() {
    let service = Service::still(|builder| {
        builder.endpoint("echo", |_: podqueue_local::LocalJob| async { Ok(json!("mine")) })
    })
    .await;
    let (_, record) = service.post_json("/v2/echo/runsync", json!({ "input": {} })).await;
    assert_eq!(record["output"], "mine");
    let service = Service::still(podqueue_local::Builder::without_builtin_endpoints).await;
    for endpoint in ["echo", "count", "sleep", "fail"] {
        assert_eq!(service.get(&format!("/v2/{endpoint}/health")).await.0, 404);
    }
}

#[tokio::test]
async fn expired_jobs_leave_nothing_behind() {
    let service = Service::still(|builder| builder).await;
    for _ in 0..200 {
        service.run("echo", json!({ "input": {} })).await;
        service.run("sleep", json!({ "input": { "ms": 1000 } })).await;
    }
    service.advance(seconds(24 * 3600));
    for endpoint in ["echo", "sleep"] {
        let answer = service.get(&format!("/v2/{endpoint}/requests")).await;
        assert_eq!(answer, (200, json!([])));
    }
}
