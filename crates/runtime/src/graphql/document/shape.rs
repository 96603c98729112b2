//! Types of values in the schema, as far as they affect literals.

use std::fmt;

use serde_json::Value;

/// The type of a value, as far as it affects how the value is written.
#[derive(Debug)]
pub enum Shape {
    /// A 32-bit integer.
    Int,
    /// A floating-point number.
    Float,
    /// A string.
    String,
    /// A boolean.
    Boolean,
    /// An id: a string or an integer.
    Id,
    /// A custom scalar, written like its JSON form.
    Custom,
    /// An enum value, by name.
    Enum,
    /// A list.
    List(&'static Shape),
    /// An input object.
    Input(&'static InputShape),
}

/// The type of an input object.
#[derive(Debug)]
pub struct InputShape {
    /// The name in the schema.
    pub name: &'static str,
    /// The fields.
    pub fields: &'static [InputField],
}

/// A field of an input object.
#[derive(Debug)]
pub struct InputField {
    /// The name.
    pub name: &'static str,
    /// The type.
    pub shape: Shape,
    /// The presence of the field: required, or possibly absent or null.
    pub presence: Presence,
}

/// Presence of a value: GraphQL distinguishes absent from null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Required: its type is non-null, and there is no default.
    Required,
    /// May be absent, because it has a default, but not null.
    NotNull,
    /// May be absent or null.
    Optional,
}

impl Presence {
    /// Refuses a value that may not be absent, null or present.
    pub(super) fn check(self, value: Option<&Value>, place: &str) -> Result<(), UnexpectedValue> {
        match (self, value) {
            (Self::Required, None | Some(Value::Null)) => {
                Err(UnexpectedValue::new(place, "is required"))
            }
            (Self::NotNull, Some(Value::Null)) => {
                Err(UnexpectedValue::new(place, "must not be null"))
            }
            _ => Ok(()),
        }
    }
}

/// A value that the schema does not allow at its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnexpectedValue {
    /// The place, such as `input.env[0].key`.
    pub(crate) place: String,
    pub(crate) rule: &'static str,
}

impl UnexpectedValue {
    pub(super) fn new(place: &str, rule: &'static str) -> Self {
        Self { place: place.to_owned(), rule }
    }
}

impl fmt::Display for UnexpectedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.place, self.rule)
    }
}
