//! Sends an operation.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::document::{Document, Kind};
use super::gone::Deleted;
use super::{GraphqlError, GraphqlFailure, Operation};
use crate::context::{Context, GraphqlBody};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::hiding::{Secrets, secrets_named};
use crate::json::{RawField, decode_at, not_serializable};
use crate::transport::{self, Auth, Call, Repeat, Reply};

/// The GraphQL interface ([GraphQL](crate#the-interface)); returned by
/// [`Client::graphql`](crate::Client::graphql).
#[derive(Clone, Debug)]
pub struct Graphql {
    context: Arc<Context>,
}

impl Graphql {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    pub(super) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// Executes an operation generated from a `.graphql` file, with its variables.
    ///
    /// A query is retried after a transient failure. A mutation that may have taken effect is not:
    /// it fails with [`ErrorKind::OutcomeUnknown`].
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidRequest`] if a variable does not match the schema;
    /// - [`ErrorKind::Graphql`] if the response contains errors, along with the partial result;
    /// - the kinds for the service's error responses.
    pub fn execute<O: Operation>(&self, variables: O::Variables) -> Execute<O> {
        let attempted = attempted(O::NAME);
        let variables = as_map(&attempted, &variables);
        Execute { graphql: self.clone(), variables, timeout: None, operation: PhantomData }
    }

    /// Sends `O` with variables and a result of other types than the generated ones.
    pub(super) async fn send<O: Operation, D: DeserializeOwned>(
        &self,
        variables: &impl Serialize,
        repeat: Repeat,
        timeout: Option<Duration>,
    ) -> Result<D> {
        let attempted = attempted(O::NAME);
        let variables = as_map(&attempted, variables)?;
        let request = Request { name: O::NAME, text: O::TEXT, document: O::DOCUMENT };
        let reply = self.send_request(&request, &variables, repeat, timeout).await?;
        let decoded = data(&attempted, &reply).and_then(|data| {
            let data = data.unwrap_or_else(|| Bytes::from_static(b"null"));
            decode_at(&attempted, "data", &data).map_err(|error| reply.explain(error))
        });
        decoded.map_err(|error| request.repeat(repeat).unreadable(error))
    }

    /// Sends `O`, which deletes something. It can safely be retried: where an earlier attempt may
    /// have taken effect, a clear "not found" is success, and any other refusal leaves the outcome
    /// unknown.
    pub(super) async fn send_delete<O: Operation>(
        &self,
        variables: &impl Serialize,
        deleted: Deleted<'_>,
        timeout: Option<Duration>,
    ) -> Result<()> {
        let attempted = attempted(O::NAME);
        let variables = as_map(&attempted, variables)?;
        let request = Request { name: O::NAME, text: O::TEXT, document: O::DOCUMENT };
        let (maybe_before, result) =
            match self.send_request(&request, &variables, Repeat::Noted, timeout).await {
                Ok(reply) => {
                    let confirmed = data(&attempted, &reply).and_then(|data| {
                        let data = data.unwrap_or_default();
                        confirm(&attempted, deleted.field, &data).map_err(|it| reply.explain(it))
                    });
                    (reply.after_unknown_outcome, confirmed)
                }
                Err(error) => (error.is_after_unknown_outcome(), Err(error)),
            };
        result.or_else(|error| match error.kind() {
            _ if maybe_before && is_gone_by(deleted, &error) => Ok(()),
            ErrorKind::Decode => Err(Repeat::Once.unreadable(error)),
            _ if maybe_before && !error.is_retryable() => Err(Repeat::refused_after(error)),
            _ => Err(error),
        })
    }

    async fn send_request(
        &self,
        request: &Request,
        variables: &Map<String, Value>,
        repeat: Repeat,
        timeout: Option<Duration>,
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
        let body = match self.context.graphql_body {
            GraphqlBody::QueryOnly => serde_json::to_vec(&QueryOnly { query: &inlined }),
            GraphqlBody::Variables => serde_json::to_vec(&graphql_client::QueryBody {
                variables,
                query: request.text,
                operation_name: request.name,
            }),
        };
        let body = body.map_err(|error| not_serializable(&attempted, "query", error))?;
        let url = self.context.graphql_url(&attempted)?.clone();
        let mut call = Call::new(&operation, attempted.clone(), url, Auth::QueryKey).body(body);
        call.timeout = timeout;
        call.secrets = request.document.secrets(variables);
        let of_url = call.url.query_pairs().flat_map(|(name, value)| secrets_named(&name, &value));
        call.secrets.extend(of_url.collect::<Vec<_>>());
        match self.context.transport.send(call).await {
            Err(error) if error.status() == Some(400) => Err(as_graphql(&attempted, error)),
            result => result,
        }
    }
}

/// The `data` of a response without errors; `None` where it is null or absent.
pub(super) fn data(attempted: &Attempted, reply: &Reply) -> Result<Option<Bytes>> {
    let mut data = None;
    let mut errors: Vec<GraphqlError> = Vec::new();
    let fields = RawField::named(attempted, &reply.body, &["data", "errors"]);
    for field in fields.map_err(|error| reply.explain(error))? {
        match field.name {
            "data" => data = field.present(),
            "errors" => {
                let read = field.read::<Option<Vec<_>>>(attempted);
                errors = read.map_err(|error| reply.explain(error))?.unwrap_or_default();
            }
            _ => {}
        }
    }
    if errors.is_empty() {
        return Ok(data);
    }
    Err(reply.explain(failed(attempted, errors, data, &reply.secrets)))
}

/// The errors in a body of the standard form, as the service wrote them.
fn errors_in(attempted: &Attempted, body: &Bytes) -> Option<Vec<GraphqlError>> {
    let fields = RawField::named(attempted, body, &["errors"]).ok()?;
    let errors = fields.first()?.read::<Vec<GraphqlError>>(attempted).ok();
    errors.filter(|errors| !errors.is_empty())
}

/// A GraphQL server answers 400 with errors of the standard form where a document is invalid.
pub(super) fn as_graphql(attempted: &Attempted, error: Error) -> Error {
    let Some(body) = error.unredacted_body().cloned() else { return error };
    let Some(errors) = errors_in(attempted, &body) else { return error };
    let secrets = error.secrets();
    failed(attempted, errors, None, &secrets)
        .with_status(400)
        .with_body(body, secrets)
        .with_unknown_outcome_before(error.is_after_unknown_outcome())
}

/// Whether a refusal says that what was to be deleted is not there. A 404 alone may be a gateway's.
fn is_gone_by(deleted: Deleted<'_>, error: &Error) -> bool {
    let attempted = Attempted::on_interface(deleted.field, "GraphQL");
    let errors = error.unredacted_body().and_then(|body| errors_in(&attempted, body));
    errors.is_some_and(|errors| errors.iter().all(|error| deleted.is_gone_by(error)))
}

/// What a response must contain for a deletion to be confirmed: the requested field. Its type is
/// `Void`, or whatever the service makes of it, but not `false`.
fn confirm(attempted: &Attempted, field: &'static str, data: &Bytes) -> Result<()> {
    let confirmed = RawField::named(attempted, data, &[field])
        .is_ok_and(|fields| fields.iter().any(|it| it.json != "false"));
    if confirmed { Ok(()) } else { Err(not_confirmed(attempted, field)) }
}

fn not_confirmed(attempted: &Attempted, field: &str) -> Error {
    let message = format!("`data.{field}` in the response does not confirm the deletion");
    Error::new(ErrorKind::Decode, attempted, message).with_field(format!("data.{field}"))
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

fn failed(
    attempted: &Attempted,
    mut errors: Vec<GraphqlError>,
    data: Option<Bytes>,
    secrets: &Secrets,
) -> Error {
    let secrets = secrets.clone().looked_up();
    let redactor = secrets.redactor();
    errors.iter_mut().for_each(|error| error.hide(&redactor));
    let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
    let partial = match &data {
        Some(data) if holds_anything(data) => " (with a partial result)",
        _ => "",
    };
    let message = format!("the service says: {}{partial}", messages.join("; "));
    Error::new(ErrorKind::Graphql, attempted, message)
        .attach(GraphqlFailure::new(attempted, errors, data, secrets))
}

/// Whether a result holds more than nulls.
fn holds_anything(data: &Bytes) -> bool {
    let fields: Option<Map<String, Value>> = serde_json::from_slice(data).ok();
    fields.is_some_and(|fields| fields.values().any(|value| !value.is_null()))
}

/// The error for an answer without errors and without the result that was selected.
pub(super) fn nothing_came(operation: &'static str, field: &str) -> Error {
    let message =
        format!("`{field}` in the response is null, although the response contains no errors");
    Error::new(ErrorKind::Decode, attempted(operation), message).with_field(format!("data.{field}"))
}

/// An operation to be executed; returned by [`Graphql::execute`], it is sent when awaited and
/// resolves to the data that the operation selects.
#[must_use = "nothing is sent until it is awaited"]
pub struct Execute<O> {
    graphql: Graphql,
    variables: Result<Map<String, Value>>,
    timeout: Option<Duration>,
    operation: PhantomData<fn() -> O>,
}

impl<O: Operation> Execute<O> {
    /// The timeout of a single attempt at this call, until its response has been read; overrides
    /// the client's [`timeout`](crate::ClientBuilder::timeout). A shorter
    /// [`call_timeout`](crate::ClientBuilder::call_timeout) is raised to it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends null for a variable or for a field of an input. In the generated types, `None` *omits*
    /// the field; to many services, null means something else, such as "clear this field".
    ///
    /// The place is a path that uses the schema's names, as in errors: `readme`, `input.readme`,
    /// `input.env[0].note`. It must not have a value yet. Nullable list elements are an `Option` in
    /// the generated types, where `None` is null, and cannot be set here.
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
    /// The call then fails with [`ErrorKind::InvalidRequest`] if the place does not exist, has a
    /// value, or cannot be null according to the schema.
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
        self.graphql.send::<O, O::Data>(&variables, Repeat::Once, self.timeout).await
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
