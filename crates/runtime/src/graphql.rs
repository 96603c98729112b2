//! GraphQL: operations generated from `.graphql` files, and their execution.
//!
//! Every `.graphql` file becomes a type that [`Graphql::execute`] takes; see
//! [`include_queries!`](crate::include_queries).

#[doc(hidden)]
pub mod document;
mod execute;
mod failure;
mod raw;

pub use execute::{Execute, Graphql, GraphqlBody};
#[doc(hidden)]
pub use execute::{data, errors_in};
pub use failure::{GraphqlError, GraphqlFailure, PathSegment};

use serde::Serialize;
use serde::de::DeserializeOwned;

use self::document::Document;

/// An operation generated from a `.graphql` file.
///
/// Implemented by generated code, for use with [`Graphql::execute`].
pub trait Operation {
    /// The variables that the operation declares.
    type Variables: Serialize;
    /// The type of the operation's selection.
    type Data: DeserializeOwned;
    /// The operation's name.
    const NAME: &'static str;
    /// The operation and the fragments that it reaches, with its variables declared.
    const TEXT: &'static str;
    /// The same without declarations, with a place for each value.
    const DOCUMENT: &'static Document;
}
