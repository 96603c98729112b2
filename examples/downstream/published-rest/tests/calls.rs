//! Calls of each kind, of a description with many.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

#[path = "../../own-rest/tests/server/mod.rs"]
mod server;

use futures_util::StreamExt;
use podqueue::{Client, ErrorKind, Part};
use published_rest::types::{InvoiceChange, NewOrder, State, StringOrInteger};
use published_rest::{Api, types};
use server::Server;

const JSON: &str = "application/json";

fn api(server: &Server) -> Api {
    Api::new(&Client::builder().api_key("key").rest_url(&server.url).build().unwrap())
}

#[test]
fn there_are_as_many_operations_as_a_service_has() {
    let code = include_str!(concat!(env!("OUT_DIR"), "/podqueue_rest_shop.rs"));
    let calls = code.matches("IntoFuture for").count();
    assert_eq!(calls, 220);
    assert!(!code.starts_with("// left out"));
}

#[tokio::test]
async fn lists_are_pages_and_filters_are_joined() {
    let server = Server::start(&[(
        200,
        JSON,
        r#"{"next": "p2", "total": 3, "data": [{
            "id": "o1", "state": "lost", "owner": {"title": "Ltd", "parent": {"title": "Group"}},
            "parcel": {"id": "p1"}, "lines": [{"sku": "s", "count": "2"}, null], "reference": 7
        }]}"#,
    )])
    .await;
    let list = api(&server).list_orders().state([State::Open, State::Held]).limit(10);
    let page = list.sort("-created").created_gte("2026-01-01").await.unwrap();
    assert_eq!((page.next.as_deref(), page.total), (Some("p2"), Some(3)));
    let order = &page.data[0];
    assert_eq!(order.state, Some(State::Other("lost".to_owned())));
    let owner = order.owner.as_ref().unwrap();
    assert_eq!(owner.parent.as_ref().unwrap().title.as_deref(), Some("Group"));
    let Some(types::StringOrParcel::Parcel(parcel)) = &order.parcel else { panic!("{order:?}") };
    assert_eq!(parcel.id.as_deref(), Some("p1"));
    assert_eq!((order.lines.len(), order.lines[0].count), (1, Some(2)));
    assert_eq!(order.reference, Some(StringOrInteger::Integer(7)));
    assert_eq!(
        server.requests()[0].line,
        "GET /api/v7/orders?limit=10&sort=-created&state=open,held&created%5Bgte%5D=2026-01-01"
    );
}

#[tokio::test]
async fn orders_are_created_changed_and_moved() {
    let server = Server::start(&[
        (201, JSON, r#"{"id": "o1", "name": "First"}"#),
        (200, JSON, r#"{"id": "i1"}"#),
        (200, JSON, r#"{"id": "o1", "state": "closed"}"#),
        (204, "", ""),
        (422, JSON, r#"{"title": "no such order"}"#),
    ])
    .await;
    let api = api(&server);
    let owner = types::CompanyOrPerson { title: Some("Ltd".to_owned()), ..Default::default() };
    let new = NewOrder { is_public: Some(true), ..NewOrder::new("First", owner) };
    assert_eq!(api.create_order(new).await.unwrap().id.as_deref(), Some("o1"));
    let change = InvoiceChange { name: Some("Last".to_owned()), ..Default::default() };
    api.update_invoice("i1", change).null("due").x_trace_id("t1").await.unwrap();
    let body = types::MoveOrderBody::new(State::Closed);
    assert_eq!(api.move_order("o1", body).await.unwrap().state, Some(State::Closed));
    api.delete_order("o1").await.unwrap();
    let error = api.get_order("o1").await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::UnexpectedStatus, Some(422)));
    assert!(error.to_string().contains("no such order"), "{error}");

    let told: Vec<_> =
        server.told().into_iter().map(|(line, body)| format!("{line} {body}")).collect();
    assert_eq!(
        told,
        [
            r#"POST /api/v7/orders {"is_public":true,"name":"First","owner":{"title":"Ltd"}}"#,
            r#"PATCH /api/v7/invoices/i1 {"due":null,"name":"Last"}"#,
            "POST /api/v7/orders/o1/state state=closed",
            "DELETE /api/v7/orders/o1 ",
            "GET /api/v7/orders/o1 ",
        ]
    );
    assert!(server.requests()[1].headers.contains("x-trace-id: t1\n"));
}

#[tokio::test]
async fn files_and_events_are_read() {
    let server = Server::start(&[
        (201, JSON, r#"[{"id": "f1", "size": 6}]"#),
        (200, "application/pdf", "a page"),
        (
            200,
            "text/event-stream",
            "data: {\"kind\": \"changed\", \"order\": {\"id\": \"o1\"}}\n\n",
        ),
    ])
    .await;
    let api = api(&server);
    let files = [Part::file("a.txt", "text a"), Part::file("b.txt", "text b")];
    let attached = api.attach_to_order("o1", files).note("two").await.unwrap();
    assert_eq!(attached[0].size, Some(6));
    let sent = &server.requests()[0].body;
    assert_eq!(sent.matches("name=\"files\"; filename=").count(), 2, "{sent}");
    assert!(sent.contains("name=\"note\"\r\n\r\ntwo\r\n"), "{sent}");

    assert_eq!(&api.print_order("o1").await.unwrap()[..], b"a page");
    let mut events = api.watch_order("o1").await.unwrap();
    let event: types::OrderEvent = events.next().await.unwrap().unwrap();
    assert_eq!(event.kind, Some(types::AccountEventKind::Changed));
    assert_eq!(event.order.unwrap().id.as_deref(), Some("o1"));
    assert!(events.next().await.is_none());
}
