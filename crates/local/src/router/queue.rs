//! Queue over HTTP: `{base_url}/v2/{endpoint_id}/…` (interface: "Serverless queue operations").

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use serde_json::json;

use super::app::App;
use super::fault_injection::with_faults;
use super::worker_protocol;
use crate::error::Refusal;
use crate::http::{Connection, ErrorResponse, QueryParameters, decoded, json, read_body};
use crate::operation::Operation;
use crate::queue::{
    self, Endpoint, Mode, OpenAiResponse, Receipt, Record, StreamShape, Submission, parse_ttl,
    parse_wait,
};
use crate::rate_limits::Permit;

/// The undocumented path on which existing clients wait for a job.
const STATUS_SYNC: &str = "status-sync";

/// The route of a path of the queue: `/v2/{endpoint_id}/{operation}`, and for some operations an id
/// or the rest of a path.
pub(super) struct Route<'a> {
    operation: Operation,
    method: Method,
    /// True if the interface does not document the path, but existing clients use it.
    is_undocumented: bool,
    /// The id of the endpoint, not decoded.
    endpoint: &'a str,
    /// The path after the operation, not decoded.
    id: &'a str,
}

impl<'a> Route<'a> {
    /// The route of a path, if it is one of the queue's.
    pub(super) fn of(path: &'a str) -> Option<Self> {
        let (endpoint, rest) = path.strip_prefix("/v2/")?.split_once('/')?;
        let (name, id) = match rest.split_once('/') {
            Some((name, id)) => (name, Some(id)),
            None => (rest, None),
        };
        let (operation, method) = match (name, id) {
            ("run", None) => (Operation::Run, Method::POST),
            ("runsync", None) => (Operation::RunSync, Method::POST),
            ("status" | STATUS_SYNC, Some(_)) => (Operation::Status, Method::GET),
            ("stream", Some(_)) => (Operation::Stream, Method::GET),
            ("cancel", Some(_)) => (Operation::Cancel, Method::POST),
            ("retry", Some(_)) => (Operation::Retry, Method::POST),
            ("purge-queue", None) => (Operation::PurgeQueue, Method::POST),
            ("health", None) => (Operation::Health, Method::GET),
            ("openai", Some(_)) => (Operation::OpenAi, Method::POST),
            ("requests", None) => (Operation::Requests, Method::GET),
            ("job-take", Some(_)) => (Operation::JobTake, Method::GET),
            ("job-take-batch", Some(_)) => (Operation::JobTakeBatch, Method::GET),
            ("job-stop", Some(_)) => (Operation::JobStop, Method::GET),
            ("job-stream", Some(_)) => (Operation::JobStream, Method::POST),
            ("job-done", Some(_)) => (Operation::JobDone, Method::POST),
            ("ping", Some(_)) => (Operation::Ping, Method::GET),
            _ => return None,
        };
        let is_complete = match id {
            None => true,
            Some(rest) if operation.is_of_workers() => {
                worker_protocol::has_required_names(operation, rest)
            }
            Some(rest) => {
                !rest.is_empty() && (operation == Operation::OpenAi || !rest.contains('/'))
            }
        };
        let id = id.unwrap_or_default();
        let is_undocumented = name == STATUS_SYNC;
        (is_complete && !endpoint.is_empty()).then_some(Self {
            operation,
            method,
            is_undocumented,
            endpoint,
            id,
        })
    }

    /// Returns true if the service has this path; a strict service has only documented paths.
    pub(super) fn is_served(&self, is_strict: bool) -> bool {
        !(is_strict && self.is_undocumented)
    }

    /// Responds to a request with this route.
    pub(super) async fn respond(
        self,
        app: &App,
        connection: &Connection,
        request: Request,
    ) -> Response {
        if self.allows(request.method(), app.is_strict) {
            let response = self.enter(app, connection, request).await;
            response.unwrap_or_else(IntoResponse::into_response)
        } else {
            let mut response = ErrorResponse::wrong_method(&request).into_response();
            let allows_post = self.allows(&Method::POST, app.is_strict);
            let allowed = match (&self.method, self.allows_head()) {
                _ if self.operation == Operation::OpenAi => "GET,POST",
                (_, true) if allows_post => "GET,HEAD,POST",
                (_, true) => "GET,HEAD",
                (&Method::GET, _) if allows_post => "GET,POST",
                (&Method::GET, _) => "GET",
                _ => "POST",
            };
            response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
            response
        }
    }

    fn allows(&self, method: &Method, is_strict: bool) -> bool {
        // Existing clients use POST where the interface documents GET.
        let is_posted =
            !is_strict && matches!(self.operation, Operation::Status | Operation::Stream);
        self.method == *method
            || (self.allows_head() && *method == Method::HEAD)
            || (self.operation == Operation::OpenAi && *method == Method::GET)
            || (is_posted && *method == Method::POST)
    }

    /// Returns true if HEAD is allowed, for which hyper omits the body. A request for chunks or
    /// jobs removes them, so without a body they would be lost.
    fn allows_head(&self) -> bool {
        self.method == Method::GET
            && self.operation != Operation::Stream
            && !self.operation.is_of_workers()
    }

    /// Returns true if the path is of the worker protocol.
    pub(super) fn is_of_workers(&self) -> bool {
        self.operation.is_of_workers()
    }

    pub(super) fn operation(&self) -> Operation {
        self.operation
    }

    /// The id of the endpoint, not decoded.
    pub(super) fn endpoint(&self) -> &'a str {
        self.endpoint
    }

    async fn enter(
        self,
        app: &App,
        connection: &Connection,
        request: Request,
    ) -> Result<Response, ErrorResponse> {
        let user = app.keys.authenticate(self.operation, &request)?;
        // The names in the path of a worker are decoded separately.
        let id = if self.is_of_workers() { self.id.into() } else { decoded(self.id)? };
        let endpoint = decoded(self.endpoint)?;
        let found = app.endpoints.get(endpoint.as_ref());
        let endpoint = found.ok_or_else(|| unknown_endpoint(app, &endpoint))?;
        let response = self.admitted(app, user, &endpoint, &id, connection, request).await;
        let response = response.unwrap_or_else(IntoResponse::into_response);
        if response.status() == StatusCode::TOO_MANY_REQUESTS && !self.is_of_workers() {
            endpoint.count_throttled();
        }
        Ok(response)
    }

    async fn admitted(
        &self,
        app: &App,
        user: usize,
        endpoint: &Arc<Endpoint>,
        id: &str,
        connection: &Connection,
        request: Request,
    ) -> Result<Response, ErrorResponse> {
        let permit = match &app.rate_limiter {
            Some(limiter) => limiter
                .admit(user, endpoint.name(), self.operation, || endpoint.running_workers())?,
            None => None,
        };
        let name = endpoint.name().as_ref();
        let process = |request: Request| async {
            let response = if self.is_undocumented {
                status_sync(endpoint, id, request.uri()).await.map(|record| json(&record))
            } else {
                process(app, self.operation, endpoint, id, request).await
            };
            response.unwrap_or_else(IntoResponse::into_response)
        };
        let response =
            with_faults(app, self.operation, Some(name), connection, request, process).await;
        Ok(match permit {
            Some(permit) => hold_until_end(response, permit),
            None => response,
        })
    }
}

fn unknown_endpoint(app: &App, id: &str) -> ErrorResponse {
    if let Some(why) = app.account.why_unserved(id) {
        return ErrorResponse::not_found(why);
    }
    let endpoints = app.endpoints.all();
    let names: Vec<&str> = endpoints.iter().map(|endpoint| &**endpoint.name()).collect();
    ErrorResponse::not_found(format!("no such endpoint; available: {}", names.join(", ")))
}

async fn process(
    app: &App,
    operation: Operation,
    endpoint: &Arc<Endpoint>,
    id: &str,
    request: Request,
) -> Result<Response, ErrorResponse> {
    Ok(match operation {
        Operation::Run => json(&run(app, endpoint, request).await?),
        Operation::RunSync => json(&run_sync(app, endpoint, request).await?),
        Operation::Status => json(&status(endpoint, id, request.uri())?),
        Operation::Stream => stream(app, endpoint, id)?,
        Operation::Cancel => json(&endpoint.cancel(id)?),
        Operation::Retry => json(&endpoint.retry(id)?),
        Operation::PurgeQueue => {
            json(&json!({ "removed": endpoint.purge(), "status": "completed" }))
        }
        Operation::Health => json(&endpoint.health()),
        Operation::OpenAi => openai(app, endpoint, id, request).await?,
        // The interface names only the path; the response is an interpretation.
        Operation::Requests => json(&endpoint.records()),
        Operation::JobTake
        | Operation::JobTakeBatch
        | Operation::JobStop
        | Operation::JobStream
        | Operation::JobDone
        | Operation::Ping => {
            worker_protocol::process(app, operation, endpoint, id, request).await?
        }
        Operation::GetPod
        | Operation::GetTemplate
        | Operation::GraphQl
        | Operation::Account
        | Operation::Control => {
            return Err(ErrorResponse::internal("not an operation of the queue"));
        }
    })
}

async fn run(
    app: &App,
    endpoint: &Arc<Endpoint>,
    request: Request,
) -> Result<Receipt, ErrorResponse> {
    let body = read_body(request.into_body(), app.max_run_payload).await?;
    let (receipt, ..) = endpoint.submit(Submission::parse(&body)?, Mode::Async)?;
    Ok(receipt)
}

async fn run_sync(
    app: &App,
    endpoint: &Arc<Endpoint>,
    request: Request,
) -> Result<Record, ErrorResponse> {
    let wait = parse_wait(QueryParameters::of(request.uri()).get("wait"))?;
    let body = read_body(request.into_body(), app.max_runsync_payload).await?;
    Ok(endpoint.run_sync(Submission::parse(&body)?, wait).await?)
}

fn status(endpoint: &Arc<Endpoint>, id: &str, uri: &Uri) -> Result<Record, Refusal> {
    if let Some(ttl) = QueryParameters::of(uri).get("ttl") {
        endpoint.set_ttl(id, parse_ttl("ttl", ttl.parse().ok())?)?;
    }
    endpoint.status(id)
}

/// Waits until a job has ended, as `/runsync` does.
async fn status_sync(
    endpoint: &Arc<Endpoint>,
    id: &str,
    uri: &Uri,
) -> Result<Record, ErrorResponse> {
    let wait = parse_wait(QueryParameters::of(uri).get("wait"))?;
    Ok(endpoint.wait_for(id, wait).await?)
}

fn stream(app: &App, endpoint: &Arc<Endpoint>, id: &str) -> Result<Response, Refusal> {
    let (status, chunks) = endpoint.take_chunks(id)?;
    Ok(match app.stream_shape {
        StreamShape::Array => json(&chunks),
        StreamShape::Object => json(&json!({ "status": status, "stream": chunks })),
    })
}

async fn openai(
    app: &App,
    endpoint: &Arc<Endpoint>,
    route: &str,
    request: Request,
) -> Result<Response, ErrorResponse> {
    let body = read_body(request.into_body(), app.max_runsync_payload).await?;
    Ok(match queue::openai(endpoint, route, &body).await? {
        OpenAiResponse::Output(output) => json(output.as_ref()),
        OpenAiResponse::Failure(error) => {
            let mut response = json(&error);
            *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            response
        }
        OpenAiResponse::Events(events) => events_response(events),
    })
}

fn events_response(events: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let mut response = Response::new(Body::from_stream(events.map(Ok::<_, Infallible>)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Holds a permit until the end of a streamed body.
fn hold_until_end(response: Response, permit: Permit) -> Response {
    if response.headers().get(CONTENT_TYPE).is_none_or(|kind| kind != "text/event-stream") {
        return response;
    }
    response.map(|body| {
        Body::from_stream(body.into_data_stream().inspect(move |_| {
            let _ = &permit;
        }))
    })
}
