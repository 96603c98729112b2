//! Listener: the connections of the server, with bounds that keep one peer from affecting others.
//!
//! - **Idle and slow peers.** A head that is not complete in time ends its connection, and so does
//!   a body that is sent ([`request_body`](super::request_body)) or read ([`TimedStream`]) too
//!   slowly.
//! - **Many connections.** Where there are too many, one is closed
//!   ([`connections`](super::connections)).

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::EXPECT;
use axum::response::Response;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet, yield_now};
use tokio::time::{sleep, timeout};
use tower_service::Service;

use super::connections::{Connection, Connections};
use super::min_throughput::MinThroughput;
use super::request_body::{RequestBody, Unread, drain};
use super::stop_signal::stopped;
use crate::error::{Error, ErrorKind, Result};

/// Timeout of a head, and of an idle connection: longer than clients keep one.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// The largest head of a request, and the most that is buffered of a connection.
const MAX_HEAD: usize = 32 * 1024;

/// Size of the part of a response that the system holds for a peer that does not read it. With what
/// it would take otherwise, megabytes, it would take long until it notices that the peer reads on.
const SEND_BUFFER: u32 = 128 * 1024;

/// Number of connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// Time for the requests in progress when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Wait after a connection could not be accepted, as without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A listener that serves connections. It is ended by [`stop`](Self::stop) or
/// [`abort`](Self::abort).
pub(super) struct Listener {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    /// Set once all connections have ended.
    ended: watch::Receiver<bool>,
    task: AbortHandle,
}

impl Listener {
    pub(super) async fn start(address: SocketAddr, router: Router) -> Result<Self> {
        let failed = |error: std::io::Error| {
            let message = format!("could not listen on {address}: {error}");
            Error::new(ErrorKind::Settings, message).with_source(error)
        };
        let listener = listen(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let stop = watch::Sender::new(false);
        let (end, ended) = watch::channel(false);
        let stopping = stop.subscribe();
        let task = tokio::spawn(async move {
            accept(listener, router, stopping).await;
            end.send_replace(true);
        });
        Ok(Self { address, stop, ended, task: task.abort_handle() })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no more connections, and waits for the requests in progress.
    pub(super) async fn stop(&self) {
        self.stop.send_replace(true);
        let mut ended = self.ended.clone();
        let _ = timeout(STOP_TIMEOUT, stopped(&mut ended)).await;
        self.abort();
    }

    /// Closes all connections.
    pub(super) fn abort(&self) {
        self.task.abort();
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A server that is started again does not wait for the connections of the one before.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit the size of the buffer.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Number of connections that are accepted in a row. After them, their heads can be read, before
/// others come for which they may be closed; fewer would let a client wait for a turn of all tasks
/// for each connection that is queued before its own.
const ACCEPTED_AT_ONCE: u32 = 32;

async fn accept(listener: TcpListener, router: Router, mut stopping: watch::Receiver<bool>) {
    let connections = Arc::new(Connections::default());
    let mut tasks = JoinSet::new();
    let mut in_a_row = 0;
    loop {
        let stream = tokio::select! {
            biased;
            () = stopped(&mut stopping) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            Some(_) = tasks.join_next() => continue,
        };
        let (number, connection) = connections.add();
        let (connections, router, stopping) =
            (Arc::clone(&connections), router.clone(), stopping.clone());
        tasks.spawn(async move {
            serve(stream, &connection, router, stopping).await;
            connections.remove(number);
        });
        in_a_row += 1;
        if in_a_row == ACCEPTED_AT_ONCE {
            in_a_row = 0;
            yield_now().await;
        }
    }
    drop(listener);
    while tasks.join_next().await.is_some() {}
}

async fn serve(
    stream: TcpStream,
    connection: &Arc<Connection>,
    router: Router,
    mut stopping: watch::Receiver<bool>,
) {
    // Small responses are not delayed; without the option, they only are slower.
    let _ = stream.set_nodelay(true);
    let of_requests = Arc::clone(connection);
    let service =
        service_fn(move |request| respond(Arc::clone(&of_requests), router.clone(), request));
    let mut settings = http1::Builder::new();
    settings.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(MAX_HEAD);
    let mut http = pin!(settings.serve_connection(TokioIo::new(TimedStream::new(stream)), service));
    tokio::select! {
        biased;
        // An error is the peer's doing.
        _ = http.as_mut() => return,
        () = connection.closed() => return,
        () = stopped(&mut stopping) => {}
    }
    if connection.is_responding() {
        http.as_mut().graceful_shutdown();
        let _ = http.await;
    }
}

/// A connection that fails with [`io::ErrorKind::TimedOut`] if its peer reads too slowly.
struct TimedStream {
    stream: TcpStream,
    writing: MinThroughput,
}

impl TimedStream {
    fn new(stream: TcpStream) -> Self {
        Self { stream, writing: MinThroughput::default() }
    }

    fn timed(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            self.writing.advance(*written.as_ref().unwrap_or(&0));
            return Poll::Ready(written);
        }
        Poll::Ready(Err(ready!(self.writing.poll_wait(context))))
    }
}

impl AsyncRead for TimedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.timed(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // All that there is to write is written.
        self.writing.set_idle();
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

async fn respond(
    connection: Arc<Connection>,
    mut router: Router,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Infallible> {
    let pending = PendingResponse::begin(Arc::clone(&connection));
    let unread = Unread::default();
    let is_on_request = request.headers().contains_key(EXPECT);
    let (of_body, sender) = (unread.clone(), Arc::clone(&connection));
    let of_body = |body| Body::new(RequestBody::new(body, is_on_request, of_body, sender));
    let mut request = request.map(of_body);
    request.extensions_mut().insert(Arc::clone(&connection));
    let response = router.call(request).await?;
    if let Some(rest) = unread.take() {
        // The request is refused: meanwhile, the connection may be closed for another.
        connection.set_responding(false);
        drain(rest).await;
        connection.set_responding(true);
    }
    Ok(response.map(|body| ResponseBody { body, pending }))
}

/// Held as long as the response to a request is pending.
struct PendingResponse(Arc<Connection>);

impl PendingResponse {
    fn begin(connection: Arc<Connection>) -> Self {
        connection.set_responding(true);
        connection.mark_active();
        Self(connection)
    }
}

impl Drop for PendingResponse {
    fn drop(&mut self) {
        self.0.mark_active();
        self.0.set_responding(false);
    }
}

/// The body of a response, which is pending until it is written.
struct ResponseBody {
    body: Body,
    pending: PendingResponse,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.pending.0.mark_active();
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
