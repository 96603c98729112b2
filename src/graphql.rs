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

mod delete;
mod new_template;
mod not_found;
mod port;
mod secrets;
mod template;
mod templates;

/// Generated from `queries/`, as for the queries of other crates.
mod generated {
    use crate as __runtime;

    include!(concat!(env!("OUT_DIR"), "/graphql.rs"));
}

pub use generated::*;
pub use new_template::NewTemplate;
#[doc(hidden)]
pub use podqueue_runtime::graphql::document;
pub use podqueue_runtime::graphql::{GraphqlError, Operation, PathSegment};
pub use port::{Port, Protocol};
pub use secrets::{Secret, Secrets};
pub use template::Template;
pub use templates::Templates;

use podqueue_runtime::__private::Attempted;

use crate::error::{Error, ErrorKind};

/// The GraphQL interface ([GraphQL](crate#the-interface)); returned by
/// [`Client::graphql`](crate::Client::graphql).
pub type Graphql = podqueue_runtime::graphql::Graphql<Error>;

/// An operation to be executed; returned by [`Graphql::execute`].
pub type Execute<O> = podqueue_runtime::graphql::Execute<O, Error>;

/// The errors in a GraphQL response, along with its partial result; returned by [`Error::graphql`].
pub type GraphqlFailure = podqueue_runtime::graphql::GraphqlFailure<Error>;

impl Error {
    /// The errors that the GraphQL interface returned, along with the partial result.
    #[must_use]
    pub fn graphql(&self) -> Option<&GraphqlFailure> {
        self.attached()
    }
}

/// The error for a response without errors and without the result that was selected.
fn nothing_came(operation: &'static str, field: &str) -> Error {
    let message =
        format!("`{field}` in the response is null, although the response contains no errors");
    let attempted = Attempted::new(operation).on_interface("GraphQL");
    Error::new(ErrorKind::Decode, attempted, message).with_field(format!("data.{field}"))
}
