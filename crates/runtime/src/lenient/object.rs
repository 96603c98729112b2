//! Objects with named fields: read, written, compared and printed by a table of their fields.
//!
//! A large description has thousands of types, each of which is checked and compiled. A struct
//! therefore has no code of its own but access to its fields by index; everything else is done
//! here, once for all.

use std::fmt;

use serde_json::{Map, Value as Json};

use super::codec::{self, Lenient, Mismatch, Reading, of_another_type};
use super::field::Field;
use super::node::Node;
use crate::redact::{REDACTED, Untyped};

/// The table of a struct.
#[derive(Debug)]
pub struct Shape {
    /// The name of the type.
    pub name: &'static str,
    /// For each field, in the order in which they are written: its name on the wire, its name in
    /// Rust, and its properties, separated by spaces: `optional` (omitted where it is empty),
    /// `required` (must be there), `additional` (holds all that has no field of its own), `secret`
    /// (not printed), `untyped` (printed without what is secret in it).
    pub fields: &'static [(&'static str, &'static str, &'static str)],
}

/// A struct that is made from its fields in the order of its table, and gives access to them by
/// index. Implemented by `__object!`.
pub trait Object {
    /// The table.
    fn shape() -> &'static Shape
    where
        Self: Sized;

    /// Takes all fields, one after the other.
    fn make(fields: &mut Source<'_>) -> Self
    where
        Self: Sized;

    /// The field of an index.
    fn field(&self, place: usize) -> Option<&dyn Field>;
}

fn is(properties: &str, property: &str) -> bool {
    properties.split(' ').any(|it| it == property)
}

/// Source of the fields of a struct.
pub struct Source<'a> {
    shape: &'static Shape,
    place: usize,
    origin: Origin<'a>,
    /// The first field that could not be read. The fields after it are blank.
    mismatch: Option<Mismatch>,
}

enum Origin<'a> {
    /// No value: every field is blank.
    Blank,
    Json(&'a Map<String, Json>, Reading),
    Copy(&'a dyn Object),
}

impl Source<'_> {
    /// The next field.
    pub fn take<T: Lenient>(&mut self) -> T {
        let place = self.place;
        self.place += 1;
        match self.origin {
            Origin::Json(values, reading) if self.mismatch.is_none() => {
                read_field(self.shape, place, values, reading).unwrap_or_else(|mismatch| {
                    self.mismatch = Some(mismatch);
                    T::blank()
                })
            }
            Origin::Copy(object) => {
                let field = object.field(place).and_then(|it| it.any().downcast_ref().cloned());
                field.unwrap_or_else(T::blank)
            }
            _ => T::blank(),
        }
    }
}

fn read_field<T: Lenient>(
    shape: &'static Shape,
    place: usize,
    values: &Map<String, Json>,
    reading: Reading,
) -> Result<T, Mismatch> {
    let (wire, _, properties) = shape.fields[place];
    if is(properties, "additional") {
        let mut all = T::blank();
        for (name, value) in shape.additional(values) {
            all.insert(name, value, reading);
        }
        return Ok(all);
    }
    match values.get(wire) {
        Some(value) => codec::value(value, reading).map_err(|mismatch| mismatch.within(wire)),
        None if is(properties, "required") => {
            Err(Mismatch::new(format_args!("missing field `{wire}`")))
        }
        None => Ok(T::blank()),
    }
}

impl Shape {
    /// The values that have no field of their own.
    fn additional<'a>(
        &self,
        values: &'a Map<String, Json>,
    ) -> impl Iterator<Item = (&'a String, &'a Json)> {
        values.iter().filter(|(name, _)| !self.has(name))
    }

    /// Returns true if a name on the wire has a field of its own.
    fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|(wire, _, it)| *wire == name && !is(it, "additional"))
    }
}

/// The object whose fields are blank.
pub fn blank<T: Object>() -> T {
    let origin = Origin::Blank;
    T::make(&mut Source { shape: T::shape(), place: 0, origin, mismatch: None })
}

/// A copy of an object.
pub fn copy<T: Object>(object: &T) -> T {
    let origin = Origin::Copy(object);
    T::make(&mut Source { shape: T::shape(), place: 0, origin, mismatch: None })
}

/// Reads an object; `None` for null.
///
/// # Errors
///
/// If the value is not an object, lacks a required field, or has a field of another type.
pub fn read<T: Object>(value: &Json, reading: Reading) -> Result<Option<T>, Mismatch> {
    read_by(T::shape(), value, reading, T::make)
}

/// Reads the fields of a shape; none for null.
///
/// # Errors
///
/// The errors of [`read`].
pub fn read_by<T>(
    shape: &'static Shape,
    value: &Json,
    reading: Reading,
    make: impl FnOnce(&mut Source<'_>) -> T,
) -> Result<Option<T>, Mismatch> {
    let values = match value {
        Json::Null => return Ok(None),
        Json::Object(values) => values,
        other => return Err(Mismatch::new(of_another_type(other, "an object"))),
    };
    let origin = Origin::Json(values, reading);
    let mut source = Source { shape, place: 0, origin, mismatch: None };
    let object = make(&mut source);
    source.mismatch.map_or(Ok(Some(object)), Err)
}

/// Writes an object.
pub fn write<T: Object>(object: &T) -> Node<'_> {
    let shape = T::shape();
    let fields: Vec<_> = (0..shape.fields.len()).filter_map(|place| object.field(place)).collect();
    write_by(shape, &fields)
}

/// Writes the fields of a shape.
pub fn write_by<'a>(shape: &Shape, fields: &[&'a dyn Field]) -> Node<'a> {
    let mut written = Vec::new();
    for ((wire, _, properties), field) in shape.fields.iter().zip(fields) {
        if is(properties, "additional") {
            match field.node() {
                Node::Object(additional) => {
                    written.extend(additional.into_iter().map(|(name, node)| {
                        let reason = || {
                            format!("`{name}` among the additional fields: it has its own field")
                        };
                        (name, if shape.has(name) { Node::Failed(reason()) } else { node })
                    }))
                }
                other => written.push((*wire, other)),
            }
        } else if !(is(properties, "optional") && field.is_absent()) {
            let node = field.node();
            let is_secret = is(properties, "secret");
            written.push((*wire, if is_secret { Node::Secret(Box::new(node)) } else { node }));
        }
    }
    Node::Object(written)
}

/// Returns true if two objects of one type have the same values.
pub fn equal<T: Object>(one: &T, other: &T) -> bool {
    equal_by(T::shape(), one, other)
}

fn equal_by(shape: &Shape, one: &dyn Object, other: &dyn Object) -> bool {
    (0..shape.fields.len()).all(|place| match (one.field(place), other.field(place)) {
        (Some(one), Some(other)) => one.equals(other),
        _ => false,
    })
}

/// Prints an object as the derive of `Debug` would, without its secrets.
pub fn print<T: Object>(object: &T, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    print_by(T::shape(), object, f)
}

fn print_by(shape: &Shape, object: &dyn Object, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut printed = f.debug_struct(shape.name);
    for (place, (_, name, properties)) in shape.fields.iter().enumerate() {
        let Some(field) = object.field(place) else { continue };
        let name = name.trim_start_matches("r#");
        if is(properties, "secret") {
            printed.field(name, &format_args!("{REDACTED}"));
        } else if is(properties, "untyped") {
            printed.field(name, &Untyped(&field.node()));
        } else {
            printed.field(name, &field);
        }
    }
    printed.finish()
}

/// Implements a struct by its fields: index, name on the wire, name, properties ([`Shape`]).
/// `default` after the fields implements `Default`.
#[doc(hidden)]
#[macro_export]
macro_rules! __object {
    ($name:ident {
        $($place:literal $wire:literal $field:ident $($property:ident)*;)*
    } $($default:ident)?) => {
        #[doc(hidden)]
        impl $crate::lenient::object::Object for $name {
            fn shape() -> &'static $crate::lenient::object::Shape {
                $crate::__shape!($name $($wire $field $($property)*;)*)
            }

            fn make(fields: &mut $crate::lenient::object::Source<'_>) -> Self {
                Self { $($field: fields.take()),* }
            }

            fn field(
                &self,
                place: usize,
            ) -> ::std::option::Option<&dyn $crate::lenient::Field> {
                let field: &dyn $crate::lenient::Field = match place {
                    $($place => &self.$field,)*
                    _ => return ::std::option::Option::None,
                };
                ::std::option::Option::Some(field)
            }
        }

        #[doc(hidden)]
        impl $crate::lenient::Lenient for $name {
            fn read(
                value: &$crate::__private::serde_json::Value,
                reading: $crate::lenient::Reading,
            ) -> ::std::result::Result<::std::option::Option<Self>, $crate::lenient::Mismatch> {
                $crate::lenient::object::read(value, reading)
            }

            fn blank() -> Self {
                $crate::lenient::object::blank()
            }

            fn write(&self) -> $crate::lenient::Node<'_> {
                $crate::lenient::object::write(self)
            }
        }

        $(
            impl ::std::default::Default for $name {
                fn $default() -> Self {
                    $crate::lenient::object::blank()
                }
            }
        )?

        impl ::std::clone::Clone for $name {
            fn clone(&self) -> Self {
                $crate::lenient::object::copy(self)
            }
        }

        impl ::std::cmp::PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                $crate::lenient::object::equal(self, other)
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::lenient::object::print(self, f)
            }
        }

        $crate::__serde!($name);
    };
}

/// The table of the fields of a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __shape {
    ($name:ident $($wire:literal $field:ident $($property:ident)*;)*) => {
        &$crate::lenient::object::Shape {
            name: ::std::stringify!($name),
            fields: &[$(($wire, ::std::stringify!($field), ::std::stringify!($($property)*))),*],
        }
    };
}

/// Implements serde's traits for a type that is read leniently.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde {
    ($name:ident) => {
        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<__D>(deserializer: __D) -> ::std::result::Result<Self, __D::Error>
            where
                __D: $crate::__private::serde::Deserializer<'de>,
            {
                $crate::lenient::deserialize(deserializer)
            }
        }

        impl $crate::__private::serde::Serialize for $name {
            fn serialize<__S>(&self, serializer: __S) -> ::std::result::Result<__S::Ok, __S::Error>
            where
                __S: $crate::__private::serde::Serializer,
            {
                $crate::lenient::serialize(self, serializer)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Thing {
        id: Option<i64>,
        additional: Map<String, Json>,
    }

    crate::__object!(Thing { 0 "id" id optional; 1 "" additional additional; });

    #[test]
    fn a_further_field_cannot_stand_in_for_a_declared_one() {
        let read: Thing = serde_json::from_value(json!({"id": 7, "new": 1})).expect("it is valid");
        assert_eq!(serde_json::to_value(&read).expect("it is valid"), json!({"id": 7, "new": 1}));
        let mut twice = read;
        twice.additional.insert("id".to_owned(), json!(6));
        let error = serde_json::to_value(&twice).expect_err("`id` would be sent twice");
        assert!(error.to_string().contains("`id` among the additional fields"), "{error}");
    }
}
