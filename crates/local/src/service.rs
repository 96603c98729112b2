//! The running service, as its owner holds it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::app::App;
use crate::builder::Builder;
use crate::clock::Clock;
use crate::error::Error;
use crate::faults::Fault;
use crate::graphql;
use crate::http::{Breakable, Door, RequestRecord, Site};
use crate::sync::Tasks;
use crate::webhook::WebhookDelivery;

/// How long `shutdown` waits for open connections.
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(2);

/// A running local service. It stops when dropped.
pub struct LocalService {
    address: SocketAddr,
    app: Arc<App>,
    tasks: Tasks,
    server: Option<JoinHandle<()>>,
}

impl LocalService {
    /// Sets up a service.
    pub fn builder() -> Builder {
        Builder::default()
    }

    pub(crate) fn serve(
        listener: TcpListener,
        address: SocketAddr,
        app: Arc<App>,
        tasks: Tasks,
    ) -> Self {
        let stop = tasks.stopping().clone().cancelled_owned();
        let door = Door::new(listener, address, app.door.clone());
        let server =
            axum::serve(Breakable(door), Site::new(app.clone())).with_graceful_shutdown(stop);
        let server = Some(tokio::spawn(async move {
            // Serving ends only when it is told to.
            let _ = server.await;
        }));
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

    /// The address that the service listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The clock that all times of the service are read from.
    pub fn clock(&self) -> &Clock {
        &self.app.clock
    }

    /// The last 10,000 requests, in the order in which they arrived.
    pub fn requests(&self) -> Vec<RequestRecord> {
        self.app.requests.all()
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

    /// Publishes another REST description on the [control plane](Builder::control_plane), at
    /// `/_local/openapi/rest.yaml`: to see what those make of a change who generate code from it.
    /// The service goes on as before.
    pub fn set_rest_description(&self, text: impl Into<String>) {
        self.app.descriptions.set_rest(text.into());
    }

    /// Adds a Pod, or replaces the one of that id. See [`Builder::pod`].
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

    /// Adds a template, or replaces the one of that id. See [`Builder::template`].
    ///
    /// # Errors
    ///
    /// When it is not a template that the interface allows, or another has its name.
    pub fn add_template(&self, template: Value) -> Result<(), Error> {
        self.app.catalog.add_template(template).map_err(Error::seed)
    }

    /// Stops the service: handlers are dropped, waiting requests are answered, and the port is
    /// free when this returns. Requests that are not whole 2 seconds later are reset.
    pub async fn shutdown(mut self) {
        self.tasks.stop();
        if let Some(mut server) = self.server.take() {
            // A client that keeps its connection busy does not keep the service alive: it is
            // reset.
            if tokio::time::timeout(SHUTDOWN_PATIENCE, &mut server).await.is_err() {
                server.abort();
                self.app.door.cut_all();
            }
        }
    }
}

impl Drop for LocalService {
    fn drop(&mut self) {
        self.tasks.stop();
    }
}

impl std::fmt::Debug for LocalService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalService").field("address", &self.address).finish_non_exhaustive()
    }
}
