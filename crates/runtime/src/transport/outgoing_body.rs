//! A request's body, as the HTTP client takes it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
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
    /// `None` of a request without a body, of which nobody knows.
    state: Option<Arc<AtomicU8>>,
}

/// Nobody has asked for the body yet.
const STILL_TO_COME: u8 = 0;
/// The HTTP client has begun to take it.
const BEGUN: u8 = 1;
/// It has been called back before that.
const CALLED_BACK: u8 = 2;

/// The body was called back before the HTTP client asked for it.
#[derive(Debug)]
pub(super) struct CalledBack;

impl Outgoing {
    pub(super) fn new(bytes: Bytes) -> (Self, Departure) {
        let state = (!bytes.is_empty()).then(|| Arc::new(AtomicU8::new(STILL_TO_COME)));
        let departure = Departure { state };
        (Self { bytes, departure: departure.clone() }, departure)
    }
}

impl Departure {
    /// Of a request without a body.
    pub(super) const UNKNOWN: Self = Self { state: None };

    /// Calls the body back, if that is still possible: then it is certain that nothing of it has left
    /// or ever will, and the service cannot act on the request. Of a request without a body nobody
    /// knows.
    ///
    /// Just to look would not do. The HTTP client writes in a task of its own, which learns only later
    /// that nobody waits for the response any more, and could take the body after the look.
    pub(super) fn call_back(&self) -> bool {
        self.settle(CALLED_BACK) == CALLED_BACK
    }

    /// Calls the body back when the call is dropped: a request can stay in the queue of an HTTP/2
    /// connection after that, and leave once there is room.
    pub(super) fn call_back_on_drop(&self) -> impl Drop + use<> {
        struct Guard(Departure);

        impl Drop for Guard {
            fn drop(&mut self) {
                self.0.settle(CALLED_BACK);
            }
        }

        Guard(self.clone())
    }

    /// What the state is after this try to decide it. Only the first one does.
    fn settle(&self, state: u8) -> u8 {
        let Some(decided) = &self.state else { return BEGUN };
        let (order, otherwise) = (Ordering::AcqRel, Ordering::Acquire);
        match decided.compare_exchange(STILL_TO_COME, state, order, otherwise) {
            Ok(_) => state,
            Err(earlier) => earlier,
        }
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = CalledBack;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, CalledBack>>> {
        if self.departure.settle(BEGUN) == CALLED_BACK {
            return Poll::Ready(Some(Err(CalledBack)));
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

impl fmt::Display for CalledBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request was abandoned before its body was sent")
    }
}

impl std::error::Error for CalledBack {}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// What the HTTP client gets when it asks for the body.
    fn taken(body: &mut Outgoing) -> Option<Result<Bytes, CalledBack>> {
        let polled = Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(frame) = polled else { panic!("it is there at once") };
        frame.map(|frame| frame.map(|frame| frame.into_data().expect("no trailers")))
    }

    #[test]
    fn what_was_called_back_cannot_leave_any_more() {
        let (mut body, departure) = Outgoing::new(Bytes::from_static(b"{}"));
        assert!(departure.call_back());
        assert!(taken(&mut body).is_some_and(|frame| frame.is_err()));
        assert!(taken(&mut body).is_some_and(|frame| frame.is_err()), "nor when asked again");
        assert!(departure.call_back(), "and that stays certain");
    }

    #[test]
    fn what_has_begun_to_leave_cannot_be_called_back() {
        let (mut body, departure) = Outgoing::new(Bytes::from_static(b"{}"));
        assert!(matches!(taken(&mut body), Some(Ok(bytes)) if bytes == "{}"));
        assert!(!departure.call_back());
        assert!(taken(&mut body).is_none());
    }

    #[test]
    fn of_a_request_without_a_body_nobody_knows() {
        let (_, departure) = Outgoing::new(Bytes::new());
        assert!(!departure.call_back());
    }
}
