//! Comparison of the Rust blocks in the README and the guide with the code that is compiled.

use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("")
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap()
}

/// The Rust blocks of a Markdown text, each with its first line's number.
fn blocks(text: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match &mut open {
            Some(_) if line == "```" => blocks.extend(open.take()),
            Some((_, block)) => *block += &format!("{line}\n"),
            None if line.starts_with("```rust") => open = Some((number + 2, String::new())),
            None => {}
        }
    }
    blocks
}

/// Returns the text without indentation and empty lines, so that a block may be part of a function.
fn plain(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.fold(String::from("\n"), |all, line| all + line + "\n")
}

/// The README and every page of the guide, each with its Rust blocks.
fn pages() -> Vec<(PathBuf, Vec<(usize, String)>)> {
    let mut paths = vec![PathBuf::from("README.md")];
    for entry in std::fs::read_dir(repository().join("docs/guide")).unwrap() {
        paths.push(Path::new("docs/guide").join(entry.unwrap().file_name()));
    }
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), blocks(&read(path)))).collect()
}

#[test]
fn every_rust_block_of_the_readme_and_the_guide_is_compiled() {
    let compiled = [
        "tests/readme/recipes.rs",
        "examples/blocking.rs",
        "examples/hello.rs",
        "examples/downstream/first-query/build.rs",
        "examples/downstream/first-query/src/main.rs",
        "examples/downstream/own-rest/build.rs",
        "examples/downstream/own-rest/src/main.rs",
    ];
    let compiled: String = compiled.iter().map(|path| plain(&read(path))).collect();
    let pages = pages();
    let count: usize = pages.iter().map(|(_, blocks)| blocks.len()).sum();
    assert!(count > 20, "blocks were read: {count}");
    for (path, blocks) in pages {
        for (line, block) in blocks {
            assert!(
                compiled.contains(&plain(&block)),
                "{}:{line} is not compiled by any test:\n{block}",
                path.display()
            );
        }
    }
}

/// Rustdoc hides lines that begin with `#`; a repository's page shows them.
#[test]
fn no_rust_block_hides_a_line() {
    for (path, blocks) in pages() {
        for (line, block) in blocks {
            let is_hidden = |it: &str| it == "#" || it.starts_with("# ");
            assert!(!block.lines().any(is_hidden), "{}:{line}", path.display());
        }
    }
}
