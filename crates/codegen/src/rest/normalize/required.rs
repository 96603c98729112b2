//! Required fields of types that are received. In a response any of them may be missing, so the type
//! generator must not see them as required: they are recorded in the schema, and extracted before
//! types are generated. They are written even if they are empty, and required by the constructors of
//! types that are sent, too. The fields that may be absent *or* null are recorded likewise.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::naming;
use crate::rest::tree::{MERGED, is_true, operations_mut, says_type, target, within_mut};

/// The keyword under which a schema has its required fields.
const REQUIRED_FIELDS: &str = "x-required_fields";

/// The keyword under which a schema has the fields that may be absent or null.
pub(super) const OPTIONAL_NULLS: &str = "x-optional_nulls";

/// The required fields by the name of their type, and whether each may be null.
pub(crate) type RequiredFields = BTreeMap<String, BTreeMap<String, bool>>;

/// The fields that may be absent or null, by the name of their type.
pub(crate) type OptionalNulls = BTreeMap<String, BTreeSet<String>>;

/// Records the required fields of an object.
pub(super) fn mark(schema: &mut Value, required: &[Value], fields: &Value) {
    let names = required.iter().filter_map(Value::as_str);
    let required_fields: Map<_, _> =
        names.map(|name| (name.to_owned(), json!(permits_null(&fields[name])))).collect();
    // The fields of a union that was merged into one object are not those of one branch.
    if !required_fields.is_empty() && schema.get(MERGED).is_none() {
        schema[REQUIRED_FIELDS] = Value::Object(required_fields);
    }
}

fn may_be_null(schema: &Value) -> bool {
    let values = schema.get("enum").and_then(Value::as_array);
    is_true(schema, "nullable") || values.is_some_and(|it| it.contains(&Value::Null))
}

/// Returns true for any value, too.
fn permits_null(schema: &Value) -> bool {
    may_be_null(schema) || !says_type(schema)
}

/// Records the fields of every object that may be absent or null, and marks references to what may
/// be null. Whether a named schema may be null is known only until the schemas are normalized.
pub(super) fn mark_optional_nulls(schemas: &mut Map<String, Value>, paths: &mut Value) {
    let names = |holds: fn(&Value) -> bool| {
        let mut found = BTreeSet::new();
        // An alias of an alias takes one more round.
        loop {
            let is_new = |name: &str, schema: &Value| {
                let is_alias = referred(schema).is_some_and(|it| found.contains(it));
                !found.contains(name) && (is_alias || holds(schema))
            };
            let more = schemas.iter().filter(|(name, schema)| is_new(name, schema));
            let more: Vec<String> = more.map(|(name, _)| name.clone()).collect();
            if more.is_empty() {
                break found;
            }
            found.extend(more);
        }
    };
    let nullable = Nullable { names: names(may_be_null), with_any: names(permits_null) };
    schemas.values_mut().for_each(|schema| mark_nulls(schema, &nullable));
    for operation in operations_mut(paths) {
        if let Some(schema) = operation.pointer_mut("/requestBody/content/application~1json/schema")
        {
            mark_nulls(schema, &nullable);
        }
    }
}

/// The named schemas that may be null.
struct Nullable {
    names: BTreeSet<String>,
    /// These, and those of any value.
    with_any: BTreeSet<String>,
}

/// The name of the schema to which a value refers, perhaps with other keywords beside it.
fn referred(schema: &Value) -> Option<&str> {
    match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) => target(only),
        _ => target(schema),
    }
}

fn mark_nulls(schema: &mut Value, nullable: &Nullable) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_required = |name: &str| required.iter().any(|it| it == name);
    for (keys, schema) in within_mut(schema) {
        // Where null is not the same as an absent value.
        let is_marked = referred(schema).is_some_and(|target| match keys[0].as_str() {
            "properties" => is_required(&keys[1]) && nullable.with_any.contains(target),
            "items" | "additionalProperties" => nullable.names.contains(target),
            _ => false,
        });
        if is_marked {
            if schema.get("$ref").is_some() {
                *schema = json!({ "allOf": [schema] });
            }
            schema["nullable"] = json!(true);
        }
        mark_nulls(schema, nullable);
    }
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return };
    let names = fields.iter().filter(|(name, field)| {
        let is_null =
            may_be_null(field) || referred(field).is_some_and(|it| nullable.names.contains(it));
        is_null && !is_required(name) && !is_true(field, "readOnly")
    });
    let names: Vec<_> = names.map(|(name, _)| json!(name)).collect();
    // The fields of a union that was merged into one object are not those of one branch.
    if !names.is_empty() && schema.get(MERGED).is_none() {
        schema[OPTIONAL_NULLS] = Value::Array(names);
    }
}

/// Extracts the required fields of all schemas, and those that may be absent or null.
pub(super) fn extract(schemas: &mut Map<String, Value>) -> (RequiredFields, OptionalNulls) {
    let (mut required_fields, mut nulls) = (RequiredFields::new(), OptionalNulls::new());
    for (name, schema) in schemas {
        let name = naming::cased(name);
        if let Some(Value::Object(fields)) = schema.get(REQUIRED_FIELDS) {
            let fields = fields.iter().map(|(name, it)| (name.clone(), *it == json!(true)));
            required_fields.insert(name.clone(), fields.collect());
        }
        if let Some(Value::Array(fields)) = schema.get(OPTIONAL_NULLS) {
            let fields = fields.iter().filter_map(Value::as_str).map(str::to_owned);
            nulls.insert(name, fields.collect());
        }
        remove_all(schema);
    }
    (required_fields, nulls)
}

fn remove_all(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.remove(REQUIRED_FIELDS);
            object.remove(OPTIONAL_NULLS);
            object.values_mut().for_each(remove_all);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_all),
        _ => {}
    }
}
