//! Values as GraphQL literals.

use std::fmt::Write;

use serde_json::Value;

use super::shape::{InputShape, Shape, UnexpectedValue};

/// Appends `value` to `text` as a literal of the type `shape`.
pub(super) fn write_literal(
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
    object: &serde_json::Map<String, Value>,
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

fn write_display(text: &mut String, value: &impl std::fmt::Display) {
    let _ = write!(text, "{value}");
}

/// A quoted string. Characters that a document may not contain, or that parsers read differently (such as
/// `\b`), are escaped in the form that all parsers read.
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

    use super::super::shape::{InputField, Presence};
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
