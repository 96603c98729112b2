//! Files of batches: the paths below the folders that the user allows.
//!
//! A path is canonicalized, so that a link that leads out of the folders is refused, and so is one
//! in place of a file that a batch writes next to its results. That is checked when a call begins:
//! a process that can replace a folder of the path at that moment can write to the folders anyway.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::reply::{Failure, cut};

/// Limit of a path, in bytes: replies contain several of them.
const MAX_PATH: usize = 400;

/// The folders of batches.
#[derive(Debug, Default)]
pub(crate) struct Files {
    folders: Vec<PathBuf>,
    /// The state folder, which no batch may touch.
    state: PathBuf,
}

impl Files {
    /// The folders, which must exist, without the state folder.
    pub(crate) fn new(folders: &[PathBuf], state: &Path) -> Result<Self, Error> {
        let canonical = |folder: &PathBuf| {
            let attempt = || format!("use the folder {} of --files", folder.display());
            let found = folder.canonicalize().map_err(|error| Error::new(attempt(), error))?;
            match found.is_dir() {
                true => Ok(found),
                false => Err(Error::new(attempt(), "it is not a folder")),
            }
        };
        let folders = folders.iter().map(canonical).collect::<Result<_, _>>()?;
        Ok(Self { folders, state: state.canonicalize().unwrap_or_else(|_| state.to_owned()) })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.folders.is_empty()
    }

    /// The folders, for a sentence.
    pub(crate) fn describe(&self) -> String {
        let folders: Vec<String> =
            self.folders.iter().map(|folder| folder.display().to_string()).collect();
        folders.join(", ")
    }

    /// The file to read at a path.
    pub(crate) fn input(&self, path: &str) -> Result<PathBuf, Failure> {
        let file = self.absolute(path)?;
        let found = file.canonicalize().map_err(|error| unusable("read", &file, &error))?;
        self.check(&found)?;
        match found.is_file() {
            true => Ok(found),
            false => Err(Failure::new(format!("{} is not a file", found.display()))),
        }
    }

    /// The file of results at a path, whose folder must exist.
    pub(crate) fn output(&self, path: &str) -> Result<PathBuf, Failure> {
        let file = self.absolute(path)?;
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(Failure::new(format!("{} is not a file", file.display())));
        };
        let folder = folder.canonicalize().map_err(|error| unusable("write to", folder, &error))?;
        let file = folder.join(name);
        self.check(&file)?;
        let entries = fs::read_dir(&folder).map_err(|error| unusable("read", &folder, &error))?;
        for entry in entries.flatten() {
            // The file itself, and what is next to it: the journal, failures, large outputs.
            let found = entry.file_name();
            let rest = found.as_encoded_bytes().strip_prefix(name.as_encoded_bytes());
            let belongs = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"."));
            if belongs && entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                return Err(Failure::new(format!(
                    "{} is a link, and a batch does not write through links: choose another file \
                     for the results",
                    entry.path().display()
                )));
            }
        }
        Ok(file)
    }

    /// A path, absolute or relative to the first folder.
    fn absolute(&self, path: &str) -> Result<PathBuf, Failure> {
        let Some(first) = self.folders.first() else {
            return Err(Failure::new(
                "batches are not permitted to use files: the user who starts this server permits \
                 a folder with --files DIR",
            ));
        };
        let file = first.join(path);
        let is_plain = file.to_str().is_some_and(|text| !text.chars().any(char::is_control));
        match is_plain && !path.is_empty() && file.as_os_str().len() <= MAX_PATH {
            true => Ok(file),
            false => Err(Failure::new(format!(
                "\"{}\" is not a path of at most {MAX_PATH} bytes without control characters",
                cut(path, 100)
            ))),
        }
    }

    fn check(&self, file: &Path) -> Result<(), Failure> {
        let is_below = self.folders.iter().any(|folder| file.starts_with(folder));
        if is_below && !file.starts_with(&self.state) {
            return Ok(());
        }
        Err(Failure::new(format!(
            "{} is not permitted: the user who starts this server permits folders with --files; \
             permitted: {}",
            file.display(),
            cut(&self.describe(), 600)
        )))
    }
}

fn unusable(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("failed to {what} {}: {error}", path.display()))
}

/// The file next to a file of results whose name has this suffix.
pub(crate) fn sibling(results: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(results);
    name.push(suffix);
    name.into()
}
