//! The stable form of a REST description: names sorted, in the notation that is asked for.

use podqueue_codegen::{Diagnostic, Source, rest};
use serde_json::Value;
use yaml_serde::Value as Yaml;

use crate::words::words;

/// What people look for first, first. Everything further down is sorted by name.
const TOP: [&str; 8] =
    ["openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components"];

/// A description in its stable form, as YAML or, for a name in `.json`, as JSON.
pub(crate) fn stable(name: &str, tree: &Value) -> Result<String, Diagnostic> {
    let fault = |message: String| Diagnostic::of_file(name, message);
    let text = if name.ends_with(".json") {
        serde_json::to_string_pretty(tree).map_err(|error| fault(error.to_string()))? + "\n"
    } else {
        yaml_serde::to_string(&ordered(tree)).map_err(|error| fault(error.to_string()))?
    };
    let reread = rest::read(&Source::new(name, text.as_str()))?;
    if reread == *tree {
        Ok(text)
    } else {
        Err(fault("this description cannot be written as YAML; keep it as .json".to_owned()))
    }
}

fn ordered(tree: &Value) -> Yaml {
    let Value::Object(entries) = tree else { return yaml(tree) };
    let mut keys: Vec<&String> = entries.keys().collect();
    let rank = |key: &str| TOP.iter().position(|it| *it == key).unwrap_or(TOP.len());
    keys.sort_by_key(|key| (rank(key), key.as_str()));
    Yaml::Mapping(
        keys.into_iter()
            .filter_map(|key| Some((Yaml::String(key.clone()), yaml(entries.get(key)?))))
            .collect(),
    )
}

/// Entries come out sorted, whatever map the JSON library uses.
fn yaml(tree: &Value) -> Yaml {
    match tree {
        Value::Object(entries) => {
            let mut keys: Vec<&String> = entries.keys().collect();
            keys.sort();
            Yaml::Mapping(
                keys.into_iter()
                    .filter_map(|key| Some((Yaml::String(key.clone()), yaml(entries.get(key)?))))
                    .collect(),
            )
        }
        Value::Array(items) => Yaml::Sequence(items.iter().map(yaml).collect()),
        scalar => yaml_serde::to_value(scalar).unwrap_or_default(),
    }
}

/// A description for comparison: with the line breaks of its prose taken out, and with lists
/// sorted whose order has no meaning.
pub(crate) fn comparable(tree: &Value) -> Value {
    match tree {
        Value::Object(entries) => Value::Object(
            entries
                .iter()
                .map(|(key, value)| {
                    let value = match (key.as_str(), value) {
                        ("description" | "summary" | "title", Value::String(text)) => {
                            words(text).into()
                        }
                        ("required" | "enum", Value::Array(items)) => {
                            let mut items = items.clone();
                            items.sort_by_key(ToString::to_string);
                            items.into()
                        }
                        (_, value) => comparable(value),
                    };
                    (key.clone(), value)
                })
                .collect(),
        ),
        Value::Array(items) => items.iter().map(comparable).collect(),
        scalar => scalar.clone(),
    }
}
