//! Required fields of types that are both sent and received. In a response any of them may be
//! missing, so the type generator must not see them as required: they are recorded in the schema,
//! and extracted before types are generated.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::rest::tree::{MERGED, is_true};

/// The keyword under which a schema has its required fields.
const REQUIRED_FIELDS: &str = "x-required_fields";

/// The required fields by the name of their type, and whether each may be null.
pub(crate) type RequiredFields = BTreeMap<String, BTreeMap<String, bool>>;

/// Records the required fields of an object.
pub(super) fn mark(schema: &mut Value, required: &[Value], fields: &Value) {
    let may_be_null = |field: &Value| {
        let values = field.get("enum").and_then(Value::as_array);
        is_true(field, "nullable") || values.is_some_and(|it| it.contains(&Value::Null))
    };
    let names = required.iter().filter_map(Value::as_str);
    let required_fields: Map<_, _> =
        names.map(|name| (name.to_owned(), json!(may_be_null(&fields[name])))).collect();
    // The fields of a union that was merged into one object are not those of one branch.
    if !required_fields.is_empty() && schema.get(MERGED).is_none() {
        schema[REQUIRED_FIELDS] = Value::Object(required_fields);
    }
}

/// Extracts the required fields of all schemas.
pub(super) fn take(schemas: &mut Map<String, Value>) -> RequiredFields {
    let mut required_fields = RequiredFields::new();
    for (name, schema) in schemas {
        if let Some(Value::Object(fields)) = schema.get(REQUIRED_FIELDS) {
            let fields = fields.iter().map(|(name, it)| (name.clone(), *it == json!(true)));
            required_fields.insert(name.clone(), fields.collect());
        }
        remove_all(schema);
    }
    required_fields
}

fn remove_all(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove(REQUIRED_FIELDS);
            object.values_mut().for_each(remove_all);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_all),
        _ => {}
    }
}
