//! Running service: its URLs, clock, logs and faults, and its shutdown.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

#[cfg(feature = "program")]
use crate::changes::Watcher;
use crate::clock::Clock;
use crate::error::Error;
use crate::faults::Fault;
use crate::graphql;
use crate::http::{Listener, RequestRecord, serve};
#[cfg(feature = "program")]
use crate::queue::{EndpointWorkers, Workers};
#[cfg(feature = "program")]
use crate::router::Session;
use crate::router::{App, Router};
use crate::tasks::Tasks;
use crate::webhook::WebhookDelivery;
use crate::worker::{WorkerLog, WorkerLogLine};

/// A running local service. Dropping it stops it: the port is free immediately, and connections
/// close as soon as the runtime gets to it, those with a pending response after that response.
///
/// Stopping with [`shutdown`](Self::shutdown) waits until all connections are closed.
pub struct LocalService {
    address: SocketAddr,
    app: Arc<App>,
    tasks: Tasks,
    server: Option<JoinHandle<()>>,
}

impl LocalService {
    pub(crate) fn serve(
        socket: TcpListener,
        address: SocketAddr,
        max_connections: usize,
        app: Arc<App>,
        tasks: Tasks,
    ) -> Self {
        let listener = Listener::new(socket, address, max_connections, app.listener.clone());
        let router = Router::new(app.clone());
        let handler = move |peer, request| {
            let router = router.clone();
            async move { router.respond(&peer, request).await }
        };
        let server = Some(tokio::spawn(serve(listener, handler, tasks.stopping().clone())));
        Self { address, app, tasks, server }
    }

    /// Returns the root of the queue interface, whose operations are at
    /// `{base_url}/v2/{endpoint_id}/…`. Like the other URLs, it has a loopback address if the
    /// service listens on all addresses.
    pub fn base_url(&self) -> String {
        format!("http://{}", reachable(self.address))
    }

    /// Returns the root of the REST interface, including the version prefix.
    pub fn rest_url(&self) -> String {
        format!("http://{}/v1", reachable(self.address))
    }

    /// Returns the root of the account interface, to which the paths of its description, `/v2/…`, are
    /// appended.
    pub fn account_url(&self) -> String {
        format!("http://{}/account", reachable(self.address))
    }

    /// Returns the URL of the GraphQL interface.
    pub fn graphql_url(&self) -> String {
        format!("http://{}/graphql", reachable(self.address))
    }

    /// Returns the link to the page, whose fragment is the token with which the page authorizes its
    /// requests; `None` without [`Builder::page`](crate::Builder::page). The token allows what an
    /// API key allows.
    pub fn page_url(&self) -> Option<String> {
        // A browser sends the fragment of a URL to no server, not even as a referrer.
        let token = self.app.keys.page_token()?;
        Some(format!("{}/#token={token}", self.base_url()))
    }

    /// Returns the first API key, or the generated key if none was set.
    pub fn api_key(&self) -> &str {
        self.app.keys.first()
    }

    /// Returns the address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the clock of the service.
    pub fn clock(&self) -> &Clock {
        &self.app.clock
    }

    /// Returns the last requests in order of arrival: up to 10,000 (and 16 MiB) with a valid API
    /// key, and up to 100 (and 256 KiB) without a key. Requests to the control plane are not
    /// logged.
    pub fn requests(&self) -> Vec<RequestRecord> {
        self.app.requests.records()
    }

    /// Returns the number of requests that had no valid API key, were for a foreign host or came
    /// from a page of another origin.
    pub fn unauthorized_requests(&self) -> u64 {
        self.app.requests.unauthenticated()
    }

    /// Returns the last 10,000 attempts at calling a webhook, in the order in which they ended.
    pub fn webhook_deliveries(&self) -> Vec<WebhookDelivery> {
        self.app.webhooks.log()
    }

    /// Returns the value of a stored secret, for use in tests: no interface of the service returns
    /// it.
    pub fn secret_value(&self, id: &str) -> Option<String> {
        self.app.resources.secret_value(id)
    }

    /// Returns the ids of the stored secrets in no particular order, for use in tests: no interface
    /// of the service lists them.
    pub fn secret_ids(&self) -> Vec<String> {
        self.app.resources.secret_ids()
    }

    /// Calls the webhook of a finished job again, with as many attempts as the first time. Returns
    /// true if a job of that id has ended and has a webhook.
    pub fn redeliver_webhook(&self, job_id: &str) -> bool {
        self.app.redeliver_webhook(job_id)
    }

    /// Returns the environment variables, by name, of a worker that attaches to an endpoint; `None`
    /// if no workers attach to it. One of them is a key that only opens the worker's routes. See
    /// [the crate's documentation](crate#workers-that-attach).
    ///
    /// The id of a worker is not among them: a worker chooses its own, or gets it in `POD_ID` with
    /// the prefix in front.
    pub fn worker_environment(&self, endpoint: &str) -> Option<Vec<(String, String)>> {
        let endpoint = self.app.endpoints.get(endpoint)?;
        let worker_protocol = endpoint.worker_protocol().ok()?;
        Some(worker_protocol.program.environment.variables(None))
    }

    /// Returns the last lines that the workers of an endpoint printed: up to 10,000, and 4 MiB.
    /// Only the output of processes that the service starts is known; of those that speak lines of
    /// JSON ([`Builder::command_endpoint`](crate::Builder::command_endpoint)), their standard
    /// error.
    pub fn worker_logs(&self, endpoint: &str) -> Vec<WorkerLogLine> {
        let endpoint = self.app.endpoints.get(endpoint);
        endpoint
            .as_ref()
            .and_then(|endpoint| endpoint.log())
            .map(WorkerLog::all)
            .unwrap_or_default()
    }

    /// Adds a fault, effective from the next request.
    pub fn add_fault(&self, fault: Fault) {
        self.app.faults.add(fault, None);
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.app.faults.clear();
    }

    /// Takes the service down for `time`, in real time: the operating system refuses new
    /// connections, and open connections are reset. Jobs continue meanwhile, and no state is lost.
    /// When this returns, the service is down.
    ///
    /// A refused connection never reaches the service, so it is neither counted nor logged.
    /// [`Fault::down`] takes the service down on a request.
    pub async fn refuse_connections(&self, time: Duration) {
        self.app.listener.refuse_connections(time).await;
    }

    /// Returns the GraphQL schema in the schema definition language.
    pub fn graphql_sdl(&self) -> String {
        graphql::sdl(&self.app.schema)
    }

    /// Publishes another REST description on the [control plane](crate::Builder::control_plane), at
    /// `/_local/openapi/rest.yaml`, to test what a code generator makes of a change. The service
    /// itself does not change.
    pub fn set_rest_description(&self, text: impl Into<String>) {
        self.app.openapi.set_rest(text.into());
    }

    /// Adds a Pod, or replaces the Pod of that id. See [`Builder::pod`](crate::Builder::pod).
    ///
    /// # Errors
    ///
    /// If the Pod is invalid.
    pub fn add_pod(&self, pod: Value) -> Result<(), Error> {
        self.app.account.put_pod(pod).map_err(Error::seed)
    }

    /// Removes a Pod, and returns true if it existed. Its template can be deleted 2 minutes later.
    pub fn remove_pod(&self, id: &str) -> bool {
        self.app.account.remove_pod(id)
    }

    /// Records what the page shows now.
    #[cfg(feature = "program")]
    pub(crate) async fn record(&self) -> Session {
        Session::record(&self.app).await
    }

    /// Returns a watcher of everything that the page shows.
    #[cfg(feature = "program")]
    pub(crate) fn changes(&self) -> Watcher {
        self.app.clock.changes().watch()
    }

    /// Starts an endpoint, without jobs, in place of one of its name.
    #[cfg(feature = "program")]
    pub(crate) fn put_endpoint(&self, name: &str, workers: &EndpointWorkers, scaling: Workers) {
        self.app.account.put_endpoint(name, workers, scaling);
    }

    /// Removes an endpoint with its jobs.
    #[cfg(feature = "program")]
    pub(crate) fn remove_endpoint(&self, name: &str) {
        self.app.account.remove_endpoint(name);
    }

    /// Adds a template, or replaces the template of that id. See
    /// [`Builder::template`](crate::Builder::template).
    ///
    /// # Errors
    ///
    /// If the template is invalid, or another template has its name.
    pub fn add_template(&self, template: Value) -> Result<(), Error> {
        self.app.resources.add_template(template).map_err(Error::seed)
    }

    /// Stops the service: handlers are dropped, and pending and half-sent requests get a 500. When
    /// this returns, all connections are closed and the port is free. A client that does not read
    /// its response within 2 seconds is reset.
    pub async fn shutdown(mut self) {
        self.stop();
        if let Some(server) = self.server.take() {
            // The task ends in any case; its panic would have been reported.
            let _ = server.await;
        }
    }

    fn stop(&self) {
        self.app.listener.shut_down();
        self.tasks.stop();
    }
}

/// The address at which this machine reaches a service that listens on another.
pub(crate) fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

impl Drop for LocalService {
    fn drop(&mut self) {
        self.stop();
    }
}

impl std::fmt::Debug for LocalService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalService").field("address", &self.address).finish_non_exhaustive()
    }
}
