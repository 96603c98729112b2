//! Clusters of the account: groups of Pods, which start and stop like others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::container::{Container, ContainerChange};
use super::fields::from;
use super::mounts::Mounts;
use super::pods::{ClusterMember, NewPod, PodGpu, Pods};
use super::problem::Problem;
use super::registries::check_capacity;
use super::request::Request;
use super::response::{Outcome, created, empty, ok};
use super::wall_clock::WallClock;
use crate::clock::Moment;
use crate::resources::new_id;
use crate::tasks::locked;

const TYPES: [&str; 4] = ["APPLICATION", "TRAINING", "SLURM", "RAY"];

struct Cluster {
    id: String,
    name: String,
    kind: &'static str,
    gpu: PodGpu,
    pods: i64,
    data_center: Option<String>,
    created: Moment,
}

pub(super) struct Clusters {
    time: WallClock,
    pods: Arc<Pods>,
    all: Mutex<BTreeMap<String, Cluster>>,
}

impl Clusters {
    pub(super) fn new(time: WallClock, pods: Arc<Pods>) -> Self {
        Self { time, pods, all: Mutex::default() }
    }

    fn pods_of(&self, id: &str) -> Vec<Value> {
        self.pods.views(|cluster| cluster == Some(id))
    }

    fn view(&self, cluster: &Cluster) -> Value {
        let pods = self.pods_of(&cluster.id);
        let mut by_status = BTreeMap::<&str, usize>::new();
        for pod in &pods {
            *by_status.entry(pod["status"].as_str().unwrap_or_default()).or_default() += 1;
        }
        let mut view = json!({
            "id": cluster.id,
            "name": cluster.name,
            "type": cluster.kind,
            "compute": {
                "gpuTypeId": cluster.gpu.id,
                "gpuCountPerPod": cluster.gpu.count,
                "podCount": cluster.pods,
            },
            "pods": { "total": pods.len(), "byStatus": by_status },
            "network": { "cidr": "10.65.0.0/16" },
            "createdAt": self.time.text(cluster.created),
        });
        if let Some(first) = pods.first() {
            view["primary"] = json!({ "podId": first["id"], "status": first["status"] });
        }
        if let Some(data_center) = &cluster.data_center {
            view["dataCenterId"] = json!(data_center);
        }
        view
    }

    pub(super) fn list(&self) -> Outcome {
        let all = locked(&self.all);
        ok(json!({ "clusters": all.values().map(|it| self.view(it)).collect::<Vec<_>>() }))
    }

    pub(super) fn get(&self, id: &str) -> Outcome {
        match locked(&self.all).get(id) {
            Some(cluster) => ok(self.view(cluster)),
            None => Err(Problem::not_found("cluster", id)),
        }
    }

    pub(super) fn list_pods(&self, id: &str) -> Outcome {
        if !locked(&self.all).contains_key(id) {
            return Err(Problem::not_found("cluster", id));
        }
        ok(json!({ "pods": self.pods_of(id) }))
    }

    pub(super) fn create(&self, request: &Request) -> Outcome {
        let (change, compute, name, kind, data_centers, mounts, starts_ssh) =
            request.read(|fields| {
                fields.require(&["compute", "name", "type"]);
                let compute = fields.object("compute").and_then(|fields| {
                    fields.require(&["gpuTypeId", "gpuCountPerPod", "podCount"]);
                    let id = fields.text("gpuTypeId");
                    let count = fields.integer("gpuCountPerPod", from(1));
                    let pods = fields.integer("podCount", 2..=250);
                    fields.end();
                    Some((PodGpu { id: id?, count: count? }, pods?))
                });
                fields.boolean("startJupyter");
                (
                    ContainerChange::read_without_registry(fields),
                    compute,
                    fields.text("name").unwrap_or_default(),
                    fields.choice("type", &TYPES).unwrap_or("APPLICATION"),
                    fields.list("dataCenterIds").unwrap_or_default(),
                    fields.object("mounts").map(Mounts::read).unwrap_or_default(),
                    fields.boolean("startSsh").unwrap_or(false),
                )
            })?;
        let (gpu, pods) = compute.unwrap_or((PodGpu { id: String::new(), count: 1 }, 2));
        let image = change.image.clone().unwrap_or_else(|| "registry.example/cluster:1".to_owned());
        let mut container = Container::of_image(image);
        change.apply(&mut container)?;
        let cluster = Cluster {
            id: new_id(),
            name,
            kind,
            gpu,
            pods,
            data_center: data_centers.into_iter().next(),
            created: self.time.now(),
        };
        check_capacity(locked(&self.all).len())?;
        for rank in 0..usize::try_from(pods).unwrap_or(0) {
            let added = self.pods.add(NewPod {
                name: format!("{}-{rank}", cluster.name),
                container: container.clone(),
                mounts: mounts.clone(),
                gpu: Some(cluster.gpu.clone()),
                cpu: None,
                cloud: "SECURE",
                data_center: cluster.data_center.clone(),
                cuda_version: None,
                template: None,
                global_networking: false,
                starts_ssh,
                cluster: Some(ClusterMember {
                    id: cluster.id.clone(),
                    rank,
                    role: role(kind, rank),
                    ip: format!("10.65.{}.{}", rank / 250, rank % 250 + 2),
                }),
            });
            if let Err(problem) = added {
                self.pods.remove_cluster(&cluster.id);
                return Err(problem);
            }
        }
        let view = self.view(&cluster);
        locked(&self.all).insert(cluster.id.clone(), cluster);
        created(view)
    }

    pub(super) fn update(&self, request: &Request) -> Outcome {
        let name = request.read(|fields| {
            fields.require(&["name"]);
            fields.text("name")
        })?;
        let id = request.id();
        let mut all = locked(&self.all);
        let cluster = all.get_mut(id).ok_or_else(|| Problem::not_found("cluster", id))?;
        cluster.name = name.unwrap_or_default();
        ok(self.view(cluster))
    }

    pub(super) fn delete(&self, id: &str) -> Outcome {
        let removed = locked(&self.all).remove(id);
        removed.ok_or_else(|| Problem::not_found("cluster", id))?;
        self.pods.remove_cluster(id);
        empty()
    }
}

fn role(kind: &str, rank: usize) -> Option<&'static str> {
    match (kind, rank) {
        ("SLURM", 0) => Some("SLURM_CONTROLLER"),
        ("SLURM", _) => Some("SLURM_COMPUTE"),
        ("RAY", 0) => Some("RAY_HEAD"),
        ("RAY", _) => Some("RAY_WORKER"),
        _ => None,
    }
}
