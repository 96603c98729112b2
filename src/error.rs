//! Error type of the crate: the runtime's, with kinds and details that concern jobs.

use std::any::Any;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use podqueue_runtime::__private::json;
use podqueue_runtime::__private::redact::{Redactor, Secrets};
use podqueue_runtime::__private::rest::FromResponse;
use podqueue_runtime::{Error as CallError, ErrorKind as CallErrorKind};
use podqueue_runtime::{Idempotency, Reply};

/// The result type of every call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The crate's error type: what was attempted, what came back, and what to do about it.
///
/// Match on [`kind`](Error::kind) to handle it, format it with `{}` for people to read, and walk
/// [`source`](std::error::Error::source) for the causes. Neither its `Display` nor its `Debug`
/// output contains the API key, a secret's value, a URL's query or a response body.
///
/// # Troubleshooting
///
/// ```
/// use podqueue::{Error, ErrorKind};
///
/// fn advise(error: &Error) -> &'static str {
///     match error.kind() {
///         ErrorKind::InvalidRequest => "fix the field that error.field() names; nothing was sent",
///         ErrorKind::Unauthorized => "check the API key and its permissions",
///         ErrorKind::JobFailed => "read error.record(): the handler's message is in it",
///         ErrorKind::OutcomeUnknown => "check before submitting again: it may have been accepted",
///         _ if error.is_retryable() => "try again later",
///         _ => "read the message",
///     }
/// }
/// ```
pub struct Error(CallError);

/// A kind that the runtime does not know.
struct JobKind(ErrorKind);

/// The id of the job that an error is about.
struct JobId(String);

impl Error {
    /// An error of `kind`: `attempted` completes "could not …" as a noun phrase (`run on endpoint
    /// "echo"`), `message` says what came back.
    pub(crate) fn new(
        kind: ErrorKind,
        attempted: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        match kind.of_call() {
            Some(kind) => Self(CallError::new(kind, attempted, message)),
            None => {
                let error = CallError::new(CallErrorKind::Other, attempted, message);
                Self(error.attach(JobKind(kind)))
            }
        }
    }

    /// A request refused before anything was sent: `field` breaks `rule`.
    pub(crate) fn refused(
        attempted: impl Into<String>,
        field: impl Into<String>,
        rule: impl fmt::Display,
    ) -> Self {
        Self(CallError::refused(attempted, field, rule))
    }

    pub(crate) fn with_kind(self, kind: ErrorKind) -> Self {
        match kind.of_call() {
            Some(kind) => {
                let mut error = self.0.with_kind(kind);
                error.detach::<JobKind>();
                Self(error)
            }
            None => Self(self.0.attach(JobKind(kind))),
        }
    }

    #[cfg(feature = "account")]
    pub(crate) fn with_attempted(self, attempted: impl Into<String>) -> Self {
        Self(self.0.with_attempted(attempted))
    }

    pub(crate) fn with_message(self, message: impl Into<String>) -> Self {
        Self(self.0.with_message(message))
    }

    /// Attaches the body of a reply, which is only redacted when it is shown.
    pub(crate) fn with_body(self, bytes: Bytes, secrets: Secrets) -> Self {
        Self(self.0.with_body(bytes, secrets))
    }

    pub(crate) fn with_field(self, field: impl Into<String>) -> Self {
        Self(self.0.with_field(field))
    }

    pub(crate) fn with_job_id(self, job_id: &str) -> Self {
        self.attach(JobId(job_id.to_owned()))
    }

    /// Attaches a typed detail, in place of an earlier detail of the same type. The module that
    /// defines the type also defines the public method that returns the detail.
    pub(crate) fn attach<T: Any + Send + Sync>(self, it: T) -> Self {
        Self(self.0.attach(it))
    }

    /// The attachment of this type.
    pub(crate) fn attached<T: Any>(&self) -> Option<&T> {
        self.0.attached()
    }

    pub(crate) fn with_source(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self(self.0.with_source(source))
    }

    /// With the response that it is about.
    pub(crate) fn explained_by(self, reply: &Reply) -> Self {
        Self(reply.explain(self.0))
    }

    /// An error about a value that could not be decoded, without its secrets.
    pub(crate) fn redacted(self, redactor: &Redactor) -> Self {
        Self(json::redacted(self.0, redactor))
    }

    /// The error of a success that cannot be read.
    pub(crate) fn classify_decode_error(self, idempotency: Idempotency) -> Self {
        Self(idempotency.classify_decode_error(self.0))
    }

    /// The error of a call that was refused after an attempt that may have taken effect.
    pub(crate) fn refused_after_ambiguity(self) -> Self {
        Self(Idempotency::refused_after_ambiguity(self.0))
    }

    /// The body of the reply, raw, with its secrets: to be parsed and never shown.
    pub(crate) fn unredacted_body(&self) -> Option<&Bytes> {
        self.0.unredacted_body()
    }

    pub(crate) fn message(&self) -> &str {
        self.0.message()
    }

    /// Returns true if an attempt of the same call may have taken effect before.
    pub(crate) fn is_after_unknown_outcome(&self) -> bool {
        self.0.is_after_unknown_outcome()
    }

    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.attached().map_or_else(|| self.0.kind().into(), |JobKind(kind)| *kind)
    }

    /// The HTTP status, if there was a response.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.0.status()
    }

    /// Returns true if the same call can safely be retried later, without the risk of doing
    /// something twice.
    ///
    /// By the time you see the error, the client has already retried according to its
    /// [`RetryPolicy`](crate::RetryPolicy). [`ErrorKind::OutcomeUnknown`] is never retryable in
    /// this sense.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.attached() {
            Some(JobKind(kind)) => *kind == ErrorKind::ForeignRecord,
            None => self.0.is_retryable(),
        }
    }

    /// The id of the job that the failure is about, if any. For a submission that failed with
    /// [`ErrorKind::OutcomeUnknown`], it is the accepted job, provided its id arrived before the
    /// response became unreadable.
    #[must_use]
    pub fn job_id(&self) -> Option<&str> {
        self.attached().map(|JobId(id)| id.as_str()).or(self.0.created_id())
    }

    /// Returns the time that the service asked to wait before the next call (`Retry-After`), if it
    /// did.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after()
    }

    /// Reads the body of the error response: as the type that the documentation of a generated call
    /// names, which has a variant for each status where these differ, or as any other of the types.
    ///
    /// # Errors
    ///
    /// [`Decode`](ErrorKind::Decode): there was no response, or its body is not of this type.
    pub fn decode<T: FromResponse>(&self) -> Result<T> {
        self.0.decode().map_err(Self)
    }

    /// The response body as text, if there was a response. The API key and the request's secrets
    /// are redacted in every encoding: escaped for JSON, a URL, HTML or mail, in Base64 or hex, as
    /// a list of numbers, any number of times over, with line breaks, and long secrets also in
    /// part. A text that takes too long to decode is withheld. A request's secrets are values that
    /// are secret by nature (a storage credential, the value of a secret), values whose name
    /// suggests a secret (`password`, `HF_TOKEN`), and all values of an `env` except trivial ones:
    /// fewer than 6 characters, words of fewer than 8 letters, numbers and dates. Nothing else is
    /// redacted, so do not log the body where the service's own data must not appear.
    ///
    /// The text is redacted anew on each call.
    #[must_use]
    pub fn body(&self) -> Option<Cow<'_, str>> {
        self.0.body()
    }

    /// The invalid field for [`ErrorKind::InvalidRequest`], and the path to the field that could
    /// not be decoded for [`ErrorKind::Decode`].
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.0.field()
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        Self(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(f, &self.kind(), self.job_id().map(|id| ("job_id", id)))
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

/// The kind of an [`Error`](crate::Error), and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Refused before anything was sent: the request violates a rule of the interface, or the
    /// client's settings are invalid. [`Error::field`](crate::Error::field) names the field to fix.
    InvalidRequest,
    /// The request was not sent: the host was not found or did not accept the connection, TLS
    /// failed, or the connection had no capacity for the request in time. Or it was sent, and the
    /// service refused it without processing it (HTTP/2). Check the URL and the network. Also if
    /// the store of shared rate limits could not be reached.
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
    /// The kind is also that of a deletion that may have taken effect and was retried without a
    /// conclusive response. Of all these calls, only a deletion can be repeated without harm.
    OutcomeUnknown,
    /// 400: the request is malformed or a parameter is invalid. The service's message is part of
    /// the error's text.
    BadRequest,
    /// 401: the key is missing, wrong, or has no permission for this call.
    Unauthorized,
    /// 404: an unknown endpoint, job, Pod or template.
    NotFound,
    /// 410: the service has retired the interface that was called, or what it was about. The error's
    /// text names the method of the account interface that replaces a retired one.
    Gone,
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
    /// [`ClientBuilder::largest_response`](crate::ClientBuilder::largest_response), on a call that
    /// is safe to repeat.
    ResponseTooLarge,
    /// The response or a job's output does not have the expected shape.
    /// [`Error::field`](crate::Error::field) is the path to the offending field.
    Decode,
    /// The response is about a different job, as happens with a proxy that mixes up its
    /// connections, and contains no information about this job. The call can be retried; waits do
    /// so automatically.
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
            Self::Gone => "gone",
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
            Self::Gone => CallErrorKind::Gone,
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
            CallErrorKind::Gone => Self::Gone,
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

    const KINDS: [ErrorKind; 24] = [
        ErrorKind::InvalidRequest,
        ErrorKind::Connect,
        ErrorKind::Network,
        ErrorKind::Timeout,
        ErrorKind::OutcomeUnknown,
        ErrorKind::BadRequest,
        ErrorKind::Unauthorized,
        ErrorKind::NotFound,
        ErrorKind::Gone,
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
