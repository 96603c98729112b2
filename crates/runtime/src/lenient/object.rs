//! Objects with named fields, read and written as by serde's derives, with a tenth of the generated code: a
//! large description has thousands of types, each of which is compiled.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, Error, Expected, IgnoredAny,
    MapAccess, SeqAccess, Visitor,
};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value as Json};

use super::shape::{self, Reading};

/// The type of an object, with its fields in the order in which they are written.
pub struct Shape {
    /// The name of the type.
    pub name: &'static str,
    /// The names of the fields.
    pub fields: &'static [&'static str],
    /// The reading of each field: the name of a method of [`Value`].
    pub readers: &'static [&'static str],
}

/// Implemented by `__object!`. A field is identified by its index in the shape.
pub trait Object: Default {
    /// The fields.
    const SHAPE: Shape;

    /// Sets the field at a place; a place that there is not takes any value.
    ///
    /// # Errors
    ///
    /// If the value does not fit the field's type.
    fn read<'de, D>(&mut self, place: usize, value: Value<'de, D>) -> Result<(), D::Error>
    where
        D: Deserializer<'de>;

    /// Hands all fields on.
    fn write<F: Fields>(&self, fields: &mut F);
}

/// A value to be stored in a field, by one of several readings.
pub struct Value<'de, D>(D, PhantomData<&'de ()>);

impl<'de, D: Deserializer<'de>> Value<'de, D> {
    /// As the type reads itself. A list must have it; where an object has it not, it is null.
    pub fn plain<T: Deserialize<'de>>(self, field: &mut Option<T>) -> Result<(), D::Error> {
        put(field, Option::deserialize(self.0))
    }

    /// By [`list`](super::list).
    pub fn list<T: Deserialize<'de>>(self, field: &mut Vec<T>) -> Result<(), D::Error> {
        put(field, super::list(self.0))
    }

    /// By [`map_or_default`](super::map_or_default).
    pub fn map<T: Deserialize<'de>>(self, field: &mut HashMap<String, T>) -> Result<(), D::Error> {
        put(field, super::map_or_default(self.0))
    }

    /// By [`or_default`](super::or_default).
    pub fn or_default<T: DeserializeOwned + Default>(self, field: &mut T) -> Result<(), D::Error> {
        put(field, super::or_default(self.0))
    }

    /// By [`number`](super::number).
    pub fn number(self, field: &mut Option<f64>) -> Result<(), D::Error> {
        put(field, super::number(self.0))
    }

    /// By [`boolean`](super::boolean).
    pub fn boolean(self, field: &mut Option<bool>) -> Result<(), D::Error> {
        put(field, super::boolean(self.0))
    }

    /// By [`text`](super::text).
    pub fn text<T: From<String>>(self, field: &mut Option<T>) -> Result<(), D::Error> {
        put(field, super::text(self.0))
    }

    /// By [`integer`](super::integer).
    pub fn integer<T: TryFrom<i128>>(self, field: &mut Option<T>) -> Result<(), D::Error> {
        put(field, super::integer(self.0))
    }

    /// By [`shape::read`].
    pub fn shaped<R: Reading>(self, field: &mut R::Value) -> Result<(), D::Error> {
        put(field, shape::read::<R, D>(self.0))
    }

    /// Ignored.
    pub fn skip(self) -> Result<(), D::Error> {
        IgnoredAny::deserialize(self.0).map(drop)
    }
}

fn put<T, E>(field: &mut T, value: Result<T, E>) -> Result<(), E> {
    *field = value?;
    Ok(())
}

/// Sink for the fields of an object that is written.
pub trait Fields {
    /// Takes a field.
    fn always<T: Serialize>(&mut self, name: &'static str, value: &T);

    /// Takes a field that is omitted where nothing is in it.
    fn optional<T: Serialize + Empty>(&mut self, name: &'static str, value: &T);
}

/// A field value that may be absent.
pub trait Empty {
    /// Returns whether it has not.
    fn is_empty(&self) -> bool;
}

impl<T> Empty for Option<T> {
    fn is_empty(&self) -> bool {
        self.is_none()
    }
}

impl<T> Empty for Vec<T> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

impl<T> Empty for HashMap<String, T> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

impl Empty for Map<String, Json> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

/// Reads an object.
///
/// # Errors
///
/// If the value is no object, has a field twice, or a value of another shape.
pub fn read<'de, T: Object, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_struct(T::SHAPE.name, T::SHAPE.fields, Reader(PhantomData))
}

struct Reader<T>(PhantomData<T>);

impl<'de, T: Object> Visitor<'de> for Reader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "struct {}", T::SHAPE.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut object = T::default();
        let mut seen = Seen::default();
        while let Some(place) = next_place(&mut map, T::SHAPE.fields, &mut seen)? {
            map.next_value_seed(Field { object: &mut object, place })?;
        }
        Ok(object)
    }

    // Serde's derives take the fields in their order, too, and so choices between shapes may count
    // on what they refuse.
    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        let mut object = T::default();
        for place in 0..T::SHAPE.fields.len() {
            let field = Field { object: &mut object, place };
            if list.next_element_seed(field)?.is_none() && T::SHAPE.readers[place] == "plain" {
                return Err(A::Error::invalid_length(place, &Length(&T::SHAPE)));
            }
        }
        Ok(object)
    }
}

/// The index of the next field of a map; the number of fields for an unknown name.
fn next_place<'de, A: MapAccess<'de>>(
    map: &mut A,
    names: &'static [&'static str],
    seen: &mut Seen,
) -> Result<Option<usize>, A::Error> {
    let place = map.next_key_seed(Name(names))?;
    match place.and_then(|place| Some((place, names.get(place)?))) {
        Some((place, name)) if seen.again(place) => Err(A::Error::duplicate_field(name)),
        _ => Ok(place),
    }
}

/// The set of places that were seen.
#[derive(Default)]
struct Seen {
    first: u64,
    others: Vec<usize>,
}

impl Seen {
    /// Notes a place, and returns whether it was seen before.
    fn again(&mut self, place: usize) -> bool {
        if place >= 64 {
            let again = self.others.contains(&place);
            self.others.push(place);
            return again;
        }
        let bit = 1 << place;
        let again = self.first & bit != 0;
        self.first |= bit;
        again
    }
}

/// The place of a field, by its name.
struct Name(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("field identifier")
    }

    fn visit_u64<E: Error>(self, place: u64) -> Result<usize, E> {
        Ok(usize::try_from(place).unwrap_or(self.0.len()).min(self.0.len()))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        self.visit_bytes(name.as_bytes())
    }

    fn visit_bytes<E: Error>(self, name: &[u8]) -> Result<usize, E> {
        let place = self.0.iter().position(|it| it.as_bytes() == name);
        Ok(place.unwrap_or(self.0.len()))
    }
}

/// A field to be read.
struct Field<'a, T> {
    object: &'a mut T,
    place: usize,
}

impl<'de, T: Object> DeserializeSeed<'de> for Field<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.object.read(self.place, Value(deserializer, PhantomData))
    }
}

/// The number of elements that a list must have to be read as an object.
struct Length(&'static Shape);

impl Expected for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.fields.len();
        let s = if count == 1 { "" } else { "s" };
        write!(f, "struct {} with {count} element{s}", self.0.name)
    }
}

/// Writes an object.
///
/// # Errors
///
/// The errors of the serializer.
pub fn write<T: Object, S: Serializer>(object: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let mut count = Count(0);
    object.write(&mut count);
    let mut writer =
        Writer { writer: serializer.serialize_struct(T::SHAPE.name, count.0)?, result: Ok(()) };
    object.write(&mut writer);
    writer.result?;
    writer.writer.end()
}

/// The number of fields that are written.
struct Count(usize);

impl Fields for Count {
    fn always<T: Serialize>(&mut self, _: &'static str, _: &T) {
        self.0 += 1;
    }

    fn optional<T: Serialize + Empty>(&mut self, _: &'static str, value: &T) {
        self.0 += usize::from(!value.is_empty());
    }
}

/// Writes the fields up to the first that fails.
struct Writer<S: SerializeStruct> {
    writer: S,
    result: Result<(), S::Error>,
}

impl<S: SerializeStruct> Fields for Writer<S> {
    fn always<T: Serialize>(&mut self, name: &'static str, value: &T) {
        if self.result.is_ok() {
            self.result = self.writer.serialize_field(name, value);
        }
    }

    fn optional<T: Serialize + Empty>(&mut self, name: &'static str, value: &T) {
        if !value.is_empty() {
            self.always(name, value);
        } else if self.result.is_ok() {
            self.result = self.writer.skip_field(name);
        }
    }
}

/// Has a struct, whose default is its value where nothing is given, read and written by its fields:
/// place, name on the wire, name, how it is read ([`Value`]), how it is written ([`Fields`]).
#[doc(hidden)]
#[macro_export]
macro_rules! __object {
    ($name:ident {
        $($place:literal $wire:literal $field:ident $read:ident$(<$shape:ty>)? $write:ident;)*
    }) => {
        impl $crate::lenient::object::Object for $name {
            const SHAPE: $crate::lenient::object::Shape = $crate::lenient::object::Shape {
                name: ::std::stringify!($name),
                fields: &[$($wire),*],
                readers: &[$(::std::stringify!($read)),*],
            };

            fn read<'de, D: $crate::__private::serde::Deserializer<'de>>(
                &mut self,
                place: usize,
                value: $crate::lenient::object::Value<'de, D>,
            ) -> ::std::result::Result<(), D::Error> {
                match place {
                    $($place => value.$read$(::<$shape>)?(&mut self.$field),)*
                    _ => value.skip(),
                }
            }

            fn write<F: $crate::lenient::object::Fields>(&self, fields: &mut F) {
                $(fields.$write($wire, &self.$field);)*
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<__D>(deserializer: __D) -> ::std::result::Result<Self, __D::Error>
            where
                __D: $crate::__private::serde::Deserializer<'de>,
            {
                $crate::lenient::object::read(deserializer)
            }
        }

        impl $crate::__private::serde::Serialize for $name {
            fn serialize<__S>(&self, serializer: __S) -> ::std::result::Result<__S::Ok, __S::Error>
            where
                __S: $crate::__private::serde::Serializer,
            {
                $crate::lenient::object::write(self, serializer)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_seen_once() {
        let mut seen = Seen::default();
        for place in (0..200).step_by(3) {
            assert!(!seen.again(place), "{place}");
        }
        for place in 0..200 {
            assert_eq!(seen.again(place), place % 3 == 0, "{place}");
        }
    }
}
