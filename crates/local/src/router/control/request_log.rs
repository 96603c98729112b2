//! Route of the request log.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::Uri;
use serde_json::{Value, json};

use crate::clock::milliseconds;
use crate::http::{ErrorResponse, QueryParameters, RequestEntry, decoded};
use crate::operation::Operation;
use crate::router::app::App;
use crate::router::queue::Route;

/// All requests in the order of their arrival; with a query, a window of those that match, the
/// newest first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    uri: Uri,
) -> Result<Json<Value>, ErrorResponse> {
    if uri.query().is_none() {
        return Ok(Json(json!(app.requests.records())));
    }
    let query = QueryParameters::of(&uri);
    let search = query.get("search").unwrap_or_default().to_ascii_lowercase();
    let status = query.get("status").unwrap_or_default();
    let job = query.get("job");
    let naming = job.map(|job| app.requests.responses_naming(job)).unwrap_or_default();
    let is_about = |entry: &RequestEntry| {
        job.is_none_or(|job| entry.path().contains(job) || naming.contains(&entry.number))
    };
    let matches = |entry: &RequestEntry| {
        let has_status = || entry.status.is_some_and(|known| known.to_string().starts_with(status));
        let text = || format!("{} {}", entry.method, entry.target()).to_ascii_lowercase();
        is_about(entry)
            && (status.is_empty() || has_status())
            && (search.is_empty() || text().contains(&search))
    };
    let entries = app.requests.newest_first().into_iter().filter(matches);
    let (total, entries) = query.window()?.of(entries);
    let requests: Vec<Value> = entries.iter().map(request).collect();
    Ok(Json(json!({ "total": total, "requests": requests })))
}

/// A request of the window, with its bodies, where they are kept.
pub(super) async fn details(
    State(app): State<Arc<App>>,
    number: Result<Path<u64>, PathRejection>,
) -> Result<Json<Value>, ErrorResponse> {
    let none = || ErrorResponse::not_found("no such request: it is unknown, or no longer kept");
    let Ok(Path(number)) = number else { return Err(none()) };
    let entries = app.requests.newest_first();
    let entry = entries.iter().find(|entry| entry.number == number).ok_or_else(none)?;
    let mut details = request(entry);
    if let Some(bodies) = app.requests.bodies(number) {
        details["sent"] = bodies.sent.view();
        details["received"] = bodies.received.view();
    }
    Ok(Json(details))
}

fn request(entry: &RequestEntry) -> Value {
    let (operation, endpoint) = operation_and_endpoint(entry.path());
    json!({
        "number": entry.number,
        "method": entry.method.as_str(),
        "path": entry.path(),
        "query": entry.query(),
        "status": entry.status,
        "atMs": milliseconds(entry.at),
        "wallMs": entry.wall_ms,
        "tookMs": entry.took.map(|took| took.as_secs_f64() * 1000.0),
        "endpoint": endpoint,
        "operation": operation,
        "note": note(entry),
    })
}

/// The operation and the endpoint of a path.
fn operation_and_endpoint(path: &str) -> (Option<Operation>, Option<String>) {
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

/// The reason of a response that did not come from the operation.
fn note(entry: &RequestEntry) -> Option<&'static str> {
    match entry.status {
        _ if entry.is_faulted => Some("fault"),
        Some(429) => Some("limited"),
        Some(401) => Some("unauthorized"),
        _ if !entry.is_authenticated => Some("unauthorized"),
        _ => None,
    }
}
