//! The crate `podqueue-features`: with it, a package alone has the dependencies of the workspace.

use std::collections::BTreeSet;

use crate::support::cargo;

/// The dependencies of these packages, other than the project's, each with its features.
fn dependencies(packages: &[&str]) -> BTreeSet<String> {
    let tree = ["tree", "--locked", "--prefix=none", "--format={p}|{f}"];
    let text = String::from_utf8(cargo(&[&tree, packages].concat())).unwrap();
    let lines = text.lines().map(|line| line.trim_end_matches(" (*)").replace(" (proc-macro)", ""));
    lines.filter(|line| !line.starts_with("podqueue")).collect()
}

/// Otherwise all that depends on it is compiled once more: by the crates of users, the packages as
/// published and the thread schedules.
#[test]
fn a_package_with_the_features_has_the_dependencies_of_the_workspace() {
    let all = dependencies(&["--workspace", "--edges=normal,build,dev"]);
    // The tests of podqueue-mcp are a client besides, and so have other features of this one.
    let differs = |line: &&String| !line.starts_with("rmcp ");
    for package in ["podqueue", "podqueue-batch", "podqueue-local", "podqueue-cli"] {
        let own = dependencies(&["-p", package, "-p", "podqueue-features", "--edges=normal,build"]);
        assert!(own.len() > 100, "{own:?}");
        let others: Vec<_> = own.difference(&all).filter(differs).collect();
        assert!(others.is_empty(), "tests/features/Cargo.toml, for {package}: {others:#?}");
    }
}
