//! Transport: sends every call, through [`Transport::send`].
//!
//! ```text
//! permit from the limiter -> attempt -> success: Reply
//!    ^                          |
//!    |                          v
//!    |                      failure with an AttemptOutcome
//!    |                          |
//!    +---- pause <--- retry ----+---- final, or no budget, or no time ---> Error
//! ```
//!
//! A call gets a permit from the [limiter](crate::limiter) if its operation has a limit, and is
//! attempted ([`attempt`]: one request with its headers, and its response). A failed attempt has an
//! `AttemptOutcome`, which says what the service may have done with the request. The outcome and
//! the call's [`Idempotency`](crate::Idempotency) decide whether the call is retried, and the
//! [`RetryPolicy`](crate::RetryPolicy) how soon.
//!
//! # Invariant
//!
//! A call that must not take effect twice is sent again only if the service has certainly not
//! processed it. That is known of a request whose body was withdrawn before the HTTP client asked
//! for it (`request_body`), of a refused HTTP/2 stream, and of a connection that could not be made.
//! If any earlier attempt is ambiguous, the call's error is
//! [`OutcomeUnknown`](ErrorKind::OutcomeUnknown). A call whose body is a stream that has been read
//! from is never sent again (`upload`).
//!
//! All steps of an attempt share one deadline (`attempt_timer`). An exchange that occupies a shared
//! resource continues in a task, so that a caller that is not polled does not hold it.

mod attempt;
mod attempt_timer;
mod held_calls;
mod reply;
mod request_body;
mod response_body;

pub(crate) use attempt::HttpSender;
pub(crate) use held_calls::HeldCalls;
pub use reply::Reply;
pub(crate) use response_body::IncomingBody;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout, timeout_at};
use tracing::Instrument;

use crate::call::{AddressedCall, Operation};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::limiter::{Limiter, Permit};
use crate::observe::{Observation, Observer};
use crate::redact::Secrets;
use crate::retry::{AttemptOutcome, Budget, Reserved, RetryPolicy};
use crate::upload::Upload;

/// State shared by all calls of a service, and of services derived from it.
pub struct Transport {
    pub(crate) sender: HttpSender,
    pub(crate) retry: RetryPolicy,
    pub(crate) budget: Budget,
    pub(crate) limiter: Limiter,
    pub(crate) call_timeout: Option<Duration>,
    /// The timeout of making a connection, which is shorter than that of an attempt.
    pub(crate) connect_timeout: Duration,
    pub(crate) observer: Observer,
    /// True if plain http to other machines is allowed.
    pub(crate) plain_http: bool,
}

/// Refuses to run outside of a runtime, where the timer would panic.
pub fn require_runtime(attempted: &Attempted) -> Result<()> {
    match tokio::runtime::Handle::try_current() {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::new(
            ErrorKind::InvalidRequest,
            attempted,
            "refused before sending: it must be awaited in a tokio runtime with time and I/O enabled",
        )),
    }
}

impl Transport {
    /// Sends a call, in a span, and reports its end to the observer.
    pub(crate) async fn send(&self, call: &AddressedCall) -> Result<Reply> {
        require_runtime(&call.attempted)?;
        if call.timeout.is_some_and(|time| time.is_zero()) {
            return Err(Error::refused(&call.attempted, "timeout", "must be above zero"));
        }
        let span = tracing::debug_span!(
            "podqueue.call",
            otel.name = %format_args!("{} {}", call.operation.method, call.operation.name),
            otel.kind = "client",
            http.request.method = call.operation.method.as_str(),
            server.address = call.url.host_str(),
            server.port = call.url.port_or_known_default(),
            url.full = shown_url(call).as_ref(),
            podqueue.operation = call.operation.name,
            podqueue.endpoint = call.scope.as_deref(),
            http.response.status_code = tracing::field::Empty,
            http.request.resend_count = tracing::field::Empty,
            error.type = tracing::field::Empty,
            podqueue.attempts = tracing::field::Empty,
            podqueue.limiter_wait_ms = tracing::field::Empty,
        );
        let mut progress = CallProgress::begin(self.call_timeout(call), call.extra_time);
        let result = match span.is_disabled() {
            true => self.send_until_settled(call, &mut progress).await,
            false => {
                let settled = self.send_until_settled(call, &mut progress);
                Box::pin(settled.instrument(span.clone())).await
            }
        };
        let (status, error) = match &result {
            Ok(reply) => (Some(reply.status()), None),
            Err(error) => (error.status(), Some(error.kind())),
        };
        progress.record(&span, status, error);
        self.observer.report(|| Observation::CallEnded {
            operation: call.operation.name,
            scope: call.scope.as_deref(),
            attempts: progress.attempts,
            limiter_wait: progress.limiter_wait,
            elapsed: progress.started.elapsed(),
            status,
            error,
        });
        result
    }

    /// Attempts a call until it succeeds or may not be retried.
    async fn send_until_settled(
        &self,
        call: &AddressedCall,
        progress: &mut CallProgress,
    ) -> Result<Reply> {
        let mut ambiguous = 0;
        let mut reserved: Option<Reserved<'_>> = None;
        loop {
            let idempotency = call.operation.idempotency;
            let permit = self
                .permit(call, progress)
                .await
                .map_err(|error| idempotency.classify_final(error, ambiguous, progress.attempts))?;
            progress.attempts += 1;
            if let Some(reserved) = reserved.take() {
                reserved.spend();
            }
            let failure = match self.sender.attempt(call, permit, progress.deadline).await {
                Ok(reply) => {
                    self.budget.refill();
                    return Ok(reply.after_unknown_outcome(ambiguous > 0));
                }
                Err(failure) => failure,
            };
            let scope = call.scope.as_deref();
            if failure.outcome == AttemptOutcome::Throttled {
                self.observer.report(|| Observation::Throttled {
                    operation: call.operation.name,
                    scope,
                    retry_after: failure.error.retry_after(),
                });
            }
            ambiguous += u32::from(failure.outcome.is_ambiguous());
            if failure.outcome == AttemptOutcome::Final && failure.error.status().is_some() {
                // The service works, and has refused the call.
                self.budget.refill();
            }
            let is_spent = call.upload.as_ref().is_some_and(Upload::is_spent);
            let pause = if idempotency.after(failure.outcome).is_retry() && !is_spent {
                let policy = call.retry.as_ref().unwrap_or(&self.retry);
                policy.pause(progress.attempts, call.longest_pause, &failure)
            } else {
                None
            };
            // A connection that is cut off by the deadline is indistinguishable from a request
            // without a response. If none could be made, the next may take its full timeout.
            let to_connect = match failure.outcome {
                AttemptOutcome::NeverSent => self.connect_timeout,
                _ => Duration::ZERO,
            };
            let has_time =
                |pause: &Duration| progress.has_time_for(pause.saturating_add(to_connect));
            let paid = |pause| Some((pause, self.budget.reserve(failure.outcome)?));
            let retry = pause.filter(has_time).and_then(paid);
            let Some((pause, cost)) = retry else {
                let error = self.sender.with_service_message(call, failure.error);
                return Err(idempotency.classify_final(error, ambiguous, progress.attempts));
            };
            let error = failure.error.kind();
            tracing::debug!(attempt = progress.attempts, ?pause, kind = ?error, "retrying");
            let operation = call.operation.name;
            self.observer.report(|| Observation::Retried { operation, scope, error, pause });
            tokio::time::sleep(pause).await;
            reserved = Some(cost);
        }
    }

    /// The timeout of a call with all its attempts, without its extra time.
    fn call_timeout(&self, call: &AddressedCall) -> Option<Duration> {
        self.call_timeout.map(|time| time.max(call.timeout.unwrap_or_default()))
    }

    /// Waits until a call of this operation would get a permit, and returns how many would, up to
    /// `most`. No permit is used.
    pub(crate) async fn available(
        &self,
        operation: &Operation,
        scope: &Arc<str>,
        most: u64,
    ) -> u64 {
        let Some(limit) = operation.limit else { return most };
        let Some(operation) = self.limiter.operation_limiter(scope, operation.name, limit) else {
            return most;
        };
        match self.limiter.acquire(Arc::clone(&operation), Duration::ZERO, None).await {
            Ok(permit) => {
                drop(permit);
                operation.available(most)
            }
            // The call itself reports the error.
            Err(_) => most.min(1),
        }
    }

    /// Waits for the call's permit.
    async fn permit(&self, call: &AddressedCall, progress: &mut CallProgress) -> Result<Permit> {
        let permit = self.operation_permit(call, progress).await?;
        #[cfg(feature = "announced-limits")]
        if let Some(limits) = call.announced.as_ref().filter(|_| self.limiter.is_on()) {
            let time = self.sender.attempt_timeout(call);
            if let Some(announced) = limits.try_acquire(time) {
                return Ok(permit.with_announced(announced));
            }
            let started = Instant::now();
            let acquired = limits.acquire(time, call.urgent_from);
            let acquired = self.reported(call, acquired, || limits.time_to_reset());
            let acquired = Box::pin(acquired);
            let announced = match progress.deadline {
                Some(deadline) => timeout_at(deadline, acquired).await.ok(),
                None => Some(acquired.await),
            };
            progress.limiter_wait += started.elapsed();
            let announced = announced.ok_or_else(|| self.waited_too_long(call))?;
            return Ok(permit.with_announced(announced));
        }
        Ok(permit)
    }

    /// Waits for the permit of the call's operation.
    async fn operation_permit(
        &self,
        call: &AddressedCall,
        progress: &mut CallProgress,
    ) -> Result<Permit> {
        let (Some(limit), Some(scope)) = (call.operation.limit, &call.scope) else {
            return Ok(Permit::unlimited());
        };
        let time = self.sender.attempt_timeout(call);
        let permit = match self.limiter.try_acquire(scope, call.operation.name, limit, time) {
            Ok(permit) => Some(permit),
            Err(limiter) => {
                let started = Instant::now();
                // Boxed, because few calls wait, and each would reserve room for it.
                let acquired = self.limiter.acquire(limiter, time, call.urgent_from);
                let acquired = Box::pin(self.reported(call, acquired, || None));
                let permit = match progress.deadline {
                    Some(deadline) => timeout_at(deadline, acquired).await.ok(),
                    None => Some(acquired.await),
                };
                progress.limiter_wait += started.elapsed();
                permit.transpose().map_err(|unreachable| unreachable.into_error(&call.attempted))?
            }
        };
        // A permit at the deadline is too late to be used.
        permit
            .filter(|_| progress.has_time_for(Duration::ZERO))
            .ok_or_else(|| self.waited_too_long(call))
    }

    /// Waits for a permit, and reports a wait that takes long; again, when the limits have started
    /// anew and it continues.
    async fn reported<T>(
        &self,
        call: &AddressedCall,
        acquiring: impl Future<Output = T>,
        time_to_reset: impl Fn() -> Option<Duration>,
    ) -> T {
        let mut acquiring = std::pin::pin!(acquiring);
        let mut wait = REPORTED_WAIT;
        let mut is_reported = false;
        loop {
            if let Ok(permit) = timeout(wait, acquiring.as_mut()).await {
                return permit;
            }
            let reset = time_to_reset();
            if reset.is_some() || !is_reported {
                is_reported = true;
                self.observer.report(|| Observation::Limited {
                    operation: call.operation.name,
                    scope: call.scope.as_deref(),
                    reset,
                });
            }
            wait = reset.unwrap_or_default().saturating_add(REPORTED_WAIT);
        }
    }

    fn waited_too_long(&self, call: &AddressedCall) -> Error {
        let time = self.call_timeout(call).unwrap_or_default();
        let what = format!(
            "timed out after {time:?} waiting for the client-side rate limiter: more calls are made than the rate limits allow (the builder's `call_timeout`)"
        );
        Error::new(ErrorKind::Timeout, &call.attempted, what)
    }
}

/// The wait for the rate limiter from which on it is reported.
const REPORTED_WAIT: Duration = Duration::from_secs(1);

/// Progress of a call: its deadline, attempts, and time spent waiting.
struct CallProgress {
    started: Instant,
    deadline: Option<Instant>,
    attempts: u32,
    limiter_wait: Duration,
}

impl CallProgress {
    fn begin(call_timeout: Option<Duration>, extra_time: Duration) -> Self {
        let started = Instant::now();
        let time = call_timeout.map(|time| time.saturating_add(extra_time));
        let deadline = time.and_then(|time| started.checked_add(time));
        Self { started, deadline, attempts: 0, limiter_wait: Duration::ZERO }
    }

    /// Returns true if there is more time than this before the deadline.
    fn has_time_for(&self, time: Duration) -> bool {
        let ends_before =
            |deadline| Instant::now().checked_add(time).is_some_and(|end| end < deadline);
        self.deadline.is_none_or(ends_before)
    }

    fn record(&self, span: &tracing::Span, status: Option<u16>, error: Option<ErrorKind>) {
        if span.is_disabled() {
            return;
        }
        if let Some(status) = status {
            span.record("http.response.status_code", status);
        }
        if let Some(error) = error {
            span.record("error.type", error.as_str());
        }
        span.record("http.request.resend_count", self.attempts.saturating_sub(1));
        span.record("podqueue.attempts", self.attempts);
        let milliseconds = u64::try_from(self.limiter_wait.as_millis()).unwrap_or(u64::MAX);
        span.record("podqueue.limiter_wait_ms", milliseconds);
    }
}

/// The URL without its secrets: a query can hold the key, and a path a secret of the request.
fn shown_url(call: &AddressedCall) -> Cow<'_, str> {
    let url = call.url.as_str().split(['?', '#']).next().unwrap_or_default();
    if call.secrets.is_empty() {
        return url.into();
    }
    Secrets::new(call.secrets.clone(), None).redact(url).into()
}
