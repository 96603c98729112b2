//! The control plane: what a Rust program does through [`LocalService`](crate::LocalService),
//! over HTTP for all others. It has a path of its own, and is there only when asked for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::app::App;
use crate::clock::milliseconds;
use crate::faults::Fault;
use crate::http::{Refusal, authenticate, read_body, require_json};
use crate::operation::Operation;

/// Where the control plane is.
pub(crate) const PREFIX: &str = "/_local";

const NO_SUCH_DESCRIPTION: &str = "no such description: there are queue.yaml and rest.yaml";
const MAX_BODY: usize = 10 * 1024 * 1024;

pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
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
        Err(refusal) => refusal.into_response(),
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
) -> Result<Json<Value>, Refusal> {
    let known = job_id.is_ok_and(|Path(job_id)| app.redeliver_webhook(&job_id));
    if known {
        Ok(Json(json!({})))
    } else {
        Err(Refusal::not_found("no job of this id has ended and has a webhook"))
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

async fn advance(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Refusal> {
    let Advance { ms } = parsed(request).await?;
    app.clock.advance(Duration::from_millis(ms));
    Ok(clock(State(app)).await)
}

/// A fault as JSON: whom it hits, and at most one effect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FaultRule {
    operation: Option<Operation>,
    endpoint: Option<String>,
    times: Option<u64>,
    probability: Option<f64>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    delay_ms: u64,
    processed: Option<bool>,
    answer: Option<Answer>,
    reset: Option<Reset>,
    down: Option<Down>,
    truncate: Option<usize>,
    drip: Option<Drip>,
    cut: Option<usize>,
    #[serde(default)]
    stall: bool,
    rewrite: Option<Rewrite>,
    again: Option<Again>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rewrite {
    Foreign,
    Nan,
    ByteOrderMark,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Again {
    AtOnce,
    BeforeTheNext,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Reset {
    #[serde(default)]
    after_bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Down {
    ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Drip {
    bytes: usize,
    pause_ms: u64,
}

impl Answer {
    fn into_fault(self) -> Result<Fault, Refusal> {
        // A final status is what a server can answer.
        if !(200..=999).contains(&self.status) {
            return Err(Refusal::bad_request("answer.status must be from 200 to 999"));
        }
        let length = self.body.len().to_string();
        let mut fault = Fault::answer(self.status, self.body);
        for (name, value) in &self.headers {
            if name.parse::<HeaderName>().is_err() || value.parse::<HeaderValue>().is_err() {
                let message = format!("answer.headers: HTTP does not allow {name:?} as it is");
                return Err(Refusal::bad_request(message));
            }
            if name.eq_ignore_ascii_case("content-length") && *value != length {
                let message =
                    "answer.headers: content-length is not that of the body: cut is for that";
                return Err(Refusal::bad_request(message));
            }
            fault = fault.header(name, value);
        }
        Ok(fault)
    }
}

impl FaultRule {
    fn into_fault(self) -> Result<Fault, Refusal> {
        let delay = Duration::from_millis(self.delay_ms);
        let effects = [
            self.answer.map(Answer::into_fault).transpose()?,
            self.reset.map(|Reset { after_bytes }| match after_bytes {
                0 => Fault::reset(),
                bytes => Fault::reset_after(bytes),
            }),
            self.down.map(|Down { ms }| Fault::down(Duration::from_millis(ms))),
            self.truncate.map(Fault::truncated),
            self.drip.map(|Drip { bytes, pause_ms }| {
                Fault::drip(bytes, Duration::from_millis(pause_ms))
            }),
            self.cut.map(Fault::cut),
            self.stall.then(Fault::stall),
            self.rewrite.map(|rewrite| match rewrite {
                Rewrite::Foreign => Fault::foreign(),
                Rewrite::Nan => Fault::nan(),
                Rewrite::ByteOrderMark => Fault::byte_order_mark(),
            }),
            self.again.map(|again| match again {
                Again::AtOnce => Fault::duplicated(),
                Again::BeforeTheNext => Fault::out_of_step(),
            }),
        ];
        let mut effects = effects.into_iter().flatten();
        let effect = effects.next();
        if effects.next().is_some() {
            return Err(Refusal::bad_request(
                "a fault has at most one of answer, reset, down, truncate, drip, cut, stall, \
                 rewrite and again",
            ));
        }
        let mut fault = effect.unwrap_or_else(|| Fault::delay(Duration::ZERO)).after(delay);
        if let Some(operation) = self.operation {
            fault = fault.on(operation);
        }
        if let Some(endpoint) = self.endpoint {
            fault = fault.endpoint(endpoint);
        }
        fault = match (self.times, self.probability) {
            (None, None) => fault,
            (Some(times), None) => fault.times(times),
            (None, Some(probability)) if (0.0..=1.0).contains(&probability) => {
                fault.probability(probability, self.seed)
            }
            (None, Some(_)) => {
                return Err(Refusal::bad_request("probability must be from 0 to 1"));
            }
            (Some(_), Some(_)) => {
                return Err(Refusal::bad_request("a fault has times or probability, not both"));
            }
        };
        Ok(if self.processed == Some(true) { fault.processed() } else { fault })
    }
}

async fn add_fault(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Refusal> {
    let rule: FaultRule = parsed(request).await?;
    app.faults.add(rule.into_fault()?);
    Ok(Json(json!({})))
}

async fn clear_faults(State(app): State<Arc<App>>) -> Json<Value> {
    app.faults.clear();
    Json(json!({}))
}

async fn add_pod(State(app): State<Arc<App>>, request: Request) -> Result<Json<Value>, Refusal> {
    let pod = parsed(request).await?;
    app.catalog.add_pod(pod).map_err(Refusal::bad_request)?;
    Ok(Json(json!({})))
}

async fn remove_pod(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, Refusal> {
    let known = id.is_ok_and(|Path(id)| app.catalog.remove_pod(&id));
    if known { Ok(Json(json!({}))) } else { Err(Refusal::not_found("no such Pod")) }
}

async fn add_template(
    State(app): State<Arc<App>>,
    request: Request,
) -> Result<Json<Value>, Refusal> {
    let template = parsed(request).await?;
    app.catalog.add_template(template).map_err(Refusal::bad_request)?;
    Ok(Json(json!({})))
}

/// Descriptions are published for everybody.
async fn description(
    State(app): State<Arc<App>>,
    name: Result<Path<String>, PathRejection>,
) -> Result<Response, Refusal> {
    let text = name.ok().and_then(|Path(name)| app.descriptions.named(&name));
    let text = text.ok_or_else(|| Refusal::not_found(NO_SUCH_DESCRIPTION))?;
    Ok(([(CONTENT_TYPE, "application/yaml")], text).into_response())
}

async fn set_rest_description(
    State(app): State<Arc<App>>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Json<Value>, Refusal> {
    if name.is_ok_and(|Path(name)| name == "rest.yaml") {
        let text = String::from_utf8(body(request).await?.into())
            .map_err(|_| Refusal::bad_request("a description is text in UTF-8"))?;
        app.descriptions.set_rest(text);
        Ok(Json(json!({})))
    } else {
        Err(Refusal::not_found("only rest.yaml can be replaced"))
    }
}

async fn body(request: Request) -> Result<Bytes, Refusal> {
    read_body(request.into_body(), MAX_BODY).await
}

async fn parsed<T: DeserializeOwned>(request: Request) -> Result<T, Refusal> {
    require_json(&request)?;
    serde_json::from_slice(&body(request).await?)
        .map_err(|error| Refusal::bad_request(format!("the body cannot be used: {error}")))
}
