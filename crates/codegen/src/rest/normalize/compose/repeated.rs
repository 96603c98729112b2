//! Compositions that are met again within themselves, or deep within others.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use crate::naming;
use crate::rest::normalize::places::fields;

/// How deep compositions may stand within each other before they get names.
const DEPTH: usize = 8;

/// A composition of other schemas as the description has it, which is what it is known by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    text: String,
    name: String,
}

/// What is to be done with a composition.
pub(super) enum Met {
    /// It is composed where it stands.
    New,
    /// It is the schema of this name.
    Known(String),
    /// It becomes the schema of this name.
    Again(String),
}

/// Compositions with names. One whose parts hold it again would have no end in its place.
#[derive(Default)]
pub(super) struct Repeated {
    /// Those that are being composed, each within the one before, and the names of those that have
    /// one in the description.
    within: Vec<(Site, Option<String>)>,
    names: BTreeMap<Site, String>,
    pub(super) made: BTreeMap<String, Value>,
}

impl Site {
    /// The composition that a schema is; none if it does not take the fields of others. A choice
    /// has its own way to a name.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let parts = ["allOf", "oneOf", "anyOf"].iter().filter_map(|key| schema.get(*key));
        let parts: Vec<_> = parts.filter_map(Value::as_array).flatten().collect();
        let takes_fields = schema.get("allOf").is_some() || schema.get("properties").is_some();
        if parts.is_empty() || !takes_fields {
            return None;
        }
        let targets = parts.iter().filter_map(|part| part.get("$ref")?.as_str());
        let mut words: Vec<_> = targets.filter_map(|it| it.rsplit('/').next()).collect();
        words.dedup();
        let own = std::iter::once(schema).chain(parts.iter().copied());
        let own = own.flat_map(|it| fields(it, "properties")).next();
        let name = match (words.as_slice(), own) {
            ([], None) => "repeated".to_owned(),
            ([], Some((own, _))) => format!("with_{own}"),
            (words, None) => words.join("_and_"),
            (words, Some((own, _))) => format!("{}_with_{own}", words.join("_and_")),
        };
        Some(Self { text: schema.to_string(), name })
    }
}

impl Repeated {
    /// Where a composition that is met is not new, or too deep within others, it gets a name.
    pub(super) fn meet(
        &mut self,
        site: &Site,
        name: Option<&str>,
        taken: &mut HashSet<String>,
    ) -> Met {
        if let (Some(known), None) = (self.names.get(site), name) {
            return Met::Known(known.clone());
        }
        let again = self.within.iter().find(|(it, _)| it == site);
        if let Some((_, Some(name))) = again {
            return Met::Known(name.clone());
        }
        if again.is_none() && self.within.len() <= DEPTH {
            self.within.push((site.clone(), name.map(str::to_owned)));
            return Met::New;
        }
        let free = naming::unique(taken, site.name.clone());
        self.names.insert(site.clone(), free.clone());
        Met::Again(free)
    }

    /// After a composition; its name if it was met again meanwhile.
    pub(super) fn leave(&mut self, site: &Site) -> Option<String> {
        self.within.pop();
        self.names.get(site).cloned()
    }
}
