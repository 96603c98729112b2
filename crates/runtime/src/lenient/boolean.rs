//! Lenient booleans: strings and numbers that mean true or false.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};

/// A boolean, which may be a 0 or a 1, or stand in a string, or null. An empty string counts as
/// null.
///
/// # Errors
///
/// If the value is anything else.
pub fn boolean<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    deserializer.deserialize_any(Boolean)
}

struct Boolean;

impl<'de> Visitor<'de> for Boolean {
    type Value = Option<bool>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a boolean")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Some(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        match number {
            0 => Ok(Some(false)),
            1 => Ok(Some(true)),
            _ => Err(E::custom("a number that is neither 0 nor 1 where there should be a boolean")),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
    }

    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and a double saturates")]
    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        self.visit_i64(if number.fract() == 0.0 { number as i64 } else { i64::MAX })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        match text.trim().to_ascii_lowercase().as_str() {
            "" => Ok(None),
            "true" | "1" => Ok(Some(true)),
            "false" | "0" => Ok(Some(false)),
            _ => Err(E::custom("a string that holds no boolean")),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn booleans_are_read_in_every_loose_form() {
        for (value, expected) in [
            (json!(true), Some(Some(true))),
            (json!(false), Some(Some(false))),
            (json!("true"), Some(Some(true))),
            (json!(" False "), Some(Some(false))),
            (json!("1"), Some(Some(true))),
            (json!("0"), Some(Some(false))),
            (json!(1), Some(Some(true))),
            (json!(0), Some(Some(false))),
            (json!(1.0), Some(Some(true))),
            (json!(""), Some(None)),
            (json!(null), Some(None)),
            (json!(2), None),
            (json!(-1), None),
            (json!(0.5), None),
            (json!(u64::MAX), None),
            (json!("yes"), None),
            (json!([]), None),
        ] {
            assert_eq!(boolean(value.clone()).ok(), expected, "{value}");
        }
    }
}
