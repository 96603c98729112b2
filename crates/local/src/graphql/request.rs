//! Reading a request, and refusing what could only be half executed or costs too much.

use async_graphql::{Request, Variables};
use serde_json::Value;

use super::bounds;
use crate::refusal::Refusal;

pub(super) fn parse(body: &[u8]) -> Result<Request, Refusal> {
    let body: Value = serde_json::from_slice(body)
        .map_err(|error| Refusal::invalid(format!("the body is not JSON: {error}")))?;
    let Some(Value::String(query)) = body.get("query") else {
        return Err(Refusal::invalid("the body must have a string `query` with the document"));
    };
    bounds::check_text(query)?;
    let mut execution = Request::new(query);
    match body.get("operationName") {
        None | Some(Value::Null) => {}
        Some(Value::String(name)) => execution = execution.operation_name(name),
        Some(_) => return Err(Refusal::invalid("operationName must be a string")),
    }
    match body.get("variables") {
        None | Some(Value::Null) => {}
        Some(variables @ Value::Object(_)) => {
            bounds::check_variables(variables)?;
            execution = execution.variables(Variables::from_json(variables.clone()));
        }
        Some(_) => return Err(Refusal::invalid("variables must be an object")),
    }
    Ok(execution)
}

/// Refuses a document that costs too much, and a request without a variable that its operation
/// requires. The GraphQL library finds the latter only while it executes, when earlier fields have
/// been executed already.
pub(super) fn check_document(execution: &mut Request) -> Result<(), Refusal> {
    let name = execution.operation_name.clone();
    let given: Vec<String> = execution
        .variables
        .iter()
        .filter(|(_, value)| **value != async_graphql::Value::Null)
        .map(|(name, _)| name.to_string())
        .collect();
    // What does not parse, or names no operation, is reported by the execution.
    let Ok(document) = execution.parsed_query() else { return Ok(()) };
    bounds::check_selections(document)?;
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
