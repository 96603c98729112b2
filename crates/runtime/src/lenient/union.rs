//! Unions: enums whose variants, their branches, are types of their own.
//!
//! The branches of a *discriminated* union are distinguished by the content of an object: a value
//! that is an object belongs to the branch with its tag, or whose required fields it has, and
//! otherwise to the default branch, if there is one. A branch is always written with its tag, the
//! default branch with the one that it has, if any.
//!
//! The branches of an *untagged* union are distinguished only by trying them: the first that fits
//! takes the value. Each is tried exactly before objects and lists are tried leniently: if a number
//! were read as text at once, a branch that has a number there would not be reached.
//!
//! A value of no branch is kept as JSON and written unchanged, because a service may add branches.

use serde_json::{Map, Value as Json};

use super::codec::{Lenient, Mismatch, Reading, value};
use super::node::Node;
use super::scalar::MAX_EXACT;

/// A value of a tag.
#[derive(Clone, Copy, Debug)]
pub enum Constant {
    /// A text.
    Text(&'static str),
    /// A whole number of an `i64` or a `u64`.
    Number(i128),
    /// Another number.
    Fraction(f64),
    /// A boolean.
    Flag(bool),
}

impl Constant {
    fn is(self, value: &Json) -> bool {
        match self {
            Self::Text(text) => value.as_str() == Some(text),
            Self::Number(number) => {
                let whole = value.as_number().and_then(serde_json::Number::as_i128);
                whole == Some(number) || is_same(number, value.as_f64())
            }
            Self::Fraction(number) => value.as_f64() == Some(number),
            Self::Flag(flag) => value.as_bool() == Some(flag),
        }
    }

    /// Returns true if a value of another type has the text of this one, such as `"1"` for `1`.
    fn has_text_of(self, value: &Json) -> bool {
        let is_text = matches!(self, Self::Text(_));
        match value {
            Json::String(text) if !is_text => {
                serde_json::from_str(text).is_ok_and(|value: Json| self.is(&value))
            }
            Json::Number(_) | Json::Bool(_) if is_text => self.is(&Json::String(value.to_string())),
            _ => false,
        }
    }

    fn is_node(self, node: &Node<'_>) -> bool {
        match (self, node) {
            (Self::Text(text), Node::Text(it)) => text == *it,
            (Self::Number(number), Node::Integer(it)) => number == i128::from(*it),
            (Self::Number(number), Node::Unsigned(it)) => number == i128::from(*it),
            (Self::Number(number), Node::Number(it)) => is_same(number, Some(*it)),
            (Self::Fraction(number), Node::Number(it)) => number == *it,
            (Self::Flag(flag), Node::Flag(it)) => flag == *it,
            (_, Node::Secret(node)) => self.is_node(node),
            (_, Node::Json(json)) => self.is(json),
            (_, Node::Owned(json)) => self.is(json),
            _ => false,
        }
    }

    fn node(self) -> Node<'static> {
        match self {
            Self::Text(text) => Node::Text(text),
            Self::Number(number) => match (i64::try_from(number), u64::try_from(number)) {
                (Ok(number), _) => Node::Integer(number),
                (_, Ok(number)) => Node::Unsigned(number),
                _ => Node::Failed(format!("the tag {number} is not a number of JSON")),
            },
            Self::Fraction(number) => Node::Number(number),
            Self::Flag(flag) => Node::Flag(flag),
        }
    }
}

/// Returns true if a number is this whole number: `1.0` is `1`.
fn is_same(whole: i128, number: Option<f64>) -> bool {
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and exact")]
    number.is_some_and(|it| it.abs() < MAX_EXACT && it.fract() == 0.0 && it as i128 == whole)
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

    /// Returns true if a tag has the text of a value of the branch in another type.
    fn is_almost_tagged(&self, object: &Map<String, Json>) -> bool {
        self.tags.iter().any(|(tag, values)| {
            object.get(*tag).is_some_and(|value| values.iter().any(|it| it.has_text_of(value)))
        })
    }

    fn is_tagged(&self, object: &Map<String, Json>) -> bool {
        self.tags.iter().all(|(tag, values)| {
            object.get(*tag).is_some_and(|value| values.iter().any(|it| it.is(value)))
        })
    }

    /// Returns true if an object is written with the tags of the branch.
    fn is_written(&self, object: &[(&str, Node<'_>)]) -> bool {
        self.tags.iter().all(|(tag, values)| {
            object
                .iter()
                .any(|(name, value)| name == tag && values.iter().any(|it| it.is_node(value)))
        })
    }
}

/// A branch of a discriminated union.
#[derive(Debug)]
pub struct Branch {
    /// The name of its variant.
    pub name: &'static str,
    /// Of these alternatives an object must match one; empty for a branch that is not an object.
    pub alternatives: &'static [Alternative],
    /// The fields without which it is not written.
    pub required: &'static [&'static str],
}

/// Implemented by `__discriminated_union!`. A branch is identified by its index.
pub trait DiscriminatedUnion: Sized {
    /// The types.
    const BRANCHES: &'static [Branch];

    /// Reads a value as the branch's type.
    ///
    /// # Errors
    ///
    /// If the value does not have the branch's type.
    fn of_branch(branch: usize, value: &Json, reading: Reading) -> Result<Self, Mismatch>;

    /// Keeps a value of no branch.
    fn other(value: Json) -> Self;

    /// The value as JSON, and its branch; `None` for a value of no branch.
    fn node(&self) -> (Option<usize>, Node<'_>);
}

/// Reads a discriminated union.
pub fn read<T: DiscriminatedUnion>(value: &Json, reading: Reading) -> Option<T> {
    if value.is_null() {
        return None;
    }
    let known = branch_of(T::BRANCHES, value, reading, &mut |branch, reading| {
        T::of_branch(branch, value, reading).ok()
    });
    Some(known.unwrap_or_else(|| T::other(value.clone())))
}

/// The value as the branch that it belongs to.
fn branch_of<T>(
    branches: &[Branch],
    value: &Json,
    reading: Reading,
    read: &mut dyn FnMut(usize, Reading) -> Option<T>,
) -> Option<T> {
    let branches = branches.iter().enumerate();
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
        // An object with the tag "1" is not one of the branch 1, and the default branch, which need
        // not have the fields of that branch, would lose them.
        let mut all = branches.clone().flat_map(|(_, it)| it.alternatives);
        match best {
            Some((_, 0)) if all.any(|it| it.is_almost_tagged(object)) => return None,
            Some((place, _)) => return if is_alone { read(place, reading) } else { None },
            None => {}
        }
    }
    let others = branches.filter(|(_, branch)| branch.alternatives.is_empty());
    let mut tries = readings(value).iter();
    tries.find_map(|reading| others.clone().find_map(|(place, _)| read(place, *reading)))
}

/// Writes a discriminated union: a branch with its tag, and only with its required fields.
pub fn write<T: DiscriminatedUnion>(union: &T) -> Node<'_> {
    let (place, node) = union.node();
    match place.and_then(|it| T::BRANCHES.get(it)) {
        Some(branch) => complete(branch, node),
        None => node,
    }
}

fn complete<'a>(branch: &Branch, node: Node<'a>) -> Node<'a> {
    let mut object = match node {
        Node::Object(object) => object,
        other => return other,
    };
    let is_tagged = branch.alternatives.iter().any(|it| it.is_written(&object));
    if let (false, Some(first)) = (is_tagged, branch.alternatives.first()) {
        for (tag, values) in first.tags {
            let Some(value) = values.first() else { continue };
            match object.iter_mut().find(|(name, _)| name == tag) {
                Some((_, it)) if values.iter().any(|one| one.is_node(it)) => {}
                Some((_, it)) => *it = value.node(),
                None => object.push((tag, value.node())),
            }
        }
    }
    let is_missing = |name: &&&str| !object.iter().any(|(it, _)| it == *name);
    if let Some(missing) = branch.required.iter().find(is_missing) {
        let name = branch.name;
        return Node::Failed(format!("{name} lacks its required field `{missing}`"));
    }
    Node::Object(object)
}

/// Implements `DiscriminatedUnion` for an enum, given its branches: place, variant, what an object
/// must be (tags; required fields; those that may be null; known fields), fields without which it
/// is not written.
#[doc(hidden)]
#[macro_export]
macro_rules! __discriminated_union {
    ($name:ident $other:ident {
        $($place:literal $variant:ident
            [$({
                $($tag:literal [$($value:expr),*])* ;
                $($required:literal)* ; $($nullable:literal)* ; $($known:literal)*
            })*]
            [$($required_to_write:literal)*];)*
    }) => {
        impl $crate::lenient::union::DiscriminatedUnion for $name {
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
                    required: &[$($required_to_write),*],
                }),*]
            };

            fn of_branch(
                branch: usize,
                value: &$crate::__private::serde_json::Value,
                reading: $crate::lenient::Reading,
            ) -> ::std::result::Result<Self, $crate::lenient::Mismatch> {
                match branch {
                    $($place => $crate::lenient::value(value, reading).map(Self::$variant),)*
                    _ => ::std::result::Result::Ok(Self::$other(value.clone())),
                }
            }

            fn other(value: $crate::__private::serde_json::Value) -> Self {
                Self::$other(value)
            }

            fn node(&self) -> (::std::option::Option<usize>, $crate::lenient::Node<'_>) {
                match self {
                    $(Self::$variant(value) => (
                        ::std::option::Option::Some($place),
                        $crate::lenient::Lenient::write(value),
                    ),)*
                    Self::$other(value) => {
                        (::std::option::Option::None, $crate::lenient::Node::Json(value))
                    }
                }
            }
        }

        #[doc(hidden)]
        impl $crate::lenient::Lenient for $name {
            fn read(
                value: &$crate::__private::serde_json::Value,
                reading: $crate::lenient::Reading,
            ) -> ::std::result::Result<::std::option::Option<Self>, $crate::lenient::Mismatch> {
                ::std::result::Result::Ok($crate::lenient::union::read(value, reading))
            }

            fn of_null() -> ::std::option::Option<Self> {
                ::std::option::Option::Some(Self::blank())
            }

            fn blank() -> Self {
                Self::$other($crate::__private::serde_json::Value::Null)
            }

            fn write(&self) -> $crate::lenient::Node<'_> {
                $crate::lenient::union::write(self)
            }
        }

        $crate::__serde!($name);
    };
}

/// The readings by which the branches of an untagged union are tried.
pub fn readings(json: &Json) -> &'static [Reading] {
    match json {
        Json::Null => &[],
        Json::Object(_) | Json::Array(_) => &[Reading::Exact, Reading::Lenient],
        _ => &[Reading::Exact],
    }
}

/// The value as a branch of an untagged union, if it fits.
pub fn branch<T: Lenient>(json: &Json, reading: Reading) -> Option<T> {
    value(json, reading).ok()
}

/// Implements an untagged union: its name, the variant for a value of no branch, the variants of
/// its branches. A variant with named fields lists them as [`__object!`](crate::__object) does.
#[doc(hidden)]
#[macro_export]
macro_rules! __untagged_union {
    ($name:ident $other:ident { $($variant:ident [$($fields:tt)*])* }) => {
        #[doc(hidden)]
        impl $crate::lenient::Lenient for $name {
            fn read(
                value: &$crate::__private::serde_json::Value,
                _: $crate::lenient::Reading,
            ) -> ::std::result::Result<::std::option::Option<Self>, $crate::lenient::Mismatch> {
                if value.is_null() {
                    return ::std::result::Result::Ok(::std::option::Option::None);
                }
                for reading in $crate::lenient::union::readings(value) {
                    $(if let ::std::option::Option::Some(value) =
                        $crate::__untagged_union!(@read value reading $variant $($fields)*)
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
                $($crate::__untagged_union!(@write self $variant $($fields)*);)*
                match self {
                    Self::$other(value) => $crate::lenient::Node::Json(value),
                    _ => $crate::lenient::Node::Null,
                }
            }
        }

        $crate::__serde!($name);
    };
    (@read $value:ident $reading:ident $variant:ident) => {
        $crate::lenient::union::branch($value, *$reading).map(Self::$variant)
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
