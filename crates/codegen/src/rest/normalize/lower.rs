//! Lowering of schemas from OpenAPI 3.1 to 3.0.
//!
//! 3.1 has another notation for some constructs of 3.0: `type: [string, 'null']` for a nullable
//! string, `const` for an enum of one value, keywords beside a `$ref`. Descriptions that declare
//! version 3.0 contain these, too, so all are lowered.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::warnings::Warnings;
use crate::rest::formats::Formats;
use crate::rest::media::has_binary_content;
use crate::rest::pointer::{joined, keys};
use crate::rest::tree::{self, FIRST, LOOSE, SECRET, TAG, URL};

/// Lowers every schema of a description.
pub(super) fn lower(description: &mut Value, formats: Formats, warnings: &mut Warnings<'_>) {
    let version = description.get("openapi").and_then(Value::as_str).unwrap_or_default();
    let is_3_0 = version.starts_with("3.0");
    let whole = description.clone();
    tree::each_schema(description, &mut |schema, place| {
        if is_3_0 {
            reference_decides_the_type(schema);
        }
        lower_schema(schema, &whole, place, formats, warnings);
    });
}

/// In 3.0 a reference decides the type alone. A `type` beside it may contradict it, and then the value
/// would have no type.
fn reference_decides_the_type(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut().filter(|it| it.contains_key("$ref")) {
        object.remove("type");
    }
    tree::within_mut(schema).into_iter().for_each(|(_, it)| reference_decides_the_type(it));
}

fn lower_schema(
    schema: &mut Value,
    whole: &Value,
    place: &str,
    formats: Formats,
    warnings: &mut Warnings<'_>,
) {
    let Some(object) = schema.as_object_mut() else {
        // `true` and `false`, and anything else that is not an object.
        *schema = json!({});
        return;
    };
    conditional(object, whole, place, warnings);
    constant(object);
    type_of_values(object);
    null_among_values(object);
    several_types(object);
    tuple(object);
    unevaluated_properties(object);
    pattern_properties(object);
    file(object);
    keep_paging_hints(object);
    keep_secrecy(object);
    well_formed(object, formats);
    default_conforms(object, place, warnings);
    beside_a_reference(object);
    for (keys, schema) in tree::within_mut(schema) {
        lower_schema(schema, whole, &joined(place, &keys), formats, warnings);
    }
}

/// The fields that an object has under a condition (`then`, `else`, `dependentSchemas`) are optional
/// ones. A field that has several schemas has any of them, and one that the object, or a schema that
/// it is composed of, describes anyway is what that says: a condition only restricts it.
fn conditional(
    schema: &mut Map<String, Value>,
    whole: &Value,
    place: &str,
    warnings: &mut Warnings<'_>,
) {
    let mut found = Conditional::default();
    found.take(schema);
    if found.is_incomplete {
        let message = format!(
            "{place}: what it has under a condition is described by other schemas, whose fields are \
             left out; list them among the properties"
        );
        warnings.warn(&keys(place), message);
    }
    if found.fields.is_empty() {
        return;
    }
    let mut known = Described { whole, names: BTreeSet::new(), followed: BTreeSet::new() };
    known.add(schema);
    let names = known.names;
    let fields = schema.entry("properties").or_insert_with(|| json!({}));
    let Some(fields) = fields.as_object_mut() else { return };
    for (name, mut schemas) in found.fields {
        if !names.contains(&name) {
            let one = if schemas.len() == 1 { schemas.pop() } else { None };
            fields.insert(name, one.unwrap_or_else(|| json!({ "anyOf": schemas })));
        }
    }
    if fields.is_empty() {
        schema.remove("properties");
    }
}

/// The names of the fields that a schema and those that it is composed of describe.
struct Described<'a> {
    whole: &'a Value,
    names: BTreeSet<String>,
    followed: BTreeSet<String>,
}

impl Described<'_> {
    fn add(&mut self, schema: &Map<String, Value>) {
        let fields = schema.get("properties").and_then(Value::as_object).into_iter();
        self.names.extend(fields.flat_map(Map::keys).cloned());
        for part in ["allOf", "oneOf", "anyOf"] {
            let parts = schema.get(part).and_then(Value::as_array).into_iter().flatten();
            parts.filter_map(Value::as_object).for_each(|part| self.add(part));
        }
        let to = schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
        if let Some(to) = to.filter(|to| self.followed.insert((*to).to_owned())) {
            let whole = self.whole;
            whole.pointer(to).and_then(Value::as_object).into_iter().for_each(|it| self.add(it));
        }
    }
}

/// The fields that an object has under conditions, each with the schemas that it has there.
#[derive(Default)]
struct Conditional {
    fields: BTreeMap<String, Vec<Value>>,
    /// A condition leads to schemas whose fields are not seen here.
    is_incomplete: bool,
}

impl Conditional {
    /// Takes the conditions out of a schema, and out of the parts of its `allOf`.
    fn take(&mut self, schema: &mut Map<String, Value>) {
        schema.remove("if");
        let both = ["then", "else"].into_iter().filter_map(|key| schema.remove(key));
        let mut found: Vec<_> = both.collect();
        if let Some(Value::Object(dependent)) = schema.remove("dependentSchemas") {
            found.extend(dependent.into_iter().map(|(_, schema)| schema));
        }
        found.into_iter().for_each(|it| self.add(it));
        let parts = schema.get_mut("allOf").and_then(Value::as_array_mut).into_iter().flatten();
        parts.filter_map(Value::as_object_mut).for_each(|part| self.take(part));
    }

    /// Adds the fields of a schema that holds under a condition.
    fn add(&mut self, schema: Value) {
        let Value::Object(mut schema) = schema else { return };
        self.take(&mut schema);
        self.is_incomplete |= ["$ref", "oneOf", "anyOf"].iter().any(|it| schema.contains_key(*it));
        if let Some(Value::Array(parts)) = schema.remove("allOf") {
            parts.into_iter().for_each(|part| self.add(part));
        }
        if let Some(Value::Object(fields)) = schema.remove("properties") {
            for (name, schema) in fields {
                let known = self.fields.entry(name).or_default();
                if !known.contains(&schema) {
                    known.push(schema);
                }
            }
        }
    }
}

/// `const` is an enum of one value.
fn constant(schema: &mut Map<String, Value>) {
    if let Some(value) = schema.remove("const") {
        if !schema.contains_key("type")
            && let Some(kind) = kind_of(&value)
        {
            schema.insert("type".to_owned(), json!(kind));
        }
        schema.insert("enum".to_owned(), json!([value]));
    }
}

/// An enum of numbers or booleans that has no type has that of its values. One of texts is found to be
/// a text later.
fn type_of_values(schema: &mut Map<String, Value>) {
    let says_type = ["$ref", "type", "allOf", "oneOf", "anyOf", "properties", "items"];
    if says_type.iter().any(|it| schema.contains_key(*it)) {
        return;
    }
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let kinds: BTreeSet<_> = values.filter(|it| !it.is_null()).map(kind_of).collect();
    let kinds: Vec<_> = kinds.into_iter().flatten().collect();
    let kind = match kinds.as_slice() {
        [kind @ ("integer" | "number" | "boolean")] => *kind,
        ["integer", "number"] => "number",
        _ => return,
    };
    schema.insert("type".to_owned(), json!(kind));
}

/// An enum of null and other values is nullable; one of null alone is the type `null`.
fn null_among_values(schema: &mut Map<String, Value>) {
    let values = schema.get("enum").and_then(Value::as_array);
    let Some(values) = values.filter(|it| it.contains(&Value::Null)) else { return };
    if values.iter().all(Value::is_null) {
        schema.remove("enum");
    }
    schema.insert("nullable".to_owned(), json!(true));
}

/// `type: [string, 'null']` is a nullable string; several types are a union of them. An
/// unknown type, such as `any`, is dropped.
fn several_types(schema: &mut Map<String, Value>) {
    const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];
    let Some(given) = schema.remove("type") else { return };
    let given = match given {
        Value::Array(types) => types,
        one => vec![one],
    };
    if given.iter().any(|it| it == "null") {
        schema.insert("nullable".to_owned(), json!(true));
    }
    let mut types: Vec<_> = given
        .into_iter()
        .filter(|it| it.as_str().is_some_and(|name| TYPES.contains(&name)))
        .collect();
    types.dedup();
    if types.len() < 2 {
        schema.extend(types.pop().map(|only| ("type".to_owned(), only)));
        return;
    }
    let about = |kind: &Value| -> &[&str] {
        match kind.as_str() {
            Some("object") => &["properties", "additionalProperties", "patternProperties"],
            Some("array") => &["items", "prefixItems"],
            Some("string") => &["enum"],
            Some("integer") => &["format"],
            _ => &[],
        }
    };
    let branches: Vec<_> = types
        .iter()
        .map(|kind| {
            let mut branch = Map::from_iter([("type".to_owned(), kind.clone())]);
            for key in about(kind) {
                branch.extend(schema.get(*key).map(|value| ((*key).to_owned(), value.clone())));
            }
            Value::Object(branch)
        })
        .collect();
    for key in types.iter().flat_map(about) {
        schema.remove(*key);
    }
    if !schema.contains_key("anyOf") {
        schema.insert("anyOf".to_owned(), Value::Array(branches));
    }
}

/// A tuple is a list whose items have any of its schemas. Unless the description limits it to its
/// places, further items may be any values.
fn tuple(schema: &mut Map<String, Value>) {
    let (places, further) = match (schema.remove("prefixItems"), schema.remove("items")) {
        (Some(Value::Array(places)), further) => (places, further),
        // The notation before 2020.
        (_, Some(Value::Array(places))) => (places, schema.remove("additionalItems")),
        (_, Some(items)) => {
            let items = if items.is_boolean() { json!({}) } else { items };
            schema.insert("items".to_owned(), items);
            return;
        }
        _ => return,
    };
    let most = schema.get("maxItems").and_then(Value::as_u64);
    let is_full = most.and_then(|it| usize::try_from(it).ok()).is_some_and(|it| it <= places.len());
    let further = match further {
        _ if is_full => None,
        Some(Value::Bool(false)) => None,
        Some(schema @ Value::Object(_)) => Some(schema),
        _ => Some(json!({})),
    };
    let places: Vec<_> = places.into_iter().chain(further).collect();
    schema.insert("items".to_owned(), json!({ "anyOf": places }));
}

/// Fields that no part of a schema names are additional properties.
fn unevaluated_properties(schema: &mut Map<String, Value>) {
    if let Some(further @ Value::Object(_)) = schema.remove("unevaluatedProperties") {
        schema.entry("additionalProperties").or_insert(further);
    }
}

/// Fields whose names match a pattern are additional properties, with any of the patterns' schemas.
fn pattern_properties(schema: &mut Map<String, Value>) {
    if let Some(Value::Object(patterns)) = schema.remove("patternProperties")
        && !patterns.is_empty()
    {
        let mut values: Vec<_> = patterns.into_iter().map(|(_, schema)| schema).collect();
        values.extend(match schema.remove("additionalProperties") {
            Some(Value::Bool(true)) => Some(json!({})),
            further => further.filter(Value::is_object),
        });
        schema.insert("additionalProperties".to_owned(), json!({ "anyOf": values }));
    }
}

/// A string of a media type that is not encoded as text is a file.
fn file(schema: &mut Map<String, Value>) {
    let may_be_file =
        matches!(schema.get("type").and_then(Value::as_str), Some("string" | "") | None);
    if may_be_file && has_binary_content(schema) {
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("format".to_owned(), json!("binary"));
    }
}

/// Keeps what says that a text is a URL, and with which number counting begins.
fn keep_paging_hints(schema: &mut Map<String, Value>) {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    let is_url = format == "url" || format.starts_with("uri");
    if is_url && schema.get("type").is_some_and(|kind| kind == "string") {
        schema.insert(URL.to_owned(), json!(true));
    }
    let first = schema.get("default").or_else(|| schema.get("minimum")).and_then(Value::as_u64);
    if let Some(first @ (0 | 1)) = first
        && schema.get("type").is_some_and(|kind| kind == "integer")
    {
        schema.insert(FIRST.to_owned(), json!(first));
    }
}

/// Keeps what says that a text is a secret.
fn keep_secrecy(schema: &mut Map<String, Value>) {
    if schema.get("format").is_some_and(|it| it == "password") {
        schema.insert(SECRET.to_owned(), json!(true));
    }
}

/// Drops all keywords that do not affect the type of a value, and malformed ones.
fn well_formed(schema: &mut Map<String, Value>, formats: Formats) {
    schema.retain(|key, value| match key.as_str() {
        "$ref" | "type" | "description" | "title" | TAG => value.is_string(),
        "format" => {
            value == "uint64"
                || value == "binary"
                || value.as_str().is_some_and(|it| formats.has(it))
        }
        "nullable" => *value == json!(true),
        "deprecated" | "readOnly" | LOOSE | URL | SECRET => value.is_boolean(),
        FIRST => value.is_u64(),
        "properties" | "$defs" | "definitions" | "discriminator" => value.is_object(),
        "enum" | "allOf" | "oneOf" | "anyOf" => value.as_array().is_some_and(|it| !it.is_empty()),
        "required" => value.as_array().is_some_and(|it| it.iter().all(Value::is_string)),
        "items" | "additionalProperties" => value.is_object() || value.is_boolean(),
        "default" => true,
        _ => false,
    });
    let title = schema.remove("title");
    if let Some(title) = title
        && !schema.contains_key("description")
        && !schema.contains_key("$ref")
        && title.as_str().is_some_and(|title| title.contains(' '))
    {
        schema.insert("description".to_owned(), title);
    }
}

/// Warns of a default outside its enum, or of another type than its schema. Defaults
/// have no effect here, but a wrong one shows a misunderstanding of the service, so there is a
/// warning.
fn default_conforms(schema: &mut Map<String, Value>, place: &str, warnings: &mut Warnings<'_>) {
    let Some(default) = schema.remove("default") else { return };
    let is_null = default.is_null();
    let typed = match schema.get("type").and_then(Value::as_str) {
        Some("integer") => default.as_f64().is_some_and(|number| number.fract() == 0.0),
        Some("number") => default.is_number(),
        Some(kind) => kind_of(&default) == Some(kind),
        None => true,
    };
    let listed = match schema.get("enum") {
        Some(Value::Array(values)) => values.contains(&default),
        _ => true,
    };
    let conforms = is_null || (typed && listed);
    if !conforms {
        let message = format!("{place}: the default {default} does not conform to its schema");
        warnings.warn_of_default([keys(place), vec!["default".to_owned()]].concat(), message);
    }
}

fn kind_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}

/// Keywords beside a `$ref` count since 3.1, and occur in all versions: a description, `nullable`,
/// further fields. 3.0 has `allOf` for that.
fn beside_a_reference(schema: &mut Map<String, Value>) {
    if schema.len() < 2 {
        return;
    }
    if let Some(target) = schema.remove("$ref") {
        let reference = json!({ "$ref": target });
        match schema.get_mut("allOf") {
            Some(Value::Array(schemas)) => schemas.insert(0, reference),
            _ => {
                schema.insert("allOf".to_owned(), json!([reference]));
            }
        }
    }
}
