//! Fault injection: applies the effect of a [`Fault`](crate::Fault) to a request and its response,
//! on all interfaces.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONNECTION, CONTENT_LENGTH};
use axum::http::response::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;

use super::app::App;
use crate::clock::Clock;
use crate::faults::{Effect, Fault};
use crate::http::{Connection, ErrorResponse};
use crate::operation::Operation;

/// Marks a response that a fault has affected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Faulted;

/// Processes a request, with the effect of a fault if one matches.
pub(super) async fn with_faults<F>(
    app: &App,
    operation: Operation,
    endpoint: Option<&str>,
    connection: &Connection,
    request: Request,
    process: impl FnOnce(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    let Some(fault) = app.faults.next_fault(operation, endpoint) else {
        return process(request).await;
    };
    let mut response = apply(app, fault, connection, request, process).await;
    response.extensions_mut().insert(Faulted);
    response
}

async fn apply<F>(
    app: &App,
    fault: Fault,
    connection: &Connection,
    request: Request,
    process: impl FnOnce(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    tokio::select! {
        // In this order, a stop does not interrupt a fault without a delay.
        biased;
        () = app.clock.sleep(fault.delay) => {}
        () = app.stopping.cancelled() => return ErrorResponse::stopping().into_response(),
    }
    let response = if fault.processed {
        process(request).await
    } else {
        // A client that is still sending its body would take a reset for a refusal of it.
        drain(request).await;
        StatusCode::OK.into_response()
    };
    match fault.effect {
        Effect::None => response,
        Effect::Response { status, headers, body } => (status, headers, body).into_response(),
        Effect::Reset { after } => {
            connection.reset_after(after);
            // If the response is shorter than that, the next response must not be affected.
            let mut response = response;
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            response
        }
        Effect::Down { time } => {
            connection.reset_after(0);
            app.listener.refuse_connections(time).await;
            response
        }
        Effect::Truncated { to } => {
            with_body(response, |body| Body::from(body.slice(..to.min(body.len())))).await
        }
        Effect::Rewritten { by } => with_body(response, |body| Body::from(by(&body))).await,
        Effect::Cut { to } => {
            with_announced_length(response, |body| {
                let first = body.slice(..to.min(body.len()));
                // In another poll, so that the first bytes are written before.
                let broken = async {
                    tokio::task::yield_now().await;
                    Err(io::Error::from(io::ErrorKind::ConnectionReset))
                };
                Body::from_stream(stream::iter([Ok(first)]).chain(stream::once(broken)))
            })
            .await
        }
        Effect::Stalled => {
            let stopping = app.stopping.clone();
            with_announced_length(response, |_| {
                let never = async move {
                    stopping.cancelled().await;
                    Err::<Bytes, _>(io::Error::from(io::ErrorKind::ConnectionReset))
                };
                Body::from_stream(stream::once(never))
            })
            .await
        }
        Effect::Repeated { timing } => {
            let (parts, body) = response.into_parts();
            let Ok(body) = to_bytes(body, usize::MAX).await else {
                return ErrorResponse::internal("the response has no body").into_response();
            };
            connection.repeat_response(raw(&parts, &body), timing);
            Response::from_parts(parts, Body::from(body))
        }
        Effect::Drip { piece, pause } => {
            let pauses =
                Pauses { length: pause, clock: app.clock.clone(), stopping: app.stopping.clone() };
            with_body(response, |body| dripping(body, piece, pauses)).await
        }
    }
}

async fn drain(request: Request) {
    let mut body = request.into_body().into_data_stream();
    while let Some(Ok(_)) = body.next().await {}
}

async fn with_body(response: Response, change: impl FnOnce(Bytes) -> Body) -> Response {
    let (mut parts, body) = response.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(body) => {
            parts.headers.remove(CONTENT_LENGTH);
            Response::from_parts(parts, change(body))
        }
        // The service's own responses are whole in memory.
        Err(error) => ErrorResponse::internal(error.to_string()).into_response(),
    }
}

/// Replaces the body, but not the length that the head announces.
async fn with_announced_length(response: Response, change: impl FnOnce(Bytes) -> Body) -> Response {
    let length = response.body().size_hint().exact();
    let mut response = with_body(response, change).await;
    if let Some(length) = length {
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

/// A response as its bytes on the wire.
fn raw(parts: &Parts, body: &[u8]) -> Bytes {
    let mut bytes = format!("HTTP/1.1 {}\r\n", parts.status).into_bytes();
    for (name, value) in parts.headers.iter().filter(|(name, _)| **name != CONTENT_LENGTH) {
        for piece in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            bytes.extend_from_slice(piece);
        }
    }
    bytes.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
    bytes.extend_from_slice(body);
    bytes.into()
}

/// The pauses before the pieces of a body.
#[derive(Clone)]
struct Pauses {
    length: Duration,
    clock: Clock,
    stopping: CancellationToken,
}

impl Pauses {
    /// Ends early when the service stops: then the rest of the body is sent at once.
    async fn next(&self) {
        tokio::select! {
            () = self.clock.sleep(self.length) => {}
            () = self.stopping.cancelled() => {}
        }
    }
}

fn dripping(body: Bytes, piece: usize, pauses: Pauses) -> Body {
    Body::from_stream(stream::unfold(body, move |mut rest| {
        let pauses = pauses.clone();
        async move {
            if rest.is_empty() {
                return None;
            }
            pauses.next().await;
            let next = rest.split_to(piece.min(rest.len()));
            Some((Ok::<_, std::convert::Infallible>(next), rest))
        }
    }))
}
