//! Normalization of schemas: constructs that progenitor rejects, or that would make a type refuse a
//! response.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::required;
use super::secret_fields::SECRET_FIELDS;
use crate::rest::tree::{
    LOOSE, drop_null_of_collections, is_text, is_true, operations_mut, remove,
};

/// Usage of a schema: the messages that contain it, directly or transitively.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Usage {
    /// In requests only.
    Sent,
    /// In responses only.
    Received,
    Both,
}

impl Usage {
    fn is_received(self) -> bool {
        self != Self::Sent
    }
}

/// Normalizes the schemas of operations.
pub(super) fn normalize_paths(paths: &mut Value) {
    for operation in operations_mut(paths) {
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            normalize(&mut parameter["schema"], Usage::Sent);
            remove(&mut parameter["schema"], &["nullable"]);
        }
        for (path, usage) in [
            ("/requestBody/content/application~1json/schema", Usage::Sent),
            ("/responses/2XX/content/application~1json/schema", Usage::Received),
        ] {
            if let Some(schema) = operation.pointer_mut(path) {
                normalize(schema, usage);
                drop_null_of_collections(schema);
            }
        }
    }
}

/// Normalizes a named schema. Whether a value may be null is decided at each reference to it.
pub(super) fn normalize_named(schema: &mut Value, usage: Usage) {
    normalize(schema, usage);
    remove(schema, &["nullable"]);
    // An alias of a schema is that schema.
    if let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        *schema = only.clone();
    }
}

/// Normalizes a schema and all schemas within it. In one that responses contain, no field is
/// required.
pub(super) fn normalize(schema: &mut Value, usage: Usage) {
    if !schema.is_object() {
        // `true`, and anything else that is not an object, is any value.
        *schema = json!({});
        return;
    }
    if let Some(target) = schema.get("$ref") {
        *schema = json!({ "$ref": target });
        return;
    }
    if usage.is_received() && is_true(schema, LOOSE) {
        *schema = any_value(schema);
    }
    drop_annotations(schema);
    drop_defaults(schema);
    let format = format(schema);
    drop_constraints(schema);
    if let Some(format) = format {
        schema["format"] = format;
    }
    name_the_type(schema);
    normalize_enum(schema);
    keep_undescribed(schema);
    normalize_map(schema);
    normalize_required(schema, usage);
    normalize_within(schema, usage);
}

/// The format that decides the type of a schema's values.
fn format(schema: &Value) -> Option<Value> {
    let format = schema.get("format")?;
    let decides = match schema["type"].as_str() {
        Some("integer") => format == "uint64",
        // Lowering keeps these only where they become types.
        Some("string") => {
            ["date-time", "date", "uuid"].iter().any(|it| format == it)
                && schema.get("enum").is_none()
        }
        _ => false,
    };
    decides.then(|| format.clone())
}

/// Any value, with the description of a schema that promises more than responses keep.
fn any_value(schema: &Value) -> Value {
    match schema.get("description") {
        Some(words) => json!({ "description": words }),
        None => json!({}),
    }
}

fn normalize_within(schema: &mut Value, usage: Usage) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    for (key, value) in object {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    normalize(schema, usage);
                    // An optional property is nullable anyway.
                    if !required.as_array().is_some_and(|it| it.iter().any(|it| it == name)) {
                        remove(schema, &["nullable"]);
                    }
                }
            }
            ("additionalProperties" | "items" | "not", value) if !value.is_boolean() => {
                normalize(value, usage);
            }
            ("allOf" | "oneOf" | "anyOf", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(|schema| normalize(schema, usage));
            }
            _ => {}
        }
    }
}

/// Removes examples that contradict their schema (`null` for a string), malformed
/// hints for other tools, and extensions that name types of another generator. None of them affects
/// the values on the wire.
fn drop_annotations(schema: &mut Value) {
    remove(
        schema,
        &[
            "example",
            "examples",
            "externalDocs",
            "xml",
            "discriminator",
            "readOnly",
            "writeOnly",
            "$defs",
            "definitions",
        ],
    );
    if let Some(object) = schema.as_object_mut() {
        object.retain(|key, _| {
            !key.starts_with("x-")
                || [required::OPTIONAL_NULLS, SECRET_FIELDS].contains(&key.as_str())
        });
    }
}

/// Removes a default outside its enum, or of another type than its schema. One that
/// conforms would put a value into a response that the service did not send.
fn drop_defaults(schema: &mut Value) {
    remove(schema, &["default"]);
}

/// Removes lengths, ranges, patterns and formats. They become types that refuse
/// responses: an empty string where an IPv4 address is expected, a name of 192 characters.
fn drop_constraints(schema: &mut Value) {
    remove(
        schema,
        &[
            "format",
            "pattern",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minItems",
            "maxItems",
            "uniqueItems",
            "minProperties",
            "maxProperties",
        ],
    );
}

/// Adds a type that is missing, and implied by other keywords.
fn name_the_type(schema: &mut Value) {
    if schema.get("type").is_some() {
        return;
    }
    let kind = if schema.get("properties").is_some() || schema.get("additionalProperties").is_some()
    {
        "object"
    } else if schema.get("items").is_some() {
        "array"
    } else if is_text(schema) {
        "string"
    } else {
        return;
    };
    schema["type"] = json!(kind);
}

/// Normalizes enums with repeated values, with null, without values, of numbers, or of
/// several types. Only an enum of strings becomes a type of its own.
fn normalize_enum(schema: &mut Value) {
    let Some(Value::Array(values)) = schema.get("enum").cloned() else {
        remove(schema, &["enum"]);
        return;
    };
    if values.contains(&Value::Null) {
        schema["nullable"] = json!(true);
    }
    let mut seen = HashSet::new();
    let all_text = values.iter().all(|value| value.is_string() || value.is_null());
    let texts: Vec<_> = values
        .iter()
        .filter_map(Value::as_str)
        .filter(|text| seen.insert(*text))
        .map(|text| json!(text))
        .collect();
    if texts.is_empty() || !all_text || schema["type"] != json!("string") {
        remove(schema, &["enum"]);
    } else {
        schema["enum"] = Value::Array(texts);
    }
}

/// A field that is required and not described is one of the further fields of its object, which are
/// kept.
fn keep_undescribed(schema: &mut Value) {
    let fields = schema.get("properties").and_then(Value::as_object);
    let Some(fields) = fields.filter(|it| !it.is_empty()) else { return };
    let mut required =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let is_described = |name: &str| fields.contains_key(name);
    if !required.all(is_described) && schema.get("additionalProperties").is_none() {
        schema["additionalProperties"] = json!(true);
    }
}

/// Normalizes a map written as an object with `items`. An object with named fields
/// keeps further ones only if the description permits them.
fn normalize_map(schema: &mut Value) {
    if schema["type"] != json!("object") {
        remove(schema, &["properties", "additionalProperties"]);
        if schema["type"] != json!("array") {
            remove(schema, &["items"]);
        }
        return;
    }
    let has_fields = schema["properties"].as_object().is_some_and(|fields| !fields.is_empty());
    if has_fields {
        remove(schema, &["items"]);
    } else {
        remove(schema, &["properties"]);
        if let Some(items) = schema.get("items").cloned() {
            schema["additionalProperties"] = items;
            remove(schema, &["items"]);
        }
    }
    match schema.get("additionalProperties") {
        Some(Value::Bool(false)) => remove(schema, &["additionalProperties"]),
        Some(values) if has_fields && values.is_boolean() => {
            // `true` is the default of `additionalProperties`.
            schema["additionalProperties"] = json!({});
        }
        _ => {}
    }
}

/// A field that is missing or null must not make the rest of a response unreadable. Required fields
/// that are not described have no type.
fn normalize_required(schema: &mut Value, usage: Usage) {
    let fields = schema.get("properties").cloned().unwrap_or_default();
    let described = |name: &Value| name.as_str().is_some_and(|it| fields.get(it).is_some());
    let is_read_only = |name: &Value| {
        let field = name.as_str().and_then(|it| fields.get(it));
        field.is_some_and(|it| is_true(it, "readOnly"))
    };
    let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) else { return };
    // A read-only field is never sent.
    required.retain(|name| described(name) && (usage == Usage::Received || !is_read_only(name)));
    if usage.is_received() {
        let required = required.clone();
        required::mark(schema, &required, &fields);
    }
    if usage.is_received() || schema["required"] == json!([]) {
        remove(schema, &["required"]);
    }
}
