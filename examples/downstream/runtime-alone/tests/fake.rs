//! `Api::fake()`: the same typed calls against a fake of the described service.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

use std::time::Duration;

use futures_util::TryStreamExt;
use podqueue_fake::Fault;
use podqueue_runtime::{ErrorKind, Service};
use runtime_alone::shop;
use runtime_alone::shop::types::{Pet, PetKind};
use serde_json::json;

#[tokio::test]
async fn the_same_request_of_the_same_seed_gets_the_same_valid_value() {
    let shop = shop::Api::fake();
    let pets = shop.list_pets().limit(50).await.unwrap();
    assert_eq!(shop.list_pets().limit(50).await.unwrap(), pets);
    assert_eq!(shop::Api::fake().list_pets().limit(50).await.unwrap(), pets);
    assert!(pets.iter().all(|pet| !matches!(pet.kind, Some(PetKind::Other(_)))));

    let mut all = Vec::new();
    for seed in 0..20 {
        shop.fake.set_seed(seed);
        let pets = shop.list_pets().limit(50).await.unwrap();
        assert!(pets.iter().all(|pet| pet.name.is_some()));
        if !all.contains(&pets) {
            all.push(pets);
        }
    }
    assert!(all.len() > 5, "{all:?}");
}

#[tokio::test]
async fn a_response_is_set_by_a_test_and_checked_against_the_description() {
    let shop = shop::Api::fake();
    shop.fake.respond("listPets", json!([{ "name": "Ada", "kind": "cat" }])).unwrap();
    let pets = shop.list_pets().await.unwrap();
    assert_eq!((pets[0].name.as_deref(), &pets[0].kind), (Some("Ada"), &Some(PetKind::Cat)));

    let refused = shop.fake.respond("GET /pets", json!([{ "kind": "cat" }])).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the response of GET /pets: `0`: \"name\" is a required property"
    );
    let refused = shop.fake.respond("listCats", json!([])).unwrap_err().to_string();
    assert_eq!(
        refused,
        "the description has no operation `listCats`; it has GET /pets, POST /pets"
    );
}

#[tokio::test]
async fn an_invalid_request_is_refused_with_the_field() {
    let shop = shop::Api::fake();
    let url = shop.fake.url();
    let http = reqwest::Client::new();
    let get = |path: &str| http.get(format!("{url}{path}")).send();
    let said =
        |it: reqwest::Response| async move { (it.status().as_u16(), it.text().await.unwrap()) };
    assert_eq!(get("/v1/pets?limit=7").await.unwrap().status(), 200);
    assert_eq!(
        said(get("/pets?limit=many").await.unwrap()).await,
        (
            400,
            r#"{"error":"the query parameter `limit`: value is not of type \"integer\""}"#.into()
        )
    );
    assert_eq!(
        said(get("/v1/cats").await.unwrap()).await,
        (404, r#"{"error":"the description has no path that matches /v1/cats"}"#.into())
    );
    let delete = http.delete(format!("{url}/pets")).send().await.unwrap();
    assert_eq!(said(delete).await.0, 405);
    let post = |body: &'static str| {
        let request = http.post(format!("{url}/pets")).body(body);
        request.header("content-type", "application/json").send()
    };
    for (body, expected) in [
        ("", r#"{"error":"the body is required"}"#),
        (r#"{"id": 7}"#, r#"{"error":"the body: \"name\" is a required property"}"#),
        (
            r#"{"name": "Ada", "id": "x"}"#,
            r#"{"error":"the body: `id`: value is not of type \"integer\""}"#,
        ),
    ] {
        assert_eq!(said(post(body).await.unwrap()).await, (400, expected.into()), "{body}");
    }
    assert!(shop.fake.requests().iter().skip(1).all(|it| !it.processed));
}

#[tokio::test]
async fn faults_strike_before_or_after_the_effect_and_requests_are_recorded() {
    let shop = shop::Api::fake();
    shop.fake.add_fault(Fault::response(503, "{}").on("listPets").times(1)).unwrap();
    shop.fake.add_fault(Fault::lost_response().on("POST /pets").times(1)).unwrap();
    // The read is retried.
    shop.list_pets().limit(7).await.unwrap();
    let requests = shop.fake.requests();
    let seen: Vec<_> = requests.iter().map(|it| (it.status, it.processed)).collect();
    assert_eq!(seen, [(Some(503), false), (Some(200), true)]);
    assert_eq!(requests[1].query, "limit=7");
    // The creation may have had its effect, and is not retried.
    let error = shop.add_pet(Pet::new("Ada")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    let last = shop.fake.requests().pop().unwrap();
    assert_eq!(
        (last.operation.as_deref(), last.json()),
        (Some("POST /pets"), json!({"name": "Ada"}))
    );
    assert_eq!((last.status, last.processed), (None, true));
    assert!(shop.fake.add_fault(Fault::reset().on("DELETE /pets")).is_err());

    for fault in [Fault::cut(1), Fault::truncated(1), Fault::malformed()] {
        shop.fake.clear_faults();
        shop.fake.add_fault(fault.clone()).unwrap();
        assert!(shop.add_pet(Pet::new("Ada")).await.is_err(), "{fault:?}");
    }
}

#[tokio::test]
async fn all_pages_can_be_read() {
    let shop = shop::Api::fake();
    for seed in 0..20 {
        shop.fake.set_seed(seed);
        let pets: Vec<Pet> = shop.list_pets().limit(50).items().try_collect().await.unwrap();
        assert!(pets.len() < 10, "{pets:?}");
    }
    assert!(shop.fake.requests().len() <= 40);
}

#[tokio::test]
async fn delays_are_those_of_the_clock() {
    let shop = shop::Api::fake();
    shop.fake.add_fault(Fault::delay(Duration::from_secs(3600))).unwrap();
    let service = Service::builder(shop.fake.url()).build().unwrap();
    let api = shop::Api::new(&service);
    let mut call = tokio::spawn(async move { api.list_pets().await });
    while shop.fake.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(!call.is_finished());
    // The fault may begin to sleep after this.
    loop {
        shop.fake.clock().advance(Duration::from_secs(3600));
        tokio::select! {
            called = &mut call => break called.unwrap().map(drop).unwrap(),
            () = tokio::task::yield_now() => {}
        }
    }
}
