//! What kinds of failure there are.

use std::fmt;

/// What kind of failure an [`Error`](crate::Error) is, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Refused before anything was sent: the request breaks a rule of the interface, or the client's
    /// settings are unusable. [`Error::field`](crate::Error::field) names what to mend.
    InvalidRequest,
    /// The request was not sent: the host was not found, did not accept a connection, TLS failed, or
    /// the connection had no room for the request in time. Or it was sent, and the service refused it
    /// without processing it (HTTP/2). Check the URL and the network.
    Connect,
    /// The connection broke after the request was sent, on a call that is safe to make again.
    Network,
    /// No answer came in time, on a call that is safe to make again.
    Timeout,
    /// The request was sent and may or may not have taken effect: no answer came, the service
    /// answered with a failure of its own, or it answered success in a form that cannot be read, or
    /// larger than the client is set to read. The
    /// call is of a kind that must not be made twice, so it was not made again. Look at what the
    /// service holds before you decide; [`Error::job_id`](crate::Error::job_id) is there where the
    /// answer told at least the id of a new job.
    ///
    /// Also a deletion that may have taken effect, and was retried without a response that settles it:
    /// only that may be made again without harm.
    OutcomeUnknown,
    /// 400: the service found the request malformed or a parameter invalid. Its own message is in
    /// the error's text.
    BadRequest,
    /// 401: the key is missing, wrong, or has no permission for this call.
    Unauthorized,
    /// 404: an unknown endpoint, job, Pod or template.
    NotFound,
    /// 404 for a job that this handle has seen before: its ttl ran out, its result was removed, or it
    /// was purged from the queue.
    JobExpired,
    /// 429: a rate or concurrency limit was exceeded, and the attempts of the retry policy are used
    /// up. [`Error::retry_after`](crate::Error::retry_after) holds what the service asked for.
    RateLimited,
    /// 408, 425, and 500 and above: the service failed, or a gateway before it. Also a 403 or 404 that
    /// is a web page, which is a gateway's: the service responds in JSON. 501 is not
    /// [retryable](crate::Error::is_retryable).
    Server,
    /// A redirect, which is never followed: it would carry the request, its key and its body to
    /// another place. Check the URL.
    Redirect,
    /// Any other status.
    UnexpectedStatus,
    /// The reply is larger than the client is set to read, on a call that does no harm when it is
    /// made again ([`ClientBuilder::largest_reply`](crate::ClientBuilder::largest_reply)).
    ReplyTooLarge,
    /// The reply, or a job's output, is not of the expected shape.
    /// [`Error::field`](crate::Error::field) holds the path to the place.
    Decode,
    /// The response is about another job than the one that was asked about, as a proxy that mixes up
    /// its connections answers: it says nothing about this job. The same call can be made again; waits
    /// do so on their own.
    ForeignRecord,
    /// Chunks may be missing at the end of a stream: the service hands out each chunk once, and a
    /// response that may have carried some was lost. The job's record may hold the whole output.
    StreamGap,
    /// The GraphQL interface answered with errors. [`Error::graphql`](crate::Error::graphql) holds
    /// them, and what came beside them.
    Graphql,
    /// The job ended FAILED. The handler's own message is in the error's text and in
    /// [`Error::record`](crate::Error::record).
    JobFailed,
    /// The job ended CANCELLED.
    JobCancelled,
    /// The job ended TIMED_OUT.
    JobTimedOut,
    /// The output of a job was asked for that has none yet: it is queued or still running.
    JobNotFinished,
    /// A wait reached its deadline while the job was not finished. The job goes on, unless the wait
    /// was asked to cancel it: see [`Error::remote_cancel`](crate::Error::remote_cancel).
    WaitTimedOut,
}

impl ErrorKind {
    /// The kind as a word in snake case, such as `rate_limited`: a label for metrics and logs, the
    /// same in every version of this crate, and also what `Display` writes.
    ///
    /// ```
    /// use podqueue::ErrorKind;
    ///
    /// assert_eq!(ErrorKind::OutcomeUnknown.as_str(), "outcome_unknown");
    /// assert_eq!(ErrorKind::RateLimited.to_string(), "rate_limited");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::Connect => "connect",
            Self::Network => "network",
            Self::Timeout => "timeout",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::BadRequest => "bad_request",
            Self::Unauthorized => "unauthorized",
            Self::NotFound => "not_found",
            Self::JobExpired => "job_expired",
            Self::RateLimited => "rate_limited",
            Self::Server => "server",
            Self::Redirect => "redirect",
            Self::UnexpectedStatus => "unexpected_status",
            Self::ReplyTooLarge => "reply_too_large",
            Self::Decode => "decode",
            Self::ForeignRecord => "foreign_record",
            Self::StreamGap => "stream_gap",
            Self::Graphql => "graphql",
            Self::JobFailed => "job_failed",
            Self::JobCancelled => "job_cancelled",
            Self::JobTimedOut => "job_timed_out",
            Self::JobNotFinished => "job_not_finished",
            Self::WaitTimedOut => "wait_timed_out",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::ErrorKind;

    #[test]
    fn each_kind_has_a_label_of_its_own_that_is_its_name_in_snake_case() {
        let mut labels = HashSet::new();
        // A kind that is missing from the list leaves a gap in the numbers.
        let last = ErrorKind::WaitTimedOut as u8;
        for number in 0..=last {
            let kind = KINDS.iter().find(|kind| **kind as u8 == number);
            let kind = *kind.unwrap_or_else(|| panic!("kind {number} is not in the list"));
            let label = kind.as_str();
            assert!(labels.insert(label), "{label} is there twice");
            let mut snake = String::new();
            for letter in format!("{kind:?}").chars() {
                if letter.is_uppercase() && !snake.is_empty() {
                    snake.push('_');
                }
                snake.extend(letter.to_lowercase());
            }
            assert_eq!(label, snake);
            assert_eq!(kind.to_string(), label);
        }
    }

    const KINDS: [ErrorKind; 23] = [
        ErrorKind::InvalidRequest,
        ErrorKind::Connect,
        ErrorKind::Network,
        ErrorKind::Timeout,
        ErrorKind::OutcomeUnknown,
        ErrorKind::BadRequest,
        ErrorKind::Unauthorized,
        ErrorKind::NotFound,
        ErrorKind::JobExpired,
        ErrorKind::RateLimited,
        ErrorKind::Server,
        ErrorKind::Redirect,
        ErrorKind::UnexpectedStatus,
        ErrorKind::ReplyTooLarge,
        ErrorKind::Decode,
        ErrorKind::ForeignRecord,
        ErrorKind::StreamGap,
        ErrorKind::Graphql,
        ErrorKind::JobFailed,
        ErrorKind::JobCancelled,
        ErrorKind::JobTimedOut,
        ErrorKind::JobNotFinished,
        ErrorKind::WaitTimedOut,
    ];
}
