//! Library that is loaded into a process under test: it records what becomes durable, and controls
//! the wall clock. See `preload.c`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the library into this folder.
pub fn library(folder: &Path) -> PathBuf {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../batch/tests/batch/preload.c");
    let library = folder.join("preload.so");
    let compile = ["-shared", "-fPIC", "-O1", "-o"];
    let done = Command::new("cc").args(compile).arg(&library).arg(source).arg("-ldl").status();
    assert!(done.unwrap().success());
    library
}
