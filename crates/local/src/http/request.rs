//! Request extractors: key, path segments, query and body.

use std::borrow::Cow;
use std::error::Error;
use std::io;

use axum::body::Body;
use axum::extract::Query;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, Request, StatusCode, Uri};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use super::ErrorResponse;
use crate::bounded_log::Window;

/// The largest JSON body of the control plane, in bytes.
const MAX_JSON: usize = 10 * 1024 * 1024;

/// The header `authorization`. Two of them count as none, since it would be ambiguous which counts.
pub(crate) fn authorization(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let value = value.to_str().ok()?.trim();
    (!value.is_empty()).then_some(value)
}

/// The key in the header `authorization: Bearer <key>`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    const SCHEME: &str = "bearer ";
    let (scheme, key) = authorization(headers)?.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| key.trim())
}

/// Decodes the percent-encoding of a segment of a path.
pub(crate) fn decoded(segment: &str) -> Result<Cow<'_, str>, ErrorResponse> {
    percent_decode_str(segment)
        .decode_utf8()
        .map_err(|_| ErrorResponse::not_found("the path is not valid UTF-8"))
}

/// Decoded query parameters. If a name occurs twice, the last value counts.
pub(crate) struct QueryParameters(Vec<(String, String)>);

impl QueryParameters {
    pub(crate) fn of(uri: &Uri) -> Self {
        Self(Query::try_from_uri(uri).map(|Query(pairs)| pairs).unwrap_or_default())
    }

    /// Parses a query that is not part of a URL.
    pub(crate) fn parse(query: &str) -> Self {
        let uri = Uri::try_from(format!("/?{query}"));
        uri.map(|uri| Self::of(&uri)).unwrap_or_else(|_| Self(Vec::new()))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The parameters `offset` and `limit` of a list.
    pub(crate) fn window(&self) -> Result<Window, ErrorResponse> {
        let number = |name: &str| {
            let number = self.get(name).map(str::parse).transpose();
            number.map_err(|_| ErrorResponse::bad_request(format!("{name} must be an integer")))
        };
        Ok(Window::new(number("offset")?, number("limit")?))
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

/// Reason for which a body could not be read.
pub(crate) enum BodyError {
    /// Sending it again would fail, too.
    TooLarge {
        max: usize,
    },
    Incomplete(ErrorResponse),
}

impl From<BodyError> for ErrorResponse {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge { max } => Self::bad_request(format!(
                "the body exceeds the limit of {max} bytes for this operation"
            )),
            BodyError::Incomplete(error) => error,
        }
    }
}

/// Reads a whole body of at most `max` bytes. The rest of a larger body is drained by the
/// [server](super::server).
pub(crate) async fn read_body(body: Body, max: usize) -> Result<Bytes, BodyError> {
    match Limited::new(body, max).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge { max }),
        Err(error) => Err(BodyError::Incomplete(incomplete(error.as_ref()))),
    }
}

/// Reads and parses the JSON body of a request of the control plane.
pub(crate) async fn read_json<T: DeserializeOwned>(
    request: Request<Body>,
) -> Result<T, ErrorResponse> {
    require_json(&request)?;
    serde_json::from_slice(&read_body(request.into_body(), MAX_JSON).await?)
        .map_err(|error| ErrorResponse::bad_request(format!("invalid body: {error}")))
}

/// The response to a request whose body is incomplete: because of a timeout, a stop of the service
/// or the peer.
fn incomplete(error: &(dyn Error + 'static)) -> ErrorResponse {
    let mut cause = Some(error);
    while let Some(error) = cause.filter(|error| !error.is::<io::Error>()) {
        cause = error.source();
    }
    match cause.and_then(|error| error.downcast_ref()).map(io::Error::kind) {
        Some(io::ErrorKind::TimedOut) => {
            ErrorResponse::new(StatusCode::REQUEST_TIMEOUT, "timed out while reading the body")
        }
        Some(io::ErrorKind::Interrupted) => ErrorResponse::stopping(),
        _ => ErrorResponse::bad_request("the body is incomplete"),
    }
}

/// Refuses a request without the header `content-type: application/json`. A browser lets a page
/// send such a request to another origin only after a preflight request.
pub(crate) fn require_json<B>(request: &Request<B>) -> Result<(), ErrorResponse> {
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "the request must have the header content-type: application/json";
    Err(ErrorResponse::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
}
