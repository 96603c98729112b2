//! Warnings about constructs of a description that cannot be expressed.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::rest::source_map::SourceMap;
use crate::{Diagnostic, Source};

/// Collects warnings.
pub(super) struct Warnings<'a> {
    source: &'a Source,
    places: &'a SourceMap<'a>,
    pub(super) origins: Origins,
    /// The keys and the message for each default that does not conform to its schema.
    defaults: Vec<(Vec<String>, String)>,
    /// The keys and the message for each example that contradicts its schema.
    examples: Vec<(Vec<String>, String)>,
    warnings: Vec<Diagnostic>,
}

/// The origins of what linking has put into a description.
#[derive(Default)]
pub(crate) struct Origins {
    /// Those of the schemas that linking has named, by these names.
    pub(super) schemas: BTreeMap<String, Origin>,
    /// Those of operations, parameters, bodies and responses of other files, by their keys.
    pub(super) parts: BTreeMap<Vec<String>, Origin>,
    /// The other files, each with its name and its places.
    pub(super) files: Vec<Rc<(String, SourceMap<'static>)>>,
}

/// The origin of a node: its file and its place there.
pub(crate) struct Origin {
    /// The name and the places of another file; none for the description itself.
    pub(super) file: Option<Rc<(String, SourceMap<'static>)>>,
    pub(super) keys: Vec<String>,
}

impl<'a> Warnings<'a> {
    pub(super) fn new(source: &'a Source, places: &'a SourceMap<'a>) -> Self {
        Self {
            source,
            places,
            origins: Origins::default(),
            defaults: Vec::new(),
            examples: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, warning: Diagnostic) {
        self.warnings.push(warning);
    }

    /// Warns about the node at the path `keys`.
    pub(super) fn warn(&mut self, keys: &[String], message: String) {
        let warning = self.diagnostic(keys, &message);
        self.warnings.push(warning);
    }

    /// A diagnostic of the node at the path `keys`.
    pub(super) fn diagnostic(&self, keys: &[String], message: &str) -> Diagnostic {
        self.origins.diagnostic(self.source, self.places, keys, message)
    }

    /// Warns about a default that does not conform to its schema. All of them make one warning,
    /// since defaults have no effect.
    pub(super) fn warn_of_default(&mut self, keys: Vec<String>, message: String) {
        self.defaults.push((keys, message));
    }

    /// Warns about an example that contradicts its schema. All of them make one warning.
    pub(super) fn warn_of_example(&mut self, keys: Vec<String>, message: String) {
        self.examples.push((keys, message));
    }

    /// All warnings, and the origins.
    pub(super) fn finish(mut self) -> (Vec<Diagnostic>, Origins) {
        for alike in [std::mem::take(&mut self.examples), std::mem::take(&mut self.defaults)] {
            let count = alike.len();
            let Some((keys, message)) = alike.into_iter().next() else { continue };
            let message = match count {
                1 => message,
                _ => format!("{message} ({} more like it)", count - 1),
            };
            self.warn(&keys, message);
            self.warnings.rotate_right(1);
        }
        (self.warnings, self.origins)
    }

    /// Warns about the first `$ref` whose target satisfies a predicate, of the description or of the
    /// files to which it refers.
    pub(super) fn warn_of_reference(&mut self, is_target: impl Fn(&str) -> bool, message: String) {
        let others = self.origins.files.iter().map(|file| (file.0.as_str(), &file.1));
        let mut all = std::iter::once((self.source.name.as_str(), self.places)).chain(others);
        let found = all.find_map(|(file, places)| Some((file, places.of_reference(&is_target)?)));
        let (file, place) = found.unwrap_or((&self.source.name, (1, 1)));
        self.warnings.push(at(file, place, &message));
    }
}

impl Origins {
    /// A diagnostic of the node at the path `keys` of a description whose files are linked.
    pub(in crate::rest) fn diagnostic(
        &self,
        source: &Source,
        places: &SourceMap<'_>,
        keys: &[String],
        message: &str,
    ) -> Diagnostic {
        let origin = match keys {
            [components, schemas, name, rest @ ..]
                if components == "components" && schemas == "schemas" =>
            {
                self.schemas.get(name).map(|origin| (origin, rest))
            }
            // The innermost node of another file.
            _ => (1..=keys.len()).rev().find_map(|length| {
                let (place, rest) = keys.split_at(length);
                Some((self.parts.get(place)?, rest))
            }),
        };
        let elsewhere = origin.map(|(origin, rest)| {
            let keys = [&origin.keys, rest].concat();
            match origin.file.as_deref() {
                Some((file, places)) => at(file, places.of(&keys), message),
                None => at(&source.name, places.of(&keys), message),
            }
        });
        elsewhere.unwrap_or_else(|| at(&source.name, places.of(keys), message))
    }
}

fn at(file: &str, (line, column): (usize, usize), message: &str) -> Diagnostic {
    Diagnostic::new(file, line, column, message)
}
