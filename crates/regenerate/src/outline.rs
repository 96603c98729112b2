//! What an interface consists of, one item for each thing that can be added, removed or changed,
//! whether GraphQL or REST describes it.

pub(crate) mod graphql;
mod json_schema;
pub(crate) mod rest;
mod wire;

use std::collections::BTreeMap;

/// The items of an interface by their paths, such as `Template.name`.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) items: BTreeMap<String, Item>,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Operation,
    Type,
    Field,
    Argument,
    EnumValue,
    /// A type that another one is or may be: of a union, of `oneOf`, an interface.
    Member,
    Directive,
    /// How a list or an object is written.
    Encoding,
    /// The URL that calls go to.
    Server,
    /// How calls are authorized.
    Security,
}

/// What follows the type of an input that must be given, and may be null.
pub(crate) const OR_NULL: &str = " or null";

/// What follows the type of an answer that may have no content.
pub(crate) const OR_NOTHING: &str = " or nothing";

/// One item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    /// The path of what it is a part of.
    pub(crate) part_of: Option<String>,
    /// The path of the same thing in the type that it comes from.
    pub(crate) origin: Option<String>,
    /// The type of a field, an argument or an answer; what kind of type a type is.
    pub(crate) of: String,
    /// In an input, that it must be given; in an answer, that it is never null.
    pub(crate) required: bool,
    /// What an input is when it is not given.
    pub(crate) default: Option<String>,
    /// The reason not to use it, empty when none is given.
    pub(crate) deprecated: Option<String>,
    /// Its description, line breaks taken out.
    pub(crate) description: String,
    /// Whether answers hold it.
    pub(crate) is_read: bool,
    /// Whether requests hold it.
    pub(crate) is_written: bool,
}

impl Outline {
    /// Whether an item is a part of this one, directly or through others.
    pub(crate) fn is_within(&self, path: &str, of: &str) -> bool {
        let part_of = |path: &str| self.items.get(path).and_then(|item| item.part_of.as_deref());
        let mut within = std::iter::successors(part_of(path), |path| part_of(path));
        within.any(|it| it == of)
    }

    /// Adds an item, and says where it can be given its properties.
    fn add(&mut self, path: impl Into<String>, kind: Kind, of: impl Into<String>) -> &mut Item {
        let item = Item {
            kind,
            part_of: None,
            origin: None,
            of: of.into(),
            required: false,
            default: None,
            deprecated: None,
            description: String::new(),
            is_read: false,
            is_written: false,
        };
        self.items.entry(path.into()).or_insert(item)
    }
}
