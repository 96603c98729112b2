//! Connection state, and the TCP stream below the HTTP library that can be made to break.
//!
//! hyper implements HTTP on this stream. The bounds that hyper offers are set in
//! [`server`](super::server): the size of a head, of its buffer, and the idle timeout. This module
//! adds what no library does.
//!
//! # Faults
//!
//! A connection is reset after a number of bytes ([`Connection::reset_after`]), or writes a
//! response a second time ([`Connection::repeat_response`]).
//!
//! # Bounds on peers
//!
//! - **Head timeout.** hyper has one timeout for an idle connection and for a head, which starts
//!   when the previous response is written. It has to be long, because a client must not send a
//!   request on a connection that is being closed; a peer that sends single bytes would hold its
//!   connection as long. Here the head timeout starts with the first byte of a head.
//! - **Write timeout.** hyper waits indefinitely for a peer that does not read.
//! - **Eviction.** A semaphore would refuse the newest connection. The connections to close are
//!   those that wait for their peers, unauthenticated connections first: `listener` chooses among
//!   them by [`ConnectionState::is_responding`] and [`ConnectionState::is_authenticated`].
//! - **Buffers of unauthenticated peers.** Only [`MAX_UNAUTHENTICATED_WAITING`] connections that
//!   have sent something but no key may wait for their peers, so that what they make the service
//!   hold is bounded however many connections are open.
//!
//! # State machine
//!
//! ```text
//!                      head complete
//! AwaitingRequest ───────────────────────▶ Responding
//!        ▲                                  │  ▲  │  the body is needed, and not there yet
//!        │     response handed to hyper     │  │  ▼
//!        └──────────────────────────────────┘ ReadingBody
//! ```
//!
//! Invariant: a connection is evicted, or closed by a shutdown without delay, only while it waits
//! for its peer (`AwaitingRequest` or `ReadingBody`). A request that the service works on is never
//! lost.
//!
//! Checked by `tests/interface/hostile_peers.rs`, in all states of a connection.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::tasks::locked;

/// Limit of connections without a key that have sent something and wait for their peers.
const MAX_UNAUTHENTICATED_WAITING: usize = 256;
/// Timeout of the head of a request from its first byte on, in real time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// Timeout of a peer that does not read a response, in real time.
const WRITE_TIMEOUT: Duration = Duration::from_secs(60);

/// Handle of a connection for request handlers.
#[derive(Clone, Debug)]
pub(crate) struct Connection(pub(super) Arc<ConnectionState>);

impl Connection {
    /// Records that a request had a key of the service.
    pub(crate) fn mark_authenticated(&self) {
        self.0.fields().is_authenticated = true;
    }

    /// Resets the connection after this many more bytes.
    pub(crate) fn reset_after(&self, bytes: u64) {
        self.0.fields().bytes_until_reset = Some(bytes);
    }

    /// Sends the response that is being sent a second time.
    pub(crate) fn repeat_response(&self, response: Bytes, timing: RepeatTiming) {
        let mut fields = self.0.fields();
        let request = fields.requests;
        fields.repeated =
            Some(RepeatedResponse { rest: response, timing, request, has_begun: false });
    }
}

/// Time at which a response is sent a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepeatTiming {
    Immediately,
    /// In front of the next response on the connection.
    BeforeNextResponse,
}

/// A response that is to be sent a second time.
#[derive(Debug)]
struct RepeatedResponse {
    rest: Bytes,
    timing: RepeatTiming,
    /// The number of the request that it belongs to.
    request: u64,
    has_begun: bool,
}

/// State of a connection, shared by its stream, its requests and the listener.
#[derive(Debug)]
pub(super) struct ConnectionState {
    fields: Mutex<ConnectionFields>,
    /// Wakes the reader when the connection is reset while it is idle.
    reader: AtomicWaker,
    unauthenticated: Arc<UnauthenticatedConnections>,
}

#[derive(Debug)]
struct ConnectionFields {
    phase: ConnectionPhase,
    /// Number of requests that have begun: their heads were complete.
    requests: u64,
    /// True if any request had a key of the service.
    is_authenticated: bool,
    /// True if the connection is among the waiting unauthenticated connections.
    is_listed: bool,
    /// True if the peer has yet to read what was written.
    is_write_blocked: bool,
    /// Number of bytes until the connection is reset; `None` for no limit.
    bytes_until_reset: Option<u64>,
    /// True if the connection was reset from outside.
    is_reset: bool,
    repeated: Option<RepeatedResponse>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ConnectionPhase {
    AwaitingRequest,
    Responding,
    ReadingBody,
}

impl ConnectionState {
    pub(super) fn new(unauthenticated: Arc<UnauthenticatedConnections>) -> Self {
        let fields = ConnectionFields {
            phase: ConnectionPhase::AwaitingRequest,
            requests: 0,
            is_authenticated: false,
            is_listed: false,
            is_write_blocked: false,
            bytes_until_reset: None,
            is_reset: false,
            repeated: None,
        };
        Self { fields: Mutex::new(fields), reader: AtomicWaker::new(), unauthenticated }
    }

    fn fields(&self) -> MutexGuard<'_, ConnectionFields> {
        locked(&self.fields)
    }

    /// Resets the connection now, also while it is idle.
    pub(super) fn reset(&self) {
        let mut fields = self.fields();
        fields.bytes_until_reset = Some(0);
        fields.is_reset = true;
        drop(fields);
        self.reader.wake();
    }

    pub(super) fn begin_request(&self) {
        let mut fields = self.fields();
        fields.requests += 1;
        fields.phase = ConnectionPhase::Responding;
    }

    pub(super) fn end_request(self: &Arc<Self>) {
        self.fields().phase = ConnectionPhase::AwaitingRequest;
        self.unauthenticated.add(self);
    }

    /// The request waits for its body, of which nothing is there.
    pub(super) fn await_body(self: &Arc<Self>) {
        self.fields().phase = ConnectionPhase::ReadingBody;
        self.unauthenticated.add(self);
    }

    /// The request does not wait for its body any more.
    pub(super) fn end_await_body(&self) {
        self.fields().phase = ConnectionPhase::Responding;
    }

    /// Returns true if the service works on a request. Otherwise, closing the connection loses
    /// nothing that was accepted.
    pub(super) fn is_responding(&self) -> bool {
        self.fields().phase == ConnectionPhase::Responding
    }

    /// Returns true if any request had a key of the service.
    pub(super) fn is_authenticated(&self) -> bool {
        self.fields().is_authenticated
    }

    /// Returns true if the connection can be closed without cutting a response short.
    pub(super) fn is_idle(&self) -> bool {
        let fields = self.fields();
        fields.phase != ConnectionPhase::Responding && !fields.is_write_blocked
    }

    /// The number of the request whose head is due; none while a request is processed.
    fn awaited_head(&self) -> Option<u64> {
        let fields = self.fields();
        (fields.phase == ConnectionPhase::AwaitingRequest).then_some(fields.requests)
    }
}

/// The connections without a key that have sent something and wait for their peers: in the middle
/// of a head, after a refused request, or in a body that is discarded. The oldest first;
/// connections that have ended, or do not wait any more, are removed when the next connection is
/// added.
#[derive(Debug, Default)]
pub(super) struct UnauthenticatedConnections(Mutex<VecDeque<Weak<ConnectionState>>>);

impl UnauthenticatedConnections {
    /// Adds a connection. The oldest connection is reset if there are too many.
    fn add(&self, connection: &Arc<ConnectionState>) {
        {
            let mut fields = connection.fields();
            if fields.is_authenticated || std::mem::replace(&mut fields.is_listed, true) {
                return;
            }
        }
        let mut waiting = locked(&self.0);
        waiting.retain(|connection| {
            connection.upgrade().is_some_and(|connection| {
                let mut fields = connection.fields();
                fields.is_listed =
                    !fields.is_authenticated && fields.phase != ConnectionPhase::Responding;
                fields.is_listed
            })
        });
        waiting.push_back(Arc::downgrade(connection));
        while waiting.len() > MAX_UNAUTHENTICATED_WAITING {
            let oldest = waiting.pop_front();
            oldest.and_then(|it| it.upgrade()).inspect(|connection| connection.reset());
        }
    }
}

/// A TCP stream that can be reset, with the head timeout and the write timeout.
pub(crate) struct BreakableStream {
    stream: TcpStream,
    connection: Arc<ConnectionState>,
    /// The number of the request whose head has begun, and the end of its time.
    head_timeout: Option<(u64, Pin<Box<Sleep>>)>,
    /// The end of the time in which the peer must read something.
    write_timeout: Option<Pin<Box<Sleep>>>,
}

impl BreakableStream {
    pub(super) fn new(stream: TcpStream, connection: Arc<ConnectionState>) -> Self {
        Self { stream, connection, head_timeout: None, write_timeout: None }
    }

    pub(super) fn connection(&self) -> &Arc<ConnectionState> {
        &self.connection
    }

    /// The address of this machine that the peer has connected to.
    pub(super) fn local_ip(&self) -> Option<IpAddr> {
        self.stream.local_addr().ok().map(|address| address.ip())
    }

    /// Waits until the peer has sent something, or the connection has ended.
    pub(super) async fn first_byte(&mut self) -> io::Result<()> {
        poll_fn(|context| {
            self.connection.reader.register(context.waker());
            if self.connection.fields().is_reset {
                return Poll::Ready(Err(self.reset_error()?));
            }
            self.stream.poll_read_ready(context)
        })
        .await
    }

    /// Returns the number of the `wanted` bytes that may be sent, or the error that resets the
    /// connection.
    fn allowance(&self, wanted: usize) -> io::Result<usize> {
        let Some(left) = self.connection.fields().bytes_until_reset else { return Ok(wanted) };
        if left == 0 && wanted > 0 {
            return Err(self.reset_error()?);
        }
        Ok(usize::try_from(left).map_or(wanted, |left| left.min(wanted)))
    }

    /// The error on which the connection is closed. Closing a socket that does not linger sends
    /// a reset, as a crashed peer does.
    fn reset_error(&self) -> io::Result<io::Error> {
        self.stream.set_zero_linger()?;
        Ok(io::ErrorKind::ConnectionReset.into())
    }

    fn note_sent(&self, bytes: usize) {
        if let Some(left) = &mut self.connection.fields().bytes_until_reset {
            *left = left.saturating_sub(bytes as u64);
        }
    }

    /// Writes the repeated response, if its time has come.
    fn poll_repeated(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut fields = self.connection.fields();
        let ConnectionFields { phase, requests, repeated, .. } = &mut *fields;
        while let Some(RepeatedResponse { rest, timing, request, has_begun }) = repeated {
            *has_begun |= match timing {
                RepeatTiming::Immediately => *phase != ConnectionPhase::Responding,
                RepeatTiming::BeforeNextResponse => *requests > *request,
            };
            if rest.is_empty() {
                *repeated = None;
            } else if *has_begun {
                let written = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
                rest.advance(written);
            } else {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Fails if the peer has disconnected while the service works on its request. hyper does not
    /// look as long as it has bytes of a next request, such as the line break that some clients
    /// send after a body.
    fn check_disconnect(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if !self.connection.is_responding() {
            return Ok(());
        }
        let mut byte = [0];
        match self.stream.poll_peek(context, &mut ReadBuf::new(&mut byte)) {
            Poll::Ready(Ok(0)) => Err(io::ErrorKind::ConnectionAborted.into()),
            Poll::Ready(Err(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Starts the head timeout at the first byte of a head.
    fn note_received(&mut self) {
        let awaited = self.connection.awaited_head();
        if self.head_timeout.as_ref().map(|(number, _)| *number) != awaited {
            self.head_timeout = awaited.map(|number| (number, Box::pin(sleep(HEAD_TIMEOUT))));
            self.connection.unauthenticated.add(&self.connection);
        }
    }

    /// Returns true if the head that has begun is overdue. Otherwise, the reader is woken at its
    /// deadline.
    fn is_head_overdue(&mut self, context: &mut Context<'_>) -> bool {
        let awaited = self.connection.awaited_head();
        match &mut self.head_timeout {
            Some((number, timeout)) if Some(*number) == awaited => {
                timeout.as_mut().poll(context).is_ready()
            }
            _ => false,
        }
    }

    /// Applies the write timeout to the outcome of a write.
    fn with_write_timeout<T>(
        &mut self,
        poll: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        self.connection.fields().is_write_blocked = poll.is_pending();
        if poll.is_ready() {
            self.write_timeout = None;
            return poll;
        }
        let timeout = self.write_timeout.get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        match timeout.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(self.reset_error()?)),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for BreakableStream {
    fn drop(&mut self) {
        if self.connection.fields().is_reset {
            // The peer may have closed it already.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for BreakableStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.connection.reader.register(context.waker());
        if self.connection.fields().is_reset || self.is_head_overdue(context) {
            return Poll::Ready(Err(self.reset_error()?));
        }
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.note_received();
        }
        poll
    }
}

impl AsyncWrite for BreakableStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_repeated(context))?;
        let allowed = self.allowance(bytes.len())?;
        let poll = Pin::new(&mut self.stream).poll_write(context, &bytes[..allowed]);
        if let Poll::Ready(Ok(written)) = poll {
            self.note_sent(written);
        }
        self.with_write_timeout(poll, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.connection.fields().bytes_until_reset.is_none() {
            ready!(self.poll_repeated(context))?;
            let poll = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
            return self.with_write_timeout(poll, context);
        }
        let first = slices.iter().find(|slice| !slice.is_empty());
        self.poll_write(context, first.map_or(&[], |slice| slice))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_repeated(context))?;
        self.check_disconnect(context)?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
