//! The grammar of OpenAPI 3.0 and 3.1, with what real descriptions make of it: any name, references
//! in circles, schemas that contradict themselves.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Names that are words of Rust, types of its own, equal but for case, or no identifiers at all.
const NAMES: [&str; 40] = [
    "Pet",
    "pet",
    "PET",
    "Pet_",
    "HashMap",
    "Option",
    "String",
    "Vec",
    "Box",
    "Result",
    "Default",
    "type",
    "self",
    "Self",
    "crate",
    "gen",
    "async",
    "r#type",
    "13.0",
    "1",
    "-1",
    "+1",
    "a-b",
    "a_b",
    "a.b",
    "aB",
    "List<Pet>",
    "Ärger",
    "日本",
    "",
    " ",
    "$",
    "@id",
    "value",
    "null",
    "send",
    "timeout",
    "body",
    "rest",
    "Api",
];
const FORMATS: [&str; 14] = [
    "int32",
    "int64",
    "uint8",
    "float",
    "double",
    "date",
    "date-time",
    "uuid",
    "byte",
    "binary",
    "password",
    "ipv4",
    "uri",
    "unheard-of",
];
const MEDIA: [&str; 9] = [
    "application/json",
    "application/json; charset=utf-8",
    "application/problem+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/plain",
    "application/octet-stream",
    "text/event-stream",
    "*/*",
];
const STATUSES: [&str; 9] = ["200", "201", "204", "2XX", "default", "302", "400", "404", "5XX"];
const TEXTS: [&str; 7] = [
    "Words.",
    "",
    "A `list`:\n\n* one\n* two",
    "[link](#x) <b>",
    "*/ /* \"quoted\" \\",
    "```\ncode\n```",
    "é\u{2028}\t\0",
];

/// The description of a number.
pub fn description(seed: u64) -> Value {
    let mut maker = Maker { rng: Rng::with_seed(seed), is_newer: false, schemas: Vec::new() };
    maker.is_newer = maker.one_in(2);
    maker.document()
}

struct Maker {
    rng: Rng,
    /// OpenAPI 3.1.
    is_newer: bool,
    /// Names of the component schemas.
    schemas: Vec<String>,
}

impl Maker {
    fn one_in(&mut self, many: usize) -> bool {
        self.rng.usize(..many) == 0
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.rng.usize(..of.len())]
    }

    fn name(&mut self) -> String {
        let name = self.pick(&NAMES).to_owned();
        if self.one_in(3) { format!("{name}{}", self.rng.usize(..4)) } else { name }
    }

    fn document(&mut self) -> Value {
        let mut names: Vec<_> = (0..self.rng.usize(..8)).map(|_| self.name()).collect();
        // Components have names of these characters.
        names
            .iter_mut()
            .for_each(|it| it.retain(|it| it.is_ascii_alphanumeric() || "._-".contains(it)));
        names.retain(|it| !it.is_empty());
        self.schemas = names.clone();
        let schemas: Map<_, _> = names.into_iter().map(|name| (name, self.schema(0))).collect();
        let mut paths = Map::new();
        for _ in 0..1 + self.rng.usize(..4) {
            let (path, parameters) = self.path();
            paths.insert(path, self.item(parameters));
        }
        let version = if self.is_newer { "3.1.0" } else { "3.0.3" };
        let mut document = json!({
            "openapi": version,
            "info": { "title": self.pick(&TEXTS), "version": "1" },
            "paths": paths,
            "components": {
                "schemas": schemas,
                "parameters": { "Shared": self.parameter("query") },
                "requestBodies": { "Shared": self.body() },
                "responses": { "Shared": self.response() },
            },
        });
        if self.one_in(3) {
            document["servers"] =
                json!([{ "url": self.pick(&["/", "/v2", "https://a.b/c/{d}", "x y"]) }]);
        }
        document
    }

    fn path(&mut self) -> (String, Vec<Value>) {
        let (mut path, mut parameters) = (String::new(), Vec::new());
        for _ in 0..1 + self.rng.usize(..3) {
            match self.rng.usize(..4) {
                0 => path.push_str(&format!(
                    "/{}",
                    self.pick(&["a", "a-b", "v1", "$x", "a%20b", "type"])
                )),
                1 => path.push_str(self.pick(&["/a:do", "/", "/a.json", "/x?y=z", "/#frag"])),
                _ => {
                    let mut name = self.name();
                    name.retain(|it| !"{}/".contains(it));
                    path.push_str(&format!("/{{{name}}}"));
                    let mut parameter = self.parameter("path");
                    parameter["name"] = json!(name);
                    parameter["required"] = json!(!self.one_in(8));
                    if !self.one_in(8) {
                        parameters.push(parameter);
                    }
                }
            }
        }
        (path, parameters)
    }

    fn item(&mut self, parameters: Vec<Value>) -> Value {
        let mut item = json!({ "parameters": parameters });
        for _ in 0..1 + self.rng.usize(..3) {
            let method =
                self.pick(&["get", "put", "post", "delete", "options", "head", "patch", "trace"]);
            item[method] = self.operation();
        }
        item
    }

    fn operation(&mut self) -> Value {
        let mut parameters = Vec::new();
        for _ in 0..self.rng.usize(..4) {
            let place = self.pick(&["query", "query", "header", "cookie"]);
            parameters.push(match self.rng.usize(..8) {
                0 => json!({ "$ref": "#/components/parameters/Shared" }),
                1 => json!({ "$ref": "#/components/parameters/Missing" }),
                _ => self.parameter(place),
            });
        }
        let mut responses = Map::new();
        for _ in 0..self.rng.usize(..4) {
            let response = match self.rng.usize(..8) {
                0 => json!({ "$ref": "#/components/responses/Shared" }),
                1 => json!({ "$ref": "#/components/responses/Missing" }),
                _ => self.response(),
            };
            responses.insert(self.pick(&STATUSES).to_owned(), response);
        }
        let mut operation = json!({ "parameters": parameters, "responses": responses });
        if self.one_in(2) {
            operation["operationId"] = json!(self.name());
        }
        if self.one_in(2) {
            operation["requestBody"] = match self.rng.usize(..6) {
                0 => json!({ "$ref": "#/components/requestBodies/Shared" }),
                _ => self.body(),
            };
        }
        self.describe(&mut operation);
        operation
    }

    fn describe(&mut self, value: &mut Value) {
        for key in ["description", "summary"] {
            if self.one_in(5) {
                value[key] = json!(self.pick(&TEXTS));
            }
        }
        if self.one_in(8) {
            value["deprecated"] = json!(true);
        }
    }

    fn parameter(&mut self, place: &str) -> Value {
        let mut parameter = json!({ "name": self.name(), "in": place, "required": self.one_in(3) });
        match self.rng.usize(..12) {
            0 => parameter["content"] = json!({ "application/json": { "schema": self.schema(1) } }),
            1 => {}
            _ => parameter["schema"] = self.schema(2),
        }
        if self.one_in(4) {
            let styles =
                ["form", "simple", "spaceDelimited", "pipeDelimited", "deepObject", "label"];
            parameter["style"] = json!(self.pick(&styles));
            parameter["explode"] = json!(self.rng.bool());
        }
        self.describe(&mut parameter);
        parameter
    }

    fn content(&mut self) -> Value {
        let mut content = Map::new();
        for _ in 0..self.rng.usize(..3) {
            let mut media =
                if self.one_in(8) { json!({}) } else { json!({ "schema": self.schema(0) }) };
            if self.one_in(5) {
                media["example"] = self.value(0);
            }
            if self.one_in(6) {
                media["encoding"] =
                    json!({ self.name(): { "contentType": "text/plain", "style": "deepObject" } });
            }
            let is_json = self.one_in(2);
            content.insert(if is_json { MEDIA[0] } else { self.pick(&MEDIA) }.to_owned(), media);
        }
        Value::Object(content)
    }

    fn body(&mut self) -> Value {
        json!({ "required": self.rng.bool(), "content": self.content() })
    }

    fn response(&mut self) -> Value {
        match self.one_in(4) {
            true => json!({ "description": self.pick(&TEXTS) }),
            false => json!({ "description": "", "content": self.content() }),
        }
    }

    fn reference(&mut self) -> Value {
        match self.schemas.len() {
            0 => json!({ "$ref": "#/components/schemas/Missing" }),
            _ if self.one_in(20) => json!({ "$ref": "#/components/schemas/Missing" }),
            many => {
                let name = &self.schemas[self.rng.usize(..many)];
                json!({ "$ref": format!("#/components/schemas/{name}") })
            }
        }
    }

    fn schema(&mut self, depth: usize) -> Value {
        if depth > 4 || self.one_in(4) {
            return self.reference();
        }
        let mut schema = match self.rng.usize(..16) {
            0..=2 => self.string(),
            3 | 4 => self.number(),
            5 => json!({ "type": "boolean" }),
            6 | 7 => self.list(depth),
            8..=10 => self.object(depth),
            11 | 12 => self.choice(depth),
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
            properties.insert(self.name(), self.schema(depth + 1));
        }
        let mut required: Vec<_> = properties.keys().cloned().filter(|_| self.rng.bool()).collect();
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

    fn choice(&mut self, depth: usize) -> Value {
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
            2 if self.is_newer => json!({ "type": ["string", "integer", "object", "null"] }),
            _ => json!({}),
        }
    }

    /// Keys that need not go together.
    fn mixture(&mut self, depth: usize) -> Value {
        let mut schema = self.object(depth + 1);
        for (key, value) in self.choice(depth + 1).as_object().into_iter().flatten() {
            schema[key] = value.clone();
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

    fn value(&mut self, depth: usize) -> Value {
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
