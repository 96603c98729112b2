//! Body of a response: read whole, up to the largest length that is allowed ([`read_body`]), or as
//! it arrives ([`IncomingBody`]); and [`PartialResponse`], what could not be read to its end.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep, sleep_until};

use super::attempt_timer::{AttemptTimer, TimedOut};
use crate::call::AddressedCall;
use crate::error::{Attempted, Error, ErrorKind};
use crate::json::text_in_truncated;
use crate::limiter::Permit;
use crate::retry::{AttemptOutcome, FailedAttempt};

/// The memory reserved for a response, as a multiple of what has arrived: its announced length may
/// be wrong.
const MAX_RESERVE_FACTOR: usize = 64;

/// A body with its timeouts.
pub(crate) struct IncomingBody {
    /// Taken at the deadline of the stream, which closes the connection even if the stream is not
    /// polled.
    body: Arc<Mutex<Option<reqwest::Body>>>,
    /// The task that takes it.
    _closing: Option<AbortOnDrop<()>>,
    /// Compressed, or otherwise encoded, which no request asks for.
    pub(crate) is_encoded: bool,
    idle_timeout: Duration,
    /// The deadline of the stream, and its timeout.
    end: Option<(Instant, Duration)>,
    /// The timer of the first of both timeouts, and its duration. Set while the caller polls: other
    /// time does not count.
    timer: Option<(Pin<Box<Sleep>>, Duration)>,
    /// The response counts as in flight until its end.
    permit: Option<Permit>,
}

impl IncomingBody {
    pub(super) fn new(
        response: Response,
        headers: &HeaderMap,
        idle_timeout: Duration,
        permit: Permit,
    ) -> Self {
        permit.hold_until(None);
        let is_encoded = crate::response_headers::is_encoded(headers);
        let permit = Some(permit);
        let body = Arc::new(Mutex::new(Some(response.into())));
        let (end, timer, _closing) = (None, None, None);
        Self { body, _closing, is_encoded, idle_timeout, end, timer, permit }
    }

    /// Ends the stream after this time, in which the response uses its slot, read or not. Then its
    /// connection is closed: the service counts the response as in flight as long as it is open.
    pub(crate) fn end_after(&mut self, time: Duration) {
        let end = Instant::now().checked_add(time);
        self.end = end.map(|end| (end, time));
        self.timer = None;
        self._closing = end.zip(Handle::try_current().ok()).map(|(end, runtime)| {
            let body = Arc::clone(&self.body);
            AbortOnDrop(runtime.spawn(async move {
                sleep_until(end).await;
                take(&body);
            }))
        });
        if let Some(permit) = &self.permit {
            permit.hold_until(end);
        }
    }

    pub(crate) fn set_idle_timeout(&mut self, longest: Duration) {
        self.idle_timeout = longest;
        self.timer = None;
    }

    /// The next bytes; `None` at the end.
    pub(crate) fn poll_chunk(
        &mut self,
        context: &mut Context<'_>,
        attempted: &Attempted,
    ) -> Poll<Option<Result<Bytes, Error>>> {
        loop {
            // Checked in each poll, because data may arrive all the time.
            if let Some((_, time)) = self.end.filter(|(end, _)| *end <= Instant::now()) {
                return Poll::Ready(Some(Err(
                    ReadFailure::TimedOut(TimedOut::after(time)).error(attempted)
                )));
            }
            let frame = match body(&self.body).as_mut() {
                Some(body) => Pin::new(body).poll_frame(context),
                // The body was taken at its deadline, even if a later deadline was set since.
                None => {
                    let time = self.end.map_or(Duration::ZERO, |(_, time)| time);
                    let late = ReadFailure::TimedOut(TimedOut::after(time));
                    return Poll::Ready(Some(Err(late.error(attempted))));
                }
            };
            let Poll::Ready(frame) = frame else {
                return self.poll_idle(context, attempted);
            };
            self.timer = None;
            match frame {
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Poll::Ready(Some(Ok(bytes)));
                    }
                }
                Some(Err(error)) => {
                    return Poll::Ready(Some(Err(
                        ReadFailure::Broken(error.without_url()).error(attempted)
                    )));
                }
                None => {
                    if let Some(permit) = self.permit.take() {
                        permit.finished();
                    }
                    return Poll::Ready(None);
                }
            }
        }
    }

    fn poll_idle(
        &mut self,
        context: &mut Context<'_>,
        attempted: &Attempted,
    ) -> Poll<Option<Result<Bytes, Error>>> {
        // A deadline beyond the range of the clock is none.
        let idle_end = Instant::now().checked_add(self.idle_timeout);
        let idle = idle_end.map(|end| (end, self.idle_timeout));
        let first = idle.into_iter().chain(self.end).min();
        if self.timer.is_none() {
            let Some((end, time)) = first else { return Poll::Pending };
            self.timer = Some((Box::pin(sleep_until(end)), time));
        }
        let Some((timer, time)) = &mut self.timer else { return Poll::Pending };
        match timer.as_mut().poll(context) {
            Poll::Ready(()) => {
                let late = ReadFailure::TimedOut(TimedOut::after(*time));
                Poll::Ready(Some(Err(late.error(attempted))))
            }
            Poll::Pending => Poll::Pending,
        }
    }
}

/// Locks the body for a poll, never across an await.
fn body(shared: &Mutex<Option<reqwest::Body>>) -> MutexGuard<'_, Option<reqwest::Body>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn take(shared: &Mutex<Option<reqwest::Body>>) {
    let taken = body(shared).take();
    drop(taken);
}

/// A task that is aborted when this is dropped.
pub(super) struct AbortOnDrop<T>(pub(super) JoinHandle<T>);

impl<T> Future for AbortOnDrop<T> {
    type Output = <JoinHandle<T> as Future>::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.0).poll(context)
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Returns true if a response is a stream of events.
pub(super) fn is_event_stream(headers: &HeaderMap) -> bool {
    let media = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    media.eq_ignore_ascii_case("text/event-stream")
}

/// The beginning of a body that was not read to its end. It is never shown: it could end within a
/// secret, which would then not be found.
pub(super) struct PartialResponse {
    cause: ReadFailure,
    arrived: Vec<u8>,
}

/// The reason why a body was not read to its end.
pub(super) enum ReadFailure {
    /// The connection broke.
    Broken(reqwest::Error),
    /// A deadline has passed.
    TimedOut(TimedOut),
    /// The body is larger than this limit, in bytes.
    TooLarge(usize),
    /// There was not enough memory for it.
    NoMemory,
}

impl PartialResponse {
    pub(super) fn new(cause: ReadFailure, arrived: Vec<u8>) -> Self {
        Self { cause, arrived }
    }

    /// The failure of a call that got a success response with this body.
    pub(super) fn classify(self, call: &AddressedCall, status: u16) -> FailedAttempt {
        let created_id = call.created_id.and_then(|field| text_in_truncated(&self.arrived, field));
        // A call that has certainly taken effect is not retried, not even at least once.
        let is_final = created_id.is_some()
            || matches!(self.cause, ReadFailure::TooLarge(_) | ReadFailure::NoMemory);
        let mut error = self.cause.error(&call.attempted).with_status(status);
        if let Some(id) = created_id {
            error = error.with_created_id(id);
        }
        if is_final {
            let error = call.operation.idempotency.classify_unreadable_success(error);
            FailedAttempt { outcome: AttemptOutcome::Unreadable, error }
        } else {
            FailedAttempt { outcome: AttemptOutcome::Unanswered, error }
        }
    }
}

impl ReadFailure {
    pub(super) fn error(self, attempted: &Attempted) -> Error {
        let new = |kind, what: &str| Error::new(kind, attempted, what);
        match self {
            Self::Broken(source) => {
                new(ErrorKind::Network, "the connection broke while the response was being read")
                    .with_source(source)
            }
            Self::TimedOut(late) => new(ErrorKind::Timeout, &late.within_the_response()),
            Self::TooLarge(most) => {
                let what = format!(
                    "the response is larger than the limit of {most} bytes (the builder's `largest_response`)"
                );
                new(ErrorKind::ResponseTooLarge, &what)
            }
            Self::NoMemory => new(
                ErrorKind::ResponseTooLarge,
                "the response does not fit into the available memory",
            ),
        }
    }
}

/// Reads the body into one buffer.
pub(super) async fn read_body(
    response: &mut Response,
    time: &mut AttemptTimer<'_>,
    most: usize,
    worth_reading: bool,
) -> Result<Bytes, PartialResponse> {
    let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
    let is_too_large =
        response.content_length().is_some_and(|length| announced.is_none() || length > most as u64);
    if is_too_large && !worth_reading {
        return Err(PartialResponse::new(ReadFailure::TooLarge(most), Vec::new()));
    }
    let announced = announced.unwrap_or(0).min(most);
    let mut body = Vec::new();
    let cause = loop {
        match time.limit(pin!(response.chunk())).await {
            Ok(Ok(Some(mut chunk))) => {
                let room = most - body.len();
                let is_too_large = chunk.len() > room;
                chunk.truncate(room);
                if !make_room(&mut body, chunk.len(), announced) {
                    break ReadFailure::NoMemory;
                }
                body.extend_from_slice(&chunk);
                if is_too_large {
                    break ReadFailure::TooLarge(most);
                }
            }
            Ok(Ok(None)) => return Ok(Bytes::from(body)),
            Ok(Err(error)) => break ReadFailure::Broken(error.without_url()),
            Err(late) => break ReadFailure::TimedOut(late),
        }
    };
    Err(PartialResponse::new(cause, body))
}

/// Reserves memory for a chunk, and for the announced length up to a multiple of what has arrived.
/// False if there is no such memory.
fn make_room(body: &mut Vec<u8>, chunk: usize, announced: usize) -> bool {
    if body.capacity() - body.len() >= chunk {
        return true;
    }
    let arrived = body.len() + chunk;
    let believable = announced.min(arrived.saturating_mul(MAX_RESERVE_FACTOR));
    if believable >= arrived && body.try_reserve_exact(believable - body.len()).is_ok() {
        return true;
    }
    body.try_reserve(chunk).is_ok()
}

#[cfg(test)]
mod tests {
    use super::make_room;

    #[test]
    fn memory_is_set_aside_for_what_has_arrived_and_not_for_what_is_announced() {
        let mut body = Vec::new();
        assert!(make_room(&mut body, 1_000, usize::MAX));
        assert!(body.capacity() < 100_000, "{}", body.capacity());
        // An announcement that is believable is reserved at once, and exactly.
        let mut body = Vec::new();
        assert!(make_room(&mut body, 1_000, 50_000));
        assert_eq!(body.capacity(), 50_000);
        let mut body = Vec::new();
        assert!(make_room(&mut body, 1_000, 0), "an unannounced length");
        body.resize(1_000, 0);
        assert!(make_room(&mut body, 1, 0));
        assert!(body.capacity() >= 2_000, "growth is amortized: {}", body.capacity());
    }
}
