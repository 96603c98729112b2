//! Normalization of schemas that their examples contradict: they get the type that the examples have,
//! if that includes their own, and otherwise they are read as any value.

use std::collections::{BTreeMap, HashSet};
use std::ptr;

use serde_json::{Value, json};

use super::warnings::Warnings;
use crate::rest::pointer::{joined, keys};
use crate::rest::tree::{self, LOOSE, fields, resolve_to};

/// Normalizes a list whose example is a text with commas, an integer whose example has a fraction or
/// exceeds its range. One such field would make a whole response unreadable. So an integer with a
/// fraction is a number, and one above the range of an `i64` is a `u64`, which both have room for the
/// integers that are described; all others are any value.
pub(super) fn loosen(description: &mut Value, warnings: &mut Warnings<'_>) {
    for (place, (kind, read_as)) in contradictions(description) {
        let Some(schema) = description.pointer_mut(&place[1..]) else { continue };
        let meaning = match read_as {
            ReadAs::Any => "responses may hold any value",
            ReadAs::Number => "it is a number that may have a fraction",
            ReadAs::Unsigned => "",
        };
        read_as.apply(schema);
        if !meaning.is_empty() {
            let message = format!("{place}: its example is no {kind}; {meaning}");
            warnings.warn_of_example(keys(&place), message);
        }
    }
}

/// Makes an integer whose example has a fraction a number, in a description that is not normalized
/// otherwise.
pub(super) fn permit_fractions(description: &mut Value) {
    let found = contradictions(description).into_iter();
    for (place, (_, read_as)) in found.filter(|(_, (_, it))| *it == ReadAs::Number) {
        description.pointer_mut(&place[1..]).into_iter().for_each(|it| read_as.apply(it));
    }
}

/// The places of the schemas that examples contradict, the type, and how they are read.
fn contradictions(description: &mut Value) -> BTreeMap<String, (&'static str, ReadAs)> {
    let whole = description.clone();
    let mut examples = Examples { description: &whole, found: BTreeMap::new() };
    tree::each_schema(description, &mut |schema, place| {
        if let Some(media) = place.strip_suffix("/schema").and_then(|it| whole.pointer(&it[1..])) {
            let named = fields(media, "examples").filter_map(|(_, it)| it.get("value"));
            for example in media.get("example").into_iter().chain(named) {
                examples.compare(example, schema, place, &mut Met::new());
            }
        }
        examples.own(schema, place);
    });
    examples.found
}

struct Examples<'a> {
    description: &'a Value,
    /// The places of the schemas, the type that their examples contradict, and how they are read.
    found: BTreeMap<String, (&'static str, ReadAs)>,
}

/// The type of a schema that an example contradicts. Of several examples the one that demands most
/// counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ReadAs {
    /// A `u64` for an integer.
    Unsigned,
    /// A number for an integer.
    Number,
    Any,
}

impl ReadAs {
    fn apply(self, schema: &mut Value) {
        match self {
            Self::Any => schema[LOOSE] = json!(true),
            Self::Number if schema["type"].is_array() => {
                schema["type"] = json!(["number", "null"]);
            }
            Self::Number => schema["type"] = json!("number"),
            Self::Unsigned => schema["format"] = json!("uint64"),
        }
    }

    fn of(example: &Value, kind: &str) -> Self {
        let text = example.as_str().map(str::trim);
        let number = text.map_or_else(|| example.as_f64(), |text| text.parse().ok());
        let is_unsigned = example.is_u64() || text.is_some_and(|it| it.parse::<u64>().is_ok());
        match number.filter(|_| kind == "integer") {
            Some(number) if number.is_finite() && number.fract() != 0.0 => Self::Number,
            Some(_) if is_unsigned => Self::Unsigned,
            _ => Self::Any,
        }
    }
}

/// Parts of examples, each with the place of the schema that it was compared with.
type Met = HashSet<(*const Value, String)>;

impl Examples<'_> {
    /// Checks the examples within a schema.
    fn own(&mut self, schema: &mut Value, place: &str) {
        let several = schema.get("examples").and_then(Value::as_array);
        let examples: Vec<_> = schema
            .get("example")
            .into_iter()
            .chain(several.into_iter().flatten())
            .cloned()
            .collect();
        for example in examples {
            self.compare(&example, schema, place, &mut Met::new());
        }
        for (keys, schema) in tree::within_mut(schema) {
            self.own(schema, &joined(place, &keys));
        }
    }

    /// Compares an example with a schema, once for each pair: schemas may be recursive.
    fn compare(&mut self, example: &Value, schema: &Value, place: &str, met: &mut Met) {
        let Some((schema, place)) = resolve_to(self.description, schema, place) else { return };
        if example.is_null() || !met.insert((ptr::from_ref(example), place.clone())) {
            return;
        }
        if let Some(kind) = contradicted(example, schema) {
            let read_as = ReadAs::of(example, kind);
            let known = self.found.entry(place).or_insert((kind, read_as));
            known.1 = known.1.max(read_as);
            return;
        }
        for (name, schema) in fields(schema, "properties") {
            if let Some(example) = example.get(name) {
                let place = joined(&place, &["properties", name]);
                self.compare(example, schema, &place, met);
            }
        }
        if let Some(items) = schema.get("items") {
            for example in example.as_array().into_iter().flatten() {
                self.compare(example, items, &format!("{place}/items"), met);
            }
        }
        let parts = schema.get("allOf").and_then(Value::as_array);
        for (index, part) in parts.into_iter().flatten().enumerate() {
            self.compare(example, part, &format!("{place}/allOf/{index}"), met);
        }
        // A union of one type and null.
        for key in ["oneOf", "anyOf"] {
            let branches = schema.get(key).and_then(Value::as_array).into_iter().flatten();
            let branches = branches.enumerate().filter(|(_, it)| it["type"] != "null");
            if let [(index, only)] = branches.collect::<Vec<_>>()[..] {
                self.compare(example, only, &format!("{place}/{key}/{index}"), met);
            }
        }
    }
}

/// The type of a schema, if an example contradicts it. A number or a boolean in a text is one, and
/// JSON in a text may be what the author of the example meant.
fn contradicted(example: &Value, schema: &Value) -> Option<&'static str> {
    let text = example.as_str().map(str::trim);
    let json = || text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let fits = |kind: &str| match kind {
        "array" => example.is_array() || json().is_some_and(|it| it.is_array()),
        // Named fields count more than a careless example.
        "object" => {
            schema.get("properties").is_some()
                || example.is_object()
                || json().is_some_and(|it| it.is_object())
        }
        "integer" => match (example, text) {
            (Value::Number(number), _) => number.is_i64() || number.as_f64().is_some_and(is_whole),
            (_, Some(text)) => {
                text.is_empty() || text.parse::<i64>().is_ok() || text.parse().is_ok_and(is_whole)
            }
            _ => false,
        },
        "number" => match text {
            Some(text) => text.is_empty() || text.parse::<f64>().is_ok(),
            None => example.is_number(),
        },
        // Texts that are read as booleans, too.
        "boolean" => match (example, text) {
            (Value::Number(number), _) => matches!(number.as_u64(), Some(0 | 1)),
            (_, Some(text)) => {
                let text = text.to_ascii_lowercase();
                ["", "true", "false", "1", "0"].contains(&text.as_str())
            }
            _ => example.is_boolean(),
        },
        // Numbers and dates that were not quoted.
        "string" => !example.is_array() && !example.is_object(),
        _ => true,
    };
    const KINDS: [&str; 6] = ["array", "object", "integer", "number", "boolean", "string"];
    let kind = match schema.get("type")? {
        Value::Array(kinds) => {
            match kinds.iter().filter(|it| *it != "null").collect::<Vec<_>>()[..] {
                [only] => only,
                _ => return None,
            }
        }
        kind => kind,
    };
    KINDS.into_iter().find(|it| *it == kind).filter(|kind| !fits(kind))
}

/// Returns true if it is a whole number that a double holds exactly.
fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0
}
