//! Templates, secrets and Pods.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::reply::Reply;
use super::request::Request;
use crate::canary;
use crate::operation::Operation;

/// Things by their names; the id of `tpl-7` is `tplid-7`.
#[derive(Default)]
pub struct Stored {
    pub there: BTreeMap<String, Thing>,
    /// How often a thing of that name was created.
    pub created: BTreeMap<String, u64>,
}

#[derive(Default)]
pub struct Thing {
    /// How often it was changed.
    pub changes: u64,
}

pub(super) fn pod(request: &Request) -> Reply {
    Reply::json(200, &json!({ "id": request.id, "name": "a Pod", "env": { "TOKEN": canary::POD } }))
}

fn failed(message: &str) -> Reply {
    Reply::json(200, &json!({ "data": null, "errors": [{ "message": message }] }))
}

fn template(id: &str, name: &str) -> Value {
    json!({ "data": { "saveTemplate": {
        "id": id, "name": name, "imageName": "image:1", "isServerless": true,
        "containerDiskInGb": 5, "volumeInGb": 0,
        "env": [{ "key": "TOKEN", "value": canary::ENV }],
    } } })
}

pub(super) fn graphql(templates: &mut Stored, secrets: &mut Stored, request: &Request) -> Reply {
    let number = request.id.rsplit('-').next().unwrap_or_default();
    let name = |prefix: &str| format!("{prefix}-{number}");
    match request.operation {
        Operation::CreateTemplate => {
            let name = name("tpl");
            if templates.there.contains_key(&name) {
                return failed("a template of this name exists");
            }
            *templates.created.entry(name.clone()).or_default() += 1;
            templates.there.insert(name.clone(), Thing::default());
            Reply::json(200, &template(&format!("tplid-{number}"), &name))
        }
        Operation::UpdateTemplate => match templates.there.get_mut(&name("tpl")) {
            Some(thing) => {
                thing.changes += 1;
                Reply::json(200, &template(&request.id, &name("tpl")))
            }
            None => failed("template not found"),
        },
        Operation::DeleteTemplate => match templates.there.remove(&name("tpl")) {
            Some(_) => Reply::json(200, &json!({ "data": { "deleteTemplate": null } })),
            None => failed("template not found"),
        },
        Operation::CreateSecret => {
            let name = name("sec");
            *secrets.created.entry(name.clone()).or_default() += 1;
            secrets.there.insert(name.clone(), Thing::default());
            let id = format!("secid-{number}");
            Reply::json(
                200,
                &json!({ "data": { "secretCreate": {
                    "id": id, "name": name, "description": null
                } } }),
            )
        }
        Operation::DeleteSecret => match secrets.there.remove(&name("sec")) {
            Some(_) => Reply::json(200, &json!({ "data": { "secretDelete": null } })),
            None => failed("secret not found"),
        },
        _ => failed("unknown operation"),
    }
}
