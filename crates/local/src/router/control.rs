//! Control plane `/_local`: the functions of [`LocalService`](crate::LocalService) over HTTP, for
//! the page and for programs in other languages. It is opt-in.
//!
//! `request_log` lists requests, `workers` the workers of an endpoint and their logs, `jobs` its
//! jobs, `scenarios` starts and ends those of faults, and `page_events` notifies the page of changes.

mod jobs;
mod page_events;
mod request_log;
mod scenarios;
mod workers;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::Uri;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::app::App;
use crate::clock::milliseconds;
use crate::faults::FaultJson;
use crate::http::{ErrorResponse, QueryParameters, read_body, read_json};
use crate::operation::Operation;
use crate::rate_limits::LimitUsage;

/// The path of the control plane.
pub(super) const PREFIX: &str = "/_local";

/// The largest description, in bytes.
const MAX_DESCRIPTION: usize = 10 * 1024 * 1024;
const NO_SUCH_DESCRIPTION: &str =
    "no such description: available are queue.yaml, workers.yaml, rest.yaml and account.yaml";

/// The event of the page, as JSON.
#[cfg(feature = "program")]
pub(super) fn state(app: &App) -> Value {
    page_events::state(app)
}

pub(super) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    let routes = Router::new()
        .route("/events", page_events::route())
        .route("/requests", get(request_log::list))
        .route("/requests/{number}", get(request_log::details))
        .route("/webhooks", get(webhooks))
        .route("/webhooks/{job_id}/redeliver", post(redeliver))
        .route("/clock", get(clock))
        .route("/clock/advance", post(advance))
        .route("/limits", get(rate_limits))
        .route("/faults", get(faults).post(add_fault).delete(clear_faults))
        .route("/faults/{id}", delete(remove_fault))
        .route("/pods", post(add_pod))
        .route("/pods/{id}", delete(remove_pod))
        .route("/templates", post(add_template))
        .route("/endpoints", get(endpoints))
        .merge(scenarios::routes())
        .nest("/endpoints/{name}", workers::routes().merge(jobs::routes()))
        .route_layer(from_fn_with_state(app.clone(), authorize));
    let published = get(description)
        .merge(put(set_rest_description).route_layer(from_fn_with_state(app.clone(), authorize)));
    Router::new().nest(PREFIX, routes.route("/openapi/{name}", published))
}

/// Requires a key of the service, sent as for the queue; a restricted key must permit
/// [`Operation::Control`].
pub(super) async fn authorize(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Response {
    match app.keys.authenticate(Operation::Control, &request) {
        Ok(_) => next.run(request).await,
        Err(refused) => refused.into_response(),
    }
}

async fn endpoints(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!(app.overviews()))
}

/// The usage of the rate limits; empty if there are none.
async fn rate_limits(State(app): State<Arc<App>>) -> Json<Value> {
    let Some(limiter) = &app.rate_limiter else { return Json(json!([])) };
    let limit = |LimitUsage { endpoint, operation, used, refused }: LimitUsage| {
        let running = || app.endpoints.get(&endpoint).map_or(0, |it| it.running_workers());
        let (allowed, window) = limiter.allowance(operation, running);
        json!({
            "endpoint": &*endpoint,
            "operation": operation,
            "used": used,
            "allowed": allowed,
            "windowMs": milliseconds(window),
            "refused": refused,
        })
    };
    Json(limiter.usage().into_iter().map(limit).collect())
}

/// All attempts in the order in which they ended; with a query, a window of them, the newest first.
async fn webhooks(State(app): State<Arc<App>>, uri: Uri) -> Result<Json<Value>, ErrorResponse> {
    if uri.query().is_none() {
        return Ok(Json(json!(app.webhooks.log())));
    }
    let (total, attempts) = app.webhooks.window(QueryParameters::of(&uri).window()?);
    Ok(Json(json!({ "total": total, "webhooks": attempts })))
}

async fn redeliver(
    State(app): State<Arc<App>>,
    job_id: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, ErrorResponse> {
    let known = job_id.is_ok_and(|Path(job_id)| app.redeliver_webhook(&job_id));
    if known {
        Ok(Json(json!({})))
    } else {
        Err(ErrorResponse::not_found("no finished job with a webhook has this id"))
    }
}

async fn clock(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!({ "nowMs": milliseconds(app.clock.now()), "manual": app.clock.is_manual() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    ms: Option<u64>,
    #[serde(default, rename = "toNextEvent")]
    to_next_event: bool,
}

async fn advance(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    match read_json(request).await? {
        Advance { ms: Some(ms), to_next_event: false } => {
            app.clock.advance(Duration::from_millis(ms));
        }
        Advance { ms: None, to_next_event: true } => {
            if let Some(next) = app.next_event(&app.overviews()) {
                app.clock.advance(next.saturating_sub(app.clock.now()));
            }
        }
        _ => {
            let message = "expected either ms or toNextEvent, which must be true";
            return Err(ErrorResponse::bad_request(message));
        }
    }
    Ok(clock(State(app)).await)
}

async fn add_fault(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    let json: Value = read_json(request).await?;
    let rule = FaultJson::deserialize(&json)
        .map_err(|error| ErrorResponse::bad_request(format!("invalid body: {error}")))?;
    let id = app.faults.add(rule.into_fault()?, Some(json));
    Ok(Json(json!({ "id": id })))
}

async fn faults(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!(app.faults.list()))
}

async fn remove_fault(
    State(app): State<Arc<App>>,
    id: Result<Path<u64>, PathRejection>,
) -> Result<Json<Value>, ErrorResponse> {
    let known = id.is_ok_and(|Path(id)| app.faults.remove(id));
    if known { Ok(Json(json!({}))) } else { Err(ErrorResponse::not_found("no such fault")) }
}

async fn clear_faults(State(app): State<Arc<App>>) -> Json<Value> {
    app.faults.clear();
    Json(json!({}))
}

async fn add_pod(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    let pod = read_json(request).await?;
    app.account.put_pod(pod)?;
    Ok(Json(json!({})))
}

async fn remove_pod(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, ErrorResponse> {
    let known = id.is_ok_and(|Path(id)| app.account.remove_pod(&id));
    if known { Ok(Json(json!({}))) } else { Err(ErrorResponse::not_found("no such Pod")) }
}

async fn add_template(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    let template = read_json(request).await?;
    app.resources.add_template(template)?;
    Ok(Json(json!({})))
}

/// Returns a description, without a key.
async fn description(
    State(app): State<Arc<App>>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Response, ErrorResponse> {
    let text = name.ok().and_then(|Path(name)| app.openapi.named(&name));
    let text = text.ok_or_else(|| ErrorResponse::not_found(NO_SUCH_DESCRIPTION))?;
    Ok(([(CONTENT_TYPE, "application/yaml")], text).into_response())
}

async fn set_rest_description(
    State(app): State<Arc<App>>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    if name.is_ok_and(|Path(name)| name == "rest.yaml") {
        let text = String::from_utf8(read_body(request.into_body(), MAX_DESCRIPTION).await?.into())
            .map_err(|_| ErrorResponse::bad_request("a description must be valid UTF-8"))?;
        app.openapi.set_rest(text);
        Ok(Json(json!({})))
    } else {
        Err(ErrorResponse::not_found("only rest.yaml can be replaced"))
    }
}
