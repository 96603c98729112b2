//! Client: three interfaces, one key, one connection pool.

mod builder;
pub(crate) mod urls;

pub use builder::ClientBuilder;

use std::fmt;
use std::sync::Arc;

use podqueue_runtime::__private::{Credential, Transport};
use podqueue_runtime::graphql::GraphqlBody;
use podqueue_runtime::{Authorization, Service};

use self::builder::SETTINGS;
use self::urls::Interface;
use crate::error::{Error, Result};
use crate::graphql::Graphql;
use crate::graphql::secrets::Secrets;
use crate::graphql::templates::Templates;
use crate::queue::{Context, Endpoint, PollRates, RetryListeners};

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
    interfaces: Arc<Interfaces>,
}

/// The services at the URLs of the three interfaces, which share one transport. A service whose URL
/// was not set refuses calls.
struct Interfaces {
    queue: Arc<Context>,
    rest: Service,
    graphql: Service,
    graphql_body: GraphqlBody,
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
        Endpoint::new(Arc::clone(&self.interfaces.queue), endpoint_id.as_ref())
    }

    /// The GraphQL interface: any operation generated from a `.graphql` file.
    #[must_use]
    pub fn graphql(&self) -> Graphql {
        Graphql::of(self.interfaces.graphql.clone(), self.interfaces.graphql_body)
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
        if !key.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refuse(
                "api_key",
                "must consist of visible ASCII characters, without spaces or line breaks",
            ));
        }
        let mut settings = self.settings;
        let plain_http = settings.plain_http;
        let url = |interface, text: Option<String>| {
            text.map(|text| urls::parse(interface, &text, plain_http)).transpose()
        };
        let base_url = url(Interface::Queue, self.base_url)?;
        let rest_url = url(Interface::Rest, self.rest_url)?;
        let graphql_url = url(Interface::Graphql, self.graphql_url)?;
        let urls: Vec<_> = [&base_url, &rest_url, &graphql_url].into_iter().flatten().collect();
        settings.rate_limits = self.rate_limits.limits().clone();
        settings.observer = self.observer.of_calls();
        let transport = Arc::new(settings.build(SETTINGS, &urls, vec![key.clone()])?);
        let service = |authorization| service(&transport, authorization);
        let rest = service(Authorization::bearer(key.clone()))?.at_setting("rest_url", rest_url);
        let queue = Context {
            service: service(self.queue_auth.of_calls(&key))?.at_setting("base_url", base_url),
            rate_limits: self.rate_limits,
            poll_rates: PollRates::new(self.polling.interval()),
            polling: self.polling,
            retry_listeners: RetryListeners::default(),
            run_limit: self.run_limit,
            run_sync_limit: self.run_sync_limit,
            observer: self.observer,
        };
        Ok(Client {
            interfaces: Arc::new(Interfaces {
                queue: Arc::new(queue),
                rest: if self.is_rest_url_exact { rest } else { rest.taking_base_path() },
                graphql: service(Authorization::query("api_key", key.clone()))?
                    .at_setting("graphql_url", graphql_url),
                graphql_body: self.graphql_body,
            }),
        })
    }
}

/// A service of the client's, whose key the transport knows as a secret already.
fn service(transport: &Arc<Transport>, authorization: Authorization) -> Result<Service> {
    let mut credential = Credential::new(SETTINGS, authorization)?;
    credential.take_secrets();
    Ok(Service::new(Arc::clone(transport), credential))
}

/// The service at the client's REST URL, for generated calls: `Api::new(&client)`.
impl From<&Client> for Service {
    fn from(client: &Client) -> Self {
        client.interfaces.rest.clone()
    }
}

impl fmt::Debug for Client {
    /// Shows the URLs without their queries, which can hold the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |service: &Service| {
            service.known_url().cloned().map(|mut url| {
                url.set_query(None);
                String::from(url)
            })
        };
        f.debug_struct("Client")
            .field("base_url", &shown(&self.interfaces.queue.service))
            .field("rest_url", &shown(&self.interfaces.rest))
            .field("graphql_url", &shown(&self.interfaces.graphql))
            .finish_non_exhaustive()
    }
}
