//! Schemas of the grammar.

use serde_json::{Map, Value, json};

use super::Maker;
use super::words::{FORMATS, KINDS};

impl Maker {
    pub(super) fn reference(&mut self) -> Value {
        match self.schemas.len() {
            0 => json!({ "$ref": "#/components/schemas/Missing" }),
            _ if self.one_in(20) => json!({ "$ref": "#/components/schemas/Missing" }),
            many => {
                let name = self.schemas[self.rng.usize(..many)].replace('~', "~0");
                let mut target = format!("#/components/schemas/{}", name.replace('/', "~1"));
                if self.one_in(3) {
                    target = target.replace('%', "%25").replace(' ', "%20").replace('<', "%3C");
                }
                // A reference to a place within another schema, which may not exist.
                if self.one_in(10) {
                    let places = ["properties/Pet", "items", "allOf/1", "$defs/a", "oneOf/0/items"];
                    target = format!("{target}/{}", self.pick(&places));
                }
                json!({ "$ref": target })
            }
        }
    }

    pub(super) fn schema(&mut self, depth: usize) -> Value {
        if depth > 4 || self.one_in(4) {
            return self.reference();
        }
        let mut schema = match self.rng.usize(..16) {
            0..=2 => self.string(),
            3 | 4 => self.number(),
            5 => json!({ "type": "boolean" }),
            6 | 7 => self.list(depth),
            8..=10 => self.object(depth),
            11 | 12 => self.union(depth),
            13 => json!({ "enum": self.values() }),
            14 => self.anything(depth),
            _ => self.mixture(depth),
        };
        if !schema.is_object() {
            return schema;
        }
        if self.one_in(6) {
            self.make_nullable(&mut schema);
        }
        for (key, one_in) in [("default", 10), ("example", 10)] {
            if self.one_in(one_in) {
                schema[key] = self.value(0);
            }
        }
        if self.one_in(16) {
            schema["$defs"] = json!({ "a": self.schema(depth + 2) });
        }
        if self.one_in(24) {
            let keys = ["not", "if", "then", "contains", "propertyNames", "unevaluatedProperties"];
            schema[self.pick(&keys)] = self.schema(depth + 2);
        }
        for key in ["readOnly", "writeOnly", "uniqueItems"] {
            if self.one_in(20) {
                schema[key] = json!(true);
            }
        }
        if self.one_in(10) {
            schema["title"] = json!(self.name());
        }
        self.describe(&mut schema);
        schema
    }

    fn make_nullable(&mut self, schema: &mut Value) {
        if !self.is_newer || self.one_in(10) {
            schema["nullable"] = json!(true);
        } else if let Some(kind) = schema["type"].as_str() {
            schema["type"] = json!([kind, "null"]);
        }
    }

    fn string(&mut self) -> Value {
        let mut schema = json!({ "type": "string" });
        match self.rng.usize(..4) {
            0 => schema["format"] = json!(self.pick(&FORMATS)),
            1 => {
                schema["enum"] =
                    json!((0..1 + self.rng.usize(..5)).map(|_| self.name()).collect::<Vec<_>>())
            }
            2 => {
                schema["pattern"] = json!(self.pick(&["^a+$", "(?=x)", "[", "\\d{3}"]));
                schema["minLength"] = json!(self.rng.u8(..5));
                schema["maxLength"] = json!(self.rng.u8(..5));
            }
            _ if self.is_newer && self.one_in(3) => schema["const"] = json!(self.name()),
            _ => {}
        }
        schema
    }

    fn number(&mut self) -> Value {
        let mut schema = json!({ "type": self.pick(&["integer", "number"]) });
        if self.one_in(2) {
            schema["format"] = json!(self.pick(&FORMATS));
        }
        let bounds = [json!(0), json!(-1), json!(255), json!(1.5), json!(u64::MAX), json!(-1e300)];
        for key in ["minimum", "maximum", "multipleOf"] {
            if self.one_in(5) {
                schema[key] = bounds[self.rng.usize(..bounds.len())].clone();
            }
        }
        if self.one_in(8) {
            schema["exclusiveMinimum"] = if self.is_newer { json!(3) } else { json!(true) };
        }
        if self.one_in(6) {
            schema["enum"] = json!([1, 2, self.rng.i8(..)]);
        }
        schema
    }

    fn list(&mut self, depth: usize) -> Value {
        let mut schema = json!({ "type": "array" });
        match self.rng.usize(..8) {
            0 => {}
            1 if self.is_newer => {
                schema["prefixItems"] = json!([self.schema(depth + 1), self.schema(depth + 1)])
            }
            _ => schema["items"] = self.schema(depth + 1),
        }
        if self.one_in(6) {
            schema["minItems"] = json!(2);
            schema["maxItems"] = json!(self.rng.u8(1..4));
        }
        schema
    }

    fn object(&mut self, depth: usize) -> Value {
        let mut properties = Map::new();
        for _ in 0..self.rng.usize(..5) {
            properties.insert(self.field(), self.schema(depth + 1));
        }
        let mut required: Vec<_> = properties.keys().filter(|_| self.rng.bool()).cloned().collect();
        if self.one_in(12) {
            required.push("absent".to_owned());
        }
        let mut schema =
            json!({ "type": "object", "properties": properties, "required": required });
        match self.rng.usize(..8) {
            0 => schema["additionalProperties"] = json!(self.rng.bool()),
            1 => schema["additionalProperties"] = self.schema(depth + 1),
            2 if self.is_newer => {
                schema["patternProperties"] = json!({ "^x-": self.schema(depth + 1) })
            }
            _ => {}
        }
        if self.one_in(8) {
            schema.as_object_mut().map(|it| it.remove("type"));
        }
        schema
    }

    fn union(&mut self, depth: usize) -> Value {
        let key = self.pick(&["oneOf", "anyOf", "allOf", "allOf"]);
        let parts: Vec<_> = (0..self.rng.usize(..4)).map(|_| self.schema(depth + 1)).collect();
        let mut schema = json!({ key: parts });
        if self.one_in(4) {
            schema["discriminator"] = json!({ "propertyName": self.name() });
            if self.one_in(2) {
                schema["discriminator"]["mapping"] =
                    json!({ "a": self.reference()["$ref"], "b": "Pet" });
            }
        }
        schema
    }

    fn anything(&mut self, depth: usize) -> Value {
        match self.rng.usize(..4) {
            0 if self.is_newer => json!(self.rng.bool()),
            1 => json!({ "not": self.schema(depth + 1) }),
            2 if self.is_newer => self.several_types(depth),
            _ if self.one_in(3) => json!({ "const": self.value(0) }),
            _ => json!({}),
        }
    }

    fn several_types(&mut self, depth: usize) -> Value {
        let kinds: Vec<_> = (0..self.rng.usize(..4)).map(|_| self.pick(&KINDS)).collect();
        let mut schema = json!({ "type": kinds });
        if self.one_in(2) {
            schema["properties"] = json!({ self.field(): self.schema(depth + 1) });
        }
        if self.one_in(3) {
            schema["items"] = self.schema(depth + 1);
        }
        if self.one_in(4) {
            schema["enum"] = json!(self.values());
        }
        schema
    }

    /// Keywords that may contradict each other.
    fn mixture(&mut self, depth: usize) -> Value {
        let mut schema = self.object(depth + 1);
        let unions = 1 + self.rng.usize(..2);
        for _ in 0..unions {
            let union = self.union(depth + 1);
            for (key, value) in union.as_object().into_iter().flatten() {
                schema[key] = value.clone();
            }
        }
        if self.one_in(3) {
            schema["type"] = json!(self.pick(&["string", "array", "null", "file", "integer"]));
        }
        if self.is_newer && self.one_in(3) {
            schema["$ref"] = self.reference()["$ref"].clone();
        }
        schema
    }

    fn values(&mut self) -> Vec<Value> {
        (0..1 + self.rng.usize(..4)).map(|_| self.value(0)).collect()
    }

    pub(super) fn value(&mut self, depth: usize) -> Value {
        match self.rng.usize(..8) {
            0 => Value::Null,
            1 => json!(self.rng.bool()),
            2 => json!(self.rng.i32(..)),
            3 => json!(0.5),
            4 if depth < 3 => json!([self.value(depth + 1)]),
            5 if depth < 3 => json!({ self.name(): self.value(depth + 1) }),
            _ => json!(self.name()),
        }
    }
}
