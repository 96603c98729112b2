//! Container configuration: what a Pod, a worker or a template runs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::fields::{Fields, from};
use super::image;
use super::problem::Problem;
use crate::resources::Template;

/// Settings of a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Container {
    pub(super) args: String,
    /// The size of its disk, in gigabytes.
    pub(super) disk: i64,
    pub(super) env: BTreeMap<String, String>,
    pub(super) image: String,
    pub(super) ports: Vec<String>,
    /// The id of the credential for its image.
    pub(super) registry: Option<String>,
}

impl Default for Container {
    fn default() -> Self {
        Self {
            args: String::new(),
            disk: 10,
            env: BTreeMap::new(),
            image: String::new(),
            ports: Vec::new(),
            registry: None,
        }
    }
}

impl Container {
    /// A container of an image, with defaults for the rest.
    pub(super) fn of_image(image: impl Into<String>) -> Self {
        Self { image: image.into(), ..Self::default() }
    }

    pub(super) fn of_template(template: &Template) -> Self {
        let env = template.env.iter().map(|it| (it.key.clone(), it.value.clone()));
        Self {
            args: template.docker_args.clone(),
            disk: i64::from(template.container_disk_in_gb.max(1)),
            env: env.collect(),
            image: template.image_name.clone(),
            ports: template.ports.clone(),
            registry: template.container_registry_auth_id.clone(),
        }
    }

    /// The name of its image, without registry, tag and digest.
    pub(super) fn image_name(&self) -> &str {
        image::name(&self.image)
    }
}

/// A change of a container: what is `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub(super) struct ContainerChange {
    args: Option<String>,
    disk: Option<i64>,
    env: Option<BTreeMap<String, String>>,
    pub(super) image: Option<String>,
    ports: Option<Vec<String>>,
    pub(super) registry: Option<Option<String>>,
}

impl ContainerChange {
    /// Reads the fields of a container.
    pub(super) fn read(fields: &Fields<'_>) -> Self {
        let registry = fields.nullable("registry");
        Self { registry, ..Self::read_without_registry(fields) }
    }

    /// The same of a container whose image is public.
    pub(super) fn read_without_registry(fields: &Fields<'_>) -> Self {
        Self {
            args: fields.string("args"),
            disk: fields.integer("disk", from(1)),
            env: fields.map("env"),
            image: fields.string("image"),
            ports: fields.list("ports"),
            registry: None,
        }
    }

    /// Changes a container, or refuses an image that is empty.
    pub(super) fn apply(self, to: &mut Container) -> Result<(), Problem> {
        let Self { args, disk, env, image, ports, registry } = self;
        if image.as_ref().is_some_and(|it| it.trim().is_empty()) {
            return Err(Problem::invalid("image must not be empty"));
        }
        to.args = args.unwrap_or_else(|| std::mem::take(&mut to.args));
        to.disk = disk.unwrap_or(to.disk);
        to.env = env.unwrap_or_else(|| std::mem::take(&mut to.env));
        to.image = image.unwrap_or_else(|| std::mem::take(&mut to.image));
        to.ports = ports.unwrap_or_else(|| std::mem::take(&mut to.ports));
        to.registry = registry.unwrap_or_else(|| to.registry.take());
        Ok(())
    }
}
