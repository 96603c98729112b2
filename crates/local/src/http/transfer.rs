//! The bodies of requests and responses on their way, so that the connection knows whose turn it is.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
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

/// How long a peer may pause within the body of a request, in real time.
const PAUSE_PATIENCE: Duration = Duration::from_secs(30);
/// How long it may take for the whole body.
const BODY_PATIENCE: Duration = Duration::from_secs(300);

/// The body of a request. It fails with [`io::ErrorKind::TimedOut`] when the peer takes too long,
/// and with [`io::ErrorKind::Interrupted`] when the service stops before it is whole.
pub(super) struct Upload {
    body: Incoming,
    line: Arc<Line>,
    stopping: CancellationToken,
    /// When the whole body is due, since the first wait for it.
    due: Option<Instant>,
    given_up: Option<BoxFuture<'static, io::ErrorKind>>,
}

impl Upload {
    pub(super) fn new(body: Incoming, line: Arc<Line>, stopping: CancellationToken) -> Self {
        Self { body, line, stopping, due: None, given_up: None }
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
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.given_up = None;
            self.line.set_answering(true);
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        self.line.set_answering(false);
        let error = ready!(self.poll_given_up(context));
        self.line.set_answering(true);
        Poll::Ready(Some(Err(error.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
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
        self.0.set_answering(false);
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
