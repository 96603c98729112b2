//! Templates, in the two shapes in which the interface has them.

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::clock::Moment;
use crate::refusal::Refusal;

/// Which kinds of template a reader asked for beside their own.
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
    /// The endpoint that the template is bound to. A seed can have it, no reader sees it.
    #[serde(skip_serializing)]
    pub(crate) endpoint_id: Option<String>,
    /// The start arguments as GraphQL was given them.
    #[serde(skip)]
    pub(crate) docker_args: String,
    #[serde(skip)]
    pub(crate) last_used: Option<Moment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EnvironmentVariable {
    pub(crate) key: String,
    pub(crate) value: String,
}

/// What `saveTemplate` was given. What it was not given stays as it is.
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
        }
    }
}

impl Template {
    /// Reads a seed in the REST shape, with `endpointId` beside it where it is bound to one.
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

    /// Whether the template belongs to the user of the service.
    pub(crate) fn is_own(&self) -> bool {
        !self.is_public && !self.is_vendor
    }

    /// Whether a reader who asked for some kinds of template gets this one.
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
            self.docker_start_cmd = words(&args);
            self.docker_args = args;
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

/// The words of a command line. One that no shell would take is split at its white space.
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
