//! The index of tests leads to tests.

use crate::support::{at, read};

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
