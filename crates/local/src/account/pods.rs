//! Pods of the account. Their lifecycle runs on the service's clock; no container runs.
//!
//! ```text
//!  create           1 s              1 s
//! ────────▶ PROVISIONING ──▶ STARTING ──▶ RUNNING      (ERROR, if the name of the image is `fail`)
//!                               ▲   start, │ stop
//!                               │   restart▼
//!                               └────── EXITED         terminate, delete: (none)
//! ```
//!
//! The status of a Pod follows from the time at which it was last started, so it needs no timer.
//! The lines that its start writes are in its log from the beginning, with their times; a line is
//! not shown before its time, and a stop removes those to come.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::compute::Cpu;
use super::container::{Container, ContainerChange};
use super::fields::{Fields, VERSIONS, from, is_version};
use super::ledger::{Charge, Ledger, Part, Product};
use super::logs::{self, LogEntry, LogPage};
use super::mounts::{Mounts, PersistentMount};
use super::offers::{self, DISK_PRICE, NETWORK_PRICE};
use super::problem::Problem;
use super::registries::{Registries, check_capacity};
use super::request::Request;
use super::response::{Outcome, created, empty, ok};
use super::templates::Templates;
use super::volumes::Volumes;
use super::wall_clock::WallClock;
use crate::clock::Moment;
use crate::error::Refusal;
use crate::resources::{MAX_NAME, Resources, new_id};
use crate::tasks::locked;

/// The time that a new Pod takes to find a machine.
const PROVISIONING_TIME: Duration = Duration::from_secs(1);
/// The time that a container takes to start.
const STARTING_TIME: Duration = Duration::from_secs(1);
/// The name of an image whose container fails.
const FAILING_IMAGE: &str = "fail";
const ACTIONS: [&str; 4] = ["start", "stop", "restart", "terminate"];
const CLOUDS: [&str; 2] = ["SECURE", "COMMUNITY"];
/// The largest number of lines that are kept of a Pod.
const MAX_LINES: usize = 10_000;

/// The GPUs of a Pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct PodGpu {
    pub(super) id: String,
    pub(super) count: i64,
}

/// The place of a Pod in a cluster.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ClusterMember {
    pub(super) id: String,
    pub(super) rank: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<&'static str>,
    pub(super) ip: String,
}

/// Settings of a Pod at its creation.
#[derive(Clone, Debug)]
pub(super) struct NewPod {
    pub(super) name: String,
    pub(super) container: Container,
    pub(super) mounts: Mounts,
    pub(super) gpu: Option<PodGpu>,
    pub(super) cpu: Option<Cpu>,
    pub(super) cloud: &'static str,
    pub(super) data_center: Option<String>,
    pub(super) cuda_version: Option<String>,
    pub(super) template: Option<String>,
    pub(super) global_networking: bool,
    pub(super) starts_ssh: bool,
    pub(super) cluster: Option<ClusterMember>,
}

/// A Pod.
#[derive(Debug)]
struct Pod {
    id: String,
    is: NewPod,
    locked: bool,
    created: Moment,
    /// The time of the last start; `None` if the Pod is stopped.
    started: Option<Moment>,
    /// The time from the last start until its container starts.
    provisioning: Duration,
    /// Since when it has its costs.
    charged_since: Moment,
    lines: Vec<LogEntry>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum PodStatus {
    Provisioning,
    Starting,
    Running,
    Exited,
    Error,
}

impl Pod {
    fn status(&self, now: Moment) -> PodStatus {
        let Some(started) = self.started else { return PodStatus::Exited };
        let since = now.saturating_sub(started);
        if since < self.provisioning {
            PodStatus::Provisioning
        } else if since < self.provisioning + STARTING_TIME {
            PodStatus::Starting
        } else if self.is.container.image_name() == FAILING_IMAGE {
            PodStatus::Error
        } else {
            PodStatus::Running
        }
    }

    /// The actions that its state allows.
    fn actions(&self, now: Moment) -> Vec<&'static str> {
        let actions: &[&str] = match self.status(now) {
            PodStatus::Provisioning | PodStatus::Starting => &["stop", "terminate"],
            PodStatus::Running => &["stop", "restart", "terminate"],
            PodStatus::Exited => &["start", "terminate"],
            PodStatus::Error => &["stop", "restart", "terminate"],
        };
        let is_kept = self.locked || self.is.cluster.is_some();
        let allowed = actions.iter().copied();
        allowed
            .filter(|action| match *action {
                "stop" => !self.locked,
                "terminate" => !is_kept,
                _ => true,
            })
            .collect()
    }

    fn write(&mut self, at: Moment, source: &'static str, line: String) {
        let last = self.lines.last().map(|entry| entry.stamp + Duration::from_micros(1));
        let at = Duration::from_micros(at.as_micros().try_into().unwrap_or(u64::MAX));
        let stamp = last.map_or(at, |last| at.max(last));
        self.lines.push(LogEntry { stamp, source, line });
        if self.lines.len() > MAX_LINES {
            self.lines.remove(0);
        }
    }

    fn start(&mut self, now: Moment, provisioning: Duration) {
        self.started = Some(now);
        self.provisioning = provisioning;
        self.charged_since = now;
        let image = self.is.container.image.clone();
        if !provisioning.is_zero() {
            self.write(now, "system", "looking for a machine".to_owned());
        }
        let begun = now + provisioning;
        self.write(begun, "system", format!("starting a container of {image}"));
        let (source, line) = match self.is.container.image_name() {
            FAILING_IMAGE => ("system", "the container has failed: exit code 1".to_owned()),
            _ => ("container", format!("ready: {}", self.is.name)),
        };
        self.write(begun + STARTING_TIME, source, line);
    }

    /// Stops the Pod, and returns what it has cost since its costs last changed.
    fn stop(&mut self, now: Moment) -> Vec<Charge> {
        let charges = self.charges(now);
        self.lines.retain(|entry| entry.stamp <= now);
        if self.started.take().is_some() {
            self.write(now, "system", "stopping the container".to_owned());
        }
        charges
    }

    fn prices(&self) -> Vec<(Part, f64)> {
        let persistent = self.is.mounts.persistent.as_ref().map_or(0, |mount| mount.size);
        let disk = DISK_PRICE * self.is.container.disk.saturating_add(persistent) as f64;
        let mut prices = vec![(Part::Disk, disk)];
        if let Some(gpu) = &self.is.gpu {
            let price = offers::pod_gpu_price(&gpu.id, self.is.cloud);
            prices.push((Part::Gpu, price * gpu.count as f64));
        }
        if let Some(cpu) = &self.is.cpu {
            prices.push((Part::Cpu, offers::vcpu_prices(&cpu.id).0 * cpu.vcpu_count as f64));
        }
        if self.is.cluster.is_some() {
            prices.push((Part::Networking, NETWORK_PRICE));
        }
        prices
    }

    /// The charges of the Pod since its costs last changed.
    fn charges(&self, until: Moment) -> Vec<Charge> {
        if self.started.is_none() {
            return Vec::new();
        }
        let (product, id) = match &self.is.cluster {
            Some(cluster) => (Product::Cluster, &cluster.id),
            None => (Product::Pod, &self.id),
        };
        let prices = self.prices().into_iter();
        let since = self.charged_since;
        prices
            .map(|(part, hourly)| Charge { product, id: id.clone(), part, since, until, hourly })
            .collect()
    }

    fn log_page(&self, after: Option<Moment>, now: Moment) -> LogPage {
        let later = self.lines.iter().filter(|it| after.is_none_or(|after| it.stamp > after));
        let (entries, coming): (Vec<_>, Vec<_>) = later.cloned().partition(|it| it.stamp <= now);
        let next = coming.first().map(|entry| entry.stamp);
        LogPage { entries, next, is_over: self.started.is_none() }
    }

    fn view(&self, time: &WallClock) -> Value {
        let now = time.now();
        let status = self.status(now);
        let is = &self.is;
        let cost: f64 = self.prices().iter().map(|(_, price)| price).sum();
        let ready = self.started.map(|at| at + self.provisioning + STARTING_TIME);
        let ready = ready.filter(|_| status == PodStatus::Running);
        let ports = is.container.ports.iter().enumerate().filter_map(|(index, port)| {
            let (number, kind) = port.split_once('/')?;
            let (number, is_public) = (number.parse::<u16>().ok()?, kind == "tcp");
            Some(json!({
                "private": number,
                "public": is_public.then_some(10_000 + index % 50_000),
                "type": kind,
                "ip": is_public.then_some("192.0.2.1"),
            }))
        });
        let ports: Vec<_> = ports.collect();
        let runtime = ready.map(|ready| {
            let gpus = is.gpu.as_ref().map_or(0, |gpu| gpu.count.clamp(0, 16));
            json!({
                "uptime": now.saturating_sub(ready).as_secs(),
                "gpus": vec![json!({ "util": 0, "memoryUtil": 0 }); gpus.unsigned_abs() as usize],
                "cpu": { "util": 0 },
                "memory": { "util": 0 },
                "ports": ports,
            })
        });
        let ssh = ready.filter(|_| is.starts_ssh).map(|_| {
            let host = "ssh.example";
            json!({
                "host": host,
                "port": 22,
                "username": self.id,
                "command": format!("ssh {}@{host}", self.id),
            })
        });
        let mut networking = json!({ "enabled": is.global_networking });
        if is.global_networking {
            networking["internalDns"] = json!(format!("{}.internal", self.id));
        }
        let mut view = json!(is.container);
        let data_center = is.data_center.as_deref().unwrap_or(offers::DATA_CENTERS[0].id);
        let rest = json!({
            "id": self.id,
            "name": is.name,
            "status": status,
            "actions": self.actions(now),
            "mounts": is.mounts,
            "cloud": is.cloud,
            "dataCenterId": data_center,
            "cudaVersion": is.cuda_version,
            "ssh": { "proxy": ssh, "direct": null },
            "template": is.template,
            "cost": cost,
            "locked": self.locked,
            "globalNetworking": networking,
            "runtime": runtime,
            "createdAt": time.text(self.created),
            "startedAt": self.started.map(|at| time.text(at)),
        });
        if let (Value::Object(view), Value::Object(rest)) = (&mut view, rest) {
            view.extend(rest);
            let parts = [
                ("gpu", is.gpu.as_ref().map(|gpu| json!(gpu))),
                ("cpu", is.cpu.as_ref().map(|cpu| json!(cpu))),
                ("cluster", is.cluster.as_ref().map(|cluster| json!(cluster))),
            ];
            let parts = parts.into_iter().filter_map(|(name, part)| Some((name, part?)));
            view.extend(parts.map(|(name, part)| (name.to_owned(), part)));
        }
        view
    }

    /// The Pod in the form of the first version of the interface.
    fn first_version(&self, time: &WallClock) -> Value {
        let is = &self.is;
        let persistent = is.mounts.persistent.as_ref();
        let cost: f64 = self.prices().iter().map(|(_, price)| price).sum();
        let mut pod = json!({
            "id": self.id,
            "name": is.name,
            "adjustedCostPerHr": cost,
            "containerDiskInGb": is.container.disk,
            "costPerHr": cost,
            "desiredStatus": if self.started.is_some() { "RUNNING" } else { "EXITED" },
            "dockerStartCmd": is.container.args.split_whitespace().collect::<Vec<_>>(),
            "env": is.container.env,
            "image": is.container.image,
            "lastStartedAt": time.text(self.started.unwrap_or(self.created)),
            "locked": self.locked,
            "ports": is.container.ports,
            "templateId": is.template,
            "volumeInGb": persistent.map_or(0, |mount| mount.size),
            "volumeMountPath": persistent.map_or("/workspace", |mount| mount.path.as_str()),
        });
        if let Some(registry) = &is.container.registry {
            pod["containerRegistryAuthId"] = json!(registry);
        }
        if let Some(gpu) = &is.gpu {
            pod["gpu"] = json!(gpu);
        }
        if let Some(cpu) = &is.cpu {
            pod["vcpuCount"] = json!(cpu.vcpu_count);
            pod["memoryInGb"] = json!(cpu.memory);
        }
        pod
    }
}

/// The Pods. The resources shows them in the first version of the interface: both change together,
/// under the lock of `all`.
pub(super) struct Pods {
    time: WallClock,
    stopping: CancellationToken,
    resources: Arc<Resources>,
    templates: Arc<Templates>,
    registries: Arc<Registries>,
    volumes: Arc<Volumes>,
    ledger: Arc<Ledger>,
    all: Mutex<BTreeMap<String, Pod>>,
}

impl Pods {
    /// The Pods that the service has from its start.
    pub(super) fn new(
        (time, stopping): (WallClock, CancellationToken),
        resources: Arc<Resources>,
        templates: Arc<Templates>,
        registries: Arc<Registries>,
        volumes: Arc<Volumes>,
        ledger: Arc<Ledger>,
    ) -> Self {
        let seeds = resources.pods();
        let seeds = seeds.iter().map(|seed| seeded(seed, time.now()));
        let all = seeds.map(|pod| (pod.id.clone(), pod)).collect();
        let all = Mutex::new(all);
        Self { time, stopping, resources, templates, registries, volumes, ledger, all }
    }

    fn with<T>(
        &self,
        id: &str,
        read: impl FnOnce(&mut Pod) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let mut all = locked(&self.all);
        read(all.get_mut(id).ok_or_else(|| Problem::not_found("Pod", id))?)
    }

    fn any(&self, holds: impl Fn(&Pod) -> bool) -> bool {
        locked(&self.all).values().any(holds)
    }

    pub(super) fn use_registry(&self, id: &str) -> bool {
        self.any(|pod| pod.is.container.registry.as_deref() == Some(id))
    }

    pub(super) fn use_volume(&self, id: &str) -> bool {
        self.any(|pod| pod.is.mounts.network.iter().any(|mount| mount.volume_id == id))
    }

    pub(super) fn charges(&self) -> Vec<Charge> {
        let now = self.time.now();
        locked(&self.all).values().flat_map(|pod| pod.charges(now)).collect()
    }

    /// The Pods of a cluster by rank, or those of none.
    pub(super) fn views(&self, is_listed: impl Fn(Option<&str>) -> bool) -> Vec<Value> {
        let all = locked(&self.all);
        let cluster = |pod: &Pod| pod.is.cluster.as_ref().map(|it| it.id.clone());
        let mut pods: Vec<_> =
            all.values().filter(|pod| is_listed(cluster(pod).as_deref())).collect();
        pods.sort_by_key(|pod| pod.is.cluster.as_ref().map(|it| it.rank));
        pods.into_iter().map(|pod| pod.view(&self.time)).collect()
    }

    pub(super) fn list(&self, request: &Request) -> Outcome {
        let with_clusters = request.flag("includeClusterPods")?.unwrap_or(false);
        ok(json!({ "pods": self.views(|cluster| with_clusters || cluster.is_none()) }))
    }

    pub(super) fn get(&self, id: &str) -> Outcome {
        self.with(id, |pod| ok(pod.view(&self.time)))
    }

    pub(super) fn create(&self, request: &Request) -> Outcome {
        let new = request.read(PodCreation::read)?;
        created(self.add(self.new_pod(new)?)?)
    }

    /// The Pod that a creation asks for, if all that it refers to exists.
    fn new_pod(&self, new: PodCreation) -> Result<NewPod, Problem> {
        let template = new.template.as_deref();
        let template = template.map(|id| self.templates.find(id)).transpose()?;
        if new.gpu.is_some() == new.cpu.is_some() {
            return Err(Problem::invalid("the body must have one of gpu and cpu"));
        }
        let mut container = template.as_ref().map(Container::of_template).unwrap_or_default();
        new.container.apply(&mut container)?;
        let persistent = template.as_ref().filter(|it| it.volume_in_gb > 0);
        let persistent = persistent.map(|it| PersistentMount {
            size: i64::from(it.volume_in_gb.max(10)),
            path: it.volume_mount_path.clone(),
        });
        Ok(NewPod {
            name: new.name,
            container,
            mounts: new.mounts.unwrap_or(Mounts { persistent, network: Vec::new() }),
            gpu: new.gpu,
            cpu: new.cpu,
            cloud: new.cloud,
            data_center: new.data_centers.into_iter().next(),
            cuda_version: new.cuda_version,
            template: new.template,
            global_networking: new.global_networking,
            starts_ssh: new.starts_ssh,
            cluster: None,
        })
    }

    /// Refuses a name that is too long, and what refers to an object that does not exist.
    fn check(&self, new: &NewPod) -> Result<(), Problem> {
        if new.name.chars().count() > MAX_NAME {
            return Err(Problem::invalid(format!("name: must have at most {MAX_NAME} characters")));
        }
        self.registries.require(new.container.registry.as_deref())?;
        new.mounts.network.iter().try_for_each(|mount| self.volumes.require(&mount.volume_id))
    }

    /// Creates a Pod and starts it.
    pub(super) fn add(&self, new: NewPod) -> Result<Value, Problem> {
        self.check(&new)?;
        let now = self.time.now();
        let mut pod = Pod {
            id: new_id(),
            is: new,
            locked: false,
            created: now,
            started: None,
            provisioning: Duration::ZERO,
            charged_since: now,
            lines: Vec::new(),
        };
        pod.start(now, PROVISIONING_TIME);
        let view = pod.view(&self.time);
        let mut all = locked(&self.all);
        check_capacity(all.len())?;
        self.publish(&pod)?;
        all.insert(pod.id.clone(), pod);
        Ok(view)
    }

    /// Adds a Pod of the first version of the interface, or replaces the Pod of its id. One that is a
    /// serverless worker is a Pod in that version only.
    pub(super) fn put(&self, pod: Value) -> Result<(), Refusal> {
        let now = self.time.now();
        let mut all = locked(&self.all);
        let id = self.resources.add_pod(pod)?;
        let seed = self.resources.pods().into_iter().find(|pod| pod["id"] == *id);
        let replaced = match seed {
            Some(seed) => all.insert(id, seeded(&seed, now)),
            None => all.remove(&id),
        };
        drop(all);
        self.end(replaced);
        Ok(())
    }

    /// Removes a Pod, and returns true if it existed.
    pub(super) fn take(&self, id: &str) -> bool {
        let mut all = locked(&self.all);
        let removed = all.remove(id);
        let is_known = self.resources.remove_pod(id);
        drop(all);
        self.end(removed);
        is_known
    }

    /// Ends the costs of a Pod that is no more, and wakes the streams of its log.
    fn end(&self, pod: Option<Pod>) {
        let charges = pod.map(|mut pod| pod.stop(self.time.now()));
        self.ledger.add(charges.into_iter().flatten());
        self.time.clock().changes().notify();
    }

    /// Shows a Pod in the first version of the interface, and wakes the streams of its log.
    fn publish(&self, pod: &Pod) -> Result<(), Problem> {
        self.resources.add_pod(pod.first_version(&self.time))?;
        self.time.clock().changes().notify();
        Ok(())
    }

    pub(super) fn update(&self, request: &Request) -> Outcome {
        let change = request.read(PodChange::read)?;
        let template = change.template.as_deref().filter(|id| !id.is_empty());
        let template = template.map(|id| self.templates.find(id)).transpose()?;
        self.with(request.id(), |pod| {
            let mut new = pod.is.clone();
            if let Some(template) = &template {
                new.container = Container::of_template(template);
            }
            if let Some(id) = change.template {
                new.template = Some(id).filter(|id| !id.is_empty());
            }
            change.container.apply(&mut new.container)?;
            if let Some(mounts) = change.mounts {
                let size = |mounts: &Mounts| mounts.persistent.as_ref().map_or(0, |it| it.size);
                if mounts.persistent.is_some() && size(&mounts) < size(&new.mounts) {
                    return Err(Problem::invalid("mounts.persistent.size: a disk cannot shrink"));
                }
                new.mounts = mounts;
            }
            new.global_networking = change.global_networking.unwrap_or(new.global_networking);
            new.name = change.name.unwrap_or(new.name);
            self.check(&new)?;
            let is_rerun = new.container != pod.is.container || new.mounts != pod.is.mounts;
            if is_rerun && pod.started.is_some() {
                if pod.locked && change.locked != Some(false) {
                    let detail = "the Pod is locked, and the change would restart it";
                    return Err(Problem::conflict(detail));
                }
                let now = self.time.now();
                self.ledger.add(pod.stop(now));
                pod.is = new;
                pod.start(now, Duration::ZERO);
            } else {
                pod.is = new;
            }
            pod.locked = change.locked.unwrap_or(pod.locked);
            self.publish(pod)?;
            ok(pod.view(&self.time))
        })
    }

    pub(super) fn act(&self, request: &Request) -> Outcome {
        let action = request.read(|fields| {
            fields.require(&["action"]);
            fields.choice("action", &ACTIONS)
        })?;
        let action = action.unwrap_or_default();
        let now = self.time.now();
        let acted = self.with(request.id(), |pod| {
            let allowed = pod.actions(now);
            if !allowed.contains(&action) {
                let (status, allowed) = (json!(pod.status(now)), allowed.join(", "));
                let allowed = if allowed.is_empty() { "none".to_owned() } else { allowed };
                let detail =
                    format!("the Pod cannot {action}: it is {status}, which allows: {allowed}");
                return Err(Problem::conflict(detail));
            }
            if action == "terminate" {
                return Ok(None);
            }
            if action != "start" {
                self.ledger.add(pod.stop(now));
            }
            if action != "stop" {
                pod.start(now, Duration::ZERO);
            }
            self.publish(pod)?;
            Ok(Some(pod.view(&self.time)))
        })?;
        match acted {
            Some(view) => ok(view),
            None => self.remove(request.id()),
        }
    }

    pub(super) fn delete(&self, id: &str) -> Outcome {
        self.with(id, |pod| match (pod.locked, &pod.is.cluster) {
            (true, _) => Err(Problem::conflict("the Pod is locked: unlock it to delete it")),
            (_, Some(cluster)) => {
                let detail = format!("the Pod belongs to the cluster {}: delete that", cluster.id);
                Err(Problem::conflict(detail))
            }
            _ => Ok(()),
        })?;
        self.remove(id)
    }

    fn remove(&self, id: &str) -> Outcome {
        self.with(id, |_| Ok(()))?;
        self.take(id);
        empty()
    }

    /// Removes the Pods of a cluster.
    pub(super) fn remove_cluster(&self, cluster: &str) {
        let is_member = |pod: &Pod| pod.is.cluster.as_ref().is_some_and(|it| it.id == cluster);
        let all = locked(&self.all);
        let ids: Vec<_> =
            all.values().filter(|pod| is_member(pod)).map(|pod| pod.id.clone()).collect();
        drop(all);
        for id in ids {
            // Each of them exists.
            let _ = self.remove(&id);
        }
    }

    pub(super) fn logs(self: &Arc<Self>, request: &Request) -> Outcome {
        let id = request.id().to_owned();
        let pods = self.clone();
        let read = move |after| pods.with(&id, |pod| Ok(pod.log_page(after, pods.time.now())));
        logs::stream(request, &self.time, &self.stopping, read)
    }
}

/// A Pod of the first version of the interface.
fn seeded(seed: &Value, now: Moment) -> Pod {
    let text = |name: &str| seed[name].as_str().map(str::to_owned);
    let size = seed["volumeInGb"].as_i64().filter(|size| *size > 0);
    let env = seed["env"].as_object().into_iter().flatten();
    let env = env.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
    let ports = seed["ports"].as_array().into_iter().flatten();
    let gpu = seed["gpu"]["id"].as_str().map(|id| PodGpu {
        id: id.to_owned(),
        count: seed["gpu"]["count"].as_i64().unwrap_or(1).max(1),
    });
    let cpu = gpu.is_none().then(|| {
        let id = text("cpuFlavorId").unwrap_or_else(|| offers::CPUS[0].id.to_owned());
        let vcpu_count = seed["vcpuCount"].as_i64().unwrap_or(2).max(2);
        let memory = seed["memoryInGb"].as_i64().unwrap_or(1).max(1);
        Cpu { id, vcpu_count, memory }
    });
    let runs = seed["desiredStatus"] == "RUNNING";
    Pod {
        id: text("id").unwrap_or_default(),
        is: NewPod {
            name: text("name").unwrap_or_default(),
            container: Container {
                disk: seed["containerDiskInGb"].as_i64().unwrap_or(1).max(1),
                env: env.collect(),
                ports: ports.filter_map(|port| Some(port.as_str()?.to_owned())).collect(),
                registry: text("containerRegistryAuthId"),
                ..Container::of_image(text("image").unwrap_or_default())
            },
            mounts: Mounts {
                persistent: size.map(|size| PersistentMount {
                    size: size.max(10),
                    path: text("volumeMountPath").unwrap_or_default(),
                }),
                network: Vec::new(),
            },
            gpu,
            cpu,
            cloud: "SECURE",
            data_center: seed["machine"]["dataCenterId"].as_str().map(str::to_owned),
            cuda_version: None,
            template: text("templateId"),
            global_networking: false,
            starts_ssh: false,
            cluster: None,
        },
        locked: seed["locked"] == true,
        created: now,
        started: runs.then_some(now),
        provisioning: Duration::ZERO,
        charged_since: now,
        lines: Vec::new(),
    }
}

/// The body of a creation.
struct PodCreation {
    container: ContainerChange,
    name: String,
    cloud: &'static str,
    cpu: Option<Cpu>,
    gpu: Option<PodGpu>,
    cuda_version: Option<String>,
    data_centers: Vec<String>,
    global_networking: bool,
    mounts: Option<Mounts>,
    starts_ssh: bool,
    template: Option<String>,
}

impl PodCreation {
    fn read(fields: &Fields<'_>) -> Self {
        fields.require(&["name"]);
        if !fields.has("templateId") {
            fields.require(&["image"]);
        }
        // The local service runs no program in a Pod, so the field has no effect.
        fields.boolean("startJupyter");
        let (gpu, cuda_version) = fields.object("gpu").map(read_gpu).unzip();
        Self {
            container: ContainerChange::read(fields),
            name: fields.text("name").unwrap_or_default(),
            cloud: fields.choice("cloud", &CLOUDS).unwrap_or("SECURE"),
            cpu: fields.object("cpu").and_then(Cpu::read),
            gpu: gpu.flatten(),
            cuda_version: cuda_version.flatten(),
            data_centers: fields.list("dataCenterIds").unwrap_or_default(),
            global_networking: fields.boolean("globalNetworking").unwrap_or(false),
            mounts: fields.object("mounts").map(Mounts::read),
            starts_ssh: fields.boolean("startSsh").unwrap_or(false),
            template: fields.text("templateId"),
        }
    }
}

/// Reads the GPUs of a Pod, and the version of CUDA that it gets.
fn read_gpu(fields: Fields<'_>) -> (Option<PodGpu>, Option<String>) {
    fields.require(&["id"]);
    let (id, count) = (fields.string("id"), fields.integer("count", from(1)));
    let allowed = fields.strings("allowedCudaVersions", VERSIONS, is_version);
    let least = fields.matching("minCudaVersion", "a version such as 12.4", is_version);
    fields.end();
    let gpu = id.map(|id| PodGpu { id, count: count.unwrap_or(1) });
    (gpu, allowed.and_then(|versions| versions.into_iter().next()).or(least))
}

/// The body of a change: what is `None` stays as it is.
struct PodChange {
    container: ContainerChange,
    name: Option<String>,
    global_networking: Option<bool>,
    locked: Option<bool>,
    mounts: Option<Mounts>,
    /// Empty for no template any longer.
    template: Option<String>,
}

impl PodChange {
    fn read(fields: &Fields<'_>) -> Self {
        Self {
            container: ContainerChange::read(fields),
            name: fields.text("name"),
            global_networking: fields.boolean("globalNetworking"),
            locked: fields.boolean("locked"),
            mounts: fields.object("mounts").map(Mounts::read),
            template: fields.string("templateId"),
        }
    }
}
