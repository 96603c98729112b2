//! The files of a description.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use serde_json::Value;

use crate::rest::pointer::decoded;
use crate::rest::read;
use crate::rest::source_map::SourceMap;
use crate::{Diagnostic, Source};

/// The file that was given, and those that it refers to, which are read when they are met.
pub(super) struct Files {
    files: Vec<File>,
    missing: BTreeSet<PathBuf>,
    unreadable: Vec<Diagnostic>,
}

struct File {
    path: PathBuf,
    name: String,
    /// Null for a file that cannot be read.
    tree: Value,
    /// Nothing for the file that was given.
    places: Option<Rc<(String, SourceMap<'static>)>>,
}

impl Files {
    pub(super) fn new(source: &Source, tree: Value) -> Self {
        let path = PathBuf::from(&source.name);
        let file = File { path, name: source.name.clone(), tree, places: None };
        Self { files: vec![file], missing: BTreeSet::new(), unreadable: Vec::new() }
    }

    /// All files but the given one, and what is wrong with those that are there and cannot be read.
    pub(super) fn finish(self) -> (Vec<PathBuf>, Vec<Diagnostic>) {
        let read = self.files.into_iter().skip(1).map(|file| file.path);
        (read.chain(self.missing).collect(), self.unreadable)
    }

    /// What a reference leads to that stands in a file: which file, the JSON pointer within it
    /// (without `#`, not escaped for URLs), and what is there.
    pub(super) fn find(&mut self, from: usize, target: &str) -> Option<(usize, String, &Value)> {
        let (path, pointer) = target.split_once('#').unwrap_or((target, ""));
        let file = match path {
            "" => from,
            path => self.file(from, path)?,
        };
        let tree = &self.files[file].tree;
        // Whoever writes a `%` in a name may forget to escape it.
        let plain = tree.pointer(pointer).map(|found| (file, pointer.to_owned(), found));
        plain.or_else(|| {
            let pointer = decoded(pointer);
            tree.pointer(&pointer).map(|found| (file, pointer, found))
        })
    }

    pub(super) fn tree(&self, file: usize) -> &Value {
        &self.files[file].tree
    }

    pub(super) fn name(&self, file: usize) -> &str {
        &self.files[file].name
    }

    pub(super) fn places(&self, file: usize) -> Option<Rc<(String, SourceMap<'static>)>> {
        self.files[file].places.clone()
    }

    fn file(&mut self, from: usize, path: &str) -> Option<usize> {
        if path.contains("://") {
            return None;
        }
        let folder = self.files[from].path.parent().unwrap_or(Path::new(""));
        let path = plain(&folder.join(decoded(path)));
        if let Some(known) = self.files.iter().position(|file| plain(&file.path) == path) {
            return Some(known);
        }
        let source = match Source::read(&path) {
            Ok(source) => source,
            Err(error) => {
                if path.is_file() && !self.missing.contains(&path) {
                    self.unreadable.push(error);
                }
                self.missing.insert(path);
                return None;
            }
        };
        let (tree, places) = match read::read_with_places(&source) {
            Ok((tree, places)) => (tree, Some(Rc::new((source.name.clone(), places.detached())))),
            Err(error) => {
                self.unreadable.push(error);
                (Value::Null, None)
            }
        };
        self.files.push(File { path, name: source.name, tree, places });
        Some(self.files.len() - 1)
    }
}

/// A path without detours.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_are_left_out() {
        assert_eq!(plain(Path::new("a/./b/../c.yaml")), Path::new("a/c.yaml"));
    }
}
