//! Documents that are known only at run time.

use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::Graphql;
use super::execute::{as_graphql, data};
use crate::error::{Attempted, Error};
use crate::hiding::secrets_in;
use crate::json::{decode_at, not_serializable};
use crate::request::Request;
use crate::transport::{Auth, Call, Operation, Repeat};

#[derive(Serialize)]
struct Body<'a> {
    query: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<&'a RawValue>,
}

impl Graphql {
    /// Sends a document that is known only at run time, unchecked, and resolves to its data. For
    /// documents that are known earlier, [`execute`](Self::execute) is checked against the schema.
    ///
    /// Variables are sent as JSON beside the document, whatever the client's
    /// [`GraphqlBody`](crate::GraphqlBody). Put secrets into variables whose names say so
    /// (`password`, `value` of a secret): they are then redacted in errors, unlike the document's text.
    ///
    /// A document that contains the word `mutation` is not retried if it may have taken effect: it
    /// fails with [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown). Any other is a
    /// query, and retried after a transient failure.
    ///
    /// ```no_run
    /// # async fn example(client: podqueue::Client) -> podqueue::Result<()> {
    /// let data = client.graphql().raw("{ __typename }", serde_json::Map::new()).await?;
    /// assert_eq!(data["__typename"], "Query");
    /// # Ok(())
    /// # }
    /// ```
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
    ) -> Request<Value> {
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
    ) -> Request<D> {
        let context = self.context().clone();
        let document = document.into();
        let variables = to_raw_value(variables);
        Request::new(move |timeout| async move {
            let attempted = Attempted::on_interface("document", "GraphQL");
            let repeat = if document.contains("mutation") { Repeat::Once } else { Repeat::Safe };
            let operation =
                Operation { name: "document", method: Method::POST, repeat, limit: None };
            let refused = |error| not_serializable(&attempted, "variables", error);
            let variables = variables.map_err(refused)?;
            let members = serde_json::from_str::<Map<String, Value>>(variables.get());
            let members = members.map_err(|error| match error.is_data() {
                // Without the parser's message, which may contain a value.
                true => Error::refused(&attempted, "variables", "must be a JSON object"),
                false => refused(error),
            })?;
            let sent = (!members.is_empty()).then_some(&*variables);
            let body = serde_json::to_vec(&Body { query: &document, variables: sent });
            let body = body.map_err(refused)?;
            let url = context.graphql_url(&attempted)?.clone();
            let mut call = Call::new(&operation, attempted.clone(), url, Auth::QueryKey).body(body);
            call.timeout = timeout;
            call.secrets = secrets_in(&members);
            let reply = match context.transport.send(call).await {
                Err(error) if error.status() == Some(400) => Err(as_graphql(&attempted, error)),
                result => result,
            }?;
            let decoded = data(&attempted, &reply).and_then(|data| {
                decode_at(&attempted, "data", data.as_deref().unwrap_or(b"null"))
                    .map_err(|error| reply.explain(error))
            });
            decoded.map_err(|error| repeat.unreadable(error))
        })
    }
}
