//! Command `template`: templates of the account.

use std::collections::BTreeMap;
use std::env;

use clap::{Args, Subcommand, ValueEnum};
use podqueue::{NewTemplate, Port, Template};
use serde_json::json;

use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{pair, read_file};
use crate::interrupt::Signals;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read a template.
    Get(Get),
    /// Create a template.
    Create(Create),
    /// Update a template.
    ///
    /// The name, image and the sizes of its disk and volume are replaced, by the defaults if an
    /// option is omitted. The service decides about other omitted options.
    Update(Update),
    /// Delete a template.
    Delete(Delete),
}

#[derive(Debug, Args)]
pub struct Get {
    /// The template's id.
    id: String,

    /// Further templates to search; several are separated by commas.
    #[arg(long, value_enum, value_delimiter = ',')]
    include: Vec<Include>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Include {
    EndpointBound,
    Public,
    Vendor,
}

#[derive(Debug, Args)]
pub struct Create {
    /// A name that no other template has.
    name: String,

    #[command(flatten)]
    content: Content,
}

#[derive(Debug, Args)]
pub struct Update {
    /// The template's id.
    id: String,

    /// Name of the template.
    #[arg(long)]
    name: String,

    #[command(flatten)]
    content: Content,
}

#[derive(Debug, Args)]
pub struct Delete {
    /// The template's name.
    name: String,

    /// Do not ask for confirmation.
    #[arg(long, short)]
    yes: bool,
}

#[derive(Debug, Args)]
struct Content {
    /// The container image, with its tag.
    #[arg(long)]
    image: String,

    /// A template for serverless workers instead of Pods.
    #[arg(long, conflicts_with = "volume_gb")]
    serverless: bool,

    /// The size of the container's disk, which a restart wipes, in GB.
    #[arg(long, value_name = "GB", default_value = "10")]
    container_disk_gb: u32,

    /// The size of the volume, which survives a restart, in GB; none by default.
    #[arg(long, value_name = "GB")]
    volume_gb: Option<u32>,

    /// The absolute path at which the volume is mounted.
    #[arg(long, value_name = "PATH")]
    volume_mount_path: Option<String>,

    /// The start arguments.
    #[arg(long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    docker_args: Option<String>,

    /// An environment variable; can be repeated. NAME alone takes the value from this environment,
    /// so that it is not in the process list.
    #[arg(long = "env", value_name = "NAME[=VALUE]")]
    environment: Vec<String>,

    /// A port, such as 8888/http or 22/tcp; can be repeated.
    #[arg(long = "port", value_name = "PORT")]
    ports: Vec<Port>,

    /// A file with a description in Markdown.
    #[arg(long, value_name = "FILE")]
    readme: Option<String>,

    /// The id of saved registry credentials, for private images.
    #[arg(long, value_name = "ID")]
    registry_auth: Option<String>,
}

impl Content {
    fn into_template(self, name: String) -> Result<NewTemplate, Failure> {
        let mut template = match self.serverless {
            true => NewTemplate::serverless(name, self.image),
            false => NewTemplate::pod(name, self.image),
        };
        template = template.container_disk_gb(self.container_disk_gb);
        if !self.serverless {
            template = template.volume_gb(self.volume_gb.unwrap_or(0));
        }
        if let Some(path) = self.volume_mount_path {
            template = template.volume_mount_path(path);
        }
        if let Some(arguments) = self.docker_args {
            template = template.docker_args(arguments);
        }
        for variable in self.environment {
            template = match variable.contains('=') {
                true => {
                    let (name, value) = pair("--env", &variable)?;
                    template.env(name, value)
                }
                false => {
                    let value = env::var(&variable).map_err(|_| {
                        Failure::usage(format!("--env {variable}: no such variable is set here"))
                    })?;
                    template.env(variable, value)
                }
            };
        }
        for port in self.ports {
            template = template.port(port);
        }
        if let Some(path) = self.readme {
            template = template.readme(read_file(&path)?);
        }
        if let Some(id) = self.registry_auth {
            template = template.container_registry_auth_id(id);
        }
        Ok(template)
    }
}

pub async fn run(context: &Context, command: Command) -> Result<Exit, Failure> {
    let client = context.client()?;
    let mut signals = Signals::listen()?;
    match command {
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
            let template = content.into_template(name)?;
            let call = async { client.templates().create(template).await };
            print(context, &context.output.with_progress(what, signals.unless_sent(call)).await??)?;
        }
        Command::Update(Update { id, name, content }) => {
            let what = format!("updating template {id}");
            let template = content.into_template(name)?;
            let call = async { client.templates().update(&id, template).await };
            print(context, &context.output.with_progress(what, signals.unless_sent(call)).await??)?;
        }
        Command::Delete(Delete { name, yes }) => {
            let question = format!("Delete the template {name}?");
            context.output.confirm(&mut signals, &question, yes).await?;
            let what = format!("deleting template {name}");
            let call = async { client.templates().delete(&name).await };
            context.output.with_progress(what, signals.unless_sent(call)).await??;
            context.output.object(&json!({ "deleted": name }))?;
        }
    }
    Ok(Exit::Done)
}

fn print(context: &Context, template: &Template) -> Result<(), Failure> {
    // The values may be secrets.
    let names: BTreeMap<&str, &str> =
        template.env.keys().map(|name| (name.as_str(), "(hidden)")).collect();
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
