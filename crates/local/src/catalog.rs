//! Pods, templates and secrets: what REST reads and GraphQL changes.

mod pod;
mod seeds;
mod template;

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::Value;

use crate::clock::{Clock, Moment};
use crate::refusal::Refusal;
use crate::sync::locked;

pub(crate) use pod::{Pod, PodIncludes};
pub(crate) use template::{EnvironmentVariable, Template, TemplateChange, TemplateIncludes};

pub use seeds::*;

/// How long a template cannot be deleted after its last use.
const DELETE_DELAY: Duration = Duration::from_secs(120);

pub(crate) struct Catalog {
    clock: Clock,
    shelves: Mutex<Shelves>,
}

#[derive(Default)]
struct Shelves {
    pods: HashMap<String, Pod>,
    templates: HashMap<String, Template>,
    /// The values of the secrets by their ids.
    secrets: HashMap<String, String>,
}

impl Shelves {
    /// The template that a Pod used, which is gone or another now, counts as used until now.
    fn end_use(&mut self, pod: &Pod, now: Moment) {
        let template = pod.template_id().filter(|id| pod.uses(id)).map(str::to_owned);
        if let Some(template) = template.and_then(|id| self.templates.get_mut(&id)) {
            template.last_used = Some(now);
        }
    }
}

impl Catalog {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, shelves: Mutex::default() }
    }

    pub(crate) fn add_pod(&self, pod: Value) -> Result<(), Refusal> {
        let pod = Pod::parse(pod)?;
        let mut shelves = locked(&self.shelves);
        if let Some(before) = shelves.pods.insert(pod.id().to_owned(), pod) {
            shelves.end_use(&before, self.clock.now());
        }
        Ok(())
    }

    pub(crate) fn remove_pod(&self, id: &str) -> bool {
        let mut shelves = locked(&self.shelves);
        let removed = shelves.pods.remove(id);
        removed.inspect(|pod| shelves.end_use(pod, self.clock.now())).is_some()
    }

    /// Adds a template in the shape in which REST reads it.
    pub(crate) fn add_template(&self, template: Value) -> Result<(), Refusal> {
        let template = Template::parse(template)?;
        let mut shelves = locked(&self.shelves);
        let same_name = |other: &Template| other.name == template.name && other.id != template.id;
        if shelves.templates.values().any(same_name) {
            let message = format!("another template is named {:?}", template.name);
            return Err(Refusal::invalid(message));
        }
        shelves.templates.insert(template.id.clone(), template);
        Ok(())
    }

    pub(crate) fn pod(&self, id: &str, includes: PodIncludes) -> Result<Value, Refusal> {
        let shelves = locked(&self.shelves);
        let pod = shelves.pods.get(id).filter(|pod| includes.workers || !pod.is_worker());
        let pod = pod.ok_or_else(|| {
            Refusal::not_found("no such Pod; one that is a serverless worker needs includeWorkers")
        })?;
        let template = pod.template_id().and_then(|id| shelves.templates.get(id));
        Ok(pod.read(includes, template))
    }

    pub(crate) fn template(
        &self,
        id: &str,
        includes: TemplateIncludes,
    ) -> Result<Template, Refusal> {
        let shelves = locked(&self.shelves);
        let template = shelves.templates.get(id).filter(|template| template.is_among(includes));
        template.cloned().ok_or_else(|| {
            Refusal::not_found(
                "no such template; one that is endpoint-bound, public or official needs its \
                 include parameter",
            )
        })
    }

    /// Creates a template or, with an id, changes one.
    pub(crate) fn save_template(
        &self,
        id: Option<String>,
        change: TemplateChange,
    ) -> Result<Template, Refusal> {
        let mut shelves = locked(&self.shelves);
        let mut template = match id {
            None => Template { id: new_id(), ..Template::default() },
            Some(id) => shelves
                .templates
                .get(&id)
                .filter(|template| template.is_own())
                .cloned()
                .ok_or_else(|| Refusal::invalid("no template of yours has this id"))?,
        };
        let same_name = |other: &Template| other.name == change.name && other.id != template.id;
        if shelves.templates.values().any(same_name) {
            return Err(Refusal::invalid("a template of this name already exists"));
        }
        template.apply(change)?;
        shelves.templates.insert(template.id.clone(), template.clone());
        Ok(template)
    }

    pub(crate) fn delete_template(&self, name: &str) -> Result<(), Refusal> {
        let mut shelves = locked(&self.shelves);
        let template = shelves
            .templates
            .values()
            .find(|template| template.name == name && template.is_own())
            .ok_or_else(|| Refusal::invalid("no template of yours has this name"))?;
        let id = template.id.clone();
        if template.endpoint_id.is_some() {
            return Err(Refusal::invalid("the template is in use by a serverless endpoint"));
        }
        if shelves.pods.values().any(|pod| pod.uses(&id)) {
            return Err(Refusal::invalid("the template is in use by a Pod"));
        }
        let since = template.last_used.map(|used| self.clock.now().saturating_sub(used));
        if let Some(left) = since.and_then(|since| DELETE_DELAY.checked_sub(since))
            && !left.is_zero()
        {
            return Err(Refusal::invalid(format!(
                "the template was in use a moment ago: retry in {} seconds",
                left.as_secs() + u64::from(left.subsec_nanos() > 0),
            )));
        }
        shelves.templates.remove(&id);
        Ok(())
    }

    /// Stores a secret, and says its id.
    pub(crate) fn create_secret(&self, name: &str, value: String) -> Result<String, Refusal> {
        if name.trim().is_empty() {
            return Err(Refusal::invalid("name must not be empty"));
        }
        let id = new_id();
        locked(&self.shelves).secrets.insert(id.clone(), value);
        Ok(id)
    }

    pub(crate) fn secret_value(&self, id: &str) -> Option<String> {
        locked(&self.shelves).secrets.get(id).cloned()
    }

    pub(crate) fn secret_ids(&self) -> Vec<String> {
        locked(&self.shelves).secrets.keys().cloned().collect()
    }

    pub(crate) fn delete_secret(&self, id: &str) -> Result<(), Refusal> {
        let removed = locked(&self.shelves).secrets.remove(id);
        removed.map(|_| ()).ok_or_else(|| Refusal::invalid("no secret has this id"))
    }
}

fn new_id() -> String {
    std::iter::repeat_with(fastrand::lowercase).take(14).collect()
}
