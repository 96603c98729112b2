//! Raw documents, known only at run time.

use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::Graphql;
use super::execute::{data, send};
use crate::call::{Call, Operation};
use crate::error::{Attempted, Error, Result};
use crate::idempotency::Idempotency;
use crate::json::{decode_at, not_serializable};
use crate::redact::secrets_in;
use crate::request::Request;

#[derive(Serialize)]
struct Body<'a> {
    query: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<&'a RawValue>,
}

impl<E: From<Error> + 'static> Graphql<E> {
    /// Sends a document that is known only at run time, unchecked, and resolves to its data. For
    /// documents that are known earlier, [`execute`](Self::execute) is checked against the schema.
    ///
    /// Variables are sent as JSON beside the document, whatever the
    /// [`GraphqlBody`](super::GraphqlBody). Put secrets into variables whose names say so
    /// (`password`, `value` of a secret): they are then redacted in errors, unlike the document's text.
    ///
    /// A document that contains the word `mutation` is not retried if it may have taken effect: it
    /// fails with [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown). Any other document is
    /// a query, and retried after a transient failure.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Graphql`](crate::ErrorKind::Graphql) if the response contains errors, along
    ///   with the partial result;
    /// - the kinds for the service's error responses.
    pub fn raw(
        &self,
        document: impl Into<String>,
        variables: Map<String, Value>,
    ) -> Request<Value, E> {
        self.raw_as(document, &variables)
    }

    /// Like [`raw`](Self::raw), with the data as another type, and variables that are anything that
    /// serializes as an object. As a [`RawValue`], either keeps its text: the order of its fields,
    /// and numbers that a `Value` rounds.
    ///
    /// # Errors
    ///
    /// As [`raw`](Self::raw), and:
    ///
    /// - [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest) if the variables are no JSON
    ///   object, or a number among them is out of range.
    pub fn raw_as<D: DeserializeOwned>(
        &self,
        document: impl Into<String>,
        variables: &(impl Serialize + ?Sized),
    ) -> Request<D, E> {
        let service = self.service().clone();
        let document = document.into();
        let variables = to_raw_value(variables);
        Request::new(move |timeout| async move {
            let call = raw_call(&document, variables)?.timeout(timeout);
            let reply = send::<E>(&service, call).await?;
            let decoded = data::<E>(&reply).and_then(|data| {
                decode_at(reply.attempted(), "data", data.as_deref().unwrap_or(b"null"))
                    .map_err(|error| reply.explain(error))
            });
            decoded.map_err(|error| reply.unreadable(error).into())
        })
    }
}

fn raw_call(document: &str, variables: serde_json::Result<Box<RawValue>>) -> Result<Call> {
    let attempted = Attempted::new("document").on_interface("GraphQL");
    let idempotency = match document.contains("mutation") {
        true => Idempotency::NonIdempotent,
        false => Idempotency::Idempotent,
    };
    let operation = Operation::new("document", Method::POST, idempotency);
    let refused = |error| not_serializable(&attempted, "variables", error);
    let variables = variables.map_err(refused)?;
    let members = serde_json::from_str::<Map<String, Value>>(variables.get());
    let members = members.map_err(|error| match error.is_data() {
        // Without the parser's message, which may contain a value.
        true => Error::refused(&attempted, "variables", "must be a JSON object"),
        false => refused(error),
    })?;
    let sent = (!members.is_empty()).then_some(&*variables);
    let body = serde_json::to_vec(&Body { query: document, variables: sent });
    let body = body.map_err(refused)?;
    Ok(Call::to_service(&operation, attempted.clone()).body(body).secrets(secrets_in(&members)))
}
