//! A Model Context Protocol server for hosted GPU jobs: an assistant submits jobs and waits for
//! them with tools, within the actions, endpoints and cost that you permit.
//!
//! ```no_run
//! use podqueue::Client;
//! use podqueue_mcp::{Action, Server};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("/var/lib/app/mcp")
//!     .client(Client::from_env()?)
//!     .allow([Action::Run, Action::Cancel])
//!     .endpoints(["painter"])
//!     .max_cost(5.0, 0.00044)
//!     .build()?;
//! server.serve_stdio(std::future::pending()).await?;
//! # Ok(()) }
//! ```
//!
//! # A repeated call runs nothing twice
//!
//! A submission has a key: the caller's, or one derived from its arguments. The key is recorded
//! before the job is submitted, in a folder that several servers may share, and is submitted once,
//! however often the call is repeated and whenever the server is killed. A submission whose
//! outcome is unknown is an answer with what to check, and is not repeated either.
//!
//! # Batches
//!
//! With [`Action::Batch`] and [`Builder::files`], an assistant runs batches of
//! [`podqueue_batch`] in the background of the server. The file of results identifies a batch: the
//! same call again, also to another server, is the same batch, and continues it after a kill.
//!
//! # Bounds
//!
//! Without [`Builder::allow`] a server only reads. A result has at most 8,000 bytes, about 2,000
//! tokens; the rest of a long output is read in windows. No tool waits for more than 25 seconds.

mod arguments;
mod batch_runs;
mod call_journal;
mod error;
mod files;
mod http;
mod permissions;
mod random;
mod reply;
mod resources;
mod server;
mod service;
mod state;
mod streams;
mod tools;

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use podqueue::Client;
use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;

use crate::call_journal::CallJournal;
pub use crate::error::Error;
use crate::files::Files;
pub use crate::http::HttpServer;
pub use crate::permissions::Action;
use crate::permissions::{Budget, Permissions};
use crate::server::Handler;
use crate::service::Services;
use crate::state::State;

/// A server, which serves one client over standard input and output, or any number over HTTP.
pub struct Server {
    state: Arc<State>,
}

/// The settings of a [`Server`].
#[derive(Debug)]
#[must_use]
pub struct Builder {
    state: PathBuf,
    client: Option<Client>,
    has_account: bool,
    permissions: Permissions,
    max_cost: Option<(f64, f64)>,
    files: Vec<PathBuf>,
}

impl Server {
    /// A server whose call journal is in a folder, which is created if it does not exist. Servers
    /// of one user may share it, also at the same time.
    pub fn builder(state: impl Into<PathBuf>) -> Builder {
        Builder {
            state: state.into(),
            client: None,
            has_account: false,
            permissions: Permissions::default(),
            max_cost: None,
            files: Vec::new(),
        }
    }

    /// Serves a client over standard input and output until it closes them or a future ends. Then
    /// stops the runs of batches, which the same call continues in another server, and waits for
    /// the outcomes of submissions that were sent, at most 10 seconds.
    ///
    /// # Errors
    ///
    /// The client does not speak the protocol.
    pub async fn serve_stdio(self, until: impl Future<Output = ()>) -> Result<(), Error> {
        let handler = Handler { state: Arc::clone(&self.state) };
        let serve = async {
            match handler.serve(stdio_pipes()).await {
                // A client that leaves at once is no error.
                Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
                Err(error) => Err(Error::new("start the protocol", error)),
                Ok(running) => {
                    let ended = running.waiting().await;
                    ended.map(|_| ()).map_err(|error| Error::new("serve the client", error))
                }
            }
        };
        let served = tokio::select! {
            served = serve => served,
            () = until => Ok(()),
        };
        self.state.finish().await;
        served
    }

    /// Listens on a port of this machine; the port 0 stands for a free one. `token` is what each
    /// request must carry; by default it is random.
    ///
    /// # Errors
    ///
    /// The address is not a loopback address, or is in use.
    pub async fn listen(
        self,
        address: SocketAddr,
        token: Option<String>,
    ) -> Result<HttpServer, Error> {
        HttpServer::bind(self.state, address, token).await
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("permissions", &self.state.permissions)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// The client of the hosted service. Without one, only a service on this machine can be used.
    pub fn client(self, client: Client) -> Self {
        Self { client: Some(client), ..self }
    }

    /// Lists the tools of the account interface: the client has its
    /// [URL](podqueue::ClientBuilder::account_url).
    pub fn account(self) -> Self {
        Self { has_account: true, ..self }
    }

    /// Allows actions, which else are not performed.
    pub fn allow(mut self, actions: impl IntoIterator<Item = Action>) -> Self {
        self.permissions.actions.extend(actions);
        self
    }

    /// Bounds all tools to these endpoints of the hosted service.
    pub fn endpoints(mut self, ids: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let ids = ids.into_iter().map(Into::into);
        self.permissions.endpoints.get_or_insert_default().extend(ids);
        self
    }

    /// Lets batches read their inputs and write their results below these folders. A relative path
    /// is relative to the first of them.
    pub fn files(mut self, folders: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        self.files.extend(folders.into_iter().map(Into::into));
        self
    }

    /// The most that all jobs in the call journal may cost together, at a price of a second of
    /// execution, in any currency. A job reserves its execution timeout, 10 minutes by default,
    /// which is sent as its policy, until its execution time is known. A batch reserves that of all
    /// its inputs, or what is left, until its run ends.
    pub fn max_cost(self, max_cost: f64, price_per_second: f64) -> Self {
        Self { max_cost: Some((max_cost, price_per_second)), ..self }
    }

    /// Opens the call journal.
    ///
    /// # Errors
    ///
    /// A folder cannot be used, the price is not above zero, or the maximum is negative.
    pub fn build(self) -> Result<Server, Error> {
        let Self { state, client, has_account, mut permissions, max_cost, files } = self;
        if let Some((max_cost, price)) = max_cost {
            if !(price.is_finite() && price > 0.0) {
                return Err(Error::invalid(format!("{price} is not a price: expected above 0")));
            }
            if !(max_cost.is_finite() && max_cost >= 0.0) {
                let message = format!("{max_cost} is not a maximum cost: expected 0 or more");
                return Err(Error::invalid(message));
            }
            permissions.budget = Some(Budget { price, max_cost });
        }
        let journal = CallJournal::open(&state)?;
        let state = State {
            permissions,
            services: Services::new(client, has_account),
            journal,
            streams: Default::default(),
            files: Files::new(&files, &state)?,
            batch_runs: Default::default(),
        };
        Ok(Server { state: Arc::new(state) })
    }
}
