//! The client: three interfaces, one key, one connection pool.

mod builder;
mod http;
pub(crate) mod urls;

pub use builder::ClientBuilder;

use std::fmt;
use std::sync::Arc;

use self::builder::SETTINGS;
use self::urls::Interface;
use crate::context::{Context, PollLines, Retried};
use crate::error::{Error, Result};
use crate::graphql::{Graphql, Secrets, Templates};
use crate::hiding::credentials;
use crate::queue::Endpoint;
use crate::transport::{Budget, Key, Lane, Limiter, Transport, Wire};

/// A client for the three interfaces: the job queue, REST and GraphQL.
///
/// Cheap to clone: all clones share one connection pool, API key, retry budget and rate limiter.
/// Create one client for the whole program.
///
/// Calls must be awaited inside a [tokio](https://docs.rs/tokio) runtime with the time and I/O
/// drivers enabled (`#[tokio::main]` and `enable_all` do that). Outside a runtime, calls, waits and
/// streams fail with [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest).
///
/// Several runtimes may share a client as long as all of them keep running. A connection belongs to
/// the runtime that opened it. If that runtime is idle, as a current-thread runtime is between two
/// calls to `block_on`, calls from other runtimes that pick such a connection are never sent and
/// [time out](crate::ClientBuilder::timeout). Build a separate client for such a runtime.
///
/// # Panics
///
/// Calls, waits and streams panic in a tokio runtime whose time or I/O driver is disabled, and if
/// they are polled again after the runtime in which they were waiting has been shut down.
/// [`Endpoint::run_all`] and [`Endpoint::run_stream`] also panic outside a runtime, because they
/// spawn tasks.
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
    context: Arc<Context>,
}

impl Client {
    /// Returns a builder with the default settings.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Creates a client from the environment: `PODQUEUE_API_KEY`, plus `PODQUEUE_BASE_URL`,
    /// `PODQUEUE_REST_URL` and `PODQUEUE_GRAPHQL_URL` for the interfaces you use.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if the key is missing or a
    /// value is invalid.
    pub fn from_env() -> Result<Self> {
        Self::builder().from_env()?.build()
    }

    /// Returns a handle to the serverless endpoint with this id. Sends nothing.
    #[must_use]
    pub fn endpoint(&self, endpoint_id: impl AsRef<str>) -> Endpoint {
        Endpoint::new(Arc::clone(&self.context), endpoint_id.as_ref())
    }

    /// The GraphQL interface: any operation generated from a `.graphql` file.
    #[must_use]
    pub fn graphql(&self) -> Graphql {
        Graphql::new(Arc::clone(&self.context))
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

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }
}

impl ClientBuilder {
    /// Builds the client.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), with the setting's name as
    /// the field, if the key is missing or not allowed in a header; a URL is invalid, carries
    /// credentials, or is plain http to another host; the proxy's URL is invalid; the user agent is
    /// not allowed in a header; a timeout or the largest reply is zero; the share of the rate limits
    /// is out of range.
    pub fn build(self) -> Result<Client> {
        let refuse = |field: &str, rule: &str| Error::refused(SETTINGS, field, rule);
        let key = self.api_key.clone().ok_or_else(|| {
            refuse("api_key", "is not set: pass it to the builder or set PODQUEUE_API_KEY")
        })?;
        if key.expose().is_empty() {
            return Err(refuse("api_key", "must not be empty"));
        }
        let visible = key.expose().bytes().all(|byte| byte.is_ascii_graphic());
        let key = visible.then(|| Key::new(key)).flatten().ok_or_else(|| {
            refuse(
                "api_key",
                "must consist of visible ASCII characters, without spaces or line breaks",
            )
        })?;
        if !self.rate_limits.share_is_usable() {
            return Err(refuse("rate_limits.share", "must be above 0 and at most 1"));
        }
        self.refuse_zeros()?;
        let url = |interface, text: Option<String>| {
            text.map(|text| urls::parse(interface, &text, self.plain_http)).transpose()
        };
        let base_url = url(Interface::Queue, self.base_url.clone())?;
        let rest_url = url(Interface::Rest, self.rest_url.clone())?;
        let graphql_url = url(Interface::Graphql, self.graphql_url.clone())?;
        let is_local = urls::are_local([&base_url, &rest_url, &graphql_url]);
        let http = match &self.http_client {
            Some(http) => http.clone(),
            None => self.http(is_local)?,
        };
        let connect_timeout = self.time_to_connect();
        let environment = |name| std::env::var(name).ok();
        #[cfg_attr(not(feature = "shared-limits"), expect(unused_mut))]
        let mut limiter = Limiter::new(self.rate_limits);
        #[cfg(feature = "shared-limits")]
        if let Some(limits) = self.shared_limits {
            let base_url = base_url.as_ref().map_or("", reqwest::Url::as_str);
            limiter.share(limits, base_url, key.secret()).map_err(|error| {
                refuse("shared_limits", "need a thread, which could not be started")
                    .with_source(error)
            })?;
        }
        let at_proxies = credentials::of_proxies(self.proxy.as_ref(), environment);
        Ok(Client {
            context: Arc::new(Context {
                base_url,
                rest_url,
                is_rest_url_exact: self.is_rest_url_exact,
                graphql_url,
                plain_http: self.plain_http,
                queue_auth: self.queue_auth,
                graphql_body: self.graphql_body,
                poll_lines: PollLines::new(self.polling.interval()),
                polling: self.polling,
                retried: Retried::default(),
                run_limit: self.run_limit,
                run_sync_limit: self.run_sync_limit,
                transport: Transport {
                    wire: Wire {
                        http,
                        lane: self.http_client.map(|_| Arc::new(Lane::new())),
                        key,
                        at_proxies,
                        timeout: self.timeout,
                        largest_response: self.largest_response,
                    },
                    retry: self.retry,
                    budget: Budget::new(),
                    limiter,
                    call_timeout: self.call_timeout,
                    connect_timeout,
                    observer: self.observer,
                },
            }),
        })
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.context.fmt(f)
    }
}
