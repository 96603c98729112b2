//! Shapes: nested lists and maps, and responses that are no object, read leniently at every depth.
//!
//! Generated code names a shape by these types, such as `List<List<Number>>`.

use std::collections::HashMap;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};

/// Reading of a value of some shape.
pub trait Reading {
    /// The type that it is read as.
    type Value;

    /// Reads a value; none is null.
    ///
    /// # Errors
    ///
    /// If the value has another shape.
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self::Value>, D::Error>;

    /// The value of a null where there must be a value.
    fn of_null() -> Option<Self::Value> {
        None
    }
}

/// Reads a value of a shape.
///
/// # Errors
///
/// If the value has another shape, or is null where the shape has no value for null.
pub fn read<'de, R: Reading, D: Deserializer<'de>>(deserializer: D) -> Result<R::Value, D::Error> {
    let value = R::read(deserializer)?.or_else(R::of_null);
    value.ok_or_else(|| {
        D::Error::custom("null, or a number that does not fit, where there must be a value")
    })
}

/// Reads the fields that have none of their own, each as a value of a shape. What has another shape is
/// left out: a service adds fields, and an odd one must not cost the caller all the others.
///
/// # Errors
///
/// The errors of the deserializer.
pub fn further<'de, R: Reading, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<HashMap<String, R::Value>, D::Error> {
    let all: HashMap<String, serde_json::Value> = HashMap::deserialize(deserializer)?;
    let read = |(name, value)| Some((name, R::read(value).ok().flatten()?));
    Ok(all.into_iter().filter_map(read).collect())
}

/// A whole answer.
pub struct Answer<R: Reading>(pub R::Value);

impl<'de, R: Reading> Deserialize<'de> for Answer<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read::<R, D>(deserializer).map(Self)
    }
}

/// A `T` as it reads itself.
pub struct Plain<T>(PhantomData<T>);

impl<T: DeserializeOwned> Reading for Plain<T> {
    type Value = T;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        Option::deserialize(deserializer)
    }
}

/// A number, perhaps in a string.
pub struct Number;

impl Reading for Number {
    type Value = f64;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        super::number(deserializer)
    }
}

/// A whole number, perhaps in a string.
pub struct Integer<T>(PhantomData<T>);

impl<T: TryFrom<i128>> Reading for Integer<T> {
    type Value = T;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        super::integer(deserializer)
    }
}

/// A boolean, perhaps in a string or written as a number.
pub struct Boolean;

impl Reading for Boolean {
    type Value = bool;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
        super::boolean(deserializer)
    }
}

/// A text, perhaps written as a number or a boolean.
pub struct Text<T>(PhantomData<T>);

impl<T: From<String>> Reading for Text<T> {
    type Value = T;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
        super::text(deserializer)
    }
}

/// Something that is null for a reason, and is kept so.
pub struct Nullable<R>(PhantomData<R>);

impl<R: Reading> Reading for Nullable<R> {
    type Value = Option<R::Value>;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self::Value>, D::Error> {
        R::read(deserializer).map(Some)
    }
}

/// A list, without the items that are null.
pub struct List<R>(PhantomData<R>);

impl<R: Reading> Reading for List<R> {
    type Value = Vec<R::Value>;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self::Value>, D::Error> {
        let items: Option<Vec<Item<R>>> = Option::deserialize(deserializer)?;
        Ok(items.map(|items| items.into_iter().filter_map(|item| item.0).collect()))
    }

    fn of_null() -> Option<Self::Value> {
        Some(Vec::new())
    }
}

/// A map, without the entries that are null.
pub struct Dictionary<R>(PhantomData<R>);

impl<R: Reading> Reading for Dictionary<R> {
    type Value = HashMap<String, R::Value>;

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self::Value>, D::Error> {
        let map: Option<HashMap<String, Item<R>>> = Option::deserialize(deserializer)?;
        let entries = |map: HashMap<String, Item<R>>| {
            map.into_iter().filter_map(|(name, value)| Some((name, value.0?))).collect()
        };
        Ok(map.map(entries))
    }

    fn of_null() -> Option<Self::Value> {
        Some(HashMap::new())
    }
}

/// A value within a list or a map.
struct Item<R: Reading>(Option<R::Value>);

impl<'de, R: Reading> Deserialize<'de> for Item<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        R::read(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    fn answer<R: Reading>(value: Value) -> Option<R::Value> {
        from_value(value).ok().map(|answer: Answer<R>| answer.0)
    }

    #[test]
    fn null_is_left_out_at_every_depth() {
        type Numbers = List<List<Number>>;
        let loose = json!([[1, "0.5", null], null, []]);
        assert_eq!(answer::<Numbers>(loose), Some(vec![vec![1.0, 0.5], vec![]]));
        assert_eq!(answer::<Numbers>(json!(null)), Some(vec![]));
        assert_eq!(answer::<Numbers>(json!([1])), None);
        let lists = answer::<Dictionary<List<Plain<String>>>>(json!({"a": ["b", null], "c": null}));
        assert_eq!(lists, Some(HashMap::from([("a".to_owned(), vec!["b".to_owned()])])));
    }

    #[test]
    fn null_that_is_meant_is_kept() {
        let gaps = answer::<List<Nullable<Integer<u8>>>>(json!([1, null, "2"]));
        assert_eq!(gaps, Some(vec![Some(1), None, Some(2)]));
    }

    #[test]
    fn null_is_no_number() {
        assert_eq!(answer::<Number>(json!(null)), None);
        assert_eq!(answer::<Number>(json!("7")), Some(7.0));
    }
}
