//! Templates over GraphQL: creation, update and deletion.
//!
//! `client/successors.rs` names the call that replaces each operation, by the operation's name.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use podqueue_runtime::{Idempotency, SecretString, lenient};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::deletion::{DeletionTarget, delete};
use super::{DeleteTemplate, Graphql, ModifyTemplate, Operation, SaveTemplate};
use crate::aliases::Request;
use crate::error::{Error, ErrorKind, Result};

/// Creates, updates and deletes templates ([GraphQL](crate#the-interface)); returned by
/// [`Client::templates`](crate::Client::templates).
#[derive(Clone, Debug)]
pub struct Templates {
    graphql: Graphql,
}

impl Templates {
    pub(crate) fn new(graphql: Graphql) -> Self {
        Self { graphql }
    }

    /// Creates a template.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), before anything is sent,
    ///   if the template is invalid;
    /// - [`ErrorKind::Graphql`](crate::ErrorKind::Graphql) if the name is taken;
    /// - [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if no readable response
    ///   arrived: it may have been created, so the call is not retried.
    pub fn create(&self, template: NewTemplate) -> Request<Template> {
        let graphql = self.graphql.clone();
        Request::new(move |timeout| async move {
            template.check("create template")?;
            let variables = Input { input: WithId { id: None, template: &template.input } };
            let saved: Saved = graphql
                .send::<SaveTemplate, _>(&variables, Idempotency::NonIdempotent, timeout)
                .await?;
            saved
                .template(SaveTemplate::NAME)
                .map_err(|error| error.classify_decode_error(Idempotency::NonIdempotent))
        })
    }

    /// Updates the template with that id: its required fields are replaced, and fields
    /// that are not set are left to the service. Updates are idempotent, so they are retried after
    /// a transient failure.
    ///
    /// # Errors
    ///
    /// The errors of [`create`](Self::create), except `OutcomeUnknown`.
    pub fn update(&self, id: impl AsRef<str>, template: NewTemplate) -> Request<Template> {
        let (graphql, id) = (self.graphql.clone(), id.as_ref().to_owned());
        Request::new(move |timeout| async move {
            if id.is_empty() {
                return Err(Error::refused("update template", "id", "must not be empty"));
            }
            template.check("update template")?;
            let variables = Input { input: WithId { id: Some(&id), template: &template.input } };
            let saved: Saved = graphql
                .send::<ModifyTemplate, _>(&variables, Idempotency::Idempotent, timeout)
                .await?;
            saved.template(ModifyTemplate::NAME)
        })
    }

    /// Deletes the template with that name. It must not be used by a Pod or an endpoint, and the
    /// service may refuse for up to two minutes after it was last used.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the service clearly says that there
    ///   is no template with that name;
    /// - [`ErrorKind::Graphql`](crate::ErrorKind::Graphql) if it is in use;
    /// - [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if the response does not
    ///   confirm the deletion, or if an attempt that may have deleted it was followed by a refusal
    ///   that is not a clear "not found". Deleting it again does no harm.
    pub fn delete(&self, name: impl AsRef<str>) -> Request<()> {
        let (graphql, name) = (self.graphql.clone(), name.as_ref().to_owned());
        Request::new(move |timeout| async move {
            if name.is_empty() {
                return Err(Error::refused("delete template", "templateName", "must not be empty"));
            }
            let deleted = DeletionTarget { kind: "template", field: "deleteTemplate", id: &name };
            let variables = ByName { template_name: &name };
            delete::<DeleteTemplate>(&graphql, &variables, deleted, timeout).await
        })
    }
}

#[derive(Serialize)]
struct Input<'a> {
    input: WithId<'a>,
}

#[derive(Serialize)]
struct WithId<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(flatten)]
    template: &'a TemplateInput,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ByName<'a> {
    template_name: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Saved {
    save_template: Option<Template>,
}

impl Saved {
    fn template(self, operation: &'static str) -> Result<Template> {
        self.save_template.ok_or_else(|| super::missing_result(operation, "saveTemplate"))
    }
}

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
struct TemplateInput {
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
    #[serde(skip_serializing_if = "BTreeMap::is_empty", serialize_with = "map_to_pairs")]
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
    /// Creates a template for serverless workers from a unique name and the image with its tag,
    /// without a volume.
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
            Ok(_) => self.malformed = Some("the port 0: expected one from 1 to 65535".to_owned()),
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

    fn check(&self, attempted: &str) -> Result<()> {
        let refuse = |field: &str, rule: &str| Err(Error::refused(attempted, field, rule));
        if let Some(problem) = &self.malformed {
            return refuse("ports", &format!("cannot be opened: {problem}"));
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

fn map_to_pairs<S: Serializer>(
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

/// A saved template, as returned by [`Templates`](crate::Templates). The REST interface returns a
/// [`rest::types::Template`](crate::rest::types::Template) instead.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Template {
    /// The template's id.
    pub id: String,
    /// The unique name.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub name: String,
    /// The image with its tag.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub image_name: String,
    /// True if it is for serverless workers instead of Pods.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub is_serverless: bool,
    /// The size of the container's disk in GB.
    #[serde(default, rename = "containerDiskInGb", deserialize_with = "lenient::integer")]
    pub container_disk_gb: Option<u32>,
    /// The size of the volume in GB.
    #[serde(default, rename = "volumeInGb", deserialize_with = "lenient::integer")]
    pub volume_gb: Option<u32>,
    /// The path at which the volume is mounted.
    #[serde(default)]
    pub volume_mount_path: Option<String>,
    /// The arguments that the container is started with.
    #[serde(default)]
    pub docker_args: Option<String>,
    /// The environment variables. Their values are omitted from `Debug` output.
    #[serde(default, deserialize_with = "pairs_to_map")]
    pub env: BTreeMap<String, String>,
    /// The ports, as the service writes them: comma-separated, such as `8888/http,22/tcp`.
    #[serde(default)]
    pub ports: Option<String>,
    /// The Markdown text shown when it is selected.
    #[serde(default)]
    pub readme: Option<String>,
    /// The id of the registry credentials for its image.
    #[serde(default)]
    pub container_registry_auth_id: Option<String>,
}

fn pairs_to_map<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    #[derive(Deserialize)]
    struct Pair {
        key: String,
        #[serde(default, deserialize_with = "lenient::or_default")]
        value: String,
    }
    let pairs: Option<Vec<Option<Pair>>> = Option::deserialize(deserializer)?;
    let pairs = pairs.unwrap_or_default().into_iter().flatten();
    Ok(pairs.map(|pair| (pair.key, pair.value)).collect())
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("image_name", &self.image_name)
            .field("is_serverless", &self.is_serverless)
            .field("container_disk_gb", &self.container_disk_gb)
            .field("volume_gb", &self.volume_gb)
            .field("volume_mount_path", &self.volume_mount_path)
            .field("docker_args", &self.docker_args)
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("ports", &self.ports)
            .finish_non_exhaustive()
    }
}

/// A port that a container exposes, written `<port>/<protocol>`.
///
/// ```
/// use podqueue::Port;
///
/// let port: Port = "8888/http".parse()?;
/// assert_eq!(port, Port::http(8888));
/// assert_eq!(Port::tcp(22).to_string(), "22/tcp");
/// # Ok::<(), podqueue::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Port {
    number: u16,
    protocol: Protocol,
}

/// The protocol of a [`Port`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// Reachable through the service's HTTP proxy.
    Http,
    /// Reachable at a public port of the host.
    Tcp,
}

impl Port {
    /// Creates an HTTP port.
    #[must_use]
    pub const fn http(number: u16) -> Self {
        Self { number, protocol: Protocol::Http }
    }

    /// Creates a TCP port.
    #[must_use]
    pub const fn tcp(number: u16) -> Self {
        Self { number, protocol: Protocol::Tcp }
    }

    /// The port number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.number
    }

    /// The protocol.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        self.protocol
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = match self.protocol {
            Protocol::Http => "http",
            Protocol::Tcp => "tcp",
        };
        write!(f, "{}/{protocol}", self.number)
    }
}

impl FromStr for Port {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parsed = text.split_once('/').and_then(|(number, protocol)| {
            let number = number.parse().ok().filter(|number| *number > 0)?;
            match protocol {
                "http" => Some(Self::http(number)),
                "tcp" => Some(Self::tcp(number)),
                _ => None,
            }
        });
        parsed.ok_or_else(|| {
            let rule = "expected `<port>/http` or `<port>/tcp`, with a number from 1 to 65535";
            Error::new(ErrorKind::InvalidRequest, format!("the port {text:?}"), rule)
        })
    }
}

impl TryFrom<&str> for Port {
    type Error = Error;

    fn try_from(text: &str) -> Result<Self, Error> {
        text.parse()
    }
}
