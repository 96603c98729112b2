//! Template to create or update.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::port::Port;
use crate::error::{Error, Result};
use podqueue_runtime::SecretString;

/// A template to create, or the new state of an existing template ([Template, GraphQL
/// shape](crate#the-interface)).
///
/// [`serverless`](Self::serverless) and [`pod`](Self::pod) take the required strings. The disk
/// sizes are required, too, except for the volume of a serverless template, which has none. Missing
/// or invalid fields are refused before anything is sent.
///
/// Values of environment variables are never shown, even if the service repeats them in an error,
/// except for trivial ones such as `1` or `true` there (see [`Error::body`]).
///
/// ```
/// use podqueue::{NewTemplate, Port};
///
/// let worker = NewTemplate::serverless("my-worker", "registry.example/worker:1")
///     .container_disk_gb(5)
///     .env("MODEL", "small");
/// let pod = NewTemplate::pod("my-pod", "registry.example/pod:1")
///     .container_disk_gb(20)
///     .volume_gb(50)
///     .volume_mount_path("/workspace")
///     .port(Port::http(8888))
///     .port("22/tcp");
/// # let _ = (worker, pod);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a template does nothing until it is passed to a call"]
pub struct NewTemplate {
    input: TemplateInput,
    /// A port that could not be read, reported when the template is sent.
    malformed: Option<String>,
}

/// A template as it is sent. `NewTemplate` itself is not `Serialize`: it would write the values of
/// `env` wherever it is serialized.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TemplateInput {
    name: String,
    image_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_serverless: Option<bool>,
    container_disk_in_gb: Option<u32>,
    volume_in_gb: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    volume_mount_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    docker_args: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty", serialize_with = "pairs")]
    env: BTreeMap<String, SecretString>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "comma_separated")]
    ports: Vec<Port>,
    #[serde(skip_serializing_if = "Option::is_none")]
    readme: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    container_registry_auth_id: Option<String>,
}

/// The upper bound of a GraphQL `Int`.
const MAX_DISK_GB: u32 = i32::MAX as u32;

impl NewTemplate {
    /// Creates a template for serverless workers from a unique name and the image with its tag, without
    /// a volume.
    pub fn serverless(name: impl Into<String>, image: impl Into<String>) -> Self {
        let mut template = Self::pod(name, image).volume_gb(0);
        template.input.is_serverless = Some(true);
        template
    }

    /// Creates a template for Pods from a unique name and the image with its tag.
    pub fn pod(name: impl Into<String>, image: impl Into<String>) -> Self {
        let input = TemplateInput {
            name: name.into(),
            image_name: image.into(),
            is_serverless: None,
            container_disk_in_gb: None,
            volume_in_gb: None,
            volume_mount_path: None,
            docker_args: None,
            env: BTreeMap::new(),
            ports: Vec::new(),
            readme: None,
            container_registry_auth_id: None,
        };
        Self { input, malformed: None }
    }

    /// The size of the container's disk in GB, which is wiped on a restart. Required.
    pub fn container_disk_gb(mut self, size: u32) -> Self {
        self.input.container_disk_in_gb = Some(size);
        self
    }

    /// The size of the volume in GB, which persists across restarts. Required for Pods, where 0
    /// means none; a serverless template cannot have a volume.
    pub fn volume_gb(mut self, size: u32) -> Self {
        self.input.volume_in_gb = Some(size);
        self
    }

    /// The absolute path at which the volume is mounted.
    pub fn volume_mount_path(mut self, path: impl Into<String>) -> Self {
        self.input.volume_mount_path = Some(path.into());
        self
    }

    /// The arguments that the container is started with.
    pub fn docker_args(mut self, arguments: impl Into<String>) -> Self {
        self.input.docker_args = Some(arguments.into());
        self
    }

    /// Sets an environment variable, replacing an earlier value.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.input.env.insert(name.into(), value.into());
        self
    }

    /// Adds a port: a [`Port`], or a string such as `"8888/http"`.
    pub fn port<P: TryInto<Port, Error: fmt::Display>>(mut self, port: P) -> Self {
        match port.try_into() {
            Ok(port) if port.number() > 0 => self.input.ports.push(port),
            Ok(_) => self.malformed = Some("port 0 cannot be opened".to_owned()),
            Err(error) => self.malformed = Some(error.to_string()),
        }
        self
    }

    /// The Markdown text shown when the template is selected.
    pub fn readme(mut self, markdown: impl Into<String>) -> Self {
        self.input.readme = Some(markdown.into());
        self
    }

    /// The id of saved registry credentials, for a private image.
    pub fn container_registry_auth_id(mut self, id: impl Into<String>) -> Self {
        self.input.container_registry_auth_id = Some(id.into());
        self
    }

    /// The variables to send.
    pub(super) fn input(&self) -> &TemplateInput {
        &self.input
    }

    pub(super) fn check(&self, attempted: &str) -> Result<()> {
        let refuse = |field: &str, rule: &str| Err(Error::refused(attempted, field, rule));
        if let Some(problem) = &self.malformed {
            return refuse("ports", problem);
        }
        if self.input.name.is_empty() {
            return refuse("name", "must not be empty");
        }
        if self.input.image_name.is_empty() {
            return refuse("imageName", "must not be empty");
        }
        if self.input.is_serverless == Some(true) && self.input.volume_in_gb != Some(0) {
            return refuse(
                "volumeInGb",
                "must be 0 for a serverless template, which has no volume",
            );
        }
        for (field, size) in [
            ("containerDiskInGb", self.input.container_disk_in_gb),
            ("volumeInGb", self.input.volume_in_gb),
        ] {
            match size {
                None => return refuse(field, "is required"),
                Some(size) if size > MAX_DISK_GB => {
                    return refuse(field, "must be at most 2147483647");
                }
                Some(_) => {}
            }
        }
        if self.input.env.keys().any(String::is_empty) {
            return refuse("env", "must not contain a variable without a name");
        }
        Ok(())
    }
}

fn pairs<S: Serializer>(
    env: &BTreeMap<String, SecretString>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Pair<'a> {
        key: &'a str,
        value: &'a str,
    }
    let mut list = serializer.serialize_seq(Some(env.len()))?;
    for (key, value) in env {
        list.serialize_element(&Pair { key, value: value.expose() })?;
    }
    list.end()
}

fn comma_separated<S: Serializer>(ports: &[Port], serializer: S) -> Result<S::Ok, S::Error> {
    let ports: Vec<_> = ports.iter().map(Port::to_string).collect();
    serializer.serialize_str(&ports.join(","))
}
