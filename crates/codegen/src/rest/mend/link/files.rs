//! The files of a description.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use serde_json::Value;

use crate::rest::place::Places;
use crate::rest::read;
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
    places: Option<Rc<(String, Places<'static>)>>,
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

    pub(super) fn places(&self, file: usize) -> Option<Rc<(String, Places<'static>)>> {
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

/// A part of a URL without its escapes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%');
        let escaped = escaped.and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_where_they_are_ones() {
        assert_eq!(decoded("/a%20b%7E1%C3%BC"), "/a b~1ü");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%FF"), "%zz%FF");
        assert_eq!(plain(Path::new("a/./b/../c.yaml")), Path::new("a/c.yaml"));
    }
}
