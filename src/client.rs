//! Client: interfaces that share a key and a connection pool.

mod builder;
mod queue_auth;
mod successors;

pub use builder::ClientBuilder;
pub use queue_auth::QueueAuth;

use std::fmt;
use std::sync::Arc;

use podqueue_runtime::Service;
use podqueue_runtime::graphql::GraphqlBody;

use crate::graphql::Graphql;
use crate::graphql::secrets::Secrets;
use crate::graphql::templates::Templates;
use crate::queue::{Context, Endpoint};

/// A client for the interfaces of the service: the job queue, REST and GraphQL, and the account
/// interface with the feature `account`.
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

/// The services at the URLs of the interfaces, which share one transport. A service whose URL
/// was not set refuses calls.
struct Interfaces {
    queue: Arc<Context>,
    rest: Service,
    graphql: Service,
    graphql_body: GraphqlBody,
    #[cfg(feature = "account")]
    account: Service,
}

impl Client {
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

    /// The account interface: endpoints, Pods, volumes, the catalog and the bill.
    #[cfg(feature = "account")]
    #[must_use]
    pub fn account(&self) -> crate::account::Account {
        crate::account::Account::new(&self.interfaces.account)
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
        let mut debug = f.debug_struct("Client");
        debug
            .field("base_url", &shown(&self.interfaces.queue.service))
            .field("rest_url", &shown(&self.interfaces.rest))
            .field("graphql_url", &shown(&self.interfaces.graphql));
        #[cfg(feature = "account")]
        debug.field("account_url", &shown(&self.interfaces.account));
        debug.finish_non_exhaustive()
    }
}
