//! HTTP server: receives requests on a thread of its own, and applies faults to their responses.

use std::fmt;
use std::net::TcpListener;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::decision::Shared;
use crate::faults::Effect;
use crate::operation::Received;
use crate::planned_response::PlannedResponse;

/// The largest body of a request.
const MAX_BODY_BYTES: usize = 256 << 20;

/// Serves until the other side of `stopped` is dropped.
pub(crate) fn serve(
    runtime: &Runtime,
    listener: TcpListener,
    shared: Arc<Shared>,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        // The listener is valid and does not block: this never fails.
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let accepting = async {
            loop {
                // An error is that of one connection.
                let Ok((stream, _)) = listener.accept().await else { continue };
                let shared = Arc::clone(&shared);
                let service = service_fn(move |request| respond(Arc::clone(&shared), request));
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                tokio::spawn(async move {
                    // An error is the end of the connection, which the client sees.
                    let _ = connection.await;
                });
            }
        };
        tokio::select! {
            _ = stopped => {}
            () = accepting => {}
        }
    });
}

/// The connection is closed without a response.
#[derive(Debug)]
struct Closed;

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a fault closes the connection")
    }
}

impl std::error::Error for Closed {}

async fn respond(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<FaultyBody>, Closed> {
    let (head, body) = request.into_parts();
    let body = Limited::new(body, MAX_BODY_BYTES).collect().await.map_err(|_| Closed)?.to_bytes();
    let received = Received {
        method: head.method.as_str(),
        path: head.uri.path(),
        query: head.uri.query().unwrap_or_default(),
        headers: &head.headers,
        body: &body,
    };
    let decided = shared.decide(&received);
    let (mut planned, mut end) = (decided.planned, End::Complete);
    if let Some(fault) = decided.fault {
        shared.clock.sleep(fault.delay).await;
        match fault.effect {
            Effect::None => {}
            Effect::Reset => return Err(Closed),
            Effect::Response { status, headers, body } => {
                planned = PlannedResponse { status, headers, body }
            }
            Effect::Truncated { to } => planned.body.truncate(to),
            Effect::Cut { to } => end = End::Cut { to },
            Effect::Stalled => end = End::Stalled,
        }
    }
    shared.responded(decided.request, planned.status.as_u16());
    Ok(response(planned, end))
}

fn response(planned: PlannedResponse, end: End) -> Response<FaultyBody> {
    let length = planned.body.len();
    let body = match end {
        End::Cut { to } => planned.body.slice(..to.min(length)),
        End::Stalled => Bytes::new(),
        End::Complete => planned.body,
    };
    let is_complete = matches!(end, End::Complete);
    let mut response = Response::new(FaultyBody { data: Some(body), end });
    *response.status_mut() = planned.status;
    for (name, value) in &planned.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    if !is_complete || planned.status != StatusCode::NO_CONTENT {
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    response
}

/// The end of a body.
enum End {
    Complete,
    /// The connection is closed after this many bytes.
    Cut {
        to: usize,
    },
    /// The end does not come: the body stalls.
    Stalled,
}

struct FaultyBody {
    data: Option<Bytes>,
    end: End,
}

impl Body for FaultyBody {
    type Data = Bytes;
    type Error = Closed;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Closed>>> {
        if let Some(data) = self.data.take().filter(|it| !it.is_empty()) {
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
        match self.end {
            End::Complete => Poll::Ready(None),
            End::Cut { .. } => Poll::Ready(Some(Err(Closed))),
            // The connection ends when the client or the fake gives up.
            End::Stalled => Poll::Pending,
        }
    }
}
