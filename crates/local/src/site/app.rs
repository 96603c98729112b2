//! What every request can reach.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::keys::Keys;
use crate::catalog::Catalog;
use crate::clock::{Clock, Moment};
use crate::descriptions::Descriptions;
use crate::faults::Faults;
use crate::graphql::Schema;
use crate::http::{Closer, Hosts, RequestLog};
use crate::limits::Limiter;
use crate::queue::{Endpoint, Overview, StreamShape};
use crate::webhook::Webhooks;

pub(crate) struct App {
    pub(crate) keys: Keys,
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
    /// Held by who searches jobs: one at a time, so that searches leave room for the service.
    pub(crate) searching: Arc<Mutex<()>>,
    pub(crate) stream_shape: StreamShape,
    /// Whether requests that existing clients send are refused where the interface has none.
    pub(crate) is_strict: bool,
    pub(crate) max_run_payload: usize,
    pub(crate) max_runsync_payload: usize,
}

impl App {
    /// The counts of all endpoints, in the order of their names.
    pub(super) fn overviews(&self) -> Vec<Overview> {
        let mut endpoints: Vec<_> = self.endpoints.values().collect();
        endpoints.sort_unstable_by_key(|endpoint| endpoint.name());
        endpoints.into_iter().map(Endpoint::overview).collect()
    }

    /// When time next does something, to an endpoint or to what sleeps on the clock.
    pub(super) fn next_event(&self, overviews: &[Overview]) -> Option<Moment> {
        let of_endpoints = overviews.iter().filter_map(|overview| overview.next_event);
        of_endpoints.chain(self.clock.next_wake()).filter(|at| *at > self.clock.now()).min()
    }

    /// Calls the webhook of a job that has ended once more, if there is such a job.
    pub(crate) fn redeliver_webhook(&self, job_id: &str) -> bool {
        self.endpoints.values().any(|endpoint| endpoint.announce_again(job_id))
    }
}
