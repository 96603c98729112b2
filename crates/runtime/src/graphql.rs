//! GraphQL: operations generated from `.graphql` files, documents known only at run time, and their
//! execution.
//!
//! Every `.graphql` file becomes a type that [`Graphql::execute`] takes; see
//! [`include_queries!`](crate::include_queries).

#[doc(hidden)]
pub mod document;
mod response_errors;

pub use response_errors::{GraphqlError, GraphqlFailure, PathSegment};

use std::fmt;
use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use self::document::{Document, Kind};
use crate::call::{self, Call, Request};
use crate::error::{Attempted, Error, ErrorKind, Result};
use crate::json::{RawField, decode_at, not_serializable};
use crate::redact::{Secrets, secrets_in, secrets_named};
use crate::retry::Idempotency;
use crate::service::Service;
use crate::transport::Reply;

/// An operation generated from a `.graphql` file.
///
/// Implemented by generated code, for use with [`Graphql::execute`].
pub trait Operation {
    /// The variables that the operation declares.
    type Variables: Serialize;
    /// The type of the operation's selection.
    type Data: DeserializeOwned;
    /// The operation's name.
    const NAME: &'static str;
    /// The operation and the fragments that it reaches, with its variables declared.
    const TEXT: &'static str;
    /// The text without declarations, with a place for each value.
    const DOCUMENT: &'static Document;
}

/// The form of a GraphQL request's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphqlBody {
    /// Only `{"query": …}`: variables are inlined into the document as literals.
    #[default]
    QueryOnly,
    /// `{"query": …, "variables": …, "operationName": …}`, as most GraphQL servers accept it.
    Variables,
}

/// A GraphQL service.
///
/// ```no_run
/// # async fn example(service: podqueue_runtime::Service) -> podqueue_runtime::Result<()> {
/// use podqueue_runtime::graphql::Graphql;
///
/// let graphql = Graphql::new(&service);
/// let data = graphql.raw("{ __typename }", serde_json::Map::new()).await?;
/// # let _ = data;
/// # Ok(())
/// # }
/// ```
pub struct Graphql<E = Error> {
    service: Service,
    body: GraphqlBody,
    error: PhantomData<fn() -> E>,
}

impl Graphql {
    /// The GraphQL service at the service's URL.
    pub fn new(service: impl Into<Service>) -> Self {
        Self::of(service.into(), GraphqlBody::default())
    }
}

impl<E: 'static> Graphql<E> {
    /// The form of a request's body; [`GraphqlBody::QueryOnly`] by default.
    #[must_use]
    pub fn body(mut self, form: GraphqlBody) -> Self {
        self.body = form;
        self
    }

    #[doc(hidden)]
    pub fn of(service: Service, body: GraphqlBody) -> Self {
        Self { service, body, error: PhantomData }
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
    pub fn execute<O: Operation>(&self, variables: O::Variables) -> Execute<O, E> {
        let attempted = attempted(O::NAME);
        let variables = as_map(&attempted, &variables);
        Execute { graphql: self.clone(), variables, timeout: None, operation: PhantomData }
    }

    /// Sends `O` with variables and a result of types other than those generated.
    ///
    /// # Errors
    ///
    /// The errors of [`execute`](Self::execute).
    #[doc(hidden)]
    pub async fn send<O: Operation, D: DeserializeOwned>(
        &self,
        variables: &impl Serialize,
        idempotency: Idempotency,
        timeout: Option<Duration>,
    ) -> Result<D> {
        let reply = self.reply::<O>(variables, idempotency, timeout).await?;
        let decoded = data::<E>(&reply).and_then(|data| {
            let data = data.unwrap_or_else(|| Bytes::from_static(b"null"));
            decode_at(reply.attempted(), "data", &data).map_err(|error| reply.explain(error))
        });
        decoded.map_err(|error| reply.classify_decode_error(error))
    }

    /// Sends `O`. A mutation has the given idempotency; a query is always idempotent.
    ///
    /// # Errors
    ///
    /// The errors of [`execute`](Self::execute), except for errors in a successful response.
    #[doc(hidden)]
    pub async fn reply<O: Operation>(
        &self,
        variables: &impl Serialize,
        idempotency: Idempotency,
        timeout: Option<Duration>,
    ) -> Result<Reply> {
        let attempted = attempted(O::NAME);
        let variables = as_map(&attempted, variables)?;
        // Inlining also checks the variables against the schema, whatever form the body has.
        let inlined = O::DOCUMENT
            .inline(&variables)
            .map_err(|unexpected| Error::refused(&attempted, unexpected.place, unexpected.rule))?;
        let body = match self.body {
            GraphqlBody::QueryOnly => {
                serde_json::to_vec(&Body { query: &inlined, variables: None })
            }
            GraphqlBody::Variables => serde_json::to_vec(&graphql_client::QueryBody {
                variables: &variables,
                query: O::TEXT,
                operation_name: O::NAME,
            }),
        };
        let body = body.map_err(|error| not_serializable(&attempted, "query", error))?;
        let (name, idempotency) = match O::DOCUMENT.kind {
            Kind::Query => ("query", Idempotency::Idempotent),
            Kind::Mutation => ("mutation", idempotency),
        };
        let url = self.service.url(&attempted)?;
        let of_url = url.query_pairs().flat_map(|(name, value)| secrets_named(&name, &value));
        let secrets = O::DOCUMENT.secrets(&variables).into_iter().chain(of_url);
        let operation = call::Operation::new(name, Method::POST, idempotency);
        let call = Call::to_service(&operation, attempted.clone()).secrets(secrets);
        send::<E>(&self.service, call.body(body).timeout(timeout)).await
    }
}

impl<E: From<Error> + 'static> Graphql<E> {
    /// Sends a document that is known only at run time, unchecked, and resolves to its data. For
    /// documents that are known earlier, [`execute`](Self::execute) is checked against the schema.
    ///
    /// Variables are sent as JSON beside the document, whatever the
    /// [`GraphqlBody`]. Put secrets into variables whose names say so
    /// (`password`, `value` of a secret): they are then redacted in errors, unlike the document's
    /// text.
    ///
    /// A document that contains the word `mutation` is not retried if it may have taken effect: it
    /// fails with [`ErrorKind::OutcomeUnknown`]. Any other document is
    /// a query, and retried after a transient failure.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Graphql`] if the response contains errors, along
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
    /// The errors of [`raw`](Self::raw), and:
    ///
    /// - [`ErrorKind::InvalidRequest`] if the variables are no JSON
    ///   object, or a number among them is out of range.
    pub fn raw_as<D: DeserializeOwned>(
        &self,
        document: impl Into<String>,
        variables: &(impl Serialize + ?Sized),
    ) -> Request<D, E> {
        let service = self.service.clone();
        let document = document.into();
        let variables = to_raw_value(variables);
        Request::new(move |timeout| async move {
            let call = raw_call(&document, variables)?.timeout(timeout);
            let reply = send::<E>(&service, call).await?;
            let decoded = data::<E>(&reply).and_then(|data| {
                decode_at(reply.attempted(), "data", data.as_deref().unwrap_or(b"null"))
                    .map_err(|error| reply.explain(error))
            });
            decoded.map_err(|error| reply.classify_decode_error(error).into())
        })
    }
}

/// An operation to be executed; returned by [`Graphql::execute`], it is sent when awaited and
/// resolves to the data that the operation selects.
#[must_use = "nothing is sent until it is awaited"]
pub struct Execute<O, E = Error> {
    graphql: Graphql<E>,
    variables: Result<Map<String, Value>>,
    timeout: Option<Duration>,
    operation: PhantomData<fn() -> O>,
}

impl<E: 'static> Clone for Graphql<E> {
    fn clone(&self) -> Self {
        Self::of(self.service.clone(), self.body)
    }
}

impl<E> fmt::Debug for Graphql<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graphql").field("service", &self.service).finish_non_exhaustive()
    }
}

impl<O: Operation, E: 'static> Execute<O, E> {
    /// The timeout of a single attempt at this call, until its response has been read; overrides
    /// the service's [`timeout`](crate::ServiceBuilder::timeout). A shorter
    /// [`call_timeout`](crate::ServiceBuilder::call_timeout) is raised to it.
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

impl<O: Operation, E> Execute<O, E>
where
    O::Data: 'static,
    E: From<Error> + 'static,
{
    async fn send(self) -> Result<O::Data, E> {
        let variables = self.variables?;
        let once = Idempotency::NonIdempotent;
        Ok(self.graphql.send::<O, O::Data>(&variables, once, self.timeout).await?)
    }
}

impl<O: Operation + 'static, E: From<Error> + 'static> IntoFuture for Execute<O, E>
where
    O::Data: 'static,
{
    type Output = Result<O::Data, E>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<O: Operation, E> fmt::Debug for Execute<O, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Execute").field("operation", &O::NAME).finish_non_exhaustive()
    }
}

/// Sends a call, and reads the errors of the standard form in a refusal.
async fn send<E: 'static>(service: &Service, call: Call) -> Result<Reply> {
    let attempted = call.attempted().clone();
    match service.send(call).await {
        Err(error) if error.status() == Some(400) => Err(as_graphql::<E>(&attempted, error)),
        result => result,
    }
}

/// The `data` of a response without errors; `None` if it is null or absent.
///
/// # Errors
///
/// [`Graphql`](ErrorKind::Graphql) if the response contains errors, and
/// [`Decode`](ErrorKind::Decode) if it is not a GraphQL response.
#[doc(hidden)]
pub fn data<E: 'static>(reply: &Reply) -> Result<Option<Bytes>> {
    let attempted = reply.attempted();
    let mut data = None;
    let mut errors: Vec<GraphqlError> = Vec::new();
    let fields = RawField::named(attempted, reply.body(), &["data", "errors"]);
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
    Err(reply.explain(failed::<E>(attempted, errors, data, reply.secrets())))
}

/// The errors in a body of the standard form, as the service wrote them.
#[doc(hidden)]
pub fn errors_in(attempted: &Attempted, body: &Bytes) -> Option<Vec<GraphqlError>> {
    let fields = RawField::named(attempted, body, &["errors"]).ok()?;
    let errors = fields.first()?.read::<Vec<GraphqlError>>(attempted).ok();
    errors.filter(|errors| !errors.is_empty())
}

/// A GraphQL server responds with 400 and errors of the standard form if a document is invalid.
fn as_graphql<E: 'static>(attempted: &Attempted, error: Error) -> Error {
    let Some(body) = error.unredacted_body().cloned() else { return error };
    let Some(errors) = errors_in(attempted, &body) else { return error };
    let secrets = error.secrets();
    failed::<E>(attempted, errors, None, &secrets)
        .with_status(400)
        .with_body(body, secrets)
        .with_unknown_outcome_before(error.is_after_unknown_outcome())
}

/// The body of a request without an operation name.
#[derive(Serialize)]
struct Body<'a> {
    query: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<&'a RawValue>,
}

fn attempted(operation: &'static str) -> Attempted {
    Attempted::new(operation).on_interface("GraphQL")
}

fn as_map(attempted: &Attempted, variables: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(variables) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err(Error::refused(attempted, "variables", "must be an object")),
        Err(error) => Err(not_serializable(attempted, "variables", error)),
    }
}

fn failed<E: 'static>(
    attempted: &Attempted,
    mut errors: Vec<GraphqlError>,
    data: Option<Bytes>,
    secrets: &Secrets,
) -> Error {
    let secrets = secrets.clone().with_body_secrets();
    let redactor = secrets.redactor();
    errors.iter_mut().for_each(|error| error.redact(&redactor));
    let messages: Vec<_> = errors.iter().map(|error| error.message.as_str()).collect();
    let partial = match &data {
        Some(data) if holds_anything(data) => " (with a partial result)",
        _ => "",
    };
    let message = format!("the service says: {}{partial}", messages.join("; "));
    Error::new(ErrorKind::Graphql, attempted, message)
        .attach(GraphqlFailure::<E>::new(attempted, errors, data, secrets))
}

/// Returns true if a result contains a value other than null.
fn holds_anything(data: &Bytes) -> bool {
    let fields: Option<Map<String, Value>> = serde_json::from_slice(data).ok();
    fields.is_some_and(|fields| fields.values().any(|value| !value.is_null()))
}

fn raw_call(document: &str, variables: serde_json::Result<Box<RawValue>>) -> Result<Call> {
    let attempted = Attempted::new("document").on_interface("GraphQL");
    let idempotency = match document.contains("mutation") {
        true => Idempotency::NonIdempotent,
        false => Idempotency::Idempotent,
    };
    let operation = call::Operation::new("document", Method::POST, idempotency);
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
