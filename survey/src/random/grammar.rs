//! Grammar of OpenAPI 3.0 to 3.2, including constructs of real descriptions: arbitrary names,
//! recursive references, contradictory schemas.

mod schemas;
mod words;

use fastrand::Rng;
use serde_json::{Map, Value, json};

use self::words::{MEDIA, NAMES, STATUSES, TEXTS};

/// A name that ends with a number from this one on occurs once in a description.
pub const UNIQUE: u32 = 1_000_000;

/// The description of a seed.
pub fn description(seed: u64) -> Value {
    let mut maker = Maker { rng: Rng::with_seed(seed), is_newer: false, schemas: Vec::new() };
    maker.is_newer = maker.one_in(2);
    maker.document()
}

struct Maker {
    rng: Rng,
    /// OpenAPI 3.1.
    is_newer: bool,
    /// The names of the component schemas.
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

    /// A name, in some cases a unique one, which can be searched in the generated code.
    fn field(&mut self) -> String {
        let name = self.name();
        if self.one_in(3) { format!("{name}{}", self.rng.u32(UNIQUE..)) } else { name }
    }

    fn document(&mut self) -> Value {
        let mut names: Vec<_> = (0..self.rng.usize(..8)).map(|_| self.name()).collect();
        // The specification permits these characters only in names of components.
        for name in &mut names {
            if !self.one_in(6) {
                name.retain(|it| it.is_ascii_alphanumeric() || "._-".contains(it));
            }
        }
        names.retain(|it| !it.is_empty());
        self.schemas = names.clone();
        let schemas: Map<_, _> = names.into_iter().map(|name| (name, self.schema(0))).collect();
        let mut paths = Map::new();
        for _ in 0..1 + self.rng.usize(..4) {
            let (path, parameters) = self.path();
            let item = match self.rng.usize(..16) {
                0 => json!({ "$ref": "#/components/pathItems/Shared" }),
                1 => json!({ "$ref": "#/components/pathItems/Missing" }),
                _ => self.item(parameters),
            };
            paths.insert(path, item);
        }
        let version = match (self.is_newer, self.one_in(6)) {
            (false, _) => "3.0.3",
            (true, false) => "3.1.0",
            (true, true) => "3.2.0",
        };
        let mut document = json!({
            "openapi": version,
            "info": { "title": self.pick(&TEXTS), "version": "1" },
            "paths": paths,
            "components": {
                "schemas": schemas,
                "parameters": { "Shared": self.parameter("query"), "a b": self.parameter("header") },
                "requestBodies": {
                    "Shared": self.body(),
                    "Alias": { "$ref": "#/components/requestBodies/Shared" },
                },
                "responses": {
                    "Shared": self.response(),
                    "Alias": { "$ref": "#/components/responses/Shared" },
                },
                "pathItems": { "Shared": self.item(Vec::new()) },
                "securitySchemes": {
                    "bearer": { "type": "http", "scheme": "bearer" },
                    "key": {
                        "type": "apiKey",
                        "in": self.pick(&["query", "header", "cookie"]),
                        "name": self.name(),
                    },
                },
            },
        });
        if self.one_in(4) {
            document["security"] = self.security();
        }
        if self.one_in(4) {
            document["$defs"] = json!({ self.name(): self.schema(2) });
        }
        if self.is_newer && self.one_in(4) {
            document["webhooks"] = json!({ self.name(): self.item(Vec::new()) });
        }
        if self.one_in(3) {
            document["servers"] = self.servers();
        }
        document
    }

    fn servers(&mut self) -> Value {
        let url = self.pick(&["/", "/v2", "https://a.b/c/{d}", "x y", "//a.b/c", ""]);
        json!([{ "url": url, "variables": { "d": { "default": self.name() } } }])
    }

    fn security(&mut self) -> Value {
        let mut all = Vec::new();
        for _ in 0..self.rng.usize(..3) {
            all.push(match self.rng.usize(..4) {
                0 => json!({}),
                1 => json!({ "key": [], "bearer": [] }),
                _ => json!({ self.pick(&["bearer", "key", "missing"]): [] }),
            });
        }
        Value::Array(all)
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
        if let Some(parameter) = parameters.first().filter(|_| self.one_in(8)) {
            let name = parameter["name"].as_str().unwrap_or_default();
            path.push_str(&format!("?p={{{name}}}&q={{{name}}}"));
        }
        (path, parameters)
    }

    fn item(&mut self, parameters: Vec<Value>) -> Value {
        let mut parameters = parameters;
        if self.one_in(4) {
            parameters.push(self.parameter("query"));
        }
        let mut item = json!({ "parameters": parameters });
        if self.one_in(8) {
            item["servers"] = self.servers();
        }
        if self.one_in(12) {
            let method = self.pick(&["COPY", "a b", "query"]);
            item["additionalOperations"] = json!({ method: self.operation() });
        }
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
            parameters.push(match self.rng.usize(..10) {
                0 => json!({ "$ref": "#/components/parameters/Shared" }),
                1 => json!({ "$ref": "#/components/parameters/Missing" }),
                2 => json!({ "$ref": "#/components/parameters/a%20b" }),
                _ => self.parameter(place),
            });
        }
        let mut responses = Map::new();
        for _ in 0..self.rng.usize(..4) {
            let response = match self.rng.usize(..9) {
                0 => json!({ "$ref": "#/components/responses/Shared" }),
                2 => json!({ "$ref": "#/components/responses/Alias" }),
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
            operation["requestBody"] = match self.rng.usize(..7) {
                0 => json!({ "$ref": "#/components/requestBodies/Shared" }),
                1 => json!({ "$ref": "#/components/requestBodies/Alias" }),
                _ => self.body(),
            };
        }
        if self.one_in(6) {
            operation["security"] = self.security();
        }
        if self.one_in(12) {
            operation["servers"] = self.servers();
        }
        if self.one_in(12) {
            operation["callbacks"] = json!({ "on": { "{$url}": { "post": { "responses": {} } } } });
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
        let mut parameter =
            json!({ "name": self.field(), "in": place, "required": self.one_in(3) });
        match self.rng.usize(..12) {
            0 => parameter["content"] = json!({ "application/json": { "schema": self.schema(1) } }),
            1 => {}
            _ => parameter["schema"] = self.schema(2),
        }
        if self.one_in(4) {
            let styles = [
                "form",
                "simple",
                "spaceDelimited",
                "pipeDelimited",
                "deepObject",
                "label",
                "matrix",
            ];
            parameter["style"] = json!(self.pick(&styles));
            if self.rng.bool() {
                parameter["explode"] = json!(self.rng.bool());
            }
        }
        self.describe(&mut parameter);
        parameter
    }

    fn content(&mut self) -> Value {
        let mut content = Map::new();
        for _ in 0..self.rng.usize(..3) {
            let mut media =
                if self.one_in(8) { json!({}) } else { json!({ "schema": self.schema(0) }) };
            if self.one_in(16) {
                media = json!({ "itemSchema": self.schema(0) });
            }
            if self.one_in(5) {
                media["example"] = self.value(0);
            }
            if self.one_in(3) {
                media["encoding"] = self.encoding(&media);
            }
            let is_json = self.one_in(2);
            content.insert(if is_json { MEDIA[0] } else { self.pick(&MEDIA) }.to_owned(), media);
        }
        Value::Object(content)
    }

    /// Encodings for the fields of a media type, and for one that may not exist.
    fn encoding(&mut self, media: &Value) -> Value {
        let fields = media["schema"]["properties"].as_object().into_iter().flatten();
        let mut names: Vec<_> = fields.map(|(name, _)| name.clone()).collect();
        names.push(self.name());
        let mut encoding = json!({});
        for name in names {
            let styles = ["form", "deepObject", "spaceDelimited", "pipeDelimited"];
            let media = ["text/plain", "application/json", "image/png, image/*", "*/*"];
            let it = &mut encoding[name];
            *it = json!({});
            if self.one_in(2) {
                it["contentType"] = json!(self.pick(&media));
            }
            if self.one_in(2) {
                it["style"] = json!(self.pick(&styles));
            }
            if self.one_in(3) {
                it["explode"] = json!(self.rng.bool());
            }
            if self.one_in(6) {
                it["headers"] = json!({ "X-A": { "schema": { "type": "string" } } });
            }
        }
        encoding
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
}
