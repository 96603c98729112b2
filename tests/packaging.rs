//! What the papers say is true: the index of tests, and the minimum Rust version.

#![expect(clippy::unwrap_used, reason = "a test says what it expects by unwrapping it")]

use std::collections::{HashMap, HashSet};
use std::process::Command;

use serde_json::Value;

/// `tests/README.md` leads to tests that exist: it names them as `path/of/file.rs::name`.
#[test]
fn the_index_of_tests_leads_to_tests() {
    let index = std::fs::read_to_string("tests/README.md").unwrap();
    let named: Vec<_> =
        index.split('`').skip(1).step_by(2).filter_map(|code| code.split_once(".rs::")).collect();
    assert!(named.len() > 100, "the index was read: {}", named.len());
    let mut missing = Vec::new();
    for (file, test) in named {
        let path = format!("{file}.rs");
        let source = std::fs::read_to_string(&path).unwrap_or_default();
        let declared = format!("fn {test}(");
        let lines = || source.lines().map(str::trim);
        let makes_a_test =
            |line: &str| line.ends_with("test]") || line.starts_with("#[tokio::test(");
        let is_test = lines()
            .zip(lines().skip(1))
            .any(|(before, line)| makes_a_test(before) && line.contains(&declared));
        let is_property = source.contains("proptest!") && source.contains(&declared);
        if !is_test && !is_property {
            missing.push(format!("{path}::{test}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// No dependency of the library, of its generator or of what brings its input up to date asks for a newer Rust than they state.
///
/// `clippy::incompatible_msrv` holds our own code to it.
#[test]
fn the_stated_rust_version_covers_every_dependency() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let packages: HashMap<_, _> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (package["id"].as_str().unwrap().to_owned(), package))
        .collect();
    let nodes: HashMap<_, _> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (node["id"].as_str().unwrap().to_owned(), node))
        .collect();
    let named = |name: &str| packages.values().find(|package| package["name"] == name).unwrap();
    let roots = ["podqueue", "podqueue-regenerate"].map(named);
    let stated = version(&roots[0]["rust_version"]).unwrap();
    assert_eq!(roots[0]["rust_version"], roots[1]["rust_version"]);

    let mut to_visit: Vec<_> =
        roots.iter().map(|root| root["id"].as_str().unwrap().to_owned()).collect();
    let mut visited = HashSet::new();
    let mut newer = Vec::new();
    while let Some(id) = to_visit.pop() {
        if !visited.insert(id.clone()) {
            continue;
        }
        let package = &packages[&id];
        if version(&package["rust_version"]).is_some_and(|needed| needed > stated) {
            newer.push(format!("{} {}", package["name"], package["rust_version"]));
        }
        for dependency in list(&nodes[&id]["deps"]) {
            let kinds = list(&dependency["dep_kinds"]);
            if kinds.iter().any(|kind| kind["kind"] != "dev") {
                to_visit.push(dependency["pkg"].as_str().unwrap().to_owned());
            }
        }
    }
    assert!(visited.len() > 50, "the dependencies were walked: {}", visited.len());
    assert!(newer.is_empty(), "newer than {stated:?}: {newer:#?}");
}

fn version(text: &Value) -> Option<(u32, u32)> {
    let mut parts = text.as_str()?.split('.').map(|part| part.parse().unwrap());
    Some((parts.next()?, parts.next()?))
}
