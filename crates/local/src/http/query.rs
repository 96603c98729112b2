//! The query of a request's URL, as pairs.

use axum::extract::Query;
use axum::http::Uri;

use super::ErrorResponse;
use crate::window::Window;

/// The decoded query parameters. Where one stands twice, the last counts.
pub(crate) struct QueryParameters(Vec<(String, String)>);

impl QueryParameters {
    pub(crate) fn of(uri: &Uri) -> Self {
        Self(Query::try_from_uri(uri).map(|Query(pairs)| pairs).unwrap_or_default())
    }

    /// The parameters of a query that is no part of a URL.
    pub(crate) fn parse(query: &str) -> Self {
        let uri = Uri::try_from(format!("/?{query}"));
        uri.map(|uri| Self::of(&uri)).unwrap_or_else(|_| Self(Vec::new()))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A parameter that is a number of something.
    pub(crate) fn number(&self, name: &str) -> Result<Option<usize>, ErrorResponse> {
        let number = self.get(name).map(str::parse).transpose();
        number.map_err(|_| ErrorResponse::bad_request(format!("{name} must be an integer")))
    }

    /// The part of a list that is wanted.
    pub(crate) fn window(&self) -> Result<Window, ErrorResponse> {
        Ok(Window::new(self.number("offset")?, self.number("limit")?))
    }

    /// A boolean parameter; absent is false.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, ErrorResponse> {
        match self.get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(ErrorResponse::bad_request(format!("{name} must be true or false"))),
        }
    }
}
