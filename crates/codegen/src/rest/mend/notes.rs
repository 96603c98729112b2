//! What of a description could not be expressed.

use crate::rest::place::Places;
use crate::{Diagnostic, Source};

/// Collects warnings.
pub(super) struct Notes<'a> {
    source: &'a Source,
    places: &'a Places<'a>,
    pub(super) warnings: Vec<Diagnostic>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(source: &'a Source, places: &'a Places<'a>) -> Self {
        Self { source, places, warnings: Vec::new() }
    }

    /// About what keys lead to.
    pub(super) fn warn(&mut self, keys: &[String], message: String) {
        let place = self.places.of(keys);
        self.add(place, message);
    }

    /// About the first `$ref` whose target is wanted.
    pub(super) fn warn_of_reference(&mut self, is_wanted: impl Fn(&str) -> bool, message: String) {
        let place = self.places.of_reference(is_wanted);
        self.add(place, message);
    }

    fn add(&mut self, (line, column): (usize, usize), message: String) {
        self.warnings.push(Diagnostic::new(&self.source.name, line, column, message));
    }
}
