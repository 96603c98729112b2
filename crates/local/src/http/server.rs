//! Serving connections: each within bounds of time and memory, and all of them closed at once when
//! the service stops.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::EXPECT;
use axum::response::Response;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{BreakableStream, Connection};
use super::door::Door;
use super::transfer::{Download, Leftover, Owed, Upload};

/// How long a connection may stay idle, in real time: longer than HTTP clients keep an idle one, which
/// would otherwise send a request while it is closed. The head of a request that has begun is due
/// sooner, see [`BreakableStream`].
const IDLE_TIMEOUT: Duration = Duration::from_secs(100);
/// The largest head of a request in bytes, and the most that is buffered of a connection.
const MAX_HEAD: usize = 64 * 1024;
/// How long a peer may take for the response that it is owed when the service stops, in real time.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// What responds to the requests.
pub(crate) trait Responder: Clone + Send + Sync + 'static {
    fn respond(&self, peer: &Peer, request: Request) -> impl Future<Output = Response> + Send;
}

/// Whom a request comes from.
#[derive(Clone)]
pub(crate) struct Peer {
    pub(crate) connection: Connection,
    /// The address of this machine at which the connection came in.
    pub(crate) local: Option<IpAddr>,
}

/// Serves until it is told to stop, and ends when the last connection is closed.
pub(crate) async fn serve(door: Door, responder: impl Responder, stopping: CancellationToken) {
    let connections = TaskTracker::new();
    loop {
        let stream = tokio::select! {
            biased;
            () = stopping.cancelled() => break,
            stream = door.accept() => stream,
        };
        connections.spawn(converse(stream, responder.clone(), stopping.clone()));
    }
    connections.close();
    connections.wait().await;
}

/// Serves one connection.
async fn converse(
    mut stream: BreakableStream,
    responder: impl Responder,
    stopping: CancellationToken,
) {
    // The HTTP library allocates buffers at once, so it gets a connection that has sent something.
    tokio::select! {
        biased;
        begun = tokio::time::timeout(IDLE_TIMEOUT, stream.begun()) => match begun {
            Ok(Ok(())) => {}
            _ => return,
        },
        () = stopping.cancelled() => return,
    }
    let line = stream.line().clone();
    let peer = Peer { connection: Connection(line.clone()), local: stream.local_ip() };
    let visit = Arc::new(Visit { responder, peer, stopping: stopping.clone() });
    // In a box, since a connection without a request would have room for its processing as well.
    let service = service_fn(move |request| Box::pin(visit.clone().respond(request)));
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
    // Whoever is owed a response gets it. All others would only be waited for.
    let rest = poll_fn(|context| match connection.as_mut().poll(context) {
        Poll::Pending if !line.is_idle() => Poll::Pending,
        _ => Poll::Ready(()),
    });
    if tokio::time::timeout(STOP_PATIENCE, rest).await.is_err() {
        line.cut();
    }
}

/// The requests of one connection.
struct Visit<R> {
    responder: R,
    peer: Peer,
    stopping: CancellationToken,
}

impl<R: Responder> Visit<R> {
    /// Responds to a request, with bodies that tell the connection whose turn it is.
    async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Download>, Infallible> {
        let line = &self.peer.connection.0;
        let owed = Owed::on(line);
        // Who waits for leave to send has not sent anything, and needs no leave for a refusal.
        let may_be_left =
            !request.body().is_end_stream() && !request.headers().contains_key(EXPECT);
        let leftover = may_be_left.then(|| Arc::new(Leftover::default()));
        let upload =
            |body| Upload::new(body, leftover.clone(), line.clone(), self.stopping.clone());
        let request = request.map(|body| Body::new(upload(body)));
        let response = self.responder.respond(&self.peer, request).await;
        if let Some(leftover) = &leftover {
            leftover.drain(line, &self.stopping).await;
        }
        Ok(response.map(|body| Download { body, _owed: owed }))
    }
}
