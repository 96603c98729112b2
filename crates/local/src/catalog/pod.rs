//! Pods, kept as JSON so that a seed can have whatever a test needs.

use serde_json::{Map, Value, json};

use super::template::Template;
use crate::refusal::Refusal;

const MAX_NAME: usize = 191;

/// Which parts of a Pod a reader asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PodIncludes {
    pub(crate) machine: bool,
    pub(crate) network_volume: bool,
    pub(crate) savings_plans: bool,
    pub(crate) template: bool,
    pub(crate) workers: bool,
}

pub(crate) struct Pod {
    id: String,
    fields: Map<String, Value>,
}

impl Pod {
    /// Reads a seed. What it leaves out is filled in as for a plain Pod that runs.
    pub(crate) fn parse(seed: Value) -> Result<Self, Refusal> {
        let Value::Object(seed) = seed else {
            return Err(Refusal::invalid("a Pod must be a JSON object"));
        };
        let id = seed.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let id = id
            .ok_or_else(|| Refusal::invalid("a Pod must have an id, a non-empty string"))?
            .to_owned();
        let name_length = seed.get("name").and_then(Value::as_str).map(|name| name.chars().count());
        if name_length.is_some_and(|length| length > MAX_NAME) {
            return Err(Refusal::invalid(format!(
                "the name of a Pod must have at most {MAX_NAME} characters"
            )));
        }
        let status = seed.get("desiredStatus").map(|status| status.as_str());
        if status.is_some_and(|status| !matches!(status, Some("RUNNING" | "EXITED" | "TERMINATED")))
        {
            return Err(Refusal::invalid("desiredStatus must be RUNNING, EXITED or TERMINATED"));
        }
        let mut fields = plain_pod();
        fields.extend(seed);
        Ok(Self { id, fields })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn is_worker(&self) -> bool {
        self.fields.get("endpointId").is_some_and(Value::is_string)
    }

    pub(crate) fn template_id(&self) -> Option<&str> {
        self.fields.get("templateId")?.as_str()
    }

    /// Whether the Pod keeps a template from being deleted.
    pub(crate) fn uses(&self, template_id: &str) -> bool {
        let terminated = self.fields.get("desiredStatus").is_some_and(|it| it == "TERMINATED");
        self.template_id() == Some(template_id) && !terminated
    }

    /// The Pod with the parts that were asked for.
    pub(crate) fn read(&self, includes: PodIncludes, template: Option<&Template>) -> Value {
        let mut fields = self.fields.clone();
        for (name, included) in [
            ("machine", includes.machine),
            ("networkVolume", includes.network_volume),
            ("savingsPlans", includes.savings_plans),
        ] {
            if !included {
                fields.remove(name);
            }
        }
        if includes.template
            && let Some(template) = template
        {
            fields.insert("template".to_owned(), json!(template));
        }
        Value::Object(fields)
    }
}

fn plain_pod() -> Map<String, Value> {
    let pod = json!({
        "name": "a Pod",
        "adjustedCostPerHr": 0.5,
        "aiApiId": null,
        "consumerUserId": "user-local",
        "containerDiskInGb": 10,
        "costPerHr": 0.5,
        "desiredStatus": "RUNNING",
        "dockerEntrypoint": [],
        "dockerStartCmd": [],
        "endpointId": null,
        "env": {},
        "image": "registry.example/base:1",
        "interruptible": false,
        "lastStartedAt": "2026-01-05T09:30:00Z",
        "lastStatusChange": "Started by the user",
        "locked": false,
        "machine": {},
        "machineId": "machine-local",
        "memoryInGb": 16,
        "portMappings": {},
        "ports": [],
        "publicIp": null,
        "savingsPlans": [],
        "templateId": null,
        "vcpuCount": 4,
        "volumeEncrypted": false,
        "volumeInGb": 0,
        "volumeMountPath": "/workspace",
    });
    match pod {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
