//! Parsed input: the JSON to submit, its key, and its digests.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::store::Digest;

/// Shape of the inputs: which part of a text is the input, and which its key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shape {
    pub(crate) input_field: Option<String>,
    pub(crate) key_field: Option<String>,
    pub(crate) dedupe: bool,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = |name: &Option<String>| match name {
            Some(name) => format!("{name:?}"),
            None => "none".to_owned(),
        };
        let (input, key) = (field(&self.input_field), field(&self.key_field));
        let dedupe = if self.dedupe { "once" } else { "each" };
        write!(f, "input field {input}, key field {key}, equal inputs submitted {dedupe}")
    }
}

/// An input, ready to be submitted.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) input: Box<RawValue>,
    pub(crate) key: Option<Box<RawValue>>,
}

impl Shape {
    /// Inputs are compared with each other.
    pub(super) fn compares(&self) -> bool {
        self.key_field.is_some() || self.dedupe
    }

    /// Parses a text, or returns its validation error.
    pub(crate) fn parse(&self, text: &[u8]) -> Result<Parsed, String> {
        let whole = || {
            let json: serde_json::Result<&RawValue> = serde_json::from_slice(text);
            json.map_err(|error| not_json(&error))
        };
        if self.input_field.is_none() && self.key_field.is_none() {
            return Ok(Parsed { input: object(whole()?, None)?, key: None });
        }
        let whole = whole()?;
        let members: HashMap<String, &RawValue> =
            serde_json::from_str(whole.get()).map_err(|_| "is not a JSON object".to_owned())?;
        let member = |name: &String| {
            members.get(name).copied().ok_or_else(|| format!("has no member {name:?}"))
        };
        let input = match &self.input_field {
            Some(name) => object(member(name)?, Some(name))?,
            None => whole.to_owned(),
        };
        let key = self.key_field.as_ref().map(|name| key(member(name)?, name)).transpose()?;
        Ok(Parsed { input, key })
    }
}

/// Describes a syntax error without its line number, which is not that of the file.
fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    format!("is not valid JSON: {what} at column {}", error.column())
}

fn object(value: &RawValue, field: Option<&str>) -> Result<Box<RawValue>, String> {
    if value.get().starts_with('{') {
        return Ok(value.to_owned());
    }
    Err(match field {
        Some(name) => format!("has a member {name:?} that is not a JSON object"),
        None => "is not a JSON object, as the interface requires of an input".to_owned(),
    })
}

fn key(value: &RawValue, name: &str) -> Result<Box<RawValue>, String> {
    match value.get().as_bytes().first() {
        Some(b'{' | b'[' | b'n') => {
            Err(format!("has a key {name:?} that is not a string, a number or a boolean"))
        }
        _ => Ok(value.to_owned()),
    }
}

/// The digest of an input's text.
pub(super) fn digest(text: &[u8]) -> Digest {
    short(blake3::hash(text))
}

/// The digest that a hash is shortened to.
fn short(hash: blake3::Hash) -> Digest {
    let mut digest = Digest::default();
    let length = digest.len();
    digest.copy_from_slice(&hash.as_bytes()[..length]);
    digest
}

/// Largest depth of a value that is compared.
const MAX_DEPTH: usize = 128;

/// Canonical digest of a value: independent of white space and of the order of members.
pub(super) fn canonical(input: &RawValue) -> Option<Digest> {
    let mut hasher = blake3::Hasher::new();
    feed(&mut hasher, input, MAX_DEPTH)?;
    Some(short(hasher.finalize()))
}

fn feed(hasher: &mut blake3::Hasher, value: &RawValue, deepest: usize) -> Option<()> {
    let deepest = deepest.checked_sub(1)?;
    let text = value.get();
    match text.as_bytes().first()? {
        b'{' => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            hasher.update(b"{");
            for (name, value) in members {
                scalar(hasher, &Value::String(name).to_string());
                feed(hasher, value, deepest)?;
            }
            hasher.update(b"}");
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            hasher.update(b"[");
            for item in items {
                feed(hasher, item, deepest)?;
            }
            hasher.update(b"]");
        }
        // An integer may have more digits than any number type.
        _ if text.bytes().all(|byte| matches!(byte, b'-' | b'0'..=b'9')) => scalar(hasher, text),
        _ => scalar(hasher, &serde_json::from_str::<Value>(text).ok()?.to_string()),
    }
    Some(())
}

/// Quoted and escaped if it is a string, so that no two sequences of scalars are equal as text.
fn scalar(hasher: &mut blake3::Hasher, text: &str) {
    hasher.update(text.as_bytes()).update(b",");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(input_field: Option<&str>, key_field: Option<&str>) -> Shape {
        let own = |name: Option<&str>| name.map(str::to_owned);
        Shape { input_field: own(input_field), key_field: own(key_field), dedupe: false }
    }

    #[test]
    fn members_are_taken_verbatim() {
        let text = br#"{"id": 1.50, "input": {"b": 1e3,  "a": "\u00e9"}}"#;
        let parsed = shape(Some("input"), Some("id")).parse(text).expect("an input");
        assert_eq!(parsed.input.get(), r#"{"b": 1e3,  "a": "\u00e9"}"#);
        assert_eq!(parsed.key.expect("a key").get(), "1.50");
        let whole = shape(None, Some("id")).parse(text).expect("an input");
        assert_eq!(whole.input.get().as_bytes(), text);
    }

    #[test]
    fn errors_of_inputs_are_described() {
        for (shape, text, rejection) in [
            (
                shape(None, None),
                "{\"a\": ",
                "is not valid JSON: EOF while parsing a value at column 6",
            ),
            (shape(None, None), "[1]", "is not a JSON object"),
            (shape(Some("input"), None), "[1]", "is not a JSON object"),
            (shape(Some("input"), None), "{}", "has no member \"input\""),
            (shape(Some("input"), None), "{\"input\": 1}", "not a JSON object"),
            (shape(None, Some("id")), "{}", "has no member \"id\""),
            (shape(None, Some("id")), "{\"id\": null}", "not a string, a number or a boolean"),
        ] {
            let found = shape.parse(text.as_bytes()).expect_err(text);
            assert!(found.contains(rejection), "{text}: {found}");
        }
    }

    #[test]
    fn equal_values_have_one_digest() {
        let of =
            |text: &str| canonical(serde_json::from_str(text).expect("JSON")).expect("a digest");
        assert_eq!(of(r#"{"a":1,"b":[2,{"c":"d"}]}"#), of(r#"{ "b":[2, {"c":"\u0064"}], "a":1 }"#));
        for other in [r#"{"a":1,"b":[2,{"c":"e"}]}"#, r#"{"a":"1","b":[2,{"c":"d"}]}"#, "{}"] {
            assert_ne!(of(r#"{"a":1,"b":[2,{"c":"d"}]}"#), of(other));
        }
        assert_ne!(of(r#"{"a":["b",["c"]]}"#), of(r#"{"a":[["b"],"c"]}"#));
        assert_eq!(of("[1.50, -7]"), of("[1.5, -7]"));
        assert_ne!(of("12345678901234567890123"), of("12345678901234567890124"));
        assert_ne!(of("1"), of("1.0"));
        let deep = |depth| "[".repeat(depth) + &"]".repeat(depth);
        let canonical = |text: &str| canonical(serde_json::from_str(text).expect("JSON"));
        assert!(canonical(&deep(MAX_DEPTH)).is_some());
        assert_eq!(canonical(&deep(MAX_DEPTH + 1)), None);
    }
}
