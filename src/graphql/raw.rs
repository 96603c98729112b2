//! Documents that are known only at run time.

use reqwest::Method;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Graphql;
use super::execute::{as_graphql, data};
use crate::error::Attempted;
use crate::hiding::secrets_in;
use crate::json::{decode_at, not_serializable};
use crate::request::Request;
use crate::transport::{Auth, Call, Operation, Repeat};

#[derive(Serialize)]
struct Body<'a> {
    query: &'a str,
    #[serde(skip_serializing_if = "Map::is_empty")]
    variables: &'a Map<String, Value>,
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
        let context = self.context().clone();
        let document = document.into();
        Request::new(move |timeout| async move {
            let attempted = Attempted::on_interface("document", "GraphQL");
            let repeat = if document.contains("mutation") { Repeat::Once } else { Repeat::Safe };
            let operation =
                Operation { name: "document", method: Method::POST, repeat, limit: None };
            let body = serde_json::to_vec(&Body { query: &document, variables: &variables });
            let body = body.map_err(|error| not_serializable(&attempted, "variables", error))?;
            let url = context.graphql_url(&attempted)?.clone();
            let mut call = Call::new(&operation, attempted.clone(), url, Auth::QueryKey).body(body);
            call.timeout = timeout;
            call.secrets = secrets_in(&variables);
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
