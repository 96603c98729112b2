//! The paths of the queue interface (interface: "Serverless queue operations").

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{Extension, RawPathParams, Request, State};
use axum::http::Uri;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::endpoint::Endpoint;
use super::health::Health;
use super::job::{Mode, Receipt, Record, Status};
use super::stream::StreamShape;
use super::submission::{Submission, ttl_of, within};
use crate::app::App;
use crate::clock::Moment;
use crate::http::{QueryParameters, Refusal, authenticate, read_body, through};
use crate::operation::Operation;

const MIN_WAIT: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(300);
const DEFAULT_WAIT: Duration = Duration::from_secs(90);

/// What a request is about: its endpoint, and the job or the rest of the path where it has one.
#[derive(Clone)]
struct Call {
    endpoint: Arc<Endpoint>,
    id: String,
}

pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    let route = |operation: Operation, method: MethodRouter<Arc<App>>| {
        method.route_layer(from_fn_with_state((app.clone(), operation), enter))
    };
    Router::new()
        .route("/v2/{endpoint_id}/run", route(Operation::Run, post(run)))
        .route("/v2/{endpoint_id}/runsync", route(Operation::RunSync, post(run_sync)))
        .route("/v2/{endpoint_id}/status/{job_id}", route(Operation::Status, get(status)))
        .route("/v2/{endpoint_id}/stream/{job_id}", route(Operation::Stream, get(stream)))
        .route("/v2/{endpoint_id}/cancel/{job_id}", route(Operation::Cancel, post(cancel)))
        .route("/v2/{endpoint_id}/retry/{job_id}", route(Operation::Retry, post(retry)))
        .route("/v2/{endpoint_id}/purge-queue", route(Operation::PurgeQueue, post(purge_queue)))
        .route("/v2/{endpoint_id}/health", route(Operation::Health, get(health)))
        .route("/v2/{endpoint_id}/openai/{*path}", route(Operation::OpenAi, post(openai)))
        .route("/v2/{endpoint_id}/requests", route(Operation::Requests, get(requests)))
}

async fn enter(
    State((app, operation)): State<(Arc<App>, Operation)>,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let (mut parts, body) = request.into_parts();
    let user = authenticate(&app.keys, operation, &parts)?;
    let params =
        params.map_err(|_| Refusal::not_found("the path does not decode to valid UTF-8"))?;
    let mut params = params.iter().map(|(_, value)| value);
    let endpoint = params
        .next()
        .and_then(|id| app.endpoints.get(id))
        .ok_or_else(|| Refusal::not_found("no such endpoint"))?;
    let _under_way = match &app.limiter {
        Some(limiter) => {
            limiter.admit(user, endpoint.name(), operation, || endpoint.running_workers())?
        }
        None => None,
    };
    let id = params.next().unwrap_or_default().to_owned();
    parts.extensions.insert(Call { endpoint: endpoint.clone(), id });
    let request = Request::from_parts(parts, body);
    let name = endpoint.name().as_ref();
    Ok(through(&app, operation, Some(name), request, |request| next.run(request)).await)
}

async fn run(
    State(app): State<Arc<App>>,
    Extension(call): Extension<Call>,
    request: Request,
) -> Result<Json<Receipt>, Refusal> {
    let body = read_body(request.into_body(), app.max_run_payload).await?;
    let (receipt, ..) = call.endpoint.submit(Submission::parse(&body)?, Mode::Async)?;
    Ok(Json(receipt))
}

async fn run_sync(
    State(app): State<Arc<App>>,
    Extension(call): Extension<Call>,
    uri: Uri,
    request: Request,
) -> Result<Json<Record>, Refusal> {
    let wait = match QueryParameters::of(&uri).get("wait") {
        None => DEFAULT_WAIT,
        Some(wait) => within("wait", wait.parse().ok(), MIN_WAIT, MAX_WAIT)?,
    };
    let body = read_body(request.into_body(), app.max_runsync_payload).await?;
    let submission = Submission::parse(&body)?;
    let (receipt, now, finished) = call.endpoint.submit(submission, Mode::Sync { wait })?;
    let deadline = now.saturating_add(wait);
    outcome(&call.endpoint, &receipt.id, &finished, deadline).await.map(Json)
}

/// The record of a job when it has ended, or as it stands at the deadline.
async fn outcome(
    endpoint: &Arc<Endpoint>,
    id: &str,
    finished: &Notify,
    deadline: Moment,
) -> Result<Record, Refusal> {
    let mut finished = pin!(finished.notified());
    finished.as_mut().enable();
    let record = endpoint.status(id)?;
    if record.status.is_terminal() {
        return Ok(record);
    }
    tokio::select! {
        () = finished => {}
        () = endpoint.clock().sleep_until(deadline) => {}
        () = endpoint.stopping().cancelled() => {
            return Err(Refusal::internal("the service is stopping"));
        }
    }
    endpoint.status(id)
}

async fn status(Extension(call): Extension<Call>, uri: Uri) -> Result<Json<Record>, Refusal> {
    if let Some(ttl) = QueryParameters::of(&uri).get("ttl") {
        call.endpoint.set_ttl(&call.id, ttl_of("ttl", ttl.parse().ok())?)?;
    }
    call.endpoint.status(&call.id).map(Json)
}

async fn stream(
    State(app): State<Arc<App>>,
    Extension(call): Extension<Call>,
) -> Result<Json<Value>, Refusal> {
    let (status, chunks) = call.endpoint.drain(&call.id)?;
    Ok(Json(match app.stream_shape {
        StreamShape::Array => Value::Array(chunks),
        StreamShape::Object => json!({ "status": status, "stream": chunks }),
    }))
}

async fn cancel(Extension(call): Extension<Call>) -> Result<Json<Receipt>, Refusal> {
    call.endpoint.cancel(&call.id).map(Json)
}

async fn retry(Extension(call): Extension<Call>) -> Result<Json<Receipt>, Refusal> {
    call.endpoint.retry(&call.id).map(Json)
}

async fn purge_queue(Extension(call): Extension<Call>) -> Json<Value> {
    Json(json!({ "removed": call.endpoint.purge(), "status": "completed" }))
}

async fn health(Extension(call): Extension<Call>) -> Json<Health> {
    Json(call.endpoint.health())
}

/// What this does is our own reading, the interface names only the path: the body becomes the
/// input of a synchronous job, and what its handler returns is the answer.
async fn openai(
    State(app): State<Arc<App>>,
    Extension(call): Extension<Call>,
    request: Request,
) -> Result<Response, Refusal> {
    let body = read_body(request.into_body(), app.max_runsync_payload).await?;
    let body: Value = serde_json::from_slice(&body)
        .map_err(|error| Refusal::bad_request(format!("the body is not JSON: {error}")))?;
    let input = json!({ "openai_route": format!("/{}", call.id), "openai_input": body });
    let mode = Mode::Sync { wait: DEFAULT_WAIT };
    let (receipt, now, finished) = call.endpoint.submit(Submission::of(input), mode)?;
    let deadline = now.saturating_add(DEFAULT_WAIT);
    let record = outcome(&call.endpoint, &receipt.id, &finished, deadline).await?;
    match (record.status, record.output, record.error) {
        (Status::Completed, output, _) => Ok(Json(output.as_deref()).into_response()),
        (_, _, Some(error)) => Err(Refusal::internal(error.as_ref())),
        _ => Err(Refusal::internal(format!("the job {} gave no output", record.id))),
    }
}

/// Likewise a reading of our own: the records of the endpoint's jobs, the oldest first.
async fn requests(Extension(call): Extension<Call>) -> Json<Vec<Record>> {
    Json(call.endpoint.records())
}
