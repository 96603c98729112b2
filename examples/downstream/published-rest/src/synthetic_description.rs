//! Synthetic description in the style of published ones: many resources with the same calls, bases,
//! unions, pages, files, streams and errors.

use serde_json::{Map, Value, json};

/// Names of the resources. Each resource refers to the next one.
pub const RESOURCES: [&str; 22] = [
    "account",
    "address",
    "article",
    "basket",
    "branch",
    "carrier",
    "coupon",
    "customer",
    "delivery",
    "discount",
    "invoice",
    "label",
    "ledger",
    "order",
    "parcel",
    "payment",
    "plan",
    "refund",
    "report",
    "supplier",
    "ticket",
    "warehouse",
];

/// The description.
pub fn description() -> Value {
    let mut paths = Map::new();
    let mut schemas = shared();
    for (number, name) in RESOURCES.iter().enumerate() {
        paths_of(name, &mut paths);
        let next = RESOURCES[(number + 1) % RESOURCES.len()];
        schemas_of(name, next, number, &mut schemas);
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Shop", "version": "7.2.0" },
        "servers": [{ "url": "https://shop.example/api/v7" }],
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": {
                "id": parameter("id", "path", json!({ "type": "string" })),
                "limit": parameter("limit", "query", json!({ "type": "integer", "maximum": 100 })),
                "after": parameter("after", "query", json!({ "type": "string" })),
                "trace": parameter("X-Trace-Id", "header", json!({ "type": "string" })),
            },
            "responses": {
                "Refused": json_of("What was wrong.", reference("Problem")),
            },
            "securitySchemes": { "key": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn paths_of(name: &str, paths: &mut Map<String, Value>) {
    let pascal = pascal(name);
    let all = format!("/{name}s");
    let one = format!("/{name}s/{{id}}");
    let own = || json_of("It.", reference(&pascal));
    let page = json_of("A page.", reference(&format!("{pascal}Page")));
    let list = format!("list{pascal}s");
    let sort = json!({ "type": "string", "enum": ["created", "-created", "name", "-name"] });
    let state = json!({ "type": "array", "items": reference("State") });
    let filters = json!([
        { "$ref": "#/components/parameters/limit" },
        { "$ref": "#/components/parameters/after" },
        parameter("sort", "query", sort),
        { "name": "state", "in": "query", "explode": false, "schema": state },
        parameter("created[gte]", "query", json!({ "type": "string", "format": "date-time" })),
    ]);
    let mut get = operation(&list, &format!("Lists {name}s."), ("200", page));
    get["parameters"] = filters;
    let mut post =
        operation(&format!("create{pascal}"), &format!("Creates a {name}."), ("201", own()));
    post["requestBody"] = body("application/json", reference(&format!("New{pascal}")));
    paths.insert(all.clone(), json!({ "get": get, "post": post }));

    let mut patch = operation(&format!("update{pascal}"), "Changes some fields.", ("200", own()));
    let change = reference(&format!("{pascal}Change"));
    patch["requestBody"] = body("application/merge-patch+json", change);
    let gone = json!({ "description": "It was deleted." });
    paths.insert(
        one.clone(),
        json!({
            "parameters": [
                { "$ref": "#/components/parameters/id" },
                { "$ref": "#/components/parameters/trace" },
            ],
            "get": operation(&format!("get{pascal}"), &format!("Reads a {name}."), ("200", own())),
            "patch": patch,
            "delete": operation(&format!("delete{pascal}"), &format!("Deletes a {name}."), ("204", gone)),
        }),
    );

    let id = json!([{ "$ref": "#/components/parameters/id" }]);
    let mut put = |path: String, method: &str, mut operation: Value, body: Option<Value>| {
        operation["parameters"] = id.clone();
        if let Some(body) = body {
            operation["requestBody"] = body;
        }
        let item = paths.entry(path).or_insert_with(|| json!({}));
        item[method] = operation;
    };
    let files = format!("{one}/files");
    let attach = operation(
        &format!("attachTo{pascal}"),
        "Attaches files.",
        ("201", json_of("All.", list_of("File"))),
    );
    let parts = json!({
        "type": "object",
        "required": ["files"],
        "properties": {
            "files": list_schema(json!({ "type": "string", "format": "binary" })),
            "note": { "type": "string" },
            "tags": list_schema(json!({ "type": "string" })),
        },
    });
    put(files.clone(), "post", attach, Some(body("multipart/form-data", parts)));
    let listed = operation(
        &format!("filesOf{pascal}"),
        "Lists the files.",
        ("200", json_of("All.", list_of("File"))),
    );
    put(files, "get", listed, None);
    let binary = json!({ "description": "The file.", "content": { "application/pdf": {} } });
    let printed = operation(&format!("print{pascal}"), "Prints it.", ("200", binary));
    put(format!("{one}/print"), "get", printed, None);
    let stream = json!({
        "description": "What happens.",
        "content": { "text/event-stream": { "schema": reference(&format!("{pascal}Event")) } },
    });
    let watch =
        operation(&format!("watch{pascal}"), "Reports what happens to it.", ("200", stream));
    put(format!("{one}/events"), "get", watch, None);
    let moved = operation(&format!("move{pascal}"), "Moves it to another state.", ("200", own()));
    let form = json!({
        "type": "object",
        "required": ["state"],
        "properties": { "state": reference("State"), "reason": { "type": "string" } },
    });
    put(
        format!("{one}/state"),
        "post",
        moved,
        Some(body("application/x-www-form-urlencoded", form)),
    );
}

fn schemas_of(name: &str, next: &str, number: usize, schemas: &mut Map<String, Value>) {
    let pascal = pascal(name);
    let mut fields = json!({
        "name": { "type": "string", "description": format!("What the {name} is called.") },
        "state": reference("State"),
        next: { "oneOf": [{ "type": "string" }, reference(&self::pascal(next))] },
        "owner": { "oneOf": [reference("Person"), reference("Company")] },
        "labels": { "type": "object", "additionalProperties": { "type": "string" } },
    });
    // No two resources are alike.
    for (place, (field, schema)) in pool().into_iter().enumerate() {
        if (number + place) % 3 != 0 {
            fields[field] = schema;
        }
    }
    let with =
        |required: Value| json!({ "type": "object", "required": required, "properties": fields });
    schemas.insert(
        pascal.clone(),
        json!({ "description": format!("A {name}."), "allOf": [reference("Resource"), with(json!(["name"]))] }),
    );
    schemas.insert(format!("New{pascal}"), with(json!(["name", "owner"])));
    schemas.insert(format!("{pascal}Change"), with(json!([])));
    let items = list_schema(reference(&pascal));
    let page = json!({ "type": "object", "properties": { "data": items } });
    schemas.insert(format!("{pascal}Page"), json!({ "allOf": [reference("Page"), page] }));
    let event = json!({
        "type": "object",
        "properties": { "kind": { "type": "string", "enum": ["created", "changed", "deleted"] }, name: reference(&pascal) },
    });
    schemas.insert(format!("{pascal}Event"), event);
}

/// Fields of resources.
fn pool() -> Vec<(&'static str, Value)> {
    let money = reference("Money");
    vec![
        ("amount", money.clone()),
        (
            "lines",
            list_schema(json!({
                "type": "object",
                "required": ["sku"],
                "properties": { "sku": { "type": "string" }, "count": { "type": "integer" }, "price": money },
            })),
        ),
        ("due", json!({ "type": ["string", "null"], "format": "date" })),
        ("rating", json!({ "type": "number", "minimum": 0, "maximum": 5 })),
        ("is_public", json!({ "type": "boolean", "default": false })),
        ("priority", json!({ "type": "string", "enum": ["low", "normal", "high"] })),
        (
            "window",
            json!({
                "type": ["object", "null"],
                "properties": { "from": { "type": "string" }, "until": { "type": "string" } },
            }),
        ),
        ("reference", json!({ "type": ["string", "integer"] })),
        ("settings", json!({ "type": "object" })),
        ("history", list_schema(reference("State"))),
        ("password", json!({ "type": "string", "format": "password" })),
    ]
}

/// Schemas that all resources use.
fn shared() -> Map<String, Value> {
    let text = json!({ "type": "string" });
    let schemas = json!({
        "Resource": {
            "type": "object",
            "required": ["id", "created"],
            "properties": {
                "id": text, "created": { "type": "string", "format": "date-time" }, "version": { "type": "integer" },
            },
        },
        "State": { "type": "string", "enum": ["draft", "open", "held", "closed"] },
        "Money": { "type": "object", "required": ["value"], "properties": { "value": { "type": "integer" }, "currency": text } },
        "Person": { "type": "object", "properties": { "first_name": text, "last_name": text, "home": reference("Place") } },
        "Company": { "type": "object", "properties": { "title": text, "seat": reference("Place"), "parent": reference("Company") } },
        "Place": { "type": "object", "properties": { "city": text, "zip": text } },
        "Page": { "type": "object", "properties": { "next": { "type": ["string", "null"] }, "total": { "type": "integer" } } },
        "File": { "type": "object", "properties": { "id": text, "name": text, "size": { "type": "integer", "format": "int64" } } },
        "Problem": { "type": "object", "properties": { "type": text, "title": text, "errors": { "type": "object", "additionalProperties": list_schema(text) } } },
    });
    schemas.as_object().cloned().unwrap_or_default()
}

fn operation(id: &str, summary: &str, (status, response): (&str, Value)) -> Value {
    let refused = json!({ "$ref": "#/components/responses/Refused" });
    json!({ "operationId": id, "summary": summary, "responses": { status: response, "default": refused } })
}

fn parameter(name: &str, place: &str, schema: Value) -> Value {
    json!({ "name": name, "in": place, "required": place == "path", "schema": schema })
}

fn body(media: &str, schema: Value) -> Value {
    json!({ "required": true, "content": { media: { "schema": schema } } })
}

fn json_of(description: &str, schema: Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn list_of(name: &str) -> Value {
    list_schema(reference(name))
}

fn list_schema(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn pascal(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}
