//! Definitions of a schema's own.

use serde_json::Value;

use crate::rest::normalize::places;
use crate::rest::pointer::joined;

/// Makes references to definitions that a schema has for itself ones from the top of the document.
pub(super) fn anchor_all(description: &mut Value) {
    places::each_schema(description, &mut anchor_within);
}

fn anchor_within(schema: &mut Value, place: &str) {
    local_definitions(schema, place);
    for (keys, schema) in places::within_mut(schema) {
        anchor_within(schema, &joined(place, &keys));
    }
}

/// `#/$defs/Name` is meant from the schema that has such a `$defs`, where the document has none.
fn local_definitions(schema: &mut Value, place: &str) {
    for key in ["$defs", "definitions"] {
        if let Some(Value::Object(definitions)) = schema.get(key).cloned() {
            let names: Vec<_> = definitions.keys().cloned().collect();
            anchor(schema, &format!("#/{key}/"), &names, &format!("{place}/{key}/"));
        }
    }
}

fn anchor(value: &mut Value, from: &str, names: &[String], to: &str) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get_mut("$ref")
                && let Some(name) = target.strip_prefix(from)
                && names.iter().any(|known| known == name)
            {
                *target = format!("{to}{name}");
            }
            object.values_mut().for_each(|value| anchor(value, from, names, to));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| anchor(value, from, names, to)),
        _ => {}
    }
}
