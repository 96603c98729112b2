//! Errors, as clients of the interface read them, and what a key can see.

use podqueue_batch::ErrorKind;
use podqueue_batch::serve::Server;
use podqueue_batch::serve::api::types::BatchStatus;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};

use crate::serve::support::{CHAT, Served, World, api, keys, request, upload};

const ALICE: &str = "key-of-alice";

async fn error(response: Response) -> (u16, Value) {
    let status = response.status().as_u16();
    assert!(response.headers().contains_key("x-request-id"));
    let body: Value = response.json().await.unwrap();
    let error = &body["error"];
    assert!(!error["message"].as_str().unwrap().is_empty(), "{body}");
    assert_eq!(body.as_object().unwrap().len(), 1, "{body}");
    for name in ["message", "type", "param", "code"] {
        assert!(error.as_object().unwrap().contains_key(name), "{body}");
    }
    (status, error.clone())
}

#[tokio::test]
async fn errors_have_the_shape_that_clients_expect() {
    let world = World::new().await;
    let served = Served::start(world.builder().keys(keys()), ALICE).await;
    let file = served.upload(request("a")).await.id.unwrap();
    let http = Client::new();
    let send = async |method: Method, path: &str, body: Value| {
        let sent = http.request(method, served.url(path)).bearer_auth(ALICE).json(&body).send();
        error(sent.await.unwrap()).await
    };
    let new = |change: Value| {
        let mut new =
            json!({ "input_file_id": file, "endpoint": CHAT, "completion_window": "24h" });
        new.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        new
    };
    let many: serde_json::Map<String, Value> =
        (0..17).map(|n| (n.to_string(), json!("x"))).collect();
    for (change, param) in [
        (json!({ "input_file_id": null }), "input_file_id"),
        (json!({ "input_file_id": 7 }), "input_file_id"),
        (json!({ "input_file_id": "file-0" }), "input_file_id"),
        (json!({ "input_file_id": "../../x" }), "input_file_id"),
        (json!({ "endpoint": "/v1/audio/speech" }), "endpoint"),
        (json!({ "completion_window": "1h" }), "completion_window"),
        (json!({ "metadata": many }), "metadata"),
        (json!({ "metadata": { "n": 7 } }), "metadata"),
        (json!({ "metadata": { "n": "x".repeat(513) } }), "metadata"),
        (
            json!({ "output_expires_after": { "anchor": "created_at", "seconds": 60 } }),
            "output_expires_after",
        ),
    ] {
        let (status, error) = send(Method::POST, "/v1/batches", new(change.clone())).await;
        assert_eq!((status, &error["param"]), (400, &json!(param)), "{change}: {error}");
        assert_eq!(error["type"], "invalid_request_error");
    }
    assert_eq!(send(Method::POST, "/v1/batches", json!([])).await.0, 400);
    let no_form = send(Method::POST, "/v1/files", json!({})).await;
    assert_eq!(no_form.0, 400);
    for (method, path, status) in [
        (Method::GET, "/v1/batches/batch_0", 404),
        (Method::POST, "/v1/batches/batch_0/cancel", 404),
        (Method::GET, "/v1/batches/..%2F..%2Fx", 404),
        (Method::GET, "/v1/files/file-0", 404),
        (Method::GET, "/v1/files/file-0/content", 404),
        (Method::DELETE, "/v1/files/file-0", 404),
        (Method::GET, "/v1/models", 404),
        (Method::GET, "/", 404),
        (Method::PUT, "/v1/batches", 405),
        (Method::GET, "/v1/files?limit=1&limit=2", 400),
    ] {
        let (found, error) = send(method.clone(), path, json!({})).await;
        assert_eq!(found, status, "{method} {path}: {error}");
    }
    for (path, param, expected) in [
        ("/v1/batches?limit=101", "limit", "'101': expected a number from 1 to 100"),
        ("/v1/batches?limit=abc", "limit", "'abc': expected a number from 1 to 100"),
        ("/v1/files?limit=", "limit", "'': expected a number from 1 to 10000"),
        ("/v1/files?order=up", "order", "'asc' or 'desc'"),
        ("/v1/files?after=", "after", "'': expected the id"),
        ("/v1/files?after=batch_0", "after", "'file-…'"),
        ("/v1/batches?after=x", "after", "'batch_…'"),
    ] {
        let (status, error) = send(Method::GET, path, json!({})).await;
        assert_eq!((status, &error["param"]), (400, &json!(param)), "{path}: {error}");
        assert!(error["message"].as_str().unwrap().contains(expected), "{path}: {error}");
    }
}

#[tokio::test]
async fn members_and_fields_that_are_given_twice_or_are_too_many_are_refused() {
    let world = World::new().await;
    let served = world.serve().await;
    let file = served.upload(request("a")).await.id.unwrap();
    let twice = format!(
        r#"{{"input_file_id":"{file}","endpoint":"{CHAT}","completion_window":"24h","endpoint":"x"}}"#
    );
    let sent = Client::new().post(served.url("/v1/batches")).body(twice).send();
    let (status, refused) = error(sent.await.unwrap()).await;
    assert_eq!(status, 400);
    assert!(refused["message"].as_str().unwrap().contains("duplicate field `endpoint`"));
    let field =
        |name| format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\nbatch\r\n");
    let many = (0..17).map(|it| field(it.to_string())).collect::<String>();
    for (form, expected) in [
        (field("purpose".to_owned()).repeat(2), "'purpose' more than once"),
        (many, "more than 16 fields"),
    ] {
        let sent = Client::new()
            .post(served.url("/v1/files"))
            .header("content-type", "multipart/form-data; boundary=b")
            .body(format!("{form}--b--\r\n"))
            .send();
        let (status, refused) = error(sent.await.unwrap()).await;
        assert_eq!(status, 400);
        assert!(refused["message"].as_str().unwrap().contains(expected), "{refused}");
    }
}

#[tokio::test]
async fn every_error_has_the_same_shape() {
    let world = World::new().await;
    let served = world.serve().await;
    let http = Client::new();
    let ids = ["%ff", "%00", "%c3%28", "..", "%2e%2e", "%2F", "a%20b", "🦀", "file-", "batch_%ff"];
    let suffixes =
        ["", "/content", "/cancel", "/cancel/", "/%ff", "?%ff", "?limit=%ff", "?after=%ff"];
    let methods = [Method::GET, Method::POST, Method::DELETE, Method::PUT, Method::OPTIONS];
    let mut errors = 0;
    for collection in ["/v1/files", "/v1/batches", "/v1", "/%ff"] {
        for suffix in suffixes {
            for id in ids {
                for method in &methods {
                    let path = format!("{collection}/{id}{suffix}");
                    let request = http.request(method.clone(), served.url(&path));
                    let response = request.body("x").send().await.unwrap();
                    if !response.status().is_success() {
                        error(response).await;
                        errors += 1;
                    }
                }
            }
        }
    }
    assert!(errors > 1_500, "{errors}");
}

#[tokio::test]
async fn a_batch_that_has_ended_cannot_be_cancelled() {
    let world = World::new().await;
    let served = world.serve().await;
    for content in [request("a"), "x".to_owned()] {
        let id = served.submit(content).await.id.unwrap();
        let batch = served.until_ended(&id).await;
        let sent = Client::new().post(served.url(&format!("/v1/batches/{id}/cancel"))).send();
        let response = sent.await.unwrap();
        // Clients retry a conflict otherwise.
        assert_eq!(response.headers()["x-should-retry"], "false");
        assert_eq!(error(response).await.0, 409);
        assert_eq!(served.read(&id).await.status, batch.status);
    }
}

#[tokio::test]
async fn a_rejected_key_gets_401() {
    let world = World::new().await;
    let served = Served::start(world.builder().keys(keys()), ALICE).await;
    for authorization in
        [None, Some("Bearer wrong"), Some("Bearer "), Some(ALICE), Some("Basic a2V5")]
    {
        for path in ["/v1/files", "/v1/batches/batch_0", "/nothing"] {
            let mut request = Client::new().get(served.url(path));
            if let Some(authorization) = authorization {
                request = request.header("authorization", authorization);
            }
            let (status, error) = error(request.send().await.unwrap()).await;
            assert_eq!((status, &error["code"]), (401, &json!("invalid_api_key")));
        }
    }
}

#[tokio::test]
async fn a_key_sees_its_own_files_and_batches_only() {
    let world = World::new().await;
    let served = Served::start(world.builder().keys(keys()), ALICE).await;
    let bob = api(&served.server, "key-of-bob");
    let batch = served.submit(request("a")).await;
    let (id, file) = (batch.id.unwrap(), batch.input_file_id.unwrap());
    let batch = served.until_ended(&id).await;
    assert_eq!(batch.status, Some(BatchStatus::Completed));
    let output = batch.output_file_id.unwrap();
    for file in [&file, &output] {
        assert_eq!(bob.retrieve_file(file).await.unwrap_err().status(), Some(404));
        assert_eq!(bob.download_file(file).await.unwrap_err().status(), Some(404));
        assert_eq!(bob.delete_file(file).await.unwrap_err().status(), Some(404));
    }
    assert_eq!(bob.retrieve_batch(&id).await.unwrap_err().status(), Some(404));
    assert_eq!(bob.cancel_batch(&id).await.unwrap_err().status(), Some(404));
    assert_eq!(bob.list_files().await.unwrap().data.len(), 0);
    assert_eq!(bob.list_batches().await.unwrap().data.len(), 0);
    upload(&bob, request("b")).await;
    assert_eq!(served.api.list_files().await.unwrap().data.len(), 2);
    assert_eq!(bob.list_files().await.unwrap().data.len(), 1);
}

#[tokio::test]
async fn batches_are_listed_by_pages() {
    let world = World::new().await;
    let served = world.serve().await;
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(served.submit(request(&n.to_string())).await.id.unwrap());
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    ids.reverse();
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let mut list = served.api.list_batches().limit(2);
        if let Some(after) = after {
            list = list.after(after);
        }
        let page = list.await.unwrap();
        assert_eq!(page.first_id, page.data.first().and_then(|it| it.id.clone()));
        after = page.last_id;
        found.extend(page.data.into_iter().map(|it| it.id.unwrap()));
        if page.has_more != Some(true) {
            break;
        }
    }
    assert_eq!(found, ids);
}

#[tokio::test]
async fn a_server_without_keys_serves_its_own_machine_only() {
    let world = World::new().await;
    let error = world.builder().listen(([0, 0, 0, 0], 0)).start().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings);
    assert!(error.to_string().contains("keys"), "{error}");
    let served = world.serve().await;
    for (name, value) in [("host", "evil.example"), ("origin", "http://evil.example")] {
        let sent = Client::new().get(served.url("/v1/files")).header(name, value).send();
        assert_eq!(sent.await.unwrap().status(), 403, "{name}");
    }
    let sent = Client::new().get(served.url("/v1/files")).header("host", "localhost:8080").send();
    assert_eq!(sent.await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_folder_has_one_server() {
    let world = World::new().await;
    let _served = world.serve().await;
    let error = world.builder().start().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InUse);
    let error = Server::builder(world.path()).start().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Settings, "without an endpoint");
}
