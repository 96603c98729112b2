//! Schemas that are put together from others: `allOf`, `oneOf`, `anyOf`.
//!
//! `allOf` is one object with the fields of all. A choice between objects is one object too, with
//! the fields that any of them has: as answers are read leniently, an attempt at one shape after
//! the other would always stop at the first. A choice between a string and a list, which can be
//! told apart, stays a choice.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::places::{self, fields};
use super::resolve;

/// How deep a composition may lead into others that it is itself a part of.
const DEPTH: usize = 6;

const SCHEMAS: &str = "#/components/schemas/";

/// Composes every schema of a description.
pub(super) fn compose(description: &mut Value) {
    let whole = description.clone();
    let composer = Composer::new(&whole);
    places::each_schema(description, &mut |schema, place| {
        let is_named = place.strip_prefix(SCHEMAS).is_some_and(|name| !name.contains('/'));
        composer.compose(schema, is_named, 0);
    });
    let found = composer.choices.into_inner();
    if let Some(schemas) = description.pointer_mut("/components/schemas") {
        for (name, schema) in found.made {
            schemas[name] = schema;
        }
    }
}

struct Composer<'a> {
    description: &'a Value,
    choices: RefCell<Choices>,
    /// The references that are being followed, for one that leads back to itself.
    following: RefCell<Vec<String>>,
}

/// Choices between named objects. One that has no name of its own gets one, because it may stand
/// within the objects that it is about.
#[derive(Default)]
struct Choices {
    /// The name of a choice, by what it is between.
    names: BTreeMap<Vec<String>, String>,
    made: BTreeMap<String, Value>,
}

/// A schema's keywords.
type Keywords = Map<String, Value>;

impl<'a> Composer<'a> {
    fn new(description: &'a Value) -> Self {
        let mut choices = Choices::default();
        if let Some(schemas) = description.pointer("/components") {
            for (name, schema) in fields(schemas, "schemas") {
                let parts = schema.get("oneOf").or_else(|| schema.get("anyOf"));
                let keys = schema.as_object().into_iter().flat_map(Map::keys);
                if let Some(Value::Array(parts)) = parts
                    && let Some(targets) = targets(parts)
                    && keys.filter(|key| !is_annotation(key)).count() == 1
                {
                    choices.names.entry(targets).or_insert_with(|| name.clone());
                }
            }
        }
        let following = RefCell::default();
        Self { description, choices: RefCell::new(choices), following }
    }

    /// Composes a schema and those within it.
    fn compose(&self, schema: &mut Value, is_named: bool, depth: usize) {
        if depth > DEPTH {
            *schema = json!({});
            return;
        }
        let chooses = schema.get("oneOf").is_some() || schema.get("anyOf").is_some();
        self.compose_here(schema, is_named, depth);
        let depth = if chooses { depth + 1 } else { depth };
        for (_, schema) in places::within_mut(schema) {
            self.compose(schema, false, depth);
        }
    }

    fn compose_here(&self, schema: &mut Value, is_named: bool, depth: usize) {
        self.all_of(schema, depth);
        self.choice(schema, "oneOf", is_named, depth);
        self.choice(schema, "anyOf", is_named, depth);
    }

    /// The keywords of a schema, or of the one that it refers to, composed.
    fn keywords(&self, schema: &Value, depth: usize) -> Keywords {
        let target = schema.get("$ref").and_then(Value::as_str);
        if depth > DEPTH
            || target.is_some_and(|it| self.following.borrow().iter().any(|on| on == it))
        {
            return Keywords::new();
        }
        let Some(target) = target else { return self.own_keywords(schema, depth) };
        self.following.borrow_mut().push(target.to_owned());
        let resolved = resolve(self.description, schema).unwrap_or(&Value::Null);
        let keywords = self.own_keywords(resolved, depth);
        self.following.borrow_mut().pop();
        keywords
    }

    fn own_keywords(&self, schema: &Value, depth: usize) -> Keywords {
        let mut schema = schema.clone();
        self.compose_here(&mut schema, true, depth + 1);
        // A reference, perhaps with a description beside it.
        let only = match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            Some([only]) => Some(only.clone()),
            _ => schema.get("$ref").is_some().then(|| schema.clone()),
        };
        if let Some(only) = only {
            let mut keywords = self.keywords(&only, depth + 1);
            let mut words = without(&schema, "allOf");
            words.remove("$ref");
            keywords.extend(words);
            return keywords;
        }
        match schema {
            Value::Object(keywords) => keywords,
            _ => Keywords::new(),
        }
    }

    fn all_of(&self, schema: &mut Value, depth: usize) {
        let Some(parts) = schema.get("allOf").and_then(Value::as_array).cloned() else { return };
        let own = without(schema, "allOf");
        let mut named = parts.iter().filter(|part| says_type(part));
        if !own.keys().any(|key| !is_annotation(key))
            && let (Some(only), None) = (named.next(), named.next())
            && only.get("$ref").is_some()
        {
            let mut reference = own;
            for part in &parts {
                absorb_words(&mut reference, part);
            }
            *schema = if reference.is_empty() { only.clone() } else { described(reference, only) };
            return;
        }
        let mut merged = own;
        let parts: Vec<_> = parts.iter().map(|part| self.keywords(part, depth + 1)).collect();
        let is_null = parts.iter().all(|part| part.contains_key("nullable"));
        for part in parts {
            self.merge(&mut merged, part);
        }
        if is_null {
            merged.insert("nullable".to_owned(), json!(true));
        }
        *schema = Value::Object(merged);
    }

    /// Adds what another schema says of the same value.
    fn merge(&self, into: &mut Keywords, from: Keywords) {
        if let (Some(a), Some(b)) = (kind(into), kind(&from))
            && a != b
        {
            // A value that is two things at once: only that there is a value is certain.
            into.retain(|key, _| is_annotation(key));
            return;
        }
        for (key, value) in from {
            match (key.as_str(), into.get_mut(&key)) {
                ("nullable", _) => {}
                ("properties", Some(Value::Object(there))) => {
                    let Value::Object(more) = value else { continue };
                    for (name, schema) in more {
                        match there.get_mut(&name) {
                            Some(known) => refine(known, schema),
                            None => {
                                there.insert(name, schema);
                            }
                        }
                    }
                }
                ("required", Some(Value::Array(there))) => {
                    there.extend(value.as_array().into_iter().flatten().cloned());
                }
                (_, Some(_)) => {}
                (_, None) => {
                    into.insert(key, value);
                }
            }
        }
    }

    fn choice(&self, schema: &mut Value, keyword: &str, is_named: bool, depth: usize) {
        let Some(parts) = schema.get(keyword).and_then(Value::as_array).cloned() else { return };
        let mut own = without(schema, keyword);
        let mut shapes: Vec<Value> = Vec::new();
        for part in parts {
            let keywords = self.keywords(&part, depth + 1);
            let is_null = keywords.contains_key("nullable");
            if is_null {
                own.insert("nullable".to_owned(), json!(true));
            }
            let says = keywords.keys().any(|key| !is_annotation(key) && key != "required");
            // Null alone is no shape, and neither is a rule about fields that are listed elsewhere.
            let is_shape = says || !(is_null || keywords.contains_key("required"));
            if is_shape && !shapes.contains(&part) {
                shapes.push(part);
            }
        }
        let Some(chosen) =
            self.chosen(shapes, is_named && own.keys().all(|key| is_annotation(key)), depth)
        else {
            *schema = Value::Object(own);
            return;
        };
        *schema = if own.keys().all(|key| is_annotation(key)) {
            match chosen {
                chosen if own.is_empty() => chosen,
                Value::Object(mut keywords) if !keywords.contains_key("$ref") => {
                    keywords.extend(own);
                    Value::Object(keywords)
                }
                reference => described(own, &reference),
            }
        } else {
            // The fields of a choice are there only when it is made.
            let mut keywords = self.keywords(&chosen, depth + 1);
            keywords.remove("required");
            self.merge(&mut own, keywords);
            Value::Object(own)
        };
    }

    /// One schema for a value that has one of several shapes; none where there is no shape.
    fn chosen(&self, mut shapes: Vec<Value>, is_named: bool, depth: usize) -> Option<Value> {
        if shapes.len() < 2 {
            return shapes.pop();
        }
        if depth > DEPTH {
            return Some(json!({}));
        }
        let targets = targets(&shapes).filter(|_| !is_named);
        let Some(targets) = targets else { return self.united(shapes, depth) };
        if let Some(name) = self.choices.borrow().names.get(&targets) {
            return Some(reference(name));
        }
        let are_objects = shapes.iter().all(|it| {
            let keywords = self.keywords(it, depth + 1);
            keywords.contains_key("properties")
        });
        if !are_objects {
            return self.united(shapes, depth);
        }
        let name = self.choices.borrow_mut().name(targets, self.description);
        let mut united = self.united(shapes, depth)?;
        self.compose(&mut united, true, depth + 1);
        self.choices.borrow_mut().made.insert(name.clone(), united);
        Some(reference(&name))
    }

    fn united(&self, shapes: Vec<Value>, depth: usize) -> Option<Value> {
        let mut by_kind: BTreeMap<&'static str, Vec<(Value, Keywords)>> = BTreeMap::new();
        for shape in shapes {
            let mut keywords = self.keywords(&shape, depth + 1);
            match kind(&keywords) {
                Some(kind) => {
                    let kind = if kind == "integer" { "number" } else { kind };
                    keywords.remove("nullable");
                    by_kind.entry(kind).or_default().push((shape, keywords));
                }
                // One of the shapes is any value.
                None => return Some(json!({})),
            }
        }
        let mut united: Vec<_> = by_kind
            .into_iter()
            .map(|(kind, shapes)| {
                if let [(only, _)] = shapes.as_slice() {
                    return only.clone();
                }
                let shapes: Vec<_> = shapes.into_iter().map(|(_, keywords)| keywords).collect();
                match kind {
                    "object" => self.united_objects(&shapes, depth),
                    "array" => self.united_lists(&shapes, depth),
                    "string" => united_strings(&shapes),
                    "number" if shapes.iter().all(|it| it["type"] == "integer") => {
                        json!({ "type": "integer" })
                    }
                    kind => json!({ "type": kind }),
                }
            })
            .collect();
        match united.len() {
            1 => united.pop(),
            _ => Some(json!({ "oneOf": united })),
        }
    }

    fn united_lists(&self, shapes: &[Keywords], depth: usize) -> Value {
        let mut items: Vec<_> = Vec::new();
        for shape in shapes {
            let item = shape.get("items").cloned().unwrap_or_else(|| json!({}));
            if !items.contains(&item) {
                items.push(item);
            }
        }
        json!({ "type": "array", "items": self.chosen(items, false, depth + 1) })
    }

    fn united_objects(&self, shapes: &[Keywords], depth: usize) -> Value {
        let mut properties: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut values = Vec::new();
        for shape in shapes {
            let shape = Value::Object(shape.clone());
            for (name, schema) in fields(&shape, "properties") {
                let known = properties.entry(name.clone()).or_default();
                if !known.contains(schema) {
                    known.push(schema.clone());
                }
            }
            let value = shape.get("additionalProperties").filter(|it| it.is_object());
            values.extend(value.cloned());
        }
        if properties.is_empty() {
            return match self.chosen(values, false, depth + 1) {
                Some(value) => json!({ "type": "object", "additionalProperties": value }),
                None => json!({ "type": "object" }),
            };
        }
        let required: Vec<_> = properties
            .keys()
            .filter(|name| shapes.iter().all(|it| requires(it, name)))
            .cloned()
            .collect();
        let properties: Keywords = properties
            .into_iter()
            .filter_map(|(name, schemas)| {
                let words = schemas.iter().find_map(|it| it.get("description").cloned());
                let mut schema = self.chosen(schemas, false, depth + 1)?;
                if let (Some(words), None, None) =
                    (words, schema.get("$ref"), schema.get("description"))
                {
                    schema["description"] = words;
                }
                Some((name, schema))
            })
            .collect();
        json!({ "type": "object", "properties": properties, "required": required })
    }
}

impl Choices {
    /// A name for a choice, such as `CatOrDog`.
    fn name(&mut self, targets: Vec<String>, description: &Value) -> String {
        let words: Vec<_> = targets.iter().filter_map(|it| it.rsplit('/').next()).collect();
        let mut name = match words.as_slice() {
            [first, _, _, _, ..] => format!("{first}OrOther"),
            few => few.join("Or"),
        };
        let is_taken = |name: &str| {
            description.pointer("/components/schemas").is_some_and(|it| it.get(name).is_some())
                || self.names.values().any(|it| it == name)
        };
        while is_taken(&name) {
            name.push_str("Choice");
        }
        self.names.insert(targets, name.clone());
        name
    }
}

/// What a choice is between, if it is between named schemas only.
fn targets(shapes: &[Value]) -> Option<Vec<String>> {
    let target = |it: &Value| it.get("$ref")?.as_str().map(str::to_owned);
    let mut targets = shapes.iter().map(target).collect::<Option<Vec<_>>>()?;
    targets.sort();
    (targets.len() > 1).then_some(targets)
}

fn reference(name: &str) -> Value {
    json!({ "$ref": places::joined("#/components/schemas", &[name]) })
}

/// A property that two schemas describe is what the later one says, if that says anything.
fn refine(known: &mut Value, later: Value) {
    if !says_type(&later) {
        return;
    }
    let words = known.get("description").cloned();
    *known = later;
    if let (Some(words), None, None) = (words, known.get("$ref"), known.get("description")) {
        known["description"] = words;
    }
}

/// A free string beside listed ones adds nothing: what is listed is never all there is.
fn united_strings(shapes: &[Keywords]) -> Value {
    let mut values: Vec<Value> = Vec::new();
    for value in shapes.iter().filter_map(|it| it.get("enum")?.as_array()).flatten() {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    if values.is_empty() {
        json!({ "type": "string" })
    } else {
        json!({ "type": "string", "enum": values })
    }
}

fn requires(schema: &Keywords, name: &str) -> bool {
    schema
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|it| it.iter().any(|it| it == name))
}

/// What JSON calls the values of a schema.
fn kind(schema: &Keywords) -> Option<&'static str> {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Some("string"),
        Some("integer") => Some("integer"),
        Some("number") => Some("number"),
        Some("boolean") => Some("boolean"),
        Some("array") => Some("array"),
        Some("object") => Some("object"),
        _ if schema.contains_key("properties") || schema.contains_key("additionalProperties") => {
            Some("object")
        }
        _ if schema.contains_key("items") => Some("array"),
        _ if super::schemas::is_text(&Value::Object(schema.clone())) => Some("string"),
        _ => None,
    }
}

fn says_type(schema: &Value) -> bool {
    schema.as_object().is_some_and(|it| it.keys().any(|key| !is_annotation(key)))
}

/// Keywords that leave open what a value is.
fn is_annotation(key: &str) -> bool {
    ["description", "deprecated", "nullable"].contains(&key)
}

fn absorb_words(into: &mut Keywords, part: &Value) {
    for key in ["description", "nullable"] {
        if let (None, Some(value), None) = (into.get(key), part.get(key), part.get("$ref")) {
            into.insert(key.to_owned(), value.clone());
        }
    }
}

fn described(mut words: Keywords, reference: &Value) -> Value {
    words.insert("allOf".to_owned(), json!([reference]));
    Value::Object(words)
}

fn without(schema: &Value, keyword: &str) -> Keywords {
    let mut keywords = schema.as_object().cloned().unwrap_or_default();
    keywords.remove(keyword);
    keywords
}
