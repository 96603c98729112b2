//! Generated calls without podqueue's client: typed values, retries and errors over HTTP, and a
//! dependency tree without it.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::extract::Query;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Json, Router};
use futures_util::TryStreamExt;
use podqueue_runtime::{Authorization, ErrorKind, Service};
use runtime_alone::shop::Api;
use runtime_alone::shop::types::{ListPetsError, Pet, PetKind, Problem};
use serde_json::{Value, json};

/// A shop that fails at the first request of each kind, and the number of requests so far.
async fn start() -> (String, Arc<AtomicU32>) {
    let requests = Arc::new(AtomicU32::new(0));
    let (of_list, of_add) = (Arc::clone(&requests), Arc::clone(&requests));
    let list = move |headers: HeaderMap, Query(query): Query<Value>| async move {
        if of_list.fetch_add(1, Ordering::SeqCst) == 0 {
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        if headers["authorization"] != "Bearer the-key" {
            let problem = json!({"title": "Unauthorized", "detail": "this key knows no shop"});
            return (StatusCode::UNAUTHORIZED, Json(problem)).into_response();
        }
        match query["offset"].as_str() {
            None => assert_eq!(query, json!({"limit": "50"})),
            Some("2") => return Json(json!([{"name": "Cy"}])).into_response(),
            Some(_) => return Json(json!([])).into_response(),
        }
        Json(json!([{"id": 7, "name": "Ada", "kind": "cat"}, {"name": "Bo", "kind": "axolotl"}]))
            .into_response()
    };
    let add = move || async move {
        of_add.fetch_add(1, Ordering::SeqCst);
        (StatusCode::BAD_GATEWAY, "no upstream for the-key")
    };
    let app = Router::new().route("/v1/pets", get(list).post(add));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    (url, requests)
}

fn api(url: &str, key: &str) -> Api {
    let service = Service::builder(url).authorization(Authorization::bearer(key)).build().unwrap();
    Api::new(&service)
}

#[tokio::test]
async fn a_read_is_retried_and_typed() {
    let (url, requests) = start().await;
    let pets: Vec<Pet> = api(&url, "the-key").list_pets().limit(50).await.unwrap();
    assert_eq!(requests.load(Ordering::SeqCst), 2);
    assert_eq!((pets[0].id, pets[0].kind.clone()), (Some(7), Some(PetKind::Cat)));
    assert_eq!(pets[1].kind, Some(PetKind::Other("axolotl".to_owned())));
}

#[tokio::test]
async fn all_pages_are_read() {
    let (url, requests) = start().await;
    let shop = api(&url, "the-key");
    let pets: Vec<Pet> = shop.list_pets().limit(50).items().try_collect().await.unwrap();
    let names: Vec<_> = pets.iter().map(|it| it.name.as_deref().unwrap()).collect();
    assert_eq!(names, ["Ada", "Bo", "Cy"]);
    assert_eq!(requests.load(Ordering::SeqCst), 4, "three pages, and a retry");
}

#[tokio::test]
async fn a_creation_with_an_unknown_outcome_is_not_retried_and_shows_no_key() {
    let (url, requests) = start().await;
    let error = api(&url, "the-key").add_pet(Pet::new("Ada")).await.unwrap_err();
    let error: podqueue_runtime::Error = error;
    assert_eq!((error.kind(), error.status()), (ErrorKind::OutcomeUnknown, Some(502)));
    assert_eq!(requests.load(Ordering::SeqCst), 1);
    let shown = format!("{error} {error:?} {}", error.body().unwrap());
    assert!(shown.contains("no upstream") && !shown.contains("the-key"), "{shown}");
}

#[tokio::test]
async fn a_refusal_is_an_error_of_its_kind() {
    let (url, _) = start().await;
    let error = api(&url, "another").list_pets().limit(50).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized);
    let problem: Problem = error.decode().unwrap();
    assert_eq!(problem.title.as_deref(), Some("Unauthorized"));
    let same: ListPetsError = error.decode().unwrap();
    assert_eq!(same, problem);
    assert!(error.to_string().ends_with("this key knows no shop"), "{error}");
}

/// The crate uses podqueue-runtime, and nothing of podqueue's client.
#[test]
fn the_client_is_no_dependency() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--offline", "--prefix", "none", "--edges", "normal,build"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    assert!(tree.contains("podqueue-runtime v"), "{tree}");
    assert!(!tree.lines().any(|line| line.starts_with("podqueue v")), "{tree}");
}
