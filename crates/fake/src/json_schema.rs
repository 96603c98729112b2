//! Rewriting of the schemas of an OpenAPI description into JSON Schema 2020-12, in their places.
//!
//! OpenAPI 3.1 and 3.2 use JSON Schema 2020-12; the schemas of 3.0 differ in four ways: `nullable`
//! permits null beside a `type`, `exclusiveMinimum` and `exclusiveMaximum` are flags, and keywords
//! beside a `$ref` are ignored. In all versions a discriminator decides which branch of a union a
//! value belongs to: JSON Schema does not know it, so that each branch gets its tags as an `enum`.

use serde_json::{Map, Value, json};

use crate::discriminator::Discriminator;
use crate::pointer::{escaped, pointer_of};

/// Keywords whose value is a schema.
const ONE: [&str; 11] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// Keywords whose value is a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// Keywords whose value has a schema for each name.
const MAPS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Rewrites all schemas of a description.
pub(crate) fn rewrite(description: &mut Value) {
    let whole = description.clone();
    let version = whole.get("openapi").and_then(Value::as_str).unwrap_or_default();
    let dialect = Dialect { is_3_0: version.starts_with("3.0"), whole: &whole };
    let Value::Object(all) = description else { return };
    for (key, value) in all {
        match key.as_str() {
            "components" => {
                for (kind, named) in objects(value) {
                    for (_, value) in objects(named) {
                        if kind == "schemas" { dialect.schema(value) } else { dialect.part(value) }
                    }
                }
            }
            "paths" | "webhooks" => objects(value).for_each(|(_, item)| dialect.part(item)),
            _ => {}
        }
    }
}

/// Makes the properties with this flag, or whose schema has it, optional, wherever a schema requires
/// them: `readOnly` ones in requests, `writeOnly` ones in responses.
pub(crate) fn make_optional(value: &mut Value, flag: &str, whole: &Value) {
    match value {
        Value::Object(all) => {
            let has_flag = |name: &Value| {
                let property = all.get("properties").and_then(|it| it.get(name.as_str()?));
                let reference = property.and_then(|it| it.get("$ref")).and_then(Value::as_str);
                let target = reference.and_then(pointer_of).and_then(|it| whole.pointer(&it));
                [property, target]
                    .into_iter()
                    .flatten()
                    .any(|it| it.get(flag) == Some(&json!(true)))
            };
            let required = all.get("required").and_then(Value::as_array);
            let left = required.map(|it| it.iter().filter(|it| !has_flag(it)).cloned().collect());
            if let Some(left) = left {
                all.insert("required".to_owned(), Value::Array(left));
            }
            all.values_mut().for_each(|it| make_optional(it, flag, whole));
        }
        Value::Array(items) => items.iter_mut().for_each(|it| make_optional(it, flag, whole)),
        _ => {}
    }
}

fn objects(value: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    value.as_object_mut().into_iter().flatten()
}

struct Dialect<'a> {
    is_3_0: bool,
    /// The description before it is rewritten.
    whole: &'a Value,
}

impl Dialect<'_> {
    /// A path item, an operation, a parameter, a response or a part of these.
    fn part(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|it| self.part(it)),
            Value::Object(all) => {
                for (key, value) in all {
                    match key.as_str() {
                        "schema" | "itemSchema" => self.schema(value),
                        "example" | "examples" => {}
                        // The keys below are names.
                        "content" | "headers" | "responses" | "callbacks" | "encoding" => {
                            objects(value).for_each(|(_, it)| self.part(it));
                        }
                        _ => self.part(value),
                    }
                }
            }
            _ => {}
        }
    }

    fn schema(&self, value: &mut Value) {
        let Value::Object(schema) = value else { return };
        if self.is_3_0 {
            from_3_0(schema);
        }
        // Published descriptions have such mistakes, for which a validator refuses the whole schema.
        schema.retain(|key, value| is_well_formed(key, value));
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            required.dedup();
        }
        self.refer(schema);
        if schema.get("items").is_some_and(Value::is_array) {
            let items = schema.remove("items").unwrap_or_default();
            schema.insert("prefixItems".to_owned(), items);
        }
        self.discriminate(schema);
        for (key, value) in schema {
            let key = key.as_str();
            if ONE.contains(&key) {
                self.schema(value);
            } else if LISTS.contains(&key) {
                value.as_array_mut().into_iter().flatten().for_each(|it| self.schema(it));
            } else if MAPS.contains(&key) {
                objects(value).for_each(|(_, it)| self.schema(it));
            }
        }
    }

    /// Makes a reference one that the validator can follow. One that leads nowhere is any value.
    fn refer(&self, schema: &mut Map<String, Value>) {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return };
        let target = pointer_of(reference).filter(|it| self.whole.pointer(it).is_some());
        match target {
            // A name may have characters that no URL has.
            Some(target) => {
                schema.insert("$ref".to_owned(), json!(format!("#{}", escaped(&target))))
            }
            None => schema.remove("$ref"),
        };
    }

    /// Lets each branch of a union with a discriminator require its own tags, as OpenAPI means it
    /// and JSON Schema does not say. The default branch needs no tag, and has none of the others.
    fn discriminate(&self, schema: &mut Map<String, Value>) {
        let Some(stated) = schema.get("discriminator").cloned() else { return };
        let Some(discriminator) = Discriminator::of(self.whole, &stated) else { return };
        let tag = discriminator.property;
        for key in ["oneOf", "anyOf"] {
            let branches = schema.get_mut(key).and_then(Value::as_array_mut);
            let branches: Vec<_> = branches.into_iter().flatten().collect();
            let reference = |it: &Value| it.get("$ref").and_then(Value::as_str).map(str::to_owned);
            let tags = branches
                .iter()
                .filter_map(|it| reference(it).map(|it| (discriminator.tags(&it), it)));
            let tags: Vec<(Vec<Value>, String)> = tags.collect();
            for branch in branches {
                let Some(reference) = reference(branch) else { continue };
                let (own, others): (Vec<_>, Vec<_>) =
                    tags.iter().partition(|(_, it)| *it == reference);
                let all = |of: Vec<&(Vec<Value>, String)>| -> Vec<Value> {
                    of.into_iter().flat_map(|(tags, _)| tags.clone()).collect()
                };
                *branch = match discriminator.is_default(&reference) {
                    true => json!({
                        "allOf": [{ "$ref": reference }],
                        "properties": { tag: { "not": { "enum": all(others) } } },
                    }),
                    false => json!({
                        "allOf": [{ "$ref": reference }],
                        "properties": { tag: { "enum": all(own) } },
                        "required": [tag],
                    }),
                };
            }
        }
    }
}

/// Returns true if a keyword has a value that JSON Schema permits.
fn is_well_formed(key: &str, value: &Value) -> bool {
    const TYPES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];
    let is_type = |it: &Value| it.as_str().is_some_and(|it| TYPES.contains(&it));
    let is_schema = |it: &Value| it.is_object() || it.is_boolean();
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    match key {
        "type" => is_type(value) || (!list.is_empty() && list.iter().all(is_type)),
        "$ref" | "title" | "description" | "format" | "pattern" => value.is_string(),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|it| it > 0.0),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
        "required" => value.is_array() && list.iter().all(Value::is_string),
        "enum" | "examples" => value.is_array(),
        "items" => is_schema(value) || !list.is_empty(),
        // These members would change the base of references.
        "$id" | "$schema" => false,
        _ if ONE.contains(&key) => is_schema(value),
        _ if LISTS.contains(&key) => !list.is_empty(),
        _ if MAPS.contains(&key) => value.is_object(),
        _ => true,
    }
}

fn from_3_0(schema: &mut Map<String, Value>) {
    if schema.get("$ref").is_some_and(Value::is_string) {
        schema.retain(|key, _| key == "$ref");
        return;
    }
    for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        match schema.get(flag) {
            Some(Value::Bool(true)) => {
                schema.remove(flag);
                if let Some(limit) = schema.remove(bound) {
                    schema.insert(flag.to_owned(), limit);
                }
            }
            Some(Value::Bool(false)) => {
                schema.remove(flag);
            }
            _ => {}
        }
    }
    // A branch of a union that says nothing else is null, which has no type of its own.
    for key in ["oneOf", "anyOf"] {
        for branch in schema.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            let is_null = branch.get("nullable") == Some(&Value::Bool(true));
            let mut keys = branch.as_object().into_iter().flat_map(Map::keys);
            if is_null && keys.all(|it| ["nullable", "title", "description"].contains(&it.as_str()))
            {
                *branch = json!({ "type": "null" });
            }
        }
    }
    if schema.get("nullable") == Some(&Value::Bool(true))
        && let Some(Value::String(kind)) = schema.get("type")
    {
        let kinds = json!([kind, "null"]);
        schema.insert("type".to_owned(), kinds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_of_3_0_become_json_schema_in_their_places() {
        let mut description = json!({
            "openapi": "3.0.3",
            "paths": { "/a": { "get": { "responses": { "200": { "content": { "application/json": {
                "schema": { "type": "string", "nullable": true },
                "example": { "schema": { "type": "string", "nullable": true } },
            } } } } } } },
            "components": {
                "schemas": { "schema": { "properties": { "n": {
                    "type": "integer", "minimum": 1, "exclusiveMinimum": true,
                    "maximum": 9, "exclusiveMaximum": false,
                }, "of": { "$ref": "#/openapi", "nullable": true },
                "union": { "anyOf": [{ "type": "string" }, { "nullable": true }] } } } },
            },
        });
        rewrite(&mut description);
        let media =
            &description["paths"]["/a"]["get"]["responses"]["200"]["content"]["application/json"];
        assert_eq!(media["schema"]["type"], json!(["string", "null"]));
        assert_eq!(media["example"]["schema"]["type"], "string");
        let properties = &description["components"]["schemas"]["schema"]["properties"];
        let number = json!({ "type": "integer", "exclusiveMinimum": 1, "maximum": 9 });
        assert_eq!(properties["n"], number);
        assert_eq!(properties["of"], json!({ "$ref": "#/openapi" }));
        assert_eq!(properties["union"]["anyOf"][1], json!({ "type": "null" }));
    }

    #[test]
    fn schemas_of_3_1_keep_what_is_beside_a_reference() {
        let mut description = json!({
            "openapi": "3.1.0",
            "components": { "schemas": { "a": { "$ref": "#/openapi", "minimum": 1 } } },
        });
        let before = description.clone();
        rewrite(&mut description);
        assert_eq!(description, before);
    }
}
