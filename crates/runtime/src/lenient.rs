//! Lenient deserialization: nulls, numbers and booleans in strings, integers with a fraction,
//! numbers in place of strings or booleans.
//!
//! Handwritten types name these functions in serde attributes; the types of generated code
//! implement [`Lenient`].

mod codec;
mod field;
pub mod formats;
mod message;
mod node;
pub mod object;
mod scalar;
pub mod union;

use std::collections::HashMap;

use serde::de::{Deserialize, Deserializer};

#[cfg(feature = "client")]
pub(crate) use self::codec::item;
pub use self::codec::{
    Lenient, Mismatch, Reading, deserialize, own, owned, serialize, text as read_text, value,
};
pub use self::field::Field;
#[cfg(feature = "client")]
pub(crate) use self::message::without_values;
pub use self::node::Node;
pub use self::scalar::{boolean, integer, number, text};

/// Null stands for the default: an empty list, an empty object.
///
/// # Errors
///
/// If the value is neither null nor a `T`.
pub fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A map; null stands for an empty one, and entries that are null are left out.
///
/// # Errors
///
/// If the value is neither null nor an object of `V`s.
pub fn map_or_default<'de, D, V>(deserializer: D) -> Result<HashMap<String, V>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    let map: Option<HashMap<String, Option<V>>> = Option::deserialize(deserializer)?;
    let entries = map.unwrap_or_default().into_iter();
    Ok(entries.filter_map(|(name, value)| Some((name, value?))).collect())
}

/// A list; null stands for an empty one, and items that are null are left out.
///
/// # Errors
///
/// If the value is neither null nor a list of `T`s.
pub fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let items: Option<Vec<Option<T>>> = Option::deserialize(deserializer)?;
    Ok(items.unwrap_or_default().into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn maps_and_lists_may_be_null() {
        assert_eq!(or_default::<_, Vec<u8>>(json!(null)).ok(), Some(vec![]));
        assert_eq!(or_default::<_, Vec<u8>>(json!([1])).ok(), Some(vec![1]));
        let map = map_or_default::<_, String>(json!({"a": "1", "b": null})).ok();
        assert_eq!(map, from_value(json!({"a": "1"})).ok());
        assert!(map_or_default::<_, String>(json!(null)).is_ok_and(|map| map.is_empty()));
        assert!(map_or_default::<_, String>(json!({"a": 1})).is_err());
    }

    #[test]
    fn items_that_are_null_are_left_out() {
        assert_eq!(list::<_, String>(json!(["a", null])).ok(), Some(vec!["a".to_owned()]));
        assert_eq!(list::<_, String>(json!(null)).ok(), Some(vec![]));
        assert!(list::<_, String>(json!(["a", 1])).is_err());
        assert!(list::<_, String>(json!("a")).is_err());
    }
}
