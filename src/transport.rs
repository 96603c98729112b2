//! Sends every call of the three interfaces, through [`Transport::send`].
//!
//! A call is a value ([`Call`]): what to send, with which authorization, and whether it may be
//! retried. Nothing in here knows an operation by name.

mod attempt;
mod body;
mod call;
mod credential;
mod driven;
mod exchange;
mod incoming;
mod key;
mod lane;
mod limit;
mod path;
mod repeat;
mod reply;
mod retry;
mod retry_after;
mod time;
mod under_way;
mod unread;

pub(crate) use attempt::Wire;
pub(crate) use call::{Auth, Call, Operation};
pub(crate) use credential::Credential;
pub(crate) use incoming::Incoming;
pub(crate) use key::Key;
pub(crate) use lane::Lane;
pub use limit::RateLimits;
#[cfg(feature = "shared-limits")]
pub use limit::{ChangeRecords, LimitStore, SharedLimits, StoreError};
pub(crate) use limit::{Limit, Limiter};
pub(crate) use path::{Path, escaped};
pub(crate) use repeat::Repeat;
pub(crate) use reply::Reply;
pub(crate) use retry::Budget;
pub use retry::RetryPolicy;
#[cfg(fuzzing)]
pub(crate) use retry_after::retry_after;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tracing::Instrument;

use self::limit::Pass;
use self::repeat::{Failure, Fate};
use self::retry::Reserved;
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::hiding::Secrets;
use crate::observe::{Observation, Observer};

/// What all calls of a client share.
pub(crate) struct Transport {
    pub(crate) wire: Wire,
    pub(crate) retry: RetryPolicy,
    pub(crate) budget: Budget,
    pub(crate) limiter: Limiter,
    pub(crate) call_timeout: Option<Duration>,
    /// How long a connection may take to be made, and less than an attempt may.
    pub(crate) connect_timeout: Duration,
    pub(crate) observer: Observer,
}

/// Refuses what is awaited outside of a runtime, where the timer would panic.
pub(crate) fn require_runtime(attempted: &Attempted) -> Result<()> {
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
    /// Sends a call until it gets a final response or may not be retried.
    pub(crate) async fn send(&self, call: Call) -> Result<Reply> {
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
            url.full = shown_url(&call).as_ref(),
            podqueue.operation = call.operation.name,
            podqueue.endpoint = call.attempted.endpoint_id().map(AsRef::<str>::as_ref),
            http.response.status_code = tracing::field::Empty,
            http.request.resend_count = tracing::field::Empty,
            error.type = tracing::field::Empty,
            podqueue.attempts = tracing::field::Empty,
            podqueue.limiter_wait_ms = tracing::field::Empty,
        );
        let mut course = Course::begin(self.call_timeout(&call), call.extra_time);
        let result = match span.is_disabled() {
            true => self.send_until_settled(&call, &mut course).await,
            false => {
                let settled = self.send_until_settled(&call, &mut course);
                Box::pin(settled.instrument(span.clone())).await
            }
        };
        let (status, error) = match &result {
            Ok(reply) => (Some(reply.status), None),
            Err(error) => (error.status(), Some(error.kind())),
        };
        course.record(&span, status, error);
        self.observer.tell(|| Observation::CallEnded {
            operation: call.operation.name,
            endpoint_id: call.attempted.endpoint_id().map(AsRef::as_ref),
            attempts: course.attempts,
            limiter_wait: course.limiter_wait,
            elapsed: course.started.elapsed(),
            status,
            error,
        });
        result
    }

    async fn send_until_settled(&self, call: &Call, course: &mut Course) -> Result<Reply> {
        let mut ambiguous = 0;
        let mut reserved: Option<Reserved<'_>> = None;
        loop {
            let repeat = call.operation.repeat;
            let pass = self
                .pass(call, course)
                .await
                .map_err(|error| repeat.give_up(error, ambiguous, course.attempts))?;
            course.attempts += 1;
            if let Some(reserved) = reserved.take() {
                reserved.spend();
            }
            let failure = match self.wire.attempt(call, pass, course.deadline).await {
                Ok(mut reply) => {
                    self.budget.refill();
                    reply.after_unknown_outcome = ambiguous > 0;
                    return Ok(reply);
                }
                Err(failure) => match call.attempted.job_id() {
                    Some(job_id) => Failure { error: failure.error.with_job_id(job_id), ..failure },
                    None => failure,
                },
            };
            let endpoint_id = call.attempted.endpoint_id().map(AsRef::<str>::as_ref);
            if failure.fate == Fate::Throttled {
                self.observer.tell(|| Observation::Throttled {
                    operation: call.operation.name,
                    endpoint_id,
                    retry_after: failure.error.retry_after(),
                });
            }
            ambiguous += u32::from(failure.fate.is_ambiguous());
            if failure.fate == Fate::Final && failure.error.status().is_some() {
                // The service works, and has said no.
                self.budget.refill();
            }
            let pause = if repeat.after(failure.fate).is_again() {
                let policy = call.retry.as_ref().unwrap_or(&self.retry);
                policy.pause(course.attempts, call.longest_pause, &failure)
            } else {
                None
            };
            // A connection that is cut off by the deadline could not be told from a request that is
            // not answered. Where none could be made, the next may take as long as it is given.
            let to_connect = match failure.fate {
                Fate::NeverSent => self.connect_timeout,
                _ => Duration::ZERO,
            };
            let has_time = |pause: &Duration| course.has_time_for(pause.saturating_add(to_connect));
            let paid = |pause| Some((pause, self.budget.reserve(failure.fate)?));
            let retry = pause.filter(has_time).and_then(paid);
            let Some((pause, cost)) = retry else {
                let error = self.wire.told(call, failure.error);
                return Err(repeat.give_up(error, ambiguous, course.attempts));
            };
            let error = failure.error.kind();
            tracing::debug!(attempt = course.attempts, ?pause, kind = ?error, "retrying");
            let operation = call.operation.name;
            self.observer.tell(|| Observation::Retried { operation, endpoint_id, error, pause });
            tokio::time::sleep(pause).await;
            reserved = Some(cost);
        }
    }

    /// How long a call may take in all, beside its extra time.
    fn call_timeout(&self, call: &Call) -> Option<Duration> {
        self.call_timeout.map(|time| time.max(call.timeout.unwrap_or_default()))
    }

    /// Waits until a call of this operation would have its turn, which goes back unused, and returns
    /// how many would, up to `most`.
    pub(crate) async fn turns(
        &self,
        operation: &Operation,
        endpoint_id: &Arc<str>,
        most: u64,
    ) -> u64 {
        let Some(limit) = operation.limit else { return most };
        let Some(gate) = self.limiter.gate(endpoint_id, operation.name, limit) else { return most };
        match self.limiter.pass(Arc::clone(&gate), Duration::ZERO, None).await {
            Ok(pass) => {
                drop(pass);
                gate.room(most)
            }
            // The call itself says so.
            Err(_) => most.min(1),
        }
    }

    /// Waits for the call's turn.
    async fn pass(&self, call: &Call, course: &mut Course) -> Result<Pass> {
        let (Some(limit), Some(endpoint_id)) = (call.operation.limit, call.attempted.endpoint_id())
        else {
            return Ok(Pass::unlimited());
        };
        let time = self.wire.longest_attempt(call);
        let pass = match self.limiter.enter(endpoint_id, call.operation.name, limit, time) {
            Ok(pass) => Some(pass),
            Err(gate) => {
                let started = Instant::now();
                let turn = self.limiter.pass(gate, time, call.urgent_from);
                let pass = match course.deadline {
                    Some(deadline) => timeout_at(deadline, turn).await.ok(),
                    None => Some(turn.await),
                };
                course.limiter_wait += started.elapsed();
                pass.transpose().map_err(|unreachable| unreachable.into_error(&call.attempted))?
            }
        };
        // A turn that comes at the deadline leaves no time to use it.
        pass.filter(|_| course.has_time_for(Duration::ZERO)).ok_or_else(|| {
            let time = self.call_timeout(call).unwrap_or_default();
            let what = format!(
                "timed out after {time:?} waiting for the client-side rate limiter: more calls are made than the rate limits allow (ClientBuilder::call_timeout)"
            );
            Error::new(ErrorKind::Timeout, &call.attempted, what)
        })
    }
}

/// How a call goes.
struct Course {
    started: Instant,
    deadline: Option<Instant>,
    attempts: u32,
    limiter_wait: Duration,
}

impl Course {
    fn begin(call_timeout: Option<Duration>, extra_time: Duration) -> Self {
        let started = Instant::now();
        let time = call_timeout.map(|time| time.saturating_add(extra_time));
        let deadline = time.and_then(|time| started.checked_add(time));
        Self { started, deadline, attempts: 0, limiter_wait: Duration::ZERO }
    }

    /// Whether there is more time than this before the deadline.
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

/// The URL as it may be shown: a query can hold the key, and a path a secret of the request.
fn shown_url(call: &Call) -> Cow<'_, str> {
    let url = call.url.as_str().split(['?', '#']).next().unwrap_or_default();
    if call.secrets.is_empty() {
        return url.into();
    }
    Secrets::new(call.secrets.clone(), None).hide(url).into()
}
