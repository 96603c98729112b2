//! Support: files of the repository, and cargo metadata.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The published crates, in publishing order.
pub const PUBLISHED: [&str; 11] = [
    "podqueue-codegen",
    "podqueue-fake",
    "podqueue-runtime",
    "podqueue-local",
    "podqueue",
    "podqueue-postgres",
    "podqueue-limits",
    "podqueue-batch",
    "podqueue-regenerate",
    "podqueue-mcp",
    "podqueue-cli",
];

/// Returns true if a published crate is a program alone, without a library that docs.rs could show.
pub fn is_program(name: &str) -> bool {
    name == "podqueue-cli"
}

/// Path of a file or folder of the repository.
pub fn at(path: impl AsRef<Path>) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("").join(path)
}

/// The text of a file of the repository.
pub fn read(path: impl AsRef<Path>) -> String {
    let path = at(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The standard output of cargo.
pub fn cargo(args: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO")).args(args).current_dir(at("")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Output of `cargo metadata`: the workspace and its dependencies.
pub fn metadata() -> Value {
    let args = ["metadata", "--format-version", "1", "--locked", "--all-features"];
    serde_json::from_slice(&cargo(&args)).unwrap()
}

pub fn list(value: &Value) -> Vec<Value> {
    value.as_array().unwrap().clone()
}

/// All files of the repository whose names end so, sorted.
pub fn files_ending_in(end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut to_read = vec![at("")];
    while let Some(folder) = to_read.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                to_read.push(path);
            } else if path.is_file() && name.ends_with(end) {
                found.push(path.strip_prefix(at("")).unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}
