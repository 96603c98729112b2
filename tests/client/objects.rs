//! Generated objects are read and written by podqueue's own code. It is held against serde's
//! derives, on random texts: the same value or the same error, at the same place.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The type of an object, whose fields are read in all ways that there are.
macro_rules! thing {
    ($(#[$item:meta])* $(; $(#[$field:meta])* $name:ident: $ty:ty)*) => {
        #[derive(Clone, Debug, Default, PartialEq)]
        $(#[$item])*
        pub struct Thing {
            $($(#[$field])* pub $name: $ty,)*
        }
    };
}

/// As it is generated.
mod own {
    use super::*;
    use podqueue::__private::lenient;

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
            0 "text" text plain optional;
            1 "type" type_ plain optional;
            2 "flag" flag plain optional;
            3 "whole" whole integer optional;
            4 "small" small integer optional;
            5 "number" number number optional;
            6 "any" any plain optional;
            7 "parent" parent plain optional;
            8 "texts" texts list optional;
            9 "things" things list optional;
            10 "words" words map optional;
            11 "free" free or_default optional;
            12 "counts" counts shaped<
                lenient::shape::Dictionary<lenient::shape::List<lenient::shape::Integer<i64>>>
            > optional;
            13 "choice" choice plain optional;
            14 "written" written plain always;
            15 "loose" loose text optional;
            16 "switch" switch boolean optional;
        }
    }

    #[derive(serde::Serialize, serde::Deserialize, Clone, Debug, PartialEq)]
    #[serde(untagged)]
    pub enum Choice {
        Thing(Box<Thing>),
        Texts(Vec<String>),
        Other(Value),
    }

    /// Beside fields that have no place.
    #[derive(serde::Serialize, serde::Deserialize, Debug)]
    pub struct Flat {
        #[serde(flatten)]
        pub thing: Thing,
        #[serde(flatten)]
        pub others: BTreeMap<String, Value>,
    }
}

/// As serde's derives would have it.
mod derived {
    use super::*;
    use podqueue::__private::lenient;

    thing! {
        #[derive(serde::Serialize, serde::Deserialize)]
        ; #[serde(skip_serializing_if = "Option::is_none")] text: Option<String>
        ; #[serde(rename = "type", skip_serializing_if = "Option::is_none")] type_: Option<String>
        ; #[serde(skip_serializing_if = "Option::is_none")] flag: Option<bool>
        ; #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
          whole: Option<i64>
        ; #[serde(default, deserialize_with = "lenient::integer", skip_serializing_if = "Option::is_none")]
          small: Option<u8>
        ; #[serde(default, deserialize_with = "lenient::number", skip_serializing_if = "Option::is_none")]
          number: Option<f64>
        ; #[serde(skip_serializing_if = "Option::is_none")] any: Option<Value>
        ; #[serde(skip_serializing_if = "Option::is_none")] parent: Option<Box<Thing>>
        ; #[serde(default, deserialize_with = "lenient::list", skip_serializing_if = "Vec::is_empty")]
          texts: Vec<String>
        ; #[serde(default, deserialize_with = "lenient::list", skip_serializing_if = "Vec::is_empty")]
          things: Vec<Thing>
        ; #[serde(default, deserialize_with = "lenient::map_or_default", skip_serializing_if = "HashMap::is_empty")]
          words: HashMap<String, String>
        ; #[serde(default, deserialize_with = "lenient::or_default", skip_serializing_if = "Map::is_empty")]
          free: Map<String, Value>
        ; #[serde(
              default,
              deserialize_with = "lenient::shape::read::<lenient::shape::Dictionary<lenient::shape::List<lenient::shape::Integer<i64>>>,_>",
              skip_serializing_if = "HashMap::is_empty"
          )]
          counts: HashMap<String, Vec<i64>>
        ; #[serde(skip_serializing_if = "Option::is_none")] choice: Option<Choice>
        ; written: Option<String>
        ; #[serde(default, deserialize_with = "lenient::text", skip_serializing_if = "Option::is_none")]
          loose: Option<String>
        ; #[serde(default, deserialize_with = "lenient::boolean", skip_serializing_if = "Option::is_none")]
          switch: Option<bool>
    }

    #[derive(serde::Serialize, serde::Deserialize, Clone, Debug, PartialEq)]
    #[serde(untagged)]
    pub enum Choice {
        Thing(Box<Thing>),
        Texts(Vec<String>),
        Other(Value),
    }

    #[derive(serde::Serialize, serde::Deserialize, Debug)]
    pub struct Flat {
        #[serde(flatten)]
        pub thing: Thing,
        #[serde(flatten)]
        pub others: BTreeMap<String, Value>,
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

/// Texts that are mostly objects: fields of any type in any order, twice and of no name that is
/// known, lists in their place, and what is no JSON.
fn texts() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(&VALUES[..]).prop_map(str::to_owned);
    leaf.prop_recursive(3, 40, 8, |inner| {
        let entry = (prop::sample::select(&NAMES[..]), inner.clone());
        let object = prop::collection::vec(entry, 0..8).prop_map(|entries| {
            let entries = entries.into_iter().map(|(name, value)| format!("\"{name}\": {value}"));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        });
        let list =
            prop::collection::vec(inner, 0..16).prop_map(|it| format!("[{}]", it.join(",\n")));
        prop_oneof![5 => object, 1 => list]
    })
}

/// What comes of a text: the value as it prints and as it is written, or the error with its path.
fn outcome<T: DeserializeOwned + Serialize + Debug>(text: &str) -> Vec<String> {
    let written = |value: T| {
        [
            format!("{value:?}"),
            serde_json::to_string(&value).expect("it can be written"),
            serde_json::to_string_pretty(&value).expect("it can be written"),
            format!("{:?}", serde_json::to_value(&value)),
        ]
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let tracked = serde_path_to_error::deserialize::<_, T>(&mut deserializer);
    let from_text = serde_json::from_str::<T>(text);
    let from_value = serde_json::from_str(text).and_then(serde_json::from_value::<T>);
    [
        tracked.map(written).map_err(|error| format!("{}: {error}", error.path())),
        from_text.map(written).map_err(|error| format!("{error:?}")),
        from_value.map(written).map_err(|error| format!("{error:?}")),
    ]
    .into_iter()
    .flat_map(|it| it.map_or_else(|error| vec![error], Vec::from))
    .map(
        |outcome| {
            if text.contains("words") || text.contains("counts") {
                sorted(&outcome)
            } else {
                outcome
            }
        },
    )
    .collect()
}

/// Maps have no order, and so what has one is compared without its order.
fn sorted(text: &str) -> String {
    let mut signs: Vec<_> = text.chars().collect();
    signs.sort_unstable();
    signs.into_iter().collect()
}

fn hold_against_each_other(text: &str) {
    assert_eq!(outcome::<own::Thing>(text), outcome::<derived::Thing>(text), "{text}");
    assert_eq!(outcome::<own::Choice>(text), outcome::<derived::Choice>(text), "{text}");
    assert_eq!(outcome::<own::Flat>(text), outcome::<derived::Flat>(text), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_read_is_what_serde_reads(text in texts()) {
        hold_against_each_other(&text);
    }

    #[test]
    fn what_is_cut_off_is_the_same_error(text in texts(), at in any::<prop::sample::Index>()) {
        let mut at = at.index(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        hold_against_each_other(&text[..at]);
    }
}

#[test]
fn lists_are_objects_as_they_are_to_serde() {
    let full = r#"["a", "b", true, 1, 2, 0.5, {}, null, [], [], {}, {}, {}, null, "w"]"#;
    let short = r#"["a", "b", true, 1, 2, 0.5, {}, null]"#;
    for text in [full, short, "[]", "[null]", &full.replace("\"w\"]", "\"w\", 1]")] {
        hold_against_each_other(text);
    }
    assert!(serde_json::from_str::<own::Thing>(full).is_ok());
}

#[test]
fn a_field_that_comes_twice_is_an_error() {
    let error = serde_json::from_str::<own::Thing>(r#"{"text": "a", "text": null}"#);
    let error = error.expect_err("it comes twice").to_string();
    assert!(error.starts_with("duplicate field `text`"), "{error}");
}
