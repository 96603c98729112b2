//! What an interface consists of, one item for each thing that can be added, removed or changed,
//! whether GraphQL or REST describes it.

pub(super) mod graphql;
pub(super) mod rest;

use std::collections::BTreeMap;

/// The items of an interface by their paths, such as `Template.name`.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) items: BTreeMap<String, Item>,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Operation,
    Type,
    Field,
    Argument,
    EnumValue,
    /// A type that another one is or may be: of a union, of `oneOf`, an interface.
    Member,
    Directive,
}

/// What follows the type of an input that must be given, and may be null.
pub(super) const OR_NULL: &str = " or null";

/// One item.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Item {
    pub(super) kind: Kind,
    /// The path of what it is a part of.
    pub(super) part_of: Option<String>,
    /// The type of a field, an argument or an answer; what kind of type a type is.
    pub(super) of: String,
    /// In an input, that it must be given; in an answer, that it is never null.
    pub(super) required: bool,
    /// What an input is when it is not given.
    pub(super) default: Option<String>,
    /// The reason not to use it, empty when none is given.
    pub(super) deprecated: Option<String>,
    /// Its description, line breaks taken out.
    pub(super) description: String,
    /// Whether answers hold it.
    pub(super) is_read: bool,
    /// Whether requests hold it.
    pub(super) is_written: bool,
}

impl Outline {
    /// Adds an item, and says where it can be given its properties.
    fn add(&mut self, path: impl Into<String>, kind: Kind, of: impl Into<String>) -> &mut Item {
        let item = Item {
            kind,
            part_of: None,
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
