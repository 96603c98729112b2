//! Outline of an interface: a map of items, each of which can be added, removed or changed, common
//! to REST and GraphQL.

pub(crate) mod graphql;
mod openapi_text;
pub(crate) mod rest;
pub(crate) mod rules;

use std::collections::BTreeMap;

pub(crate) use self::openapi_text::ENUM;
use self::rules::Rules;

/// The items of an interface by their paths, such as `Template.name`.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) items: BTreeMap<String, Item>,
}

/// The kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Operation,
    Type,
    Field,
    Argument,
    EnumValue,
    /// A member of a union or `oneOf`, or an implemented interface.
    Member,
    Directive,
    /// The serialization of a list or an object, or a media type.
    Encoding,
    /// The URL of calls.
    Server,
    /// The authorization of calls.
    Security,
}

/// Suffix of the type of a response that may have no content.
pub(crate) const OR_NOTHING: &str = " or nothing";

/// One item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    /// The path of its container.
    pub(crate) part_of: Option<String>,
    /// The path of the item from which it is inherited.
    pub(crate) origin: Option<String>,
    /// The type of a field, an argument or a response; the kind of a type.
    pub(crate) of: String,
    /// For an input: it must be given. For a response: it is never null.
    pub(crate) required: bool,
    /// The default of an input.
    pub(crate) default: Option<String>,
    /// The rules of its values, apart from its type.
    pub(crate) rules: Rules,
    /// The reason of its deprecation, which may be empty.
    pub(crate) deprecated: Option<String>,
    /// Its description, with its white space collapsed.
    pub(crate) description: String,
    /// True if responses contain it.
    pub(crate) is_read: bool,
    /// True if requests contain it.
    pub(crate) is_written: bool,
}

impl Outline {
    /// Returns true if an item is a direct or indirect part of another one.
    pub(crate) fn is_within(&self, path: &str, of: &str) -> bool {
        let part_of = |path: &str| self.items.get(path).and_then(|item| item.part_of.as_deref());
        let mut within = std::iter::successors(part_of(path), |path| part_of(path));
        within.any(|it| it == of)
    }

    /// Adds an item, and returns it, to set its properties.
    fn add(&mut self, path: impl Into<String>, kind: Kind, of: impl Into<String>) -> &mut Item {
        let item = Item {
            kind,
            part_of: None,
            origin: None,
            of: of.into(),
            required: false,
            default: None,
            rules: Rules::new(),
            deprecated: None,
            description: String::new(),
            is_read: false,
            is_written: false,
        };
        self.items.entry(path.into()).or_insert(item)
    }
}
