//! Codec of JSON values: lenient reading and writing of each type of a description.
//!
//! [`Lenient`] is implemented by every type that generated code mentions. Reading goes through a
//! parsed [`Json`] instead of a generic `Deserializer`, and writing through a borrowed [`Node`]
//! instead of a generic `Serializer`: what is generic is checked and compiled again for each of
//! thousands of types.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value as Json};

use super::message::without_values;
use super::node::Node;
use super::scalar;

/// Strictness of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A scalar is also read from scalars of another type.
    Lenient,
    /// A scalar is read from its own type only: where branches are tried in turn, each must refuse
    /// values of the next.
    Exact,
}

/// A value that does not have the type of its place.
#[derive(Debug)]
pub struct Mismatch {
    /// The place: `pods[2].name`.
    path: String,
    reason: String,
}

impl Mismatch {
    /// A mismatch of the value itself.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self { path: String::new(), reason: reason.to_string() }
    }

    /// The same mismatch, seen from the object that has the value in the field `name`.
    pub(crate) fn within(mut self, name: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{name}{dot}{}", self.path);
        self
    }

    pub(crate) fn at(self, index: usize) -> Self {
        self.within(&format!("[{index}]"))
    }

    /// The place of the value; `.` for the whole.
    pub fn path(&self) -> &str {
        if self.path.is_empty() { "." } else { &self.path }
    }

    /// The reason for the mismatch.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Serde's message without the values that it quotes.
impl From<serde_json::Error> for Mismatch {
    fn from(error: serde_json::Error) -> Self {
        Self::new(without_values(&error.to_string()))
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.reason),
            path => write!(f, "{path}: {}", self.reason),
        }
    }
}

/// A type that is read leniently.
pub trait Lenient: Clone + fmt::Debug + PartialEq + Sized + 'static {
    /// Reads a value; `None` for null.
    ///
    /// # Errors
    ///
    /// If the value has another type.
    fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch>;

    /// The value of a null where there must be a value.
    fn of_null() -> Option<Self> {
        None
    }

    /// The value of a null that is kept apart from a field that is not there; none for a type that
    /// reads both alike.
    fn explicit_null() -> Option<Self> {
        None
    }

    /// The value of a null among the items of a list or a map; none for a type whose null is left
    /// out there.
    fn null_item() -> Option<Self> {
        None
    }

    /// The value of a field that is not there.
    fn blank() -> Self;

    /// The value as JSON.
    fn write(&self) -> Node<'_>;

    /// Returns true if the value counts as empty, so that a field that may be omitted is.
    fn is_empty(&self) -> bool {
        false
    }

    /// Inserts a field that the type does not name. A value of another type is omitted: a service
    /// adds fields, and an unexpected one must not fail the whole value.
    fn insert(&mut self, _: &str, _: &Json, _: Reading) {}
}

/// Reads a value that must be there.
///
/// # Errors
///
/// If the value has another type, or is null where the type has no value for null.
pub fn value<T: Lenient>(value: &Json, reading: Reading) -> Result<T, Mismatch> {
    T::read(value, reading)?.or_else(T::of_null).ok_or_else(|| {
        Mismatch::new("null, or a number that does not fit, where there must be a value")
    })
}

/// Deserializes a value.
///
/// # Errors
///
/// If the input is no JSON, or the value has another type.
pub fn deserialize<'de, T: Lenient, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    value(&Json::deserialize(deserializer)?, Reading::Lenient).map_err(D::Error::custom)
}

/// Serializes a value.
///
/// # Errors
///
/// The errors of the serializer, and a missing field that is required.
pub fn serialize<T: Lenient, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.write().serialize(serializer)
}

/// Reads a value of a type that reads itself; `None` for null.
///
/// # Errors
///
/// If the value has another type.
pub fn own<T: DeserializeOwned>(value: &Json) -> Result<Option<T>, Mismatch> {
    Option::deserialize(value).map_err(Mismatch::from)
}

/// Writes a value of a type that writes itself.
pub fn owned(value: &impl Serialize) -> Node<'_> {
    serde_json::to_value(value).map_or_else(|error| Node::Failed(error.to_string()), Node::Owned)
}

impl Lenient for String {
    fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch> {
        text(value, reading)
    }

    fn blank() -> Self {
        Self::new()
    }

    fn write(&self) -> Node<'_> {
        Node::Text(self)
    }
}

fn scalar_of<T: DeserializeOwned>(
    value: &Json,
    reading: Reading,
    lenient: fn(&Json) -> serde_json::Result<Option<T>>,
) -> Result<Option<T>, Mismatch> {
    match reading {
        Reading::Lenient => lenient(value).map_err(Mismatch::from),
        Reading::Exact => own(value),
    }
}

/// Reads a text; `None` for null.
///
/// # Errors
///
/// If the value is not text, and no other scalar if the reading is lenient.
pub fn text<T: From<String>>(value: &Json, reading: Reading) -> Result<Option<T>, Mismatch> {
    match reading {
        Reading::Lenient => scalar::text(value).map_err(Mismatch::from),
        Reading::Exact => own::<String>(value).map(|text| text.map(T::from)),
    }
}

impl Lenient for bool {
    fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch> {
        scalar_of(value, reading, |it| scalar::boolean(it))
    }

    fn blank() -> Self {
        false
    }

    fn write(&self) -> Node<'_> {
        Node::Flag(*self)
    }
}

impl Lenient for f64 {
    fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch> {
        scalar_of(value, reading, |it| scalar::number(it))
    }

    fn blank() -> Self {
        0.0
    }

    fn write(&self) -> Node<'_> {
        Node::Number(*self)
    }
}

macro_rules! integers {
    ($node:ident: $($integer:ty)*) => { $(
        impl Lenient for $integer {
            fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch> {
                scalar_of(value, reading, |it| scalar::integer(it))
            }

            fn blank() -> Self {
                0
            }

            fn write(&self) -> Node<'_> {
                Node::$node((*self).into())
            }
        }
    )* };
}

integers!(Integer: i8 i16 i32 i64);
integers!(Unsigned: u8 u16 u32 u64);

impl Lenient for () {
    fn read(value: &Json, _: Reading) -> Result<Option<Self>, Mismatch> {
        if value.is_null() {
            Ok(None)
        } else {
            Err(Mismatch::new("a value where there must be null"))
        }
    }

    fn of_null() -> Option<Self> {
        Some(())
    }

    fn blank() {}

    fn write(&self) -> Node<'_> {
        Node::Null
    }
}

impl Lenient for Json {
    fn read(value: &Json, _: Reading) -> Result<Option<Self>, Mismatch> {
        Ok(Some(value.clone()).filter(|it| !it.is_null()))
    }

    fn of_null() -> Option<Self> {
        Some(Self::Null)
    }

    fn null_item() -> Option<Self> {
        Some(Self::Null)
    }

    fn blank() -> Self {
        Self::Null
    }

    fn write(&self) -> Node<'_> {
        Node::Json(self)
    }
}

/// Any object; null stands for an empty one.
impl Lenient for Map<String, Json> {
    fn read(value: &Json, _: Reading) -> Result<Option<Self>, Mismatch> {
        own(value)
    }

    fn of_null() -> Option<Self> {
        Some(Self::new())
    }

    fn blank() -> Self {
        Self::new()
    }

    fn write(&self) -> Node<'_> {
        Node::Object(self.iter().map(|(name, value)| (name.as_str(), Node::Json(value))).collect())
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn insert(&mut self, name: &str, value: &Json, _: Reading) {
        self.insert(name.to_owned(), value.clone());
    }
}

/// A value that may be absent or null, which are the same; they differ for an `Option` of an
/// `Option`: absent is `None`, null is `Some(None)`.
impl<T: Lenient> Lenient for Option<T> {
    fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch> {
        if value.is_null() {
            Ok(Some(T::explicit_null()))
        } else {
            T::read(value, reading).map(Some)
        }
    }

    fn explicit_null() -> Option<Self> {
        Some(None)
    }

    fn of_null() -> Option<Self> {
        Some(None)
    }

    fn blank() -> Self {
        None
    }

    fn write(&self) -> Node<'_> {
        self.as_ref().map_or(Node::Null, T::write)
    }

    fn is_empty(&self) -> bool {
        self.is_none()
    }
}

impl<T: Lenient> Lenient for Box<T> {
    fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch> {
        Ok(T::read(value, reading)?.map(Self::new))
    }

    fn of_null() -> Option<Self> {
        T::of_null().map(Self::new)
    }

    fn blank() -> Self {
        Self::new(T::blank())
    }

    fn write(&self) -> Node<'_> {
        (**self).write()
    }

    fn is_empty(&self) -> bool {
        (**self).is_empty()
    }
}

/// Reads an item of a list or of a map; none for a null that is left out. A number that does not fit
/// is an error: left out like null, it would shorten the list without a word.
pub(crate) fn item<T: Lenient>(value: &Json, reading: Reading) -> Result<Option<T>, Mismatch> {
    match T::read(value, reading)? {
        None if value.is_null() => Ok(T::null_item()),
        None if value.is_number() => Err(Mismatch::new("a number that does not fit the type")),
        item => Ok(item),
    }
}

/// A list, without the items that are null; null stands for an empty one.
impl<T: Lenient> Lenient for Vec<T> {
    fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch> {
        let items = match value {
            Json::Null => return Ok(None),
            Json::Array(items) => items,
            other => return Err(Mismatch::new(of_another_type(other, "a list"))),
        };
        let items = items.iter().enumerate().filter_map(|(index, item)| {
            self::item(item, reading).map_err(|mismatch| mismatch.at(index)).transpose()
        });
        items.collect::<Result<_, _>>().map(Some)
    }

    fn of_null() -> Option<Self> {
        Some(Self::new())
    }

    fn blank() -> Self {
        Self::new()
    }

    fn write(&self) -> Node<'_> {
        Node::List(self.iter().map(T::write).collect())
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

/// A map, without the entries that are null; null stands for an empty one.
impl<T: Lenient> Lenient for HashMap<String, T> {
    fn read(value: &Json, reading: Reading) -> Result<Option<Self>, Mismatch> {
        let entries = match value {
            Json::Null => return Ok(None),
            Json::Object(entries) => entries,
            other => return Err(Mismatch::new(of_another_type(other, "an object"))),
        };
        let entries = entries.iter().filter_map(|(name, value)| {
            let value = item(value, reading).map_err(|mismatch| mismatch.within(name)).transpose();
            value.map(|value| Ok((name.clone(), value?)))
        });
        entries.collect::<Result<_, _>>().map(Some)
    }

    fn of_null() -> Option<Self> {
        Some(Self::new())
    }

    fn blank() -> Self {
        Self::new()
    }

    fn write(&self) -> Node<'_> {
        Node::Object(self.iter().map(|(name, value)| (name.as_str(), value.write())).collect())
    }

    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    fn insert(&mut self, name: &str, value: &Json, reading: Reading) {
        if let Ok(Some(value)) = T::read(value, reading) {
            self.insert(name.to_owned(), value);
        }
    }
}

/// The message of a value that is not a list or object.
pub(super) fn of_another_type(value: &Json, expected: &str) -> String {
    let found = match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    };
    format!("{found} where there must be {expected}")
}

/// Implements `Lenient` for a type that implements serde's traits.
#[doc(hidden)]
#[macro_export]
macro_rules! __own {
    ($name:ident = $blank:expr) => {
        #[doc(hidden)]
        impl $crate::lenient::Lenient for $name {
            fn read(
                value: &$crate::__private::serde_json::Value,
                _: $crate::lenient::Reading,
            ) -> ::std::result::Result<::std::option::Option<Self>, $crate::lenient::Mismatch> {
                $crate::lenient::own(value)
            }

            fn blank() -> Self {
                $blank
            }

            fn write(&self) -> $crate::lenient::Node<'_> {
                $crate::lenient::owned(self)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read<T: Lenient>(json: Json) -> Result<T, String> {
        value(&json, Reading::Lenient).map_err(|mismatch| mismatch.to_string())
    }

    #[test]
    fn null_is_left_out_at_every_depth() {
        type Numbers = Vec<Vec<f64>>;
        let loose = json!([[1, "0.5", null], null, []]);
        assert_eq!(read::<Numbers>(loose), Ok(vec![vec![1.0, 0.5], vec![]]));
        assert_eq!(read::<Numbers>(json!(null)), Ok(vec![]));
        let mismatch = "[0]: a number where there must be a list".to_owned();
        assert_eq!(read::<Numbers>(json!([1])), Err(mismatch));
        let lists = read::<HashMap<String, Vec<String>>>(json!({"a": ["b", null], "c": null}));
        assert_eq!(lists, Ok(HashMap::from([("a".to_owned(), vec!["b".to_owned()])])));
    }

    #[test]
    fn a_number_that_does_not_fit_is_never_left_out_of_a_list_or_a_map() {
        let long = "123456789012345678901234567890";
        for list in ["[1, 300, 3]".to_owned(), format!("[1, {long}, 3]"), "[1, -1, 3]".to_owned()] {
            let json: Json = serde_json::from_str(&list).expect("it is JSON");
            let mismatch = "[1]: a number that does not fit the type".to_owned();
            assert_eq!(read::<Vec<u8>>(json.clone()), Err(mismatch), "{list}");
            assert_eq!(read::<Vec<Option<u8>>>(json), Ok(vec![Some(1), None, Some(3)]), "{list}");
        }
        let names: Json = serde_json::from_str(&format!("[\"a\", {long}]")).expect("it is JSON");
        assert!(read::<Vec<String>>(names).is_err());
        let map = read::<HashMap<String, u8>>(json!({"a": 300}));
        assert_eq!(map, Err("a: a number that does not fit the type".to_owned()));
    }

    #[test]
    fn explicit_null_is_kept() {
        let gaps = read::<Vec<Option<u8>>>(json!([1, null, "2"]));
        assert_eq!(gaps, Ok(vec![Some(1), None, Some(2)]));
        let any = read::<Vec<Json>>(json!([1, null, "2"]));
        assert_eq!(any, Ok(vec![json!(1), json!(null), json!("2")]));
    }

    #[test]
    fn null_and_absent_are_kept_apart_by_two_options() {
        type Note = Option<Option<Vec<u8>>>;
        for (json, note) in [
            (json!(null), Some(None)),
            (json!([]), Some(Some(vec![]))),
            (json!(["7", null]), Some(Some(vec![7]))),
        ] {
            assert_eq!(read::<Note>(json), Ok(note));
        }
        assert_eq!(Note::blank(), None);
        let null: Note = Some(None);
        assert!(!Lenient::is_empty(&null) && matches!(null.write(), Node::Null));
        assert!(read::<Note>(json!("a")).is_err());
    }

    #[test]
    fn null_is_no_number() {
        assert!(read::<f64>(json!(null)).is_err());
        assert_eq!(read::<f64>(json!("7")), Ok(7.0));
        assert_eq!(read::<Json>(json!(null)), Ok(Json::Null));
    }

    #[test]
    fn a_mismatch_names_its_path() {
        let nested = read::<HashMap<String, Vec<HashMap<String, bool>>>>(
            json!({"a": [{"b": true}, {"c": "x"}]}),
        );
        assert!(nested.is_err_and(|mismatch| mismatch.starts_with("a[1].c: ")));
    }

    #[test]
    fn an_exact_reading_keeps_scalars_apart() {
        let exact = |json: Json| {
            let text: Option<String> = value(&json, Reading::Exact).ok();
            let flag: Option<bool> = value(&json, Reading::Exact).ok();
            (text, flag)
        };
        assert_eq!(exact(json!(1)), (None, None));
        assert_eq!(exact(json!("true")), (Some("true".to_owned()), None));
        assert_eq!(exact(json!(true)), (None, Some(true)));
    }
}
