//! The running service, as its owner holds it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::clock::Clock;
use crate::error::Error;
use crate::faults::Fault;
use crate::graphql;
use crate::http::{Door, RequestRecord, serve};
use crate::site::{App, Site};
use crate::sync::Tasks;
use crate::webhook::WebhookDelivery;

/// A running local service. It stops when dropped: the port is free at once, and all connections are
/// closed as soon as the runtime gets to it, those that are owed a response after it.
pub struct LocalService {
    address: SocketAddr,
    app: Arc<App>,
    tasks: Tasks,
    server: Option<JoinHandle<()>>,
}

impl LocalService {
    pub(crate) fn serve(
        listener: TcpListener,
        address: SocketAddr,
        max_connections: usize,
        app: Arc<App>,
        tasks: Tasks,
    ) -> Self {
        let door = Door::new(listener, address, max_connections, app.door.clone());
        let server = serve(door, Site::new(app.clone()), tasks.stopping().clone());
        let server = Some(tokio::spawn(server));
        Self { address, app, tasks, server }
    }

    /// Where the queue interface is: the operations are at `{base_url}/v2/{endpoint_id}/…`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where the REST interface is, its version prefix included.
    pub fn rest_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Where the GraphQL interface is.
    pub fn graphql_url(&self) -> String {
        format!("http://{}/graphql", self.address)
    }

    /// The first key that was set, or the one that was made because none was.
    pub fn api_key(&self) -> &str {
        self.app.keys.first().map_or("", |key| &key.secret)
    }

    /// The address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The clock that all times of the service are read from.
    pub fn clock(&self) -> &Clock {
        &self.app.clock
    }

    /// The last requests, in the order in which they arrived: 10,000 with a key of the service, or
    /// fewer where they are so long that they exceed 16 MiB, and 100 of all others.
    pub fn requests(&self) -> Vec<RequestRecord> {
        self.app.requests.all()
    }

    /// How many requests came without a key of the service, for a foreign host or from a page of
    /// another origin.
    pub fn unauthorized_requests(&self) -> u64 {
        self.app.requests.strangers()
    }

    /// The last 10,000 tries at calling a webhook, in the order in which they ended.
    pub fn webhook_deliveries(&self) -> Vec<WebhookDelivery> {
        self.app.webhooks.log()
    }

    /// The value of a stored secret, for a test to look at: no interface of the service returns
    /// it.
    pub fn secret_value(&self, id: &str) -> Option<String> {
        self.app.catalog.secret_value(id)
    }

    /// The ids of the stored secrets, in no particular order, for a test to look at: no interface of
    /// the service lists them.
    pub fn secret_ids(&self) -> Vec<String> {
        self.app.catalog.secret_ids()
    }

    /// Calls the webhook of a job that has ended once more, with tries as for the first time.
    /// Says whether there is a job of that id that has ended and has a webhook.
    pub fn redeliver_webhook(&self, job_id: &str) -> bool {
        self.app.redeliver_webhook(job_id)
    }

    /// Makes the service misbehave from now on.
    pub fn add_fault(&self, fault: Fault) {
        self.app.faults.add(fault);
    }

    /// Ends all faults.
    pub fn clear_faults(&self) {
        self.app.faults.clear();
    }

    /// Is down for a while, in real time: from now on the operating system refuses every new
    /// connection, and those that are open are reset, whatever they wait for. Jobs go on
    /// meanwhile, and nothing is forgotten. When this returns, the service is down.
    ///
    /// A refused connection never reaches the service. So refusals cannot be counted, they have
    /// no operation, and no log has them; [`Fault::down`] begins them with a request.
    pub async fn refuse_connections(&self, time: Duration) {
        self.app.door.close_for(time).await;
    }

    /// The GraphQL schema, in the schema definition language.
    pub fn graphql_sdl(&self) -> String {
        graphql::sdl(&self.app.schema)
    }

    /// Publishes another REST description on the [control plane](crate::Builder::control_plane), at
    /// `/_local/openapi/rest.yaml`: to see what those make of a change who generate code from it.
    /// The service goes on as before.
    pub fn set_rest_description(&self, text: impl Into<String>) {
        self.app.descriptions.set_rest(text.into());
    }

    /// Adds a Pod, or replaces the one of that id. See [`Builder::pod`](crate::Builder::pod).
    ///
    /// # Errors
    ///
    /// When it is not a Pod that the interface allows.
    pub fn add_pod(&self, pod: Value) -> Result<(), Error> {
        self.app.catalog.add_pod(pod).map_err(Error::seed)
    }

    /// Takes a Pod away, and says whether it was there. Its template can be deleted 2 minutes
    /// later.
    pub fn remove_pod(&self, id: &str) -> bool {
        self.app.catalog.remove_pod(id)
    }

    /// Adds a template, or replaces the one of that id. See [`Builder::template`](crate::Builder::template).
    ///
    /// # Errors
    ///
    /// When it is not a template that the interface allows, or another has its name.
    pub fn add_template(&self, template: Value) -> Result<(), Error> {
        self.app.catalog.add_template(template).map_err(Error::seed)
    }

    /// Stops the service: handlers are dropped, waiting and half-sent requests get a 500, and all
    /// connections are closed and the port is free when this returns. A client that does not take
    /// its response within 2 seconds is reset.
    pub async fn shutdown(mut self) {
        self.stop();
        if let Some(server) = self.server.take() {
            // It ends in any case; a panic of it would have been reported.
            let _ = server.await;
        }
    }

    fn stop(&self) {
        self.app.door.shut();
        self.tasks.stop();
    }
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
