//! The one way out: every call of the three interfaces goes through [`Transport::send`].
//!
//! A call is a value ([`Call`]): what to send, with which authorization, and whether it may be sent
//! again. Nothing in here knows an operation by name.

mod attempt;
mod call;
mod limit;
mod path;
mod repeat;
mod reply;
mod retry;

#[cfg(fuzzing)]
pub(crate) use attempt::retry_after;
pub(crate) use call::not_serializable;
pub(crate) use call::{Auth, Call, Operation};
pub use limit::RateLimits;
pub(crate) use limit::{Limit, Limiter};
pub(crate) use path::Path;
pub(crate) use repeat::Repeat;
pub(crate) use reply::{Reply, decode_at, hide, hide_all, not_decodable};
pub(crate) use retry::Budget;
pub use retry::RetryPolicy;

use std::time::{Duration, Instant};

use tracing::Instrument;

use self::limit::Pass;
use crate::error::Result;
use crate::secret_string::SecretString;

/// What all calls of a client share.
pub(crate) struct Transport {
    pub(crate) http: reqwest::Client,
    pub(crate) key: SecretString,
    pub(crate) retry: RetryPolicy,
    pub(crate) budget: Budget,
    pub(crate) limiter: Limiter,
    pub(crate) timeout: Duration,
    pub(crate) largest_reply: usize,
}

impl Transport {
    /// Sends a call until it is answered, or may not be sent again.
    pub(crate) async fn send(&self, call: Call) -> Result<Reply> {
        let span = tracing::debug_span!(
            "podqueue.call",
            podqueue.operation = call.operation.name,
            http.request.method = call.operation.method.as_str(),
            server.address = call.url.host_str(),
            url.path = call.url.path(),
            http.response.status_code = tracing::field::Empty,
            podqueue.attempts = tracing::field::Empty,
            podqueue.limiter_wait_ms = tracing::field::Empty,
        );
        self.send_until_settled(&call).instrument(span).await
    }

    async fn send_until_settled(&self, call: &Call) -> Result<Reply> {
        let mut maybe_took_effect = false;
        let mut waited = Duration::ZERO;
        for attempt in 1.. {
            let pass = self.pass(call, &mut waited).await;
            let failure = match self.attempt(call, pass).await {
                Ok(mut reply) => {
                    self.budget.refill();
                    reply.after_unknown_outcome = maybe_took_effect;
                    record_outcome(Some(reply.status), attempt);
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            maybe_took_effect |= failure.fate.is_ambiguous();
            let repeat = call.operation.repeat;
            let pause = if repeat.after(failure.fate).is_again() {
                self.retry.pause(attempt, &failure, &self.budget)
            } else {
                None
            };
            let Some(pause) = pause else {
                record_outcome(failure.error.status(), attempt);
                return Err(repeat.give_up(failure.error, maybe_took_effect, attempt));
            };
            tracing::debug!(attempt, ?pause, kind = ?failure.error.kind(), "trying again");
            tokio::time::sleep(pause).await;
        }
        unreachable!("the attempts are counted without an end")
    }

    /// Waits for the call's turn, and adds the time to what it has `waited`.
    async fn pass(&self, call: &Call, waited: &mut Duration) -> Pass {
        let (Some(limit), Some(endpoint_id)) = (call.operation.limit, &call.endpoint_id) else {
            return Pass::unlimited();
        };
        let started = Instant::now();
        let pass = self.limiter.pass(endpoint_id, call.operation.name, limit).await;
        *waited += started.elapsed();
        let milliseconds = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        tracing::Span::current().record("podqueue.limiter_wait_ms", milliseconds);
        pass
    }
}

fn record_outcome(status: Option<u16>, attempts: u32) {
    let span = tracing::Span::current();
    if let Some(status) = status {
        span.record("http.response.status_code", status);
    }
    span.record("podqueue.attempts", attempts);
}
