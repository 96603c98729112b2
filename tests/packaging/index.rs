//! Index of tests: every test that a document or the head of a module names exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::{at, files_ending_in, read};

/// `tests/README.md` leads to tests that exist: it names them as `path/of/file.rs::name`.
#[test]
fn the_index_of_tests_leads_to_tests() {
    let index = read("tests/README.md");
    let named: Vec<_> = code_spans(&index).filter_map(|code| code.split_once(".rs::")).collect();
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
    let mut named = Vec::new();
    for page in files_ending_in(".md").into_iter().filter(|it| it.starts_with("docs/design")) {
        let text = read(&page);
        let Some((_, section)) = text.split_once("\n## Tests\n") else { continue };
        let section = section.split("\n## ").next().unwrap();
        let names = code_spans(section).filter(|it| is_test_name(it));
        named.extend(names.map(|name| (page.clone(), name.to_owned())));
    }
    assert!(named.len() > 50, "tests were named: {}", named.len());
    let functions = functions(&sources());
    named.retain(|(_, name)| !functions.contains(name));
    assert!(named.is_empty(), "no such tests: {named:#?}");
}

/// The head of a module names files by the end of their paths, and its tests behind `Checked by`.
#[test]
fn the_files_and_tests_that_heads_of_modules_name_exist() {
    let sources = sources();
    let mut paths = sources.clone();
    paths.extend(sources.iter().flat_map(|it| it.ancestors().skip(1)).map(Path::to_owned));
    let (mut files, mut tests) = (Vec::new(), Vec::new());
    for source in &sources {
        let text = read(source);
        let head: Vec<_> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
        let head = head.join("\n");
        for paragraph in head.split("\n\n") {
            let named = code_spans(paragraph).filter(|it| is_path(it));
            files.extend(named.map(|path| (source.clone(), path.to_owned())));
            let Some((_, checks)) = paragraph.split_once("Checked by") else { continue };
            let named = code_spans(checks).filter(|it| is_test_name(it));
            tests.extend(named.map(|name| (source.clone(), name.to_owned())));
        }
    }
    assert!(files.len() > 30 && tests.len() > 10, "{} files, {} tests", files.len(), tests.len());
    files.retain(|(_, named)| !paths.iter().any(|path| path.ends_with(named)));
    assert!(files.is_empty(), "no such files: {files:#?}");
    let functions = functions(&sources);
    tests.retain(|(_, name)| !functions.contains(name));
    assert!(tests.is_empty(), "no such tests: {tests:#?}");
}

/// The Rust files of the main workspace.
fn sources() -> Vec<PathBuf> {
    let folders = ["src", "crates", "tests", "survey"];
    let is_in = |path: &PathBuf| folders.iter().any(|folder| path.starts_with(folder));
    files_ending_in(".rs").into_iter().filter(is_in).collect()
}

/// The names of functions without parameters.
fn functions(sources: &[PathBuf]) -> BTreeSet<String> {
    let mut functions = BTreeSet::new();
    for source in sources {
        let text = read(source);
        let declared = text.split("fn ").skip(1).filter_map(|rest| rest.split_once("()"));
        functions.extend(declared.map(|(name, _)| name.to_owned()));
    }
    functions
}

fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn is_test_name(name: &str) -> bool {
    let is_identifier = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    name.matches('_').count() > 1 && name.chars().all(is_identifier)
}

/// Returns true for the path of a Rust file, and for that of a folder of tests.
fn is_path(span: &str) -> bool {
    let is_path = span.chars().all(|it| it.is_ascii_alphanumeric() || "_-./".contains(it));
    is_path && (span.ends_with(".rs") || (span.starts_with("tests/") && span.ends_with('/')))
}
