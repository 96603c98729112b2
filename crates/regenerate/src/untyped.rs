//! Report of untyped values: the values of generated code that are any JSON, with the reason.

use std::fmt;

use podqueue_codegen::__private::untyped;
use podqueue_codegen::{Build, Diagnostic};

use crate::Error;

/// The untyped values of generated code: those that are `serde_json::Value`, because the description
/// does not say what they are, or says it in a way that no type expresses.
///
/// A field is a field of a type, the value of a variant, a parameter, a body or a response. The
/// variants for values that a description does not foresee are no fields.
///
/// Its `Display` is a line for each value, and a last line with the counts.
#[derive(Clone, Debug)]
pub struct UntypedReport {
    untyped: Vec<Diagnostic>,
    fields: usize,
    typed: usize,
}

impl UntypedReport {
    /// Finds the untyped values of the code that is generated from a build's descriptions.
    ///
    /// # Errors
    ///
    /// A description cannot be read, a selector selects nothing, or stated pages do not fit.
    pub fn of(build: &Build) -> Result<Self, Error> {
        let found = untyped(build)?;
        Ok(Self { untyped: found.untyped, fields: found.fields, typed: found.typed })
    }

    /// The untyped values, each at its place in the description, with the generated field
    /// and the reason.
    pub fn untyped(&self) -> &[Diagnostic] {
        &self.untyped
    }

    /// The number of all fields.
    pub fn fields(&self) -> usize {
        self.fields
    }

    /// The number of fields of which no part is untyped.
    pub fn typed(&self) -> usize {
        self.typed
    }
}

impl fmt::Display for UntypedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.untyped.iter().try_for_each(|it| writeln!(f, "{it}"))?;
        let Self { fields, typed, .. } = self;
        writeln!(f, "fields: {fields}, typed: {typed}, untyped: {}", fields - typed)
    }
}
