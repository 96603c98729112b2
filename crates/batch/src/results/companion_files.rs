//! Companion files: those next to the results, with checks that they are not occupied.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::files::with_suffix;

/// The file of failures, next to the results.
pub(crate) fn failures_of(results: &Path) -> PathBuf {
    with_suffix(results, ".failed.jsonl")
}

/// The folder of outputs that are too large for a line, next to the results.
pub(crate) fn outputs_of(results: &Path) -> PathBuf {
    with_suffix(results, ".outputs")
}

/// The ownership file of the results, next to them.
pub(super) fn ownership_file_of(results: &Path) -> PathBuf {
    with_suffix(results, ".writer")
}

/// Refuses files that have content.
pub(crate) fn check_unoccupied(path: &Path) -> Result<()> {
    let has_content = |path: &Path| match fs::read_dir(path) {
        Ok(mut outputs) => outputs.next().is_some(),
        Err(_) => fs::metadata(path).is_ok_and(|found| found.len() > 0),
    };
    let (failures, outputs) = (failures_of(path), outputs_of(path));
    match [path, &failures, &outputs].into_iter().find(|path| has_content(path)) {
        Some(_) if ownership_file_of(path).exists() => Err(of_another_journal(path)),
        Some(path) => Err(occupied(path)),
        None => Ok(()),
    }
}

/// The path has other content.
pub(super) fn occupied(path: &Path) -> Error {
    let message = format!(
        "{} has content already, which is not of this batch: choose another file for the results",
        path.display()
    );
    Error::new(ErrorKind::OtherResults, message)
}

/// Processes that share a journal wrote to these results, and it does not know of them.
pub(super) fn of_another_journal(path: &Path) -> Error {
    let message = format!(
        "the results {} were written for a batch, and this journal does not know of them: it is that of another batch, or an older copy of the database. Nothing was changed: use the database and the name that they were written with; if these are gone, keep the results, and run the inputs that are not in them as a new batch with new results",
        path.display()
    );
    Error::new(ErrorKind::OtherResults, message)
}
