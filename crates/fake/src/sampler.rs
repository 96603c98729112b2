//! Sampler: seeded values of any schema of a description.
//!
//! A schema is first *flattened*: its references and `allOf` are merged into one object of keywords,
//! and of each `oneOf` and `anyOf` a branch is chosen. A value is then made of that object. Keywords
//! that only forbid (`not`, `if`, `dependentRequired`) are ignored here: the validator judges each
//! value, and a value that it refuses is discarded and counted, never used.

mod flat;
mod text;

use fastrand::Rng;
use serde_json::{Map, Number, Value, json};

use crate::Description;
use crate::Error;
use crate::pointer::{escaped, remove};

/// The depth below which only what is required is made.
const DEPTH: usize = 5;

/// The depth below which nothing is made: the schema requires its own kind without an end.
const MAX_DEPTH: usize = 40;

/// The number of values within a sample above which only what is required is made.
const NODES: usize = 300;

/// The attempts at a value after which a schema counts as one without samples.
const ATTEMPTS: u64 = 25;

/// The parts that are taken out of a value before it is discarded.
const REMOVED: usize = 20;

/// Seeded source of values. The same seed, description and schemas give the same values.
#[derive(Debug)]
pub struct Sampler<'a> {
    description: &'a Description,
    random: Rng,
    nodes: usize,
    /// A schema requires its own kind without an end.
    is_endless: bool,
    discarded: u64,
}

impl<'a> Sampler<'a> {
    /// A sampler of a description's schemas.
    pub fn new(description: &'a Description, seed: u64) -> Self {
        Self {
            description,
            random: Rng::with_seed(seed),
            nodes: 0,
            is_endless: false,
            discarded: 0,
        }
    }

    /// A value that conforms to the schema at a JSON pointer.
    ///
    /// # Errors
    ///
    /// If the schema is invalid, or the validator refuses each of 25 values: the first violation.
    pub fn sample(&mut self, pointer: &str) -> Result<Value, Error> {
        let schema = json!({ "$ref": format!("#{}", escaped(pointer)) });
        let mut refused = None;
        for _ in 0..ATTEMPTS {
            (self.nodes, self.is_endless) = (0, false);
            let mut value = self.value(&schema, 0);
            let mut violation = self.description.violation(pointer, &value)?;
            for _ in 0..REMOVED {
                let Some((place, error)) = violation else { return Ok(value) };
                refused.get_or_insert(error);
                if !remove(&mut value, &place) {
                    break;
                }
                violation = self.description.violation(pointer, &value)?;
            }
            if self.is_endless {
                refused = Some(Error::new(
                    "the schema requires itself recursively, so no value is finite",
                ));
            }
            self.discarded += 1;
        }
        Err(refused.unwrap_or_else(|| Error::new("no value was made")))
    }

    /// The number of values that the validator refused.
    pub fn discarded(&self) -> u64 {
        self.discarded
    }

    fn is_minimal(&self, depth: usize) -> bool {
        depth > DEPTH || self.nodes > NODES
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        self.nodes += 1;
        if depth > MAX_DEPTH {
            self.is_endless = true;
            return Value::Null;
        }
        let flat = self.flatten(schema, depth);
        if let Some(constant) = flat.get("const") {
            return constant.clone();
        }
        if let Some(Value::Array(values)) = flat.get("enum") {
            return self.random.choice(values).cloned().unwrap_or_default();
        }
        match self.kind(&flat, depth).as_str() {
            "object" => self.object(&flat, depth),
            "array" => self.array(&flat, depth),
            "string" => Value::String(text::text(&mut self.random, &flat)),
            "integer" => self.integer(&flat),
            "number" => self.number(&flat),
            "boolean" => self.random.bool().into(),
            "null" => Value::Null,
            _ => self.anything(),
        }
    }

    /// The type of the value to make; empty for any.
    fn kind(&mut self, flat: &Map<String, Value>, depth: usize) -> String {
        match flat.get("type") {
            Some(Value::String(kind)) => return kind.clone(),
            Some(Value::Array(kinds)) => {
                let is_short = self.is_minimal(depth) && kinds.iter().any(|it| it == "null");
                let chosen = if is_short { None } else { self.random.choice(kinds) };
                return chosen.and_then(Value::as_str).unwrap_or("null").to_owned();
            }
            _ => {}
        }
        const HINTS: [(&str, &[&str]); 4] = [
            (
                "object",
                &[
                    "properties",
                    "additionalProperties",
                    "required",
                    "patternProperties",
                    "minProperties",
                ],
            ),
            ("array", &["items", "prefixItems", "minItems"]),
            ("string", &["pattern", "format", "minLength", "maxLength"]),
            ("number", &["minimum", "maximum", "multipleOf"]),
        ];
        let hint = HINTS.iter().find(|(_, keys)| keys.iter().any(|it| flat.contains_key(*it)));
        hint.map_or("", |(kind, _)| kind).to_owned()
    }

    fn object(&mut self, flat: &Map<String, Value>, depth: usize) -> Value {
        let empty = Map::new();
        let properties = flat.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required: Vec<&str> = flat
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let (least, most) = bounds(flat, "minProperties", "maxProperties");
        let additional = flat.get("additionalProperties");
        let mut object = Map::new();
        for name in &required {
            let schema = properties.get(*name).or(additional).unwrap_or(&Value::Bool(true));
            let value = self.value(schema, depth + 1);
            object.insert((*name).to_owned(), value);
        }
        for (name, schema) in properties {
            let is_wanted = object.len() < least
                || !self.is_minimal(depth) && object.len() < most && self.random.u8(..10) < 6;
            if is_wanted && !object.contains_key(name) && *schema != Value::Bool(false) {
                let value = self.value(schema, depth + 1);
                object.insert(name.clone(), value);
            }
        }
        let pattern = flat.get("patternProperties").and_then(Value::as_object);
        let pattern = pattern.and_then(|it| it.iter().next());
        // Undescribed fields are made only where the description speaks of them.
        let is_open = pattern.is_some()
            || additional.is_some_and(|it| it.is_object() || *it == Value::Bool(true));
        let more = if is_open && !self.is_minimal(depth) { self.random.usize(..3) } else { 0 };
        for number in 0..more.max(least.saturating_sub(object.len())).min(least + 3) {
            if object.len() >= most {
                break;
            }
            let (name, schema) = match pattern {
                Some((pattern, schema)) => {
                    (text::matching(&mut self.random, pattern).unwrap_or_default(), schema)
                }
                None => {
                    let names = flat.get("propertyNames");
                    let name = names.map(|it| {
                        self.value(&json!({ "type": "string", "allOf": [it] }), depth + 1)
                    });
                    let name = name.as_ref().and_then(Value::as_str);
                    let name = name.map_or_else(|| format!("extra{number}"), str::to_owned);
                    (name, additional.unwrap_or(&Value::Bool(true)))
                }
            };
            if properties.contains_key(&name) {
                continue;
            }
            let value = self.value(schema, depth + 1);
            object.insert(name, value);
        }
        Value::Object(object)
    }

    fn array(&mut self, flat: &Map<String, Value>, depth: usize) -> Value {
        let (least, most) = bounds(flat, "minItems", "maxItems");
        let more = if self.is_minimal(depth) { 0 } else { self.random.usize(..4) };
        let length = (least + more).min(most).min(least + 3);
        let first: &[Value] =
            flat.get("prefixItems").and_then(Value::as_array).map_or(&[], Vec::as_slice);
        let rest = flat.get("items").unwrap_or(&Value::Bool(true));
        let is_set = flat.get("uniqueItems") == Some(&Value::Bool(true));
        let mut items: Vec<Value> = Vec::new();
        for place in
            0..length.max(if self.is_minimal(depth) { least } else { first.len().min(most) })
        {
            let schema = first.get(place).unwrap_or(rest);
            if *schema == Value::Bool(false) {
                break;
            }
            let item = self.value(schema, depth + 1);
            if !is_set || !items.contains(&item) {
                items.push(item);
            }
        }
        Value::Array(items)
    }

    fn integer(&mut self, flat: &Map<String, Value>) -> Value {
        // The integers that a double represents exactly.
        const EXACT: i128 = 1 << 53;
        let limit =
            |key: &str, round: fn(f64) -> f64| flat.get(key).and_then(|it| whole(it, round));
        let low = limit("minimum", f64::ceil);
        let low = low.max(limit("exclusiveMinimum", f64::floor).map(|it| it + 1));
        let high =
            [limit("maximum", f64::floor), limit("exclusiveMaximum", f64::ceil).map(|it| it - 1)];
        let high = high.into_iter().flatten().min();
        let (least, most): (i128, i128) = match flat.get("format").and_then(Value::as_str) {
            Some("int8") => (i8::MIN.into(), i8::MAX.into()),
            Some("int16") => (i16::MIN.into(), i16::MAX.into()),
            Some("int32") => (i32::MIN.into(), i32::MAX.into()),
            Some("uint8") => (0, u8::MAX.into()),
            Some("uint16") => (0, u16::MAX.into()),
            Some("uint32") => (0, u32::MAX.into()),
            Some("uint64") => (0, u64::MAX.into()),
            Some("int64") => (i64::MIN.into(), i64::MAX.into()),
            _ if low.into_iter().chain(high).any(|it| it.abs() > EXACT) => {
                (i64::MIN.into(), u64::MAX.into())
            }
            _ => (-EXACT, EXACT),
        };
        let low = low.map_or(least, |it| it.max(least));
        let high = high.map_or(most, |it| it.min(most));
        if low > high {
            return Value::Null;
        }
        let number = match self.random.u8(..8) {
            0 => low,
            1 => high,
            2 | 3 => self.random.i128(low..=high),
            // Small numbers are the common ones.
            _ => {
                let low = low.max(-5).min(high);
                self.random.i128(low..=high.min(1000).max(low))
            }
        };
        let step = limit("multipleOf", f64::floor).filter(|it| *it > 0).unwrap_or(1);
        let number = number / step * step;
        match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => number.into(),
            (_, Ok(number)) => number.into(),
            _ => Value::Null,
        }
    }

    fn number(&mut self, flat: &Map<String, Value>) -> Value {
        if self.random.u8(..4) == 0 {
            return self.integer(flat);
        }
        let limit = |key: &str| flat.get(key).and_then(Value::as_f64);
        let low = limit("minimum").or(limit("exclusiveMinimum"));
        let high = limit("maximum").or(limit("exclusiveMaximum"));
        let (low, high) = match (low, high) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, low + 1e6),
            (None, Some(high)) => (high - 1e6, high),
            (None, None) => (-1e3, 1e6),
        };
        let mut number = low + (high - low) * self.random.f64();
        if let Some(step) = limit("multipleOf").filter(|it| *it > 0.0) {
            number = (number / step).floor() * step;
        } else if flat.get("format").and_then(Value::as_str) == Some("float") {
            #[expect(clippy::cast_possible_truncation, reason = "as precise as a float")]
            let single = number as f32;
            number = single.into();
        }
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    }

    /// A value where any is permitted.
    fn anything(&mut self) -> Value {
        match self.random.u8(..7) {
            0 => json!(self.random.i32(-9..1000)),
            1 => json!(self.random.bool()),
            2 => json!([self.random.u8(..), "text", null]),
            3 => Value::Null,
            4 => json!({ "key": self.random.u8(..), "list": [true, 0.5], "null": null }),
            _ => Value::String(text::text(&mut self.random, &Map::new())),
        }
    }
}

/// A number as a whole one.
fn whole(number: &Value, round: fn(f64) -> f64) -> Option<i128> {
    let exact = number.as_number().and_then(Number::as_i128);
    #[expect(clippy::cast_possible_truncation, reason = "saturates far beyond any integer of JSON")]
    exact.or_else(|| number.as_f64().map(|it| round(it) as i128))
}

/// The smallest and the largest number of items or fields.
fn bounds(flat: &Map<String, Value>, least: &str, most: &str) -> (usize, usize) {
    let of = |key: &str| {
        let number = flat.get(key).and_then(Value::as_u64);
        number.and_then(|it| usize::try_from(it).ok())
    };
    (of(least).unwrap_or(0), of(most).unwrap_or(usize::MAX))
}
