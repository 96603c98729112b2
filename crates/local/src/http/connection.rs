//! Connections that can be made to break.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::serve::Listener;
use futures_util::task::AtomicWaker;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::door::Door;

/// How many more bytes a connection sends before it is reset.
const UNLIMITED: u64 = u64::MAX;

/// The service's end of a connection, as a request's handler can reach it.
#[derive(Clone, Debug)]
pub(crate) struct Connection(Arc<Line>);

/// What can cut a connection from outside, also while it is idle.
#[derive(Debug)]
pub(crate) struct Line {
    /// How many more bytes it sends.
    left: AtomicU64,
    cut: AtomicBool,
    reader: AtomicWaker,
}

impl Line {
    /// Resets the connection now.
    pub(crate) fn cut(&self) {
        self.left.store(0, Ordering::Release);
        self.cut.store(true, Ordering::Release);
        self.reader.wake();
    }
}

impl Connection {
    /// Resets the connection after so many more bytes.
    pub(crate) fn reset_after(&self, bytes: u64) {
        self.0.left.store(bytes, Ordering::Release);
    }
}

/// A listener whose connections can be made to break, and which can refuse them.
pub(crate) struct Breakable(pub(crate) Door);

impl Listener for Breakable {
    type Io = BreakableStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = self.0.accept().await;
        // Without it small answers may wait for an acknowledgement; a refusal to set it costs
        // speed only.
        let _ = stream.set_nodelay(true);
        let line = Arc::new(Line {
            left: AtomicU64::new(UNLIMITED),
            cut: AtomicBool::new(false),
            reader: AtomicWaker::new(),
        });
        self.0.admit(&line);
        (BreakableStream { stream, line }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        Ok(self.0.address())
    }
}

pub(crate) struct BreakableStream {
    stream: TcpStream,
    line: Arc<Line>,
}

impl BreakableStream {
    pub(crate) fn connection(&self) -> Connection {
        Connection(self.line.clone())
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
        let allowed = self.allowance(bytes.len())?;
        let poll = Pin::new(&mut self.stream).poll_write(context, &bytes[..allowed]);
        if let Poll::Ready(Ok(written)) = poll {
            self.sent(written);
        }
        poll
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.line.left.load(Ordering::Acquire) == UNLIMITED {
            return Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        }
        let first = slices.iter().find(|slice| !slice.is_empty());
        self.poll_write(context, first.map_or(&[], |slice| slice))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
