//! Account interface, second version: its 53 operations and their paths.
//!
//! [`OPERATIONS`] has a row for each. `request` and `fields` read a request, `response` and `problem`
//! are what comes of it, `quota` limits it; the remaining modules are the objects of the account, one
//! each. `router/account.rs` serves it over HTTP, below `/account`.

mod billing;
mod catalog;
mod clusters;
mod compute;
mod container;
mod endpoint_gpu;
mod endpoints;
mod fields;
mod image;
mod ledger;
mod logs;
mod mounts;
mod offers;
mod pods;
mod problem;
mod quota;
mod registries;
mod request;
mod response;
mod ssh_keys;
mod templates;
mod volumes;
mod wall_clock;

use std::sync::Arc;

use axum::http::{Method, StatusCode};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use self::billing::Bill;
use self::clusters::Clusters;
use self::endpoints::{Endpoints, Shared};
use self::ledger::{Charge, Ledger};
use self::pods::Pods;
use self::registries::Registries;
use self::ssh_keys::SshKeys;
use self::templates::Templates;
use self::volumes::Volumes;
use self::wall_clock::WallClock;
use crate::clock::Clock;
use crate::error::Refusal;
use crate::queue::{EndpointFactory, EndpointRegistry};
#[cfg(feature = "program")]
use crate::queue::{EndpointWorkers, Workers};
use crate::resources::Resources;

pub(crate) use self::logs::body as events_body;
pub(crate) use self::problem::Problem;
pub(crate) use self::quota::QuotaLimiter;
pub(crate) use self::request::Request;
pub(crate) use self::response::{AccountResponse, Outcome};

/// The objects of the account.
pub(crate) struct Account {
    time: WallClock,
    ledger: Arc<Ledger>,
    ssh_keys: SshKeys,
    pods: Arc<Pods>,
    clusters: Clusters,
    endpoints: Arc<Endpoints>,
    templates: Arc<Templates>,
    volumes: Arc<Volumes>,
    registries: Arc<Registries>,
}

/// The parts of the service that the account uses.
pub(crate) struct AccountContext {
    pub(crate) clock: Clock,
    pub(crate) stopping: CancellationToken,
    /// The root of the queue's interface.
    pub(crate) base_url: String,
    pub(crate) factory: EndpointFactory,
    pub(crate) endpoints: Arc<EndpointRegistry>,
    pub(crate) resources: Arc<Resources>,
    /// True if it has the objects that the default Pods and templates refer to.
    pub(crate) is_seeded: bool,
}

impl Account {
    pub(crate) fn new(context: AccountContext) -> Self {
        let AccountContext { clock, stopping, base_url, factory, endpoints, resources, is_seeded } =
            context;
        let time = WallClock::new(clock);
        let ledger = Arc::new(Ledger::default());
        let registries = Arc::new(Registries::new(time.clone()));
        let volumes = Arc::new(Volumes::new(time.clone(), ledger.clone()));
        if is_seeded {
            registries.seed("registry-credential-1", "private images");
            volumes.seed("volume-1", "datasets", 200, "EU-1");
        }
        let templates = Arc::new(Templates::new(resources.clone(), registries.clone()));
        let pods = Arc::new(Pods::new(
            (time.clone(), stopping.clone()),
            resources,
            templates.clone(),
            registries.clone(),
            volumes.clone(),
            ledger.clone(),
        ));
        let endpoints = Arc::new(Endpoints::new(Shared {
            time: time.clone(),
            stopping,
            base_url,
            factory,
            running: endpoints,
            templates: templates.clone(),
            registries: registries.clone(),
            volumes: volumes.clone(),
            ledger: ledger.clone(),
        }));
        let clusters = Clusters::new(time.clone(), pods.clone());
        let ssh_keys = SshKeys::default();
        Self { time, ledger, ssh_keys, pods, clusters, endpoints, templates, volumes, registries }
    }

    /// Adds a Pod of the first version of the interface, or replaces the Pod of its id.
    pub(crate) fn put_pod(&self, pod: Value) -> Result<(), Refusal> {
        self.pods.put(pod)
    }

    /// Removes a Pod, also one that is locked, and returns true if it existed.
    pub(crate) fn remove_pod(&self, id: &str) -> bool {
        self.pods.take(id)
    }

    /// Starts an endpoint of the queue, without jobs, in place of one of its name.
    #[cfg(feature = "program")]
    pub(crate) fn put_endpoint(&self, name: &str, workers: &EndpointWorkers, scaling: Workers) {
        self.endpoints.put(name, workers, scaling);
    }

    /// Removes an endpoint of the queue with its jobs.
    #[cfg(feature = "program")]
    pub(crate) fn remove_endpoint(&self, name: &str) {
        self.endpoints.remove(name);
    }

    /// The reason why a request to an endpoint is not served, if it is a load balancer.
    pub(crate) fn why_unserved(&self, endpoint: &str) -> Option<String> {
        self.endpoints.is_load_balancer(endpoint).then(|| {
            format!(
                "the endpoint {endpoint} is a load balancer: its workers serve HTTP themselves, and \
                 the local service runs none that do"
            )
        })
    }

    fn uses_registry(&self, id: &str) -> bool {
        self.endpoints.use_registry(id)
            || self.pods.use_registry(id)
            || self.templates.use_registry(id)
    }

    fn uses_volume(&self, id: &str) -> bool {
        self.endpoints.use_volume(id) || self.pods.use_volume(id)
    }

    fn bill(&self, bill: &Bill, request: &Request) -> Outcome {
        let running = [self.pods.charges(), self.endpoints.charges(), self.volumes.charges()];
        let charges: Vec<Charge> =
            self.ledger.charges().into_iter().chain(running.into_iter().flatten()).collect();
        bill.response(request, &self.time, charges)
    }
}

type Perform = fn(&Account, &Request) -> Outcome;

/// The operations: method, path and what they do. A path comes before those that its segments match
/// as values of parameters.
const OPERATIONS: [(Method, &str, Perform); 53] = [
    (Method::GET, "/v2/account/ssh-keys", |it, _| it.ssh_keys.get()),
    (Method::PUT, "/v2/account/ssh-keys", |it, request| it.ssh_keys.replace(request)),
    (Method::GET, "/v2/pods", |it, request| it.pods.list(request)),
    (Method::POST, "/v2/pods", |it, request| it.pods.create(request)),
    (Method::GET, "/v2/pods/{id}", |it, request| it.pods.get(request.id())),
    (Method::PATCH, "/v2/pods/{id}", |it, request| it.pods.update(request)),
    (Method::DELETE, "/v2/pods/{id}", |it, request| it.pods.delete(request.id())),
    (Method::GET, "/v2/pods/{id}/logs", |it, request| it.pods.logs(request)),
    (Method::POST, "/v2/pods/{id}/action", |it, request| it.pods.act(request)),
    (Method::GET, "/v2/clusters", |it, _| it.clusters.list()),
    (Method::POST, "/v2/clusters", |it, request| it.clusters.create(request)),
    (Method::GET, "/v2/clusters/{id}", |it, request| it.clusters.get(request.id())),
    (Method::PATCH, "/v2/clusters/{id}", |it, request| it.clusters.update(request)),
    (Method::DELETE, "/v2/clusters/{id}", |it, request| it.clusters.delete(request.id())),
    (Method::GET, "/v2/clusters/{id}/pods", |it, request| it.clusters.list_pods(request.id())),
    (Method::GET, "/v2/serverless", |it, _| it.endpoints.list()),
    (Method::POST, "/v2/serverless", |it, request| it.endpoints.create(request)),
    (Method::GET, "/v2/serverless/{id}", |it, request| it.endpoints.get(request.id())),
    (Method::PATCH, "/v2/serverless/{id}", |it, request| it.endpoints.update(request)),
    (Method::DELETE, "/v2/serverless/{id}", |it, request| it.endpoints.delete(request.id())),
    (Method::GET, "/v2/serverless/{id}/workers", |it, request| it.endpoints.workers(request.id())),
    (Method::GET, "/v2/serverless/{id}/releases", |it, request| {
        it.endpoints.releases(request.id())
    }),
    (Method::GET, "/v2/serverless/{id}/workers/{workerId}/logs", |it, request| {
        it.endpoints.worker_logs(request)
    }),
    (Method::GET, "/v2/templates", |it, _| it.templates.list()),
    (Method::POST, "/v2/templates", |it, request| it.templates.create(request)),
    (Method::GET, "/v2/templates/{id}", |it, request| it.templates.get(request.id())),
    (Method::PATCH, "/v2/templates/{id}", |it, request| it.templates.update(request)),
    (Method::DELETE, "/v2/templates/{id}", |it, request| {
        it.templates.delete(request.id(), it.endpoints.use_template(request.id()))
    }),
    (Method::GET, "/v2/network-volumes", |it, _| it.volumes.list()),
    (Method::POST, "/v2/network-volumes", |it, request| it.volumes.create(request)),
    (Method::GET, "/v2/network-volumes/{id}", |it, request| it.volumes.get(request.id())),
    (Method::PATCH, "/v2/network-volumes/{id}", |it, request| it.volumes.update(request)),
    (Method::DELETE, "/v2/network-volumes/{id}", |it, request| {
        it.volumes.delete(request.id(), it.uses_volume(request.id()))
    }),
    (Method::GET, "/v2/registries", |it, _| it.registries.list()),
    (Method::POST, "/v2/registries", |it, request| it.registries.create(request)),
    (Method::GET, "/v2/registries/delegations", |it, _| it.registries.list_delegations()),
    (Method::POST, "/v2/registries/delegations", |it, request| {
        it.registries.create_delegation(request)
    }),
    (Method::DELETE, "/v2/registries/delegations/{id}", |it, request| {
        it.registries.revoke_delegation(request.id())
    }),
    (Method::GET, "/v2/registries/{id}", |it, request| it.registries.get(request.id())),
    (Method::DELETE, "/v2/registries/{id}", |it, request| {
        it.registries.delete(request.id(), it.uses_registry(request.id()))
    }),
    (Method::GET, "/v2/catalog/gpus", |_, request| catalog::list_gpus(request)),
    (Method::GET, "/v2/catalog/gpus/{id}", |_, request| catalog::get_gpu(request)),
    (Method::GET, "/v2/catalog/cpus", |_, request| catalog::list_cpus(request)),
    (Method::GET, "/v2/catalog/cpus/{id}", |_, request| catalog::get_cpu(request)),
    (Method::GET, "/v2/catalog/datacenters", |_, request| catalog::list_data_centers(request)),
    (Method::GET, "/v2/catalog/datacenters/{id}", |_, request| catalog::get_data_center(request)),
    (Method::GET, "/v2/catalog/templates", |it, request| it.templates.list_public(request)),
    (Method::GET, "/v2/billing", |it, request| it.bill(&billing::ACCOUNT, request)),
    (Method::GET, "/v2/billing/pods", |it, request| it.bill(&billing::PODS, request)),
    (Method::GET, "/v2/billing/serverless", |it, request| it.bill(&billing::SERVERLESS, request)),
    (Method::GET, "/v2/billing/endpoints", |it, request| {
        it.bill(&billing::PUBLIC_ENDPOINTS, request)
    }),
    (Method::GET, "/v2/billing/network-volumes", |it, request| {
        it.bill(&billing::NETWORK_VOLUMES, request)
    }),
    (Method::GET, "/v2/billing/clusters", |it, request| it.bill(&billing::CLUSTERS, request)),
];

/// The operation that a request is for.
pub(crate) struct Operation {
    perform: Perform,
    /// The values of the parameters of its path, as they are in it.
    pub(crate) ids: Vec<String>,
}

impl Operation {
    /// The operation of a method and a path.
    pub(crate) fn of(method: &Method, path: &str) -> Result<Self, Problem> {
        // A client may ask for the head of what it can get.
        let method = if method == Method::HEAD { &Method::GET } else { method };
        let found =
            OPERATIONS.iter().find_map(|(_, known, _)| Some((known, matched(known, path)?)));
        let Some((known, ids)) = found else {
            let detail = format!("no operation of the account interface has the path {path}");
            return Err(Problem::new(StatusCode::NOT_FOUND, detail));
        };
        let of_path = || OPERATIONS.iter().filter(|(_, path, _)| path == known);
        if let Some((.., perform)) = of_path().find(|(it, ..)| it == method) {
            return Ok(Self { perform: *perform, ids });
        }
        let methods: Vec<_> = of_path().map(|(method, ..)| method.as_str()).collect();
        let detail = format!("{path} does not allow {method}");
        let allow = Some(methods.join(", "));
        Err(Problem { allow, ..Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail) })
    }

    /// Performs the operation.
    pub(crate) fn perform(&self, account: &Account, request: &Request) -> Outcome {
        (self.perform)(account, request)
    }
}

/// The values of the parameters of a path, if it has the form of another.
fn matched(form: &str, path: &str) -> Option<Vec<String>> {
    let mut ids = Vec::new();
    let mut segments = path.split('/');
    for segment in form.split('/') {
        let given = segments.next()?;
        if segment.starts_with('{') && !given.is_empty() {
            ids.push(given.to_owned());
        } else if segment != given {
            return None;
        }
    }
    segments.next().is_none().then_some(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows are the operations of the description, by its lines.
    #[test]
    fn all_operations_of_the_description_have_a_row() {
        let mut path = "";
        let mut described = Vec::new();
        for line in include_str!("../openapi/account.yaml").lines() {
            let name = line.trim_start().trim_end_matches(':');
            match line.len() - line.trim_start().len() {
                0 if line == "components:" => break,
                2 if name.starts_with("/v2") => path = name,
                4 if ["get", "put", "post", "patch", "delete"].contains(&name) => {
                    described.push(format!("{} {path}", name.to_uppercase()));
                }
                _ => {}
            }
        }
        let mut rows: Vec<_> =
            OPERATIONS.iter().map(|(method, path, _)| format!("{method} {path}")).collect();
        rows.sort_unstable();
        described.sort_unstable();
        assert_eq!(rows, described);
    }

    #[test]
    fn a_path_leads_to_the_operation_with_the_most_literal_segments() {
        let ids = |method, path| Operation::of(&method, path).map(|it| it.ids);
        assert_eq!(ids(Method::GET, "/v2/registries/delegations"), Ok(vec![]));
        assert_eq!(ids(Method::GET, "/v2/registries/a"), Ok(vec!["a".to_owned()]));
        let refused = ids(Method::DELETE, "/v2/registries/delegations").map_err(|it| it.allow);
        assert_eq!(refused, Err(Some("GET, POST".to_owned())));
        for path in ["/v2", "/v2/pods/", "/v2/pods/a/b", "/v2/pods//logs", "", "/v2/registries/a/b"]
        {
            let refused = ids(Method::GET, path).map_err(|it| it.status);
            assert_eq!(refused, Err(StatusCode::NOT_FOUND), "{path}");
        }
    }
}
