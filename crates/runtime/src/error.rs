//! Error type of calls: the attempted call, the response, and the advice.

mod attempted;
mod kind;
mod service_message;

pub use attempted::{Attempted, ShownId};
pub use kind::ErrorKind;
pub use service_message::service_message;

use std::any::Any;
use std::error::Error as StdError;
use std::fmt::{self, Write};
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

/// The body of a reply, raw, and the secrets in it that must not be shown.
struct Body {
    bytes: Bytes,
    secrets: Secrets,
}

/// Support for this crate and those built on it. Not public API: it changes without notice.
#[doc(hidden)]
impl Error {
    /// An error of `kind`: `attempted` completes "could not …" as a noun phrase (`list_pets on the REST
    /// interface`), `message` says what came back.
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

    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    pub fn with_status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    /// Attaches the body of a reply, which is only redacted when it is shown.
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

    /// Attaches a typed detail, in place of an earlier detail of the same type. The module or crate that
    /// defines the type also defines the public method that returns the detail.
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

    /// The body of the reply, raw, with its secrets: to be parsed and never shown.
    pub fn unredacted_body(&self) -> Option<&Bytes> {
        self.0.body.as_ref().map(|body| &body.bytes)
    }

    /// The secrets to redact in the reply.
    pub fn secrets(&self) -> Secrets {
        self.0.body.as_ref().map(|body| body.secrets.clone()).unwrap_or_default()
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

    /// Returns true if the same call can safely be retried later, without the risk of doing something
    /// twice.
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

    /// Returns the time that the service asked to wait before the next call (`Retry-After`), if it did.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The response body as text, if there was a response. The API key and the request's secrets
    /// are redacted in every encoding: escaped for JSON, a URL, HTML or mail, in Base64 or hex, as a
    /// list of numbers, any number of times over, with line breaks, and long secrets also in part. A
    /// text that takes too long to decode is withheld. A request's secrets are values
    /// that are secret by nature (a storage credential, the value of a secret), values whose name
    /// suggests a secret (`password`, `HF_TOKEN`), and all values of an `env` except trivial ones:
    /// fewer than 6 characters, words of fewer than 8 letters, numbers and dates. Nothing else is
    /// redacted, so do not log the body where the service's own data must not appear.
    ///
    /// The text is redacted anew on each call.
    #[must_use]
    pub fn body(&self) -> Option<std::borrow::Cow<'_, str>> {
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
                // A terminal must not obey what the service or a handler says.
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
    words: String,
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
        let words = redactor.redact(&cause.to_string());
        beneath = Some(Box::new(Redacted { words, source: beneath }));
    }
    match beneath {
        Some(redacted) => redacted,
        None => source,
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redacted")
            .field("words", &self.words)
            .field("source", &self.source)
            .finish()
    }
}

impl StdError for Redacted {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
