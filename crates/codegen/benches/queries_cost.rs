//! Benchmark: the cost of generating from queries, by their number and the size of the schema.
//!
//! `cargo bench -p podqueue-codegen --bench queries_cost` prints a table. The columns per item show
//! that the cost is linear: they stay the same from row to row.
//!
//! It is compiled as a build script is, without optimization, with
//! `cargo bench --profile dev -p podqueue-codegen --bench queries_cost`.
#![allow(clippy::unwrap_used, reason = "a benchmark fails on unexpected results")]
#![allow(clippy::print_stdout, reason = "the table is the output of the benchmark")]

use std::time::{Duration, Instant};

use podqueue_codegen::Source;
use podqueue_codegen::graphql::{self, SharedTypes};

const SIZES: [usize; 3] = [10, 100, 1000];

fn main() {
    // `cargo test` runs benchmarks, too, to check that they work: a small one suffices.
    let is_measured = std::env::args().any(|argument| argument == "--bench");
    let sizes = if is_measured { &SIZES[..] } else { &SIZES[..1] };
    println!("| queries | types in the schema | time | per query | lines | per query |");
    println!("|---:|---:|---:|---:|---:|---:|");
    for &queries in sizes {
        row(queries, 30, queries);
    }
    println!();
    println!("| queries | types in the schema | time | per type | lines | per type |");
    println!("|---:|---:|---:|---:|---:|---:|");
    for &size in sizes {
        row(10, 3 * size, 3 * size);
    }
}

/// Generates once to warm up and then a few times, and prints the fastest.
fn row(queries: usize, types: usize, items: usize) {
    let (schema, files) = (schema(types / 3), files(queries, types / 3));
    let generate = || graphql::generate(&schema, &files, SharedTypes::Here).unwrap().code;
    let lines = generate().lines().count();
    let mut fastest = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        std::hint::black_box(generate());
        fastest = fastest.min(start.elapsed());
    }
    let per_item = fastest / u32::try_from(items).unwrap();
    println!(
        "| {queries} | {types} | {fastest:.1?} | {per_item:.1?} | {lines} | {} |",
        lines / items
    );
}

/// Types of each kind, as many: objects, enums, inputs. Each object and each input leads to the
/// next one, so that one query may reach all of them.
fn schema(of_each: usize) -> Source {
    let mut text = String::from("type Query {\n");
    for number in 0..of_each {
        text.push_str(&format!(
            "  \"Reads a thing of the kind {number}.\"\n  thing{number}(id: ID!, filter: Filter{number}): Thing{number}\n"
        ));
    }
    text.push_str("}\n");
    for number in 0..of_each {
        let following = (number + 1) % of_each;
        text.push_str(&format!(
            "\"A thing of the kind {number}.\"
type Thing{number} {{
  \"What it is known by.\"
  id: ID!
  name: String
  sizes: [Float!]!
  state: State{number}
  next: Thing{number}
  following: Thing{following}
}}
enum State{number} {{ WAITING RUNNING DONE }}
input Filter{number} {{ name: String states: [State{number}!] next: Filter{following} }}
"
        ));
    }
    Source::new("schema.graphql", text)
}

/// A file for each query, and a fragment that all of a kind share.
fn files(queries: usize, kinds: usize) -> Vec<Source> {
    let used = queries.min(kinds);
    let fragments = (0..used).map(|number| {
        let text = format!("fragment Parts{number} on Thing{number} {{ id name state }}\n");
        Source::new(format!("queries/parts{number}.graphql"), text)
    });
    let queries = (0..queries).map(|number| {
        let kind = number % kinds;
        let text = format!(
            "# Reads number {number}.
query Read{number}($id: ID!, $filter: Filter{kind}) {{
  thing{kind}(id: $id, filter: $filter) {{
    ...Parts{kind}
    sizes
    next {{ id name next {{ id }} }}
  }}
}}
"
        );
        Source::new(format!("queries/read{number}.graphql"), text)
    });
    fragments.chain(queries).collect()
}
