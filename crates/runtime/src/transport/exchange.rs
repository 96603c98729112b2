//! Exchange: one request and its response.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::header::HeaderMap;
use reqwest::{Request, Response, Url};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;
use tracing::instrument::WithSubscriber;

use super::attempt_timer::{self, AttemptTimer, TimedOut};
use super::held_calls::HeldCalls;
use super::request_body::SendState;
use super::response_body::{AbortOnDrop, Cause, IncomingBody, PartialResponse, is_event_stream};
use crate::limiter::Permit;
use crate::retry_after::retry_after;

/// The memory reserved for a response, as a multiple of what has arrived: its announced length may be
/// wrong.
const AHEAD: usize = 64;

/// The maximum number of bytes read of an error response, which is only a message.
const LARGEST_REFUSAL: usize = 1024 * 1024;

/// A request with all its context; owned, so that it can run in a task.
pub(super) struct Exchange {
    pub(super) http: reqwest::Client,
    pub(super) request: Request,
    pub(super) send_state: SendState,
    /// The requested URL, if the HTTP client may follow redirects.
    pub(super) asked: Option<Box<Url>>,
    pub(super) permit: Permit,
    /// The timeout from the send.
    pub(super) given: Duration,
    /// The maximum time in which no data arrives, if that is less.
    pub(super) longest_silence: Option<Duration>,
    pub(super) deadline: Option<Instant>,
    pub(super) largest_response: usize,
    /// True if the allowed part of a response that is too large is read.
    pub(super) reads_partially: bool,
    /// True if a stream of events is passed on unread.
    pub(super) reads_events: bool,
    /// Set if the version of a response matters.
    pub(super) held_calls: Option<Arc<HeldCalls>>,
}

/// A response whose head was read, and its body as far as it could be.
pub(super) struct ResponseHead {
    /// The time at which the request was handed to the HTTP client.
    pub(super) sent_at: SystemTime,
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) retry_after: Option<Duration>,
    pub(super) body: Result<Bytes, PartialResponse>,
    /// A stream of events, whose body this is.
    pub(super) incoming: Option<Box<IncomingBody>>,
    /// True if the response comes from a URL other than requested.
    pub(super) was_redirected: bool,
}

/// A missing response.
pub(super) struct NoResponse {
    pub(super) why: NoResponseCause,
    /// The request was certainly not processed.
    pub(super) never_sent: bool,
}

pub(super) enum NoResponseCause {
    Failed(reqwest::Error),
    /// The service refused the HTTP/2 stream, so it has not processed the request.
    Refused(reqwest::Error),
    TimedOut(TimedOut),
    /// No permit for a held call was free before the deadline.
    NoHeldCallPermit,
    /// The runtime was shut down.
    ShutDown,
}

impl NoResponse {
    fn crowded() -> Self {
        Self { why: NoResponseCause::NoHeldCallPermit, never_sent: true }
    }

    pub(super) fn shut_down(send_state: &SendState) -> Self {
        Self { why: NoResponseCause::ShutDown, never_sent: send_state.withdraw() }
    }
}

impl Exchange {
    /// Runs once there is a permit for a held call.
    ///
    /// The exchange continues in a task, because a caller that stops polling must not block other calls.
    pub(super) async fn run_in(
        self,
        held_calls: &Arc<HeldCalls>,
    ) -> Result<ResponseHead, NoResponse> {
        if !held_calls.is_bounded() {
            return self.run().await;
        }
        let (held_calls, send_state) = (Arc::clone(held_calls), self.send_state.clone());
        let course = async move {
            let acquired = held_calls.acquire(self.given);
            let permit = match self.deadline {
                Some(deadline) => {
                    timeout_at(deadline, acquired).await.map_err(|_| NoResponse::crowded())?
                }
                None => acquired.await,
            };
            let result = self.run().await;
            drop(permit);
            result
        };
        detached(course).await.unwrap_or_else(|| Err(NoResponse::shut_down(&send_state)))
    }

    /// Sends the request and reads the response. The future contains only what it needs after the request
    /// was handed over: as an async function, it would contain the exchange twice.
    pub(super) fn run(self) -> impl Future<Output = Result<ResponseHead, NoResponse>> + Send {
        let Self {
            http,
            request,
            send_state,
            asked,
            mut permit,
            given,
            longest_silence,
            deadline,
            largest_response,
            reads_partially,
            reads_events,
            held_calls,
        } = self;
        let executing = http.execute(request);
        async move {
            let now = Instant::now();
            let left = deadline.map_or(Duration::MAX, |deadline| deadline - now);
            let time = left.min(given);
            let timer = pin!(attempt_timer::timer(now, time));
            let mut time = AttemptTimer::of(timer, time, longest_silence);
            let _given_up = send_state.withdraw_on_drop();
            permit.sent();
            let sent_at = SystemTime::now();
            let mut response = match time.limit(pin!(executing)).await {
                Ok(Ok(response)) => response,
                Ok(Err(error)) => {
                    // The head of a request whose body was withdrawn may still be sent, and counts.
                    if error.is_connect() {
                        permit.not_sent();
                    }
                    let never_left = send_state.withdraw() || error.is_connect();
                    let refused = was_refused(&error);
                    let why = if refused {
                        NoResponseCause::Refused(error)
                    } else {
                        NoResponseCause::Failed(error)
                    };
                    return Err(NoResponse { why, never_sent: never_left || refused });
                }
                Err(late) => {
                    let never_sent = send_state.withdraw();
                    return Err(NoResponse { why: NoResponseCause::TimedOut(late), never_sent });
                }
            };
            permit.answered();
            if let Some(held_calls) = &held_calls {
                held_calls.saw(response.version());
            }
            let status = response.status().as_u16();
            let headers = std::mem::take(response.headers_mut());
            let is_success = response.status().is_success();
            let retry_after = if is_success { None } else { retry_after(&headers) };
            if status == 429 {
                permit.refused(retry_after);
            }
            let was_redirected = asked.is_some_and(|asked| is_elsewhere(&asked, response.url()));
            let is_stream = reads_events && is_success && is_event_stream(&headers);
            let mut incoming = None;
            let body = if was_redirected {
                Ok(Bytes::new())
            } else if is_stream {
                incoming = Some(Box::new(IncomingBody::new(response, &headers, given, permit)));
                Ok(Bytes::new())
            } else {
                // A response that is too large may contain the id of a created object.
                let worth_reading = reads_partially && is_success;
                let most = match is_success {
                    true => largest_response,
                    false => largest_response.min(LARGEST_REFUSAL),
                };
                let body = read_body(&mut response, &mut time, most, worth_reading).await;
                if body.is_ok() {
                    permit.finished();
                }
                body
            };
            Ok(ResponseHead {
                sent_at,
                status,
                headers,
                retry_after,
                body,
                incoming,
                was_redirected,
            })
        }
    }
}

/// Reads the body into one buffer.
async fn read_body(
    response: &mut Response,
    time: &mut AttemptTimer<'_>,
    most: usize,
    worth_reading: bool,
) -> Result<Bytes, PartialResponse> {
    let announced = response.content_length().and_then(|length| usize::try_from(length).ok());
    let is_too_large =
        response.content_length().is_some_and(|length| announced.is_none() || length > most as u64);
    if is_too_large && !worth_reading {
        return Err(PartialResponse::new(Cause::TooLarge(most), Vec::new()));
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
                    break Cause::NoMemory;
                }
                body.extend_from_slice(&chunk);
                if is_too_large {
                    break Cause::TooLarge(most);
                }
            }
            Ok(Ok(None)) => return Ok(Bytes::from(body)),
            Ok(Err(error)) => break Cause::Broken(error.without_url()),
            Err(late) => break Cause::TimedOut(late),
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
    let believable = announced.min(arrived.saturating_mul(AHEAD));
    if believable >= arrived && body.try_reserve_exact(believable - body.len()).is_ok() {
        return true;
    }
    body.try_reserve(chunk).is_ok()
}

fn is_elsewhere(asked: &Url, answered: &Url) -> bool {
    asked.path() != answered.path()
        || asked.host_str() != answered.host_str()
        || asked.port() != answered.port()
        || asked.scheme() != answered.scheme()
}

/// Returns true if the service reported, by HTTP/2, that it has not processed the request: it refused the
/// stream, or named an earlier stream as the last when it closed the connection.
#[cfg(feature = "http2")]
fn was_refused(error: &reqwest::Error) -> bool {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    causes.filter_map(|cause| cause.downcast_ref::<h2::Error>()).any(|error| {
        let said = |reason| error.is_remote() && error.reason() == Some(reason);
        (error.is_reset() && said(h2::Reason::REFUSED_STREAM))
            || (error.is_go_away() && said(h2::Reason::NO_ERROR))
    })
}

/// Without the feature for HTTP/2 this cannot be known, and the outcome stays unknown.
#[cfg(not(feature = "http2"))]
fn was_refused(_: &reqwest::Error) -> bool {
    false
}

/// Runs the work in a task of its own from its first wait on, so that it continues even if the returned
/// future is not polled. `None` if that task's runtime was shut down. Dropping the future aborts the work.
pub(super) async fn detached<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Option<T> {
    let mut work = Box::pin(work.in_current_span().with_current_subscriber());
    if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await {
        return Some(done);
    }
    let Ok(runtime) = Handle::try_current() else { return Some(work.await) };
    match AbortOnDrop(runtime.spawn(work)).await {
        Ok(done) => Some(done),
        Err(end) if end.is_panic() => std::panic::resume_unwind(end.into_panic()),
        Err(_) => None,
    }
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
        assert!(make_room(&mut body, 1_000, 0), "a length that nobody announced");
        body.resize(1_000, 0);
        assert!(make_room(&mut body, 1, 0));
        assert!(body.capacity() >= 2_000, "growth is amortized: {}", body.capacity());
    }
}
