//! A library that is loaded into a process under test, to which it sends a signal while the process
//! registers its handler. See `preloaded_signal.c`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the library into this folder.
pub fn library(folder: &Path) -> PathBuf {
    let source =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../local/tests/interface/preloaded_signal.c");
    let library = folder.join("preloaded_signal.so");
    let compile = ["-shared", "-fPIC", "-O1", "-o"];
    let done = Command::new("cc").args(compile).arg(&library).arg(source).arg("-ldl").status();
    assert!(done.unwrap().success());
    library
}
