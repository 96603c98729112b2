//! Resources of the first version of the interface: the stored Pods, templates and secrets.
//!
//! `seeds` has the default Pods and templates.

mod seeds;

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::clock::{Clock, Moment};
use crate::error::Refusal;
use crate::tasks::locked;

pub(crate) use seeds::{seeded_pods, seeded_templates};

pub use seeds::{
    BOUND_TEMPLATE, CPU_POD, GPU_POD, OWN_TEMPLATE, PUBLIC_TEMPLATE, STARTING_POD, VENDOR_TEMPLATE,
    WORKER_POD,
};

/// Time after its last use during which a template cannot be deleted.
const DELETE_DELAY: Duration = Duration::from_secs(120);

pub(crate) struct Resources {
    clock: Clock,
    contents: Mutex<Contents>,
}

#[derive(Default)]
struct Contents {
    pods: HashMap<String, Pod>,
    templates: HashMap<String, Template>,
    /// The values of secrets by id.
    secrets: HashMap<String, String>,
}

impl Contents {
    /// Records that a Pod, which was removed or replaced, used its template until now.
    fn end_use(&mut self, pod: &Pod, now: Moment) {
        let template = pod.template_id().filter(|id| pod.uses(id)).map(str::to_owned);
        if let Some(template) = template.and_then(|id| self.templates.get_mut(&id)) {
            template.last_used = Some(now);
        }
    }
}

impl Resources {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, contents: Mutex::default() }
    }

    /// Adds a Pod, or replaces the Pod of its id, which is returned.
    pub(crate) fn add_pod(&self, pod: Value) -> Result<String, Refusal> {
        let pod = Pod::parse(pod)?;
        let id = pod.id().to_owned();
        let mut contents = locked(&self.contents);
        if let Some(before) = contents.pods.insert(id.clone(), pod) {
            contents.end_use(&before, self.clock.now());
        }
        Ok(id)
    }

    pub(crate) fn remove_pod(&self, id: &str) -> bool {
        let mut contents = locked(&self.contents);
        let removed = contents.pods.remove(id);
        removed.inspect(|pod| contents.end_use(pod, self.clock.now())).is_some()
    }

    /// Adds a template in the REST shape.
    pub(crate) fn add_template(&self, template: Value) -> Result<(), Refusal> {
        let template = Template::parse(template)?;
        let mut contents = locked(&self.contents);
        let same_name = |other: &Template| other.name == template.name && other.id != template.id;
        if contents.templates.values().any(same_name) {
            let message = format!("another template is named {:?}", template.name);
            return Err(Refusal::invalid(message));
        }
        contents.templates.insert(template.id.clone(), template);
        Ok(())
    }

    pub(crate) fn pod(&self, id: &str, includes: PodIncludes) -> Result<Value, Refusal> {
        let contents = locked(&self.contents);
        let pod = contents.pods.get(id).filter(|pod| includes.workers || !pod.is_worker());
        let pod = pod.ok_or_else(|| {
            Refusal::not_found("no such Pod; one that is a serverless worker needs includeWorkers")
        })?;
        let template = pod.template_id().and_then(|id| contents.templates.get(id));
        Ok(pod.read(includes, template))
    }

    pub(crate) fn template(
        &self,
        id: &str,
        includes: TemplateIncludes,
    ) -> Result<Template, Refusal> {
        let contents = locked(&self.contents);
        let template = contents.templates.get(id).filter(|template| template.is_among(includes));
        template.cloned().ok_or_else(|| {
            Refusal::not_found(
                "no such template; one that is endpoint-bound, public or official needs its \
                 include parameter",
            )
        })
    }

    /// Creates a template or, with an id, updates it.
    pub(crate) fn save_template(
        &self,
        id: Option<String>,
        change: TemplateChange,
    ) -> Result<Template, Refusal> {
        let mut contents = locked(&self.contents);
        let mut template = match id {
            None => Template { id: new_id(), is_created: true, ..Template::default() },
            Some(id) => contents
                .templates
                .get(&id)
                .filter(|template| template.is_own())
                .cloned()
                .ok_or_else(|| Refusal::invalid("no template of yours has this id"))?,
        };
        let same_name = |other: &Template| other.name == change.name && other.id != template.id;
        if contents.templates.values().any(same_name) {
            return Err(Refusal::invalid("a template of this name already exists"));
        }
        template.apply(change)?;
        contents.templates.insert(template.id.clone(), template.clone());
        Ok(template)
    }

    /// All templates, by name.
    pub(crate) fn templates(&self) -> Vec<Template> {
        let mut templates: Vec<_> = locked(&self.contents).templates.values().cloned().collect();
        templates.sort_by(|a, b| a.name.cmp(&b.name));
        templates
    }

    /// The template with an id, of any kind.
    pub(crate) fn any_template(&self, id: &str) -> Option<Template> {
        locked(&self.contents).templates.get(id).cloned()
    }

    /// All Pods that are no workers, with their parts, by id.
    pub(crate) fn pods(&self) -> Vec<Value> {
        let contents = locked(&self.contents);
        let mut pods: Vec<_> = contents.pods.values().filter(|pod| !pod.is_worker()).collect();
        pods.sort_by(|a, b| a.id.cmp(&b.id));
        pods.into_iter().map(|pod| Value::Object(pod.fields.clone())).collect()
    }

    /// Stores a template of the user, a new one if it has no id. Returns none if another one has its
    /// name.
    pub(crate) fn put_template(&self, mut template: Template) -> Result<Option<Template>, Refusal> {
        template.check()?;
        let mut contents = locked(&self.contents);
        let same_name = |other: &Template| other.name == template.name && other.id != template.id;
        if contents.templates.values().any(same_name) {
            return Ok(None);
        }
        if template.id.is_empty() {
            template.id = new_id();
            template.is_created = true;
        }
        contents.templates.insert(template.id.clone(), template.clone());
        Ok(Some(template))
    }

    pub(crate) fn delete_template(&self, name: &str) -> Result<(), Refusal> {
        let id = locked(&self.contents)
            .templates
            .values()
            .find(|template| template.name == name && template.is_own())
            .map(|template| template.id.clone());
        let id = id.ok_or_else(|| Refusal::invalid("no template of yours has this name"))?;
        self.delete_template_by_id(&id)
    }

    /// Deletes a template of the user, unless it is in use or was so a moment ago.
    pub(crate) fn delete_template_by_id(&self, id: &str) -> Result<(), Refusal> {
        let mut contents = locked(&self.contents);
        let template = contents
            .templates
            .get(id)
            .filter(|template| template.is_own())
            .ok_or_else(|| Refusal::not_found("no template of yours has this id"))?;
        let id = template.id.clone();
        if template.endpoint_id.is_some() {
            return Err(Refusal::invalid("the template is in use by a serverless endpoint"));
        }
        if contents.pods.values().any(|pod| pod.uses(&id)) {
            return Err(Refusal::invalid("the template is in use by a Pod"));
        }
        let since = template.last_used.map(|used| self.clock.now().saturating_sub(used));
        if let Some(left) = since.and_then(|since| DELETE_DELAY.checked_sub(since))
            && !left.is_zero()
        {
            return Err(Refusal::invalid(format!(
                "the template was in use a moment ago: retry in {} seconds",
                left.as_secs() + u64::from(left.subsec_nanos() > 0),
            )));
        }
        contents.templates.remove(&id);
        Ok(())
    }

    /// Stores a secret, and returns its id.
    pub(crate) fn create_secret(&self, name: &str, value: String) -> Result<String, Refusal> {
        if name.trim().is_empty() {
            return Err(Refusal::invalid("name must not be empty"));
        }
        let id = new_id();
        locked(&self.contents).secrets.insert(id.clone(), value);
        Ok(id)
    }

    pub(crate) fn secret_value(&self, id: &str) -> Option<String> {
        locked(&self.contents).secrets.get(id).cloned()
    }

    pub(crate) fn secret_ids(&self) -> Vec<String> {
        locked(&self.contents).secrets.keys().cloned().collect()
    }

    pub(crate) fn delete_secret(&self, id: &str) -> Result<(), Refusal> {
        let removed = locked(&self.contents).secrets.remove(id);
        removed.map(|_| ()).ok_or_else(|| Refusal::invalid("no secret has this id"))
    }
}

/// A random id.
pub(crate) fn new_id() -> String {
    std::iter::repeat_with(fastrand::lowercase).take(14).collect()
}

/// The longest name of a Pod, in characters.
pub(crate) const MAX_NAME: usize = 191;

/// The optional parts of a Pod to return.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PodIncludes {
    pub(crate) machine: bool,
    pub(crate) network_volume: bool,
    pub(crate) savings_plans: bool,
    pub(crate) template: bool,
    pub(crate) workers: bool,
}

/// A Pod, kept as JSON so that a seed can have any field that a test needs.
pub(crate) struct Pod {
    id: String,
    fields: Map<String, Value>,
}

impl Pod {
    /// Parses a seed. Omitted fields are those of a plain running Pod.
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

    /// Returns true if the Pod keeps a template from being deleted.
    pub(crate) fn uses(&self, template_id: &str) -> bool {
        let terminated = self.fields.get("desiredStatus").is_some_and(|it| it == "TERMINATED");
        self.template_id() == Some(template_id) && !terminated
    }

    /// The Pod in the REST shape, with the parts to return.
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

/// The kinds of template to return besides the user's own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TemplateIncludes {
    pub(crate) endpoint_bound: bool,
    pub(crate) public: bool,
    pub(crate) vendor: bool,
}

/// A template. It is serialized in the REST shape.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Template {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) category: String,
    pub(crate) container_disk_in_gb: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) container_registry_auth_id: Option<String>,
    pub(crate) docker_entrypoint: Vec<String>,
    pub(crate) docker_start_cmd: Vec<String>,
    pub(crate) earned: f64,
    #[serde(serialize_with = "env_as_map", deserialize_with = "env_from_map")]
    pub(crate) env: Vec<EnvironmentVariable>,
    pub(crate) image_name: String,
    pub(crate) is_public: bool,
    pub(crate) is_vendor: bool,
    pub(crate) is_serverless: bool,
    pub(crate) ports: Vec<String>,
    pub(crate) readme: String,
    pub(crate) runtime_in_min: i32,
    pub(crate) volume_in_gb: i32,
    pub(crate) volume_mount_path: String,
    /// The endpoint that the template is bound to. A seed can have it; it is never returned.
    #[serde(skip_serializing)]
    pub(crate) endpoint_id: Option<String>,
    /// The start arguments, as they were given to GraphQL.
    #[serde(skip)]
    pub(crate) docker_args: String,
    #[serde(skip)]
    pub(crate) last_used: Option<Moment>,
    /// Fields that only the account interface has.
    #[serde(skip)]
    pub(crate) start_ssh: bool,
    #[serde(skip)]
    pub(crate) start_jupyter: bool,
    #[serde(skip)]
    pub(crate) allowed_cuda_versions: Vec<String>,
    /// True for a template that was created in the service: it is the user's even if it is public.
    #[serde(skip)]
    pub(crate) is_created: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnvironmentVariable {
    pub(crate) key: String,
    pub(crate) value: String,
}

/// The input of `saveTemplate`. Fields that are `None` stay unchanged.
#[derive(Debug)]
pub(crate) struct TemplateChange {
    pub(crate) container_disk_in_gb: i32,
    pub(crate) image_name: String,
    pub(crate) name: String,
    pub(crate) volume_in_gb: i32,
    pub(crate) is_serverless: Option<bool>,
    pub(crate) docker_args: Option<String>,
    pub(crate) env: Option<Vec<EnvironmentVariable>>,
    pub(crate) ports: Option<String>,
    pub(crate) readme: Option<String>,
    pub(crate) volume_mount_path: Option<String>,
    pub(crate) container_registry_auth_id: Option<String>,
}

impl Default for Template {
    fn default() -> Self {
        Self {
            id: String::new(),
            name: String::new(),
            category: "NVIDIA".to_owned(),
            container_disk_in_gb: 10,
            container_registry_auth_id: None,
            docker_entrypoint: Vec::new(),
            docker_start_cmd: Vec::new(),
            earned: 0.0,
            env: Vec::new(),
            image_name: "registry.example/base:1".to_owned(),
            is_public: false,
            is_vendor: false,
            is_serverless: false,
            ports: Vec::new(),
            readme: String::new(),
            runtime_in_min: 0,
            volume_in_gb: 0,
            volume_mount_path: "/workspace".to_owned(),
            endpoint_id: None,
            docker_args: String::new(),
            last_used: None,
            start_ssh: true,
            start_jupyter: true,
            allowed_cuda_versions: Vec::new(),
            is_created: false,
        }
    }
}

impl Template {
    /// Parses a seed in the REST shape, with an additional `endpointId` if it is bound to an
    /// endpoint.
    pub(crate) fn parse(seed: Value) -> Result<Self, Refusal> {
        let mut template: Self = serde_json::from_value(seed)
            .map_err(|error| Refusal::invalid(format!("invalid template: {error}")))?;
        if template.id.is_empty() || template.name.is_empty() {
            return Err(Refusal::invalid(
                "a template must have a non-empty id and a non-empty name",
            ));
        }
        template.docker_args = template.docker_start_cmd.join(" ");
        template.check()?;
        Ok(template)
    }

    /// Returns true if the template belongs to the user of the service.
    pub(crate) fn is_own(&self) -> bool {
        self.is_created || (!self.is_public && !self.is_vendor)
    }

    /// Returns true if the template is of a kind to return.
    pub(crate) fn is_among(&self, includes: TemplateIncludes) -> bool {
        (includes.vendor || !self.is_vendor)
            && (includes.public || !self.is_public || self.is_vendor)
            && (includes.endpoint_bound || self.endpoint_id.is_none())
    }

    pub(crate) fn apply(&mut self, change: TemplateChange) -> Result<(), Refusal> {
        self.container_disk_in_gb = change.container_disk_in_gb;
        self.image_name = change.image_name;
        self.name = change.name;
        self.volume_in_gb = change.volume_in_gb;
        self.is_serverless = change.is_serverless.unwrap_or(self.is_serverless);
        if let Some(args) = change.docker_args {
            self.set_args(args);
        }
        if let Some(ports) = change.ports {
            let ports = ports.split(',').map(str::trim).filter(|port| !port.is_empty());
            self.ports = ports.map(str::to_owned).collect();
        }
        self.env = change.env.unwrap_or_else(|| std::mem::take(&mut self.env));
        self.readme = change.readme.unwrap_or_else(|| std::mem::take(&mut self.readme));
        self.volume_mount_path =
            change.volume_mount_path.unwrap_or_else(|| std::mem::take(&mut self.volume_mount_path));
        self.container_registry_auth_id =
            change.container_registry_auth_id.or_else(|| self.container_registry_auth_id.take());
        self.check()
    }

    /// Sets the start arguments.
    pub(crate) fn set_args(&mut self, args: String) {
        self.docker_start_cmd = words(&args);
        self.docker_args = args;
    }

    fn check(&self) -> Result<(), Refusal> {
        let refuse = |why: &str| Err(Refusal::invalid(why));
        if self.name.trim().is_empty() {
            return refuse("name must not be empty");
        }
        if self.image_name.trim().is_empty() {
            return refuse("imageName must not be empty");
        }
        if self.container_disk_in_gb < 0 || self.volume_in_gb < 0 {
            return refuse("containerDiskInGb and volumeInGb must not be negative");
        }
        if self.is_serverless && self.volume_in_gb != 0 {
            return refuse("volumeInGb must be 0 for a serverless template");
        }
        if let Some(port) = self.ports.iter().find(|port| !is_port(port)) {
            return Err(Refusal::invalid(format!(
                "ports: {port:?} does not have the form <port>/<http|tcp>"
            )));
        }
        if !self.volume_mount_path.is_empty() && !self.volume_mount_path.starts_with('/') {
            return refuse("volumeMountPath must be an absolute path");
        }
        let mut keys: Vec<&str> = self.env.iter().map(|variable| variable.key.as_str()).collect();
        keys.sort_unstable();
        if keys.iter().any(|key| key.is_empty()) {
            return refuse("env: a key must not be empty");
        }
        if let Some(twice) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Refusal::invalid(format!("env: duplicate key {:?}", twice[0])));
        }
        Ok(())
    }
}

fn is_port(port: &str) -> bool {
    port.split_once('/').is_some_and(|(number, protocol)| {
        number.parse::<u16>().is_ok_and(|number| number > 0) && matches!(protocol, "http" | "tcp")
    })
}

/// Splits a command line as a shell does; with unbalanced quotes, at its white space.
fn words(line: &str) -> Vec<String> {
    shlex::split(line).unwrap_or_else(|| line.split_whitespace().map(str::to_owned).collect())
}

fn env_as_map<S: Serializer>(env: &[EnvironmentVariable], to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(env.len()))?;
    for variable in env {
        map.serialize_entry(&variable.key, &variable.value)?;
    }
    map.end()
}

fn env_from_map<'de, D>(from: D) -> Result<Vec<EnvironmentVariable>, D::Error>
where
    D: Deserializer<'de>,
{
    let map = Map::<String, Value>::deserialize(from)?;
    map.into_iter()
        .map(|(key, value)| match value {
            Value::String(value) => Ok(EnvironmentVariable { key, value }),
            _ => Err(serde::de::Error::custom(format!("env.{key} must be a string"))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn start_arguments_are_split_as_a_shell_does() {
        assert_eq!(words("  python -u main.py "), ["python", "-u", "main.py"]);
        assert_eq!(words(r#"sh -c "echo 'a b'" '' c\ d"#), ["sh", "-c", "echo 'a b'", "", "c d"]);
        assert_eq!(words("open 'quote"), ["open", "'quote"]);
    }
}
