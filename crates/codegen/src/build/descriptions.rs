//! Which files are descriptions, and what each is called.

use std::collections::BTreeMap;
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
            "expected exactly one OpenAPI description here, found more than one",
        )),
    }
}

/// The descriptions of files and folders, by the name that brings each in.
pub(super) fn named(places: &[PathBuf]) -> Result<BTreeMap<String, Source>, Diagnostic> {
    let mut found = Vec::new();
    for place in places {
        found.extend(within(place)?);
    }
    let stem = |path: &Path| path.file_stem().map(|it| it.to_string_lossy().into_owned());
    let mut named: BTreeMap<String, Source> = BTreeMap::new();
    for (path, source) in &found {
        let mut name = stem(path).unwrap_or_default();
        if found.iter().filter(|(other, _)| stem(other).as_ref() == Some(&name)).count() > 1 {
            let folder = path.parent().and_then(Path::file_name);
            name = folder.map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        }
        if let Some(other) = named.insert(name.clone(), source.clone()) {
            let message = format!(
                "this description would be called `{name}`, as {} is; rename one of the files",
                other.name
            );
            return Err(Diagnostic::of_file(&source.name, message));
        }
    }
    Ok(named)
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
