//! Secrets over GraphQL: creation by name, deletion by id.

use podqueue_runtime::Idempotency;
use serde::{Deserialize, Serialize};

use super::deletion::{DeletionTarget, delete};
use super::{Graphql, Operation, SecretCreate, SecretDelete};
use crate::aliases::Request;
use crate::error::Error;
use podqueue_runtime::SecretString;

/// Creates and deletes secrets ([GraphQL](crate#the-interface)); returned by
/// [`Client::secrets`](crate::Client::secrets).
#[derive(Clone, Debug)]
pub struct Secrets {
    graphql: Graphql,
}

/// A stored secret. The service does not return its value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Secret {
    /// The secret's id, by which it is deleted.
    pub id: String,
    /// The secret's name, by which templates refer to it.
    #[serde(default, deserialize_with = "podqueue_runtime::lenient::or_default")]
    pub name: String,
    /// The purpose of the secret.
    #[serde(default)]
    pub description: Option<String>,
}

impl Secrets {
    pub(crate) fn new(graphql: Graphql) -> Self {
        Self { graphql }
    }

    /// Stores a secret, whose value never appears in logs or errors, even if the service repeats
    /// it.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest), before anything is sent,
    ///   for an empty name;
    /// - [`ErrorKind::Graphql`](crate::ErrorKind::Graphql) if the service rejects it;
    /// - [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if no readable response
    ///   arrived: it may have been stored, so the call is not retried.
    pub fn create(&self, name: impl AsRef<str>, value: impl Into<SecretString>) -> Request<Secret> {
        let (graphql, name, value) = (self.graphql.clone(), name.as_ref().to_owned(), value.into());
        Request::new(move |timeout| async move {
            if name.is_empty() {
                return Err(Error::refused("create secret", "name", "must not be empty"));
            }
            let variables = Input { input: NameAndValue { name: &name, value: value.expose() } };
            let created: Created = graphql
                .send::<SecretCreate, _>(&variables, Idempotency::NonIdempotent, timeout)
                .await?;
            created
                .secret_create
                .ok_or_else(|| super::missing_result(SecretCreate::NAME, "secretCreate"))
                .map_err(|error| error.classify_decode_error(Idempotency::NonIdempotent))
        })
    }

    /// Deletes a secret by its id.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the service clearly says that there
    ///   is no secret with that id;
    /// - [`ErrorKind::Graphql`](crate::ErrorKind::Graphql) if the service rejects it;
    /// - [`ErrorKind::OutcomeUnknown`](crate::ErrorKind::OutcomeUnknown) if the response does not
    ///   confirm the deletion, or if an attempt that may have deleted it was followed by a refusal
    ///   that is not a clear "not found". Deleting it again does no harm.
    pub fn delete(&self, id: impl AsRef<str>) -> Request<()> {
        let (graphql, id) = (self.graphql.clone(), id.as_ref().to_owned());
        Request::new(move |timeout| async move {
            if id.is_empty() {
                return Err(Error::refused("delete secret", "id", "must not be empty"));
            }
            let deleted = DeletionTarget { kind: "secret", field: "secretDelete", id: &id };
            delete::<SecretDelete>(&graphql, &ById { id: &id }, deleted, timeout).await
        })
    }
}

#[derive(Serialize)]
struct Input<'a> {
    input: NameAndValue<'a>,
}

#[derive(Serialize)]
struct NameAndValue<'a> {
    name: &'a str,
    value: &'a str,
}

#[derive(Serialize)]
struct ById<'a> {
    id: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Created {
    secret_create: Option<Secret>,
}
