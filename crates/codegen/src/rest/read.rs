//! The text of a description as a tree, whichever of the two notations it is written in.

use serde_json::Value;

use super::yaml;
use crate::{Diagnostic, Source};

/// Reads a description: JSON from a source whose name ends in `.json`, YAML from any other. Keys
/// of YAML that are numbers or booleans become strings.
///
/// # Errors
///
/// The text does not parse, or a key of a YAML map occurs twice.
pub fn read(source: &Source) -> Result<Value, Diagnostic> {
    if source.extension() == "json" {
        return serde_json::from_str(&source.text).map_err(|error| {
            Diagnostic::new(&source.name, error.line(), error.column(), error.to_string())
        });
    }
    yaml::parse(&source.text).and_then(|root| root.value()).map_err(|fault| {
        let (line, column) = fault.place;
        Diagnostic::new(&source.name, line, column, fault.message)
    })
}
