//! Secret fields by their format: texts of the format `password`, whatever their names. Debug output
//! redacts them, like those whose names say that they are secret.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::naming;
use crate::rest::tree::{SECRET, is_true, operations_mut, target, within_mut};

/// The keyword under which a schema has its secret fields.
pub(super) const SECRET_FIELDS: &str = "x-secret_fields";

/// The names on the wire of the secret fields, by the name of their type.
pub(crate) type SecretFields = BTreeMap<String, BTreeSet<String>>;

/// Records the secret fields of every object: those whose values, or the items of whose lists and maps,
/// are secret.
pub(super) fn mark(schemas: &mut Map<String, Value>, paths: &mut Value) {
    let mut named = BTreeSet::new();
    // An alias of an alias takes one more round.
    loop {
        let more = schemas.iter().filter(|(name, it)| !named.contains(*name) && holds(it, &named));
        let more: Vec<String> = more.map(|(name, _)| name.clone()).collect();
        if more.is_empty() {
            break;
        }
        named.extend(more);
    }
    schemas.values_mut().for_each(|schema| mark_within(schema, &named));
    for operation in operations_mut(paths) {
        for place in [
            "/requestBody/content/application~1json/schema",
            "/responses/2XX/content/application~1json/schema",
        ] {
            operation.pointer_mut(place).into_iter().for_each(|it| mark_within(it, &named));
        }
    }
}

/// Returns true if a schema is a secret text, or a list, a map or a union of such.
fn holds(schema: &Value, named: &BTreeSet<String>) -> bool {
    let parts = ["allOf", "oneOf", "anyOf"].iter().filter_map(|it| schema.get(it)?.as_array());
    let items = ["items", "additionalProperties"].iter().filter_map(|it| schema.get(it));
    let is_map = schema.get("properties").is_none();
    is_true(schema, SECRET)
        || target(schema).is_some_and(|it| named.contains(it))
        || parts.flatten().chain(items.filter(|_| is_map)).any(|it| holds(it, named))
}

fn mark_within(schema: &mut Value, named: &BTreeSet<String>) {
    let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let secret = fields.filter(|(_, it)| holds(it, named)).map(|(name, _)| json!(name));
    let secret: Vec<_> = secret.collect();
    if !secret.is_empty() {
        schema[SECRET_FIELDS] = Value::Array(secret);
    }
    within_mut(schema).into_iter().for_each(|(_, it)| mark_within(it, named));
}

/// Extracts the secret fields of all schemas. The objects within a union are those of its type.
pub(super) fn extract(schemas: &mut Map<String, Value>) -> SecretFields {
    let all = schemas.iter_mut().filter_map(|(name, schema)| {
        let mut fields = BTreeSet::new();
        take(schema, &mut fields);
        (!fields.is_empty()).then(|| (naming::cased(name), fields))
    });
    all.collect()
}

fn take(value: &mut Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            let fields = object.remove(SECRET_FIELDS);
            let fields = fields.iter().filter_map(Value::as_array).flatten();
            found.extend(fields.filter_map(Value::as_str).map(str::to_owned));
            object.values_mut().for_each(|it| take(it, found));
        }
        Value::Array(items) => items.iter_mut().for_each(|it| take(it, found)),
        _ => {}
    }
}
