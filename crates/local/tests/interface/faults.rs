//! Faults: the response that a client gets, and the effect of the request.

use std::time::Duration;

use podqueue_local::{Fault, Operation};
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::support::{KEY, Service, answer, assert_refused, eventually, seconds};

fn run(service: &Service) -> reqwest::RequestBuilder {
    service
        .http
        .post(format!("{}/v2/echo/run", service.local.base_url()))
        .header("authorization", KEY)
        .body(json!({ "input": {} }).to_string())
}

/// The number of jobs of the endpoint.
async fn jobs(service: &Service) -> usize {
    service.get("/v2/echo/requests").await.1.as_array().unwrap().len()
}

async fn with(fault: Fault) -> Service {
    let service = Service::still(|builder| builder).await;
    service.local.add_fault(fault.on(Operation::Run));
    service
}

#[tokio::test]
async fn a_response_fault_replaces_the_response_of_the_service() {
    let fault = Fault::response(503, "<html>busy</html>")
        .header("content-type", "text/html")
        .header("retry-after", "7");
    for (fault, processed) in [(fault.clone(), 0), (fault.processed(), 1)] {
        let service = with(fault).await;
        let reply = run(&service).send().await.unwrap();
        assert_eq!(reply.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(reply.headers()["retry-after"], "7");
        assert_eq!(reply.headers()["content-type"], "text/html");
        assert_eq!(reply.text().await.unwrap(), "<html>busy</html>");
        assert_eq!(jobs(&service).await, processed);
    }
}

#[tokio::test]
async fn a_redirect_fault_answers_with_its_status_and_location() {
    let service = with(Fault::redirect(307, "/elsewhere")).await;
    let http =
        reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let url = format!("{}/v2/echo/run", service.local.base_url());
    let reply = http.post(url).header("authorization", KEY).body("{}").send().await.unwrap();
    assert_eq!(reply.status(), StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(reply.headers()["location"], "/elsewhere");
}

#[tokio::test]
async fn a_reset_fault_closes_the_connection_before_the_request_is_processed() {
    let service = with(Fault::reset()).await;
    assert!(run(&service).send().await.unwrap_err().is_request());
    assert_eq!(jobs(&service).await, 0);
}

/// Sends a request as a client without open connections does.
async fn anew(service: &Service) -> Result<reqwest::Response, reqwest::Error> {
    let url = format!("{}/v2/echo/health", service.local.base_url());
    reqwest::Client::new().get(url).header("authorization", KEY).send().await
}

/// Waits until the service accepts connections.
async fn until_back(service: &Service) {
    eventually("a service that is back", async || anew(service).await.is_ok()).await;
}

#[tokio::test]
async fn refused_connections_reset_open_calls_and_end_after_the_downtime() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("sleep", json!({ "input": { "ms": 1000 } })).await;
    let waiting = tokio::spawn(
        service
            .http
            .post(format!("{}/v2/sleep/runsync", service.local.base_url()))
            .header("authorization", KEY)
            .body(json!({ "input": { "ms": 1000 } }).to_string())
            .send(),
    );
    eventually("two requests", async || service.local.requests().len() == 2).await;
    service.local.refuse_connections(seconds(3600)).await;
    assert!(waiting.await.unwrap().unwrap_err().is_request(), "open connections are reset");
    let error = anew(&service).await.unwrap_err();
    assert!(error.is_connect(), "{error:?}");
    assert!(format!("{error:?}").contains("ConnectionRefused"), "{error:?}");
    // The operating system refuses connections, and it knows real time only.
    let down = Duration::from_millis(300);
    let before = std::time::Instant::now();
    service.local.refuse_connections(down).await;
    until_back(&service).await;
    assert!(before.elapsed() >= down, "{:?}", before.elapsed());
    assert_eq!(service.status("sleep", &id).await.0, 200, "nothing is forgotten");
}

#[tokio::test]
async fn a_down_fault_stops_the_service_before_the_request_is_processed() {
    let service = with(Fault::down(seconds(3600)).times(1)).await;
    assert!(run(&service).send().await.is_err());
    assert!(anew(&service).await.unwrap_err().is_connect());
    service.local.refuse_connections(Duration::ZERO).await;
    until_back(&service).await;
    assert_eq!(jobs(&service).await, 0);
    assert_eq!(answer(run(&service)).await.0, 200);
}

#[tokio::test]
async fn the_service_comes_back_after_the_shortest_downtime() {
    let service = Service::still(|builder| builder).await;
    for _ in 0..20 {
        service.local.refuse_connections(Duration::ZERO).await;
        until_back(&service).await;
    }
    // A second call replaces the downtime.
    service.local.refuse_connections(seconds(3600)).await;
    service.local.refuse_connections(Duration::from_millis(1)).await;
    until_back(&service).await;
}

#[tokio::test]
async fn a_lost_response_fault_processes_the_request() {
    let service = with(Fault::lost_response()).await;
    assert!(run(&service).send().await.unwrap_err().is_request());
    assert_eq!(jobs(&service).await, 1);
}

#[tokio::test]
async fn a_reset_after_some_bytes_cuts_off_longer_responses_only() {
    let service = with(Fault::reset_after(140)).await;
    let reply = run(&service).send().await.unwrap();
    assert_eq!(reply.status(), StatusCode::OK);
    assert!(reply.bytes().await.is_err());
    assert_eq!(jobs(&service).await, 1);
    // A response that is shorter than the limit arrives, and so does the next response.
    service.local.clear_faults();
    service.local.add_fault(Fault::reset_after(1_000_000).times(1));
    assert_eq!(answer(run(&service)).await.0, 200);
    assert_eq!(answer(run(&service)).await.0, 200);
}

#[tokio::test]
async fn truncating_and_malforming_faults_make_the_json_unreadable() {
    let service = with(Fault::truncated(10)).await;
    let text = run(&service).send().await.unwrap().text().await.unwrap();
    assert_eq!(text.len(), 10);
    assert!(text.starts_with("{\"id\":"));
    let service = with(Fault::malformed()).await;
    let text = run(&service).send().await.unwrap().text().await.unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_err());
    assert_eq!(jobs(&service).await, 1);
}

#[tokio::test]
async fn a_delay_fault_lasts_on_the_clock_of_the_service() {
    let service = with(Fault::delay(seconds(30))).await;
    let call = tokio::spawn(run(&service).send());
    eventually("a request", async || !service.local.requests().is_empty()).await;
    service.advance(Duration::from_millis(29_999));
    // Another request comes and goes meanwhile.
    assert_eq!(jobs(&service).await, 0);
    assert!(!call.is_finished());
    service.advance(Duration::from_millis(1));
    assert_eq!(call.await.unwrap().unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn a_stop_ends_a_delay() {
    let service = with(Fault::delay(seconds(30))).await;
    let call = tokio::spawn(answer(run(&service)));
    eventually("a request", async || !service.local.requests().is_empty()).await;
    service.local.shutdown().await;
    assert_refused(&call.await.unwrap(), StatusCode::INTERNAL_SERVER_ERROR, "stopping");
}

/// On a manual clock it would hold the service state indefinitely.
#[cfg(unix)]
#[tokio::test]
async fn a_request_in_a_delay_does_not_outlive_a_dropped_service() {
    let pipe = crate::support::Pipe::new();
    let worker = pipe.worker();
    let service = Service::still(|builder| builder.command_endpoint("sh", worker)).await;
    let id = service.run("sh", json!({ "input": {} })).await;
    service.until("sh", &id, "COMPLETED").await;
    assert!(pipe.is_held());
    service.local.add_fault(Fault::delay(seconds(30)).on(Operation::Run));
    let before = service.local.requests().len();
    let call = tokio::spawn(answer(run(&service)));
    eventually("a request", async || service.local.requests().len() > before).await;
    drop(service.local);
    assert_refused(&call.await.unwrap(), StatusCode::INTERNAL_SERVER_ERROR, "stopping");
    pipe.released().await;
}

#[tokio::test]
async fn a_stop_ends_the_pauses_of_a_drip() {
    let service = with(Fault::drip(8, seconds(30))).await;
    let call = tokio::spawn(answer(run(&service)));
    let begun = async || service.local.requests().iter().any(|request| request.status.is_some());
    eventually("an answer that has begun", begun).await;
    service.local.shutdown().await;
    let (status, receipt) = call.await.unwrap();
    assert_eq!((status, &receipt["status"]), (200, &json!("IN_QUEUE")));
}

#[tokio::test]
async fn a_drip_fault_pauses_between_the_bytes_of_a_response() {
    // In real time: a client has to see the pauses.
    let service = Service::start(|builder| builder).await;
    service.local.add_fault(Fault::drip(8, Duration::from_millis(5)));
    let before = std::time::Instant::now();
    let (status, receipt) = answer(run(&service)).await;
    assert_eq!((status, &receipt["status"]), (200, &json!("IN_QUEUE")));
    assert!(before.elapsed() >= Duration::from_millis(5 * 7), "{:?}", before.elapsed());
}

#[tokio::test]
async fn a_fault_hits_the_operation_endpoint_and_number_of_requests_it_names() {
    let service = Service::still(|builder| builder).await;
    let fault = Fault::response(500, "{}").on(Operation::Health).endpoint("echo").times(2);
    service.local.add_fault(fault);
    assert_eq!(service.get("/v2/count/health").await.0, 200);
    assert_eq!(service.get("/v2/echo/requests").await.0, 200);
    assert_eq!(service.get("/v2/echo/health").await.0, 500);
    assert_eq!(service.get("/v2/echo/health").await.0, 500);
    assert_eq!(service.get("/v2/echo/health").await.0, 200);
}

#[tokio::test]
async fn a_seeded_probability_chooses_the_same_requests_in_every_run() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let service = Service::still(|builder| builder).await;
        service.local.add_fault(Fault::response(500, "{}").probability(0.3, 11));
        let mut statuses = Vec::new();
        for _ in 0..100 {
            statuses.push(service.get("/v2/echo/health").await.0);
        }
        runs.push(statuses);
    }
    let hit = runs[0].iter().filter(|status| **status == 500).count();
    assert!((15..=45).contains(&hit), "{hit}");
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test]
async fn rest_and_graphql_have_faults_too() {
    let service = Service::still(|builder| builder).await;
    service.local.add_fault(Fault::response(502, "{}").on(Operation::GetPod));
    service.local.add_fault(Fault::response(503, "{}").on(Operation::GetTemplate));
    service.local.add_fault(Fault::response(500, "{}").on(Operation::GraphQl));
    assert_eq!(service.get("/v1/pods/pod-gpu").await.0, 502);
    assert_eq!(service.get("/v1/templates/template-own").await.0, 503);
    assert_eq!(service.graphql("{ _empty }").await.0, 500);
    service.local.clear_faults();
    assert_eq!(service.get("/v1/pods/pod-gpu").await.0, 200);
}

#[tokio::test]
async fn every_operation_of_the_queue_has_faults() {
    let service = Service::still(|builder| builder).await;
    let operations = [
        (Operation::Run, Method::POST, "run"),
        (Operation::RunSync, Method::POST, "runsync"),
        (Operation::Status, Method::GET, "status/x"),
        (Operation::Stream, Method::GET, "stream/x"),
        (Operation::Cancel, Method::POST, "cancel/x"),
        (Operation::Retry, Method::POST, "retry/x"),
        (Operation::PurgeQueue, Method::POST, "purge-queue"),
        (Operation::Health, Method::GET, "health"),
        (Operation::OpenAi, Method::POST, "openai/v1/models"),
        (Operation::Requests, Method::GET, "requests"),
    ];
    for (index, (operation, ..)) in operations.iter().enumerate() {
        let status = 510 + u16::try_from(index).unwrap();
        service.local.add_fault(Fault::response(status, "{}").on(*operation).endpoint("echo"));
    }
    for (index, (_, method, path)) in operations.into_iter().enumerate() {
        let answer = service.send(method, &format!("/v2/echo/{path}"), Vec::new()).await;
        assert_eq!(usize::from(answer.0), 510 + index, "{path}");
    }
}

#[tokio::test]
async fn a_fault_comes_after_authentication() {
    let service = with(Fault::response(500, "{}")).await;
    let url = format!("{}/v2/echo/run", service.local.base_url());
    let request = service.http.request(Method::POST, url).header("authorization", "wrong");
    assert_eq!(answer(request).await.0, 401);
}

#[tokio::test]
async fn a_page_of_a_gateway() {
    let service = with(Fault::gateway(403)).await;
    let reply = run(&service).send().await.unwrap();
    assert_eq!(
        (reply.status(), &reply.headers()["content-type"]),
        (StatusCode::FORBIDDEN, &"text/html".parse().unwrap())
    );
    assert!(reply.text().await.unwrap().starts_with("<!DOCTYPE html>"));
    assert_eq!(jobs(&service).await, 0);
}

#[tokio::test]
async fn a_body_that_is_cut_off() {
    let service = with(Fault::cut(10)).await;
    let mut reply = run(&service).send().await.unwrap();
    assert!(reply.content_length().unwrap() > 10);
    assert_eq!(reply.chunk().await.unwrap().unwrap().len(), 10);
    assert!(reply.chunk().await.is_err());
    assert_eq!(jobs(&service).await, 1);
}

#[tokio::test]
async fn a_stall_after_the_head_until_the_service_stops() {
    let service = with(Fault::stall()).await;
    let mut reply = run(&service).send().await.unwrap();
    assert_eq!((reply.status(), jobs(&service).await), (StatusCode::OK, 1));
    let waited = tokio::time::timeout(Duration::from_millis(50), reply.chunk()).await;
    assert!(waited.is_err(), "{waited:?}");
    service.local.shutdown().await;
    assert!(reply.chunk().await.is_err());
}

#[tokio::test]
async fn the_record_of_another_job() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("echo", json!({ "input": {} })).await;
    let mine = service.until("echo", &id, "COMPLETED").await;
    service.local.add_fault(Fault::foreign());
    let (status, other) = service.status("echo", &id).await;
    assert_eq!((status, &other["status"]), (200, &mine["status"]));
    assert_ne!((&other["id"], &other["output"]), (&mine["id"], &mine["output"]));
    let body = json!({ "input": {} });
    let (_, other) = service.post_json("/v2/echo/runsync", body).await;
    assert!(other["id"].as_str().unwrap().starts_with("sync-"));
    let (_, pod) = service.get("/v1/pods/pod-gpu").await;
    assert_eq!(pod["id"], "pod-gpu", "it is no record");
}

#[tokio::test]
async fn numbers_that_json_does_not_have() {
    let service = Service::still(|builder| builder).await;
    service.local.add_fault(Fault::nan().on(Operation::RunSync));
    let url = format!("{}/v2/echo/runsync", service.local.base_url());
    let body = json!({ "input": { "loss": [1.5, { "n": 2 }], "name": "1" } }).to_string();
    let request = service.http.post(url).header("authorization", KEY).body(body);
    let text = request.send().await.unwrap().text().await.unwrap();
    assert!(text.contains(r#""output":{"loss":[NaN,{"n":NaN}],"name":"1"}"#), "{text}");
}

#[tokio::test]
async fn a_byte_order_mark() {
    let service = with(Fault::byte_order_mark()).await;
    let bytes = run(&service).send().await.unwrap().bytes().await.unwrap();
    assert!(bytes.starts_with(b"\xef\xbb\xbf{\"id\":"), "{bytes:?}");
}

/// The responses to two requests on one connection, the second a moment after the first.
async fn two_responses(service: &Service) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(service.local.address()).await.unwrap();
    let mut all = String::new();
    for (path, connection) in [("health", "keep-alive"), ("requests", "close")] {
        let head = format!(
            "GET /v2/echo/{path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {KEY}\r\n\
             connection: {connection}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut bytes = [0; 4096];
        while !all.contains("\"jobs\"") {
            let length = stream.read(&mut bytes).await.unwrap();
            all.push_str(std::str::from_utf8(&bytes[..length]).unwrap());
        }
    }
    stream.read_to_string(&mut all).await.unwrap();
    all
}

#[tokio::test]
async fn a_response_that_comes_twice_and_one_that_is_out_of_step() {
    for fault in [Fault::duplicated(), Fault::out_of_step()] {
        let service = Service::still(|builder| builder).await;
        service.local.add_fault(fault.on(Operation::Health));
        let responses = two_responses(&service).await;
        let bodies: Vec<&str> = responses
            .split("HTTP/1.1 200 OK\r\n")
            .skip(1)
            .map(|r| r.split_once("\r\n\r\n").unwrap().1)
            .collect();
        assert_eq!(bodies.len(), 3, "{responses}");
        assert_eq!((bodies[0], bodies[2]), (bodies[1], "[]"));
        assert!(bodies[0].starts_with("{\"jobs\":"));
    }
}

#[tokio::test]
async fn a_length_that_is_not_the_bodys_is_left_out() {
    for length in ["0", "1", "100", "+5", "05", "none"] {
        let service = with(Fault::response(503, "hello").header("content-length", length)).await;
        let response = run(&service).send().await.unwrap();
        assert_eq!(response.status(), 503, "{length}");
        assert_eq!(response.text().await.unwrap(), "hello", "{length}");
    }
    let service = with(Fault::response(503, "hello").header("content-length", "5")).await;
    assert_eq!(run(&service).send().await.unwrap().text().await.unwrap(), "hello");
}
