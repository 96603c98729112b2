//! Connections that can be made to break, and that do not wait for ever for their peer.

use std::future::Future;
use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::sync::locked;

/// How many more bytes a connection sends before it is reset.
const UNLIMITED: u64 = u64::MAX;

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
    /// Whether the peer has yet to read what was written.
    blocked: AtomicBool,
    again: Mutex<Option<Again>>,
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
    pub(super) fn new() -> Self {
        Self {
            left: AtomicU64::new(UNLIMITED),
            cut: AtomicBool::new(false),
            reader: AtomicWaker::new(),
            requests: AtomicU64::new(0),
            answering: AtomicBool::new(false),
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

    pub(super) fn begin_request(&self) {
        self.requests.fetch_add(1, Ordering::AcqRel);
        self.set_answering(true);
    }

    pub(super) fn set_answering(&self, answering: bool) {
        self.answering.store(answering, Ordering::Release);
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

pub(crate) struct BreakableStream {
    stream: TcpStream,
    line: Arc<Line>,
    /// Runs out when the peer has read nothing for too long.
    patience: Option<Pin<Box<Sleep>>>,
}

impl BreakableStream {
    pub(super) fn new(stream: TcpStream, line: Arc<Line>) -> Self {
        Self { stream, line, patience: None }
    }

    pub(super) fn line(&self) -> &Arc<Line> {
        &self.line
    }

    /// The address of this machine that the peer has connected to.
    pub(super) fn local_ip(&self) -> Option<IpAddr> {
        self.stream.local_addr().ok().map(|address| address.ip())
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
        if line.cut.load(Ordering::Acquire) {
            return Poll::Ready(Err(self.reset()?));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
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
