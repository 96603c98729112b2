//! Options of generated operations.

use std::collections::BTreeMap;

/// Origin of the types that operations share: input objects, enums and custom scalars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SharedTypes {
    /// The types that the operations use are generated from the schema, in the modules `types` and
    /// `shapes`.
    #[default]
    Here,
    /// All types of the schema are generated, for a crate whose types other crates use.
    All,
    /// The types are podqueue's own, for operations against podqueue's own schema, so that an input
    /// has the same type in podqueue's operations and in yours.
    OfPodqueue,
}

/// Options of the generator.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) shared: SharedTypes,
    pub(crate) scalars: BTreeMap<String, String>,
}

impl Options {
    /// Sets a Rust type for a scalar of the schema, such as `time::OffsetDateTime` for `DateTime`.
    ///
    /// The type must implement serde's `Serialize` and `Deserialize`, `Clone`, `Debug` and
    /// `PartialEq`. Scalars without a type are any JSON. This does not apply to
    /// [`SharedTypes::OfPodqueue`], whose scalars are podqueue's.
    pub fn scalar(mut self, scalar: impl Into<String>, rust_type: impl Into<String>) -> Self {
        self.scalars.insert(scalar.into(), rust_type.into());
        self
    }
}

impl From<SharedTypes> for Options {
    fn from(shared: SharedTypes) -> Self {
        Self { shared, scalars: BTreeMap::new() }
    }
}
