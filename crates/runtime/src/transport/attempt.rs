//! Attempt: one request and its response, and the classification of the outcome.
//!
//! [`HttpSender::attempt`] builds the request and runs an [`Exchange`]: it hands the request to the
//! HTTP client, reads the response, and reports both to the permit. An exchange owns all it needs,
//! so that it can continue in a task: where other calls wait for its end, that must not depend on
//! its caller being polled.
//!
//! A response that is not a success is classified by its status (`classify_status`), a missing
//! response by its cause (`NoResponse::classify`), a success that was not read to its end by the
//! rest of its body (`PartialResponse::classify`). Each yields an [`AttemptOutcome`];
//! `retry/table.rs` decides which outcomes are retried.

use std::error::Error as _;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Method, Request, Url};
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument;
use tracing::instrument::WithSubscriber;

use super::attempt_timer::{self, AttemptTimer, TimedOut};
use super::held_calls::HeldCalls;
use super::reply::Reply;
use super::request_body::{Interrupted, OutgoingBody, SendState};
use super::response_body::{
    AbortOnDrop, IncomingBody, PartialResponse, is_event_stream, read_body,
};
use crate::call::{AddressedCall, Streamed};
use crate::error::{Error, ErrorKind, service_message};
use crate::limiter::Permit;
use crate::redact::Secrets;
use crate::retry::{AttemptOutcome, FailedAttempt, retry_after};
use crate::secret_string::SecretString;
use crate::upload::{SENT, WrongLength};

/// The maximum number of bytes read of an error response, which is only a message.
const LARGEST_REFUSAL: usize = 1024 * 1024;

/// Sends attempts.
pub(crate) struct HttpSender {
    pub(crate) http: reqwest::Client,
    /// Set for an HTTP client that may use one connection for all requests.
    pub(crate) held_calls: Option<Arc<HeldCalls>>,
    /// The secrets of all calls, redacted in each response: the authorization, and the proxy's.
    pub(crate) secrets: Vec<SecretString>,
    pub(crate) timeout: Duration,
    pub(crate) largest_response: usize,
}

impl HttpSender {
    /// The timeout of an attempt. After it, the slot of the attempt is free for other calls.
    pub(super) fn attempt_timeout(&self, call: &AddressedCall) -> Duration {
        call.timeout.unwrap_or(self.timeout).saturating_add(call.extra_time)
    }

    /// Sends a call once.
    pub(super) async fn attempt(
        &self,
        call: &AddressedCall,
        permit: Permit,
        deadline: Option<Instant>,
    ) -> Result<Reply, FailedAttempt> {
        let (request, send_state) = self.build_request(call)?;
        // Other calls may soon wait for the end of this attempt, which must not depend on its
        // caller being polled.
        let is_crowded = permit.is_crowded();
        let in_a_task = send_state.clone();
        // A call without a scope is never held open.
        let held_calls = self.held_calls.as_ref().filter(|_| call.scope.is_some());
        let exchange = Exchange {
            http: self.http.clone(),
            request,
            send_state,
            // The default client follows no redirects.
            requested_url: self.held_calls.as_ref().map(|_| Box::new(call.url.clone())),
            permit,
            timeout: self.attempt_timeout(call),
            idle_timeout: call.idle_timeout,
            deadline,
            largest_response: call
                .largest_response
                .map_or(self.largest_response, |most| most.min(self.largest_response)),
            reads_partially: call.created_id.is_some(),
            streamed: call.streamed,
            held_calls: held_calls.cloned(),
        };
        // Boxed, so that neither this future nor the caller's is large: both are moved and
        // allocated.
        let arrived = match held_calls.filter(|_| call.is_held_open) {
            Some(held_calls) => Box::pin(exchange.run_in(held_calls)).await,
            None if is_crowded => {
                let arrived = Box::pin(detached(exchange.run())).await;
                arrived.unwrap_or_else(|| Err(NoResponse::shut_down(&in_a_task)))
            }
            None => Box::pin(exchange.run()).await,
        };
        let ResponseHead { sent_at, status, headers, retry_after, body, incoming, was_redirected } =
            arrived.map_err(|no_response| no_response.classify(call))?;
        if was_redirected {
            let what = "the custom HTTP client followed a redirect, which may have leaked the key to another host: build it with a redirect policy of `none()`";
            let error = Error::new(ErrorKind::Redirect, &call.attempted, what);
            return Err(FailedAttempt { outcome: AttemptOutcome::Final, error });
        }
        if !(200..300).contains(&status) {
            // The head suffices to classify a refusal. A partial body is dropped: it could hold a
            // part of a secret, which would not be found.
            let body = body.unwrap_or_default();
            return Err(self.classify_status(call, status, &headers, retry_after, &body));
        }
        let secrets = self.secrets(call);
        match body {
            Ok(body) => Ok(Reply::new(call, sent_at, (status, headers), body, secrets, incoming)),
            Err(partial) => Err(partial.classify(call, status)),
        }
    }

    /// The HTTP request, and the state of its body.
    fn build_request(&self, call: &AddressedCall) -> Result<(Request, SendState), FailedAttempt> {
        let unusable = |error: Error| FailedAttempt { outcome: AttemptOutcome::Final, error };
        let mut url = call.url.clone();
        call.credential.add_to_url(&mut url);
        let mut request = Request::new(call.operation.method.clone(), url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let has_body = call.body.is_some() || call.upload.is_some();
        if has_body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let is_empty = match &call.upload {
            Some(upload) => upload.known_length() == Some(0),
            None => call.body.as_ref().is_none_or(Bytes::is_empty),
        };
        if is_empty && matches!(call.operation.method, Method::POST | Method::PUT | Method::PATCH) {
            // Some gateways respond with 411 to a request without a length.
            headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        for (name, value) in &call.headers {
            let mut value = HeaderValue::from_str(value).map_err(|_| {
                unusable(Error::refused(&call.attempted, *name, "is not allowed in a header"))
            })?;
            // Any header may hold a secret.
            value.set_sensitive(true);
            headers.insert(*name, value);
        }
        call.credential.add_to_headers(headers);
        // A custom HTTP client may retry a request without a body; the default client does not.
        if self.held_calls.is_none() && !has_body && call.operation.method.is_safe() {
            return Ok((request, SendState::UNKNOWN));
        }
        let (body, send_state) = match &call.upload {
            Some(upload) if upload.is_spent() => {
                return Err(unusable(Error::refused(&call.attempted, "body", SENT)));
            }
            Some(upload) => OutgoingBody::upload(upload.outgoing()),
            None => OutgoingBody::new(call.body.clone().unwrap_or_default()),
        };
        *request.body_mut() = Some(reqwest::Body::wrap(body));
        Ok((request, send_state))
    }

    /// The secrets that the service could repeat.
    fn secrets(&self, call: &AddressedCall) -> Secrets {
        let all = call.secrets.iter().chain(call.credential.secrets()).chain(&self.secrets);
        Secrets::new(all.cloned().collect(), call.body.clone())
    }

    /// The final error of a call, with the service's message, redacted. Redaction costs too much
    /// for the error of an attempt that is retried.
    pub(super) fn with_service_message(&self, call: &AddressedCall, error: Error) -> Error {
        let body = error.unredacted_body().cloned();
        if body.is_none() && error.source().is_none() {
            return error;
        }
        let secrets = self.secrets(call).with_body_secrets();
        let redactor = secrets.redactor();
        let error = error.with_redacted_source(&redactor);
        let Some(body) = body else { return error };
        let said = service_message(&body, |text| redactor.redact(text));
        let message = said.map(|said| format!("{}; the service says: {said}", error.message()));
        let error = match message {
            Some(message) => error.with_message(message),
            None => error,
        };
        error.with_body(body, secrets)
    }

    /// The failure for a response that is not a success, classified by its status.
    fn classify_status(
        &self,
        call: &AddressedCall,
        status: u16,
        headers: &HeaderMap,
        retry_after: Option<Duration>,
        body: &Bytes,
    ) -> FailedAttempt {
        let (kind, outcome, advice) = match status {
            ..200 => (
                ErrorKind::UnexpectedStatus,
                AttemptOutcome::ServerFailed,
                "an informational status, which is not a final response",
            ),
            300..400 => (
                ErrorKind::Redirect,
                AttemptOutcome::Final,
                "redirects are not followed: check the URL",
            ),
            400 => (
                ErrorKind::BadRequest,
                AttemptOutcome::Final,
                "the request is malformed or invalid",
            ),
            401 => (
                ErrorKind::Unauthorized,
                AttemptOutcome::Final,
                match call.credential.is_none() {
                    true => "the service requires authorization, and none was sent",
                    false => "the authorization (a key or a token) is wrong or lacks permission",
                },
            ),
            403 | 404 if is_page(headers, body) => (
                ErrorKind::Server,
                AttemptOutcome::Intercepted,
                "the response is a web page, which comes from a gateway and not from the service: if this persists, check the URL",
            ),
            402 => (
                ErrorKind::UnexpectedStatus,
                AttemptOutcome::Final,
                "the service requires a payment: check the balance of the account",
            ),
            403 => (
                ErrorKind::UnexpectedStatus,
                AttemptOutcome::Final,
                "the authorization (a key or a token) lacks permission for this",
            ),
            404 => (ErrorKind::NotFound, AttemptOutcome::Final, "not found or no longer available"),
            409 => (
                ErrorKind::UnexpectedStatus,
                AttemptOutcome::Final,
                "the request conflicts with the present state: read that before you try again",
            ),
            410 => (
                ErrorKind::Gone,
                AttemptOutcome::Final,
                "gone for good: the service has retired the interface or the resource",
            ),
            407 => (
                ErrorKind::UnexpectedStatus,
                AttemptOutcome::Final,
                "a proxy requires other credentials (the builder's `proxy`)",
            ),
            408 | 425 => (
                ErrorKind::Server,
                AttemptOutcome::ServerFailed,
                "the service, or a gateway in front of it, did not accept the request in time",
            ),
            422 => (
                ErrorKind::UnexpectedStatus,
                AttemptOutcome::Final,
                "the request breaks a rule of the service: correct it",
            ),
            429 => (
                ErrorKind::RateLimited,
                AttemptOutcome::Throttled,
                "a rate or concurrency limit was exceeded",
            ),
            501 => (
                ErrorKind::Server,
                AttemptOutcome::Final,
                "the service does not support this operation",
            ),
            // 503 included: the service may have processed the request before it failed.
            500.. => (ErrorKind::Server, AttemptOutcome::ServerFailed, "the service failed"),
            _ => (ErrorKind::UnexpectedStatus, AttemptOutcome::Final, "an unexpected status"),
        };
        let mut message = format!("status {status}: {advice}");
        let secrets = self.secrets(call);
        if let Some(host) = redirect_host(call, headers).filter(|_| kind == ErrorKind::Redirect) {
            message.push_str(&format!(" (redirected to {})", secrets.redact(&host)));
        }
        let error = Error::new(kind, &call.attempted, message)
            .with_status(status)
            .with_retry_after(retry_after)
            .with_body(body.clone(), secrets);
        FailedAttempt { outcome, error }
    }
}

/// A request with all its context; owned, so that it can run in a task.
struct Exchange {
    http: reqwest::Client,
    request: Request,
    send_state: SendState,
    /// The requested URL, if the HTTP client may follow redirects.
    requested_url: Option<Box<Url>>,
    permit: Permit,
    /// The timeout from the send.
    timeout: Duration,
    /// The maximum time in which no data arrives, if that is less.
    idle_timeout: Option<Duration>,
    deadline: Option<Instant>,
    largest_response: usize,
    /// True if the allowed part of a response that is too large is read.
    reads_partially: bool,
    /// The successes whose body is passed on unread.
    streamed: Streamed,
    /// Set if the version of a response matters.
    held_calls: Option<Arc<HeldCalls>>,
}

/// A response whose head was read, and its body as far as it could be.
struct ResponseHead {
    /// The time at which the request was handed to the HTTP client.
    sent_at: SystemTime,
    status: u16,
    headers: HeaderMap,
    retry_after: Option<Duration>,
    body: Result<Bytes, PartialResponse>,
    /// A stream of events, whose body this is.
    incoming: Option<Box<IncomingBody>>,
    /// True if the response comes from a URL other than requested.
    was_redirected: bool,
}

/// A missing response.
struct NoResponse {
    cause: NoResponseCause,
    /// The request was certainly not processed.
    never_sent: bool,
}

enum NoResponseCause {
    Failed(reqwest::Error),
    /// The service refused the HTTP/2 stream, so it has not processed the request.
    Refused(reqwest::Error),
    TimedOut(TimedOut),
    /// No permit for a held call was free before the deadline.
    NoHeldCallPermit,
    /// The runtime was shut down.
    ShutDown,
}

impl Exchange {
    /// Runs once there is a permit for a held call.
    ///
    /// The exchange continues in a task, because a caller that stops polling must not block other
    /// calls.
    async fn run_in(self, held_calls: &Arc<HeldCalls>) -> Result<ResponseHead, NoResponse> {
        if !held_calls.is_bounded() {
            return self.run().await;
        }
        let (held_calls, send_state) = (Arc::clone(held_calls), self.send_state.clone());
        let work = async move {
            let acquired = held_calls.acquire(self.timeout);
            let permit = match self.deadline {
                Some(deadline) => {
                    timeout_at(deadline, acquired).await.map_err(|_| NoResponse::no_permit())?
                }
                None => acquired.await,
            };
            let result = self.run().await;
            drop(permit);
            result
        };
        detached(work).await.unwrap_or_else(|| Err(NoResponse::shut_down(&send_state)))
    }

    /// Sends the request and reads the response. The future contains only what it needs after the
    /// request was handed over: as an async function, it would contain the exchange twice.
    fn run(self) -> impl Future<Output = Result<ResponseHead, NoResponse>> + Send {
        let Self {
            http,
            request,
            send_state,
            requested_url,
            mut permit,
            timeout,
            idle_timeout,
            deadline,
            largest_response,
            reads_partially,
            streamed,
            held_calls,
        } = self;
        let executing = http.execute(request);
        async move {
            let now = Instant::now();
            let left = deadline.map_or(Duration::MAX, |deadline| deadline - now);
            let time = left.min(timeout);
            let timer = pin!(attempt_timer::timer(now, time));
            let mut time = AttemptTimer::of(timer, time, idle_timeout);
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
                    let cause = if refused {
                        NoResponseCause::Refused(error)
                    } else {
                        NoResponseCause::Failed(error)
                    };
                    return Err(NoResponse { cause, never_sent: never_left || refused });
                }
                Err(late) => {
                    let never_sent = send_state.withdraw();
                    return Err(NoResponse { cause: NoResponseCause::TimedOut(late), never_sent });
                }
            };
            permit.answered();
            #[cfg(feature = "announced-limits")]
            permit.record_announced(response.status().is_success(), response.headers());
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
            let was_redirected =
                requested_url.is_some_and(|requested| is_elsewhere(&requested, response.url()));
            let is_stream = is_success
                && match streamed {
                    Streamed::Nothing => false,
                    Streamed::Events => is_event_stream(&headers),
                    Streamed::Everything => true,
                };
            let mut incoming = None;
            let body = if was_redirected {
                Ok(Bytes::new())
            } else if is_stream {
                incoming = Some(Box::new(IncomingBody::new(response, &headers, timeout, permit)));
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

impl NoResponse {
    fn no_permit() -> Self {
        Self { cause: NoResponseCause::NoHeldCallPermit, never_sent: true }
    }

    fn shut_down(send_state: &SendState) -> Self {
        Self { cause: NoResponseCause::ShutDown, never_sent: send_state.withdraw() }
    }

    /// The failure of a call that got no response.
    fn classify(self, call: &AddressedCall) -> FailedAttempt {
        let unreadable = match &self.cause {
            NoResponseCause::Failed(error) => unreadable_body(error),
            _ => None,
        };
        let (outcome, kind, message) = match (&self.cause, self.never_sent) {
            (NoResponseCause::Failed(error), _) if error.is_builder() => (
                AttemptOutcome::Final,
                ErrorKind::InvalidRequest,
                "the request could not be built".to_owned(),
            ),
            (NoResponseCause::Failed(error), true) if error.is_connect() => (
                AttemptOutcome::NeverSent,
                ErrorKind::Connect,
                "no connection could be made".to_owned(),
            ),
            (NoResponseCause::Failed(_), true) => {
                let what = "the connection closed before the request was sent";
                (AttemptOutcome::NeverSent, ErrorKind::Connect, what.to_owned())
            }
            (NoResponseCause::Refused(_), _) => {
                let what = "the service refused the request without processing it";
                (AttemptOutcome::NeverSent, ErrorKind::Connect, what.to_owned())
            }
            (NoResponseCause::TimedOut(late), true) => {
                (AttemptOutcome::NeverSent, ErrorKind::Connect, late.before_the_send())
            }
            (NoResponseCause::NoHeldCallPermit, _) => {
                let what = "timed out before the request was sent: too many long-running calls share an HTTP/2 connection (the builder's `http_client`)";
                (AttemptOutcome::NeverSent, ErrorKind::Timeout, what.to_owned())
            }
            (NoResponseCause::Failed(error), false) if error.is_timeout() => (
                AttemptOutcome::Unanswered,
                ErrorKind::Timeout,
                "timed out waiting for the response".to_owned(),
            ),
            (NoResponseCause::Failed(_), false) if unreadable.is_some() => {
                let reason = unreadable.as_deref().unwrap_or_default();
                let what = format!("the request broke off: {reason}");
                (AttemptOutcome::BrokenOff, ErrorKind::InvalidRequest, what)
            }
            (NoResponseCause::Failed(_), false) => {
                let what = "the connection broke before a response arrived";
                (AttemptOutcome::Unanswered, ErrorKind::Network, what.to_owned())
            }
            (NoResponseCause::TimedOut(late), false) => {
                (AttemptOutcome::Unanswered, ErrorKind::Timeout, late.before_the_response())
            }
            (NoResponseCause::ShutDown, true) => {
                let what = "the runtime was shut down before the request was sent";
                (AttemptOutcome::NeverSent, ErrorKind::Connect, what.to_owned())
            }
            (NoResponseCause::ShutDown, false) => {
                let what = "the runtime was shut down before a response arrived";
                (AttemptOutcome::Unanswered, ErrorKind::Network, what.to_owned())
            }
        };
        match self.cause {
            NoResponseCause::Failed(source) | NoResponseCause::Refused(source) => {
                let host = call.url.host_str().unwrap_or_default();
                let port = call.url.port().map(|port| format!(":{port}")).unwrap_or_default();
                let message = format!("{message} ({host}{port})");
                let error = Error::new(kind, &call.attempted, message);
                let error = error.with_source(source.without_url());
                let is_broken_off = outcome == AttemptOutcome::BrokenOff;
                let error = if is_broken_off { error.with_field("body") } else { error };
                FailedAttempt { outcome, error }
            }
            _ => FailedAttempt { outcome, error: Error::new(kind, &call.attempted, message) },
        }
    }
}

/// The reason why the content of an upload could not be read, if that is the cause. The error of the
/// caller's stream is the source of the call's error only: it may contain anything.
fn unreadable_body(error: &reqwest::Error) -> Option<String> {
    let mut causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.find_map(|cause| match cause.downcast_ref::<Interrupted>()? {
        Interrupted::Unreadable(error) => Some(match error.downcast_ref::<WrongLength>() {
            Some(wrong) => wrong.to_string(),
            None => "its body could not be read to the end".to_owned(),
        }),
        Interrupted::Withdrawn => None,
    })
}

/// The host of a redirect, without its path and query, which may repeat secrets.
fn redirect_host(call: &AddressedCall, headers: &HeaderMap) -> Option<String> {
    let location = headers.get(LOCATION)?.to_str().ok()?;
    let target = call.url.join(location).ok()?;
    target.host_str().map(str::to_owned)
}

/// Returns true if the response is an HTML page; the service's errors are JSON.
fn is_page(headers: &HeaderMap, body: &[u8]) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let is_html =
        content_type.get(..9).is_some_and(|start| start.eq_ignore_ascii_case(b"text/html"));
    is_html || body.trim_ascii_start().starts_with(b"<")
}

fn is_elsewhere(requested: &Url, actual: &Url) -> bool {
    requested.path() != actual.path()
        || requested.host_str() != actual.host_str()
        || requested.port() != actual.port()
        || requested.scheme() != actual.scheme()
}

/// Returns true if the service reported, by HTTP/2, that it has not processed the request: it
/// refused the stream, or named an earlier stream as the last when it closed the connection.
#[cfg(feature = "http2")]
fn was_refused(error: &reqwest::Error) -> bool {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
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

/// Runs the work in a task of its own from its first wait on, so that it continues even if the
/// returned future is not polled. `None` if that task's runtime was shut down. Dropping the future
/// aborts the work.
async fn detached<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Option<T> {
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
