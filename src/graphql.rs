//! The GraphQL interface: operations generated from `queries/`, and methods for the documented
//! calls.
//!
//! Every `.graphql` file in `queries/` becomes a type that [`Graphql::execute`] takes:
//!
//! ```no_run
//! # async fn example(client: podqueue::Client) -> podqueue::Result<()> {
//! use podqueue::graphql::{SecretDelete, secret_delete};
//!
//! let variables = secret_delete::Variables { id: "secret-id".to_owned() };
//! client.graphql().execute::<SecretDelete>(variables).await?;
//! # Ok(())
//! # }
//! ```

#[doc(hidden)]
pub mod document;
mod execute;
mod failure;
mod generated;
mod gone;
mod new_template;
mod port;
mod raw;
mod secrets;
mod template;
mod templates;

pub use execute::{Execute, Graphql};
pub use failure::{GraphqlError, GraphqlFailure, PathSegment};
pub use generated::*;
pub use new_template::NewTemplate;
pub use port::{Port, Protocol};
pub use secrets::{Secret, Secrets};
pub use template::Template;
pub use templates::Templates;

use serde::Serialize;
use serde::de::DeserializeOwned;

use self::document::Document;

/// An operation generated from a `.graphql` file, in this crate or in yours.
///
/// Implemented by generated code, for use with [`Graphql::execute`].
pub trait Operation {
    /// The variables that the operation declares.
    type Variables: Serialize;
    /// What the operation selects.
    type Data: DeserializeOwned;
    /// The operation's name.
    const NAME: &'static str;
    /// The operation and the fragments that it reaches, with its variables declared.
    const TEXT: &'static str;
    /// The same without declarations, with a place for each value.
    const DOCUMENT: &'static Document;
}
