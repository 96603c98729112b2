//! GraphQL interface: mutations of templates and secrets. `router/graphql.rs` serves it over HTTP.

mod cost_limits;
mod schema;

use std::sync::Arc;

use async_graphql::{EmptySubscription, Request, Response, SDLExportOptions, Variables};
use serde_json::Value;

use self::cost_limits::{MAX_DIRECTIVES, check_selections, check_text, check_variables};
use self::schema::{Mutation, Query};
use crate::error::Refusal;
use crate::resources::Resources;

pub(crate) type Schema = async_graphql::Schema<Query, Mutation, EmptySubscription>;

pub(crate) fn schema(resources: Arc<Resources>) -> Schema {
    Schema::build(Query, Mutation, EmptySubscription)
        .data(resources)
        .limit_directives(MAX_DIRECTIVES)
        .finish()
}

/// The schema in the schema definition language.
pub(crate) fn sdl(schema: &Schema) -> String {
    schema.sdl_with_options(SDLExportOptions::new().use_space_ident())
}

/// The outcome of a request.
pub(crate) enum GraphQlOutcome {
    /// The request was executed; the results may contain errors of its fields.
    Executed(Response),
    /// The request could not be executed.
    Invalid(Response),
}

/// Executes the body of a request.
pub(crate) async fn execute(schema: &Schema, body: &[u8]) -> Result<GraphQlOutcome, Refusal> {
    let mut request = parse_request(body)?;
    check_document(&mut request)?;
    let response = schema.execute(request).await;
    let executed = response.is_ok() || response.errors.iter().any(|error| !error.path.is_empty());
    Ok(if executed {
        GraphQlOutcome::Executed(response)
    } else {
        GraphQlOutcome::Invalid(response)
    })
}

fn parse_request(body: &[u8]) -> Result<Request, Refusal> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|error| Refusal::invalid(format!("the body is not JSON: {error}")))?;
    let Some(Value::String(query)) = body.get("query") else {
        return Err(Refusal::invalid("the body must have a string `query` with the document"));
    };
    check_text(query)?;
    let mut request = Request::new(query);
    match body.get("operationName") {
        None | Some(Value::Null) => {}
        Some(Value::String(name)) => request = request.operation_name(name),
        Some(_) => return Err(Refusal::invalid("operationName must be a string")),
    }
    match body.get("variables") {
        None | Some(Value::Null) => {}
        Some(variables @ Value::Object(_)) => {
            check_variables(variables)?;
            request = request.variables(Variables::from_json(variables.clone()));
        }
        Some(_) => return Err(Refusal::invalid("variables must be an object")),
    }
    Ok(request)
}

/// Refuses a document that costs too much, and a request without a variable that its operation
/// requires. async-graphql finds the latter only while it executes, when earlier fields have been
/// executed already.
fn check_document(request: &mut Request) -> Result<(), Refusal> {
    let name = request.operation_name.clone();
    let given: Vec<String> = request
        .variables
        .iter()
        .filter(|(_, value)| **value != async_graphql::Value::Null)
        .map(|(name, _)| name.to_string())
        .collect();
    // A document that does not parse, or has no such operation, is reported by the execution.
    let Ok(document) = request.parsed_query() else { return Ok(()) };
    check_selections(document)?;
    let mut operations = document.operations.iter();
    let operation = operations.find(|(known, _)| {
        name.as_deref().is_none_or(|name| known.is_some_and(|known| known == name))
    });
    let Some((_, operation)) = operation else { return Ok(()) };
    let missing = operation.node.variable_definitions.iter().find(|definition| {
        let definition = &definition.node;
        !definition.var_type.node.nullable
            && definition.default_value.is_none()
            && !given.iter().any(|given| definition.name.node == given.as_str())
    });
    missing.map_or(Ok(()), |definition| {
        let (name, of) = (&definition.node.name.node, &definition.node.var_type.node);
        Err(Refusal::invalid(format!("the variable ${name} of type {of} is required")))
    })
}
