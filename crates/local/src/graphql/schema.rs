//! GraphQL schema: its types and mutations.

use std::sync::Arc;

use async_graphql::{
    Context, Error, InputObject, InputValueError, InputValueResult, Object, Scalar, ScalarType,
    SimpleObject,
};

use crate::error::Refusal;
use crate::resources::{self, Resources, TemplateChange};

pub(crate) struct Void;

/// Nothing. The only value is null; the service's value is not documented.
#[Scalar]
impl ScalarType for Void {
    fn parse(value: async_graphql::Value) -> InputValueResult<Self> {
        match value {
            async_graphql::Value::Null => Ok(Self),
            other => Err(InputValueError::expected_type(other)),
        }
    }

    fn to_value(&self) -> async_graphql::Value {
        async_graphql::Value::Null
    }
}

pub(crate) struct Query;

/// GraphQL requires a query type: a placeholder, because no query of the service is documented.
#[Object]
impl Query {
    /// Always null.
    #[graphql(name = "_empty")]
    async fn empty(&self) -> Option<Void> {
        None
    }
}

pub(crate) struct Mutation;

/// The changes of templates and secrets.
#[Object]
impl Mutation {
    /// Creates a template or, when the input has an `id`, changes the template of that id.
    /// Creating fails when a template of that name exists.
    async fn save_template(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The template as it shall be.")] input: SaveTemplateInput,
    ) -> Option<Template> {
        let (id, change) = input.into_change();
        or_null(context, |resources| resources.save_template(id, change)).map(Template::from)
    }

    /// Deletes a template by its name. It must not be used by any Pod or serverless endpoint,
    /// and deletion can take up to 2 minutes after its last use.
    async fn delete_template(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The name of the template to delete.")] template_name: String,
    ) -> Option<Void> {
        or_null(context, |resources| resources.delete_template(&template_name)).map(|()| Void)
    }

    /// Stores a secret.
    async fn secret_create(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The secret to store.")] input: SecretCreateInput,
    ) -> Option<Secret> {
        let id = or_null(context, |resources| resources.create_secret(&input.name, input.value))?;
        Some(Secret { id: Some(id), name: Some(input.name), description: None })
    }

    /// Deletes a secret by its id.
    async fn secret_delete(
        &self,
        context: &Context<'_>,
        #[graphql(desc = "The id of the secret to delete, as `secretCreate` returned it.")]
        id: String,
    ) -> Option<Void> {
        or_null(context, |resources| resources.delete_secret(&id)).map(|()| Void)
    }
}

/// Changes the resources; where that is refused, the field is null and its error is noted. (A field
/// that returns an error would be left out of the response altogether.)
fn or_null<T>(
    context: &Context<'_>,
    change: impl FnOnce(&Resources) -> Result<T, Refusal>,
) -> Option<T> {
    let result = context
        .data::<Arc<Resources>>()
        .and_then(|resources| change(resources).map_err(|refusal| Error::new(refusal.message)))
        .map_err(|error| context.set_error_path(error.into_server_error(context.item.pos)));
    result.map_err(|error| context.add_error(error)).ok()
}

/// A template to create or, with its `id`, to change.
#[derive(InputObject)]
pub(crate) struct SaveTemplateInput {
    /// The template to change. Without it a new template is created.
    id: Option<String>,
    /// Size of the container disk in GB.
    container_disk_in_gb: i32,
    /// Name of the Docker image, with its tag.
    image_name: String,
    /// Name of the template. No two templates share one.
    name: String,
    /// Size of the local volume in GB. Must be 0 for a serverless template.
    volume_in_gb: i32,
    /// True if instances are serverless workers. Must be true for a serverless template.
    is_serverless: Option<bool>,
    /// Arguments that the container is started with.
    docker_args: Option<String>,
    /// The environment variables of the container.
    env: Option<Vec<EnvironmentVariableInput>>,
    /// The exposed ports: `<port>/<protocol>`, separated by commas. The protocol is `http` or
    /// `tcp`.
    ports: Option<String>,
    /// Markdown text that is shown when the template is selected.
    readme: Option<String>,
    /// The absolute path at which the volume is mounted.
    volume_mount_path: Option<String>,
    /// Id of saved registry credentials, for a private image.
    container_registry_auth_id: Option<String>,
}

impl SaveTemplateInput {
    fn into_change(self) -> (Option<String>, TemplateChange) {
        let variable =
            |EnvironmentVariableInput { key, value }| resources::EnvironmentVariable { key, value };
        let change = TemplateChange {
            container_disk_in_gb: self.container_disk_in_gb,
            image_name: self.image_name,
            name: self.name,
            volume_in_gb: self.volume_in_gb,
            is_serverless: self.is_serverless,
            docker_args: self.docker_args,
            env: self.env.map(|env| env.into_iter().map(variable).collect()),
            ports: self.ports,
            readme: self.readme,
            volume_mount_path: self.volume_mount_path,
            container_registry_auth_id: self.container_registry_auth_id,
        };
        (self.id, change)
    }
}

/// An environment variable to set.
#[derive(InputObject)]
pub(crate) struct EnvironmentVariableInput {
    /// Name of the variable.
    key: String,
    /// Value of the variable.
    value: String,
}

/// A secret to store.
#[derive(InputObject)]
pub(crate) struct SecretCreateInput {
    /// Name of the secret.
    name: String,
    /// The sensitive value itself.
    value: String,
}

/// A reusable definition of container image, disk sizes, ports, environment and start command,
/// for Pods or for serverless workers.
#[derive(SimpleObject)]
pub(crate) struct Template {
    /// Identifies the template.
    id: Option<String>,
    /// Size of the container disk in GB. A restart wipes this disk.
    container_disk_in_gb: Option<i32>,
    /// Name of the Docker image, with its tag.
    image_name: Option<String>,
    /// Name of the template. No two templates share one.
    name: Option<String>,
    /// Size of the local volume in GB. 0 for a serverless template.
    volume_in_gb: Option<i32>,
    /// True if instances are serverless workers. Otherwise they are Pods.
    is_serverless: Option<bool>,
    /// Arguments that the container is started with.
    docker_args: Option<String>,
    /// The environment variables of the container.
    env: Option<Vec<EnvironmentVariable>>,
    /// The exposed ports: `<port>/<protocol>`, separated by commas. The protocol is `http` or
    /// `tcp`.
    ports: Option<String>,
    /// Markdown text that is shown when the template is selected.
    readme: Option<String>,
    /// The absolute path at which the volume is mounted.
    volume_mount_path: Option<String>,
    /// Id of saved registry credentials, for a private image.
    container_registry_auth_id: Option<String>,
}

/// An environment variable of a container.
#[derive(SimpleObject)]
pub(crate) struct EnvironmentVariable {
    /// Name of the variable.
    key: Option<String>,
    /// Value of the variable.
    value: Option<String>,
}

/// A stored sensitive value that templates can refer to. The value itself cannot be read back.
#[derive(SimpleObject)]
pub(crate) struct Secret {
    /// Identifies the secret.
    id: Option<String>,
    /// Name of the secret.
    name: Option<String>,
    /// What the secret is for.
    description: Option<String>,
}

impl From<resources::Template> for Template {
    fn from(template: resources::Template) -> Self {
        let variable = |variable: resources::EnvironmentVariable| EnvironmentVariable {
            key: Some(variable.key),
            value: Some(variable.value),
        };
        Self {
            id: Some(template.id),
            container_disk_in_gb: Some(template.container_disk_in_gb),
            image_name: Some(template.image_name),
            name: Some(template.name),
            volume_in_gb: Some(template.volume_in_gb),
            is_serverless: Some(template.is_serverless),
            docker_args: Some(template.docker_args),
            env: Some(template.env.into_iter().map(variable).collect()),
            ports: Some(template.ports.join(",")),
            readme: Some(template.readme),
            volume_mount_path: Some(template.volume_mount_path),
            container_registry_auth_id: template.container_registry_auth_id,
        }
    }
}
