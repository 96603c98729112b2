//! A request's body, as the HTTP client takes it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

const WAITING: u8 = 0;
const BEGUN: u8 = 1;
const ABANDONED: u8 = 2;

/// The bytes of a body, and a note of when the HTTP client begins to take them.
///
/// The HTTP client cannot copy it, other than bytes: so it cannot retry a request on its own, nor
/// replay it to where a redirect points.
pub(super) struct Outgoing {
    bytes: Bytes,
    progress: Arc<AtomicU8>,
}

/// Tells whether the HTTP client has begun to write a request's body, and keeps it from doing so once
/// nobody waits for the response: a request that is dropped can stay in the queue of an HTTP/2
/// connection, and leave when there is room.
pub(super) struct Departure {
    progress: Arc<AtomicU8>,
    has_body: bool,
}

impl Outgoing {
    pub(super) fn new(bytes: Bytes) -> (Self, Departure) {
        let progress = Arc::new(AtomicU8::new(WAITING));
        let has_body = !bytes.is_empty();
        let departure = Departure { progress: Arc::clone(&progress), has_body };
        (Self { bytes, progress }, departure)
    }
}

impl Departure {
    /// Whether it is certain that nothing of the body has left nor ever will, so that the service
    /// cannot act on the request. Of a request without a body nobody knows.
    pub(super) fn abandon(&self) -> bool {
        let abandoned =
            self.progress.compare_exchange(WAITING, ABANDONED, Ordering::AcqRel, Ordering::Acquire);
        self.has_body && abandoned != Err(BEGUN)
    }
}

impl Drop for Departure {
    fn drop(&mut self) {
        self.abandon();
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Abandoned;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Abandoned>>> {
        let begun =
            self.progress.compare_exchange(WAITING, BEGUN, Ordering::AcqRel, Ordering::Acquire);
        if begun == Err(ABANDONED) {
            return Poll::Ready(Some(Err(Abandoned)));
        }
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

/// Nobody waits for the response any more.
#[derive(Debug)]
pub(super) struct Abandoned;

impl fmt::Display for Abandoned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request was given up before its body was sent")
    }
}

impl std::error::Error for Abandoned {}
