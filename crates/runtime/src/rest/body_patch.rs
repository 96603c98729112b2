//! Body patch: values that a caller sets in a serialized body.

use serde::Serialize;
use serde_json::{Map, Value, to_value};

/// Values for fields of a body, by path: `tags`, `env[0].note`, `labels["a.b"]`.
#[derive(Clone, Default)]
pub struct Changes(Vec<(String, Result<Value, String>)>);

impl Changes {
    /// No changes.
    pub const NONE: &Self = &Self(Vec::new());

    /// Sets a field after the body has been serialized.
    pub fn set(&mut self, place: impl Into<String>, value: impl Serialize) {
        self.0.push((place.into(), to_value(value).map_err(|error| error.to_string())));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Applies the changes in the order in which they were made. A refusal names the place.
    pub(super) fn apply(&self, body: &mut Value) -> Result<(), (String, String)> {
        for (place, value) in &self.0 {
            let refused = |rule: &str| (place.clone(), rule.to_owned());
            let value = value.clone().map_err(|error| refused(&error))?;
            let field = field(body, place).map_err(refused)?;
            *field = value;
        }
        Ok(())
    }
}

/// The value at a place. A last field that is absent is added.
fn field<'a>(mut value: &'a mut Value, place: &str) -> Result<&'a mut Value, &'static str> {
    const MALFORMED: &str = "is not a valid path; write one like `env[0].note`, or like \
                             `labels[\"a.b\"]` for a name with a dot";
    for step in steps(place).ok_or(MALFORMED)? {
        value = match step {
            Step::Name(name) => {
                if value.is_null() {
                    *value = Value::Object(Map::new());
                }
                let Value::Object(object) = value else {
                    return Err("is inside something that is not an object");
                };
                object.entry(name).or_insert(Value::Null)
            }
            Step::Index(index) => value.get_mut(index).ok_or("is beyond the end of its list")?,
        };
    }
    Ok(value)
}

/// A step on the way to a value.
enum Step<'p> {
    Name(&'p str),
    Index(usize),
}

/// The steps of a path, of which the first is a name; none if it is malformed.
fn steps(place: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    let mut rest = place;
    while !rest.is_empty() || steps.is_empty() {
        let step;
        (step, rest) = if let Some(quoted) = rest.strip_prefix("[\"") {
            let (name, rest) = quoted.split_once("\"]")?;
            (Step::Name(name), rest)
        } else if let (Some(index), false) = (rest.strip_prefix('['), steps.is_empty()) {
            let (index, rest) = index.split_once(']')?;
            (Step::Index(index.parse().ok()?), rest)
        } else {
            let text = if steps.is_empty() { rest } else { rest.strip_prefix('.')? };
            let (name, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
            (Step::Name(Some(name).filter(|it| !it.is_empty())?), rest)
        };
        steps.push(step);
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn changed(mut body: Value, place: &str, value: Value) -> Result<Value, (String, String)> {
        let mut changes = Changes::default();
        changes.set(place, value);
        changes.apply(&mut body)?;
        Ok(body)
    }

    #[test]
    fn a_field_is_set_at_any_depth() {
        let body = json!({"a": 1, "list": [{"b": 2}]});
        let set = |place: &str| changed(body.clone(), place, json!(null));
        assert_eq!(set("a"), Ok(json!({"a": null, "list": [{"b": 2}]})));
        assert_eq!(set("new.c"), Ok(json!({"a": 1, "list": [{"b": 2}], "new": {"c": null}})));
        assert_eq!(set("list[0].b"), Ok(json!({"a": 1, "list": [{"b": null}]})));
        assert_eq!(set("[\"c.d\"]"), Ok(json!({"a": 1, "list": [{"b": 2}], "c.d": null})));
        let within = set("list[0][\"c.d\"].e[\"\"]");
        let added = json!({"b": 2, "c.d": {"e": {"": null}}});
        assert_eq!(within, Ok(json!({"a": 1, "list": [added]})));
        assert_eq!(changed(Value::Null, "a", json!([])), Ok(json!({"a": []})));
    }

    #[test]
    fn a_place_that_cannot_be_reached_is_refused() {
        let body = json!({"a": 1, "list": [{"b": 2}]});
        for place in [
            "",
            "a.b",
            "list[1]",
            "list[x]",
            "list[0",
            ".a",
            "a[0]",
            "[0]",
            "a.",
            "a..b",
            "list[0]b",
            "[\"a",
            "a.[\"b\"]",
        ] {
            let refused = changed(body.clone(), place, json!(null)).expect_err("refused");
            assert_eq!(refused.0, place);
        }
    }
}
