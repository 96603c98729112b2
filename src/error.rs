//! Error type of the crate: the runtime's, with the records of jobs.

mod kind;

pub use kind::ErrorKind;

use std::any::Any;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use podqueue_runtime::__private::json;
use podqueue_runtime::__private::redact::{Redactor, Secrets};
use podqueue_runtime::Error as CallError;
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
                let error = CallError::new(podqueue_runtime::ErrorKind::Other, attempted, message);
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

    /// Attaches a typed detail, in place of an earlier detail of the same type. The module that defines the
    /// type also defines the public method that returns the detail.
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
    pub(crate) fn unreadable(self, idempotency: Idempotency) -> Self {
        Self(idempotency.unreadable(self.0))
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

    /// Returns true if the same call can safely be retried later, without the risk of doing something
    /// twice.
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

    /// Returns the time that the service asked to wait before the next call (`Retry-After`), if it did.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after()
    }

    /// The response body as text, if there was a response. The API key and the request's secrets
    /// are redacted in every encoding: escaped for JSON, a URL, HTML or mail, even several times over,
    /// in Base64 or hex, as a list of numbers, with line breaks, and long secrets also in part. A
    /// request's secrets are values that are secret by nature (a storage credential, the value of a
    /// secret), values whose name suggests a secret (`password`, `HF_TOKEN`), and all values of an
    /// `env` except trivial ones: fewer than 6 characters, words of fewer than 8 letters, numbers and
    /// dates. Nothing else is redacted, so do not log the body where the service's own data must not
    /// appear.
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
