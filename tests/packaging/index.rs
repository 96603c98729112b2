//! Index of tests: every test that a document names exists.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::{at, files_ending_in, read};

/// `tests/README.md` leads to tests that exist: it names them as `path/of/file.rs::name`.
#[test]
fn the_index_of_tests_leads_to_tests() {
    let index = read("tests/README.md");
    let named: Vec<_> =
        index.split('`').skip(1).step_by(2).filter_map(|code| code.split_once(".rs::")).collect();
    assert!(named.len() > 100, "the index was read: {}", named.len());
    let mut missing = Vec::new();
    for (file, test) in named {
        let path = format!("{file}.rs");
        let source = std::fs::read_to_string(at(&path)).unwrap_or_default();
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

/// A page of `docs/design/` names the tests of its mechanism, below the heading `Tests`.
#[test]
fn the_tests_that_the_design_pages_name_exist() {
    let is_test = |name: &&str| {
        let is_identifier = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
        name.matches('_').count() > 1 && name.chars().all(is_identifier)
    };
    let mut named = Vec::new();
    for page in files_ending_in(".md").into_iter().filter(|it| it.starts_with("docs/design")) {
        let text = read(&page);
        let Some((_, section)) = text.split_once("\n## Tests\n") else { continue };
        let section = section.split("\n## ").next().unwrap();
        let names = section.split('`').skip(1).step_by(2).filter(is_test);
        named.extend(names.map(|name| (page.clone(), name.to_owned())));
    }
    assert!(named.len() > 50, "tests were named: {}", named.len());
    let sources = files_ending_in(".rs").into_iter().filter(|it| {
        ["src", "crates", "tests"].iter().any(|folder| it.starts_with(Path::new(folder)))
    });
    let mut functions = BTreeSet::new();
    for source in sources {
        let text = read(source);
        let declared = text.split("fn ").skip(1).filter_map(|rest| rest.split_once("()"));
        functions.extend(declared.map(|(name, _)| name.to_owned()));
    }
    named.retain(|(_, name)| !functions.contains(name));
    assert!(named.is_empty(), "no such tests: {named:#?}");
}
