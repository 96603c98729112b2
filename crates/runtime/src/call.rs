//! Call as a value: everything that is needed to send a request, and to send it again.
//!
//! An [`Operation`] is the common part of all calls of a kind: name, method, idempotency and rate
//! limit. A [`Call`] adds the path, parameters and body of one request.
//! [`Service::send`](crate::Service::send) sends it. A [`Request`] is a call that is sent when it
//! is awaited.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, Url};
use serde::Serialize;
use tokio::time::Instant;

use crate::authorization::Credential;
use crate::error::{Attempted, Error, Result};
use crate::json::not_serializable;
use crate::limiter::Limit;
use crate::retry::{Idempotency, RetryPolicy};
use crate::secret_string::SecretString;
use crate::upload::Upload;
use crate::url::{Path, escaped};

/// A slow uplink, for which large bodies get more time.
const BYTES_PER_SECOND: u64 = 256 * 1024;

/// The common part of all calls of a kind.
///
/// ```
/// use podqueue_runtime::{Idempotency, Limit, Method, Operation};
///
/// static LIST_PETS: Operation = Operation::new("list_pets", Method::GET, Idempotency::Idempotent)
///     .limit(Limit::new(1_000).concurrent(200));
/// ```
#[derive(Clone, Debug)]
pub struct Operation {
    pub(crate) name: &'static str,
    pub(crate) method: Method,
    pub(crate) idempotency: Idempotency,
    pub(crate) limit: Option<Limit>,
}

impl Operation {
    /// An operation without a rate limit. The name appears in errors, traces and metrics.
    #[must_use]
    pub const fn new(name: &'static str, method: Method, idempotency: Idempotency) -> Self {
        Self { name, method, idempotency, limit: None }
    }

    /// The rate limit of the operation, for each [scope](Call::scope).
    #[must_use]
    pub const fn limit(mut self, limit: Limit) -> Self {
        self.limit = Some(limit);
        self
    }

    /// The operation's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The effect of a second request.
    #[must_use]
    pub const fn idempotency(&self) -> Idempotency {
        self.idempotency
    }
}

/// A call, to be sent by [`Service::send`](crate::Service::send).
///
/// ```no_run
/// # async fn example(service: podqueue_runtime::Service) -> podqueue_runtime::Result<()> {
/// use podqueue_runtime::{Call, Idempotency, Method, Operation, Path};
///
/// static RENAME: Operation = Operation::new("rename_pet", Method::PUT, Idempotency::Idempotent);
///
/// let path = Path::new("/pets/").parameter("petId", "7").literal("/name");
/// let call = Call::new(&RENAME, path).json("body", &serde_json::json!({"name": "Ada"}))?;
/// let pet: serde_json::Value = service.send(call).await?.json()?;
/// # let _ = pet;
/// # Ok(())
/// # }
/// ```
#[must_use = "a call is sent only by `Service::send`"]
#[derive(Clone, Debug)]
pub struct Call {
    /// Boxed, since a call is moved through several futures.
    pub(crate) parts: Box<CallParts>,
}

/// The parts of a call.
#[derive(Clone, Debug)]
pub(crate) struct CallParts {
    pub(crate) operation: Operation,
    /// The description of the call, for errors.
    pub(crate) attempted: Attempted,
    pub(crate) scope: Option<Arc<str>>,
    pub(crate) target: Target,
    /// The server of the operation, as its description names it, if that is not the service.
    pub(crate) server: Option<&'static str>,
    /// The query, escaped, as it is sent.
    pub(crate) query: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<Bytes>,
    /// The body in place of `body`, if it is not held in memory.
    pub(crate) upload: Option<Upload>,
    pub(crate) timeout: Option<Duration>,
    /// Time that an attempt may take beyond its timeout.
    pub(crate) extra_time: Duration,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) is_held_open: bool,
    pub(crate) longest_pause: Duration,
    pub(crate) retry: Option<RetryPolicy>,
    pub(crate) urgent_from: Option<Instant>,
    pub(crate) created_id: Option<&'static str>,
    pub(crate) largest_response: Option<usize>,
    pub(crate) streamed: Streamed,
    pub(crate) secrets: Vec<SecretString>,
}

/// The successes whose body is passed on as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Streamed {
    /// No success: bodies are read whole.
    Nothing,
    /// Streams of events.
    Events,
    /// All.
    Everything,
}

/// The target of a call.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// Below the URL of the service.
    Path(Path),
    /// To the URL of the service itself.
    Service,
    /// To exactly this URL.
    Url(Url),
}

impl Call {
    /// A call of `operation` to a path below the service's URL.
    pub fn new(operation: &Operation, path: impl Into<Path>) -> Self {
        let attempted = Attempted::new(operation.name);
        Self::to(operation, attempted, Target::Path(path.into()))
    }

    fn to(operation: &Operation, attempted: Attempted, target: Target) -> Self {
        let parts = CallParts {
            operation: operation.clone(),
            attempted,
            scope: None,
            target,
            server: None,
            query: String::new(),
            headers: Vec::new(),
            body: None,
            upload: None,
            timeout: None,
            extra_time: Duration::ZERO,
            idle_timeout: None,
            is_held_open: false,
            longest_pause: Duration::MAX,
            retry: None,
            urgent_from: None,
            created_id: None,
            largest_response: None,
            streamed: Streamed::Nothing,
            secrets: Vec::new(),
        };
        Self { parts: Box::new(parts) }
    }

    /// Adds a query parameter.
    pub fn query(mut self, name: &str, value: &str) -> Self {
        if !self.parts.query.is_empty() {
            self.parts.query.push('&');
        }
        self.parts.query.extend([&*escaped(name), "=", &*escaped(value)]);
        self
    }

    /// Adds a header, whose value is marked as sensitive, so that no log shows it.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.parts.headers.push((name, value.into()));
        self
    }

    /// A body of JSON text. Large bodies get more time: a second for each 256 KiB.
    pub fn body(mut self, json: impl Into<Bytes>) -> Self {
        let json = json.into();
        self.parts.extra_time += Duration::from_secs(json.len() as u64 / BYTES_PER_SECOND);
        self.parts.body = Some(json);
        self
    }

    /// A body that is read as it is sent.
    pub(crate) fn upload(mut self, upload: Upload) -> Self {
        let length = upload.known_length().unwrap_or_default();
        self.parts.extra_time += Duration::from_secs(length / BYTES_PER_SECOND);
        self.parts.upload = Some(upload);
        self
    }

    /// A body that is serialized as JSON. Values whose names suggest a secret are redacted in what
    /// the service says.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](crate::ErrorKind::InvalidRequest) if it cannot be serialized; `field` is
    /// the name under which the error mentions it.
    pub fn json(self, field: &str, body: &(impl Serialize + ?Sized)) -> Result<Self> {
        match serde_json::to_vec(body) {
            Ok(json) => Ok(self.body(json)),
            Err(source) => Err(not_serializable(self.parts.attempted, field, source)),
        }
    }

    /// The scope of the operation's rate limit: calls of an operation count together only if their
    /// scopes are equal. Without a scope, a call is not limited.
    pub fn scope(mut self, scope: impl Into<Arc<str>>) -> Self {
        self.parts.scope = Some(scope.into());
        self
    }

    /// Values that must not be shown if the service repeats them, beside the authorization and the
    /// secrets in a JSON body.
    pub fn secrets(mut self, secrets: impl IntoIterator<Item = SecretString>) -> Self {
        self.parts.secrets.extend(secrets);
        self
    }

    /// The timeout of an attempt, in place of the service's.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.parts.timeout = timeout.into();
        self
    }

    /// Time that an attempt may take beyond its timeout, for waits that the caller requested of the
    /// service.
    pub fn extra_time(mut self, time: Duration) -> Self {
        self.parts.extra_time += time;
        self
    }

    /// Sets the number and the delays of retries, in place of the service's policy.
    pub fn retry(mut self, policy: impl Into<Option<RetryPolicy>>) -> Self {
        self.parts.retry = policy.into();
        self
    }

    /// Sets the effect of a second request, if that differs from the operation's.
    pub fn idempotency(mut self, idempotency: Idempotency) -> Self {
        self.parts.operation.idempotency = idempotency;
        self
    }

    /// The service responds only once something has happened, so the request stays open for long.
    pub fn held_open(mut self) -> Self {
        self.parts.is_held_open = true;
        self
    }

    /// The name of the field of a JSON response that identifies what the call created. If a success
    /// is lost but for this field, the call counts as having taken effect, and the error has the
    /// [id](crate::Error::created_id).
    pub fn created_id(mut self, field: &'static str) -> Self {
        self.parts.created_id = Some(field);
        self
    }

    /// The largest response that is read, in bytes, if that is less than the service's limit.
    pub fn largest_response(mut self, bytes: impl Into<Option<usize>>) -> Self {
        self.parts.largest_response = bytes.into();
        self
    }

    /// The idle timeout: the longest time in which an attempt may receive no data of its response.
    pub fn idle_timeout(mut self, longest: impl Into<Option<Duration>>) -> Self {
        self.parts.idle_timeout = longest.into();
        self
    }

    /// The longest pause before another attempt. If the service asks for a longer pause, the call
    /// ends with that error.
    pub fn longest_pause(mut self, longest: Duration) -> Self {
        self.parts.longest_pause = longest;
        self
    }

    /// Closes the connection after the response.
    pub fn closing(self) -> Self {
        self.header("connection", "close")
    }

    /// Gives the call priority from this time on, over all calls that wait for the rate limiter and
    /// are not urgent.
    pub fn urgent_from(mut self, urgent_from: impl Into<Option<Instant>>) -> Self {
        self.parts.urgent_from = urgent_from.into();
        self
    }

    /// Accepts a response that is a stream of [events](crate::ServerEvents).
    pub fn reads_events(mut self) -> Self {
        self.parts.streamed = Streamed::Events;
        self
    }

    /// Accepts a response of any type as a stream.
    pub(crate) fn reads_as_it_arrives(mut self) -> Self {
        self.parts.streamed = Streamed::Everything;
        self
    }
}

/// Support for this crate and those built on it. Not public API: it changes without notice.
#[doc(hidden)]
impl Call {
    /// A call to exactly `url`, which is below the service's.
    pub fn to_url(operation: &Operation, attempted: Attempted, url: Url) -> Self {
        Self::to(operation, attempted, Target::Url(url))
    }

    /// A call to the URL of the service itself.
    pub fn to_service(operation: &Operation, attempted: Attempted) -> Self {
        Self::to(operation, attempted, Target::Service)
    }

    pub fn attempted(&self) -> &Attempted {
        &self.parts.attempted
    }

    pub fn known_secrets(&self) -> &[SecretString] {
        &self.parts.secrets
    }
}

/// A call with the URL and the authorization of its service.
pub(crate) struct AddressedCall {
    call: Box<CallParts>,
    /// The URL without the authorization, even if that is sent in the query.
    pub(crate) url: Url,
    pub(crate) credential: Arc<Credential>,
    /// The limits that the service announces.
    #[cfg(feature = "announced-limits")]
    pub(crate) announced: Option<Arc<crate::limiter::AnnouncedLimits>>,
}

impl AddressedCall {
    /// A call to `url`, to which its own query is added.
    pub(crate) fn new(call: Call, mut url: Url, credential: Arc<Credential>) -> Self {
        let mut call = call.parts;
        let query = std::mem::take(&mut call.query);
        match url.query().filter(|before| !before.is_empty()) {
            _ if query.is_empty() => {}
            Some(before) => url.set_query(Some(&format!("{before}&{query}"))),
            None => url.set_query(Some(&query)),
        }
        Self {
            call,
            url,
            credential,
            #[cfg(feature = "announced-limits")]
            announced: None,
        }
    }
}

impl Deref for AddressedCall {
    type Target = CallParts;

    fn deref(&self) -> &CallParts {
        &self.call
    }
}

type Sending<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

/// A prepared call: sent when awaited, it resolves to a `T`.
#[must_use = "nothing is sent until it is awaited"]
pub struct Request<T, E = Error> {
    send: Box<dyn FnOnce(Option<Duration>) -> Sending<T, E> + Send>,
    timeout: Option<Duration>,
}

impl<T, E> Request<T, E> {
    /// A request that `send` sends, with the timeout that was set.
    pub fn new<F>(send: impl FnOnce(Option<Duration>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        Self { send: Box::new(|timeout| Box::pin(send(timeout))), timeout: None }
    }

    /// The timeout of a single attempt at this call, until its response has been read; overrides
    /// the service's [`timeout`](crate::ServiceBuilder::timeout). A shorter
    /// [`call_timeout`](crate::ServiceBuilder::call_timeout) is raised to it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

impl<T, E> IntoFuture for Request<T, E> {
    type Output = Result<T, E>;
    type IntoFuture = Sending<T, E>;

    fn into_future(self) -> Self::IntoFuture {
        (self.send)(self.timeout)
    }
}

impl<T, E> fmt::Debug for Request<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_parameters_are_escaped() {
        let operation = Operation::new("list", Method::GET, Idempotency::Idempotent);
        let call = Call::new(&operation, "/pets").query("a b", "c&d").query("e", "f");
        assert_eq!(call.parts.query, "a%20b=c%26d&e=f");
    }
}
