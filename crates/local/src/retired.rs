//! Retired interface: an interface that the service no longer serves.

/// An interface that the account interface replaces, for [`Builder::retired`](crate::Builder::retired).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RetiredInterface {
    /// The first version of REST, `/v1`.
    Rest,
    /// GraphQL.
    GraphQl,
}

impl RetiredInterface {
    /// The detail of a response of 410.
    pub(crate) fn detail(self) -> &'static str {
        match self {
            Self::Rest => "the first version of REST has been retired: use the account interface",
            Self::GraphQl => "GraphQL has been retired: use the account interface",
        }
    }
}
