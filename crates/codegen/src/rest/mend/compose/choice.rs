//! Choices: `oneOf`, `anyOf`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::choices::targets;
use super::{Composer, DEPTH, described, reference, without};
use crate::rest::mend::kind::{CHOICE, Keywords, is_annotation, kind};
use crate::rest::mend::places::fields;

impl Composer<'_> {
    pub(super) fn choice(&self, schema: &mut Value, keyword: &str, is_named: bool, depth: usize) {
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
        let is_only = shapes.len() == 1;
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
            self.merge(&mut own, keywords, depth);
            Value::Object(own)
        };
        // What is the only shape may be a choice in turn.
        if is_only {
            self.compose_here(schema, is_named, depth);
        }
    }

    /// One schema for a value that has one of several shapes; none where there is no shape.
    fn chosen(&self, mut shapes: Vec<Value>, is_named: bool, depth: usize) -> Option<Value> {
        if shapes.len() < 2 {
            return shapes.pop();
        }
        if depth > DEPTH {
            self.cut.set(true);
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
        let name = self.choices.borrow_mut().name(targets, &mut self.taken.borrow_mut());
        let mut united = self.united(shapes, depth)?;
        self.compose(&mut united, Some(&name), depth + 1);
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
                    // The choice can be null, and not just one of its kinds.
                    return without(only, "nullable").into();
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
        let mut united =
            json!({ "type": "object", "properties": properties, "required": required });
        united[CHOICE] = json!(true);
        if !values.is_empty() {
            united["additionalProperties"] = json!(true);
        }
        united
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
