//! Command `template`: templates of the account, by the account interface if its URL is set.

mod arguments;
mod by_account;

use std::collections::BTreeMap;

use podqueue::{NewTemplate, Template};
use serde_json::json;

pub use self::arguments::Command;
use self::arguments::{Content, Create, Delete, Get, Include, Update};
use crate::account::body::{Fields, environment_variables, set_env};
use crate::account::{account, account_if_set, print_changed};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::read_file;
use crate::interrupt::Signals;

/// The size of a container's disk that is not given.
const DEFAULT_DISK_GB: u32 = 10;

/// A template by the options.
fn new_template(content: Content, name: String) -> Result<NewTemplate, Failure> {
    let image = content.image.ok_or_else(|| Failure::usage("--image is required"))?;
    let mut template = match content.serverless {
        true => NewTemplate::serverless(name, image),
        false => NewTemplate::pod(name, image),
    };
    template = template.container_disk_gb(content.container_disk_gb.unwrap_or(DEFAULT_DISK_GB));
    if !content.serverless {
        template = template.volume_gb(content.volume_gb.unwrap_or(0));
    }
    if let Some(path) = content.volume_mount_path {
        template = template.volume_mount_path(path);
    }
    if let Some(arguments) = content.docker_args {
        template = template.docker_args(arguments);
    }
    for (name, value) in environment_variables(&content.environment)? {
        template = template.env(name, value);
    }
    for port in content.ports {
        template = template.port(port);
    }
    if let Some(path) = content.readme {
        template = template.readme(read_file(&path)?);
    }
    if let Some(id) = content.registry_auth {
        template = template.container_registry_auth_id(id);
    }
    Ok(template)
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    if let Some(by) = account_if_set(context)? {
        return by_account::run(context, &by, command).await;
    }
    let client = context.client()?;
    let mut signals = Signals::listen()?;
    match command {
        Command::List(_) => {
            // Refused, with the setting.
            account(context)?;
        }
        Command::Get(Get { id, include }) => {
            let has = |part: Include| include.contains(&part);
            let call = async {
                client
                    .rest()
                    .get_template(&id)
                    .include_endpoint_bound_templates(has(Include::EndpointBound))
                    .include_public_templates(has(Include::Public))
                    .include_vendor_templates(has(Include::Vendor))
                    .await
            };
            let what = format!("reading template {id}");
            let template = context.output.with_progress(what, signals.unless(call)).await??;
            context.output.object(&template)?;
        }
        Command::Create(Create { name, content }) => {
            let what = format!("creating template {name}");
            let template = new_template(content, name)?;
            let call = async { client.templates().create(template).await };
            print(context, &context.output.with_progress(what, signals.unless_sent(call)).await??)?;
        }
        Command::Update(Update { id, name, content, confirmation }) => {
            let name = name.ok_or_else(|| Failure::usage("--name is required"))?;
            let mut fields = Fields::default();
            set_env(&mut fields, &content.environment)?;
            let template = new_template(content, name)?;
            if fields.has_any(&["env"]) {
                let call = client.rest().get_template(&id).include_endpoint_bound_templates(true);
                let what = format!("reading template {id}");
                let present =
                    context.output.with_progress(what, signals.unless(async { call.await }));
                if let Some(loss) = fields.loss_of_variables(present.await??.env.keys()) {
                    let question = format!("Change the template {id}? {loss}");
                    confirmation.of(&question).ask(&mut signals).await?;
                }
            }
            let what = format!("updating template {id}");
            let call = async { client.templates().update(&id, template).await };
            print(context, &context.output.with_progress(what, signals.unless_sent(call)).await??)?;
        }
        Command::Delete(Delete { name, confirmation }) => {
            let question = format!("Delete the template {name}?");
            confirmation.of(&question).ask(&mut signals).await?;
            let what = format!("deleting template {name}");
            let call = async { client.templates().delete(&name).await };
            context.output.with_progress(what, signals.unless_sent(call)).await??;
            print_changed(context, &json!({ "deleted": name }))?;
        }
    }
    Ok(Exit::Done)
}

fn print(context: &Context, template: &Template) -> Result<(), Failure> {
    // The values may be secrets.
    let names: BTreeMap<&str, &str> =
        template.env.keys().map(|name| (name.as_str(), "[redacted]")).collect();
    context.output.object(&json!({
        "id": template.id,
        "name": template.name,
        "image": template.image_name,
        "serverless": template.is_serverless,
        "container_disk_gb": template.container_disk_gb,
        "volume_gb": template.volume_gb,
        "volume_mount_path": template.volume_mount_path,
        "docker_args": template.docker_args,
        "env": names,
        "ports": template.ports,
        "container_registry_auth_id": template.container_registry_auth_id,
    }))
}
