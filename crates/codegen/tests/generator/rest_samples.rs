//! Sample values made from schemas, as a service would respond with them.

use serde_json::{Map, Value, json};

/// Conformance of a sample to the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Complete: every described field has a value of its type.
    Plain,
    /// Every field is null, and every list has null in it.
    Nulls,
    /// Newer than the description: values, fields and formats that were not described.
    Ahead,
}

/// Makes up values for one description.
pub struct Samples<'a> {
    pub description: &'a Value,
    pub manner: Manner,
}

/// Maximum depth of recursive samples.
const DEPTH: usize = 4;

impl Samples<'_> {
    /// The JSON schema of the first success of an operation, if it has one.
    pub fn answer(&self, path: &str, method: &str) -> Option<Value> {
        let item = self.resolve(&self.description["paths"][path]);
        let responses = item[method.to_lowercase()]["responses"].as_object()?.clone();
        let successes = responses.iter().filter(|(status, _)| status.starts_with('2'));
        successes.chain(responses.iter().filter(|(status, _)| *status == "default")).find_map(
            |(_, response)| {
                let schema = &self.resolve(response)["content"]["application/json"]["schema"];
                let is_here = schema["$ref"].as_str().is_none_or(|it| it.starts_with('#'));
                (!schema.is_null() && is_here).then(|| schema.clone())
            },
        )
    }

    /// A value of a schema.
    pub fn value(&self, schema: &Value, depth: usize) -> Value {
        if depth > 3 * DEPTH {
            return Value::Null;
        }
        let schema = self.resolve(schema);
        if let Some(Value::Array(parts)) = schema.get("allOf") {
            let own = self.of_type(&without(&schema, "allOf"), depth);
            let parts = parts.iter().map(|part| self.value(part, depth + 1));
            return parts.chain([own]).fold(Value::Null, merged);
        }
        for choice in ["oneOf", "anyOf"] {
            if let Some(Value::Array(parts)) = schema.get(choice) {
                let chosen = parts.iter().rev().map(|part| self.value(part, depth + 1));
                let chosen = chosen.into_iter().find(|it| !it.is_null()).unwrap_or_default();
                return merged(chosen, self.of_type(&without(&schema, choice), depth));
            }
        }
        self.of_type(&schema, depth)
    }

    fn resolve(&self, value: &Value) -> Value {
        let mut value = value.clone();
        for _ in 0..8 {
            let Some(target) = value["$ref"].as_str() else { break };
            let pointer = target.strip_prefix('#').filter(|it| !it.is_empty());
            let found = pointer.and_then(|it| self.description.pointer(it)).cloned();
            let mut found = found.unwrap_or_else(|| json!({}));
            for (key, beside) in value.as_object().into_iter().flatten() {
                if key != "$ref" && !found[key].is_object() {
                    found[key] = beside.clone();
                }
            }
            value = found;
        }
        if value["$ref"].is_string() { json!({}) } else { value }
    }

    fn of_type(&self, schema: &Value, depth: usize) -> Value {
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().find(|it| *it != "null").cloned(),
            kind => Some(kind.clone()),
        };
        let kind = kind.and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default();
        let listed = schema["enum"].as_array().and_then(|it| it.iter().find(|it| !it.is_null()));
        match kind.as_str() {
            _ if schema["properties"].is_object() && kind != "string" => self.object(schema, depth),
            "object" => self.map(schema, depth),
            _ if kind == "array" || (kind.is_empty() && schema["items"].is_object()) => {
                self.list(schema, depth)
            }
            "integer" if self.manner == Manner::Ahead => json!("7.0"),
            "integer" => listed.cloned().unwrap_or_else(|| json!(7)),
            "number" if self.manner == Manner::Ahead => json!("0.25"),
            "number" => json!(0.25),
            "boolean" => json!(true),
            "string" | ""
                if listed.is_some_and(Value::is_string) && self.manner == Manner::Ahead =>
            {
                json!("a value of tomorrow")
            }
            "string" => {
                listed.filter(|it| it.is_string()).cloned().unwrap_or_else(|| json!("text"))
            }
            _ if schema["const"] != Value::Null => schema["const"].clone(),
            _ => listed.cloned().unwrap_or_default(),
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            let value = match self.manner {
                _ if depth > DEPTH => continue,
                Manner::Nulls if depth > 0 => Value::Null,
                _ => self.value(schema, depth + 1),
            };
            object.insert(name.clone(), value);
        }
        if self.manner == Manner::Ahead {
            object.insert("a field of tomorrow".to_owned(), json!({ "deep": [1, null] }));
        }
        object.retain(|_, value| self.manner == Manner::Nulls || !value.is_null());
        Value::Object(object)
    }

    fn map(&self, schema: &Value, depth: usize) -> Value {
        let values = [&schema["additionalProperties"], &schema["items"]];
        let mut map = Map::new();
        if let Some(value) = values.into_iter().find(|it| it.is_object()).filter(|_| depth <= DEPTH)
        {
            map.insert("key".to_owned(), self.value(value, depth + 1));
            map.retain(|_, value| !value.is_null());
        }
        if self.manner == Manner::Nulls {
            map.insert("null".to_owned(), Value::Null);
        }
        Value::Object(map)
    }

    fn list(&self, schema: &Value, depth: usize) -> Value {
        let mut items = Vec::new();
        if depth <= DEPTH {
            items.push(self.value(&schema["items"], depth + 1));
            items.retain(|item| !item.is_null());
        }
        if self.manner == Manner::Nulls {
            items.push(Value::Null);
        }
        Value::Array(items)
    }
}

fn merged(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Object(mut a), Value::Object(b)) => {
            a.extend(b.into_iter().filter(|(_, value)| !value.is_null()));
            Value::Object(a)
        }
        (a, Value::Null) => a,
        (Value::Null, b) => b,
        (_, b) => b,
    }
}

fn without(schema: &Value, key: &str) -> Value {
    let mut schema = schema.clone();
    schema.as_object_mut().unwrap().remove(key);
    schema
}
