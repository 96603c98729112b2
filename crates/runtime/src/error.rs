//! Error type of calls: its kind, the attempted call, the response, and the advice.

mod service_message;

pub use service_message::service_message;

use std::any::Any;
use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::redact::{Redactor, Secrets};

/// The result type of every call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The crate's error type: what was attempted, what came back, and what to do about it.
///
/// Match on [`kind`](Error::kind) to handle it, format it with `{}` for people to read, and walk
/// [`source`](std::error::Error::source) for the causes. Neither its `Display` nor its `Debug`
/// output contains the authorization, a secret's value, a URL's query or a response body.
///
/// # Troubleshooting
///
/// ```
/// use podqueue_runtime::{Error, ErrorKind};
///
/// fn advise(error: &Error) -> &'static str {
///     match error.kind() {
///         ErrorKind::InvalidRequest => "fix the field that error.field() names; nothing was sent",
///         ErrorKind::Unauthorized => "check the API key and its permissions",
///         ErrorKind::OutcomeUnknown => "check before sending it again: it may have taken effect",
///         _ if error.is_retryable() => "try again later",
///         _ => "read the message",
///     }
/// }
/// ```
pub struct Error(Box<Detail>);

struct Detail {
    kind: ErrorKind,
    attempted: String,
    message: String,
    field: Option<String>,
    status: Option<u16>,
    body: Option<Body>,
    retry_after: Option<Duration>,
    created_id: Option<String>,
    attached: Vec<Box<dyn Any + Send + Sync>>,
    after_unknown_outcome: bool,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The body of a response, raw, and the secrets in it that must not be shown.
struct Body {
    bytes: Bytes,
    secrets: Secrets,
}

/// Support for this crate and those built on it. Not public API: it changes without notice.
#[doc(hidden)]
impl Error {
    /// An error of `kind`: `attempted` completes "could not …" as a noun phrase
    /// (`list_pets on the REST interface`), `message` says what came back.
    pub fn new(kind: ErrorKind, attempted: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Box::new(Detail {
            kind,
            attempted: attempted.into(),
            message: message.into(),
            field: None,
            status: None,
            body: None,
            retry_after: None,
            created_id: None,
            attached: Vec::new(),
            after_unknown_outcome: false,
            source: None,
        }))
    }

    /// A request refused before anything was sent: `field` breaks `rule`.
    pub fn refused(
        attempted: impl Into<String>,
        field: impl Into<String>,
        rule: impl fmt::Display,
    ) -> Self {
        let field = field.into();
        let mut error = Self::new(
            ErrorKind::InvalidRequest,
            attempted,
            format!("refused before sending: `{field}` {rule}"),
        );
        error.0.field = Some(field);
        error
    }

    pub fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    pub fn with_attempted(mut self, attempted: impl Into<String>) -> Self {
        self.0.attempted = attempted.into();
        self
    }

    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    pub fn with_status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    /// Attaches the body of a response, which is only redacted when it is shown.
    pub fn with_body(mut self, bytes: Bytes, secrets: Secrets) -> Self {
        self.0.body = Some(Body { bytes, secrets });
        self
    }

    pub fn with_retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.0.retry_after = retry_after;
        self
    }

    /// Attaches the id of the created object, read from a response that is otherwise unreadable.
    pub fn with_created_id(mut self, id: String) -> Self {
        self.0.created_id = Some(id);
        self
    }

    /// Attaches a typed detail, in place of an earlier detail of the same type. The module or crate
    /// that defines the type also defines the public method that returns the detail.
    pub fn attach<T: Any + Send + Sync>(mut self, it: T) -> Self {
        self.0.attached.retain(|other| !other.is::<T>());
        self.0.attached.push(Box::new(it));
        self
    }

    /// The attached detail of this type.
    pub fn attached<T: Any>(&self) -> Option<&T> {
        self.0.attached.iter().find_map(|it| it.downcast_ref())
    }

    /// Removes and returns the attached detail of this type.
    pub fn detach<T: Any>(&mut self) -> Option<T> {
        let place = self.0.attached.iter().position(|it| it.is::<T>())?;
        self.0.attached.swap_remove(place).downcast().ok().map(|it| *it)
    }

    pub fn with_unknown_outcome_before(mut self, before: bool) -> Self {
        self.0.after_unknown_outcome = before;
        self
    }

    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Redacts the source: an HTTP/2 peer can close a connection with any text.
    pub fn with_redacted_source(mut self, redactor: &Redactor) -> Self {
        self.0.source = self.0.source.map(|source| redacted_source(source, redactor));
        self
    }

    /// The body of the response, raw, with its secrets: to be parsed and never shown.
    pub fn unredacted_body(&self) -> Option<&Bytes> {
        self.0.body.as_ref().map(|body| &body.bytes)
    }

    /// The secrets to redact in the response.
    pub fn secrets(&self) -> Secrets {
        self.0.body.as_ref().map(|body| body.secrets.clone()).unwrap_or_default()
    }

    /// The attempted call, as [`new`](Self::new) takes it.
    pub fn attempted(&self) -> &str {
        &self.0.attempted
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns true if an attempt of the same call may have taken effect before.
    pub fn is_after_unknown_outcome(&self) -> bool {
        self.0.after_unknown_outcome
    }

    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }
}

impl Error {
    /// The kind of failure.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The HTTP status, if there was a response.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.0.status
    }

    /// Returns true if the same call can safely be retried later, without the risk of doing
    /// something twice.
    ///
    /// By the time you see the error, the client has already retried according to its
    /// [`RetryPolicy`](crate::RetryPolicy). [`ErrorKind::OutcomeUnknown`] is never retryable in
    /// this sense.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.0.kind {
            ErrorKind::Connect
            | ErrorKind::Network
            | ErrorKind::Timeout
            | ErrorKind::RateLimited => true,
            // The service will not implement the operation later.
            ErrorKind::Server => self.0.status != Some(501),
            _ => false,
        }
    }

    /// The id of what a call created, for [`ErrorKind::OutcomeUnknown`] after a response of which
    /// little more than the id arrived; see [`Call::created_id`](crate::Call::created_id).
    #[must_use]
    pub fn created_id(&self) -> Option<&str> {
        self.0.created_id.as_deref()
    }

    /// Returns the time that the service asked to wait before the next call (`Retry-After`), if it
    /// did.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
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
        let Body { bytes, secrets } = self.0.body.as_ref()?;
        Some(secrets.redact(&String::from_utf8_lossy(bytes)).into())
    }

    /// The invalid field for [`ErrorKind::InvalidRequest`], and the path to the field that could
    /// not be decoded for [`ErrorKind::Decode`].
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.0.field.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.0.attempted)?;
        for character in self.0.message.chars() {
            match character {
                // The service's text must not control a terminal.
                _ if character.is_control() && !matches!(character, '\n' | '\t') => {
                    write!(f, "{}", character.escape_default())?;
                }
                _ => f.write_char(character)?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.debug(f, &self.0.kind, None)
    }
}

#[doc(hidden)]
impl Error {
    /// `Debug` output with a kind and an id that a crate built on the runtime supplies.
    pub fn debug(
        &self,
        f: &mut fmt::Formatter<'_>,
        kind: &dyn fmt::Debug,
        id: Option<(&str, &str)>,
    ) -> fmt::Result {
        let Detail { attempted, message, field, status, retry_after, .. } = &*self.0;
        let mut debug = f.debug_struct("Error");
        debug.field("kind", kind).field("attempted", attempted).field("message", message);
        if let Some(field) = field {
            debug.field("field", field);
        }
        if let Some(status) = status {
            debug.field("status", status);
        }
        if let Some(retry_after) = retry_after {
            debug.field("retry_after", retry_after);
        }
        if let Some((name, id)) = id {
            debug.field(name, &ShownId(id));
        }
        if let Some(source) = &self.0.source {
            debug.field("source", source);
        }
        debug.finish_non_exhaustive()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

/// The redacted message of a cause.
struct Redacted {
    text: String,
    source: Option<Box<Self>>,
}

/// The cause unchanged; or as redacted text, if it or any cause beneath contains a secret.
fn redacted_source(
    source: Box<dyn StdError + Send + Sync>,
    redactor: &Redactor,
) -> Box<dyn StdError + Send + Sync> {
    let (mut causes, mut next) = (Vec::new(), Some(&*source as &(dyn StdError + 'static)));
    while let Some(cause) = next {
        causes.push(cause);
        next = cause.source();
    }
    let shows = |text: String| redactor.redact(&text) != text;
    if !causes.iter().any(|cause| shows(cause.to_string()) || shows(format!("{cause:?}"))) {
        return source;
    }
    let mut beneath = None;
    for cause in causes.into_iter().rev() {
        let text = redactor.redact(&cause.to_string());
        beneath = Some(Box::new(Redacted { text, source: beneath }));
    }
    match beneath {
        Some(redacted) => redacted,
        None => source,
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redacted").field("text", &self.text).field("source", &self.source).finish()
    }
}

impl StdError for Redacted {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

/// The kind of an [`Error`](crate::Error), and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Refused before anything was sent: the request violates a rule of the interface, or the
    /// client's settings are invalid. [`Error::field`](crate::Error::field) names the field to fix.
    /// Also an upload whose content could not be read to its end, so that the request broke off.
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
    /// retrying; [`Error::created_id`](crate::Error::created_id) is set if at least the id of what
    /// the call created arrived.
    ///
    /// The kind is also that of a deletion that may have taken effect and was retried without a
    /// conclusive response. Of all these calls, only a deletion can be repeated without harm.
    OutcomeUnknown,
    /// 400: the request is malformed or a parameter is invalid. The service's message is part of
    /// the error's text.
    BadRequest,
    /// 401: the key is missing, wrong, or has no permission for this call.
    Unauthorized,
    /// 404: there is no such resource, or it is no longer available.
    NotFound,
    /// 410: what was called is gone for good: the service has retired the interface, or the resource.
    /// Retrying is useless.
    Gone,
    /// 429: a rate or concurrency limit was exceeded, and the retry policy's attempts are used up.
    /// [`Error::retry_after`](crate::Error::retry_after) is the wait that the service requested.
    RateLimited,
    /// 408, 425, and 500 and above: the service or a gateway in front of it failed. Also a 403 or
    /// 404 with a web page, which comes from a gateway: the service responds in JSON. 501 is not
    /// [retryable](crate::Error::is_retryable). Also an error that the service reports within a
    /// stream of events, whose response began as a success.
    Server,
    /// A redirect. Redirects are never followed, because that would send the key and the body to
    /// another location. Check the URL.
    Redirect,
    /// Any other status.
    UnexpectedStatus,
    /// The response is larger than
    /// [`ServiceBuilder::largest_response`](crate::ServiceBuilder::largest_response), on a call
    /// that is safe to repeat.
    ResponseTooLarge,
    /// The response does not have the expected shape.
    /// [`Error::field`](crate::Error::field) is the path to the offending field.
    Decode,
    /// The GraphQL response contains errors. [`Error::graphql`](crate::Error::graphql) returns
    /// them, and the partial result.
    Graphql,
    /// A failure in the terms of the service, as defined by a crate built on the runtime. The
    /// runtime itself never returns this kind.
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
            Self::Gone => "gone",
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

/// The attempted call, such as `get_pet on the REST interface`. Formatted only for an error: every
/// call has this description, and few fail.
#[derive(Clone, Debug)]
pub struct Attempted {
    what: Cow<'static, str>,
    of: Option<(&'static str, Arc<str>)>,
    on: On,
}

#[derive(Clone, Debug)]
enum On {
    Nothing,
    Interface(&'static str),
    Named(&'static str, Arc<str>),
}

impl Attempted {
    /// An attempt at `what`, a noun phrase or the name of an operation.
    pub fn new(what: impl Into<Cow<'static, str>>) -> Self {
        Self { what: what.into(), of: None, on: On::Nothing }
    }

    /// The noun phrase or the name of the operation.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Adds `of {noun} {name}`, such as `of pet "7"`.
    #[must_use]
    pub fn of(self, noun: &'static str, name: &Arc<str>) -> Self {
        Self { of: Some((noun, Arc::clone(name))), ..self }
    }

    /// Adds `on {noun} {name}`.
    #[must_use]
    pub fn on(self, noun: &'static str, name: &Arc<str>) -> Self {
        Self { on: On::Named(noun, Arc::clone(name)), ..self }
    }

    /// Adds `on the {interface} interface`, such as `REST`.
    #[must_use]
    pub fn on_interface(self, interface: &'static str) -> Self {
        Self { on: On::Interface(interface), ..self }
    }
}

impl fmt::Display for Attempted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some((noun, name)) = &self.of {
            write!(f, " of {noun} {:?}", ShownId(name))?;
        }
        match &self.on {
            On::Nothing => Ok(()),
            On::Interface(name) => write!(f, " on the {name} interface"),
            On::Named(noun, name) => write!(f, " on {noun} {:?}", ShownId(name)),
        }
    }
}

/// An id as error messages show it: quoted, and truncated if it is longer than any real id, since
/// it may come from the service.
pub struct ShownId<'a>(pub &'a str);

impl ShownId<'_> {
    /// The longest id that is shown in full, in bytes.
    const MAX_BYTES: usize = 256;
}

impl fmt::Debug for ShownId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.0;
        if id.len() <= Self::MAX_BYTES {
            return write!(f, "{id:?}");
        }
        let end = (0..=Self::MAX_BYTES).rfind(|at| id.is_char_boundary(*at)).unwrap_or(0);
        write!(f, "{:?}… ({} bytes)", &id[..end], id.len())
    }
}

impl From<&Attempted> for String {
    fn from(attempted: &Attempted) -> Self {
        attempted.to_string()
    }
}

impl From<Attempted> for String {
    fn from(attempted: Attempted) -> Self {
        attempted.to_string()
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

    const KINDS: [ErrorKind; 17] = [
        ErrorKind::InvalidRequest,
        ErrorKind::Connect,
        ErrorKind::Network,
        ErrorKind::Timeout,
        ErrorKind::OutcomeUnknown,
        ErrorKind::BadRequest,
        ErrorKind::Unauthorized,
        ErrorKind::NotFound,
        ErrorKind::Gone,
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
