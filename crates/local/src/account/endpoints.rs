//! Endpoints of the account, with their workers and releases. An endpoint of type QUEUE is one of
//! the queue's as soon as it is created, and until it is deleted. One of type LOAD_BALANCER has its
//! settings and releases, and no workers: those would serve HTTP themselves.
//!
//! The name of its image decides how its jobs are run: like those of the endpoint of that name which
//! the service has from its start, or a built-in one; other images run like `echo`.
//!
//! Lock order: the deployments are locked before the state of a queue's endpoint, never after.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::compute::Cpu;
use super::container::{Container, ContainerChange};
use super::endpoint_gpu::{EndpointGpu, EndpointGpuChange};
use super::fields::{Fields, are_unique, from};
use super::ledger::{Charge, Ledger, Part, Product};
use super::logs::{self, LogEntry, LogPage};
use super::offers::{self, DISK_PRICE};
use super::problem::Problem;
use super::registries::{Registries, USER, check_capacity};
use super::request::Request;
use super::response::{Outcome, created, empty, ok};
use super::templates::Templates;
use super::volumes::Volumes;
use super::wall_clock::WallClock;
use crate::clock::Moment;
#[cfg(feature = "program")]
use crate::queue::EndpointWorkers;
use crate::queue::{
    Endpoint, EndpointFactory, EndpointRegistry, EndpointSettings, WorkerStatus, WorkerView,
    Workers,
};
use crate::resources::new_id;
use crate::tasks::locked;
use crate::worker::LogSource;

/// The largest number of local workers of an endpoint, whatever it is set to.
const MAX_WORKERS: i64 = 100;
/// The largest number of releases that are kept of an endpoint.
const MAX_RELEASES: usize = 1_000;
/// Execution timeout of an endpoint that has none: the longest that a job may ask for.
const NO_TIMEOUT: Duration = Duration::from_secs(7 * 24 * 3600);

const TYPES: [&str; 2] = ["QUEUE", "LOAD_BALANCER"];
const FLASHBOOT: [&str; 3] = ["OFF", "FLASHBOOT", "PRIORITY_FLASHBOOT"];

/// Numbers of workers, and how long idle ones stay.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WorkerSettings {
    min: i64,
    max: i64,
    /// In seconds.
    idle_timeout: i64,
}

/// A version of what the workers of an endpoint run.
#[derive(Clone, Debug)]
struct Release {
    id: String,
    version: u64,
    created: Moment,
    diff: Vec<Value>,
    /// Costs of a worker, in credits an hour.
    prices: Vec<(Part, f64)>,
}

/// An endpoint of the account.
#[derive(Debug)]
struct Deployment {
    id: String,
    name: String,
    kind: &'static str,
    container: Container,
    gpu: Option<EndpointGpu>,
    cpu: Option<Vec<Cpu>>,
    workers: WorkerSettings,
    scaling: Value,
    data_centers: Vec<String>,
    volumes: Vec<String>,
    /// In milliseconds.
    timeout: i64,
    flashboot: &'static str,
    template: Option<String>,
    created: Moment,
    /// The oldest first; at least one.
    releases: Vec<Release>,
    /// The endpoint of the queue; none for another type.
    queue: Option<Arc<Endpoint>>,
}

impl Deployment {
    fn new(id: String, name: String, kind: &'static str, created: Moment) -> Self {
        Self {
            id,
            name,
            kind,
            container: Container::default(),
            gpu: None,
            cpu: None,
            workers: WorkerSettings { min: 0, max: 3, idle_timeout: 10 },
            scaling: Value::Null,
            data_centers: Vec::new(),
            volumes: Vec::new(),
            timeout: 300_000,
            flashboot: "OFF",
            template: None,
            created,
            releases: Vec::new(),
            queue: None,
        }
    }

    /// The deployment of a queue that was not created by this interface: its name is its id.
    fn of_queue(queue: Arc<Endpoint>, created: Moment) -> Self {
        let id = queue.name().to_string();
        let mut deployment = Self::new(id.clone(), id.clone(), "QUEUE", created);
        let (min, max, idle_timeout) = queue.worker_limits();
        deployment.container = Container::of_image(format!("registry.example/{id}:1"));
        deployment.gpu = Some(EndpointGpu::of_pool(offers::GPUS[0].pool));
        deployment.workers = WorkerSettings {
            min: i64::try_from(min).unwrap_or(i64::MAX),
            max: i64::try_from(max).unwrap_or(i64::MAX),
            idle_timeout: idle_timeout.as_secs().clamp(1, 3600) as i64,
        };
        deployment.scaling = json!({ "type": "QUEUE_DELAY", "queueDelay": 4.0 });
        deployment.timeout = queue.execution_timeout().as_millis().try_into().unwrap_or(0);
        deployment.queue = Some(queue);
        deployment.add_release(Vec::new(), created);
        deployment
    }

    fn version(&self) -> u64 {
        self.releases.last().map_or(1, |release| release.version)
    }

    /// The container of its workers: a change of it is a new release.
    fn runs(&self) -> Map<String, Value> {
        let runs = json!({
            "args": self.container.args,
            "disk": self.container.disk,
            "env": self.container.env,
            "image": self.container.image,
            "ports": self.container.ports,
            "registry": self.container.registry,
            "gpu": self.gpu,
            "cpu": self.cpu,
            "dataCenterIds": self.data_centers,
            "networkVolumes": self.volumes,
            "flashboot": self.flashboot,
            "templateId": self.template,
        });
        match runs {
            Value::Object(runs) => runs,
            _ => Map::new(),
        }
    }

    /// Costs of a worker, in credits an hour.
    fn prices(&self) -> Vec<(Part, f64)> {
        let mut prices = vec![(Part::Disk, DISK_PRICE * self.container.disk as f64)];
        if let Some(gpu) = &self.gpu {
            prices.push((Part::Gpu, offers::worker_gpu_price(&gpu.pools) * gpu.count as f64));
        }
        if let Some(cpu) = self.cpu.as_ref().and_then(|cpus| cpus.first()) {
            prices.push((Part::Cpu, offers::vcpu_prices(&cpu.id).1 * cpu.vcpu_count as f64));
        }
        prices
    }

    fn add_release(&mut self, diff: Vec<Value>, now: Moment) {
        let version = self.releases.last().map_or(0, |release| release.version) + 1;
        let prices = self.prices();
        self.releases.push(Release { id: new_id(), version, created: now, diff, prices });
        if self.releases.len() > MAX_RELEASES {
            self.releases.remove(0);
        }
    }

    /// Lets the queue's endpoint have the settings of this one.
    fn configure_queue(&self) {
        let Some(queue) = &self.queue else { return };
        let timeout = u64::try_from(self.timeout).ok().filter(|timeout| *timeout > 0);
        let timeout = timeout.map_or(NO_TIMEOUT, Duration::from_millis);
        queue.set_execution_timeout(timeout.min(NO_TIMEOUT));
        queue.set_throttled(self.gpu.as_ref().is_some_and(EndpointGpu::is_sold_out));
        let number = |workers: i64| usize::try_from(workers.clamp(0, MAX_WORKERS)).unwrap_or(0);
        let idle_timeout = Duration::from_secs(self.workers.idle_timeout.unsigned_abs());
        queue.set_workers(number(self.workers.min), number(self.workers.max), idle_timeout);
    }

    fn workers(&self) -> Vec<WorkerView> {
        self.queue.as_ref().map(Endpoint::worker_views).unwrap_or_default()
    }

    fn charges(&self) -> Vec<Charge> {
        let runs = self.queue.as_ref().map(Endpoint::worker_runs).unwrap_or_default();
        let mut charges = Vec::new();
        for run in runs {
            let release = self.releases.iter().find(|it| it.version == run.version);
            let prices = release.map_or(&[][..], |release| &release.prices);
            charges.extend(prices.iter().map(|(part, hourly)| Charge {
                product: Product::Serverless,
                id: self.id.clone(),
                part: *part,
                since: run.started,
                until: run.ended,
                hourly: *hourly,
            }));
        }
        charges
    }

    fn log_page(&self, worker: &str, after: Option<Moment>) -> Result<LogPage, Problem> {
        let unknown = || Problem::not_found("worker of this endpoint", worker);
        let queue = self.queue.as_ref().ok_or_else(unknown)?;
        let is_over = !self.workers().iter().any(|it| *it.id == *worker);
        let lines = queue.account_log().of_worker(worker, after);
        if is_over && lines.is_empty() && queue.account_log().of_worker(worker, None).is_empty() {
            return Err(unknown());
        }
        let entry = |line: crate::worker::WorkerLogLine| LogEntry {
            stamp: line.stamp,
            source: match line.source {
                LogSource::Stdout | LogSource::Stderr => "container",
                LogSource::Service => "system",
            },
            line: line.text,
        };
        Ok(LogPage { entries: lines.into_iter().map(entry).collect(), next: None, is_over })
    }
}

pub(super) struct Endpoints {
    shared: Shared,
    all: Mutex<BTreeMap<String, Deployment>>,
}

/// The parts of the service that the endpoints of the account use.
pub(super) struct Shared {
    pub(super) time: WallClock,
    pub(super) stopping: CancellationToken,
    /// The root of the queue's interface.
    pub(super) base_url: String,
    pub(super) factory: EndpointFactory,
    pub(super) running: Arc<EndpointRegistry>,
    pub(super) templates: Arc<Templates>,
    pub(super) registries: Arc<Registries>,
    pub(super) volumes: Arc<Volumes>,
    pub(super) ledger: Arc<Ledger>,
}

impl Endpoints {
    /// The endpoints that the service has from its start.
    pub(super) fn new(shared: Shared) -> Self {
        let mut all = BTreeMap::new();
        for queue in shared.running.all() {
            all.insert(queue.name().to_string(), Deployment::of_queue(queue, Moment::ZERO));
        }
        Self { shared, all: Mutex::new(all) }
    }

    /// Starts an endpoint of the queue, without jobs, in place of one of its name.
    #[cfg(feature = "program")]
    pub(super) fn put(&self, name: &str, workers: &EndpointWorkers, scaling: Workers) {
        self.remove(name);
        let factory = &self.shared.factory;
        let settings = EndpointSettings { workers: scaling, ..factory.defaults };
        let queue = factory.start_with(name, workers, settings);
        self.shared.running.insert(queue.clone());
        let deployment = Deployment::of_queue(queue, self.shared.time.now());
        locked(&self.all).insert(name.to_owned(), deployment);
        self.shared.time.clock().changes().notify();
    }

    /// Removes an endpoint with its jobs, and returns true if it existed.
    pub(super) fn remove(&self, id: &str) -> bool {
        let Some(deleted) = locked(&self.all).remove(id) else { return false };
        if let Some(queue) = &deleted.queue {
            self.shared.running.remove(id);
            queue.close();
        }
        self.shared.ledger.add(deleted.charges());
        self.shared.time.clock().changes().notify();
        true
    }

    fn with<T>(
        &self,
        id: &str,
        read: impl FnOnce(&mut Deployment) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let mut all = locked(&self.all);
        read(all.get_mut(id).ok_or_else(|| Problem::not_found("endpoint", id))?)
    }

    fn any(&self, holds: impl Fn(&Deployment) -> bool) -> bool {
        locked(&self.all).values().any(holds)
    }

    pub(super) fn use_registry(&self, id: &str) -> bool {
        self.any(|it| it.container.registry.as_deref() == Some(id))
    }

    pub(super) fn use_template(&self, id: &str) -> bool {
        self.any(|it| it.template.as_deref() == Some(id))
    }

    pub(super) fn use_volume(&self, id: &str) -> bool {
        self.any(|it| it.volumes.iter().any(|volume| volume == id))
    }

    /// Returns true if requests to the endpoint are for its workers, without a queue.
    pub(super) fn is_load_balancer(&self, id: &str) -> bool {
        locked(&self.all).get(id).is_some_and(|it| it.kind == "LOAD_BALANCER")
    }

    pub(super) fn charges(&self) -> Vec<Charge> {
        locked(&self.all).values().flat_map(Deployment::charges).collect()
    }

    fn view(&self, it: &Deployment) -> Value {
        let url = |path: &str| format!("{}/v2/{}{path}", self.shared.base_url, it.id);
        let urls = match it.kind {
            "QUEUE" => json!({
                "run": url("/run"),
                "runSync": url("/runsync"),
                "status": url("/status"),
                "stream": url("/stream"),
                "cancel": url("/cancel"),
                "retry": url("/retry"),
                "purgeQueue": url("/purge-queue"),
                "health": url("/health"),
            }),
            _ => json!({ "base": url(""), "health": url("/ping") }),
        };
        let mut view = it.runs();
        view.remove("templateId");
        if it.cpu.is_none() {
            view.remove("cpu");
        }
        let rest = json!({
            "id": it.id,
            "name": it.name,
            "type": it.kind,
            "requestUrls": urls,
            "workers": it.workers,
            "scaling": it.scaling,
            "timeout": it.timeout,
            "createdAt": self.shared.time.text(it.created),
        });
        if let Value::Object(rest) = rest {
            view.extend(rest);
        }
        Value::Object(view)
    }

    pub(super) fn list(&self) -> Outcome {
        let all = locked(&self.all);
        ok(json!({ "endpoints": all.values().map(|it| self.view(it)).collect::<Vec<_>>() }))
    }

    pub(super) fn get(&self, id: &str) -> Outcome {
        self.with(id, |it| ok(self.view(it)))
    }

    pub(super) fn create(&self, request: &Request) -> Outcome {
        let (change, kind) = request.read(|fields| {
            fields.require(&["name", "scaling", "type"]);
            if !fields.has("templateId") {
                fields.require(&["image"]);
            }
            let kind = fields.choice("type", &TYPES);
            let change = EndpointChange::read(fields);
            if change.gpu.as_ref().is_some_and(|gpu| !gpu.is_complete()) {
                fields.fault("must have gpu.pools, and no gpu.minCudaVersion that is empty");
            }
            if change.template.as_deref() == Some("") {
                fields.fault("must have a templateId that is not empty");
            }
            let by_delay = change.scaling.as_ref().is_some_and(|it| it["type"] != "REQUEST_COUNT");
            if kind == Some("LOAD_BALANCER") && by_delay {
                fields.fault("must have a scaling of type REQUEST_COUNT for a LOAD_BALANCER");
            }
            (change, kind)
        })?;
        if change.gpu.is_none() && change.cpu.is_none() {
            return Err(Problem::invalid("the body must have gpu or cpu"));
        }
        let now = self.shared.time.now();
        let kind = kind.unwrap_or("QUEUE");
        let mut it = Deployment::new(new_id(), String::new(), kind, now);
        self.apply(change, &mut it)?;
        it.add_release(Vec::new(), now);
        let mut all = locked(&self.all);
        check_capacity(all.len())?;
        if it.kind == "QUEUE" {
            let factory = &self.shared.factory;
            // The endpoint gets its workers when it has all of its settings.
            let settings = EndpointSettings { workers: Workers::between(0, 0), ..factory.defaults };
            let image = it.container.image_name();
            let started = factory.start(&it.id, image, settings);
            let started = started.or_else(|| factory.start(&it.id, "echo", settings));
            let queue = started.ok_or_else(|| Problem::invalid("no workers run this image"))?;
            self.shared.running.insert(queue.clone());
            it.queue = Some(queue);
            it.configure_queue();
        }
        let view = self.view(&it);
        all.insert(it.id.clone(), it);
        self.shared.time.clock().changes().notify();
        created(view)
    }

    pub(super) fn update(&self, request: &Request) -> Outcome {
        let change = request.read(EndpointChange::read)?;
        self.with(request.id(), |it| {
            let before = it.runs();
            self.apply(change, it)?;
            let after = it.runs();
            let changed = after.into_iter().filter(|(field, new)| before[field] != *new);
            let entry = |(field, new): (String, Value)| {
                let old = &before[&field];
                json!({ "field": field, "old": old, "new": new })
            };
            let diff: Vec<_> = changed.map(entry).collect();
            it.configure_queue();
            if !diff.is_empty() {
                it.add_release(diff, self.shared.time.now());
                if let Some(queue) = &it.queue {
                    queue.set_version(it.version());
                }
            }
            ok(self.view(it))
        })
    }

    /// Applies a change, if all that it refers to exists, and its parts go together.
    fn apply(&self, change: EndpointChange, it: &mut Deployment) -> Result<(), Problem> {
        let template = change.template.as_deref().filter(|id| !id.is_empty());
        let template = template.map(|id| self.shared.templates.find(id)).transpose()?;
        self.shared
            .registries
            .require(change.container.registry.as_ref().and_then(|it| it.as_deref()))?;
        for volume in change.volumes.iter().flatten() {
            self.shared.volumes.require(volume)?;
        }
        if change.gpu.is_some() && change.cpu.is_some() {
            return Err(Problem::invalid("the body must have only one of gpu and cpu"));
        }
        let WorkersChange { min, max, idle_timeout } = change.workers;
        let min = min.unwrap_or(it.workers.min);
        let max = max.unwrap_or(it.workers.max);
        if min > max {
            return Err(Problem::invalid(format!(
                "workers.min is {min}, above workers.max, {max}"
            )));
        }
        let by_delay = change.scaling.as_ref().is_some_and(|it| it["type"] != "REQUEST_COUNT");
        if it.kind == "LOAD_BALANCER" && by_delay {
            return Err(Problem::invalid(
                "an endpoint of type LOAD_BALANCER scales by REQUEST_COUNT",
            ));
        }
        let mut container =
            template.as_ref().map_or_else(|| it.container.clone(), Container::of_template);
        change.container.apply(&mut container)?;
        if let Some(gpu) = change.gpu {
            it.gpu = Some(gpu.apply(it.gpu.clone())?);
            it.cpu = None;
        }
        if let Some(cpu) = change.cpu {
            (it.cpu, it.gpu) = (Some(cpu), None);
        }
        it.container = container;
        if let Some(id) = change.template {
            it.template = Some(id).filter(|id| !id.is_empty());
        }
        it.workers = WorkerSettings {
            min,
            max,
            idle_timeout: idle_timeout.unwrap_or(it.workers.idle_timeout),
        };
        it.name = change.name.unwrap_or_else(|| std::mem::take(&mut it.name));
        it.scaling = change.scaling.unwrap_or_else(|| it.scaling.take());
        it.data_centers =
            change.data_centers.unwrap_or_else(|| std::mem::take(&mut it.data_centers));
        it.volumes = change.volumes.unwrap_or_else(|| std::mem::take(&mut it.volumes));
        it.timeout = change.timeout.unwrap_or(it.timeout);
        it.flashboot = change.flashboot.unwrap_or(it.flashboot);
        Ok(())
    }

    pub(super) fn delete(&self, id: &str) -> Outcome {
        if !self.remove(id) {
            return Err(Problem::not_found("endpoint", id));
        }
        empty()
    }

    pub(super) fn workers(&self, id: &str) -> Outcome {
        self.with(id, |it| {
            let time = &self.shared.time;
            let now = time.now();
            let (gpu_count, gpu_type) = match &it.gpu {
                Some(gpu) => (gpu.count, Some(offers::worker_gpu(&gpu.pools))),
                None => (0, None),
            };
            let data_center = it.data_centers.first().map_or(offers::DATA_CENTERS[0].id, |it| it);
            let workers = it.workers();
            let count = |status| workers.iter().filter(|it| it.status == status).count();
            let summary = json!({
                "running": count(WorkerStatus::Running),
                "idle": count(WorkerStatus::Idle),
                "initializing": count(WorkerStatus::Initializing),
                "throttled": count(WorkerStatus::Throttled),
                "unhealthy": count(WorkerStatus::Unhealthy),
                "total": workers.len(),
            });
            let view = |worker: &WorkerView| {
                let runs = worker.status != WorkerStatus::Throttled;
                json!({
                    "id": &*worker.id,
                    "status": status(worker.status),
                    "isStale": worker.is_stale,
                    "version": worker.version,
                    "gpuCount": gpu_count,
                    "image": it.container.image,
                    "uptimeSeconds": runs.then(|| now.saturating_sub(worker.started).as_secs()),
                    "gpuTypeId": gpu_type.filter(|_| runs),
                    "dataCenterId": Some(data_center).filter(|_| runs),
                    "startedAt": runs.then(|| time.text(worker.started)),
                })
            };
            let views: Vec<_> = workers.iter().map(view).collect();
            ok(json!({ "workers": views, "summary": summary, "endpointVersion": it.version() }))
        })
    }

    pub(super) fn releases(&self, id: &str) -> Outcome {
        self.with(id, |it| {
            let workers = it.workers();
            let count = |version| workers.iter().filter(|it| it.version == version).count();
            let (latest, total) = (count(it.version()), workers.len());
            let view = |release: &Release| {
                json!({
                    "id": release.id,
                    "version": release.version,
                    "source": "MANUAL",
                    "buildId": null,
                    "createdByUserId": USER,
                    "workerCount": count(release.version),
                    "createdAt": self.shared.time.text(release.created),
                    "diff": release.diff,
                })
            };
            ok(json!({
                "endpointVersion": it.version(),
                "rollout": {
                    "inProgress": latest < total,
                    "workersOnLatest": latest,
                    "workersTotal": total,
                    "percentOnLatest": (100 * latest).checked_div(total).unwrap_or(100),
                },
                "releases": it.releases.iter().rev().map(view).collect::<Vec<_>>(),
            }))
        })
    }

    pub(super) fn worker_logs(self: &Arc<Self>, request: &Request) -> Outcome {
        let (id, worker) = (request.id().to_owned(), request.second_id().to_owned());
        let endpoints = self.clone();
        let read = move |after| endpoints.with(&id, |it| it.log_page(&worker, after));
        logs::stream(request, &self.shared.time, &self.shared.stopping, read)
    }
}

fn status(status: WorkerStatus) -> &'static str {
    match status {
        WorkerStatus::Running => "RUNNING",
        WorkerStatus::Idle => "IDLE",
        WorkerStatus::Initializing => "INITIALIZING",
        WorkerStatus::Throttled => "THROTTLED",
        WorkerStatus::Unhealthy => "UNHEALTHY",
    }
}

/// A change of the minimum and maximum of workers.
#[derive(Clone, Copy, Debug, Default)]
struct WorkersChange {
    min: Option<i64>,
    max: Option<i64>,
    idle_timeout: Option<i64>,
}

/// A change of an endpoint: what is `None` stays as it is.
struct EndpointChange {
    container: ContainerChange,
    gpu: Option<EndpointGpuChange>,
    cpu: Option<Vec<Cpu>>,
    name: Option<String>,
    scaling: Option<Value>,
    data_centers: Option<Vec<String>>,
    volumes: Option<Vec<String>>,
    /// Empty for no template any longer.
    template: Option<String>,
    timeout: Option<i64>,
    flashboot: Option<&'static str>,
    workers: WorkersChange,
}

impl EndpointChange {
    fn read(fields: &Fields<'_>) -> Self {
        let cpus = fields.objects("cpu").map(|cpus| {
            let (named, cpus) = (cpus.len(), cpus.into_iter().filter_map(Cpu::read));
            let cpus: Vec<_> = cpus.collect();
            if named == 0 || !are_unique(&cpus) {
                fields.fault("must have at least one cpu, and none of them twice");
            }
            cpus
        });
        let workers = fields.object("workers").map(|fields| {
            let workers = WorkersChange {
                min: fields.integer("min", from(0)),
                max: fields.integer("max", from(0)),
                idle_timeout: fields.integer("idleTimeout", 1..=3600),
            };
            fields.end();
            workers
        });
        Self {
            container: ContainerChange::read(fields),
            gpu: fields.object("gpu").map(EndpointGpuChange::read),
            cpu: cpus,
            name: fields.text("name"),
            scaling: fields.object("scaling").and_then(scaling),
            data_centers: fields.list("dataCenterIds"),
            volumes: fields.list("networkVolumes"),
            template: fields.string("templateId"),
            timeout: fields.integer("timeout", i64::MIN..=i64::MAX),
            flashboot: fields.choice("flashboot", &FLASHBOOT),
            workers: workers.unwrap_or_default(),
        }
    }
}

/// Reads how an endpoint scales.
fn scaling(fields: Fields<'_>) -> Option<Value> {
    fields.require(&["type"]);
    let kind = fields.choice("type", &["QUEUE_DELAY", "REQUEST_COUNT"]);
    let scaling = match kind? {
        "QUEUE_DELAY" => {
            fields.require(&["queueDelay"]);
            let delay = fields.number("queueDelay", 0.5);
            json!({ "type": "QUEUE_DELAY", "queueDelay": delay })
        }
        _ => {
            fields.require(&["requestCount"]);
            let count = fields.integer("requestCount", from(1));
            json!({ "type": "REQUEST_COUNT", "requestCount": count })
        }
    };
    fields.end();
    Some(scaling)
}
