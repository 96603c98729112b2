//! Account interface over HTTP, below `/account`.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;

use super::app::App;
use super::fault_injection::with_faults;
use crate::account::{self, AccountResponse, Outcome, Problem, events_body};
use crate::http::{
    Connection, ErrorResponse, QueryParameters, decoded, json, read_body, require_json,
};
use crate::operation::Operation;
use crate::retired::RetiredInterface;

/// The path of the interface: the root to which the paths of its description are appended.
pub(super) const PREFIX: &str = "/account";

/// Far more than any object needs.
const MAX_BODY: usize = 10 * 1024 * 1024;

pub(super) fn routes() -> Router<Arc<App>> {
    let all = any(enter);
    Router::new().route(PREFIX, all.clone()).route("/account/{*path}", all)
}

async fn enter(
    State(app): State<Arc<App>>,
    Extension(connection): Extension<Connection>,
    request: Request,
) -> Response {
    let user = match app.keys.authenticate(Operation::Account, &request) {
        Ok(user) => user,
        Err(refused) => return problem(refused.into()),
    };
    let quota = app.quota.as_ref().map(|quota| quota.admit(user));
    let mut response = match quota.as_ref().and_then(|quota| quota.retry_after) {
        Some(seconds) => {
            let detail = format!("the rate limit is exceeded: retry in {seconds} seconds");
            let refused = Problem::new(StatusCode::TOO_MANY_REQUESTS, detail);
            problem(Problem { retry_after: Some(seconds), ..refused })
        }
        None => {
            let process = |request: Request| async {
                process(&app, request).await.map_or_else(problem, respond)
            };
            with_faults(&app, Operation::Account, None, &connection, request, process).await
        }
    };
    if let Some(quota) = quota {
        let headers = response.headers_mut();
        insert(headers, HeaderName::from_static("ratelimit"), &quota.limit);
        insert(headers, HeaderName::from_static("ratelimit-policy"), &quota.policy);
    }
    response
}

async fn process(app: &App, request: Request) -> Outcome {
    let path = request.uri().path().strip_prefix(PREFIX).unwrap_or_default();
    let mut operation = account::Operation::of(request.method(), path)?;
    for id in &mut operation.ids {
        *id = decoded(id)?.into_owned();
    }
    if matches!(request.method().as_str(), "POST" | "PUT" | "PATCH") {
        require_json(&request)?;
    }
    let (parts, body) = request.into_parts();
    let body = read_body(body, MAX_BODY).await.map_err(ErrorResponse::from)?;
    let query = QueryParameters::of(&parts.uri);
    let ids = std::mem::take(&mut operation.ids);
    let request = account::Request { ids, query, headers: parts.headers, body };
    operation.perform(&app.account, &request)
}

/// The response of an interface that is retired; none if it is not.
pub(super) fn retirement(app: &App, interface: RetiredInterface) -> Option<Response> {
    let is_retired = app.retired.contains(&interface);
    is_retired.then(|| problem(Problem::new(StatusCode::GONE, interface.detail())))
}

fn respond(response: AccountResponse) -> Response {
    match response {
        AccountResponse::Json(status, value) => {
            let mut response = json(&value);
            *response.status_mut() = status;
            response
        }
        AccountResponse::Empty => StatusCode::NO_CONTENT.into_response(),
        AccountResponse::Events(events) => {
            let mut response = Response::new(Body::from_stream(events_body(events)));
            let headers = response.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
            response
        }
    }
}

fn problem(problem: Problem) -> Response {
    let mut response = json(&problem.body());
    *response.status_mut() = problem.status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    if let Some(methods) = &problem.allow {
        insert(headers, ALLOW, methods);
    }
    if let Some(seconds) = problem.retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Inserts a header whose value the service has made.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

impl From<ErrorResponse> for Problem {
    fn from(refused: ErrorResponse) -> Self {
        let ErrorResponse { status, message, retry_after } = refused;
        Self { retry_after, ..Self::new(status, message) }
    }
}
