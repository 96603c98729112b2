//! Synthetic descriptions of any size, with operations and types like those of published ones, to
//! measure the cost of compiling generated code.

use serde_json::{Map, Value, json};

/// A description with this number of operations and, besides enums, of types.
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
        "info": { "title": "Synthetic", "version": "1" },
        "paths": paths,
        "components": { "schemas": schemas },
    })
}

fn name(number: usize) -> String {
    format!("Thing{number}")
}

/// The number of types of one resource.
const FAMILY: usize = 12;

/// One of this number of types is in the core to which the remaining types refer.
const CORE: usize = 32;

/// The maximum number of types in the core.
const LARGEST_CORE: usize = 256;

/// A reference to the type of this number; to the first if there is none.
fn reference(number: usize, types: usize) -> Value {
    let number = if number < types { number } else { 0 };
    json!({ "$ref": format!("#/components/schemas/{}", name(number)) })
}

/// The children of a type in its family, which is a tree.
fn below(number: usize, types: usize) -> [Value; 2] {
    let (first, within) = (number / FAMILY * FAMILY, number % FAMILY);
    [1, 2].map(|it| match 2 * within + it {
        below if below < FAMILY && first + below < types => reference(first + below, types),
        _ => json!({ "type": "string" }),
    })
}

/// A type of the core, which are the last types: they have no children.
fn of_core(number: usize, types: usize) -> Value {
    let core = (types / CORE).clamp(1, LARGEST_CORE);
    reference(types.saturating_sub(1 + number * 7 % core), types)
}

/// Published descriptions are mostly trees: each resource has its own types, and many resources
/// refer to a core of few types, which are recursive. One type in twelve is a union, one in 24
/// keeps additional fields, the remaining types have from 6 to 18 fields; some refer back to the
/// first type of their family.
fn schema(number: usize, types: usize) -> Value {
    let [first, second] = below(number, types);
    if number % 12 == 11 {
        return json!({
            "description": "One of two.",
            "oneOf": [of_core(number, types), { "type": "array", "items": { "type": "string" } }, { "type": "string" }],
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
        match number % 4 {
            0 => json!({ "allOf": [reference(number / FAMILY * FAMILY, types)], "nullable": true }),
            _ => json!({ "allOf": [of_core(number, types)], "nullable": true }),
        },
    ];
    let count = 4 + number * 5 % 13;
    let mut fields: Map<_, _> = (0..count)
        .map(|it| (format!("field_{it}"), kinds[(it * 3 + number) % kinds.len()].clone()))
        .collect();
    fields.insert("child".to_owned(), first);
    fields.insert("children".to_owned(), json!({ "type": "array", "items": second }));
    let family = number / FAMILY;
    for (name, family) in [("first", 2 * family + 1), ("second", 2 * family + 2)] {
        if number.is_multiple_of(FAMILY) && family * FAMILY < types {
            fields.insert(name.to_owned(), reference(family * FAMILY, types));
        }
    }
    let required: Vec<_> = (0..count).step_by(2).map(|it| format!("field_{it}")).collect();
    json!({
        "type": "object",
        "description": "A thing of the service, with what belongs to it.",
        "properties": fields,
        "required": required,
        "additionalProperties": number.is_multiple_of(24),
    })
}

/// Four operations for each resource: read, update, create, list.
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
