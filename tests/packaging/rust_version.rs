//! The stated minimum Rust version holds for the whole tree.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::support::{list, metadata};

/// No dependency of the library, of its generator or of what brings its input up to date asks for a newer Rust than they state.
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
