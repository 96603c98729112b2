//! Kinds of errors: a closed set to match on, each with a label for metrics.

use std::fmt;

use podqueue_runtime::ErrorKind as CallErrorKind;

/// The kind of an [`Error`](crate::Error), and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Refused before anything was sent: the request violates a rule of the interface, or the
    /// client's settings are invalid. [`Error::field`](crate::Error::field) names the field to fix.
    InvalidRequest,
    /// The request was not sent: the host was not found or did not accept the connection, TLS
    /// failed, or the connection had no capacity for the request in time. Or it was sent, and the
    /// service refused it without processing it (HTTP/2). Check the URL and the network. Also if the
    /// store of shared rate limits could not be reached.
    Connect,
    /// The connection broke after the request was sent, on a call that is safe to retry.
    Network,
    /// The call timed out: no response arrived in time, on a call that is safe to retry.
    Timeout,
    /// The request was sent and may or may not have taken effect: no response arrived, the service
    /// failed, or it returned a success that is unreadable or larger than the client's limit. Such
    /// a call must not be made twice, so it was not retried. Check the service's state before
    /// retrying; [`Error::job_id`](crate::Error::job_id) is set if at least the id of a new job
    /// arrived.
    ///
    /// Also a deletion that may have taken effect and was retried without a conclusive response. Of
    /// all these calls, only a deletion can be repeated without harm.
    OutcomeUnknown,
    /// 400: the request is malformed or a parameter is invalid. The service's message is part of
    /// the error's text.
    BadRequest,
    /// 401: the key is missing, wrong, or has no permission for this call.
    Unauthorized,
    /// 404: an unknown endpoint, job, Pod or template.
    NotFound,
    /// 404 for a job that this handle has seen before: its ttl expired, its result expired, or it
    /// was purged from the queue.
    JobExpired,
    /// 429: a rate or concurrency limit was exceeded, and the retry policy's attempts are used up.
    /// [`Error::retry_after`](crate::Error::retry_after) is the wait that the service requested.
    RateLimited,
    /// 408, 425, and 500 and above: the service or a gateway in front of it failed. Also a 403 or
    /// 404 with a web page, which comes from a gateway: the service responds in JSON. 501 is not
    /// [retryable](crate::Error::is_retryable).
    Server,
    /// A redirect. Redirects are never followed, because that would send the key and the body to
    /// another location. Check the URL.
    Redirect,
    /// Any other status.
    UnexpectedStatus,
    /// The response is larger than
    /// [`ClientBuilder::largest_response`](crate::ClientBuilder::largest_response), on a call that is
    /// safe to repeat.
    ResponseTooLarge,
    /// The response or a job's output does not have the expected shape.
    /// [`Error::field`](crate::Error::field) is the path to the offending field.
    Decode,
    /// The response is about a different job, as happens with a proxy that mixes up its
    /// connections, and contains no information about this job. The call can be retried; waits do so
    /// automatically.
    ForeignRecord,
    /// Chunks may be missing at the end of a stream: the service delivers each chunk once, and a
    /// response that may have contained some was lost. The job's record may contain the whole
    /// output.
    StreamGap,
    /// The GraphQL response contains errors. [`Error::graphql`](crate::Error::graphql) returns
    /// them, and the partial result.
    Graphql,
    /// The job finished as FAILED. The handler's message is in the error's text and in
    /// [`Error::record`](crate::Error::record).
    JobFailed,
    /// The job finished as CANCELLED.
    JobCancelled,
    /// The job finished as TIMED_OUT.
    JobTimedOut,
    /// The job has no output yet: it is queued or still running.
    JobNotFinished,
    /// A wait timed out before the job finished. The job continues, unless the wait was set to
    /// cancel it: see [`Error::remote_cancel`](crate::Error::remote_cancel).
    WaitTimedOut,
}

impl ErrorKind {
    /// The kind in snake case, such as `rate_limited`: a label for metrics and logs that is stable
    /// across versions of this crate. `Display` prints the same.
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
            Self::ResponseTooLarge => "response_too_large",
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

impl ErrorKind {
    /// The runtime's kind of the same name; `None` for kinds that concern jobs.
    pub(crate) const fn of_call(self) -> Option<CallErrorKind> {
        Some(match self {
            Self::InvalidRequest => CallErrorKind::InvalidRequest,
            Self::Connect => CallErrorKind::Connect,
            Self::Network => CallErrorKind::Network,
            Self::Timeout => CallErrorKind::Timeout,
            Self::OutcomeUnknown => CallErrorKind::OutcomeUnknown,
            Self::BadRequest => CallErrorKind::BadRequest,
            Self::Unauthorized => CallErrorKind::Unauthorized,
            Self::NotFound => CallErrorKind::NotFound,
            Self::RateLimited => CallErrorKind::RateLimited,
            Self::Server => CallErrorKind::Server,
            Self::Redirect => CallErrorKind::Redirect,
            Self::UnexpectedStatus => CallErrorKind::UnexpectedStatus,
            Self::ResponseTooLarge => CallErrorKind::ResponseTooLarge,
            Self::Decode => CallErrorKind::Decode,
            Self::Graphql => CallErrorKind::Graphql,
            Self::JobExpired
            | Self::ForeignRecord
            | Self::StreamGap
            | Self::JobFailed
            | Self::JobCancelled
            | Self::JobTimedOut
            | Self::JobNotFinished
            | Self::WaitTimedOut => return None,
        })
    }
}

impl From<CallErrorKind> for ErrorKind {
    fn from(kind: CallErrorKind) -> Self {
        match kind {
            CallErrorKind::InvalidRequest => Self::InvalidRequest,
            CallErrorKind::Connect => Self::Connect,
            CallErrorKind::Network => Self::Network,
            CallErrorKind::Timeout => Self::Timeout,
            CallErrorKind::OutcomeUnknown => Self::OutcomeUnknown,
            CallErrorKind::BadRequest => Self::BadRequest,
            CallErrorKind::Unauthorized => Self::Unauthorized,
            CallErrorKind::NotFound => Self::NotFound,
            CallErrorKind::RateLimited => Self::RateLimited,
            CallErrorKind::Server => Self::Server,
            CallErrorKind::Redirect => Self::Redirect,
            CallErrorKind::ResponseTooLarge => Self::ResponseTooLarge,
            CallErrorKind::Decode => Self::Decode,
            CallErrorKind::Graphql => Self::Graphql,
            // The runtime's kinds may grow; a test keeps this list complete.
            _ => Self::UnexpectedStatus,
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
            if let Some(of_call) = kind.of_call() {
                assert_eq!(of_call.as_str(), label);
                assert_eq!(ErrorKind::from(of_call), kind);
            }
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
        ErrorKind::ResponseTooLarge,
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
