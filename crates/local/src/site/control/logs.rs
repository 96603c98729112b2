//! What the service has logged: requests and attempts at calling webhooks.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use serde::Serialize;
use serde_json::{Value, json};

use crate::clock::milliseconds;
use crate::http::{Entry, ErrorResponse, QueryParameters, decoded};
use crate::operation::Operation;
use crate::site::app::App;
use crate::site::queue::Route;

/// Something with a number that no other of its kind has.
#[derive(Serialize)]
pub(super) struct Numbered<T> {
    number: u64,
    #[serde(flatten)]
    it: T,
}

impl<T> From<(u64, T)> for Numbered<T> {
    fn from((number, it): (u64, T)) -> Self {
        Self { number, it }
    }
}

/// All requests in the order of their arrival, or with a query those that it asks for, the newest
/// first.
pub(super) async fn requests(
    State(app): State<Arc<App>>,
    uri: Uri,
) -> Result<Json<Value>, ErrorResponse> {
    if uri.query().is_none() {
        return Ok(Json(json!(app.requests.all())));
    }
    let query = QueryParameters::of(&uri);
    let search = query.get("search").unwrap_or_default().to_ascii_lowercase();
    let status = query.get("status").unwrap_or_default();
    let is_wanted = |entry: &Entry| {
        let has_status = || entry.status.is_some_and(|known| known.to_string().starts_with(status));
        let text = || format!("{} {}", entry.method, entry.target()).to_ascii_lowercase();
        (status.is_empty() || has_status()) && (search.is_empty() || text().contains(&search))
    };
    let entries = app.requests.newest().into_iter().filter(is_wanted);
    let (total, entries) = query.window()?.of(entries);
    let requests: Vec<Value> = entries.iter().map(request).collect();
    Ok(Json(json!({ "total": total, "requests": requests })))
}

fn request(entry: &Entry) -> Value {
    let (operation, endpoint) = subject(entry.path());
    json!({
        "number": entry.number,
        "method": entry.method.as_str(),
        "path": entry.path(),
        "query": entry.query(),
        "status": entry.status,
        "atMs": milliseconds(entry.at),
        "endpoint": endpoint,
        "operation": operation,
        "note": note(entry),
    })
}

/// The operation and the endpoint that a path names.
fn subject(path: &str) -> (Option<Operation>, Option<String>) {
    if let Some(route) = Route::of(path) {
        let endpoint = decoded(route.endpoint()).ok().map(Into::into);
        return (Some(route.operation()), endpoint);
    }
    let operation = match path {
        "/graphql" => Some(Operation::GraphQl),
        path if path.starts_with("/v1/pods/") => Some(Operation::GetPod),
        path if path.starts_with("/v1/templates/") => Some(Operation::GetTemplate),
        _ => None,
    };
    (operation, None)
}

/// Why a response is what it is, where that is not the operation's doing.
fn note(entry: &Entry) -> Option<&'static str> {
    match entry.status {
        _ if entry.is_faulted => Some("fault"),
        Some(429) => Some("limited"),
        Some(401) => Some("unauthorized"),
        _ if entry.is_stranger => Some("unauthorized"),
        _ => None,
    }
}

/// All attempts in the order in which they ended, or with a query those in its window, the newest
/// first.
pub(super) async fn webhooks(
    State(app): State<Arc<App>>,
    uri: Uri,
) -> Result<Json<Value>, ErrorResponse> {
    if uri.query().is_none() {
        return Ok(Json(json!(app.webhooks.log())));
    }
    let (total, tries) = app.webhooks.window(QueryParameters::of(&uri).window()?);
    let tries: Vec<_> = tries.into_iter().map(Numbered::from).collect();
    Ok(Json(json!({ "total": total, "webhooks": tries })))
}
