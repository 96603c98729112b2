//! Requests: sections "Job submission body", "Serverless queue operations", "Errors", and the
//! payload limits.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Service, assert_refused, members, seconds};

#[tokio::test]
async fn ids_are_uuids_with_a_suffix_or_the_prefix_sync() {
    let service = Service::still(|builder| builder).await;
    let uuid = |text: &str| {
        let groups: Vec<usize> = text.split('-').map(str::len).collect();
        groups == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
    };
    let id = service.run("echo", json!({ "input": {} })).await;
    assert!(uuid(id.strip_suffix("-u1").unwrap()), "{id}");
    let (_, record) = service.post_json("/v2/echo/runsync", json!({ "input": {} })).await;
    assert!(uuid(record["id"].as_str().unwrap().strip_prefix("sync-").unwrap()), "{record}");
    assert_ne!(id, service.run("echo", json!({ "input": {} })).await);
}

#[tokio::test]
async fn every_input_arrives_unchanged() {
    let service = Service::still(|builder| builder).await;
    for input in [
        json!({}),
        json!({ "null": null, "false": false, "zero": 0, "empty": "", "list": [], "object": {} }),
        json!({ "input": { "input": {} } }),
        json!({ "text": "line\nquote\" back\\slash \u{1f980} \u{0}", "float": 0.1, "big": u64::MAX }),
    ] {
        let answer = service.post_json("/v2/echo/runsync", json!({ "input": input })).await;
        assert_eq!((answer.0, &answer.1["output"]), (200, &input));
    }
}

#[tokio::test]
async fn everything_a_submission_may_have_is_accepted() {
    let service = Service::still(|builder| builder.workers(0, 0)).await;
    let body = json!({
        "input": {},
        "webhook": "https://me.example/hook?x=1",
        "policy": { "executionTimeout": 5000, "lowPriority": true, "ttl": 10_000 },
        "s3Config": {
            "accessId": "id",
            "accessSecret": "secret",
            "bucketName": "bucket",
            "endpointUrl": "https://storage.example",
        },
    });
    service.run("echo", body).await;
    let week = 7 * 24 * 3600 * 1000;
    let policy = json!({ "executionTimeout": week, "lowPriority": false, "ttl": week });
    service.run("echo", json!({ "input": {}, "policy": policy })).await;
}

#[tokio::test]
async fn a_submission_is_refused_with_the_field_named() {
    let service = Service::still(|builder| builder).await;
    let with = |name: &str, value: Value| {
        let mut body = json!({ "input": {} });
        body[name] = value;
        body
    };
    let cases = [
        (json!({}), "input is required"),
        (json!({ "input": null }), "input"),
        (json!({ "input": "text" }), "input"),
        (json!({ "input": [1] }), "input"),
        (json!([]), "an object"),
        (json!("text"), "an object"),
        (json!(null), "an object"),
        (with("webhook", json!(7)), "webhook"),
        (with("webhook", json!("not a url")), "webhook"),
        (with("webhook", json!("ftp://x.example/")), "webhook"),
        (with("policy", json!([])), "policy"),
        (with("policy", json!({ "executionTimeout": 4999 })), "policy.executionTimeout"),
        (with("policy", json!({ "executionTimeout": 604_800_001 })), "policy.executionTimeout"),
        (with("policy", json!({ "executionTimeout": "5000" })), "policy.executionTimeout"),
        (with("policy", json!({ "executionTimeout": -5000 })), "policy.executionTimeout"),
        (with("policy", json!({ "ttl": 9999 })), "policy.ttl"),
        (with("policy", json!({ "ttl": 604_800_001 })), "policy.ttl"),
        (with("policy", json!({ "ttl": 10_000.5 })), "policy.ttl"),
        (with("policy", json!({ "lowPriority": "yes" })), "policy.lowPriority"),
        (with("s3Config", json!("bucket")), "s3Config"),
        (with("s3Config", json!({ "accessId": 1 })), "s3Config.accessId"),
        (with("s3Config", json!({ "accessSecret": 1 })), "s3Config.accessSecret"),
        (with("s3Config", json!({ "bucketName": {} })), "s3Config.bucketName"),
        (with("s3Config", json!({ "endpointUrl": "nowhere" })), "s3Config.endpointUrl"),
    ];
    for (body, field) in cases {
        for operation in ["run", "runsync"] {
            let answer = service.post_json(&format!("/v2/echo/{operation}"), body.clone()).await;
            assert_refused(&answer, StatusCode::BAD_REQUEST, field);
        }
    }
    let (_, health) = service.get("/v2/echo/health").await;
    assert_eq!(health["jobs"]["completed"], 0, "nothing of this may have run");
}

#[tokio::test]
async fn a_body_that_is_not_json_is_400() {
    let service = Service::still(|builder| builder).await;
    for body in ["", "{", "{\"input\": {}} x", "input=1", "\u{feff}{}", "{\"input\": NaN}"] {
        let answer = service.send(Method::POST, "/v2/echo/run", body.into()).await;
        assert_refused(&answer, StatusCode::BAD_REQUEST, "not JSON");
    }
    let answer = service.send(Method::POST, "/v2/echo/run", vec![0xff, 0xfe]).await;
    assert_refused(&answer, StatusCode::BAD_REQUEST, "not JSON");
    let deep = format!("{{\"input\": {{\"a\": {}1{}}}}}", "[".repeat(10_000), "]".repeat(10_000));
    let answer = service.send(Method::POST, "/v2/echo/run", deep.into()).await;
    assert_refused(&answer, StatusCode::BAD_REQUEST, "not JSON");
}

#[tokio::test]
async fn a_wait_out_of_range_is_400() {
    let service = Service::still(|builder| builder).await;
    for wait in ["999", "300001", "0", "-1", "1e4", "soon", ""] {
        let path = format!("/v2/echo/runsync?wait={wait}");
        let answer = service.post_json(&path, json!({ "input": {} })).await;
        assert_refused(&answer, StatusCode::BAD_REQUEST, "wait");
    }
    for wait in ["1000", "300000"] {
        let path = format!("/v2/echo/runsync?wait={wait}");
        assert_eq!(service.post_json(&path, json!({ "input": {} })).await.0, 200);
    }
}

#[tokio::test]
async fn run_takes_10_mib_and_runsync_20() {
    let service = Service::still(|builder| builder.workers(0, 0)).await;
    let of_size = |size: usize| {
        let around = json!({ "input": { "text": "" } }).to_string().len();
        json!({ "input": { "text": "x".repeat(size - around) } }).to_string().into_bytes()
    };
    let (run, runsync) = (10 * 1024 * 1024, 20 * 1024 * 1024);
    assert_eq!(service.send(Method::POST, "/v2/echo/run", of_size(run)).await.0, 200);
    let answer = service.send(Method::POST, "/v2/echo/run", of_size(run + 1)).await;
    assert_refused(&answer, StatusCode::BAD_REQUEST, "10485760 bytes");
    let answer = service.send(Method::POST, "/v2/echo/runsync", of_size(runsync + 1)).await;
    assert_refused(&answer, StatusCode::BAD_REQUEST, "20971520 bytes");
    let running = Service::still(|builder| builder).await;
    assert_eq!(running.send(Method::POST, "/v2/echo/runsync", of_size(runsync)).await.0, 200);
}

#[tokio::test]
async fn a_webhook_has_8_kib_at_most() {
    let service = Service::still(|builder| builder.workers(0, 0)).await;
    let of_size = |size: usize| {
        let start = "https://me.example/";
        json!({ "input": {}, "webhook": format!("{start}{}", "x".repeat(size - start.len())) })
    };
    service.run("echo", of_size(8192)).await;
    let answer = service.post_json("/v2/echo/run", of_size(8193)).await;
    assert_refused(&answer, StatusCode::BAD_REQUEST, "webhook must be at most 8192 bytes");
}

#[tokio::test]
async fn an_unknown_endpoint_is_404() {
    let service = Service::still(|builder| builder).await;
    for (method, path) in [
        (Method::POST, "/v2/none/run"),
        (Method::POST, "/v2/none/runsync"),
        (Method::GET, "/v2/none/status/x"),
        (Method::GET, "/v2/none/stream/x"),
        (Method::POST, "/v2/none/cancel/x"),
        (Method::POST, "/v2/none/retry/x"),
        (Method::POST, "/v2/none/purge-queue"),
        (Method::GET, "/v2/none/health"),
        (Method::POST, "/v2/none/openai/v1/models"),
        (Method::GET, "/v2/none/requests"),
    ] {
        let answer = service.send(method, path, b"{\"input\": {}}".to_vec()).await;
        assert_refused(&answer, StatusCode::NOT_FOUND, "no such endpoint");
    }
}

#[tokio::test]
async fn an_unknown_job_is_404_also_when_another_endpoint_has_it() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("echo", json!({ "input": {} })).await;
    for id in [id.as_str(), "unknown", "%00", "a%2Fb", "%F0%9F%A6%80"] {
        for (method, operation) in [
            (Method::GET, "status"),
            (Method::GET, "stream"),
            (Method::POST, "cancel"),
            (Method::POST, "retry"),
        ] {
            let path = format!("/v2/count/{operation}/{id}");
            let answer = service.send(method, &path, Vec::new()).await;
            assert_refused(&answer, StatusCode::NOT_FOUND, "no such job");
        }
    }
    let answer = service.get("/v2/count/status/%ff").await;
    assert_refused(&answer, StatusCode::NOT_FOUND, "UTF-8");
}

#[tokio::test]
async fn an_unknown_path_is_404() {
    let service = Service::still(|builder| builder).await;
    for path in [
        "/",
        "/v2",
        "/v2/echo",
        "/v2//health",
        "/v2/echo/health/",
        "/v2/echo/status",
        "/v2/echo/status/",
        "/v2/echo/status/a/b",
        "/v2/echo/openai/",
        "/v1/pods",
        "/v3/x",
    ] {
        assert_refused(&service.get(path).await, StatusCode::NOT_FOUND, "no operation");
    }
}

#[tokio::test]
async fn existing_clients_post_to_status_and_stream() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("count", json!({ "input": { "n": 1 } })).await;
    service.until("count", &id, "COMPLETED").await;
    let path = format!("/v2/count/status/{id}");
    let (status, record) = service.post(&path).await;
    assert_eq!((status, &record["status"]), (200, &json!("COMPLETED")));
    assert_eq!(record, service.get(&path).await.1);
    assert_eq!(service.post(&format!("{path}?ttl=1")).await.0, 400);
    let (status, chunks) = service.post(&format!("/v2/count/stream/{id}")).await;
    assert_eq!((status, chunks.as_array().unwrap().len()), (200, 2));
    assert_eq!(service.get(&format!("/v2/count/stream/{id}")).await.1, json!([]));
    for path in ["/v2/count/status/none", "/v2/count/stream/none", "/v2/count/status-sync/none"] {
        assert_eq!(service.post(path).await.0, 404, "{path}");
    }
}

/// A client waits with `/status-sync` after a `/runsync` that returned before its job ended.
#[tokio::test]
async fn status_sync_waits_for_the_end_of_a_job() {
    let service = Service::still(|builder| builder).await;
    let policy = json!({ "executionTimeout": 7 * 24 * 3_600_000 });
    for method in [Method::GET, Method::POST] {
        let body = json!({ "input": { "ms": u32::MAX }, "policy": policy });
        let id = service.run("sleep", body).await;
        service.until("sleep", &id, "IN_PROGRESS").await;
        let path = format!("/v2/sleep/status-sync/{id}");
        let wait = async |query: &str| {
            service.send(method.clone(), &format!("{path}{query}"), vec![]).await
        };
        // A wait that runs out returns the record as it is, as that of /runsync does.
        for (query, least) in [("?wait=60000", 60_000), ("", 90_000)] {
            let before = service.get(&format!("/v2/sleep/status/{id}")).await.1;
            let advancing = async {
                loop {
                    service.advance(seconds(10));
                    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                }
            };
            let (status, record) = tokio::select! {
                answer = wait(query) => answer,
                () = advancing => unreachable!("the clock is advanced indefinitely"),
            };
            assert_eq!((status, &record["status"]), (200, &json!("IN_PROGRESS")));
            let ran = |record: &Value| record["executionTime"].as_u64().unwrap();
            assert!(ran(&record) - ran(&before) >= least, "{before} {record}");
        }
        let cancel = format!("/v2/sleep/cancel/{id}");
        let (cancelled, ended) = tokio::join!(service.post(&cancel), wait("?wait=300000"));
        assert_eq!((cancelled.0, ended.0, &ended.1["status"]), (200, 200, &json!("CANCELLED")));
        assert_refused(&wait("?wait=1").await, StatusCode::BAD_REQUEST, "wait");
        let id = service.run("echo", json!({ "input": { "n": 1 } })).await;
        let path = format!("/v2/echo/status-sync/{id}");
        let (status, record) = service.send(method, &path, vec![]).await;
        assert_eq!((status, &record["output"]), (200, &json!({ "n": 1 })));
    }
}

#[tokio::test]
async fn a_strict_service_has_what_the_interface_documents_alone() {
    let service = Service::still(podqueue_local::Builder::strict).await;
    let id = service.run("echo", json!({ "input": {} })).await;
    service.until("echo", &id, "COMPLETED").await;
    for path in [format!("/v2/echo/status/{id}"), format!("/v2/echo/stream/{id}")] {
        let answer = service.post(&path).await;
        assert_refused(&answer, StatusCode::METHOD_NOT_ALLOWED, "POST");
        assert_eq!(service.get(&path).await.0, 200);
    }
    for method in [Method::GET, Method::POST] {
        let answer = service.send(method, &format!("/v2/echo/status-sync/{id}"), vec![]).await;
        assert_refused(&answer, StatusCode::NOT_FOUND, "no operation");
    }
}

#[tokio::test]
async fn a_wrong_method_is_405() {
    let service = Service::still(podqueue_local::Builder::strict).await;
    for (method, path) in [
        (Method::GET, "/v2/echo/run"),
        (Method::GET, "/v2/echo/runsync"),
        (Method::POST, "/v2/echo/status/x"),
        (Method::POST, "/v2/echo/stream/x"),
        (Method::GET, "/v2/echo/cancel/x"),
        (Method::PUT, "/v2/echo/retry/x"),
        (Method::GET, "/v2/echo/purge-queue"),
        (Method::DELETE, "/v2/echo/health"),
        (Method::POST, "/v2/echo/requests"),
        (Method::PATCH, "/v1/pods/pod-gpu"),
        (Method::POST, "/v1/templates/template-own"),
        (Method::GET, "/graphql"),
    ] {
        let url = format!("{}{path}", service.local.base_url());
        let reply = service.http.request(method.clone(), url).send().await.unwrap();
        assert!(!reply.headers()["allow"].is_empty(), "{path}");
        let answer = service.send(method.clone(), path, Vec::new()).await;
        assert_refused(&answer, StatusCode::METHOD_NOT_ALLOWED, method.as_str());
    }
}

#[tokio::test]
async fn get_routes_answer_head_without_a_body() {
    let service = Service::still(|builder| builder).await;
    for (path, status) in
        [("/v2/echo/health", 200), ("/v2/none/health", 404), ("/v2/echo/run", 405)]
    {
        let request = service.http.head(format!("{}{path}", service.local.base_url()));
        let reply = request.header("authorization", crate::support::KEY).send().await.unwrap();
        assert_eq!(reply.status().as_u16(), status, "{path}");
        assert_eq!(reply.text().await.unwrap(), "");
    }
}

#[tokio::test]
async fn head_of_a_stream_is_refused_and_loses_no_chunks() {
    let service = Service::still(|builder| builder).await;
    let id = service.run("count", json!({ "input": { "n": 1 } })).await;
    service.until("count", &id, "COMPLETED").await;
    let path = format!("/v2/count/stream/{id}");
    let request = service.http.head(format!("{}{path}", service.local.base_url()));
    let reply = request.header("authorization", crate::support::KEY).send().await.unwrap();
    assert_eq!(reply.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(reply.headers()["allow"], "GET,POST");
    let (_, chunks) = service.get(&path).await;
    assert_eq!(chunks.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn an_openai_call_runs_the_handler_and_returns_its_output() {
    let service = Service::still(|builder| builder).await;
    let body = json!({ "model": "m", "messages": [] });
    let answer = service.post_json("/v2/echo/openai/v1/chat/completions", body.clone()).await;
    let expected = json!({ "openai_route": "/v1/chat/completions", "openai_input": body });
    assert_eq!(answer, (200, expected));
    let answer = service.post_json("/v2/fail/openai/v1/models", json!({})).await;
    assert_eq!((answer.0, &answer.1["error"]["message"]), (500, &json!("failed on request")));
    let answer = service.send(Method::POST, "/v2/echo/openai/v1/models", b"{".to_vec()).await;
    assert_refused(&answer, StatusCode::BAD_REQUEST, "not JSON");
}

#[tokio::test]
async fn requests_lists_the_jobs_of_the_endpoint() {
    let service = Service::still(|builder| builder.workers(0, 0)).await;
    assert_eq!(service.get("/v2/echo/requests").await, (200, json!([])));
    let first = service.run("echo", json!({ "input": {} })).await;
    service.advance(crate::support::seconds(1));
    let second = service.run("echo", json!({ "input": {} })).await;
    let (_, list) = service.get("/v2/echo/requests").await;
    let ids: Vec<&str> =
        list.as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap()).collect();
    assert_eq!(ids, [&first, &second]);
    assert_eq!(members(&list[0]), ["delayTime", "executionTime", "id", "status"]);
}

/// Whatever is sent, the service answers with JSON and continues.
#[tokio::test]
async fn no_bad_input_takes_the_service_down() {
    let service = Service::still(|builder| builder).await;
    let mut random = fastrand::Rng::with_seed(7);
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        "\"input\"",
        ":",
        ",",
        "null",
        "{}",
        "1e999",
        "-1",
        "\"policy\"",
        "\"ttl\"",
        "\"webhook\"",
        "\"s3Config\"",
        "\\u0000",
        "\u{1f980}",
        "true",
        "\"",
    ];
    let paths = ["run", "runsync?wait=1000", "openai/x", "status/%25", "retry/..%2f", "cancel/ü"];
    for _ in 0..400 {
        let body: String =
            (0..random.usize(0..12)).map(|_| *random.choice(&pieces).unwrap()).collect();
        let path = format!("/v2/echo/{}", random.choice(paths).unwrap());
        let (status, answer) = service.send(Method::POST, &path, body.clone().into_bytes()).await;
        assert!(matches!(status, 200 | 400 | 404 | 405), "{path} {body}: {status} {answer}");
    }
    assert_eq!(service.get("/v2/echo/health").await.0, 200);
}
