//! What of a description could not be expressed.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::rest::place::Places;
use crate::{Diagnostic, Source};

/// Collects warnings.
pub(super) struct Notes<'a> {
    source: &'a Source,
    places: &'a Places<'a>,
    /// Where named schemas come from that had no name.
    pub(super) origins: BTreeMap<String, Origin>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Where something really stands.
pub(super) struct Origin {
    /// The name of another file, and its places.
    pub(super) file: Option<Rc<(String, Places<'static>)>>,
    pub(super) keys: Vec<String>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(source: &'a Source, places: &'a Places<'a>) -> Self {
        Self { source, places, origins: BTreeMap::new(), warnings: Vec::new() }
    }

    /// About what keys lead to.
    pub(super) fn warn(&mut self, keys: &[String], message: String) {
        let warning = match keys {
            [components, schemas, name, rest @ ..]
                if components == "components" && schemas == "schemas" =>
            {
                self.origins.get(name).map(|origin| {
                    let keys = [&origin.keys, rest].concat();
                    match origin.file.as_deref() {
                        Some((file, places)) => at(file, places.of(&keys), &message),
                        None => at(&self.source.name, self.places.of(&keys), &message),
                    }
                })
            }
            _ => None,
        };
        let here = || at(&self.source.name, self.places.of(keys), &message);
        self.warnings.push(warning.unwrap_or_else(here));
    }

    /// About the first `$ref` whose target is wanted.
    pub(super) fn warn_of_reference(&mut self, is_wanted: impl Fn(&str) -> bool, message: String) {
        let place = self.places.of_reference(is_wanted);
        self.warnings.push(at(&self.source.name, place, &message));
    }
}

fn at(file: &str, (line, column): (usize, usize), message: &str) -> Diagnostic {
    Diagnostic::new(file, line, column, message)
}
