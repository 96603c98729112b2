//! Body of a request, with the minimum throughput, and the rest of a body that a handler has not
//! read.
//!
//! The HTTP library closes the connection when a handler leaves a part of the body, and a client
//! that still sends it then reports a broken connection instead of the response. So the rest is
//! received, within bounds, before the response is sent.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::timeout;

use super::connections::Connection;
use super::min_throughput::MinThroughput;

/// Limits of receiving an unread rest, which is open to peers without a key.
const MOST_DRAINED: usize = 16 * 1024 * 1024;
const DRAIN_PAUSE_TIMEOUT: Duration = Duration::from_millis(500);
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// The part of a body that the handler has not read.
#[derive(Clone, Default)]
pub(super) struct Unread(Arc<Mutex<Option<Incoming>>>);

impl Unread {
    /// The rest, if there is any.
    pub(super) fn take(&self) -> Option<Incoming> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Receives the rest of a body.
pub(super) async fn drain(mut rest: Incoming) {
    let drain = async {
        let mut length = 0;
        while length <= MOST_DRAINED {
            match timeout(DRAIN_PAUSE_TIMEOUT, rest.frame()).await {
                Ok(Some(Ok(frame))) => length += frame.data_ref().map_or(0, Bytes::len),
                _ => return,
            }
        }
    };
    let _ = timeout(DRAIN_TIMEOUT, drain).await;
}

/// The body of a request. It fails with [`TimedOut`](std::io::ErrorKind::TimedOut) if the peer is
/// too slow.
pub(super) struct RequestBody {
    /// `None` once it has ended or failed.
    body: Option<Incoming>,
    /// True if the peer sends the body only once it is asked to.
    is_on_request: bool,
    unread: Unread,
    /// The connection of the request.
    connection: Arc<Connection>,
    throughput: MinThroughput,
}

impl RequestBody {
    pub(super) fn new(
        body: Incoming,
        is_on_request: bool,
        unread: Unread,
        connection: Arc<Connection>,
    ) -> Self {
        Self {
            body: Some(body),
            is_on_request,
            unread,
            connection,
            throughput: MinThroughput::default(),
        }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        if let Poll::Ready(frame) = Pin::new(body).poll_frame(context) {
            if let Some(Ok(frame)) = &frame {
                self.throughput.advance(frame.data_ref().map_or(0, Bytes::len));
            }
            self.is_on_request = false;
            self.connection.mark_active();
            if !matches!(frame, Some(Ok(_))) {
                self.body = None;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(BoxError::from)));
        }
        let too_slow = ready!(self.throughput.poll_wait(context));
        self.body = None;
        Poll::Ready(Some(Err(too_slow.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map(Body::size_hint).unwrap_or_default()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        let is_sent = !self.is_on_request;
        let rest = self.body.take().filter(|body| is_sent && !body.is_end_stream());
        *self.unread.0.lock().unwrap_or_else(PoisonError::into_inner) = rest;
    }
}
