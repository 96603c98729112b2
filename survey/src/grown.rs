//! A description of any size, whose operations and types are like those of published ones: what
//! generated code costs its compiler is measured with it.

use serde_json::{Map, Value, json};

/// A description with so many operations and, beside enums, so many types.
pub fn description(operations: usize, types: usize) -> Value {
    let schemas: Map<_, _> = (0..types).map(|it| (name(it), schema(it, types))).collect();
    let mut paths = Map::new();
    for number in 0..operations {
        let (path, method, operation) = operation(number, types);
        let item = paths.entry(path).or_insert_with(|| json!({}));
        item[method] = operation;
    }
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Grown", "version": "1" },
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

fn name(number: usize) -> String {
    format!("Thing{number}")
}

/// The type of this number; the first if there is none.
fn reference(number: usize, types: usize) -> Value {
    let number = if number < types { number } else { 0 };
    json!({ "$ref": format!("#/components/schemas/{}", name(number)) })
}

/// A tree of types, each of which may lead back to the one above: one in twelve is a choice of
/// shapes, one in 24 keeps fields that are not described, all others have from 6 to 18 fields.
fn schema(number: usize, types: usize) -> Value {
    if number % 12 == 11 {
        return json!({
            "description": "One of two.",
            "oneOf": [reference(2 * number + 1, types), reference(2 * number + 2, types), { "type": "string" }],
        });
    }
    let kinds = [
        json!({ "type": "string", "description": "Identifies it." }),
        json!({ "type": "integer", "format": "int64" }),
        json!({ "type": "string", "format": "date-time", "description": "When it was made." }),
        json!({ "type": "boolean" }),
        json!({ "type": "string", "nullable": true }),
        json!({ "type": "number", "description": "What it costs, per hour." }),
        json!({ "type": "string", "format": "uri" }),
        json!({ "type": "array", "items": { "type": "string" } }),
        match number % 3 {
            0 => json!({ "type": "string", "enum": ["new", "running", format!("kept_{number}")] }),
            _ => json!({ "type": "string", "nullable": true, "format": "date" }),
        },
        json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        json!({ "allOf": [reference(number.saturating_sub(1) / 2, types)], "nullable": true }),
    ];
    let count = 4 + number * 5 % 13;
    let mut fields: Map<_, _> = (0..count)
        .map(|it| (format!("field_{it}"), kinds[(it * 3 + number) % kinds.len()].clone()))
        .collect();
    fields.insert("child".to_owned(), reference(2 * number + 1, types));
    let others = json!({ "type": "array", "items": reference(2 * number + 2, types) });
    fields.insert("children".to_owned(), others);
    let required: Vec<_> = (0..count).step_by(2).map(|it| format!("field_{it}")).collect();
    json!({
        "type": "object",
        "description": "A thing of the service, with what belongs to it.",
        "properties": fields,
        "required": required,
        "additionalProperties": number.is_multiple_of(24),
    })
}

/// Four operations for each path: read one, change it, make one, list all.
fn operation(number: usize, types: usize) -> (String, &'static str, Value) {
    let group = number / 4;
    let parameter = |name: &str, place: &str, schema: Value| {
        json!({
            "name": name, "in": place, "required": place == "path", "schema": schema,
            "description": "Which of them.",
        })
    };
    let text = || json!({ "type": "string" });
    let owner = parameter("owner", "path", text());
    let one = parameter("id", "path", json!({ "type": "integer" }));
    let filters = [
        parameter("per_page", "query", json!({ "type": "integer" })),
        parameter("page", "query", json!({ "type": "integer" })),
        parameter("sort", "query", json!({ "type": "string", "enum": ["created", "updated"] })),
        parameter("tags", "query", json!({ "type": "array", "items": text() })),
    ];
    let content = |schema: Value| json!({ "application/json": { "schema": schema } });
    let body =
        json!({ "required": true, "content": content(reference((group * 11 + 3) % types, types)) });
    let single = reference(group * 7 % types, types);
    let list = json!({ "type": "array", "items": single });
    let path = format!("/owners/{{owner}}/things{group}");
    let below = format!("{path}/{{id}}");
    let (path, method, parameters, body, answer) = match number % 4 {
        0 => (below, "get", vec![owner, one], None, single),
        1 => (below, "patch", vec![owner, one], Some(body), single),
        2 => (path, "post", vec![owner], Some(body), single),
        _ => (path, "get", [vec![owner], filters.to_vec()].concat(), None, list),
    };
    let mut operation = json!({
        "operationId": format!("{method}_{}_{number}", if number % 4 == 3 { "things" } else { "thing" }),
        "summary": "Does something with a thing.",
        "parameters": parameters,
        "responses": { "200": { "description": "Done.", "content": content(answer) } },
    });
    if let Some(body) = body {
        operation["requestBody"] = body;
    }
    (path, method, operation)
}
