//! Minimum supported Rust version: that of every package, and of its dependencies.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::support::{PUBLISHED, list, metadata};

/// No dependency of a published crate asks for a newer Rust than the crate states.
///
/// `clippy::incompatible_msrv` holds our own code to it.
#[test]
fn the_stated_rust_version_covers_every_dependency() {
    let metadata = metadata();
    let packages: HashMap<_, _> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (package["id"].as_str().unwrap().to_owned(), package))
        .collect();
    let nodes: HashMap<_, _> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (node["id"].as_str().unwrap().to_owned(), node))
        .collect();
    let named = |name: &str| packages.values().find(|package| package["name"] == name).unwrap();
    for root in PUBLISHED.map(named) {
        let stated = version(&root["rust_version"]).unwrap();
        let mut to_visit = vec![root["id"].as_str().unwrap().to_owned()];
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
        assert!(visited.len() > 30, "the dependencies were walked: {}", visited.len());
        assert!(newer.is_empty(), "{}: newer than {stated:?}: {newer:#?}", root["name"]);
    }
}

fn version(text: &Value) -> Option<(u32, u32)> {
    let mut parts = text.as_str()?.split('.').map(|part| part.parse().unwrap());
    Some((parts.next()?, parts.next()?))
}
