//! OpenAPI descriptions that the service publishes.

use std::path::Path;

use podqueue_local::Builder;
use reqwest::{Method, StatusCode};

use crate::support::{Service, assert_refused};

/// Reads a description without a key.
async fn published(service: &Service, name: &str) -> String {
    let url = format!("{}/_local/openapi/{name}", service.local.base_url());
    let reply = service.http.get(url).send().await.unwrap();
    assert_eq!(reply.status(), StatusCode::OK);
    assert_eq!(reply.headers()["content-type"], "application/yaml");
    reply.text().await.unwrap()
}

fn file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[tokio::test]
async fn descriptions_are_the_files_of_this_crate_and_of_the_repository() {
    let service = Service::still(Builder::control_plane).await;
    for name in ["queue.yaml", "workers.yaml"] {
        assert_eq!(published(&service, name).await, file(&format!("openapi/{name}")));
    }
    assert!(
        published(&service, "rest.yaml").await == file("../../openapi/podqueue.yaml"),
        "copy openapi/podqueue.yaml to crates/local/openapi/rest.yaml, and see to it that the \
         service follows it"
    );
    assert!(
        published(&service, "account.yaml").await == file("../../openapi/account.yaml"),
        "copy openapi/account.yaml to crates/local/openapi, and see to it that the service follows it"
    );
}

#[tokio::test]
async fn another_rest_description_can_be_published() {
    let service = Service::still(Builder::control_plane).await;
    let path = "/_local/openapi/rest.yaml";
    let answer = service.send(Method::PUT, path, b"openapi: 3.0.3".to_vec()).await;
    assert_eq!(answer.0, 200);
    assert_eq!(published(&service, "rest.yaml").await, "openapi: 3.0.3");
    service.local.set_rest_description("openapi: 3.1.0");
    assert_eq!(published(&service, "rest.yaml").await, "openapi: 3.1.0");
    let answer = service.send(Method::PUT, path, vec![0xff]).await;
    assert_refused(&answer, StatusCode::BAD_REQUEST, "UTF-8");
    // It wants a key, and there is no other to be replaced.
    let request = service.http.put(format!("{}{path}", service.local.base_url())).body("a");
    assert_refused(&crate::support::answer(request).await, StatusCode::UNAUTHORIZED, "API key");
    let answer = service.send(Method::PUT, "/_local/openapi/queue.yaml", b"a".to_vec()).await;
    assert_refused(&answer, StatusCode::NOT_FOUND, "only rest.yaml");
    let answer = service.get("/_local/openapi/other.yaml").await;
    assert_refused(&answer, StatusCode::NOT_FOUND, "no such description");
}

#[tokio::test]
async fn without_a_control_plane_no_description_is_published() {
    let service = Service::still(|builder| builder).await;
    let answer = service.get("/_local/openapi/rest.yaml").await;
    assert_refused(&answer, StatusCode::NOT_FOUND, "no operation");
}
