//! Metadata of the manifests, for the registry and docs.rs.

use std::path::Path;

use crate::support::{PUBLISHED, files_ending_in, is_program, list, metadata, read};

#[test]
fn a_published_crate_says_what_the_registry_shows() {
    let metadata = metadata();
    let packages = list(&metadata["packages"]);
    for name in PUBLISHED {
        let package = packages.iter().find(|it| it["name"] == name).unwrap();
        for field in ["description", "license", "rust_version", "readme"] {
            assert!(package[field].is_string(), "{name}: {field}");
        }
        if !is_program(name) {
            assert_eq!(package["documentation"], format!("https://docs.rs/{name}"));
        }
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let readme = read(manifest.with_file_name("README.md"));
        let stated = package["rust_version"].as_str().unwrap();
        assert!(readme.contains(&format!("Rust version is {stated}")), "{name}: README.md");
        assert!((1..=5).contains(&list(&package["categories"]).len()), "{name}: categories");
        let keywords = list(&package["keywords"]);
        assert!((1..=5).contains(&keywords.len()), "{name}: keywords");
        let is_short = |it: &str| it.len() <= 20 && !it.contains(' ');
        assert!(keywords.iter().all(|it| is_short(it.as_str().unwrap())), "{name}: {keywords:?}");
    }
}

/// A new feature appears on docs.rs, unless it chooses between ways to do the same.
#[test]
fn the_docs_show_every_feature_that_adds_items() {
    let metadata = metadata();
    let packages = list(&metadata["packages"]);
    let package = packages.iter().find(|it| it["name"] == "podqueue").unwrap();
    let shown = list(&package["metadata"]["docs"]["rs"]["features"]);
    let features = package["features"].as_object().unwrap();
    let without_items = ["default", "rustls", "rustls-no-provider", "native-tls"];
    let with_items = features.keys().filter(|it| !without_items.contains(&it.as_str()));
    assert_eq!(with_items.cloned().collect::<Vec<_>>(), shown);
}

#[test]
fn every_other_crate_is_kept_from_being_published() {
    let mut publishable = Vec::new();
    for path in files_ending_in("Cargo.toml") {
        let manifest = read(&path);
        let name = manifest.split_once("\nname = \"").and_then(|(_, rest)| rest.split_once('"'));
        if let Some((name, _)) = name.filter(|_| !manifest.contains("\npublish = false")) {
            publishable.push(name.to_owned());
        }
    }
    let mut expected = PUBLISHED;
    expected.sort_unstable();
    publishable.sort_unstable();
    assert_eq!(publishable, expected);
}

/// A requirement that a reader copies is one that this version meets.
#[test]
fn the_papers_name_the_current_version() {
    let version = env!("CARGO_PKG_VERSION");
    let minor = version.rsplit_once('.').unwrap().0;
    let mut count = 0;
    for path in files_ending_in(".md") {
        for line in read(&path).lines() {
            let Some((name, rest)) = line.split_once(" = \"") else { continue };
            if PUBLISHED.contains(&name) {
                assert_eq!(rest.split('"').next().unwrap(), minor, "{}: {line}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 1, "requirements were found: {count}");
}
