//! Committed calls against a fake, also of the operations that are at another server.
#![cfg(feature = "client")]
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

use committed_rest::meters::types::{ListMetersError, Reading};
use committed_rest::meters::{Api, types};

#[tokio::test]
async fn the_fake_answers_for_all_servers() {
    let meters = Api::fake();
    let found: Vec<types::Meter> = meters.list_meters("h1").await.unwrap();
    assert_eq!(meters.list_meters("h1").await.unwrap(), found);
    let old: Vec<Reading> = meters.read_archive("m1").await.unwrap();
    assert_eq!(meters.read_archive("m1").await.unwrap(), old);
    let added = meters.add_reading("m1", Reading::new([], 7.5)).await.unwrap();
    assert!(added.value.is_some());
    let requests = meters.fake.requests();
    assert_eq!(requests.len(), 5);
}

#[tokio::test]
async fn errors_are_typed_by_status() {
    let meters = Api::fake();
    let fault = podqueue_fake::Fault::response(404, r#"{"title": "No such house"}"#);
    meters.fake.add_fault(fault.on("listMeters")).unwrap();
    let error = meters.list_meters("h2").await.unwrap_err();
    let body: ListMetersError = error.decode().unwrap();
    let ListMetersError::Status404(problem) = body else { panic!("{body:?}") };
    assert_eq!(problem.title.as_deref(), Some("No such house"));
}
