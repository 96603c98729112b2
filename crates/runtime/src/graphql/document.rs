//! GraphQL document with a placeholder for each variable's value, as written by the generator.
//!
//! The interface documents a request body of only `{"query": …}`. So the values are inlined into
//! the document as literals, each in the form that the schema's type requires: a value alone does
//! not show whether it is an enum or a string.

mod null;

use std::fmt::{self, Write};

use serde::de::value::MapDeserializer;
use serde_json::{Map, Value};

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
    /// The names of the arguments and fields that the variable is used for and that mark its value
    /// as a secret, as its own name may.
    pub secret_places: &'static [&'static str],
}

/// A piece of a document.
#[derive(Debug)]
pub enum Part {
    /// Literal text.
    Text(&'static str),
    /// The value of the named variable, which is required here: its default, or null if it is
    /// absent.
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

    /// Returns the secrets among the values: by the names of the variables and of their fields, and
    /// by the places in which they are used.
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
    fn check(self, value: Option<&Value>, place: &str) -> Result<(), UnexpectedValue> {
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
    fn new(place: &str, rule: &'static str) -> Self {
        Self { place: place.to_owned(), rule }
    }
}

impl fmt::Display for UnexpectedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.place, self.rule)
    }
}

/// Appends `value` to `text` as a literal of the type `shape`.
fn write_literal(
    text: &mut String,
    value: &Value,
    shape: &Shape,
    place: &str,
) -> Result<(), UnexpectedValue> {
    let refuse = |rule| Err(UnexpectedValue::new(place, rule));
    match (shape, value) {
        (_, Value::Null) => text.push_str("null"),
        (Shape::Int, Value::Number(number)) => match number.as_i64().map(i32::try_from) {
            Some(Ok(number)) => write_display(text, &number),
            _ => return refuse("must be a 32-bit integer"),
        },
        (Shape::Float, Value::Number(number)) => write_display(text, number),
        (Shape::Boolean, Value::Bool(flag)) => write_display(text, flag),
        (Shape::String | Shape::Id, Value::String(string)) => write_string(text, string),
        (Shape::Id, Value::Number(number)) if number.is_i64() || number.is_u64() => {
            write_display(text, number);
        }
        (Shape::Enum, Value::String(name)) if is_name(name) => text.push_str(name),
        (Shape::Enum, _) => return refuse("must be the name of an enum value"),
        (Shape::List(item), Value::Array(values)) => {
            text.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write_literal(text, value, item, &format!("{place}[{index}]"))?;
            }
            text.push(']');
        }
        (Shape::List(item), value) => write_literal(text, value, item, place)?,
        (Shape::Input(input), Value::Object(object)) => {
            write_input(text, object, input, place)?;
        }
        (Shape::Custom, value) => write_custom(text, value, place)?,
        _ => return refuse("does not match the schema's type"),
    }
    Ok(())
}

fn write_input(
    text: &mut String,
    object: &Map<String, Value>,
    input: &InputShape,
    place: &str,
) -> Result<(), UnexpectedValue> {
    for field in input.fields {
        field.presence.check(object.get(field.name), &format!("{place}.{}", field.name))?;
    }
    text.push('{');
    for (index, (name, value)) in object.iter().enumerate() {
        let place = format!("{place}.{name}");
        let Some(field) = input.fields.iter().find(|field| field.name == name) else {
            return Err(UnexpectedValue::new(&place, "is not a field of its input type"));
        };
        if index > 0 {
            text.push_str(", ");
        }
        let _ = write!(text, "{name}: ");
        write_literal(text, value, &field.shape, &place)?;
    }
    text.push('}');
    Ok(())
}

/// A value whose type the schema leaves open: as its JSON form suggests.
fn write_custom(text: &mut String, value: &Value, place: &str) -> Result<(), UnexpectedValue> {
    match value {
        Value::String(string) => write_string(text, string),
        Value::Array(values) => {
            text.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write_custom(text, value, place)?;
            }
            text.push(']');
        }
        Value::Object(object) => {
            text.push('{');
            for (index, (name, value)) in object.iter().enumerate() {
                if !is_name(name) {
                    let rule = "has a key that cannot be written in a GraphQL document";
                    return Err(UnexpectedValue::new(place, rule));
                }
                if index > 0 {
                    text.push_str(", ");
                }
                let _ = write!(text, "{name}: ");
                write_custom(text, value, place)?;
            }
            text.push('}');
        }
        plain => write_display(text, plain),
    }
    Ok(())
}

fn write_display(text: &mut String, value: &impl fmt::Display) {
    let _ = write!(text, "{value}");
}

/// A quoted string. Characters that a document may not contain, or that parsers read differently
/// (such as `\b`), are escaped in the form that all parsers read.
fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{feff}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(character));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

/// Returns true if a text is a GraphQL name: it is written into the document unquoted, so any
/// other text is refused.
fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|other| other.is_ascii_alphanumeric() || other == '_')
        && !matches!(text, "true" | "false" | "null")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    static PAIR: InputShape = InputShape {
        name: "Pair",
        fields: &[
            InputField { name: "key", shape: Shape::String, presence: Presence::Required },
            InputField { name: "next", shape: Shape::Input(&PAIR), presence: Presence::Optional },
        ],
    };

    static PAIR_SHAPE: Shape = Shape::Input(&PAIR);

    fn literal(value: Value, shape: &Shape) -> Result<String, String> {
        let mut text = String::new();
        write_literal(&mut text, &value, shape, "x")
            .map(|()| text)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn each_type_has_its_form() {
        for (value, shape, expected) in [
            (json!(5), Shape::Int, "5"),
            (json!(null), Shape::Int, "null"),
            (json!(0.5), Shape::Float, "0.5"),
            (json!(5), Shape::Float, "5"),
            (json!(true), Shape::Boolean, "true"),
            (json!("a"), Shape::String, r#""a""#),
            (json!("RED"), Shape::Enum, "RED"),
            (json!("7"), Shape::Id, r#""7""#),
            (json!(7), Shape::Id, "7"),
            (json!(["A", "B"]), Shape::List(&Shape::Enum), "[A, B]"),
            (json!("A"), Shape::List(&Shape::Enum), "A"),
            (json!({"key": "k"}), Shape::Input(&PAIR), r#"{key: "k"}"#),
            (
                json!({"key": "k", "next": {"key": "l"}}),
                Shape::Input(&PAIR),
                r#"{key: "k", next: {key: "l"}}"#,
            ),
            (json!({"a": [1, "b", null]}), Shape::Custom, r#"{a: [1, "b", null]}"#),
        ] {
            assert_eq!(literal(value.clone(), &shape).as_deref(), Ok(expected), "{value}");
        }
    }

    #[test]
    fn a_value_that_the_schema_does_not_allow_is_refused_with_its_path() {
        for (value, shape, expected) in [
            (json!(3_000_000_000_u64), Shape::Int, "`x` must be a 32-bit integer"),
            (json!(0.5), Shape::Int, "`x` must be a 32-bit integer"),
            (json!("RED BLUE"), Shape::Enum, "`x` must be the name of an enum value"),
            (json!("null"), Shape::Enum, "`x` must be the name of an enum value"),
            (json!(1), Shape::String, "`x` does not match the schema's type"),
            (json!({"next": null}), Shape::Input(&PAIR), "`x.key` is required"),
            (
                json!({"key": "k", "other": 1}),
                Shape::Input(&PAIR),
                "`x.other` is not a field of its input type",
            ),
            (
                json!([{"key": "k"}, {"key": 1}]),
                Shape::List(&PAIR_SHAPE),
                "`x[1].key` does not match the schema's type",
            ),
            (
                json!({"a b": 1}),
                Shape::Custom,
                "`x` has a key that cannot be written in a GraphQL document",
            ),
        ] {
            assert_eq!(literal(value.clone(), &shape), Err(expected.to_owned()), "{value}");
        }
    }
}
