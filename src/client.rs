//! The client: three interfaces, one key, one connection pool.

mod builder;
mod http;
mod urls;

pub use builder::ClientBuilder;

use std::fmt;
use std::sync::Arc;

use reqwest::Url;

use crate::error::{Attempted, Error, Result};
use crate::graphql::{Graphql, Secrets, Templates};
use crate::observe::Observer;
use crate::queue::{Endpoint, Paces, Polling};
use crate::rest::Rest;
use crate::secret_string::SecretString;
use crate::transport::{Auth, Call, Limiter, Reply, Transport};

/// The client of the three interfaces.
///
/// Cheap to clone: all clones share one connection pool, one key, one retry budget and the rate limits. Keep one for
/// the whole program.
///
/// All calls are awaited in a [tokio](https://docs.rs/tokio) runtime with timer and I/O, which
/// `#[tokio::main]` and `enable_all` switch on. Outside of a runtime, calls, waits and streams are
/// refused as [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest).
///
/// Several runtimes may share a client while all of them run. A connection belongs to the runtime in
/// which it was made: one that stands still, as a current-thread runtime does between two calls of
/// `block_on`, leaves connections on which the calls of others are not sent, and run into their
/// [timeout](crate::ClientBuilder::timeout). Build a client of its own for such a runtime.
///
/// # Panics
///
/// Calls, waits and streams panic in a tokio runtime whose timer or I/O is off, and
/// [`Endpoint::run_all`] and [`Endpoint::run_stream`] also outside of one: they start tasks.
///
/// ```no_run
/// # async fn example() -> podqueue::Result<()> {
/// use podqueue::Client;
///
/// let client = Client::builder()
///     .api_key("the key")
///     .base_url("https://queue.example")
///     .rest_url("https://rest.example/v1")
///     .graphql_url("https://api.example/graphql")
///     .build()?;
/// let health = client.endpoint("my-endpoint").health().await?;
/// # let _ = health;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    transport: Transport,
    base_url: Option<Url>,
    rest_url: Option<Url>,
    graphql_url: Option<Url>,
    queue_auth: QueueAuth,
    graphql_body: GraphqlBody,
    polling: Polling,
    paces: Paces,
    run_limit: usize,
    run_sync_limit: usize,
    #[cfg(feature = "webhook")]
    retried: crate::webhook::Retried,
}

/// The form of the queue interface's `authorization` header. The service takes both
/// ([Authentication](crate#the-interface)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueAuth {
    /// `Bearer <key>`
    #[default]
    Bearer,
    /// The key alone.
    BareKey,
}

/// The form of a GraphQL request's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphqlBody {
    /// `{"query": …}` alone, as the interface documents it: the variables are written into the
    /// document as literals.
    #[default]
    QueryOnly,
    /// `{"query": …, "variables": …, "operationName": …}`, as GraphQL servers commonly take it.
    Variables,
}

impl Client {
    /// Starts a client's settings.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// A client from the environment: `PODQUEUE_API_KEY`, and of `PODQUEUE_BASE_URL`,
    /// `PODQUEUE_REST_URL` and `PODQUEUE_GRAPHQL_URL` those whose interface is used.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) where the key is missing or
    /// a value is unusable.
    pub fn from_env() -> Result<Self> {
        Self::builder().from_env()?.build()
    }

    /// A serverless endpoint by its id. Nothing is sent.
    #[must_use]
    pub fn endpoint(&self, endpoint_id: impl AsRef<str>) -> Endpoint {
        Endpoint::new(self.clone(), endpoint_id.as_ref())
    }

    /// The REST interface: Pods and templates, read by id.
    #[must_use]
    pub fn rest(&self) -> Rest {
        Rest::new(self.clone())
    }

    /// The GraphQL interface: any operation generated from a `.graphql` file.
    #[must_use]
    pub fn graphql(&self) -> Graphql {
        Graphql::new(self.clone())
    }

    /// Templates: create, update and delete.
    #[must_use]
    pub fn templates(&self) -> Templates {
        Templates::new(self.graphql())
    }

    /// Secrets: create and delete.
    #[must_use]
    pub fn secrets(&self) -> Secrets {
        Secrets::new(self.graphql())
    }

    pub(crate) async fn send(&self, call: Call) -> Result<Reply> {
        self.inner.transport.send(call).await
    }

    pub(crate) fn base_url(&self, attempted: &Attempted) -> Result<&Url> {
        self.inner.base_url.as_ref().ok_or_else(|| not_set(attempted, "base_url"))
    }

    pub(crate) fn rest_url(&self, attempted: &Attempted) -> Result<&Url> {
        self.inner.rest_url.as_ref().ok_or_else(|| not_set(attempted, "rest_url"))
    }

    pub(crate) fn graphql_url(&self, attempted: &Attempted) -> Result<&Url> {
        self.inner.graphql_url.as_ref().ok_or_else(|| not_set(attempted, "graphql_url"))
    }

    pub(crate) fn queue_auth(&self) -> Auth {
        match self.inner.queue_auth {
            QueueAuth::Bearer => Auth::Bearer,
            QueueAuth::BareKey => Auth::BareKey,
        }
    }

    pub(crate) fn graphql_body(&self) -> GraphqlBody {
        self.inner.graphql_body
    }

    pub(crate) fn polling(&self) -> &Polling {
        &self.inner.polling
    }

    pub(crate) fn paces(&self) -> &Paces {
        &self.inner.paces
    }

    #[cfg(feature = "webhook")]
    pub(crate) fn retried(&self) -> &crate::webhook::Retried {
        &self.inner.retried
    }

    pub(crate) fn observer(&self) -> &Observer {
        &self.inner.transport.observer
    }

    pub(crate) fn limiter(&self) -> &Limiter {
        &self.inner.transport.limiter
    }

    pub(crate) fn run_limit(&self) -> usize {
        self.inner.run_limit
    }

    pub(crate) fn run_sync_limit(&self) -> usize {
        self.inner.run_sync_limit
    }

    pub(crate) fn key(&self) -> &SecretString {
        self.inner.transport.key.secret()
    }
}

fn not_set(attempted: &Attempted, field: &str) -> Error {
    Error::refused(attempted, field, "is not set: give it to the client's builder")
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |url: &Option<Url>| url.as_ref().map(urls::without_query);
        f.debug_struct("Client")
            .field("base_url", &shown(&self.inner.base_url))
            .field("rest_url", &shown(&self.inner.rest_url))
            .field("graphql_url", &shown(&self.inner.graphql_url))
            .finish_non_exhaustive()
    }
}
