//! Command `template` by the account interface.

use podqueue::account::Account;
use podqueue::account::types::{
    CreateTemplateRequest, ListPublicTemplatesSource, UpdateTemplateRequest,
};
use serde_json::json;

use super::arguments::{Command, Content, Create, Delete, Get, List, PublicSource, Update};
use crate::account::body::{Fields, prepare, set_env};
use crate::account::{cell, change, create, print_changed, print_list, read, with_integers};
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::{Failure, quoted};

/// The fields of a body that the options set.
fn fields_of(content: &Content) -> Result<Fields, Failure> {
    if content.readme.is_some() {
        return Err(of_rest("--readme"));
    }
    let mut fields = Fields::default();
    fields.set("image", content.image.as_ref());
    fields.set("serverless", content.serverless.then_some(true));
    fields.set("disk", content.container_disk_gb);
    fields.set("args", content.docker_args.as_ref());
    set_env(&mut fields, &content.environment)?;
    let ports: Vec<String> = content.ports.iter().map(ToString::to_string).collect();
    fields.set_list("ports", &ports);
    fields.set("registry", content.registry_auth.as_ref());
    match (content.volume_gb, &content.volume_mount_path) {
        (None, None) => {}
        (Some(size), Some(path)) => {
            fields.set("mounts.persistent", Some(json!({ "size": size, "path": path })));
        }
        _ => {
            let message = "--volume-gb and --volume-mount-path are needed together";
            return Err(Failure::usage(message));
        }
    }
    Ok(fields)
}

fn of_rest(option: &str) -> Failure {
    let message = "is an option of the first version, and the account interface is set";
    Failure::usage(format!("{option} {message}"))
}

pub async fn run(context: &Context, account: &Account, command: Command) -> Result<Exit, Failure> {
    match command {
        Command::List(List { public }) => {
            let what = "listing templates";
            let templates = match public {
                None => read(context, what, account.list_templates()).await?.templates,
                Some(source) => {
                    let call = account.list_public_templates().source(match source {
                        PublicSource::Official => ListPublicTemplatesSource::Official,
                        PublicSource::Verified => ListPublicTemplatesSource::Verified,
                        PublicSource::Community => ListPublicTemplatesSource::Community,
                    });
                    read(context, what, call).await?.templates
                }
            };
            let header = ["ID", "NAME", "FOR", "CATEGORY", "IMAGE"];
            print_list(context, &templates, header, |template| {
                let purpose = template.serverless.map(|it| if it { "serverless" } else { "Pods" });
                [
                    cell(template.id.as_ref()),
                    cell(template.name.as_ref()),
                    cell(purpose),
                    cell(template.category.as_ref()),
                    cell(template.image.as_ref()),
                ]
            })
        }
        Command::Get(Get { id, include }) => {
            if !include.is_empty() {
                return Err(of_rest("--include"));
            }
            let what = format!("reading template {id}");
            let template = read(context, &what, account.get_template(&id)).await?;
            context.output.object(&with_integers(&template))?;
            Ok(Exit::Done)
        }
        Command::Create(Create { name, content }) => {
            let mut fields = fields_of(&content)?;
            fields.set("name", Some(&name));
            let body = fields.body::<CreateTemplateRequest>()?;
            let what = format!("creating template {name}");
            let call = async { prepare!(account.create_template(), body).await };
            create(context, &what, "podqueue template list", None, call).await
        }
        Command::Update(Update { id, name, content, confirmation }) => {
            let mut fields = fields_of(&content)?;
            fields.set("name", name);
            if fields.is_empty() {
                return Err(Failure::usage("nothing to change: pass an option"));
            }
            let mut loss = None;
            if fields.has_any(&["env"]) {
                let what = format!("reading template {id}");
                let present = read(context, &what, account.get_template(&id)).await?;
                loss = fields.loss_of_variables(present.env.keys());
            }
            let question = loss.map(|loss| format!("Change the template {id}? {loss}"));
            let question = question.as_ref().map(|question| confirmation.of(question));
            let body = fields.body::<UpdateTemplateRequest>()?;
            let what = format!("updating template {id}");
            let call = async { prepare!(account.update_template(&id), body).await };
            let see = format!("podqueue template get {}", quoted(&id));
            print_changed(context, &change(context, &what, &see, question, call).await?)
        }
        Command::Delete(Delete { name: id, confirmation }) => {
            let question = format!("Delete the template {id}?");
            let what = format!("deleting template {id}");
            let call = async { account.delete_template(&id).await };
            let question = Some(confirmation.of(&question));
            change(context, &what, "podqueue template list", question, call).await?;
            print_changed(context, &json!({ "deleted": id }))
        }
    }
}
