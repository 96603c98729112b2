//! Generated objects compared with serde's derives on random texts: the same value, or an error of
//! both.

use std::collections::HashMap;
use std::fmt::Debug;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::{Map, Value};

/// The type of an object, whose fields are read in all ways that there are.
macro_rules! thing {
    ($(#[$item:meta])* $(; $(#[$field:meta])* $name:ident: $ty:ty)*) => {
        $(#[$item])*
        pub struct Thing {
            $($(#[$field])* pub $name: $ty,)*
        }
    };
}

/// As it is generated.
mod own {
    use super::*;

    thing! {
        ; text: Option<String>
        ; type_: Option<String>
        ; flag: Option<bool>
        ; whole: Option<i64>
        ; small: Option<u8>
        ; number: Option<f64>
        ; any: Option<Value>
        ; parent: Option<Box<Thing>>
        ; texts: Vec<String>
        ; things: Vec<Thing>
        ; words: HashMap<String, String>
        ; free: Map<String, Value>
        ; counts: HashMap<String, Vec<i64>>
        ; choice: Option<Choice>
        ; written: Option<String>
        ; loose: Option<String>
        ; switch: Option<bool>
    }

    podqueue::__private::object! {
        Thing {
            0 "text" text optional;
            1 "type" type_ optional;
            2 "flag" flag optional;
            3 "whole" whole optional;
            4 "small" small optional;
            5 "number" number optional;
            6 "any" any optional;
            7 "parent" parent optional;
            8 "texts" texts optional;
            9 "things" things optional;
            10 "words" words optional;
            11 "free" free optional;
            12 "counts" counts optional;
            13 "choice" choice optional;
            14 "written" written;
            15 "loose" loose optional;
            16 "switch" switch optional;
        } default
    }

    #[derive(Clone, Debug, PartialEq)]
    pub enum Choice {
        Thing(Box<Thing>),
        Texts(Vec<String>),
        Other(Value),
    }

    podqueue::__private::untagged_union! { Choice Other { Thing [] Texts [] } }
}

/// The same type with serde's derives.
mod derived {
    use super::*;
    use podqueue::__private::lenient;

    thing! {
        #[derive(serde::Serialize, serde::Deserialize, Clone, Debug, Default, PartialEq)]
        ; #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
          text: Option<String>
        ; #[serde(
              default,
              rename = "type",
              deserialize_with = "lenient::text",
              skip_serializing_if = "Option::is_none"
          )]
          type_: Option<String>
        ; #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
          flag: Option<bool>
        ; #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
          whole: Option<i64>
        ; #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
          small: Option<u8>
        ; #[serde(default, deserialize_with = "lenient::number", skip_serializing_if = "Option::is_none")]
          number: Option<f64>
        ; #[serde(skip_serializing_if = "Option::is_none")] any: Option<Value>
        ; #[serde(skip_serializing_if = "Option::is_none")] parent: Option<Box<Thing>>
        ; #[serde(default, deserialize_with = "texts", skip_serializing_if = "Vec::is_empty")]
          texts: Vec<String>
        ; #[serde(default, deserialize_with = "lenient::list", skip_serializing_if = "Vec::is_empty")]
          things: Vec<Thing>
        ; #[serde(default, deserialize_with = "words", skip_serializing_if = "HashMap::is_empty")]
          words: HashMap<String, String>
        ; #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Map::is_empty")]
          free: Map<String, Value>
        ; #[serde(default, deserialize_with = "counts", skip_serializing_if = "HashMap::is_empty")]
          counts: HashMap<String, Vec<i64>>
        ; #[serde(skip_serializing_if = "Option::is_none")] choice: Option<Choice>
        ; #[serde(default, deserialize_with = "lenient::text")] written: Option<String>
        ; #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
          loose: Option<String>
        ; #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
          switch: Option<bool>
    }

    #[derive(serde::Serialize, serde::Deserialize, Clone, Debug, PartialEq)]
    #[serde(untagged)]
    pub enum Choice {
        Thing(Box<Thing>),
        Texts(#[serde(deserialize_with = "texts")] Vec<String>),
        Other(Value),
    }

    /// An item of a list or of a map: a number that does not fit is an error.
    fn item<T, E: serde::de::Error>(
        value: Value,
        read: fn(Value) -> serde_json::Result<Option<T>>,
    ) -> Result<Option<T>, E> {
        let is_number = value.is_number();
        match read(value).map_err(E::custom)? {
            None if is_number => Err(E::custom("a number that does not fit")),
            item => Ok(item),
        }
    }

    fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
        let texts: Vec<Value> = lenient::list(deserializer)?;
        texts.into_iter().filter_map(|it| item(it, lenient::text).transpose()).collect()
    }

    fn words<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<HashMap<String, String>, D::Error> {
        let words: HashMap<String, Value> = lenient::map_or_default(deserializer)?;
        let words = words.into_iter().filter_map(|(name, it)| {
            Some(item(it, lenient::text).transpose()?.map(|text| (name, text)))
        });
        words.collect()
    }

    fn counts<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<HashMap<String, Vec<i64>>, D::Error> {
        let counts: HashMap<String, Vec<Option<Value>>> = lenient::map_or_default(deserializer)?;
        let numbers = |it: Vec<Option<Value>>| -> Result<Vec<i64>, D::Error> {
            let numbers = it.into_iter().flatten();
            numbers.filter_map(|it| item(it, lenient::integer).transpose()).collect()
        };
        let counts = counts.into_iter().map(|(name, it)| Ok((name, numbers(it)?)));
        counts.collect()
    }
}

const NAMES: [&str; 19] = [
    "text", "type", "flag", "whole", "small", "number", "any", "parent", "texts", "things",
    "words", "free", "counts", "choice", "written", "unknown", "type_", "loose", "switch",
];

const VALUES: [&str; 20] = [
    "null",
    "true",
    "0",
    "-7",
    "300",
    "1.0",
    "0.5",
    "18446744073709551615",
    "1e300",
    "\"\"",
    "\"7\"",
    "\"7.0\"",
    "\"text\"",
    "\"\\u00e9\\n\"",
    "[]",
    "{}",
    "[null]",
    "{\"a\": null}",
    "nul",
    "NaN",
];

/// Texts that are mostly objects: fields of any type in any order, and of no name that is known,
/// and what is no JSON.
fn texts() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(&VALUES[..]).prop_map(str::to_owned);
    leaf.prop_recursive(3, 40, 8, |inner| {
        let entry = (prop::sample::select(&NAMES[..]), inner.clone());
        let object = prop::collection::vec(entry, 0..8).prop_map(|entries| {
            let entries: HashMap<_, _> = entries.into_iter().collect();
            let entries = entries.into_iter().map(|(name, value)| format!("\"{name}\": {value}"));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        });
        let list =
            prop::collection::vec(inner, 0..16).prop_map(|it| format!("[{}]", it.join(",\n")));
        prop_oneof![5 => object, 1 => list]
    })
}

/// The value of a text as it prints and as it is written; none if it is an error.
fn outcome<T: DeserializeOwned + Serialize + Debug + Clone + PartialEq>(
    text: &str,
) -> Option<Vec<String>> {
    let value: T = serde_json::from_str(text).ok()?;
    assert!(value == value.clone(), "{text}");
    let outcome = [
        format!("{value:?}"),
        serde_json::to_string(&value).expect("it can be written"),
        serde_json::to_string_pretty(&value).expect("it can be written"),
    ];
    let has_maps = text.contains("words") || text.contains("counts") || text.contains("free");
    Some(outcome.map(|it| if has_maps { sorted(&it) } else { it }).to_vec())
}

/// Maps have no order, and so what has one is compared without its order.
fn sorted(text: &str) -> String {
    let mut signs: Vec<_> = text.chars().collect();
    signs.sort_unstable();
    signs.into_iter().collect()
}

fn assert_equal_reading(text: &str) {
    assert_eq!(outcome::<own::Thing>(text), outcome::<derived::Thing>(text), "{text}");
    // Null is no list in a union.
    if text != "null" {
        assert_eq!(outcome::<own::Choice>(text), outcome::<derived::Choice>(text), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_types_read_json_as_derived_types_do(text in texts()) {
        assert_equal_reading(&text);
    }

    #[test]
    fn truncated_json_is_the_same_error_for_generated_and_derived_types(
        text in texts(),
        at in any::<prop::sample::Index>(),
    ) {
        let mut at = at.index(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        assert_equal_reading(&text[..at]);
    }
}

#[test]
fn an_error_names_its_place() {
    let text = r#"{"things": [{}, {"parent": {"counts": {"a": ["x"]}}}]}"#;
    let error = serde_json::from_str::<own::Thing>(text).expect_err("it is no number");
    assert!(error.to_string().starts_with("things[1].parent.counts.a[0]: "), "{error}");
}

#[test]
fn a_list_is_no_object_and_the_last_of_equal_names_counts() {
    assert!(serde_json::from_str::<own::Thing>(r#"["a"]"#).is_err());
    let twice: own::Thing = serde_json::from_str(r#"{"text": "a", "text": "b"}"#).expect("read");
    assert_eq!(twice.text.as_deref(), Some("b"));
}
