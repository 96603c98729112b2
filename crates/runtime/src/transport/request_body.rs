//! Body of a request: its bytes, and the record that the HTTP client has begun to send them.
//!
//! The state decides, once and atomically, whether a request may have reached the service: either
//! the HTTP client asks for the body first ([`BEGUN`]), or the call withdraws it first
//! ([`WITHDRAWN`]) and the service cannot process the request.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The bytes of a body, which records when the HTTP client begins to send them.
///
/// Unlike plain bytes, the HTTP client cannot clone it, so it cannot retry a request on its own or
/// repeat it after a redirect.
pub(super) struct OutgoingBody {
    bytes: Bytes,
    send_state: SendState,
}

/// Progress of a request's body: not begun, or begun by the HTTP client.
#[derive(Clone)]
pub(super) struct SendState {
    /// `None` for a request without a body, whose state is unknown.
    state: Option<Arc<AtomicU8>>,
}

/// The HTTP client has not asked for the body yet.
const NOT_STARTED: u8 = 0;
/// The HTTP client has begun to send it.
const BEGUN: u8 = 1;
/// The call withdrew it before that.
const WITHDRAWN: u8 = 2;

/// The body was withdrawn before the HTTP client asked for it.
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
    /// The state of a request without a body.
    pub(super) const UNKNOWN: Self = Self { state: None };

    /// Withdraws the body. Returns true if it was never sent and never will be, so that the service
    /// cannot process the request; false if it may have been sent, or there is no body.
    ///
    /// Reading the state would not be enough: the HTTP client writes in a task of its own, which
    /// learns only later that the response is no longer awaited, and could take the body after the
    /// read.
    pub(super) fn withdraw(&self) -> bool {
        self.settle(WITHDRAWN) == WITHDRAWN
    }

    /// Withdraws the body when the call is dropped: a request can stay in the queue of an HTTP/2
    /// connection after that, and be sent later.
    pub(super) fn withdraw_on_drop(&self) -> impl Drop + use<> {
        struct Guard(SendState);

        impl Drop for Guard {
            fn drop(&mut self) {
                self.0.settle(WITHDRAWN);
            }
        }

        Guard(self.clone())
    }

    /// Sets the state unless it was decided before, and returns the decided state.
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

    /// The frame that the HTTP client gets when it asks for the body.
    fn taken(body: &mut OutgoingBody) -> Option<Result<Bytes, Withdrawn>> {
        let polled = Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(frame) = polled else { panic!("it is there at once") };
        frame.map(|frame| frame.map(|frame| frame.into_data().expect("no trailers")))
    }

    #[test]
    fn a_withdrawn_body_is_never_sent() {
        let (mut body, send_state) = OutgoingBody::new(Bytes::from_static(b"{}"));
        assert!(send_state.withdraw());
        assert!(taken(&mut body).is_some_and(|frame| frame.is_err()));
        assert!(taken(&mut body).is_some_and(|frame| frame.is_err()), "nor when asked again");
        assert!(send_state.withdraw(), "and that stays certain");
    }

    #[test]
    fn a_body_that_is_being_sent_cannot_be_withdrawn() {
        let (mut body, send_state) = OutgoingBody::new(Bytes::from_static(b"{}"));
        assert!(matches!(taken(&mut body), Some(Ok(bytes)) if bytes == "{}"));
        assert!(!send_state.withdraw());
        assert!(taken(&mut body).is_none());
    }

    #[test]
    fn a_request_without_a_body_may_have_been_sent() {
        let (_, send_state) = OutgoingBody::new(Bytes::new());
        assert!(!send_state.withdraw());
    }
}
