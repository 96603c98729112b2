//! Registries of the account: credentials for private images, and delegations of AWS registries.

use std::collections::BTreeMap;
use std::sync::Mutex;

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::problem::Problem;
use super::request::Request;
use super::response::{Outcome, created, empty, ok};
use super::wall_clock::WallClock;
use crate::resources::new_id;
use crate::tasks::locked;

/// The largest number of objects of each kind that an account has, as of others: it protects the
/// memory of the process.
const MAX_OBJECTS: usize = 10_000;

/// The user of the local service.
pub(super) const USER: &str = "user-local";

pub(super) struct Registries {
    time: WallClock,
    /// The names of credentials by id. Nothing reads user names and passwords, so they are not kept.
    names: Mutex<BTreeMap<String, String>>,
    delegations: Mutex<BTreeMap<String, Value>>,
}

impl Registries {
    pub(super) fn new(time: WallClock) -> Self {
        Self { time, names: Mutex::default(), delegations: Mutex::default() }
    }

    /// Adds a credential with this id.
    pub(super) fn seed(&self, id: &str, name: &str) {
        locked(&self.names).insert(id.to_owned(), name.to_owned());
    }

    /// Refuses an id that no credential has.
    pub(super) fn require(&self, id: Option<&str>) -> Result<(), Problem> {
        match id {
            Some(id) if !locked(&self.names).contains_key(id) => {
                Err(Problem::not_found("registry credential", id))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn list(&self) -> Outcome {
        let names = locked(&self.names);
        let all: Vec<_> =
            names.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect();
        ok(json!({ "registries": all }))
    }

    pub(super) fn create(&self, request: &Request) -> Outcome {
        let name = request.read(|fields| {
            fields.require(&["name", "username", "password"]);
            let name = fields.text("name");
            fields.text("username");
            fields.text("password");
            name
        })?;
        let (id, name) = (new_id(), name.unwrap_or_default());
        let mut names = locked(&self.names);
        check_capacity(names.len())?;
        names.insert(id.clone(), name.clone());
        created(json!({ "id": id, "name": name }))
    }

    pub(super) fn get(&self, id: &str) -> Outcome {
        match locked(&self.names).get(id) {
            Some(name) => ok(json!({ "id": id, "name": name })),
            None => Err(Problem::not_found("registry credential", id)),
        }
    }

    /// Deletes a credential, unless it is in use.
    pub(super) fn delete(&self, id: &str, is_used: bool) -> Outcome {
        let mut names = locked(&self.names);
        if names.contains_key(id) && is_used {
            return Err(Problem::invalid("the registry credential is in use"));
        }
        match names.remove(id) {
            Some(_) => empty(),
            None => Err(Problem::not_found("registry credential", id)),
        }
    }

    pub(super) fn list_delegations(&self) -> Outcome {
        ok(json!({ "delegations": locked(&self.delegations).values().collect::<Vec<_>>() }))
    }

    pub(super) fn create_delegation(&self, request: &Request) -> Outcome {
        let (resource, name) = request.read(|fields| {
            fields.require(&["resource"]);
            (fields.string("resource"), fields.nullable("name"))
        })?;
        let resource = resource.unwrap_or_default();
        let image = EcrImage::parse(&resource).ok_or_else(|| {
            Problem::invalid(
                "resource must be an image of an AWS registry, such as \
                 123456789012.dkr.ecr.eu-west-1.amazonaws.com/team/worker:1",
            )
        })?;
        let id = new_id();
        let delegation = json!({
            "id": id,
            "name": name.flatten(),
            "delegatorUserId": USER,
            "awsUser": image.account,
            "repository": image.repository,
            "tag": image.tag,
            "awsRegion": image.region,
            "dockerRegistryUri": image.host,
            "createdAt": self.time.text(self.time.now()),
        });
        let mut delegations = locked(&self.delegations);
        check_capacity(delegations.len())?;
        delegations.insert(id, delegation.clone());
        created(delegation)
    }

    pub(super) fn revoke_delegation(&self, id: &str) -> Outcome {
        match locked(&self.delegations).remove(id) {
            Some(_) => empty(),
            None => Err(Problem::not_found("delegation", id)),
        }
    }
}

/// Refuses another object beyond the limit of the local service.
pub(super) fn check_capacity(objects: usize) -> Result<(), Problem> {
    if objects < MAX_OBJECTS {
        return Ok(());
    }
    let detail = format!("the local service has at most {MAX_OBJECTS} objects of a kind");
    Err(Problem::new(StatusCode::FORBIDDEN, detail))
}

/// The parts of a reference to an image of an AWS registry.
struct EcrImage<'a> {
    host: &'a str,
    account: &'a str,
    region: &'a str,
    repository: &'a str,
    tag: &'a str,
}

impl<'a> EcrImage<'a> {
    fn parse(resource: &'a str) -> Option<Self> {
        let (host, image) = resource.split_once('/')?;
        let (account, rest) = host.split_once(".dkr.ecr.")?;
        let region = rest.strip_suffix(".amazonaws.com")?;
        let (repository, tag) = image.split_once(':').unwrap_or((image, "latest"));
        let is_account = account.len() == 12 && account.bytes().all(|it| it.is_ascii_digit());
        let are_complete = ![region, repository, tag].contains(&"");
        (is_account && are_complete).then_some(Self { host, account, region, repository, tag })
    }
}
