//! Sends an operation.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;

use bytes::Bytes;
use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::document::{Document, Kind};
use super::{GraphqlError, GraphqlFailure, Operation};
use crate::client::{Client, GraphqlBody};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::json::RawField;
use crate::secret_string::SecretString;
use crate::transport::{self, Auth, Call, Repeat, Reply, decode_at, not_serializable};

/// The GraphQL interface ([GraphQL](crate#the-interface)); made by [`Client::graphql`].
#[derive(Clone, Debug)]
pub struct Graphql {
    client: Client,
}

impl Graphql {
    pub(crate) fn new(client: Client) -> Self {
        Self { client }
    }

    /// Executes an operation that was generated from a `.graphql` file, with its variables.
    ///
    /// A query is sent again after a failure that passes. A mutation that may have taken effect is
    /// not: it answers [`ErrorKind::OutcomeUnknown`].
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidRequest`] for a variable that the schema does not allow;
    /// - [`ErrorKind::Graphql`] where the answer holds errors, with the partial result beside them;
    /// - the kinds for what the service answers.
    pub fn execute<O: Operation>(&self, variables: O::Variables) -> Execute<O> {
        let attempted = attempted(O::NAME);
        let variables = as_map(&attempted, &variables);
        Execute { graphql: self.clone(), variables, operation: PhantomData }
    }

    /// Sends `O` with variables and a result of other types than the generated ones.
    pub(super) async fn send<O: Operation, D: DeserializeOwned>(
        &self,
        variables: &impl Serialize,
        repeat: Repeat,
    ) -> Result<D> {
        let attempted = attempted(O::NAME);
        let variables = as_map(&attempted, variables)?;
        let request = Request { name: O::NAME, text: O::TEXT, document: O::DOCUMENT };
        let reply = self.send_request(&request, &variables, repeat).await?;
        let decoded = data(&attempted, &reply).and_then(|data| {
            decode_at(&attempted, "data", &data).map_err(|error| reply.explain(error))
        });
        decoded.map_err(|error| request.repeat(repeat).unreadable(error))
    }

    /// Sends `O`, which deletes something. It is safe to repeat, and where an earlier attempt may
    /// have taken effect, "not found" is success.
    pub(super) async fn send_delete<O: Operation>(&self, variables: &impl Serialize) -> Result<()> {
        let attempted = attempted(O::NAME);
        let variables = as_map(&attempted, variables)?;
        let request = Request { name: O::NAME, text: O::TEXT, document: O::DOCUMENT };
        let (gone_before, result) =
            match self.send_request(&request, &variables, Repeat::Noted).await {
                Ok(reply) => (reply.after_unknown_outcome, data(&attempted, &reply).map(drop)),
                Err(error) => (error.is_after_unknown_outcome(), Err(error)),
            };
        match result {
            Err(error) if gone_before && says_not_found(&error) => Ok(()),
            result => result,
        }
    }

    async fn send_request(
        &self,
        request: &Request,
        variables: &Map<String, Value>,
        repeat: Repeat,
    ) -> Result<Reply> {
        let attempted = attempted(request.name);
        let operation = transport::Operation {
            name: match request.document.kind {
                Kind::Query => "query",
                Kind::Mutation => "mutation",
            },
            method: Method::POST,
            repeat: request.repeat(repeat),
            limit: None,
        };
        // Inlining also checks the variables against the schema, whatever form the body has.
        let inlined = request
            .document
            .inline(variables)
            .map_err(|unexpected| Error::refused(&attempted, unexpected.place, unexpected.rule))?;
        let body = match self.client.graphql_body() {
            GraphqlBody::QueryOnly => serde_json::to_vec(&QueryOnly { query: &inlined }),
            GraphqlBody::Variables => serde_json::to_vec(&graphql_client::QueryBody {
                variables,
                query: request.text,
                operation_name: request.name,
            }),
        };
        let body = body.map_err(|error| not_serializable(&attempted, "query", error))?;
        let url = self.client.graphql_url(&attempted)?.clone();
        let mut call = Call::to(&operation, attempted.clone(), url, Auth::QueryKey).body(body);
        call.secrets = request.secrets(variables);
        match self.client.send(call).await {
            Err(error) if error.status() == Some(400) => Err(as_graphql(&attempted, error)),
            result => result,
        }
    }
}

/// The `data` of an answer without errors.
fn data(attempted: &Attempted, reply: &Reply) -> Result<Bytes> {
    let mut data = None;
    let mut errors: Vec<GraphqlError> = Vec::new();
    let fields = RawField::named(attempted, &reply.body, &["data", "errors"]);
    for field in fields.map_err(|error| reply.explain(error))? {
        match field.name.as_str() {
            "data" => data = field.present(),
            "errors" => {
                let read = field.read::<Option<Vec<_>>>(attempted);
                errors = read.map_err(|error| reply.explain(error))?.unwrap_or_default();
            }
            _ => {}
        }
    }
    if errors.is_empty() {
        return Ok(data.unwrap_or_else(|| Bytes::from_static(b"null")));
    }
    for error in &mut errors {
        error.hide(&reply.secrets);
    }
    Err(reply.explain(failed(attempted, errors, data)))
}

/// A GraphQL server answers 400 with errors of the standard form where a document is invalid.
fn as_graphql(attempted: &Attempted, error: Error) -> Error {
    let body = Bytes::from(error.body().unwrap_or_default().into_owned());
    let errors = RawField::named(attempted, &body, &["errors"]).ok().and_then(|fields| {
        let errors = fields.iter().find(|field| field.name == "errors")?;
        errors.read::<Vec<GraphqlError>>(attempted).ok()
    });
    match errors {
        Some(errors) if !errors.is_empty() => {
            let before = error.is_after_unknown_outcome();
            let failed = failed(attempted, errors, None).with_status(400).with_body(body);
            failed.with_unknown_outcome_before(before)
        }
        _ => error,
    }
}

/// An operation without its types.
struct Request {
    name: &'static str,
    text: &'static str,
    document: &'static Document,
}

impl Request {
    /// What sending it twice would do: a query does nothing, a mutation what its caller says.
    fn repeat(&self, of_mutation: Repeat) -> Repeat {
        match self.document.kind {
            Kind::Query => Repeat::Safe,
            Kind::Mutation => of_mutation,
        }
    }

    fn secrets(&self, variables: &Map<String, Value>) -> Vec<SecretString> {
        self.document.secrets(variables).into_iter().map(SecretString::from).collect()
    }
}

#[derive(Serialize)]
struct QueryOnly<'a> {
    query: &'a str,
}

fn attempted(operation: &'static str) -> Attempted {
    Attempted::on_interface(operation, "GraphQL")
}

fn as_map(attempted: &Attempted, variables: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(variables) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err(Error::refused(attempted, "variables", "must be an object")),
        Err(error) => Err(not_serializable(attempted, "variables", error)),
    }
}

fn failed(attempted: &Attempted, errors: Vec<GraphqlError>, data: Option<Bytes>) -> Error {
    let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
    let partial = match &data {
        Some(data) if holds_anything(data) => " (a partial result came with it)",
        _ => "",
    };
    let message = format!("the service answers: {}{partial}", messages.join("; "));
    Error::new(ErrorKind::Graphql, attempted, message)
        .with_graphql(GraphqlFailure::new(attempted, errors, data))
}

/// Whether a result holds more than nulls.
fn holds_anything(data: &Bytes) -> bool {
    let fields: Option<Map<String, Value>> = serde_json::from_slice(data).ok();
    fields.is_some_and(|fields| fields.values().any(|value| !value.is_null()))
}

/// The error for an answer without errors and without the result that was selected.
pub(super) fn nothing_came(operation: &'static str, field: &str) -> Error {
    let message = format!("`{field}` in the reply is null, though no error came with it");
    Error::new(ErrorKind::Decode, attempted(operation), message).with_field(format!("data.{field}"))
}

fn says_not_found(error: &Error) -> bool {
    // The interface does not show how it is said.
    let told = |error: &GraphqlError| {
        let code = error.extensions.get("code").and_then(Value::as_str).unwrap_or_default();
        let message = error.message.to_ascii_lowercase();
        let words = ["not found", "not exist", "no such", "unknown", "there is no"];
        code.eq_ignore_ascii_case("NOT_FOUND")
            || message.starts_with("no ")
            || words.iter().any(|words| message.contains(words))
    };
    error.kind() == ErrorKind::NotFound
        || error.graphql().is_some_and(|failure| failure.errors().iter().any(told))
}

/// An operation to be sent; made by [`Graphql::execute`], sent when awaited. Answers what the
/// operation selects.
#[must_use = "nothing is sent until it is awaited"]
pub struct Execute<O> {
    graphql: Graphql,
    variables: Result<Map<String, Value>>,
    operation: PhantomData<fn() -> O>,
}

impl<O: Operation> Execute<O> {
    /// Sends null for a variable, or for a field of an input. In the generated types `None` is
    /// *absent*; to many a service null says something else, such as "forget what was there".
    ///
    /// The place is written with the names of the schema, as errors write it: `readme`,
    /// `input.readme`, `input.env[0].note`. It must be absent until now. An element of a list that may
    /// be null is an `Option` there, and needs no word here.
    ///
    /// ```no_run
    /// # use podqueue::graphql::types::SaveTemplateInput;
    /// # async fn example(client: podqueue::Client) -> podqueue::Result<()> {
    /// use podqueue::graphql::{ModifyTemplate, modify_template};
    ///
    /// let input = SaveTemplateInput { id: Some("template-id".into()), ..Default::default() };
    /// let variables = modify_template::Variables { input };
    /// client.graphql().execute::<ModifyTemplate>(variables).null("input.readme").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, it answers [`ErrorKind::InvalidRequest`] for a place that there is not, that has a
    /// value, or that the schema does not let be null.
    pub fn null(mut self, place: impl AsRef<str>) -> Self {
        self.variables = self.variables.and_then(|mut variables| {
            O::DOCUMENT.set_null(&mut variables, place.as_ref()).map_err(|unexpected| {
                Error::refused(attempted(O::NAME), unexpected.place, unexpected.rule)
            })?;
            Ok(variables)
        });
        self
    }
}

impl<O: Operation> Execute<O>
where
    O::Data: 'static,
{
    async fn send(self) -> Result<O::Data> {
        let variables = self.variables?;
        self.graphql.send::<O, O::Data>(&variables, Repeat::Once).await
    }
}

impl<O: Operation + 'static> IntoFuture for Execute<O>
where
    O::Data: 'static,
{
    type Output = Result<O::Data>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<O: Operation> fmt::Debug for Execute<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execute").field("operation", &O::NAME).finish_non_exhaustive()
    }
}
