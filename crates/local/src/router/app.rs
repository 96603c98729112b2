//! State of the service that all request handlers share.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex as StdMutex};

use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::api_keys::ApiKeys;
use super::session::Session;
use crate::account::{Account, QuotaLimiter};
use crate::clock::{Clock, Moment};
use crate::faults::FaultInjector;
use crate::graphql::Schema;
use crate::http::{HostCheck, ListenerControl, RequestLog};
use crate::queue::{Endpoint, EndpointRegistry, Overview, StreamShape};
use crate::rate_limits::RateLimiter;
use crate::resources::Resources;
use crate::retired::RetiredInterface;
use crate::scenarios::Scenarios;
use crate::tasks::locked;
use crate::webhook::Webhooks;

/// The state of the service that all request handlers share.
pub(crate) struct App {
    pub(crate) keys: ApiKeys,
    pub(crate) host_check: HostCheck,
    pub(crate) clock: Clock,
    pub(crate) faults: FaultInjector,
    pub(crate) scenarios: Scenarios,
    pub(crate) listener: Arc<ListenerControl>,
    /// Cancelled when the service stops.
    pub(crate) stopping: CancellationToken,
    pub(crate) rate_limiter: Option<RateLimiter>,
    pub(crate) endpoints: Arc<EndpointRegistry>,
    pub(crate) resources: Arc<Resources>,
    pub(crate) account: Account,
    /// The rate limits of the account interface.
    pub(crate) quota: Option<QuotaLimiter>,
    pub(crate) schema: Schema,
    pub(crate) openapi: OpenApiDescriptions,
    pub(crate) requests: RequestLog,
    pub(crate) webhooks: Webhooks,
    pub(crate) control_plane: bool,
    /// The session that is shown instead of this service, if any.
    pub(crate) session: Option<Session>,
    /// Held by a search of jobs: one at a time, so that searches do not starve the service.
    pub(crate) search_lock: Arc<Mutex<()>>,
    pub(crate) stream_shape: StreamShape,
    /// The interfaces that respond with 410.
    pub(crate) retired: BTreeSet<RetiredInterface>,
    /// True if requests that the interface does not document are refused.
    pub(crate) is_strict: bool,
    pub(crate) max_run_payload: usize,
    pub(crate) max_runsync_payload: usize,
}

impl App {
    /// The counts of all endpoints, in the order of their names.
    pub(super) fn overviews(&self) -> Vec<Overview> {
        self.endpoints.all().iter().map(Endpoint::overview).collect()
    }

    /// The next timer of an endpoint, or sleeper on the clock.
    pub(super) fn next_event(&self, overviews: &[Overview]) -> Option<Moment> {
        let of_endpoints = overviews.iter().filter_map(|overview| overview.next_event);
        of_endpoints.chain(self.clock.next_wake()).filter(|at| *at > self.clock.now()).min()
    }

    /// Calls the webhook of a job that has ended again. Returns true if there is such a job.
    pub(crate) fn redeliver_webhook(&self, job_id: &str) -> bool {
        self.endpoints.all().iter().any(|endpoint| endpoint.redeliver_webhook(job_id))
    }
}

const QUEUE: &str = include_str!("../../openapi/queue.yaml");
const WORKERS: &str = include_str!("../../openapi/workers.yaml");
const REST: &str = include_str!("../../openapi/rest.yaml");
const ACCOUNT: &str = include_str!("../../openapi/account.yaml");

/// The published OpenAPI descriptions. Replacing a description changes nothing else: it is for
/// testing what a code generator makes of a change.
pub(crate) struct OpenApiDescriptions {
    rest: StdMutex<String>,
}

impl Default for OpenApiDescriptions {
    fn default() -> Self {
        Self { rest: StdMutex::new(REST.to_owned()) }
    }
}

impl OpenApiDescriptions {
    /// The description of this file name, if any.
    pub(crate) fn named(&self, name: &str) -> Option<String> {
        match name {
            "queue.yaml" => Some(QUEUE.to_owned()),
            "workers.yaml" => Some(WORKERS.to_owned()),
            "account.yaml" => Some(ACCOUNT.to_owned()),
            "rest.yaml" => Some(locked(&self.rest).clone()),
            _ => None,
        }
    }

    pub(crate) fn set_rest(&self, text: String) {
        *locked(&self.rest) = text;
    }
}
