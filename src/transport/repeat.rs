//! What may be retried: one table for all three interfaces.
//!
//! An operation names its [`Repeat`], an attempt ends in a [`Fate`], and [`Repeat::after`] says what
//! follows. How often and how soon is up to the [`RetryPolicy`](super::RetryPolicy).

use self::Next::{Again, AgainNoted, Look, Stop, Unknown};
use crate::error::{Error, ErrorKind};

/// What sending a call a second time would do.
///
/// A call that was throttled with a 429, or never sent, may always be retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// No harm: it reads, it cancels, or it sets what it sets to the same again.
    Safe,
    /// No harm, but the response means something else: what a lost response delivered is not
    /// delivered again, and what was deleted is not found.
    Noted,
    /// It would do something twice, and whoever sends it prefers that to nothing.
    AtLeastOnce,
    /// It would do something twice, and a look at the state tells whether it has to.
    Looked,
    /// It would do something twice.
    Once,
}

/// What became of a request, as far as one can know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It never left.
    NeverSent,
    /// 429: it was not taken up.
    Throttled,
    /// 408, 425, 500, 502 and above: it may have been taken up before the service failed.
    ServerFailed,
    /// It was sent, and no complete response arrived.
    NoAnswer,
    /// The response is a success that cannot be read.
    Unreadable,
    /// Something between here and the service refused it. It did not get there, but that is nothing
    /// to build a second submission on.
    Intercepted,
    /// The response is final.
    Final,
}

/// Why an attempt did not bring a successful reply.
pub(crate) struct Failure {
    pub(crate) fate: Fate,
    pub(crate) error: Error,
}

/// What follows an attempt that brought no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It is retried.
    Again,
    /// It is retried, and the reply says that an earlier attempt may have taken effect.
    AgainNoted,
    /// It is not retried: the outcome is unknown until somebody has looked.
    Look,
    /// It is not retried: the outcome is unknown.
    Unknown,
    /// The error stands unchanged.
    Stop,
}

impl Repeat {
    /// The table.
    #[rustfmt::skip]
    pub(crate) const fn after(self, fate: Fate) -> Next {
        let row = match self {
            // never sent, 429,   5xx,        no answer,  unreadable, intercepted, final
            Self::Safe =>
                [Again,    Again, Again,      Again,      Stop,       Again,       Stop],
            Self::Noted =>
                [Again,    Again, AgainNoted, AgainNoted, Stop,       Again,       Stop],
            Self::AtLeastOnce =>
                [Again,    Again, AgainNoted, AgainNoted, Unknown,    Again,       Stop],
            Self::Looked =>
                [Again,    Again, Look,       Look,       Look,       Stop,        Stop],
            Self::Once =>
                [Again,    Again, Unknown,    Unknown,    Unknown,    Stop,        Stop],
        };
        row[fate as usize]
    }

    /// Whether a second time would do something twice.
    const fn does_it_twice(self) -> bool {
        matches!(self, Self::AtLeastOnce | Self::Looked | Self::Once)
    }

    /// The error of a call that is given up after so many attempts. `maybe_took_effect` says whether
    /// one of them may have.
    pub(super) fn give_up(self, error: Error, maybe_took_effect: bool, attempts: u32) -> Error {
        if !maybe_took_effect || !self.does_it_twice() {
            return error.with_unknown_outcome_before(maybe_took_effect);
        }
        if error.kind() == ErrorKind::OutcomeUnknown {
            return error;
        }
        let sent = match attempts {
            1 => "it may or may not have taken effect, and was not retried".to_owned(),
            _ => format!("any of the {attempts} attempts, possibly several, may have taken effect"),
        };
        unknown(error, &sent)
    }

    /// The error of a call that was refused after an attempt that may have taken effect.
    pub(crate) fn refused_after(error: Error) -> Error {
        unknown(error, "an earlier attempt may have taken effect")
    }

    /// The error of a call that was answered as a success which cannot be read.
    pub(crate) fn unreadable(self, error: Error) -> Error {
        if error.kind() == ErrorKind::Decode { self.unread_success(error) } else { error }
    }

    /// As [`unreadable`](Self::unreadable), whatever the error says.
    pub(super) fn unread_success(self, error: Error) -> Error {
        match self.after(Fate::Unreadable) {
            Unknown | Look => unknown(
                error,
                "the response reports success, so it has most likely taken effect, and was not retried",
            ),
            _ => error,
        }
    }
}

impl Next {
    pub(super) const fn is_again(self) -> bool {
        matches!(self, Again | AgainNoted)
    }
}

impl Fate {
    /// Whether the request may have taken effect.
    pub(super) const fn is_ambiguous(self) -> bool {
        matches!(self, Self::ServerFailed | Self::NoAnswer)
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
    fn what_never_left_or_was_throttled_is_always_sent_again_and_a_final_answer_never() {
        use Repeat::{AtLeastOnce, Looked, Noted, Once, Safe};
        for repeat in [Safe, Noted, AtLeastOnce, Looked, Once] {
            assert_eq!(repeat.after(Fate::NeverSent), Again, "{repeat:?}");
            assert_eq!(repeat.after(Fate::Throttled), Again, "{repeat:?}");
            assert_eq!(repeat.after(Fate::Final), Stop, "{repeat:?}");
        }
    }

    #[test]
    fn the_rest_is_up_to_what_a_second_time_would_do() {
        for (repeat, failed, unreadable) in [
            (Repeat::Safe, Again, Stop),
            (Repeat::Noted, AgainNoted, Stop),
            (Repeat::AtLeastOnce, AgainNoted, Unknown),
            (Repeat::Looked, Look, Look),
            (Repeat::Once, Unknown, Unknown),
        ] {
            assert_eq!(repeat.after(Fate::ServerFailed), failed, "{repeat:?}");
            assert_eq!(repeat.after(Fate::NoAnswer), failed, "{repeat:?}");
            assert_eq!(repeat.after(Fate::Unreadable), unreadable, "{repeat:?}");
        }
    }

    #[test]
    fn an_error_may_only_be_called_passing_where_nothing_can_be_done_twice() {
        let error = || Error::new(ErrorKind::Connect, "a call", "no connection");
        let kind = |repeat: Repeat, maybe| repeat.give_up(error(), maybe, 2).kind();
        for repeat in [Repeat::Safe, Repeat::Noted] {
            assert_eq!(kind(repeat, true), ErrorKind::Connect);
        }
        for repeat in [Repeat::AtLeastOnce, Repeat::Looked, Repeat::Once] {
            assert_eq!(kind(repeat, false), ErrorKind::Connect);
            assert_eq!(kind(repeat, true), ErrorKind::OutcomeUnknown);
        }
    }
}
