//! HTTP server: serves the connections of a listener, with bounds on time and memory, until it is
//! stopped.
//!
//! hyper holds the idle timeout, the size of a head and of its buffer, and closes a connection
//! gracefully. The following bounds are added:
//!
//! - **body timeouts** ([`RequestBody`]): hyper and axum have none. A pause and the whole body are
//!   bounded, and a stop of the service ends the body;
//! - **draining** ([`UnreadBody`]): hyper closes the connection when a handler has not read the
//!   body, and a client that still sends it then reports a broken connection instead of the
//!   response;
//! - **a bounded shutdown**: hyper's graceful shutdown waits for a head that has begun. Here only
//!   a connection with a response pending is waited for, and at most [`STOP_TIMEOUT`].
//!
//! [`RequestBody`] and [`ResponseBody`] also drive the state machine of
//! [`connection`](super::connection).

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::EXPECT;
use axum::response::Response;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{BreakableStream, Connection, ConnectionState};
use super::listener::Listener;
use crate::tasks::locked;

/// Idle timeout of a connection, in real time: longer than HTTP clients keep an idle connection,
/// which would otherwise send a request while it is closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(100);
/// The largest head of a request in bytes, and the most that is buffered of a connection.
const MAX_HEAD: usize = 64 * 1024;
/// Timeout of reading a pending response when the service stops, in real time.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout of a pause within the body of a request, in real time.
const BODY_PAUSE_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of the whole body of a request, in real time.
const BODY_TIMEOUT: Duration = Duration::from_secs(300);
/// Limits of receiving the unread body of a refused request: its size, and the time of a pause and
/// of the whole body, in real time. This is open to peers without a key, so it must not take long.
const MAX_DRAINED: usize = 64 * 1024 * 1024;
const DRAIN_PAUSE_TIMEOUT: Duration = Duration::from_millis(500);
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The connection of a request.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) connection: Connection,
    /// The address of this machine at which the connection arrived.
    pub(crate) local: Option<IpAddr>,
}

/// Serves until the service stops, and returns when the last connection is closed.
pub(crate) async fn serve<H, F>(listener: Listener, handler: H, stopping: CancellationToken)
where
    H: Fn(Peer, Request) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let connections = TaskTracker::new();
    loop {
        let stream = tokio::select! {
            biased;
            () = stopping.cancelled() => break,
            stream = listener.accept() => stream,
        };
        connections.spawn(serve_connection(stream, handler.clone(), stopping.clone()));
    }
    connections.close();
    connections.wait().await;
}

async fn serve_connection<H, F>(
    mut stream: BreakableStream,
    handler: H,
    stopping: CancellationToken,
) where
    H: Fn(Peer, Request) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    // hyper allocates its buffers at once, so it gets a connection that has sent something.
    tokio::select! {
        biased;
        begun = timeout(IDLE_TIMEOUT, stream.first_byte()) => match begun {
            Ok(Ok(())) => {}
            _ => return,
        },
        () = stopping.cancelled() => return,
    }
    let state = stream.connection().clone();
    let peer = Peer { connection: Connection(state.clone()), local: stream.local_ip() };
    let stop = stopping.clone();
    // In a box, since a connection without a request would hold the size of its processing as well.
    let service = service_fn(move |request| {
        Box::pin(respond(peer.clone(), handler.clone(), stop.clone(), request))
    });
    let mut settings = http1::Builder::new();
    settings
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_TIMEOUT)
        .max_header_size(MAX_HEAD)
        .max_buf_size(MAX_HEAD);
    let mut connection = pin!(settings.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        biased;
        // An error is the peer's doing, and the connection's end all the same.
        _ = connection.as_mut() => return,
        () = stopping.cancelled() => {}
    }
    connection.as_mut().graceful_shutdown();
    // Ends early when no response is pending: hyper would wait for the rest of a head.
    let rest = poll_fn(|context| match connection.as_mut().poll(context) {
        Poll::Pending if !state.is_idle() => Poll::Pending,
        _ => Poll::Ready(()),
    });
    if timeout(STOP_TIMEOUT, rest).await.is_err() {
        state.reset();
    }
}

/// Responds to one request, with bodies that note in which phase the connection is.
async fn respond<H, F>(
    peer: Peer,
    handler: H,
    stopping: CancellationToken,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Infallible>
where
    H: Fn(Peer, Request) -> F,
    F: Future<Output = Response>,
{
    let connection = peer.connection.0.clone();
    let pending = PendingResponse::begin(&connection);
    let has_body = !request.body().is_end_stream();
    let expects_continue = request.headers().contains_key(EXPECT);
    let unread = has_body.then(|| Arc::new(UnreadBody::default()));
    let request = request.map(|body| {
        Body::new(RequestBody {
            body: Some(body),
            length: 0,
            expects_continue,
            unread: unread.clone(),
            connection: connection.clone(),
            stopping: stopping.clone(),
            due: None,
            timeout: None,
        })
    });
    let response = handler(peer, request).await;
    if let Some(unread) = &unread {
        unread.drain(&connection, &stopping).await;
    }
    Ok(response.map(|body| ResponseBody { body, _pending: pending }))
}

/// The part of a request's body that the handler has not read when its response is decided.
#[derive(Default)]
struct UnreadBody(Mutex<Option<(Incoming, usize)>>);

impl UnreadBody {
    /// Receives the rest of the request, within bounds.
    async fn drain(&self, connection: &Arc<ConnectionState>, stopping: &CancellationToken) {
        let Some((mut body, mut length)) = locked(&self.0).take() else { return };
        let rest = async {
            while length <= MAX_DRAINED {
                let frame = poll_fn(|context| {
                    let poll = Pin::new(&mut body).poll_frame(context);
                    if poll.is_ready() {
                        connection.end_await_body();
                    } else {
                        connection.await_body();
                    }
                    poll
                });
                match timeout(DRAIN_PAUSE_TIMEOUT, frame).await {
                    Ok(Some(Ok(frame))) => length += frame.data_ref().map_or(0, Bytes::len),
                    _ => break,
                }
            }
        };
        tokio::select! {
            _ = timeout(DRAIN_TIMEOUT, rest) => {}
            () = stopping.cancelled() => {}
        }
        connection.end_await_body();
    }
}

/// The body of a request. It fails with [`io::ErrorKind::TimedOut`] when the peer takes too long,
/// and with [`io::ErrorKind::Interrupted`] when the service stops before it is complete.
struct RequestBody {
    /// The bytes of the body; `None` once it has ended, and once it is dropped.
    body: Option<Incoming>,
    length: usize,
    expects_continue: bool,
    /// Receives the rest of the body when this is dropped.
    unread: Option<Arc<UnreadBody>>,
    connection: Arc<ConnectionState>,
    stopping: CancellationToken,
    /// Deadline of the whole body, set by the first wait for it.
    due: Option<Instant>,
    timeout: Option<BoxFuture<'static, io::ErrorKind>>,
}

impl RequestBody {
    fn poll_timeout(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let now = Instant::now();
        let due = *self.due.get_or_insert(now + BODY_TIMEOUT);
        let timeout = self.timeout.get_or_insert_with(|| {
            let pause = sleep(BODY_PAUSE_TIMEOUT.min(due.saturating_duration_since(now)));
            let stopped = self.stopping.clone().cancelled_owned();
            Box::pin(async move {
                tokio::select! {
                    () = pause => io::ErrorKind::TimedOut,
                    () = stopped => io::ErrorKind::Interrupted,
                }
            })
        });
        timeout.as_mut().poll(context).map(io::Error::from)
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        if let Poll::Ready(frame) = Pin::new(body).poll_frame(context) {
            self.timeout = None;
            self.connection.end_await_body();
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
            self.length += data.map_or(0, Bytes::len);
            if !matches!(frame, Some(Ok(_))) {
                self.body = None;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        self.connection.await_body();
        let error = ready!(self.poll_timeout(context));
        self.connection.end_await_body();
        self.body = None;
        Poll::Ready(Some(Err(error.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map(HttpBody::size_hint).unwrap_or_default()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        // A client that expects 100 and has not got it sends no body after a refusal.
        let is_sent = self.length > 0 || !self.expects_continue;
        let body = self.body.take().filter(|body| is_sent && !body.is_end_stream());
        if let (Some(body), Some(unread)) = (body, &self.unread) {
            *locked(&unread.0) = Some((body, self.length));
        }
    }
}

/// Held as long as the response to a request is pending.
struct PendingResponse(Arc<ConnectionState>);

impl PendingResponse {
    fn begin(connection: &Arc<ConnectionState>) -> Self {
        connection.begin_request();
        Self(connection.clone())
    }
}

impl Drop for PendingResponse {
    fn drop(&mut self) {
        self.0.end_request();
    }
}

/// The body of a response, which is pending until hyper has taken it whole.
struct ResponseBody {
    body: Body,
    _pending: PendingResponse,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
