//! Which files are descriptions, and what each is called.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{Diagnostic, Source, rest};

/// How the names of files end that are of interest.
pub(super) const DESCRIPTIONS: [&str; 3] = ["yaml", "yml", "json"];

/// The one description of a folder.
pub fn only(folder: &Path) -> Result<Source, Diagnostic> {
    let mut found = within(folder)?;
    match (found.pop(), found.is_empty()) {
        (Some((_, only)), true) => Ok(only),
        _ => Err(Diagnostic::of_file(
            Source::name_of(folder),
            "expected exactly one OpenAPI description here, found more than one; name one of the \
             files instead",
        )),
    }
}

/// The descriptions of files and folders, by the name that brings each in.
pub(super) fn named(places: &[PathBuf]) -> Result<BTreeMap<String, Source>, Diagnostic> {
    let mut found = Vec::new();
    for place in places {
        found.extend(within(place)?);
    }
    let text = |part: Option<&OsStr>| part.map(|it| it.to_string_lossy().into_owned());
    let stem = |path: &Path| text(path.file_stem()).unwrap_or_default();
    let mut named: BTreeMap<String, Source> = BTreeMap::new();
    for (path, source) in &found {
        let mut name = stem(path);
        if found.iter().filter(|(other, _)| is_same(&stem(other), &name)).count() > 1 {
            name = text(path.parent().and_then(Path::file_name)).unwrap_or(name);
        }
        let other = named.iter().find(|(other, _)| is_same(other, &name));
        if let Some((_, other)) = other {
            let message = format!(
                "this description would be called `{name}`, as {} is; rename one of the files",
                other.name
            );
            return Err(Diagnostic::of_file(&source.name, message));
        }
        named.insert(name, source.clone());
    }
    Ok(named)
}

/// Whether two names are one to some file systems.
fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// The descriptions in a folder, or in one file; at least one. Where a folder holds several files,
/// those without a version are parts of others.
fn within(place: &Path) -> Result<Vec<(PathBuf, Source)>, Diagnostic> {
    let fault = |message: &str| Diagnostic::of_file(Source::name_of(place), message);
    if place.is_file() {
        return Ok(vec![(place.to_owned(), Source::read(place)?)]);
    }
    if !place.exists() && place.extension().is_some() {
        return Err(fault("this file does not exist; put the OpenAPI description there"));
    }
    let mut sources = Vec::new();
    for path in Source::find(place, &DESCRIPTIONS)? {
        let source = Source::read(&path)?;
        sources.push((path, source));
    }
    if sources.len() > 1 {
        sources.retain(|(_, it)| it.text.contains("openapi") || it.text.contains("swagger"));
        let is_whole = |tree: Value| tree.get("openapi").or_else(|| tree.get("swagger")).is_some();
        sources.retain(|(_, source)| rest::read(source).map_or(true, is_whole));
    }
    if sources.is_empty() {
        return Err(fault(
            "there is no OpenAPI description in this folder; put one there, a file that ends in \
             .yaml, .yml or .json and has an `openapi` version at its top",
        ));
    }
    Ok(sources)
}
