//! Reader of descriptions: parses YAML or JSON. A key that occurs twice is an error.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::source_map::SourceMap;
use super::yaml;
use crate::{Diagnostic, Source};

/// Reads a description: JSON from a source whose name ends in `.json`, YAML from any other. Keys
/// of YAML that are numbers or booleans become strings.
///
/// # Errors
///
/// The text does not parse, or a key of a map occurs twice.
pub fn read(source: &Source) -> Result<Value, Diagnostic> {
    read_with_places(source).map(|(tree, _)| tree)
}

/// Reads a description with the position of each value.
pub(super) fn read_with_places(source: &Source) -> Result<(Value, SourceMap<'_>), Diagnostic> {
    let text = &source.text;
    if source.extension() == "json" {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Unique(tree) = serde_json::from_str(text).map_err(|error| {
            Diagnostic::new(&source.name, error.line(), error.column(), error.to_string())
        })?;
        return Ok((tree, SourceMap::new(text)));
    }
    let fault = |fault: yaml::SyntaxError| {
        let (line, column) = fault.place;
        Diagnostic::new(&source.name, line, column, fault.message)
    };
    let root = yaml::parse(text).map_err(fault)?;
    let tree = root.value().map_err(fault)?;
    Ok((tree, SourceMap::parsed(text, root)))
}

/// A JSON value in which no key occurs twice.
pub(super) struct Unique(pub(super) Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Unique(item)) = list.next_element()? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` is already defined")));
            }
            let Unique(value) = map.next_value()?;
            object.insert(key, value);
        }
        Ok(object.into())
    }
}
