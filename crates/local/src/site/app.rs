//! What every request can reach.

use std::collections::HashMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::keys::ApiKey;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::descriptions::Descriptions;
use crate::faults::Faults;
use crate::graphql::Schema;
use crate::http::{Closer, Hosts, RequestLog};
use crate::limits::Limiter;
use crate::queue::{Endpoint, StreamShape};
use crate::webhook::Webhooks;

pub(crate) struct App {
    /// At least one.
    pub(crate) keys: Vec<ApiKey>,
    pub(crate) hosts: Hosts,
    pub(crate) clock: Clock,
    pub(crate) faults: Faults,
    pub(crate) door: Arc<Closer>,
    /// Tells whatever waits that the service stops.
    pub(crate) stopping: CancellationToken,
    pub(crate) limiter: Option<Limiter>,
    pub(crate) endpoints: HashMap<String, Arc<Endpoint>>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) schema: Schema,
    pub(crate) descriptions: Descriptions,
    pub(crate) requests: RequestLog,
    pub(crate) webhooks: Webhooks,
    pub(crate) control_plane: bool,
    pub(crate) stream_shape: StreamShape,
    pub(crate) max_run_payload: usize,
    pub(crate) max_runsync_payload: usize,
}

impl App {
    /// Calls the webhook of a job that has ended once more, if there is such a job.
    pub(crate) fn redeliver_webhook(&self, job_id: &str) -> bool {
        self.endpoints.values().any(|endpoint| endpoint.announce_again(job_id))
    }
}
