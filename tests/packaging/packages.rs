//! Contents of the packages. That they build is checked by `cargo package`, in `.ci/run`.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{PUBLISHED, at, cargo, is_program, read};

/// Files that cargo adds.
const OF_CARGO: [&str; 4] = [".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml", "Cargo.toml.orig"];

const PAPERS: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

fn files(package: &str) -> BTreeSet<String> {
    let args = ["package", "--list", "--allow-dirty", "--offline", "--package", package];
    String::from_utf8(cargo(&args)).unwrap().lines().map(str::to_owned).collect()
}

/// A package excludes tests, test data and benchmarks.
#[test]
fn a_package_has_what_its_users_need_and_no_more() {
    for package in PUBLISHED {
        let files = files(package);
        let top = |path: &str| path.split('/').next().unwrap().to_owned();
        let found: BTreeSet<_> = files.iter().map(|it| top(it)).collect();
        let own: &[_] = match package {
            "podqueue" => &[
                "ARCHITECTURE.md",
                "CHANGELOG.md",
                "build.rs",
                "docs",
                "examples",
                "openapi",
                "queries",
                "schema",
            ],
            "podqueue-batch" => &["build.rs", "docs", "openapi"],
            "podqueue-local" => &["docs", "examples", "openapi", "page"],
            "podqueue-cli" => &["docs", "schema"],
            _ => &[],
        };
        let expected = OF_CARGO.iter().chain(&PAPERS).chain(own).chain(&["src"]);
        // Where the sources are in no repository, cargo cannot name the commit.
        let without_commit = |it: &str| it != OF_CARGO[0];
        assert_eq!(
            found.into_iter().filter(|it| without_commit(it)).collect::<BTreeSet<_>>(),
            expected.filter(|it| without_commit(it)).map(|it| (*it).to_owned()).collect(),
            "{package}"
        );
        let root = if is_program(package) { "src/main.rs" } else { "src/lib.rs" };
        assert!(files.contains(root), "{package}");
    }
}

#[test]
fn every_package_has_the_same_licenses() {
    for folder in fs::read_dir(at("crates")).unwrap() {
        let folder = folder.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        if manifest.contains("\npublish = false") {
            continue;
        }
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let own = fs::read_to_string(folder.join(license)).unwrap_or_default();
            assert!(own == read(license), "{}: {license}", folder.display());
        }
    }
}

/// A crate that is added must also be packaged by CI and named in the release procedure.
#[test]
fn every_published_crate_is_checked_and_released() {
    for path in ["scripts/packages.sh", "docs/releasing.md"] {
        let text = read(path);
        let named = text.split(|it: char| it != '-' && !it.is_ascii_alphanumeric());
        let named: Vec<_> = named.filter(|it| it.starts_with("podqueue")).collect();
        assert!(named.windows(PUBLISHED.len()).any(|it| it == PUBLISHED), "{path}: {named:?}");
    }
}
