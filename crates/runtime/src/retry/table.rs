//! Retry table: idempotency of the operation × outcome of the attempt → `RetryDecision`.
//!
//! `transport/attempt.rs` classifies the status, or the missing response, as an `AttemptOutcome`.
//! The number and the delays of retries are up to the [`RetryPolicy`](crate::RetryPolicy).

use self::RetryDecision::{Retry, RetryNoted, Stop, Unknown};
use crate::error::{Error, ErrorKind};

/// The effect of a second request.
///
/// A call that was throttled with a 429, or never sent, is always retried. For all other outcomes:
///
/// | | 408, 425, 500, 502 and above (such as 503), or sent without a response | an unreadable success, or an upload that cannot be read to its end | a web page with 403 or 404 |
/// |---|---|---|---|
/// | `Idempotent` | retried | error | retried |
/// | `IdempotentEffect` | retried; the reply [says so](crate::Reply::is_after_unknown_outcome) | error | retried |
/// | `AtLeastOnce` | retried | outcome unknown | retried |
/// | `NonIdempotent` | outcome unknown | outcome unknown | error |
///
/// Any other status is final, 501 included. A web page with 403 or 404 comes from a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Idempotency {
    /// Repeating has no effect: the call reads, or sets the same values again.
    Idempotent,
    /// Repeating has no further effect, but the response differs: items that a lost response
    /// delivered are not delivered again, and a deleted object is not found.
    IdempotentEffect,
    /// May take effect twice; the caller accepts this.
    AtLeastOnce,
    /// Would take effect twice.
    NonIdempotent,
}

/// Outcome of an attempt: what the service may have done with the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptOutcome {
    /// The request was never sent.
    NeverSent,
    /// 429: the request was not processed.
    Throttled,
    /// 408, 425, 500, 502 and above (such as 503): the request may have been processed before the
    /// service failed.
    ServerFailed,
    /// The request was sent, and no complete response arrived.
    Unanswered,
    /// The request broke off, since the caller's content of its body could not be read: sending it
    /// again would fail again, and the service may have processed the part that it got.
    BrokenOff,
    /// The response is a success that cannot be read.
    Unreadable,
    /// A gateway in front of the service refused the request. It most likely did not reach the
    /// service, but this is not certain enough to resubmit.
    Intercepted,
    /// The response is final.
    Final,
}

/// Cause of an attempt without a successful reply.
pub(crate) struct FailedAttempt {
    pub(crate) outcome: AttemptOutcome,
    pub(crate) error: Error,
}

/// Step after an attempt that brought no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryDecision {
    /// The call is retried.
    Retry,
    /// The call is retried, and the reply says that an earlier attempt may have taken effect.
    RetryNoted,
    /// The call is not retried: the outcome is unknown.
    Unknown,
    /// The call fails with the error unchanged.
    Stop,
}

impl Idempotency {
    /// The table.
    #[rustfmt::skip]
    pub(crate) const fn after(self, outcome: AttemptOutcome) -> RetryDecision {
        let row = match self {
            // never sent, 429,   5xx,        unanswered, broken off, unreadable, intercepted, final
            Self::Idempotent =>
                [Retry,    Retry, Retry,      Retry,      Stop,       Stop,       Retry,       Stop],
            Self::IdempotentEffect =>
                [Retry,    Retry, RetryNoted, RetryNoted, Stop,       Stop,       Retry,       Stop],
            Self::AtLeastOnce =>
                [Retry,    Retry, RetryNoted, RetryNoted, Unknown,    Unknown,    Retry,       Stop],
            Self::NonIdempotent =>
                [Retry,    Retry, Unknown,    Unknown,    Unknown,    Unknown,    Stop,        Stop],
        };
        row[outcome as usize]
    }

    /// Returns true if a second request may take effect twice.
    const fn is_repeat_harmful(self) -> bool {
        matches!(self, Self::AtLeastOnce | Self::NonIdempotent)
    }

    /// The error of a call that is abandoned after this number of attempts, of which `ambiguous`
    /// may have taken effect.
    pub(crate) fn classify_final(self, error: Error, ambiguous: u32, attempts: u32) -> Error {
        let maybe_took_effect = ambiguous > 0;
        if !maybe_took_effect || !self.is_repeat_harmful() {
            let is_deleted = maybe_took_effect && self == Self::IdempotentEffect;
            let error = match is_deleted && error.kind() == ErrorKind::NotFound {
                true => {
                    let message = error.message();
                    let message =
                        format!("{message}; an earlier attempt of this call may have taken effect");
                    error.with_message(message)
                }
                false => error,
            };
            return error.with_unknown_outcome_before(maybe_took_effect);
        }
        if error.kind() == ErrorKind::OutcomeUnknown {
            return error;
        }
        let sent = match (ambiguous, attempts) {
            (_, 1) => "it may or may not have taken effect, and was not retried".to_owned(),
            (1, _) => format!("one of the {attempts} attempts may have taken effect"),
            _ => format!("any of the {attempts} attempts, possibly several, may have taken effect"),
        };
        unknown(error, &sent)
    }

    /// The error of a call whose response reports success and cannot be read.
    pub(crate) fn classify_unreadable_success(self, error: Error) -> Error {
        match self.after(AttemptOutcome::Unreadable) {
            Unknown => unknown(
                error,
                "the response reports success, so it has most likely taken effect, and was not retried",
            ),
            _ => error,
        }
    }
}

/// Support for the runtime and the crates that depend on it. Not public API: it changes without
/// notice.
#[doc(hidden)]
impl Idempotency {
    /// The error of a call that was refused after an attempt that may have taken effect.
    pub fn refused_after_ambiguity(error: Error) -> Error {
        unknown(error, "an earlier attempt may have taken effect")
    }

    /// The error of reading a response that reports success: its outcome is unknown if it could not
    /// be decoded and the call must not be sent twice.
    pub fn classify_decode_error(self, error: Error) -> Error {
        if error.kind() == ErrorKind::Decode {
            self.classify_unreadable_success(error)
        } else {
            error
        }
    }
}

impl RetryDecision {
    pub(crate) const fn is_retry(self) -> bool {
        matches!(self, Retry | RetryNoted)
    }
}

impl AttemptOutcome {
    /// Returns true if the request may have taken effect.
    pub(crate) const fn is_ambiguous(self) -> bool {
        matches!(self, Self::ServerFailed | Self::Unanswered | Self::BrokenOff)
    }
}

fn unknown(error: Error, sent: &str) -> Error {
    let message = format!("{}; {sent}: check the service's state before retrying", error.message());
    error.with_kind(ErrorKind::OutcomeUnknown).with_message(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsent_and_throttled_requests_are_always_retried_and_final_outcomes_never() {
        use Idempotency::{AtLeastOnce, Idempotent, IdempotentEffect, NonIdempotent};
        for repeat in [Idempotent, IdempotentEffect, AtLeastOnce, NonIdempotent] {
            assert_eq!(repeat.after(AttemptOutcome::NeverSent), Retry, "{repeat:?}");
            assert_eq!(repeat.after(AttemptOutcome::Throttled), Retry, "{repeat:?}");
            assert_eq!(repeat.after(AttemptOutcome::Final), Stop, "{repeat:?}");
        }
    }

    #[test]
    fn ambiguous_and_unreadable_outcomes_are_retried_by_idempotency() {
        for (repeat, failed, unreadable) in [
            (Idempotency::Idempotent, Retry, Stop),
            (Idempotency::IdempotentEffect, RetryNoted, Stop),
            (Idempotency::AtLeastOnce, RetryNoted, Unknown),
            (Idempotency::NonIdempotent, Unknown, Unknown),
        ] {
            assert_eq!(repeat.after(AttemptOutcome::ServerFailed), failed, "{repeat:?}");
            assert_eq!(repeat.after(AttemptOutcome::Unanswered), failed, "{repeat:?}");
            assert_eq!(repeat.after(AttemptOutcome::Unreadable), unreadable, "{repeat:?}");
        }
    }

    #[test]
    fn an_error_stays_transient_only_if_no_call_may_take_effect_twice() {
        let error = || Error::new(ErrorKind::Connect, "a call", "no connection");
        let kind = |repeat: Idempotency, maybe: bool| {
            repeat.classify_final(error(), u32::from(maybe), 2).kind()
        };
        for repeat in [Idempotency::Idempotent, Idempotency::IdempotentEffect] {
            assert_eq!(kind(repeat, true), ErrorKind::Connect);
        }
        for repeat in [Idempotency::AtLeastOnce, Idempotency::NonIdempotent] {
            assert_eq!(kind(repeat, false), ErrorKind::Connect);
            assert_eq!(kind(repeat, true), ErrorKind::OutcomeUnknown);
        }
    }

    #[test]
    fn what_an_earlier_attempt_may_have_deleted_is_said_to_be_not_found_with_the_reason() {
        let message = |repeat: Idempotency, ambiguous| {
            let error = Error::new(ErrorKind::NotFound, "a call", "not found");
            repeat.classify_final(error, ambiguous, 2).message().to_owned()
        };
        assert_eq!(
            message(Idempotency::IdempotentEffect, 1),
            "not found; an earlier attempt of this call may have taken effect"
        );
        assert_eq!(message(Idempotency::IdempotentEffect, 0), "not found");
        assert_eq!(message(Idempotency::Idempotent, 1), "not found");
    }

    #[test]
    fn a_web_page_of_a_gateway_stops_only_what_must_not_be_repeated() {
        for (repeat, decision) in [
            (Idempotency::Idempotent, Retry),
            (Idempotency::IdempotentEffect, Retry),
            (Idempotency::AtLeastOnce, Retry),
            (Idempotency::NonIdempotent, Stop),
        ] {
            assert_eq!(repeat.after(AttemptOutcome::Intercepted), decision, "{repeat:?}");
        }
    }

    #[test]
    fn decisions_and_outcomes_are_classified() {
        for (decision, is_retry) in
            [(Retry, true), (RetryNoted, true), (Unknown, false), (Stop, false)]
        {
            assert_eq!(decision.is_retry(), is_retry, "{decision:?}");
        }
        for (outcome, is_ambiguous) in [
            (AttemptOutcome::NeverSent, false),
            (AttemptOutcome::Throttled, false),
            (AttemptOutcome::ServerFailed, true),
            (AttemptOutcome::Unanswered, true),
            (AttemptOutcome::Unreadable, false),
            (AttemptOutcome::Intercepted, false),
            (AttemptOutcome::Final, false),
        ] {
            assert_eq!(outcome.is_ambiguous(), is_ambiguous, "{outcome:?}");
        }
    }

    #[test]
    fn an_unknown_outcome_says_how_many_attempts_may_have_taken_effect() {
        for (ambiguous, attempts, sent) in [
            (1, 1, "it may or may not have taken effect, and was not retried"),
            (1, 3, "one of the 3 attempts may have taken effect"),
            (2, 3, "any of the 3 attempts, possibly several, may have taken effect"),
        ] {
            let error = Error::new(ErrorKind::Connect, "a call", "no connection");
            let error = Idempotency::NonIdempotent.classify_final(error, ambiguous, attempts);
            let expected =
                format!("no connection; {sent}: check the service's state before retrying");
            assert_eq!(error.message(), expected);
            let again = Idempotency::NonIdempotent.classify_final(error, ambiguous, attempts);
            assert_eq!(again.message(), expected, "it is said once");
        }
    }

    #[test]
    fn a_reply_that_cannot_be_decoded_is_an_unknown_outcome_if_it_must_not_be_repeated() {
        let kind = |repeat: Idempotency, kind| {
            repeat.classify_decode_error(Error::new(kind, "a call", "a reply")).kind()
        };
        for (repeat, decoding) in [
            (Idempotency::Idempotent, ErrorKind::Decode),
            (Idempotency::IdempotentEffect, ErrorKind::Decode),
            (Idempotency::AtLeastOnce, ErrorKind::OutcomeUnknown),
            (Idempotency::NonIdempotent, ErrorKind::OutcomeUnknown),
        ] {
            assert_eq!(kind(repeat, ErrorKind::Decode), decoding, "{repeat:?}");
            assert_eq!(kind(repeat, ErrorKind::Unauthorized), ErrorKind::Unauthorized);
        }
    }
}
