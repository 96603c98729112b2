//! OpenAI-compatible paths: streaming. A worker's chunks are piped to the caller as they come.

use podqueue_local::{Builder, Operation, RateLimit, RateLimits};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::support::{Attached, KEY, Service, eventually, raw};

const CHAT: &str = "/v2/e/openai/v1/chat/completions";

fn open(builder: Builder) -> Builder {
    builder.endpoint_for_workers("e")
}

/// An error as OpenAI's clients read it.
fn error(message: &str) -> Value {
    let error = json!({ "message": message, "type": "server_error", "param": null, "code": null });
    json!({ "error": error })
}

fn body() -> Value {
    json!({ "model": "m", "stream": true, "messages": [] })
}

async fn chat(service: &Service) -> Response {
    let url = format!("{}{CHAT}", service.local.base_url());
    let request = service.http.post(url).header("authorization", format!("Bearer {KEY}"));
    request.body(body().to_string()).send().await.unwrap()
}

/// The part of a response that has arrived when it is this long, or the whole response.
async fn read(response: &mut Response, length: usize) -> String {
    let mut text = Vec::new();
    while text.len() < length
        && let Some(piece) = response.chunk().await.unwrap()
    {
        text.extend_from_slice(&piece);
    }
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn events_are_piped_as_the_worker_yields_them() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let run = async {
        let job = worker.take().await.unwrap();
        let expected = json!({ "openai_route": "/v1/chat/completions", "openai_input": body() });
        assert_eq!(job["input"], expected);
        let id = job["id"].as_str().unwrap().to_owned();
        worker.stream(&id, json!({ "n": 1 })).await;
        id
    };
    let (id, mut response) = tokio::join!(run, chat(&service));
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let first = "data: {\"n\":1}\n\n";
    assert_eq!(read(&mut response, first.len()).await, first);
    // The next one comes while the job still runs, and as it was written.
    for events in [": ping\r\n\r\n", "data: {\"n\": 2}\n\ndata: {\"n\": 3}\n\n", "data: {\"n\""] {
        worker.stream(&id, json!(events)).await;
        assert_eq!(read(&mut response, events.len()).await, events);
    }
    let mut expected = String::new();
    for n in 0..200 {
        let event = format!("data: {n}\n\n");
        worker.stream(&id, json!(event)).await;
        expected.push_str(&event);
    }
    worker.stream(&id, json!("data: [DONE]\n\n")).await;
    expected.push_str("data: [DONE]\n\n");
    worker.done(&id, json!({ "output": [] })).await;
    assert_eq!(read(&mut response, usize::MAX).await, expected, "nothing is merged or lost");
    assert_eq!(service.status("e", &id).await.1["status"], "COMPLETED");
}

#[tokio::test]
async fn a_caller_that_leaves_cancels_the_job() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    // Before the first event, and after it.
    for events in [0, 1] {
        let request = tokio::spawn({
            let url = format!("{}{CHAT}", service.local.base_url());
            let request = service.http.post(url).header("authorization", KEY);
            let request = request.body(body().to_string());
            async move {
                let mut response = request.send().await.unwrap();
                response.chunk().await.unwrap();
                std::future::pending::<()>().await;
            }
        });
        let id = worker.take_id().await;
        for _ in 0..events {
            worker.stream(&id, json!(1)).await;
        }
        let left = async {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            request.abort();
        };
        let (stopped, ()) = tokio::join!(worker.to_stop(), left);
        assert_eq!(stopped, json!([id]));
        assert_eq!(service.status("e", &id).await.1["status"], "CANCELLED");
    }
}

/// Old clients send a line break after a body, and pipelining clients the beginning of the next
/// request.
#[tokio::test]
async fn a_caller_that_leaves_after_more_than_a_request_cancels_the_job() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    for more in ["\r\n", "GET /v2/e/health HTTP/1.1\r\n"] {
        let body = body().to_string();
        let request = format!(
            "POST {CHAT} HTTP/1.1\r\nhost: localhost\r\nauthorization: {KEY}\r\n\
             content-length: {}\r\n\r\n{body}{more}",
            body.len()
        );
        let address = service.local.address();
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, request.as_bytes()).await.unwrap();
        let id = worker.take_id().await;
        drop(stream);
        assert_eq!(worker.to_stop().await, json!([id]), "{more:?}");
    }
}

#[tokio::test]
async fn a_job_that_fails_before_its_first_event_is_an_error_and_an_event_after_it() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let fail = async {
        let id = worker.take_id().await;
        worker.done(&id, json!({ "error": "no such model" })).await;
    };
    let (answer, ()) = tokio::join!(service.post_json(CHAT, body()), fail);
    assert_eq!(answer, (500, error("no such model")));
    let fail = async {
        let id = worker.take_id().await;
        worker.stream(&id, json!({ "n": 1 })).await;
        worker.done(&id, json!({ "error": "no memory" })).await;
    };
    let (mut response, ()) = tokio::join!(chat(&service), fail);
    let expected = format!("data: {{\"n\":1}}\n\ndata: {}\n\n", error("no memory"));
    assert_eq!(read(&mut response, usize::MAX).await, expected);
    // The error is an event of its own.
    for (chunk, end) in [("data: 1\r\n\r\n", ""), ("data: 1", "\n\n"), ("data: 1\n", "\n\n")] {
        let fail = async {
            let id = worker.take_id().await;
            worker.stream(&id, json!(chunk)).await;
            worker.done(&id, json!({ "error": "no memory" })).await;
        };
        let (mut response, ()) = tokio::join!(chat(&service), fail);
        let expected = format!("{chunk}{end}data: {}\n\n", error("no memory"));
        assert_eq!(read(&mut response, usize::MAX).await, expected);
    }
}

#[tokio::test]
async fn a_worker_that_does_not_stream_yields_one_event() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let done = async {
        let id = worker.take_id().await;
        worker.done(&id, json!({ "output": { "n": 1 } })).await;
    };
    let (mut response, ()) = tokio::join!(chat(&service), done);
    assert_eq!(read(&mut response, usize::MAX).await, "data: {\"n\":1}\n\n");
}

#[tokio::test]
async fn without_stream_the_only_chunk_or_the_output_is_the_response() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    for (chunks, expected) in [
        (vec![], json!(["output"])),
        (vec![json!({ "n": 1 })], json!({ "n": 1 })),
        (vec![json!(1), json!(2)], json!(["output"])),
    ] {
        let done = async {
            let job = worker.take().await.unwrap();
            let id = job["id"].as_str().unwrap();
            let expected = json!({ "openai_route": "/v1/models", "openai_input": null });
            assert_eq!(job["input"], expected);
            for chunk in chunks {
                worker.stream(id, chunk).await;
            }
            worker.done(id, json!({ "output": ["output"] })).await;
        };
        let (answer, ()) = tokio::join!(service.get("/v2/e/openai/v1/models"), done);
        assert_eq!(answer, (200, expected));
    }
}

/// Clients leave as soon as they have read the end, when the worker still tidies up.
#[tokio::test]
async fn a_caller_that_leaves_after_the_end_cancels_nothing() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let (mut response, id) = tokio::join!(chat(&service), async {
        let id = worker.take_id().await;
        worker.stream(&id, json!("data: 1\n\ndata: [DONE]\n\n")).await;
        id
    });
    assert_eq!(read(&mut response, 23).await, "data: 1\n\ndata: [DONE]\n\n");
    drop(response);
    let nothing = tokio::time::timeout(std::time::Duration::from_millis(300), worker.to_stop());
    assert!(nothing.await.is_err());
    worker.done(&id, json!({ "output": [] })).await;
    assert_eq!(service.status("e", &id).await.1["status"], "COMPLETED");
}

/// A chunk reaches the caller in one piece, although `/stream` would split it.
#[tokio::test]
async fn a_large_chunk_stays_whole() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let large = json!({ "data": vec![vec![1.5; 1000]; 600] });
    let send = async || {
        let id = worker.take_id().await;
        worker.stream(&id, large.clone()).await;
        worker.done(&id, json!({ "output": [] })).await;
    };
    let embed = service.post_json("/v2/e/openai/v1/embeddings", json!({ "input": "a" }));
    let (answer, ()) = tokio::join!(embed, send());
    assert!(answer == (200, large.clone()));
    let (mut response, ()) = tokio::join!(chat(&service), send());
    assert!(read(&mut response, usize::MAX).await == format!("data: {large}\n\n"));
}

/// The job runs once more when its worker is lost, from the beginning.
#[tokio::test]
async fn no_response_is_made_of_what_two_workers_sent() {
    let service = Service::still(open).await;
    let (first, second) = (Attached::new(&service, "e", "a"), Attached::new(&service, "e", "b"));
    let lose = async || {
        for _ in 0..3 {
            service.advance(std::time::Duration::from_secs(10));
            service.get("/v2/e/health").await;
        }
    };
    let (mut response, id) = tokio::join!(chat(&service), async {
        let id = first.take_id().await;
        first.stream(&id, json!(1)).await;
        id
    });
    assert_eq!(read(&mut response, 9).await, "data: 1\n\n");
    lose().await;
    let expected = format!("data: {}\n\n", error(&format!("the worker of the job {id} was lost")));
    assert_eq!(read(&mut response, usize::MAX).await, expected);
    assert_eq!(service.status("e", &id).await.1["status"], "CANCELLED");
    // A caller that waits for the whole response gets that of the second worker.
    let runs = async {
        let id = first.take_id().await;
        first.stream(&id, json!({ "n": 1 })).await;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        lose().await;
        assert_eq!(second.take_id().await, id);
        second.stream(&id, json!({ "n": 2 })).await;
        second.done(&id, json!({ "output": [] })).await;
    };
    let (answer, ()) = tokio::join!(service.get("/v2/e/openai/v1/models"), runs);
    assert_eq!(answer, (200, json!({ "n": 2 })));
}

#[tokio::test]
async fn a_stream_is_in_flight_until_its_end() {
    let limit = RateLimit { requests: 100, concurrent: Some(1) };
    let limits = RateLimits::documented().limit(Operation::OpenAi, limit);
    let service = Service::still(|builder| open(builder).rate_limits(limits)).await;
    let worker = Attached::new(&service, "e", "w");
    let first = async {
        let id = worker.take_id().await;
        worker.stream(&id, json!(1)).await;
        id
    };
    let (mut response, id) = tokio::join!(chat(&service), first);
    assert_eq!(chat(&service).await.status(), 429);
    worker.done(&id, json!({})).await;
    read(&mut response, usize::MAX).await;
    let (response, ()) = tokio::join!(chat(&service), async {
        let id = worker.take_id().await;
        worker.done(&id, json!({})).await;
    });
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn closures_stream_as_well() {
    let service = Service::start(|builder| builder).await;
    let body = json!({ "stream": true });
    let answer = service.post_json("/v2/fail/openai/v1/x", body.clone()).await;
    assert_eq!(answer, (500, error("failed on request")));
    let url = format!("{}/v2/echo/openai/v1/x", service.local.base_url());
    let request = service.http.post(url).header("authorization", KEY).body(body.to_string());
    let text = request.send().await.unwrap().text().await.unwrap();
    assert!(text.starts_with("data: {\"openai_"), "{text}");
    let head = service.http.request(Method::HEAD, format!("{}{CHAT}", service.local.base_url()));
    assert_eq!(head.header("authorization", KEY).send().await.unwrap().status(), 405);
}

/// A pending stream ends with an error when the service stops.
#[tokio::test]
async fn a_stream_ends_with_the_service() {
    let service = Service::start(open).await;
    let worker = Attached::new(&service, "e", "w");
    let (mut response, _) = tokio::join!(chat(&service), async {
        let id = worker.take_id().await;
        worker.stream(&id, json!(1)).await;
    });
    assert_eq!(read(&mut response, 9).await, "data: 1\n\n");
    let shut = tokio::spawn(service.local.shutdown());
    let rest = read(&mut response, usize::MAX).await;
    assert_eq!(rest, format!("data: {}\n\n", error("the service is stopping")));
    shut.await.unwrap();
}

#[tokio::test]
async fn a_caller_that_leaves_cancels_a_job_that_is_not_streamed() {
    let service = Service::still(open).await;
    let url = format!("{}/v2/e/openai/v1/models", service.local.base_url());
    let request = service.http.get(url).header("authorization", KEY);
    let call = tokio::spawn(request.send());
    service.until_busy("e", 0, 1).await;
    call.abort();
    eventually("an empty queue", async || {
        service.get("/v2/e/health").await.1["jobs"]["inQueue"] == 0
    })
    .await;
}

/// A worker drops what was refused, so nothing whole can follow. Its caller need not wait for the
/// executionTimeout to learn that.
#[tokio::test]
async fn a_call_whose_worker_has_a_report_refused_ends_with_an_error() {
    let service = Service::still(|builder| open(builder).max_payloads(1000, 1000)).await;
    let worker = Attached::new(&service, "e", "w");
    let large = json!({ "output": "x".repeat(1000) }).to_string();
    let why = "a report of the worker was refused: the body exceeds the limit of 1000 bytes for \
               this operation";
    for route in ["job-done", "job-stream"] {
        let refused = async || {
            let id = worker.take_id().await;
            worker.stream(&id, json!({ "n": 1 })).await;
            let path = format!("{route}/w/{id}?isStream=true");
            assert_eq!(worker.post(&path, large.clone()).await.0, 400);
            id
        };
        let (mut response, id) = tokio::join!(chat(&service), refused());
        let expected = format!("data: {{\"n\":1}}\n\ndata: {}\n\n", error(why));
        assert_eq!(read(&mut response, usize::MAX).await, expected, "{route}");
        assert_eq!(worker.to_stop().await, json!([id]));
        let (answer, id) = tokio::join!(service.get("/v2/e/openai/v1/models"), refused());
        assert_eq!(answer, (500, error(why)), "{route}");
        assert_eq!(service.status("e", &id).await.1["status"], "CANCELLED");
        assert_eq!(worker.to_stop().await, json!([id]));
    }
    // A caller that has the whole response is not notified of it.
    let (mut response, id) = tokio::join!(chat(&service), async {
        let id = worker.take_id().await;
        worker.stream(&id, json!("data: 1\n\ndata: [DONE]\n\n")).await;
        assert_eq!(worker.report(&id, large.clone()).await.0, 400);
        id
    });
    let text = read(&mut response, usize::MAX).await;
    assert_eq!(text, "data: 1\n\ndata: [DONE]\n\n");
    assert_eq!(service.status("e", &id).await.1["status"], "IN_PROGRESS");
}

/// The worker sends again what did not arrive whole.
#[tokio::test]
async fn a_report_that_breaks_off_ends_no_call() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let (mut response, id) = tokio::join!(chat(&service), async {
        let id = worker.take_id().await;
        let key = service.local.worker_environment("e").unwrap();
        let key = key.into_iter().find(|(name, _)| name == "AI_API_KEY").unwrap().1;
        let head = format!(
            "POST /v2/e/job-stream/w/{id} HTTP/1.1\r\nhost: localhost\r\nauthorization: {key}\r\n\
             content-length: 100\r\n\r\n{{\"output\""
        );
        raw(&service, head.as_bytes()).await;
        eventually("a refusal", async || !service.local.worker_logs("e").is_empty()).await;
        worker.stream(&id, json!(1)).await;
        id
    });
    worker.done(&id, json!({})).await;
    assert_eq!(read(&mut response, usize::MAX).await, "data: 1\n\n");
    assert_eq!(service.status("e", &id).await.1["status"], "COMPLETED");
}

/// Workers compare the route with those that they know, so a query stays out of it.
#[tokio::test]
async fn a_query_is_no_part_of_the_route() {
    let service = Service::still(open).await;
    let worker = Attached::new(&service, "e", "w");
    let done = async {
        let job = worker.take().await.unwrap();
        let expected = json!({ "openai_route": "/v1/models", "openai_input": null });
        assert_eq!(job["input"], expected);
        worker.done(job["id"].as_str().unwrap(), json!({ "output": 1 })).await;
    };
    let call = service.get("/v2/e/openai/v1/models?api-version=1&after=b");
    let (answer, ()) = tokio::join!(call, done);
    assert_eq!(answer, (200, json!(1)));
}
