//! The names of choices between named objects.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

/// Choices between named objects. One that has no name of its own gets one, because it may stand
/// within the objects that it is about.
#[derive(Default)]
pub(super) struct Choices {
    /// The name of a choice, by what it is between.
    pub(super) names: BTreeMap<Vec<String>, String>,
    pub(super) made: BTreeMap<String, Value>,
}

impl Choices {
    /// A name for a choice, such as `Cat_or_Dog`: a type `CatOrDog`.
    pub(super) fn name(&mut self, targets: Vec<String>, taken: &mut HashSet<String>) -> String {
        let words = targets.iter().filter(|it| it.starts_with('#'));
        let words: Vec<_> = words.filter_map(|it| it.rsplit('/').next()).collect();
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

/// What a choice is between, if it is between named schemas only, and a discriminator that matters.
pub(super) fn targets(shapes: &[Value], discriminator: Option<&Value>) -> Option<Vec<String>> {
    let target = |it: &Value| it.get("$ref")?.as_str().map(str::to_owned);
    let mut targets = shapes.iter().map(target).collect::<Option<Vec<_>>>()?;
    targets.sort();
    let is_choice = targets.len() > 1;
    targets.extend(discriminator.map(Value::to_string));
    is_choice.then_some(targets)
}
