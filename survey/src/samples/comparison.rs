//! Comparison of a value with what became of it: the differences that are documented, and losses.

use std::fmt;

use serde_json::Value;

/// A difference that reading leniently documents, or a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A field that was null is left out: `None` stands for both, where the field need not be there.
    NullLeftOut,
    /// A field that was an empty list or object is left out, where it need not be there.
    EmptyLeftOut,
    /// A field that was not there is null, where null is permitted: it is required, and read as
    /// `None` if it is missing.
    NullAdded,
    /// A list or an object that was not there is empty: it is required, and only in requests.
    EmptyAdded,
    /// A field that the schema does not describe is left out.
    UndescribedLeftOut,
    /// A number is written in another notation: `1.0` as `1`.
    Notation,
    /// The digits of a whole number beyond those of a double.
    Rounded,
    /// Anything else.
    Lost,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NullLeftOut => "null is left out of an object",
            Self::EmptyLeftOut => "an empty list or object is left out of an object",
            Self::NullAdded => "a missing field is written as null",
            Self::EmptyAdded => "a missing list or object is written as empty",
            Self::UndescribedLeftOut => "a field that is not described is left out",
            Self::Notation => "a number in another notation",
            Self::Rounded => "a number is rounded to a double",
            Self::Lost => "lost",
        })
    }
}

/// A difference, and the JSON pointer of its place.
#[derive(Debug)]
pub struct Difference {
    pub rule: Rule,
    pub place: String,
}

/// The differences between a value and what became of it.
pub fn differences(
    from: &Value,
    to: &Value,
    is_described: &dyn Fn(&str) -> bool,
) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(from, to, String::new(), is_described, &mut found);
    found
}

fn compare(
    from: &Value,
    to: &Value,
    place: String,
    is_described: &dyn Fn(&str) -> bool,
    found: &mut Vec<Difference>,
) {
    let mut note = |rule, place: &str| found.push(Difference { rule, place: place.to_owned() });
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => {
            for (name, value) in to {
                if !from.contains_key(name) {
                    let rule = match value {
                        Value::Null => Rule::NullAdded,
                        it if is_empty(it) => Rule::EmptyAdded,
                        _ => Rule::Lost,
                    };
                    note(rule, &format!("{place}/{name} is added"));
                }
            }
            for (name, value) in from {
                let place = format!("{place}/{name}");
                match (to.get(name), value) {
                    (Some(other), _) => compare(value, other, place, is_described, found),
                    (None, Value::Null) => {
                        found.push(Difference { rule: Rule::NullLeftOut, place });
                    }
                    (None, it) if is_empty(it) => {
                        found.push(Difference { rule: Rule::EmptyLeftOut, place });
                    }
                    (None, _) if !is_described(&place) => {
                        found.push(Difference { rule: Rule::UndescribedLeftOut, place });
                    }
                    (None, _) => {
                        let place = format!("{place} is missing");
                        found.push(Difference { rule: Rule::Lost, place });
                    }
                }
            }
        }
        (Value::Array(from), Value::Array(to)) if from.len() == to.len() => {
            for (index, (from, to)) in from.iter().zip(to).enumerate() {
                compare(from, to, format!("{place}/{index}"), is_described, found);
            }
        }
        (from, to) if from == to => {}
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => {
            let is_exact = |it: &serde_json::Number| {
                it.as_f64().is_some_and(|it| it.abs() <= 9_007_199_254_740_992.0)
            };
            note(if is_exact(one) { Rule::Notation } else { Rule::Rounded }, &place);
        }
        (from, to) => {
            note(Rule::Lost, &format!("{place} {} becomes {}", cut(from), cut(to)));
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(|it| it.is_empty())
}

fn cut(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documented_differences_are_told_from_losses() {
        let from = json!({ "a": null, "b": [], "c": 1, "d": "x", "e": [1, null], "f": 7 });
        let to = json!({ "c": 1.0, "d": "y", "e": [1], "g": null });
        let found = differences(&from, &to, &|place| place != "/f");
        let found: Vec<_> = found.iter().map(|it| it.rule).collect();
        assert_eq!(
            found,
            [
                Rule::NullAdded,
                Rule::NullLeftOut,
                Rule::EmptyLeftOut,
                Rule::Notation,
                Rule::Lost,
                Rule::Lost,
                Rule::UndescribedLeftOut,
            ]
        );
    }
}
