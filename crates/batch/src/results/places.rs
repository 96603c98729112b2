//! The files next to the results.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The file of failures, next to the results.
pub(crate) fn failures_of(results: &Path) -> PathBuf {
    beside(results, ".failed.jsonl")
}

/// The folder of outputs that are too large for a line, next to the results.
pub(crate) fn outputs_of(results: &Path) -> PathBuf {
    beside(results, ".outputs")
}

/// The file that tells the results from those of other processes, next to them.
pub(super) fn writer_of(results: &Path) -> PathBuf {
    beside(results, ".writer")
}

/// A file next to the results.
pub(super) fn beside(results: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(results);
    name.push(ending);
    name.into()
}
