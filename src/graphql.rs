//! GraphQL interface: operations generated from `queries/`, and methods for the documented calls.
//!
//! Every `.graphql` file in `queries/` becomes a type that [`Graphql::execute`] takes:
//!
//! ```no_run
//! # async fn example(client: podqueue::Client) -> podqueue::Result<()> {
//! use podqueue::graphql::{SaveTemplate, save_template, types::SaveTemplateInput};
//!
//! let input = SaveTemplateInput {
//!     name: "a-name".to_owned(),
//!     image_name: "an/image:tag".to_owned(),
//!     container_disk_in_gb: 5,
//!     ..SaveTemplateInput::default()
//! };
//! client.graphql().execute::<SaveTemplate>(save_template::Variables { input }).await?;
//! # Ok(())
//! # }
//! ```

// The methods of the client: each wraps one operation of `queries/`.
mod deletion;
pub(crate) mod secrets;
pub(crate) mod templates;

/// Generated from `queries/`, like the queries of other crates.
mod generated {
    use crate as __runtime;

    include!(concat!(env!("OUT_DIR"), "/graphql.rs"));
}

pub use generated::*;
#[doc(hidden)]
pub use podqueue_runtime::graphql::document;
pub use podqueue_runtime::graphql::{GraphqlError, Operation, PathSegment};

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
fn missing_result(operation: &'static str, field: &str) -> Error {
    let message =
        format!("`{field}` in the response is null, although the response contains no errors");
    let attempted = Attempted::new(operation).on_interface("GraphQL");
    Error::new(ErrorKind::Decode, attempted, message).with_field(format!("data.{field}"))
}
