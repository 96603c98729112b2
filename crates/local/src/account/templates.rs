//! Templates of the account: those of the first version of the interface, in another form.

use std::sync::Arc;

use serde_json::{Value, json};

use super::container::{Container, ContainerChange};
use super::fields::{Fields, VERSIONS, is_version};
use super::mounts::{Mounts, PersistentMount};
use super::problem::Problem;
use super::registries::{Registries, check_capacity};
use super::request::Request;
use super::response::{Outcome, created, empty, ok};
use crate::error::Refusal;
use crate::resources::{EnvironmentVariable, Resources, Template};

const CATEGORIES: [&str; 3] = ["CPU", "NVIDIA", "AMD"];
/// The sources of public templates. The local service has verified none.
const SOURCES: [&str; 3] = ["official", "verified", "community"];

pub(super) struct Templates {
    resources: Arc<Resources>,
    registries: Arc<Registries>,
}

impl Templates {
    pub(super) fn new(resources: Arc<Resources>, registries: Arc<Registries>) -> Self {
        Self { resources, registries }
    }

    /// A template of any kind: others' can be used, too.
    pub(super) fn find(&self, id: &str) -> Result<Template, Problem> {
        self.resources.any_template(id).ok_or_else(|| Problem::not_found("template", id))
    }

    /// Returns true if a template has this credential.
    pub(super) fn use_registry(&self, id: &str) -> bool {
        let has = |it: &Template| it.container_registry_auth_id.as_deref() == Some(id);
        self.resources.templates().iter().any(has)
    }

    pub(super) fn list(&self) -> Outcome {
        self.listed(Template::is_own)
    }

    pub(super) fn list_public(&self, request: &Request) -> Outcome {
        match request.choice("source", &SOURCES)?.unwrap_or("official") {
            "official" => self.listed(|template| template.is_vendor),
            "community" => self.listed(|template| template.is_public && !template.is_vendor),
            _ => self.listed(|_| false),
        }
    }

    fn listed(&self, is_listed: impl Fn(&Template) -> bool) -> Outcome {
        let mut templates = self.resources.templates();
        templates.retain(is_listed);
        ok(json!({ "templates": templates.iter().map(view).collect::<Vec<_>>() }))
    }

    pub(super) fn create(&self, request: &Request) -> Outcome {
        let change = request.read(|fields| {
            fields.require(&["name", "image"]);
            TemplateUpdate::read(fields)
        })?;
        check_capacity(self.resources.templates().len())?;
        created(view(&self.put(change, Template { volume_in_gb: 0, ..Template::default() })?))
    }

    pub(super) fn get(&self, id: &str) -> Outcome {
        ok(view(&self.find(id)?))
    }

    pub(super) fn update(&self, request: &Request) -> Outcome {
        let change = request.read(TemplateUpdate::read)?;
        ok(view(&self.put(change, self.own(request.id())?)?))
    }

    fn own(&self, id: &str) -> Result<Template, Problem> {
        let template = self.resources.any_template(id).filter(Template::is_own);
        template.ok_or_else(|| Problem::not_found("template of yours", id))
    }

    /// Deletes a template, unless it is in use.
    pub(super) fn delete(&self, id: &str, is_used: bool) -> Outcome {
        self.own(id)?;
        if is_used {
            return Err(Problem::invalid("the template is in use"));
        }
        self.resources.delete_template_by_id(id)?;
        empty()
    }

    fn put(&self, change: TemplateUpdate, mut template: Template) -> Result<Template, Problem> {
        let name = change.name.clone();
        change.apply(&mut template)?;
        self.registries.require(template.container_registry_auth_id.as_deref())?;
        let stored = self.resources.put_template(template).map_err(in_second_version)?;
        stored.ok_or_else(|| {
            let name = name.unwrap_or_default();
            Problem::conflict(format!("another template has the name {name:?}"))
        })
    }
}

/// Fields of the first version of the interface, and what they are in this one.
const FIELDS: [(&str, &str); 4] = [
    ("imageName", "image"),
    ("containerDiskInGb", "disk"),
    ("volumeInGb", "mounts.persistent.size"),
    ("volumeMountPath", "mounts.persistent.path"),
];

/// A refusal by the name that its field has in this version.
fn in_second_version(refusal: Refusal) -> Problem {
    let of_field = |(before, now): &(&str, &str)| {
        Some(format!("{now}{}", refusal.message.strip_prefix(before)?))
    };
    let message = FIELDS.iter().find_map(of_field);
    Problem::from(Refusal { message: message.unwrap_or(refusal.message), ..refusal })
}

/// A template as the interface returns it.
fn view(template: &Template) -> Value {
    let mut view = json!(Container::of_template(template));
    let persistent = (template.volume_in_gb > 0).then(|| PersistentMount {
        size: i64::from(template.volume_in_gb.max(10)),
        path: template.volume_mount_path.clone(),
    });
    let rest = json!({
        "id": template.id,
        "name": template.name,
        "mounts": Mounts { persistent, network: Vec::new() },
        "serverless": template.is_serverless,
        "public": template.is_public,
        "category": template.category,
        "startSsh": template.start_ssh,
        "startJupyter": template.start_jupyter,
        "allowedCudaVersions": template.allowed_cuda_versions,
    });
    if let (Value::Object(view), Value::Object(rest)) = (&mut view, rest) {
        view.extend(rest);
    }
    view
}

/// A change of a template: what is `None` stays as it is.
struct TemplateUpdate {
    container: ContainerChange,
    name: Option<String>,
    mounts: Option<Mounts>,
    category: Option<&'static str>,
    is_public: Option<bool>,
    is_serverless: Option<bool>,
    start_ssh: Option<bool>,
    start_jupyter: Option<bool>,
    allowed_cuda_versions: Option<Vec<String>>,
}

impl TemplateUpdate {
    fn read(fields: &Fields<'_>) -> Self {
        Self {
            container: ContainerChange::read(fields),
            name: fields.text("name"),
            mounts: fields.object("mounts").map(Mounts::read_of_template),
            category: fields.choice("category", &CATEGORIES),
            is_public: fields.boolean("public"),
            is_serverless: fields.boolean("serverless"),
            start_ssh: fields.boolean("startSsh"),
            start_jupyter: fields.boolean("startJupyter"),
            allowed_cuda_versions: fields.strings("allowedCudaVersions", VERSIONS, is_version),
        }
    }

    fn apply(self, template: &mut Template) -> Result<(), Problem> {
        let gigabytes = |name: &str, size: i64| {
            i32::try_from(size).map_err(|_| Problem::invalid(format!("{name}: too large")))
        };
        let mut container = Container::of_template(template);
        self.container.apply(&mut container)?;
        template.container_disk_in_gb = gigabytes("disk", container.disk)?;
        if container.args != template.docker_args {
            template.set_args(container.args);
        }
        let env = container.env.into_iter();
        template.env = env.map(|(key, value)| EnvironmentVariable { key, value }).collect();
        template.image_name = container.image;
        template.ports = container.ports;
        template.container_registry_auth_id = container.registry;
        if let Some(mounts) = self.mounts {
            let mount = mounts.persistent;
            let size = mount.as_ref().map_or(0, |mount| mount.size);
            template.volume_in_gb = gigabytes("mounts.persistent.size", size)?;
            if let Some(mount) = mount {
                template.volume_mount_path = mount.path;
            }
        }
        let set = |to: &mut bool, value: Option<bool>| *to = value.unwrap_or(*to);
        set(&mut template.is_public, self.is_public);
        set(&mut template.is_serverless, self.is_serverless);
        set(&mut template.start_ssh, self.start_ssh);
        set(&mut template.start_jupyter, self.start_jupyter);
        if let Some(name) = self.name {
            template.name = name;
        }
        if let Some(category) = self.category {
            template.category = category.to_owned();
        }
        if let Some(versions) = self.allowed_cuda_versions {
            template.allowed_cuda_versions = versions;
        }
        Ok(())
    }
}
