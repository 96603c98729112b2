//! Saved template, as returned by the GraphQL interface.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer};

use podqueue_runtime::lenient;

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
    #[serde(default, deserialize_with = "map")]
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

fn map<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
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
