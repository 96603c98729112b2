//! Explicit nulls in variables, for fields that `None` would omit.

use serde_json::{Map, Value};

use super::{Document, Presence, Shape, UnexpectedValue};

impl Document {
    /// Sets an absent field to null, by a path such as `input.env[0].note`.
    pub(crate) fn set_null(
        &self,
        variables: &mut Map<String, Value>,
        place: &str,
    ) -> Result<(), UnexpectedValue> {
        let steps = steps(place).ok_or_else(|| PathCursor { place }.refuse(UNREADABLE))?;
        let Some((Step::Field(name), rest)) = steps.split_first() else {
            return Err(PathCursor { place }.refuse(UNREADABLE));
        };
        let Some(variable) = self.variables.iter().find(|it| it.name == *name) else {
            return Err(UnexpectedValue::new(name, "is not declared by the operation"));
        };
        PathCursor { place }.field(variables, name, &variable.shape, variable.presence, rest)
    }
}

const UNREADABLE: &str = "is not a valid path; write one like `input.env[0].key`";
const NOTHING_THERE: &str = "is inside something that has no value";

enum Step<'a> {
    Field(&'a str),
    Index(usize),
}

/// The names and indexes that a place is made of.
fn steps(place: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    for part in place.split('.') {
        let (name, mut indexes) = part.split_at(part.find('[').unwrap_or(part.len()));
        if name.is_empty() {
            return None;
        }
        steps.push(Step::Field(name));
        while !indexes.is_empty() {
            let (index, rest) = indexes.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Index(index.parse().ok()?));
            indexes = rest;
        }
    }
    Some(steps)
}

/// Path to the field to set, for errors on the way to it.
#[derive(Clone, Copy)]
struct PathCursor<'a> {
    place: &'a str,
}

impl PathCursor<'_> {
    /// Sets a field of an object, or a field within it.
    fn field(
        self,
        object: &mut Map<String, Value>,
        name: &str,
        shape: &Shape,
        presence: Presence,
        rest: &[Step<'_>],
    ) -> Result<(), UnexpectedValue> {
        let there = object.get_mut(name).filter(|value| !value.is_null());
        match (rest, there) {
            ([], Some(_)) => Err(self.refuse("already has a value, so it cannot be null")),
            ([], None) if presence == Presence::Optional => {
                object.insert(name.to_owned(), Value::Null);
                Ok(())
            }
            ([], None) => Err(self.refuse("must not be null")),
            ([..], Some(value)) => self.within(value, shape, rest),
            ([..], None) => Err(self.refuse(NOTHING_THERE)),
        }
    }

    fn within(
        self,
        value: &mut Value,
        shape: &Shape,
        rest: &[Step<'_>],
    ) -> Result<(), UnexpectedValue> {
        match (shape, value, rest) {
            (_, _, []) => {
                Err(self.refuse("is a list element: use `None` there if the type allows null"))
            }
            (Shape::Input(input), Value::Object(object), [Step::Field(name), rest @ ..]) => {
                match input.fields.iter().find(|field| field.name == *name) {
                    Some(field) => self.field(object, name, &field.shape, field.presence, rest),
                    None => Err(self.refuse("is not a field of its input type")),
                }
            }
            (Shape::List(item), Value::Array(values), [Step::Index(index), rest @ ..]) => {
                match values.get_mut(*index) {
                    Some(value) => self.within(value, item, rest),
                    None => Err(self.refuse(NOTHING_THERE)),
                }
            }
            _ => Err(self.refuse("does not match the schema's type")),
        }
    }

    fn refuse(self, rule: &'static str) -> UnexpectedValue {
        UnexpectedValue::new(self.place, rule)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{InputField, InputShape, Kind, Variable};
    use super::*;

    static NOTE: InputShape = InputShape {
        name: "Note",
        fields: &[
            InputField { name: "id", shape: Shape::Id, presence: Presence::Required },
            InputField { name: "text", shape: Shape::String, presence: Presence::Optional },
            InputField { name: "size", shape: Shape::Int, presence: Presence::NotNull },
            InputField {
                name: "parts",
                shape: Shape::List(&Shape::List(&Shape::Input(&NOTE))),
                presence: Presence::Optional,
            },
        ],
    };

    static DOCUMENT: Document = Document {
        kind: Kind::Mutation,
        parts: &[],
        variables: &[
            Variable {
                name: "note",
                shape: Shape::Input(&NOTE),
                presence: Presence::Required,
                default: None,
                secret_places: &[],
            },
            Variable {
                name: "why",
                shape: Shape::String,
                presence: Presence::Optional,
                default: None,
                secret_places: &[],
            },
        ],
    };

    fn with_null(place: &str) -> Result<Value, String> {
        let variables =
            json!({"note": {"id": "1", "parts": [[{"id": "2", "text": "b"}, {"id": "3"}]]}});
        let Value::Object(mut variables) = variables else { return Err("no object".to_owned()) };
        DOCUMENT.set_null(&mut variables, place).map_err(|error| error.to_string())?;
        DOCUMENT.inline(&variables).map_err(|error| error.to_string())?;
        Ok(Value::Object(variables))
    }

    #[test]
    fn absent_fields_become_null_at_any_depth() {
        let null_at = |place: &str, pointer: &str| {
            assert_eq!(
                with_null(place).map(|it| it.pointer(pointer).cloned()),
                Ok(Some(Value::Null))
            );
        };
        null_at("why", "/why");
        null_at("note.text", "/note/text");
        null_at("note.parts[0][1].text", "/note/parts/0/1/text");
    }

    #[test]
    fn a_null_for_a_required_field_is_refused_with_its_path() {
        for (place, expected) in [
            ("note", "`note` already has a value, so it cannot be null"),
            ("note.id", "`note.id` already has a value, so it cannot be null"),
            ("note.size", "`note.size` must not be null"),
            ("note.nope", "`note.nope` is not a field of its input type"),
            ("nope.id", "`nope` is not declared by the operation"),
            ("why.text", "`why.text` is inside something that has no value"),
            (
                "note.parts[0][7].text",
                "`note.parts[0][7].text` is inside something that has no value",
            ),
            (
                "note.parts[0]",
                "`note.parts[0]` is a list element: use `None` there if the type allows null",
            ),
            ("note.parts.id", "`note.parts.id` does not match the schema's type"),
            (
                "note.parts[x]",
                "`note.parts[x]` is not a valid path; write one like `input.env[0].key`",
            ),
            ("note.", "`note.` is not a valid path; write one like `input.env[0].key`"),
            ("", "`` is not a valid path; write one like `input.env[0].key`"),
        ] {
            assert_eq!(with_null(place), Err(expected.to_owned()), "{place}");
        }
    }
}
