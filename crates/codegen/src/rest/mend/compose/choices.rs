//! The names of choices between named objects.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use crate::rest::mend::kind::is_annotation;
use crate::rest::mend::places::fields;

/// Choices between named objects. One that has no name of its own gets one, because it may stand
/// within the objects that it is about.
#[derive(Default)]
pub(super) struct Choices {
    /// The name of a choice, by what it is between.
    pub(super) names: BTreeMap<Vec<String>, String>,
    pub(super) made: BTreeMap<String, Value>,
}

impl Choices {
    /// Those that a description has a name for.
    pub(super) fn of(description: &Value) -> Self {
        let mut choices = Self::default();
        if let Some(schemas) = description.pointer("/components") {
            for (name, schema) in fields(schemas, "schemas") {
                let parts = schema.get("oneOf").or_else(|| schema.get("anyOf"));
                let keys = schema.as_object().into_iter().flat_map(Map::keys);
                if let Some(Value::Array(parts)) = parts
                    && let Some(targets) = targets(parts)
                    && keys.filter(|key| !is_annotation(key)).count() == 1
                {
                    choices.names.entry(targets).or_insert_with(|| name.clone());
                }
            }
        }
        choices
    }

    /// A name for a choice, such as `Cat_or_Dog`: a type `CatOrDog`.
    pub(super) fn name(&mut self, targets: Vec<String>, taken: &mut HashSet<String>) -> String {
        let words: Vec<_> = targets.iter().filter_map(|it| it.rsplit('/').next()).collect();
        let mut name = match words.as_slice() {
            [first, _, _, _, ..] => format!("{first}_or_other"),
            few => few.join("_or_"),
        };
        while !taken.insert(name.clone()) {
            name.push_str("Choice");
        }
        self.names.insert(targets, name.clone());
        name
    }
}

/// What a choice is between, if it is between named schemas only.
pub(super) fn targets(shapes: &[Value]) -> Option<Vec<String>> {
    let target = |it: &Value| it.get("$ref")?.as_str().map(str::to_owned);
    let mut targets = shapes.iter().map(target).collect::<Option<Vec<_>>>()?;
    targets.sort();
    (targets.len() > 1).then_some(targets)
}
