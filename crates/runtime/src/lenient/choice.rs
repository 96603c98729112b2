//! Choices: enums whose shapes are told apart only by trying them.
//!
//! The first shape that fits takes the value. Each is tried exactly before objects and lists are tried
//! leniently: were a number read as a text at once, a shape that has a number there would not be
//! reached.
//! A value of no shape is kept as JSON, because a service may add shapes.

use serde_json::Value as Json;

use super::field::{Lenient, Reading, value};

/// The readings by which shapes are tried.
pub fn readings(json: &Json) -> &'static [Reading] {
    match json {
        Json::Null => &[],
        Json::Object(_) | Json::Array(_) => &[Reading::Exact, Reading::Lenient],
        _ => &[Reading::Exact],
    }
}

/// The value as one of the shapes, if it fits.
pub fn shape<T: Lenient>(json: &Json, reading: Reading) -> Option<T> {
    value(json, reading).ok()
}

/// Implements a choice: its name, the variant for a value of no shape, the variants of its shapes. A
/// variant with named fields lists them as [`__object!`](crate::__object) does.
#[doc(hidden)]
#[macro_export]
macro_rules! __choice {
    ($name:ident $other:ident { $($variant:ident [$($fields:tt)*])* }) => {
        impl $crate::lenient::Lenient for $name {
            fn read(
                value: &$crate::__private::serde_json::Value,
                _: $crate::lenient::Reading,
            ) -> ::std::result::Result<::std::option::Option<Self>, $crate::lenient::Misfit> {
                if value.is_null() {
                    return ::std::result::Result::Ok(::std::option::Option::None);
                }
                for reading in $crate::lenient::choice::readings(value) {
                    $(if let ::std::option::Option::Some(value) =
                        $crate::__choice!(@read value reading $variant $($fields)*)
                    {
                        return ::std::result::Result::Ok(::std::option::Option::Some(value));
                    })*
                }
                ::std::result::Result::Ok(::std::option::Option::Some(Self::$other(value.clone())))
            }

            fn of_null() -> ::std::option::Option<Self> {
                ::std::option::Option::Some(Self::blank())
            }

            fn blank() -> Self {
                Self::$other($crate::__private::serde_json::Value::Null)
            }

            fn write(&self) -> $crate::lenient::Node<'_> {
                $($crate::__choice!(@write self $variant $($fields)*);)*
                match self {
                    Self::$other(value) => $crate::lenient::Node::Json(value),
                    _ => $crate::lenient::Node::Null,
                }
            }
        }

        $crate::__serde!($name);
    };
    (@read $value:ident $reading:ident $variant:ident) => {
        $crate::lenient::choice::shape($value, *$reading).map(Self::$variant)
    };
    (@read $value:ident $reading:ident $variant:ident
        $($place:literal $wire:literal $field:ident $($property:ident)*;)+) => {
        $crate::lenient::object::read_by(
            $crate::__shape!($variant $($wire $field $($property)*;)+),
            $value,
            *$reading,
            |fields| Self::$variant { $($field: fields.take()),+ },
        )
        .ok()
        .flatten()
    };
    (@write $self:ident $variant:ident) => {
        if let Self::$variant(value) = $self {
            return $crate::lenient::Lenient::write(value);
        }
    };
    (@write $self:ident $variant:ident
        $($place:literal $wire:literal $field:ident $($property:ident)*;)+) => {
        if let Self::$variant { $($field),+ } = $self {
            return $crate::lenient::object::write_by(
                $crate::__shape!($variant $($wire $field $($property)*;)+),
                &[$($field as &dyn $crate::lenient::Field),+],
            );
        }
    };
}
