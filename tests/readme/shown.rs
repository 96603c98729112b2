//! What the README shows is what is compiled.

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

/// Without indentation and empty lines, so that a block may stand in a function.
fn plain(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.fold(String::from("\n"), |all, line| all + line + "\n")
}

#[test]
fn every_block_of_the_readme_is_compiled_somewhere() {
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
    let blocks = blocks(&read("README.md"));
    assert!(blocks.len() > 10, "blocks were read: {}", blocks.len());
    for (line, block) in blocks {
        assert!(
            compiled.contains(&plain(&block)),
            "README.md:{line} is compiled nowhere:\n{block}"
        );
    }
}

/// A hidden line is hidden on docs.rs only, and shown everywhere else.
#[test]
fn no_block_of_the_readme_hides_a_line() {
    for (line, block) in blocks(&read("README.md")) {
        assert!(block.lines().all(|it| it != "#" && !it.starts_with("# ")), "README.md:{line}");
    }
}
