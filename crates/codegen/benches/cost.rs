//! Benchmark: the cost of generating from a REST description, by its size.
//!
//! `cargo bench -p podqueue-codegen --bench cost` prints a table. The time is that of the
//! generator alone; compiling what it makes comes on top, and grows with the bytes.

use std::time::{Duration, Instant};

use podqueue_codegen::{Source, rest};
use serde_json::{Map, Value, json};

const RUNS: usize = 3;

#[expect(clippy::print_stdout, reason = "the table is the output of the benchmark")]
fn main() {
    println!("| operations | schemas | time | for each operation | bytes of code |");
    println!("|---:|---:|---:|---:|---:|");
    for operations in [10, 100, 1000] {
        let source = Source::new("bench.json", description(operations).to_string());
        let mut best = Duration::MAX;
        let mut bytes = 0;
        for _ in 0..RUNS {
            let start = Instant::now();
            // A description that the generator refuses counts as empty.
            bytes = rest::generate(&source).map_or(0, |made| made.code.len());
            best = best.min(start.elapsed());
        }
        println!(
            "| {operations} | {} | {best:.1?} | {:.2?} | {bytes} |",
            operations * 2,
            best / u32::try_from(operations).unwrap_or(1),
        );
    }
}

/// Half of the operations read a thing and half make one; each thing has a part and an enum, and
/// refers to the next one.
fn description(operations: usize) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for number in 0..operations {
        let thing = json!({ "$ref": format!("#/components/schemas/Thing{number}") });
        let content = json!({ "application/json": { "schema": thing } });
        let mut operation = json!({
            "summary": "Deals with a thing.",
            "parameters": [{ "name": "detailed", "in": "query", "schema": { "type": "boolean" } }],
            "responses": { "200": { "description": "The thing.", "content": content } },
        });
        let method = if number % 2 == 0 { "get" } else { "post" };
        if method == "post" {
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        paths.insert(format!("/things{number}/{{id}}"), json!({ method: operation }));
        let part = format!("Part{number}");
        schemas.insert(
            format!("Thing{number}"),
            json!({ "type": "object", "properties": {
                "id": { "type": "string", "description": "Identifies it." },
                "size": { "type": ["integer", "null"] },
                "tags": { "type": "array", "items": { "type": "string" } },
                "status": { "type": "string", "enum": ["up", "down", format!("number {number}")] },
                "next": { "$ref": format!("#/components/schemas/Thing{}", (number + 1) % operations) },
                "part": { "$ref": format!("#/components/schemas/{part}"), "description": "Its part." },
                "either": { "oneOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] },
            }}),
        );
        schemas.insert(
            part,
            json!({ "allOf": [
                { "type": "object", "properties": { "name": { "type": "string" } } },
                { "type": "object", "properties": { "weights": { "type": "array", "items": { "type": "number" } } } },
            ]}),
        );
    }
    json!({ "openapi": "3.1.0", "info": {}, "paths": paths, "components": { "schemas": schemas } })
}
