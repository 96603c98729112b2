//! Round trip of results through the formats of the features `compression` and `parquet`.
//!
//! The table stays in the folder that `PODQUEUE_TABLES` names, where `scripts/tables.sh` reads it with
//! other programs.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]
use std::fs;
use std::path::Path;
use std::time::Duration;

use podqueue::{Client, RateLimits};
use podqueue_batch::{Batch, ColumnTypes, Inputs, Reader, Sqlite, State};
use podqueue_local::LocalService;
use serde_json::{Value, json};

/// Number of results.
const INPUTS: u64 = 200;

fn input(n: u64) -> Value {
    let mut input = json!({
        "n": n,
        "big": (1_u64 << 60) + n,
        "half": (2 * n + 1) as f64 / 2.0,
        "even": n.is_multiple_of(2),
        "name": format!("a\n\"{n}\", é"),
    });
    match n % 3 {
        0 => input["of"] = json!({ "list": [n, "x"], "text": format!("t{n}") }),
        1 => input["mixed"] = json!("1"),
        _ => input["mixed"] = json!(1),
    }
    input
}

/// The journal of the batch in this folder.
fn journal(folder: &Path) -> Sqlite {
    Sqlite::file(folder.join("results.jsonl.journal"))
}

/// Runs a batch on the endpoint that echoes, and returns its outputs by index.
async fn echoed(folder: &Path, inputs: Inputs) -> Vec<Value> {
    let local = LocalService::builder().api_key("local-key").start().await.unwrap();
    let client = Client::builder().api_key("local-key").base_url(local.base_url());
    let client = client.timeout(Duration::from_secs(20)).rate_limits(RateLimits::off());
    let client = client.build().unwrap();
    let results = folder.join("results.jsonl");
    let batch = Batch::open(journal(folder)).inputs(inputs).results(&results).await.unwrap();
    let report = batch.run(client.endpoint("echo")).await.unwrap();
    assert_eq!(report.counts.of(State::Completed), INPUTS);
    let text = fs::read_to_string(results).unwrap();
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.sort_by_key(|line| line["index"].as_u64());
    lines.into_iter().map(|mut line| line["output"].take()).collect()
}

#[tokio::test]
async fn results_in_each_format_are_inputs_with_the_same_values() {
    let folder = tempfile::tempdir().unwrap();
    let inputs: Vec<_> = (0..INPUTS).map(input).collect();
    assert_eq!(echoed(folder.path(), Inputs::iter(inputs.clone())).await, inputs);
    let mut reader = Reader::open(&journal(folder.path())).unwrap();
    for name in ["answers.parquet", "answers.jsonl.gz", "answers.jsonl.zst", "answers.csv.gz"] {
        let out = match std::env::var_os("PODQUEUE_TABLES") {
            Some(tables) => Path::new(&tables).join(name),
            None => folder.path().join(name),
        };
        let exported = reader.export_to(&[], &out, &ColumnTypes::default()).unwrap();
        assert_eq!(exported.results, INPUTS);
        let second = tempfile::tempdir().unwrap();
        let found = match name {
            // Its columns are the members of the outputs.
            "answers.csv.gz" => {
                let types = r#"{"output.mixed": "json", "output.of.list": "json"}"#;
                let types = ColumnTypes::parse(types).unwrap();
                echoed(second.path(), Inputs::file(&out).types(types))
                    .await
                    .iter()
                    .map(nested)
                    .collect()
            }
            _ => {
                echoed(second.path(), Inputs::file(&out).input_field("output").key_field("index"))
                    .await
            }
        };
        assert_eq!(found, inputs, "{name}");
    }
}

/// The output of a row of the CSV file.
fn nested(row: &Value) -> Value {
    let mut output = json!({});
    for (name, value) in row.as_object().unwrap() {
        match name.strip_prefix("output.").map(|path| path.split_once('.')) {
            Some(Some((object, member))) => output[object][member] = value.clone(),
            Some(None) => output[&name["output.".len()..]] = value.clone(),
            None => {}
        }
    }
    output
}
