//! Serving connections: each within bounds of time and memory, and all of them closed at once when
//! the service stops.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connection::{BreakableStream, Connection};
use super::door::Door;
use super::router::{Site, Visit};

/// How long a connection may stay without a whole head of a request, in real time: longer than HTTP
/// clients keep an idle one, which would otherwise send a request while it is closed.
const IDLE_PATIENCE: Duration = Duration::from_secs(100);
/// The largest head of a request in bytes, and the most that is buffered of a connection.
const MAX_HEAD: usize = 64 * 1024;
/// How long a peer may take for the response that it is owed when the service stops, in real time.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

/// Serves until it is told to stop, and ends when the last connection is closed.
pub(crate) async fn serve(door: Door, site: Site, stopping: CancellationToken) {
    let connections = TaskTracker::new();
    loop {
        let stream = tokio::select! {
            biased;
            () = stopping.cancelled() => break,
            stream = door.accept() => stream,
        };
        connections.spawn(converse(stream, site.clone(), stopping.clone()));
    }
    connections.close();
    connections.wait().await;
}

/// Serves one connection.
async fn converse(stream: BreakableStream, site: Site, stopping: CancellationToken) {
    let line = stream.line().clone();
    let visit = Arc::new(Visit::new(site, Connection(line.clone()), stream.local_ip()));
    let service = service_fn(move |request| visit.clone().respond(request));
    let mut settings = http1::Builder::new();
    settings
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_PATIENCE)
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
