//! The control plane: what a Rust program does through [`LocalService`](crate::LocalService),
//! over HTTP for all others. It has a separate path, and is opt-in.

mod fault;
mod workers;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use self::fault::FaultRule;
use super::app::App;
use super::keys::authenticate;
use crate::clock::milliseconds;
use crate::http::{ErrorResponse, read_body, require_json};
use crate::operation::Operation;

/// Where the control plane is.
pub(super) const PREFIX: &str = "/_local";

const NO_SUCH_DESCRIPTION: &str =
    "no such description: available are queue.yaml, workers.yaml and rest.yaml";
const MAX_BODY: usize = 10 * 1024 * 1024;

pub(super) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    let routes = Router::new()
        .route("/requests", get(requests))
        .route("/webhooks", get(webhooks))
        .route("/webhooks/{job_id}/redeliver", post(redeliver))
        .route("/clock", get(clock))
        .route("/clock/advance", post(advance))
        .route("/faults", post(add_fault).delete(clear_faults))
        .route("/pods", post(add_pod))
        .route("/pods/{id}", axum::routing::delete(remove_pod))
        .route("/templates", post(add_template))
        .nest("/endpoints/{name}", workers::routes())
        .route_layer(from_fn_with_state(app.clone(), enter));
    let published = get(description)
        .merge(put(set_rest_description).route_layer(from_fn_with_state(app.clone(), enter)));
    Router::new().nest(PREFIX, routes.route("/openapi/{name}", published))
}

/// A key of the service opens the control plane, sent as for the queue; one with permission for
/// some operations only, if [`Operation::Control`] is among them.
async fn enter(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    match authenticate(&app.keys, Operation::Control, &request) {
        Ok(_) => next.run(request).await,
        Err(refused) => refused.into_response(),
    }
}

async fn requests(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!(app.requests.all()))
}

async fn webhooks(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!(app.webhooks.log()))
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
    ms: u64,
}

async fn advance(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    let Advance { ms } = parsed(request).await?;
    app.clock.advance(Duration::from_millis(ms));
    Ok(clock(State(app)).await)
}

async fn add_fault(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    let rule: FaultRule = parsed(request).await?;
    app.faults.add(rule.into_fault()?);
    Ok(Json(json!({})))
}

async fn clear_faults(State(app): State<Arc<App>>) -> Json<Value> {
    app.faults.clear();
    Json(json!({}))
}

async fn add_pod(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    let pod = parsed(request).await?;
    app.catalog.add_pod(pod)?;
    Ok(Json(json!({})))
}

async fn remove_pod(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, ErrorResponse> {
    let known = id.is_ok_and(|Path(id)| app.catalog.remove_pod(&id));
    if known { Ok(Json(json!({}))) } else { Err(ErrorResponse::not_found("no such Pod")) }
}

async fn add_template(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    let template = parsed(request).await?;
    app.catalog.add_template(template)?;
    Ok(Json(json!({})))
}

/// Descriptions are published for everybody.
async fn description(
    State(app): State<Arc<App>>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Response, ErrorResponse> {
    let text = name.ok().and_then(|Path(name)| app.descriptions.named(&name));
    let text = text.ok_or_else(|| ErrorResponse::not_found(NO_SUCH_DESCRIPTION))?;
    Ok(([(CONTENT_TYPE, "application/yaml")], text).into_response())
}

async fn set_rest_description(
    State(app): State<Arc<App>>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    if name.is_ok_and(|Path(name)| name == "rest.yaml") {
        let text = String::from_utf8(body(request).await?.into())
            .map_err(|_| ErrorResponse::bad_request("a description must be valid UTF-8"))?;
        app.descriptions.set_rest(text);
        Ok(Json(json!({})))
    } else {
        Err(ErrorResponse::not_found("only rest.yaml can be replaced"))
    }
}

async fn body(request: Request) -> Result<Bytes, ErrorResponse> {
    Ok(read_body(request.into_body(), MAX_BODY).await?)
}

async fn parsed<T: DeserializeOwned>(request: Request) -> Result<T, ErrorResponse> {
    require_json(&request)?;
    serde_json::from_slice(&body(request).await?)
        .map_err(|error| ErrorResponse::bad_request(format!("invalid body: {error}")))
}
