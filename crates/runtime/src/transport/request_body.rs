//! Body of a request: its content, and the record that the HTTP client has begun to send it.
//!
//! The state decides, once and atomically, whether a request may have reached the service: either
//! the HTTP client asks for the body first ([`BEGUN`]), or the call withdraws it first
//! ([`WITHDRAWN`]) and the service cannot process the request.

use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use crate::upload::Outgoing;

/// The content of a body, which records when the HTTP client begins to send it.
///
/// Unlike plain bytes, the HTTP client cannot clone it, so it cannot retry a request on its own or
/// repeat it after a redirect.
pub(super) struct OutgoingBody {
    content: Content,
    send_state: SendState,
}

enum Content {
    Bytes(Bytes),
    /// In a mutex, since the HTTP client requires a body to be `Sync`.
    Upload(Box<Mutex<Outgoing>>),
}

/// State of a request's body: not started, begun or withdrawn.
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

/// The reason why a body was not sent to its end.
#[derive(Debug)]
pub(super) enum Interrupted {
    /// The body was withdrawn before the HTTP client asked for it.
    Withdrawn,
    /// The content could not be read.
    Unreadable(Box<dyn std::error::Error + Send + Sync>),
}

impl OutgoingBody {
    pub(super) fn new(bytes: Bytes) -> (Self, SendState) {
        let state = (!bytes.is_empty()).then(|| Arc::new(AtomicU8::new(NOT_STARTED)));
        let send_state = SendState { state };
        (Self { content: Content::Bytes(bytes), send_state: send_state.clone() }, send_state)
    }

    /// A body that is read as it is sent.
    pub(super) fn upload(outgoing: Outgoing) -> (Self, SendState) {
        let state = (outgoing.left() != Some(0)).then(|| Arc::new(AtomicU8::new(NOT_STARTED)));
        let send_state = SendState { state };
        let content = Content::Upload(Box::new(Mutex::new(outgoing)));
        (Self { content, send_state: send_state.clone() }, send_state)
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
        self.decide(WITHDRAWN) == WITHDRAWN
    }

    /// Withdraws the body when the call is dropped: a request can stay in the queue of an HTTP/2
    /// connection after that, and be sent later.
    pub(super) fn withdraw_on_drop(&self) -> impl Drop + use<> {
        struct Guard(SendState);

        impl Drop for Guard {
            fn drop(&mut self) {
                self.0.decide(WITHDRAWN);
            }
        }

        Guard(self.clone())
    }

    /// Sets the state unless it was decided before, and returns the decided state.
    fn decide(&self, state: u8) -> u8 {
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
    type Error = Interrupted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Interrupted>>> {
        if self.send_state.decide(BEGUN) == WITHDRAWN {
            return Poll::Ready(Some(Err(Interrupted::Withdrawn)));
        }
        match &mut self.content {
            Content::Bytes(bytes) => {
                let bytes = std::mem::take(bytes);
                Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
            }
            Content::Upload(outgoing) => {
                let outgoing = outgoing.get_mut().unwrap_or_else(PoisonError::into_inner);
                let chunk = ready!(outgoing.poll_chunk(context));
                let read = |it: Result<_, _>| it.map(Frame::data).map_err(Interrupted::Unreadable);
                Poll::Ready(chunk.map(read))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.size_hint().exact() == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        let left = match &self.content {
            Content::Bytes(bytes) => Some(bytes.len() as u64),
            Content::Upload(outgoing) => {
                outgoing.lock().unwrap_or_else(PoisonError::into_inner).left()
            }
        };
        left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Withdrawn => f.write_str("the request was abandoned before its body was sent"),
            Self::Unreadable(error) => write!(f, "the body could not be read: {error}"),
        }
    }
}

impl std::error::Error for Interrupted {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Withdrawn => None,
            Self::Unreadable(error) => Some(&**error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;
    use crate::upload::Upload;

    /// The frame that the HTTP client gets when it asks for the body.
    fn taken(body: &mut OutgoingBody) -> Option<Result<Bytes, Interrupted>> {
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
    fn a_stream_that_was_withdrawn_can_be_sent_again() {
        let upload = Upload::stream(futures_util::stream::iter([Ok::<_, std::io::Error>("a")]));
        let (mut body, send_state) = OutgoingBody::upload(upload.outgoing());
        assert!(send_state.withdraw());
        assert!(taken(&mut body).is_some_and(|frame| frame.is_err()));
        assert!(!upload.is_spent());
        let (mut body, send_state) = OutgoingBody::upload(upload.outgoing());
        assert!(matches!(taken(&mut body), Some(Ok(bytes)) if bytes == "a"));
        assert!(!send_state.withdraw() && upload.is_spent());
    }

    #[test]
    fn a_request_without_a_body_may_have_been_sent() {
        let (_, send_state) = OutgoingBody::new(Bytes::new());
        assert!(!send_state.withdraw());
    }
}
