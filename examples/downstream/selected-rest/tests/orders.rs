//! The selected calls against a fake, and what the selection and the dependencies leave out.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

use std::process::Command;

use futures_util::TryStreamExt;
use podqueue_fake::Fault;
use podqueue_runtime::ErrorKind;
use selected_rest::Api;
use selected_rest::types::{Order, OrderChange, Problem};

#[test]
fn only_what_is_selected_is_generated() {
    let code = include_str!(concat!(env!("OUT_DIR"), "/podqueue_rest_shop.rs"));
    assert_eq!(code.matches("IntoFuture for").count(), 4);
    assert!(
        code.contains("pub struct OrderChange {") && !code.contains("pub struct InvoiceChange {")
    );
    let lines = code.lines().count();
    assert!(lines < 6000, "{lines} lines of 4 operations and their types");
}

#[tokio::test]
async fn orders_are_listed_changed_and_read() {
    let shop = Api::fake();
    let page = shop.list_orders().limit(10).await.unwrap();
    let first: Option<Order> = page.data.into_iter().next();
    assert_eq!(shop.list_orders().limit(10).await.unwrap().data.into_iter().next(), first);
    let change = OrderChange { name: Some("First".to_owned()), ..OrderChange::default() };
    shop.update_order("o1", change).await.unwrap();
    shop.get_order("o1").await.unwrap();
    let requests = shop.fake.requests();
    assert_eq!(requests.len(), 4);
}

#[tokio::test]
async fn errors_have_their_body() {
    let shop = Api::fake();
    let fault = Fault::response(404, r#"{"title": "No such order"}"#).on("getOrder");
    shop.fake.add_fault(fault).unwrap();
    let error = shop.get_order("o2").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.decode::<Problem>().unwrap().title.as_deref(), Some("No such order"));
}

#[tokio::test]
async fn events_are_typed() {
    let shop = Api::fake();
    let events = shop.watch_order("o1").await.unwrap();
    let events: Vec<_> = events.try_collect().await.unwrap();
    assert!(events.len() < 100, "{events:?}");
}

/// The crate uses podqueue-runtime, and nothing of podqueue's client.
#[test]
fn the_client_is_no_dependency() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let tree = Command::new(cargo)
        .args(["tree", "--offline", "--prefix", "none", "--edges", "normal"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let tree = String::from_utf8(tree.stdout).unwrap();
    let own = tree.lines().filter(|line| line.starts_with("podqueue"));
    let mut own: Vec<_> = own.filter_map(|line| line.split(' ').next()).collect();
    own.dedup();
    assert_eq!(own, ["podqueue-runtime"], "{tree}");
}
