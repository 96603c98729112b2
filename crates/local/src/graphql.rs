//! The GraphQL interface: templates and secrets are created, changed and deleted.

mod bounds;
mod request;
mod schema;

use std::sync::Arc;

use async_graphql::{EmptySubscription, Response, SDLExportOptions};

use self::schema::{Mutation, Query};
use crate::catalog::Catalog;
use crate::refusal::Refusal;

pub(crate) type Schema = async_graphql::Schema<Query, Mutation, EmptySubscription>;

pub(crate) fn schema(catalog: Arc<Catalog>) -> Schema {
    Schema::build(Query, Mutation, EmptySubscription).data(catalog).finish()
}

/// The schema in the schema definition language.
pub(crate) fn sdl(schema: &Schema) -> String {
    schema.sdl_with_options(SDLExportOptions::new().use_space_ident())
}

/// What became of a request.
pub(crate) enum Outcome {
    /// It was executed, though errors of its fields may be among the results.
    Executed(Response),
    /// It could not be executed.
    Invalid(Response),
}

/// Executes the body of a request.
pub(crate) async fn execute(schema: &Schema, body: &[u8]) -> Result<Outcome, Refusal> {
    let mut request = request::parse(body)?;
    request::check_document(&mut request)?;
    let response = schema.execute(request).await;
    let executed = response.is_ok() || response.errors.iter().any(|error| !error.path.is_empty());
    Ok(if executed { Outcome::Executed(response) } else { Outcome::Invalid(response) })
}
