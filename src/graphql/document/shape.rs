//! What values the schema allows.

use std::fmt;

use serde_json::Value;

/// The type of a value, as far as it decides how the value is written.
#[derive(Debug)]
pub enum Shape {
    /// A whole number of 32 bits.
    Int,
    /// A number.
    Float,
    /// A string.
    String,
    /// True or false.
    Boolean,
    /// An id: a string, or a whole number.
    Id,
    /// A scalar of the schema's own, written as its JSON form suggests.
    Custom,
    /// The name of an enum's value.
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
    /// Whether it may be absent, or null.
    pub presence: Presence,
}

/// Whether a value may be absent, or null: GraphQL tells the two apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It must be given: its type is non-null and there is no default.
    Required,
    /// It may be absent, for it has a default, but not null.
    NotNull,
    /// It may be absent, and it may be null.
    Optional,
}

impl Presence {
    /// Whether a value may be what it is: absent, null or something.
    pub(super) fn check(self, value: Option<&Value>, place: &str) -> Result<(), UnexpectedValue> {
        match (self, value) {
            (Self::Required, None | Some(Value::Null)) => {
                Err(UnexpectedValue::new(place, "must be given"))
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
