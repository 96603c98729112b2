//! A request's body, as the HTTP client takes it.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The bytes of a body, and a note of when the HTTP client begins to take them.
///
/// The HTTP client cannot copy it, other than bytes: so it cannot retry a request on its own, nor
/// replay it to where a redirect points.
pub(super) struct Outgoing {
    bytes: Bytes,
    departure: Departure,
}

/// Whether the HTTP client has begun to write a request's body.
#[derive(Clone)]
pub(super) struct Departure {
    begun: Arc<AtomicBool>,
    has_body: bool,
}

impl Outgoing {
    pub(super) fn new(bytes: Bytes) -> (Self, Departure) {
        let begun = Arc::new(AtomicBool::new(false));
        let departure = Departure { begun, has_body: !bytes.is_empty() };
        (Self { bytes, departure: departure.clone() }, departure)
    }
}

impl Departure {
    /// Whether it is certain that nothing of the body has left, and the service cannot have acted on
    /// the request. Of a request without a body nobody knows.
    pub(super) fn is_still_to_come(&self) -> bool {
        self.has_body && !self.begun.load(Ordering::Acquire)
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.departure.begun.store(true, Ordering::Release);
        let bytes = std::mem::take(&mut self.bytes);
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
