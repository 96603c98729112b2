//! Width of integers: an integer is an `i64`, and a `u64` where its range or one of its values exceeds
//! that of an `i64`.
//!
//! The range is that of all constraints of a value together: bounds, also exclusive ones, listed
//! values, and those of the parts of `allOf`. A minimum of zero alone does not make an integer
//! unsigned: it is stated of most counts, and services respond with -1 for none. Where negative
//! numbers are permitted besides, neither type can represent it, and the value may be any JSON.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::warnings::Warnings;
use crate::rest::pointer::{joined, keys};
use crate::rest::tree;

/// The first number above the range of an `i64`. Descriptions round the last one in it to this.
const ABOVE: f64 = 9_223_372_036_854_775_808.0;

/// Marks the integers that are unsigned by their format, and removes the type of those for which
/// neither type can represent it, with a warning.
pub(super) fn decide(description: &mut Value, warnings: &mut Warnings<'_>) {
    let whole = description.clone();
    tree::each_schema(description, &mut |schema, place| within(&whole, schema, place, warnings));
}

/// Returns true if neither type of integers can represent all values of a schema.
pub(in crate::rest) fn fits_no_type(whole: &Value, schema: &Value) -> bool {
    Range::of(whole, schema).is_both() || of_branches(whole, schema).is_both()
}

fn within(whole: &Value, schema: &mut Value, place: &str, warnings: &mut Warnings<'_>) {
    let range = Range::of(whole, schema);
    let is_both = fits_no_type(whole, schema);
    let Some(object) = schema.as_object_mut() else { return };
    if is_both {
        let message = format!(
            "{place}: numbers are permitted for which neither an i64 nor a u64 has room, negative \
             ones and some above {}, or larger ones; it may be any JSON value",
            i64::MAX
        );
        warnings.warn(&keys(place), message);
        const TYPES: [&str; 7] = ["$ref", "type", "format", "enum", "const", "default", "allOf"];
        object.retain(|key, _| !TYPES.contains(&&**key) && key != "oneOf" && key != "anyOf");
        return;
    }
    let is_reference = object.contains_key("$ref") && object.len() == 1;
    if range.is_integer && range.is_above() && !is_reference {
        object.entry("type").or_insert_with(|| json!("integer"));
        object.insert("format".to_owned(), json!("uint64"));
    }
    for (keys, schema) in tree::within_mut(schema) {
        within(whole, schema, &joined(place, &keys), warnings);
    }
}

/// The numbers that a schema permits, as far as it states them.
#[derive(Clone, Copy, Default)]
struct Range {
    is_integer: bool,
    least: Option<f64>,
    most: Option<f64>,
    /// A listed value is negative.
    has_negative: bool,
    /// A listed value or the format exceeds an `i64`.
    has_above: bool,
    /// A listed value exceeds both an `i64` and a `u64`.
    has_beyond: bool,
}

impl Range {
    fn is_above(self) -> bool {
        self.has_above
            || self.most.is_some_and(|it| it > ABOVE)
            || self.least.is_some_and(|it| it >= ABOVE)
    }

    fn is_both(self) -> bool {
        let is_negative = self.has_negative || self.least.is_some_and(|it| it < 0.0);
        self.is_integer && (self.has_beyond || (self.is_above() && is_negative))
    }

    /// The range of a schema and of the schemas of the same value, each of which counts once: they may
    /// be cyclic.
    fn of(whole: &Value, schema: &Value) -> Self {
        let (mut waiting, mut met) = (vec![schema], HashSet::new());
        let mut range = Self::default();
        while let Some(schema) = waiting.pop() {
            let Some(object) = schema.as_object() else { continue };
            range = range.and(Self::own(object));
            waiting.extend(object.get("allOf").and_then(Value::as_array).into_iter().flatten());
            if let Some(Value::String(target)) = object.get("$ref")
                && met.insert(target)
            {
                waiting.extend(target.strip_prefix('#').and_then(|it| whole.pointer(it)));
            }
        }
        range
    }

    fn and(self, other: Self) -> Self {
        Self {
            is_integer: self.is_integer || other.is_integer,
            least: self.least.into_iter().chain(other.least).reduce(f64::max),
            most: self.most.into_iter().chain(other.most).reduce(f64::min),
            has_negative: self.has_negative || other.has_negative,
            has_above: self.has_above || other.has_above,
            has_beyond: self.has_beyond || other.has_beyond,
        }
    }

    fn own(schema: &Map<String, Value>) -> Self {
        let number = |key: &str| schema.get(key).and_then(Value::as_f64);
        let is_true = |key: &str| schema.get(key) == Some(&Value::Bool(true));
        // In 3.0 it is a flag. Above -1, an integer is not negative.
        let exclusive = match is_true("exclusiveMinimum") {
            true => number("minimum"),
            false => number("exclusiveMinimum"),
        };
        let least = number("minimum").into_iter().chain(exclusive.map(|it| it + 1.0));
        let most = number("maximum").into_iter().chain(number("exclusiveMaximum"));
        let list = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
        let listed = || list("enum").chain(schema.get("const"));
        let shown = || list("examples").chain(schema.get("example"));
        let is_negative = |it: &Value| it.as_i64().is_some_and(|it| it < 0);
        let is_above = |it: &Value| it.is_u64() && !it.is_i64();
        // An integer that neither type can represent it for is read as a double.
        let is_beyond = |it: &Value| it.as_f64().is_some_and(|it| it.abs() >= ABOVE) && it.is_f64();
        let is_whole = |it: &Value| it.is_i64() || it.is_u64() || it.is_null();
        let is_integer = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(|it| it == "integer"),
            Some(kind) => kind == "integer",
            None => listed().any(Value::is_number) && listed().all(is_whole),
        };
        let is_unsigned = schema.get("format").is_some_and(|it| it == "uint64");
        Self {
            is_integer,
            least: least.reduce(f64::max),
            most: most.reduce(f64::min),
            has_negative: listed().chain(shown()).any(is_negative),
            has_above: is_unsigned || listed().chain(schema.get("default")).any(is_above),
            has_beyond: listed().any(is_beyond),
        }
    }
}

/// The range of the branches of a union that are integers, which become one type.
fn of_branches(whole: &Value, schema: &Value) -> Range {
    let branches = ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(key)?.as_array());
    let ranges = branches.flatten().map(|it| Range::of(whole, it)).filter(|it| it.is_integer);
    ranges.fold(Range::default(), |one, other| Range {
        is_integer: true,
        has_above: one.has_above || other.is_above(),
        has_beyond: one.has_beyond || other.has_beyond,
        has_negative: one.has_negative
            || other.has_negative
            || other.least.is_some_and(|it| it < 0.0),
        ..one
    })
}
