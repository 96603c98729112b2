//! YAML as a tree in which an integer of any size is a number, as it is in JSON: the parser's own tree
//! refuses those beyond 64 bits.

use std::fmt;

use serde::de::{
    Deserialize, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use yaml_serde::{Mapping, Value};

/// A tree of any values, whose tags are left out.
pub struct Tree(pub Value);

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_i128<E>(self, number: i128) -> Result<Value, E> {
        Ok((number as f64).into())
    }

    fn visit_u128<E>(self, number: u128) -> Result<Value, E> {
        Ok((number as f64).into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Tree(item)) = list.next_element()? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Mapping::new();
        while let Some((Tree(name), Tree(value))) = map.next_entry()? {
            fields.insert(name, value);
        }
        Ok(fields.into())
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Value, A::Error> {
        let (_, content): (String, _) = tagged.variant()?;
        content.newtype_variant().map(|Tree(value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_any_size_are_numbers() {
        for (text, expected) in [
            ("18446744073709551615", serde_json::json!(u64::MAX)),
            ("18446744073709551616", serde_json::json!(18_446_744_073_709_551_616.0)),
            ("-9223372036854775809", serde_json::json!(-9_223_372_036_854_775_809.0)),
            ("0xFFFFFFFFFFFFFFFFFF", serde_json::json!(4_722_366_482_869_645_213_695.0)),
            ("18446744073709551616\t# 2^64", serde_json::json!(18_446_744_073_709_551_616.0)),
            ("|\n  18446744073709551616 items", serde_json::json!("18446744073709551616 items")),
            ("'18446744073709551616'", serde_json::json!("18446744073709551616")),
            ("!size [18446744073709551616]", serde_json::json!([18_446_744_073_709_551_616.0])),
        ] {
            let Tree(tree) = yaml_serde::from_str(text).expect("it is YAML");
            assert_eq!(serde_json::to_value(tree).expect("it is JSON"), expected, "{text}");
        }
        let long = "1234567890".repeat(9);
        let Tree(tree) = yaml_serde::from_str(&long).expect("it is YAML");
        assert_eq!(tree.as_f64(), long.parse().ok());
    }

    #[test]
    fn a_key_that_occurs_in_a_merge_is_overridden() {
        let text = "a: &a {x: 1, y: 2}\nb: {<<: *a, y: 18446744073709551616}";
        let Tree(mut tree) = yaml_serde::from_str(text).expect("it is YAML");
        tree.apply_merge().expect("it merges");
        let tree = serde_json::to_value(tree).expect("it is JSON");
        assert_eq!(tree["b"], serde_json::json!({ "x": 1, "y": 18_446_744_073_709_551_616.0 }));
    }
}
