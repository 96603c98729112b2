//! Open enums: implementations shared by all generated enums.

/// Completes an enum that has `as_str` and `From<&str>`, and takes any value.
#[doc(hidden)]
#[macro_export]
macro_rules! __open_enum {
    ($name:ident) => {
        impl ::std::convert::From<::std::string::String> for $name {
            fn from(value: ::std::string::String) -> Self {
                Self::from(value.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = ::std::convert::Infallible;

            // `Self::Err` may be a value.
            fn from_str(value: &str) -> ::std::result::Result<Self, ::std::convert::Infallible> {
                ::std::result::Result::Ok(Self::from(value))
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl $crate::__private::serde::Serialize for $name {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                let value: ::std::string::String =
                    $crate::__private::serde::Deserialize::deserialize(deserializer)?;
                ::std::result::Result::Ok(Self::from(value.as_str()))
            }
        }
    };
}
