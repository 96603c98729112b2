//! Outgoing body: a request's bytes, and whether the HTTP client has begun to send them.

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
pub(super) struct OutgoingBody {
    bytes: Bytes,
    send_state: SendState,
}

/// Whether the HTTP client has begun to write a request's body.
#[derive(Clone)]
pub(super) struct SendState {
    /// `None` of a request without a body, of which nobody knows.
    state: Option<Arc<AtomicU8>>,
}

/// Nobody has asked for the body yet.
const NOT_STARTED: u8 = 0;
/// The HTTP client has begun to take it.
const BEGUN: u8 = 1;
/// It has been called back before that.
const WITHDRAWN: u8 = 2;

/// The body was called back before the HTTP client asked for it.
#[derive(Debug)]
pub(super) struct Withdrawn;

impl OutgoingBody {
    pub(super) fn new(bytes: Bytes) -> (Self, SendState) {
        let state = (!bytes.is_empty()).then(|| Arc::new(AtomicU8::new(NOT_STARTED)));
        let send_state = SendState { state };
        (Self { bytes, send_state: send_state.clone() }, send_state)
    }
}

impl SendState {
    /// Of a request without a body.
    pub(super) const UNKNOWN: Self = Self { state: None };

    /// Calls the body back, if that is still possible: then it is certain that nothing of it has left
    /// or ever will, and the service cannot act on the request. Of a request without a body nobody
    /// knows.
    ///
    /// Just to look would not do. The HTTP client writes in a task of its own, which learns only later
    /// that nobody waits for the response any more, and could take the body after the look.
    pub(super) fn withdraw(&self) -> bool {
        self.settle(WITHDRAWN) == WITHDRAWN
    }

    /// Calls the body back when the call is dropped: a request can stay in the queue of an HTTP/2
    /// connection after that, and leave once there is room.
    pub(super) fn withdraw_on_drop(&self) -> impl Drop + use<> {
        struct Guard(SendState);

        impl Drop for Guard {
            fn drop(&mut self) {
                self.0.settle(WITHDRAWN);
            }
        }

        Guard(self.clone())
    }

    /// What the state is after this try to decide it. Only the first one does.
    fn settle(&self, state: u8) -> u8 {
        let Some(decided) = &self.state else { return BEGUN };
        let (order, otherwise) = (Ordering::AcqRel, Ordering::Acquire);
        match decided.compare_exchange(NOT_STARTED, state, order, otherwise) {
            Ok(_) => state,
            Err(earlier) => earlier,
        }
    }
}

impl Body for OutgoingBody {
    type Data = Bytes;
    type Error = Withdrawn;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Withdrawn>>> {
        if self.send_state.settle(BEGUN) == WITHDRAWN {
            return Poll::Ready(Some(Err(Withdrawn)));
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

impl fmt::Display for Withdrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request was abandoned before its body was sent")
    }
}

impl std::error::Error for Withdrawn {}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    /// What the HTTP client gets when it asks for the body.
    fn taken(body: &mut OutgoingBody) -> Option<Result<Bytes, Withdrawn>> {
        let polled = Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(frame) = polled else { panic!("it is there at once") };
        frame.map(|frame| frame.map(|frame| frame.into_data().expect("no trailers")))
    }

    #[test]
    fn what_was_called_back_cannot_leave_any_more() {
        let (mut body, send_state) = OutgoingBody::new(Bytes::from_static(b"{}"));
        assert!(send_state.withdraw());
        assert!(taken(&mut body).is_some_and(|frame| frame.is_err()));
        assert!(taken(&mut body).is_some_and(|frame| frame.is_err()), "nor when asked again");
        assert!(send_state.withdraw(), "and that stays certain");
    }

    #[test]
    fn what_has_begun_to_leave_cannot_be_called_back() {
        let (mut body, send_state) = OutgoingBody::new(Bytes::from_static(b"{}"));
        assert!(matches!(taken(&mut body), Some(Ok(bytes)) if bytes == "{}"));
        assert!(!send_state.withdraw());
        assert!(taken(&mut body).is_none());
    }

    #[test]
    fn of_a_request_without_a_body_nobody_knows() {
        let (_, send_state) = OutgoingBody::new(Bytes::new());
        assert!(!send_state.withdraw());
    }
}
