//! Errors in a GraphQL response, and its partial result.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Attempted, Error};
use crate::json::{decode_at, redacted};
use crate::lenient;
use crate::redact::{Redactor, Secrets};

/// The errors in a GraphQL response, along with its partial result.
pub struct GraphqlFailure<E = Error> {
    attempted: Attempted,
    errors: Vec<GraphqlError>,
    data: Option<Bytes>,
    /// The secrets to redact in the result.
    secrets: Secrets,
    error: PhantomData<fn() -> E>,
}

/// An error in a GraphQL response.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct GraphqlError {
    /// The service's message. The request's secrets are redacted in it.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub message: String,
    /// The path to the field of the result that the error is about; empty if it is about the whole
    /// request.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub path: Vec<PathSegment>,
    /// Machine-readable details, often with a `code`.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub extensions: serde_json::Map<String, serde_json::Value>,
}

/// A segment of the path to a field of a result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum PathSegment {
    /// A field, by its name in the result.
    Field(String),
    /// An element of a list, by its zero-based index.
    Index(usize),
}

impl GraphqlError {
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        self.message = redactor.redact(&self.message);
        for step in &mut self.path {
            if let PathSegment::Field(name) = step {
                *name = redactor.redact(name);
            }
        }
        redactor.redact_object(&mut self.extensions);
    }
}

impl Error {
    /// The errors that the GraphQL interface returned, along with the partial result.
    #[must_use]
    pub fn graphql(&self) -> Option<&GraphqlFailure> {
        self.attached()
    }
}

impl<E> GraphqlFailure<E> {
    pub(super) fn new(
        attempted: &Attempted,
        errors: Vec<GraphqlError>,
        data: Option<Bytes>,
        secrets: Secrets,
    ) -> Self {
        Self { attempted: attempted.clone(), errors, data, secrets, error: PhantomData }
    }

    /// The errors, in the response's order.
    #[must_use]
    pub fn errors(&self) -> &[GraphqlError] {
        &self.errors
    }

    /// The partial result as a `T`: [`Operation::Data`](super::Operation::Data) fits if the schema
    /// allows null for the failed fields, [`serde_json::Value`] always does. `None` if the response
    /// has no data at all.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Decode`](crate::ErrorKind::Decode) if it is not a `T`.
    pub fn partial_data<T: DeserializeOwned>(&self) -> Result<Option<T>, E>
    where
        E: From<Error>,
    {
        let Some(data) = &self.data else { return Ok(None) };
        decode_at(&self.attempted, "data", data)
            .map_err(|error| redacted(error, &self.secrets.redactor()).into())
    }
}

impl<E> Clone for GraphqlFailure<E> {
    fn clone(&self) -> Self {
        let (errors, data) = (self.errors.clone(), self.data.clone());
        Self::new(&self.attempted, errors, data, self.secrets.clone())
    }
}

impl<E> fmt::Debug for GraphqlFailure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphqlFailure")
            .field("errors", &self.errors)
            .field("data_bytes", &self.data.as_ref().map(Bytes::len))
            .finish_non_exhaustive()
    }
}
