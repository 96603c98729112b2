//! Unions: enums whose variants are distinguished by the content of an object.
//!
//! A value is read as JSON first. If it is an object, its branch is the one with its tag, or whose required
//! fields it has. A value of an unknown branch is kept as JSON and written unchanged, because a service may
//! add branches. A branch is always written with its tag.

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::{Error, Map, Value as Json};

/// A value of a tag.
#[derive(Clone, Copy, Debug)]
pub enum Constant {
    /// A text.
    Text(&'static str),
    /// A whole number.
    Number(i64),
    /// A boolean.
    Flag(bool),
}

impl Constant {
    fn is(self, value: &Json) -> bool {
        match self {
            Self::Text(text) => value.as_str() == Some(text),
            Self::Number(number) => value.as_i64() == Some(number),
            Self::Flag(flag) => value.as_bool() == Some(flag),
        }
    }

    fn json(self) -> Json {
        match self {
            Self::Text(text) => text.into(),
            Self::Number(number) => number.into(),
            Self::Flag(flag) => flag.into(),
        }
    }
}

/// A condition for an object to belong to a branch.
#[derive(Debug)]
pub struct Alternative {
    /// Fields with one of several values.
    pub tags: &'static [(&'static str, &'static [Constant])],
    /// Fields that must be there and not null.
    pub required: &'static [&'static str],
    /// Fields that must be there.
    pub nullable: &'static [&'static str],
    /// The discriminating fields that the branch may have.
    pub known: &'static [&'static str],
}

impl Alternative {
    /// The number of fields that match the branch; `None` if a field contradicts it.
    fn score(&self, object: &Map<String, Json>) -> Option<usize> {
        let has = |name: &&&str| match object.get(**name) {
            Some(Json::Null) => self.nullable.contains(name),
            value => value.is_some(),
        };
        let mut required = self.required.iter().chain(self.nullable);
        let matches = self.is_tagged(object) && required.all(|it| has(&it));
        let known = || self.known.iter().filter(has).count();
        matches.then(|| known() + self.tags.len())
    }

    fn is_tagged(&self, object: &Map<String, Json>) -> bool {
        self.tags.iter().all(|(tag, values)| {
            object.get(*tag).is_some_and(|value| values.iter().any(|it| it.is(value)))
        })
    }
}

/// One of the types of a union.
#[derive(Debug)]
pub struct Branch {
    /// The name of its variant.
    pub name: &'static str,
    /// The alternatives that an object must match; a branch without any is no object.
    pub alternatives: &'static [Alternative],
    /// The fields without which it is not written.
    pub wanted: &'static [&'static str],
}

/// Implemented by `__union!`. A branch is identified by its index.
pub trait Union: Sized {
    /// The types.
    const BRANCHES: &'static [Branch];

    /// Reads a value as the branch's type.
    ///
    /// # Errors
    ///
    /// If the value does not have the branch's type.
    fn read(branch: usize, value: &Json) -> Result<Self, Error>;

    /// Keeps a value of no branch.
    fn other(value: Json) -> Self;

    /// The value as JSON, and its branch; none for a value of no branch.
    ///
    /// # Errors
    ///
    /// The errors of the branch's type.
    fn write(&self) -> Result<(Option<usize>, Json), Error>;
}

/// Reads a union.
///
/// # Errors
///
/// If the input is no JSON.
pub fn read<'de, T: Union, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let value = Json::deserialize(deserializer)?;
    Ok(known(&value).unwrap_or_else(|| T::other(value)))
}

/// A value of any branch.
fn known<T: Union>(value: &Json) -> Option<T> {
    let branches = T::BRANCHES.iter().enumerate();
    if let Json::Object(object) = value {
        let mut best: Option<(usize, usize)> = None;
        let mut is_alone = true;
        for (place, branch) in branches.clone() {
            let score = branch.alternatives.iter().filter_map(|it| it.score(object)).max();
            let Some(score) = score else { continue };
            match best {
                Some((_, most)) if score < most => {}
                Some((_, most)) if score == most => is_alone = false,
                _ => (best, is_alone) = (Some((place, score)), true),
            }
        }
        if let Some((place, _)) = best {
            return if is_alone { T::read(place, value).ok() } else { None };
        }
    }
    let mut others = branches.filter(|(_, branch)| branch.alternatives.is_empty());
    others.find_map(|(place, _)| T::read(place, value).ok())
}

/// Writes a union.
///
/// # Errors
///
/// The errors of the serializer, and a missing field that the branch requires.
pub fn write<T: Union, S: Serializer>(union: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let (place, mut value) = union.write().map_err(S::Error::custom)?;
    if let (Some(branch), Json::Object(object)) =
        (place.and_then(|it| T::BRANCHES.get(it)), &mut value)
    {
        let is_tagged = branch.alternatives.iter().any(|it| it.is_tagged(object));
        if let (false, Some(first)) = (is_tagged, branch.alternatives.first()) {
            for (tag, values) in first.tags {
                let is_one = object.get(*tag).is_some_and(|it| values.iter().any(|one| one.is(it)));
                if let (false, Some(value)) = (is_one, values.first()) {
                    object.insert((*tag).to_owned(), value.json());
                }
            }
        }
        if let Some(missing) = branch.wanted.iter().find(|it| !object.contains_key(**it)) {
            let name = branch.name;
            return Err(S::Error::custom(format_args!(
                "{name} lacks its required field `{missing}`"
            )));
        }
    }
    value.serialize(serializer)
}

/// Has an enum read and written by its branches: place, variant, what an object must be (tags;
/// required fields; those that may be null; known fields), fields without which it is not written.
#[doc(hidden)]
#[macro_export]
macro_rules! __union {
    ($name:ident $other:ident {
        $($place:literal $variant:ident
            [$({
                $($tag:literal [$($value:expr),*])* ;
                $($required:literal)* ; $($nullable:literal)* ; $($known:literal)*
            })*]
            [$($wanted:literal)*];)*
    }) => {
        impl $crate::lenient::union::Union for $name {
            const BRANCHES: &'static [$crate::lenient::union::Branch] = {
                #[allow(unused_imports)]
                use $crate::lenient::union::Constant::*;
                &[$($crate::lenient::union::Branch {
                    name: ::std::stringify!($variant),
                    alternatives: &[$($crate::lenient::union::Alternative {
                        tags: &[$(($tag, &[$($value),*])),*],
                        required: &[$($required),*],
                        nullable: &[$($nullable),*],
                        known: &[$($known),*],
                    }),*],
                    wanted: &[$($wanted),*],
                }),*]
            };

            fn read(
                branch: usize,
                value: &$crate::__private::serde_json::Value,
            ) -> ::std::result::Result<Self, $crate::__private::serde_json::Error> {
                match branch {
                    $($place => $crate::__private::serde::Deserialize::deserialize(value)
                        .map(Self::$variant),)*
                    _ => ::std::result::Result::Ok(Self::$other(value.clone())),
                }
            }

            fn other(value: $crate::__private::serde_json::Value) -> Self {
                Self::$other(value)
            }

            fn write(&self) -> ::std::result::Result<
                (::std::option::Option<usize>, $crate::__private::serde_json::Value),
                $crate::__private::serde_json::Error,
            > {
                ::std::result::Result::Ok(match self {
                    $(Self::$variant(value) => (
                        ::std::option::Option::Some($place),
                        $crate::__private::serde_json::to_value(value)?,
                    ),)*
                    Self::$other(value) => (::std::option::Option::None, value.clone()),
                })
            }
        }

        impl<'de> $crate::__private::serde::Deserialize<'de> for $name {
            fn deserialize<__D>(deserializer: __D) -> ::std::result::Result<Self, __D::Error>
            where
                __D: $crate::__private::serde::Deserializer<'de>,
            {
                $crate::lenient::union::read(deserializer)
            }
        }

        impl $crate::__private::serde::Serialize for $name {
            fn serialize<__S>(&self, serializer: __S) -> ::std::result::Result<__S::Ok, __S::Error>
            where
                __S: $crate::__private::serde::Serializer,
            {
                $crate::lenient::union::write(self, serializer)
            }
        }
    };
}
