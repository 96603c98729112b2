//! Connections that can be made to break, and that do not wait for ever for their peer.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::sync::locked;

/// How many connections without a key that have sent something may wait for their peers at a time.
/// What they make the service hold is bounded by this, whatever number of connections is open.
const MAX_STRANGERS: usize = 256;

/// How many more bytes a connection sends before it is reset.
const UNLIMITED: u64 = u64::MAX;

/// How long the head of a request may take from its first byte on, in real time.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a peer may leave a response unread, in real time.
const WRITE_PATIENCE: Duration = Duration::from_secs(60);

/// The service's end of a connection, as a request's handler can reach it.
#[derive(Clone, Debug)]
pub(crate) struct Connection(pub(super) Arc<Line>);

/// What can cut a connection from outside, also while it is idle.
#[derive(Debug)]
pub(crate) struct Line {
    /// How many more bytes it sends.
    left: AtomicU64,
    cut: AtomicBool,
    reader: AtomicWaker,
    /// How many requests have begun to be processed: then their heads were whole.
    requests: AtomicU64,
    /// Whether the next thing to happen is up to the service: a whole request is being processed,
    /// or its response is not written yet.
    answering: AtomicBool,
    /// Whether a request has begun whose response is not handed over yet.
    in_request: AtomicBool,
    /// Whether any request had a key of the service.
    authorized: AtomicBool,
    strangers: Arc<Strangers>,
    /// Whether it is among them.
    is_listed: AtomicBool,
    /// Whether the peer has yet to read what was written.
    blocked: AtomicBool,
    again: Mutex<Option<Again>>,
}

/// The connections whose peers have shown no key, have sent something, and have to send or read more:
/// in the middle of a head, after a refused request, or in a body that nobody wants. The oldest first;
/// what has ended, or waits no more, is removed when the next one is added.
#[derive(Debug, Default)]
pub(super) struct Strangers(Mutex<VecDeque<Weak<Line>>>);

impl Strangers {
    /// Adds a connection. The oldest one is reset where there are too many.
    fn add(&self, line: &Arc<Line>) {
        if line.is_authorized() || line.is_listed.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut waiting = locked(&self.0);
        waiting.retain(|line| {
            line.upgrade().is_some_and(|line| {
                let waits = !line.is_authorized() && !line.is_answering();
                line.is_listed.store(waits, Ordering::Release);
                waits
            })
        });
        waiting.push_back(Arc::downgrade(line));
        while waiting.len() > MAX_STRANGERS {
            let oldest = waiting.pop_front();
            oldest.and_then(|line| line.upgrade()).inspect(|line| line.cut());
        }
    }
}

/// When a response is sent a second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    AtOnce,
    /// In front of the next response on the connection.
    BeforeTheNext,
}

/// A response that is to be sent once more.
#[derive(Debug)]
struct Again {
    rest: Bytes,
    when: When,
    /// The number of the request that it belongs to.
    request: u64,
    begun: bool,
}

impl Line {
    pub(super) fn new(strangers: Arc<Strangers>) -> Self {
        Self {
            left: AtomicU64::new(UNLIMITED),
            cut: AtomicBool::new(false),
            reader: AtomicWaker::new(),
            requests: AtomicU64::new(0),
            answering: AtomicBool::new(false),
            in_request: AtomicBool::new(false),
            authorized: AtomicBool::new(false),
            strangers,
            is_listed: AtomicBool::new(false),
            blocked: AtomicBool::new(false),
            again: Mutex::default(),
        }
    }

    /// Resets the connection now.
    pub(crate) fn cut(&self) {
        self.left.store(0, Ordering::Release);
        self.cut.store(true, Ordering::Release);
        self.reader.wake();
    }

    pub(super) fn begin_request(self: &Arc<Self>) {
        self.requests.fetch_add(1, Ordering::AcqRel);
        self.in_request.store(true, Ordering::Release);
        self.set_answering(true);
    }

    pub(super) fn end_request(self: &Arc<Self>) {
        self.in_request.store(false, Ordering::Release);
        self.set_answering(false);
    }

    /// The number of the request whose head is due, which is how many have begun before; none while
    /// one is processed.
    fn awaited_head(&self) -> Option<u64> {
        let is_awaited = !self.in_request.load(Ordering::Acquire);
        is_awaited.then(|| self.requests.load(Ordering::Acquire))
    }

    /// Whether the peer has shown a key: then it is the last to make room for others.
    pub(super) fn is_authorized(&self) -> bool {
        self.authorized.load(Ordering::Acquire)
    }

    pub(super) fn set_answering(self: &Arc<Self>, answering: bool) {
        self.answering.store(answering, Ordering::Release);
        if !answering {
            self.strangers.add(self);
        }
    }

    /// Whether the service owes a response: without one, closing the connection loses nothing.
    pub(super) fn is_answering(&self) -> bool {
        self.answering.load(Ordering::Acquire)
    }

    /// Whether the connection can be closed without cutting a response short.
    pub(super) fn is_idle(&self) -> bool {
        !self.is_answering() && !self.blocked.load(Ordering::Acquire)
    }
}

impl Connection {
    /// Notes that a request had a key of the service.
    pub(crate) fn authorize(&self) {
        self.0.authorized.store(true, Ordering::Release);
    }

    /// Resets the connection after so many more bytes.
    pub(crate) fn reset_after(&self, bytes: u64) {
        self.0.left.store(bytes, Ordering::Release);
    }

    /// Sends a response once more, which is being sent.
    pub(crate) fn send_again(&self, response: Bytes, when: When) {
        let request = self.0.requests.load(Ordering::Acquire);
        *locked(&self.0.again) = Some(Again { rest: response, when, request, begun: false });
    }
}

/// A stream that can be cut, and that limits how long its peer takes: for the head of a request, and
/// for reading a response.
///
/// The HTTP library has one timeout for idle connections and for heads. The one for idle connections
/// has to be long, because a client must not send a request on a connection that is being closed;
/// with the same timeout for heads, a peer that sends one byte now and then would hold its
/// connection as long.
pub(crate) struct BreakableStream {
    stream: TcpStream,
    line: Arc<Line>,
    /// Runs out when the head of the request with this number has taken too long.
    head: Option<(u64, Pin<Box<Sleep>>)>,
    /// Runs out when the peer has read nothing for too long.
    patience: Option<Pin<Box<Sleep>>>,
}

impl BreakableStream {
    pub(super) fn new(stream: TcpStream, line: Arc<Line>) -> Self {
        Self { stream, line, head: None, patience: None }
    }

    pub(super) fn line(&self) -> &Arc<Line> {
        &self.line
    }

    /// The address of this machine that the peer has connected to.
    pub(super) fn local_ip(&self) -> Option<IpAddr> {
        self.stream.local_addr().ok().map(|address| address.ip())
    }

    /// Waits until the peer has sent something, or the connection has ended.
    pub(super) async fn begun(&mut self) -> io::Result<()> {
        poll_fn(|context| {
            self.line.reader.register(context.waker());
            if self.line.cut.load(Ordering::Acquire) {
                return Poll::Ready(Err(self.reset()?));
            }
            self.stream.poll_read_ready(context)
        })
        .await
    }

    /// How many of `wanted` bytes may be sent, or the error that resets the connection.
    fn allowance(&self, wanted: usize) -> io::Result<usize> {
        let left = self.line.left.load(Ordering::Acquire);
        if left == 0 && wanted > 0 {
            return Err(self.reset()?);
        }
        Ok(usize::try_from(left).map_or(wanted, |left| left.min(wanted)))
    }

    /// The error on which the connection is closed. Closing a socket that does not linger sends
    /// a reset, as a crashed peer does.
    fn reset(&self) -> io::Result<io::Error> {
        self.stream.set_zero_linger()?;
        Ok(io::ErrorKind::ConnectionReset.into())
    }

    fn sent(&self, bytes: usize) {
        let left = self.line.left.load(Ordering::Acquire);
        if left != UNLIMITED {
            self.line.left.store(left.saturating_sub(bytes as u64), Ordering::Release);
        }
    }

    /// Writes the response that is to be sent once more, if its time has come.
    fn poll_again(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut again = locked(&self.line.again);
        while let Some(Again { rest, when, request, begun }) = &mut *again {
            *begun |= match when {
                When::AtOnce => !self.line.is_answering(),
                When::BeforeTheNext => self.line.requests.load(Ordering::Acquire) > *request,
            };
            if rest.is_empty() {
                *again = None;
            } else if *begun {
                let written = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
                rest.advance(written);
            } else {
                break;
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Fails if the peer has left while it is owed a response. The HTTP library does not look as
    /// long as it has bytes of a next request, be it the line break that some clients send after a
    /// body.
    fn notice_leaving(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if !self.line.is_answering() {
            return Ok(());
        }
        let mut byte = [0];
        match self.stream.poll_peek(context, &mut ReadBuf::new(&mut byte)) {
            Poll::Ready(Ok(0)) => Err(io::ErrorKind::ConnectionAborted.into()),
            Poll::Ready(Err(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Notes the first byte of a head.
    fn begin_head(&mut self) {
        let awaited = self.line.awaited_head();
        if self.head.as_ref().map(|(number, _)| *number) != awaited {
            self.head = awaited.map(|number| (number, Box::pin(sleep(HEAD_TIMEOUT))));
            self.line.strangers.add(&self.line);
        }
    }

    /// Whether the head that has begun is overdue. If it is not, this wakes the reader then.
    fn is_head_overdue(&mut self, context: &mut Context<'_>) -> bool {
        let awaited = self.line.awaited_head();
        match &mut self.head {
            Some((number, due)) if Some(*number) == awaited => {
                due.as_mut().poll(context).is_ready()
            }
            _ => false,
        }
    }

    /// Gives up a peer that does not read.
    fn limited<T>(
        &mut self,
        poll: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        self.line.blocked.store(poll.is_pending(), Ordering::Release);
        if poll.is_ready() {
            self.patience = None;
            return poll;
        }
        let patience = self.patience.get_or_insert_with(|| Box::pin(sleep(WRITE_PATIENCE)));
        match patience.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(self.reset()?)),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for BreakableStream {
    fn drop(&mut self) {
        if self.line.cut.load(Ordering::Acquire) {
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
        let line = &self.line;
        line.reader.register(context.waker());
        if line.cut.load(Ordering::Acquire) || self.is_head_overdue(context) {
            return Poll::Ready(Err(self.reset()?));
        }
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.begin_head();
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
        ready!(self.poll_again(context))?;
        let allowed = self.allowance(bytes.len())?;
        let poll = Pin::new(&mut self.stream).poll_write(context, &bytes[..allowed]);
        if let Poll::Ready(Ok(written)) = poll {
            self.sent(written);
        }
        self.limited(poll, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.line.left.load(Ordering::Acquire) == UNLIMITED {
            ready!(self.poll_again(context))?;
            let poll = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
            return self.limited(poll, context);
        }
        let first = slices.iter().find(|slice| !slice.is_empty());
        self.poll_write(context, first.map_or(&[], |slice| slice))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_again(context))?;
        self.notice_leaving(context)?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
