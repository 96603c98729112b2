//! Open enums: string enums that keep unknown values. Equality and order are those of the strings.

use std::fmt;

/// The index of a value among the known ones.
pub fn place(values: &[&str], value: &str) -> usize {
    values.iter().position(|it| *it == value).unwrap_or(values.len())
}

/// Prints a value as the derive of `Debug` would.
pub fn print(
    f: &mut fmt::Formatter<'_>,
    values: &[&str],
    names: &[&str],
    value: &str,
) -> fmt::Result {
    match names.split_last() {
        Some((other, names)) => match names.get(place(values, value)) {
            Some(name) => f.write_str(name.trim_start_matches("r#")),
            None => f.debug_tuple(other).field(&value).finish(),
        },
        None => f.write_str(value),
    }
}

/// Implements a string enum by its variants: index, name, text. The name before them is the variant
/// of unknown texts.
#[doc(hidden)]
#[macro_export]
macro_rules! __open_enum {
    ($name:ident $other:ident { $($place:literal $variant:ident $wire:literal;)* }) => {
        #[allow(deprecated)]
        impl $name {
            /// The value as it stands on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $wire,)*
                    Self::$other(value) => value,
                }
            }
        }

        #[allow(deprecated)]
        impl ::std::convert::From<&str> for $name {
            fn from(value: &str) -> Self {
                match $crate::open_enum::place(&[$($wire),*], value) {
                    $($place => Self::$variant,)*
                    _ => Self::$other(::std::convert::From::from(value)),
                }
            }
        }

        impl ::std::convert::From<::std::string::String> for $name {
            fn from(value: ::std::string::String) -> Self {
                <Self as ::std::convert::From<&str>>::from(&value)
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = ::std::convert::Infallible;

            // `Self::Err` may be a value.
            fn from_str(value: &str) -> ::std::result::Result<Self, ::std::convert::Infallible> {
                ::std::result::Result::Ok(<Self as ::std::convert::From<&str>>::from(value))
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::open_enum::print(
                    f,
                    &[$($wire),*],
                    &[$(::std::stringify!($variant),)* ::std::stringify!($other)],
                    self.as_str(),
                )
            }
        }

        impl ::std::clone::Clone for $name {
            fn clone(&self) -> Self {
                <Self as ::std::convert::From<&str>>::from(self.as_str())
            }
        }

        impl ::std::cmp::PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.as_str() == other.as_str()
            }
        }

        impl ::std::cmp::Eq for $name {}

        impl ::std::cmp::PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> ::std::option::Option<::std::cmp::Ordering> {
                ::std::option::Option::Some(::std::cmp::Ord::cmp(self, other))
            }
        }

        impl ::std::cmp::Ord for $name {
            fn cmp(&self, other: &Self) -> ::std::cmp::Ordering {
                ::std::cmp::Ord::cmp(self.as_str(), other.as_str())
            }
        }

        impl ::std::hash::Hash for $name {
            fn hash<__H: ::std::hash::Hasher>(&self, state: &mut __H) {
                ::std::hash::Hash::hash(self.as_str(), state);
            }
        }

        #[doc(hidden)]
        impl $crate::lenient::Lenient for $name {
            fn read(
                value: &$crate::__private::serde_json::Value,
                reading: $crate::lenient::Reading,
            ) -> ::std::result::Result<::std::option::Option<Self>, $crate::lenient::Mismatch> {
                $crate::lenient::read_text(value, reading)
            }

            fn blank() -> Self {
                <Self as ::std::convert::From<&str>>::from("")
            }

            fn write(&self) -> $crate::lenient::Node<'_> {
                $crate::lenient::Node::Text(self.as_str())
            }
        }

        $crate::__serde!($name);
    };
}
