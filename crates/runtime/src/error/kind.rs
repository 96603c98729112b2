//! Kinds of errors: a closed set to match on, each with a label for metrics.

use std::fmt;

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
    /// retrying; [`Error::created_id`](crate::Error::created_id) is set if at least the id of what
    /// the call created arrived.
    ///
    /// Also a deletion that may have taken effect and was retried without a conclusive response. Of
    /// all these calls, only a deletion can be repeated without harm.
    OutcomeUnknown,
    /// 400: the request is malformed or a parameter is invalid. The service's message is part of
    /// the error's text.
    BadRequest,
    /// 401: the key is missing, wrong, or has no permission for this call.
    Unauthorized,
    /// 404: there is no such resource, or it is no longer available.
    NotFound,
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
    /// [`ServiceBuilder::largest_response`](crate::ServiceBuilder::largest_response), on a call that is
    /// safe to repeat.
    ResponseTooLarge,
    /// The response does not have the expected shape.
    /// [`Error::field`](crate::Error::field) is the path to the offending field.
    Decode,
    /// The GraphQL response contains errors. [`Error::graphql`](crate::Error::graphql) returns
    /// them, and the partial result.
    Graphql,
    /// A failure in the terms of the service, as defined by a crate built on the runtime. The runtime
    /// itself never returns this kind.
    Other,
}

impl ErrorKind {
    /// The kind in snake case, such as `rate_limited`: a label for metrics and logs that is stable
    /// across versions of this crate. `Display` prints the same.
    ///
    /// ```
    /// use podqueue_runtime::ErrorKind;
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
            Self::RateLimited => "rate_limited",
            Self::Server => "server",
            Self::Redirect => "redirect",
            Self::UnexpectedStatus => "unexpected_status",
            Self::ResponseTooLarge => "response_too_large",
            Self::Decode => "decode",
            Self::Graphql => "graphql",
            Self::Other => "other",
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
        let last = ErrorKind::Other as u8;
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

    const KINDS: [ErrorKind; 16] = [
        ErrorKind::InvalidRequest,
        ErrorKind::Connect,
        ErrorKind::Network,
        ErrorKind::Timeout,
        ErrorKind::OutcomeUnknown,
        ErrorKind::BadRequest,
        ErrorKind::Unauthorized,
        ErrorKind::NotFound,
        ErrorKind::RateLimited,
        ErrorKind::Server,
        ErrorKind::Redirect,
        ErrorKind::UnexpectedStatus,
        ErrorKind::ResponseTooLarge,
        ErrorKind::Decode,
        ErrorKind::Graphql,
        ErrorKind::Other,
    ];
}
