//! A GraphQL document with a placeholder for each variable's value, as written by the generator.
//!
//! The interface documents a request body of only `{"query": …}`. So the values are inlined into
//! the document as literals, each in the form that the schema's type requires: a value alone does
//! not show whether it is an enum or a string.

mod literal;
mod null;
mod shape;

use std::fmt::Write;

use serde::de::value::MapDeserializer;
use serde_json::{Map, Value};

use self::literal::write_literal;
use self::shape::UnexpectedValue;
pub use self::shape::{InputField, InputShape, Presence, Shape};
use crate::redact::secrets_in;
use crate::secret_string::SecretString;

/// A document with placeholders for its variables' values.
#[derive(Debug)]
pub struct Document {
    /// Query or mutation.
    pub kind: Kind,
    /// The document's text and placeholders.
    pub parts: &'static [Part],
    /// The variables that the operation declares.
    pub variables: &'static [Variable],
}

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A query.
    Query,
    /// A mutation.
    Mutation,
}

/// A declared variable.
#[derive(Debug)]
pub struct Variable {
    /// The name, without `$`.
    pub name: &'static str,
    /// The type.
    pub shape: Shape,
    /// The presence of the variable: required, or possibly absent or null.
    pub presence: Presence,
    /// The default, as a GraphQL literal.
    pub default: Option<&'static str>,
    /// The names of the arguments and fields that the variable is used for and that mark its value as a
    /// secret, as its own name may.
    pub secret_places: &'static [&'static str],
}

/// A piece of a document.
#[derive(Debug)]
pub enum Part {
    /// Literal text.
    Text(&'static str),
    /// The value of the named variable, which is required here: its default, or null if it is absent.
    Value(&'static str),
    /// An argument or an object's field whose value is a variable; omitted if that is absent.
    Entry {
        /// The name of the argument or field.
        name: &'static str,
        /// The name of the variable.
        variable: &'static str,
    },
    /// Arguments in parentheses; omitted altogether if none is left.
    Arguments(&'static [Part]),
}

impl Document {
    /// The document with the values of `variables` written into it.
    pub(crate) fn inline(&self, variables: &Map<String, Value>) -> Result<String, UnexpectedValue> {
        for variable in self.variables {
            variable.presence.check(variables.get(variable.name), variable.name)?;
        }
        let mut text = String::new();
        self.write_parts(&mut text, self.parts, variables)?;
        Ok(text)
    }

    /// Returns the secrets among the values: by the names of the variables and of their fields, and by the
    /// places in which they are used.
    pub(crate) fn secrets(&self, variables: &Map<String, Value>) -> Vec<SecretString> {
        let mut found = secrets_in(variables);
        for variable in self.variables {
            let Some(value) = variables.get(variable.name) else { continue };
            for place in variable.secret_places {
                let field = MapDeserializer::new(std::iter::once((*place, value)));
                found.extend(secrets_in(field));
            }
        }
        found
    }

    fn write_parts(
        &self,
        text: &mut String,
        parts: &[Part],
        variables: &Map<String, Value>,
    ) -> Result<(), UnexpectedValue> {
        for part in parts {
            match part {
                Part::Text(piece) => text.push_str(piece),
                Part::Value(variable) => match self.literal(variable, variables)? {
                    Some(literal) => text.push_str(&literal),
                    None => text.push_str("null"),
                },
                Part::Entry { name, variable } => {
                    if let Some(literal) = self.literal(variable, variables)? {
                        let _ = write!(text, "{name}: {literal}");
                    }
                }
                Part::Arguments(arguments) => {
                    let mut written = Vec::with_capacity(arguments.len());
                    for argument in *arguments {
                        let mut piece = String::new();
                        let one = std::slice::from_ref(argument);
                        self.write_parts(&mut piece, one, variables)?;
                        written.push(piece);
                    }
                    written.retain(|piece| !piece.is_empty());
                    if !written.is_empty() {
                        let _ = write!(text, "({})", written.join(", "));
                    }
                }
            }
        }
        Ok(())
    }

    /// The literal for a variable, or its default; `None` if it has neither.
    fn literal(
        &self,
        name: &str,
        variables: &Map<String, Value>,
    ) -> Result<Option<String>, UnexpectedValue> {
        let Some(variable) = self.variables.iter().find(|variable| variable.name == name) else {
            return Err(UnexpectedValue::new(name, "is not declared by the operation"));
        };
        match variables.get(name) {
            Some(value) => {
                let mut literal = String::new();
                write_literal(&mut literal, value, &variable.shape, name)?;
                Ok(Some(literal))
            }
            None => Ok(variable.default.map(str::to_owned)),
        }
    }
}
