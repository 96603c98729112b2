//! The text of a description as a tree, whichever of the two notations it is written in.

use serde_json::{Map, Number, Value};

use crate::{Diagnostic, Source};

/// Reads a `.json`, `.yaml` or `.yml` source.
pub(crate) fn read(source: &Source) -> Result<Value, Diagnostic> {
    match source.extension() {
        "json" => serde_json::from_str(&source.text).map_err(|error| {
            Diagnostic::new(&source.name, error.line(), error.column(), error.to_string())
        }),
        _ => {
            let tree: yaml_serde::Value = yaml_serde::from_str(&source.text).map_err(|error| {
                let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
                Diagnostic::new(&source.name, line, column, error.to_string())
            })?;
            Ok(json(tree))
        }
    }
}

/// YAML has keys that are not strings, such as the status code `200`; JSON has not.
fn json(tree: yaml_serde::Value) -> Value {
    use yaml_serde::Value as Yaml;
    match tree {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => Value::Bool(value),
        Yaml::Number(number) => number
            .as_i64()
            .map(Number::from)
            .or_else(|| number.as_u64().map(Number::from))
            .or_else(|| number.as_f64().and_then(Number::from_f64))
            .map_or(Value::Null, Value::Number),
        Yaml::String(text) => Value::String(text),
        Yaml::Sequence(items) => Value::Array(items.into_iter().map(json).collect()),
        Yaml::Mapping(mapping) => Value::Object(
            mapping
                .into_iter()
                .filter_map(|(key, value)| Some((key_text(&key)?, json(value))))
                .collect::<Map<_, _>>(),
        ),
        Yaml::Tagged(tagged) => json(tagged.value),
    }
}

fn key_text(key: &yaml_serde::Value) -> Option<String> {
    use yaml_serde::Value as Yaml;
    match key {
        Yaml::String(text) => Some(text.clone()),
        Yaml::Number(number) => Some(number.to_string()),
        Yaml::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}
