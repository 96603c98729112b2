//! Property tests with arbitrary input: every response is JSON with a status of the interface, and
//! the service keeps working.

use std::sync::LazyLock;
use std::time::Duration;

use futures_util::future::join_all;
use podqueue_local::{Builder, LocalJob};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use crate::strategies::{body, bytes, control_path, fault, method, query, segment};
use crate::support::{KEY, Service, TEST_DEADLINE, eventually, members};

/// A service that all cases of a test share, so that later requests detect damage by earlier ones.
struct Target(LazyLock<(Runtime, Service)>);

static PLAIN: Target = Target::new();
/// Apart, because what is sent to these changes how they answer.
static CONTROLLED: Target = Target::new();
static FAULTY: Target = Target::new();
static RAW: Target = Target::new();

impl Target {
    const fn new() -> Self {
        Self(LazyLock::new(|| {
            let runtime = Runtime::new().unwrap();
            // Handlers that end at once: no request has a reason to wait.
            let setup = |builder: Builder| {
                builder
                    .without_builtin_endpoints()
                    .endpoint("echo", |job: LocalJob| async { Ok(job.input) })
                    .endpoint("fail", |_: LocalJob| async { Err("as asked".into()) })
                    .control_plane()
                    .max_payloads(100_000, 100_000)
                    .max_queued(50)
            };
            let mut service = runtime.block_on(Service::still(setup));
            // A service that was down has reset connections that a pool would still take for good.
            let http = reqwest::Client::builder().pool_max_idle_per_host(0);
            service.http = http.build().unwrap();
            (runtime, service)
        }))
    }

    /// Sends a request, asserts that its response is JSON, and returns it.
    fn sent(&self, method: Method, path: &str, body: Vec<u8>) -> (u16, Value) {
        let (runtime, service) = &*self.0;
        runtime.block_on(async {
            let request = request(service, method.clone(), path, body);
            let response =
                request.send().await.unwrap_or_else(|e| panic!("{method} {path}: {e:?}"));
            let status = response.status();
            let text = response.text().await.unwrap();
            let answer: Value = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{method} {path}: {status} {text:?}: {error}"));
            (status.as_u16(), answer)
        })
    }

    fn assert_alive(&self) {
        assert_eq!(self.sent(Method::GET, "/v2/echo/health", Vec::new()).0, 200);
    }
}

fn request(service: &Service, method: Method, path: &str, body: Vec<u8>) -> RequestBuilder {
    service
        .http
        .request(method, format!("{}{path}", service.local.base_url()))
        .header("authorization", KEY)
        .header("content-type", "application/json")
        .body(body)
        .timeout(TEST_DEADLINE)
}

fn assert_known((status, answer): &(u16, Value)) {
    match StatusCode::from_u16(*status).unwrap() {
        StatusCode::OK => {}
        StatusCode::BAD_REQUEST
        | StatusCode::UNAUTHORIZED
        | StatusCode::NOT_FOUND
        | StatusCode::METHOD_NOT_ALLOWED
        | StatusCode::TOO_MANY_REQUESTS => {
            assert!(matches!(members(answer)[..], ["error"] | ["errors"]), "{answer}");
        }
        other => panic!("{other} {answer}"),
    }
}

/// A request to a service with faults.
static HIT: LazyLock<[(Method, &str); 7]> = LazyLock::new(|| {
    [
        (Method::POST, "/v2/echo/run"),
        (Method::POST, "/v2/fail/runsync"),
        (Method::POST, "/v2/echo/openai/v1/x"),
        (Method::GET, "/v2/echo/status/x"),
        (Method::GET, "/v2/echo/health"),
        (Method::GET, "/v1/pods/pod-gpu"),
        (Method::POST, "/graphql?api_key=a+key"),
    ]
});

/// Sends a request, asserts that it ends, and ignores the response.
async fn ended(request: RequestBuilder) {
    let over_time = |error: reqwest::Error| assert!(!error.is_timeout(), "{error:?}");
    match request.send().await {
        Ok(reply) => {
            let _ = reply.bytes().await.map_err(over_time);
        }
        Err(error) => over_time(error),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, max_shrink_time: 60_000, ..ProptestConfig::default() })]

    #[test]
    fn every_body_gets_a_documented_response(
        path in select(vec![
            "/v2/echo/run", "/v2/echo/runsync", "/v2/fail/run", "/v2/fail/runsync",
            "/v2/echo/openai/v1/x", "/graphql?api_key=a+key",
        ]),
        body in body(),
    ) {
        assert_known(&PLAIN.sent(Method::POST, path, body));
    }

    #[test]
    fn every_path_gets_a_documented_response(
        method in method(),
        segments in vec(segment(), 1..6),
        query in query(),
        body in body(),
    ) {
        let path = format!("/{}?{query}", segments.join("/"));
        let (status, answer) = PLAIN.sent(method, &path, body);
        // The openai path hands on what its handler makes of it, a failure included.
        if status == 500 {
            prop_assert!(path.contains("openai"), "{path} {answer}");
        } else {
            assert_known(&(status, answer));
        }
    }

    #[test]
    fn every_control_request_gets_a_documented_response_and_the_service_survives(
        method in method(),
        path in control_path(),
        body in prop_oneof![body(), fault().prop_map(|rule| rule.to_string().into_bytes())],
    ) {
        // Descriptions are no JSON.
        prop_assume!(!(path.starts_with("openapi/") && method == Method::GET));
        assert_known(&CONTROLLED.sent(method, &format!("/_local/{path}"), body));
        prop_assert_eq!(CONTROLLED.sent(Method::DELETE, "/_local/faults", Vec::new()).0, 200);
        CONTROLLED.assert_alive();
    }

    /// A fault affects the requests that it hits, but each of them ends. After the faults are
    /// cleared, the service behaves as before.
    #[test]
    fn every_request_ends_under_any_faults_and_the_service_recovers(
        rules in vec(fault(), 1..4),
        bodies in vec(body(), 7),
    ) {
        for rule in rules {
            assert_known(&FAULTY.sent(Method::POST, "/_local/faults", rule.to_string().into()));
        }
        let (runtime, service) = &*FAULTY.0;
        runtime.block_on(async {
            let calls = HIT.iter().zip(bodies).map(|((method, path), body)| {
                ended(request(service, method.clone(), path, body))
            });
            let advancing = async {
                loop {
                    service.advance(Duration::from_secs(10));
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            };
            tokio::select! {
                () = async { join_all(calls).await; } => {}
                () = advancing => {}
            }
            service.local.clear_faults();
            // The service may be down for some milliseconds more.
            eventually("a service that is back", async || {
                let call = request(service, Method::GET, "/v2/echo/health", Vec::new()).send();
                call.await.is_ok_and(|reply| reply.status() == StatusCode::OK)
            })
            .await;
        });
    }

    /// Any bytes over a connection get HTTP responses or none, and the connection ends.
    #[test]
    fn every_sequence_of_bytes_gets_an_http_response_or_none(bytes in bytes()) {
        let (runtime, service) = &*RAW.0;
        let answer = runtime.block_on(async {
            let exchange = async {
                let mut stream = TcpStream::connect(service.local.address()).await.unwrap();
                // A refusal may precede the rest of the request.
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                let mut answer = Vec::new();
                let _ = stream.read_to_end(&mut answer).await;
                answer
            };
            tokio::time::timeout(TEST_DEADLINE, exchange).await.unwrap()
        });
        prop_assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."), "{answer:?}");
        RAW.assert_alive();
    }
}
