//! The bodies of requests and responses on their way, so that the connection knows whose turn it is.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::Body;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::connection::Line;
use crate::sync::locked;

/// How long a peer may pause within the body of a request, in real time.
const PAUSE_PATIENCE: Duration = Duration::from_secs(30);
/// How long it may take for the whole body.
const BODY_PATIENCE: Duration = Duration::from_secs(300);
/// How much of a body that nobody wants is still taken in, and for how long it may pause and take as
/// a whole. Whoever has no key can make the service do this, so it must not take long.
const MAX_LEFTOVER: usize = 64 * 1024 * 1024;
const LEFTOVER_PAUSE: Duration = Duration::from_millis(500);
const LEFTOVER_PATIENCE: Duration = Duration::from_secs(5);

/// What is left of a request's body when its response is decided.
///
/// A connection that is closed on a client that still sends is reset, and most clients then report a
/// broken connection instead of the response that was waiting for them.
#[derive(Default)]
pub(super) struct Leftover(Mutex<Option<(Incoming, usize)>>);

impl Leftover {
    /// Takes in what the client is still sending, within bounds.
    pub(super) async fn drain(&self, line: &Arc<Line>, stopping: &CancellationToken) {
        let Some((mut body, mut length)) = locked(&self.0).take() else { return };
        let rest = async {
            while length <= MAX_LEFTOVER {
                let frame = poll_fn(|context| {
                    let poll = Pin::new(&mut body).poll_frame(context);
                    line.set_answering(poll.is_ready());
                    poll
                });
                match tokio::time::timeout(LEFTOVER_PAUSE, frame).await {
                    Ok(Some(Ok(frame))) => length += frame.data_ref().map_or(0, Bytes::len),
                    _ => break,
                }
            }
        };
        tokio::select! {
            _ = tokio::time::timeout(LEFTOVER_PATIENCE, rest) => {}
            () = stopping.cancelled() => {}
        }
        line.set_answering(true);
    }
}

/// The body of a request. It fails with [`io::ErrorKind::TimedOut`] when the peer takes too long,
/// and with [`io::ErrorKind::Interrupted`] when the service stops before it is whole.
pub(super) struct Upload {
    /// None once it has ended, and once it is dropped.
    body: Option<Incoming>,
    length: usize,
    leftover: Option<Arc<Leftover>>,
    line: Arc<Line>,
    stopping: CancellationToken,
    /// When the whole body is due, since the first wait for it.
    due: Option<Instant>,
    given_up: Option<BoxFuture<'static, io::ErrorKind>>,
}

impl Upload {
    /// What is not read of it goes to `leftover`, if there is one.
    pub(super) fn new(
        body: Incoming,
        leftover: Option<Arc<Leftover>>,
        line: Arc<Line>,
        stopping: CancellationToken,
    ) -> Self {
        Self { body: Some(body), length: 0, leftover, line, stopping, due: None, given_up: None }
    }

    fn poll_given_up(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let now = Instant::now();
        let due = *self.due.get_or_insert(now + BODY_PATIENCE);
        let given_up = self.given_up.get_or_insert_with(|| {
            let pause = sleep(PAUSE_PATIENCE.min(due.saturating_duration_since(now)));
            let stopped = self.stopping.clone().cancelled_owned();
            Box::pin(async move {
                tokio::select! {
                    () = pause => io::ErrorKind::TimedOut,
                    () = stopped => io::ErrorKind::Interrupted,
                }
            })
        });
        given_up.as_mut().poll(context).map(io::Error::from)
    }
}

impl HttpBody for Upload {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        if let Poll::Ready(frame) = Pin::new(body).poll_frame(context) {
            self.given_up = None;
            self.line.set_answering(true);
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
            self.length += data.map_or(0, Bytes::len);
            if !matches!(frame, Some(Ok(_))) {
                self.body = None;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        self.line.set_answering(false);
        let error = ready!(self.poll_given_up(context));
        self.line.set_answering(true);
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

impl Drop for Upload {
    fn drop(&mut self) {
        let body = self.body.take().filter(|body| !body.is_end_stream());
        if let (Some(body), Some(leftover)) = (body, &self.leftover) {
            *locked(&leftover.0) = Some((body, self.length));
        }
    }
}

/// Held as long as the service owes a connection a response.
pub(super) struct Owed(Arc<Line>);

impl Owed {
    pub(super) fn on(line: &Arc<Line>) -> Self {
        line.begin_request();
        Self(line.clone())
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        self.0.end_request();
    }
}

/// The body of a response, owed until it is handed over.
pub(super) struct Download {
    pub(super) body: Body,
    pub(super) _owed: Owed,
}

impl HttpBody for Download {
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
