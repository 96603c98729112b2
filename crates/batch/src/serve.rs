//! Batch API: an HTTP server with the OpenAI-compatible interface for files and batches, in front
//! of serverless endpoints.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use podqueue::Client;
//! use podqueue_batch::serve::{Keys, Server};
//!
//! let client = Client::from_env()?;
//! let server = Server::builder("batches")
//!     .endpoint(client.endpoint("poet"))
//!     .keys(Keys::read("keys.txt")?)
//!     .listen(([127, 0, 0, 1], 8080))
//!     .start()
//!     .await?;
//! println!("http://{}/v1", server.address());
//! # server.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # State
//!
//! All state is in a folder, and follows from the files that exist in it: nothing is kept in memory
//! that a process which starts anew would miss.
//!
//! ```text
//! OWNER/files/file-…/       content, file.json
//! OWNER/batches/batch_…/    batch.json        the request
//!                           validated.json    the result of the validation
//!                           cancelling.json   the time of the cancel request
//!                           expiring.json     the time at which the completion window had passed
//!                           finalizing.json   how the batch ends
//!                           ended.json        its files, counts and usage
//!                           run/              inputs, journal and results until the batch has ended
//! ```
//!
//! Invariants: a folder appears by a rename, complete and durable; an event of a batch is a file
//! that is created once, complete and durable, and never changes; the status of a batch is derived
//! from its events (`batches.rs`). So whenever a process dies, the next process, or another that
//! shares the folder, continues with the first event that is missing (`scheduler.rs`).
//!
//! Each batch is a [`Batch`](crate::Batch) of this crate: its journal knows the state of each line.

pub mod api;
mod batches;
mod connections;
mod durable;
mod error_response;
mod files;
mod ids;
mod job_output;
mod keys;
mod listener;
mod min_throughput;
mod models;
mod output_files;
mod progress;
mod request_body;
mod router;
mod scheduler;
mod stop_signal;
mod validation;

pub use keys::Keys;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use podqueue::Endpoint;

use crate::error::{Error, ErrorKind, Result};
use batches::Journals;
use files::FileLimits;
use listener::Listener;
use models::Models;
use router::Service;
use scheduler::Scheduler;

/// A running server of the Batch API. It stops when it is dropped: batches that are in progress
/// continue when a server is started with the same folder.
pub struct Server {
    listener: Listener,
    scheduler: Arc<Scheduler>,
}

/// The settings of a [`Server`]; returned by [`Server::builder`].
#[must_use = "nothing is served until it is started"]
pub struct Builder {
    folder: PathBuf,
    address: SocketAddr,
    keys: Option<Keys>,
    models: Models,
    limits: FileLimits,
    concurrent_batches: usize,
    #[cfg(feature = "postgres")]
    database: Option<String>,
    now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    on_problem: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Server {
    /// The settings of a server whose state is in this folder, which is created if it does not
    /// exist. One process uses it at a time, unless the journals are in a database.
    pub fn builder(folder: impl Into<PathBuf>) -> Builder {
        Builder {
            folder: folder.into(),
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            keys: None,
            models: Models::default(),
            limits: FileLimits::default(),
            concurrent_batches: 16,
            #[cfg(feature = "postgres")]
            database: None,
            now: Arc::new(SystemTime::now),
            on_problem: Arc::new(|_| {}),
        }
    }

    /// The address that it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Stops the server: responds to the requests in progress, and records the submissions in
    /// flight, for some seconds at most. Outstanding jobs are collected when it is started again.
    pub async fn shutdown(self) {
        tokio::join!(self.listener.stop(), self.scheduler.stop());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.listener.abort();
        self.scheduler.abort();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("address", &self.address()).finish_non_exhaustive()
    }
}

impl Builder {
    /// The endpoint for all models that have no endpoint of their own. Without it, other models are
    /// refused.
    pub fn endpoint(mut self, endpoint: Endpoint) -> Self {
        self.models.set_default(endpoint);
        self
    }

    /// The endpoint for a model.
    pub fn model(mut self, name: impl Into<String>, endpoint: Endpoint) -> Self {
        self.models.add(name.into(), endpoint);
        self
    }

    /// The address to listen on: 127.0.0.1 and a free port by default. Without
    /// [`keys`](Self::keys), only an address of this machine is accepted.
    pub fn listen(mut self, address: impl Into<SocketAddr>) -> Self {
        self.address = address.into();
        self
    }

    /// The keys of the clients. Without them, every client on this machine may use the server.
    pub fn keys(mut self, keys: Keys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Keeps the journals in a PostgreSQL database instead of the folder. Any number of servers may
    /// then share the folder, which must have the same path on all of them, and all work on all
    /// batches: if one dies, the others continue.
    #[cfg(feature = "postgres")]
    pub fn database(mut self, url: impl Into<String>) -> Self {
        self.database = Some(url.into());
        self
    }

    /// The largest file that can be uploaded, in bytes: 200 MiB by default.
    pub fn max_file_bytes(mut self, bytes: u64) -> Self {
        self.limits.largest = bytes;
        self
    }

    /// The largest number of requests in a batch: 50,000 by default.
    pub fn max_requests(mut self, requests: u64) -> Self {
        self.limits.max_requests = requests;
        self
    }

    /// The largest number of batches that are in progress at the same time: 16 by default. Others
    /// wait. Each needs a thread, and a connection to the database if there is one.
    pub fn concurrent_batches(mut self, batches: usize) -> Self {
        self.concurrent_batches = batches.max(1);
        self
    }

    /// Called with a description of what keeps a batch from continuing, such as a service that
    /// cannot be reached. The server tries again by itself.
    pub fn on_problem(mut self, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_problem = Arc::new(report);
        self
    }

    /// The clock of the server, instead of the system's; for tests.
    #[doc(hidden)]
    pub fn clock(mut self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.now = Arc::new(now);
        self
    }

    /// Starts the server, and continues the batches that are in its folder.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Settings`] if there is no endpoint, the address cannot be listened on or is
    ///   not of this machine although there are no keys, or the folder cannot be written;
    /// - [`ErrorKind::InUse`] if another server uses the folder.
    ///
    /// # Panics
    ///
    /// Panics if it is called outside a tokio runtime.
    pub async fn start(self) -> Result<Server> {
        if let Some(problem) = self.models.problem() {
            return Err(Error::new(ErrorKind::Settings, problem));
        }
        if self.keys.is_none() && !self.address.ip().is_loopback() {
            let message = format!(
                "without keys, every client in the network could use the endpoints through {}: pass keys, or listen on 127.0.0.1",
                self.address
            );
            return Err(Error::new(ErrorKind::Settings, message));
        }
        #[cfg(feature = "postgres")]
        let journals = self.database.map_or(Journals::Folder, Journals::Database);
        #[cfg(not(feature = "postgres"))]
        let journals = Journals::Folder;
        let scheduler = scheduler::Settings {
            folder: self.folder,
            journals,
            models: self.models,
            max_requests: self.limits.max_requests,
            concurrent_batches: self.concurrent_batches,
            now: self.now,
            on_problem: self.on_problem,
        };
        let scheduler = Scheduler::start(scheduler).await?;
        let service = Service::new(Arc::clone(&scheduler), self.keys, self.limits);
        let listener = Listener::start(self.address, router::router(service)).await?;
        Ok(Server { listener, scheduler })
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL of a database may contain a password.
        f.debug_struct("Builder")
            .field("folder", &self.folder)
            .field("address", &self.address)
            .field("models", &self.models)
            .finish_non_exhaustive()
    }
}
