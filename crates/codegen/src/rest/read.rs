//! The text of a description as a tree, whichever of the two notations it is written in.

use serde_json::Value;

use super::source_map::SourceMap;
use super::unique::Unique;
use super::yaml;
use crate::{Diagnostic, Source};

/// Reads a description: JSON from a source whose name ends in `.json`, YAML from any other. Keys
/// of YAML that are numbers or booleans become strings.
///
/// # Errors
///
/// The text does not parse, or a key of a map occurs twice.
pub fn read(source: &Source) -> Result<Value, Diagnostic> {
    read_with_places(source).map(|(tree, _)| tree)
}

/// The same, with the place of each value.
pub(super) fn read_with_places(source: &Source) -> Result<(Value, SourceMap<'_>), Diagnostic> {
    let text = &source.text;
    if source.extension() == "json" {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Unique(tree) = serde_json::from_str(text).map_err(|error| {
            Diagnostic::new(&source.name, error.line(), error.column(), error.to_string())
        })?;
        return Ok((tree, SourceMap::new(text)));
    }
    let fault = |fault: yaml::Fault| {
        let (line, column) = fault.place;
        Diagnostic::new(&source.name, line, column, fault.message)
    };
    let root = yaml::parse(text).map_err(fault)?;
    let tree = root.value().map_err(fault)?;
    Ok((tree, SourceMap::parsed(text, root)))
}
