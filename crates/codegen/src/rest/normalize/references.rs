//! References of a description.

use serde_json::Value;

/// What the references to named schemas begin with.
pub(super) const PREFIX: &str = "#/components/schemas/";

/// Follows `$ref`s to another place of the same document, a limited number of times because
/// two of them may point at each other.
pub(in crate::rest) fn resolve<'a>(
    description: &'a Value,
    mut value: &'a Value,
) -> Option<&'a Value> {
    for _ in 0..32 {
        match value.get("$ref") {
            Some(Value::String(target)) => {
                value = description.pointer(target.strip_prefix('#')?)?;
            }
            _ => return Some(value),
        }
    }
    None
}

/// The same for a value at a place, with the place that its references lead to.
pub(super) fn resolve_to<'a>(
    description: &'a Value,
    mut value: &'a Value,
    place: &str,
) -> Option<(&'a Value, String)> {
    let mut place = place.to_owned();
    for _ in 0..32 {
        match value.get("$ref") {
            Some(Value::String(target)) => {
                place = target.clone();
                value = description.pointer(place.strip_prefix('#')?)?;
            }
            _ => return Some((value, place)),
        }
    }
    None
}

/// The names of the schemas that a value refers to.
pub(super) fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if let Some(name) = target(value) {
                found.push(name.to_owned());
            }
            object.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// The named schema that a value refers to.
pub(super) fn target(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()?.strip_prefix(PREFIX)
}
