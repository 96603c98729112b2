//! Reading a request's body up to a limit.

use std::io;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Request, StatusCode};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use super::ErrorResponse;

/// How much of a body above its limit is still read, so that its sender gets to see the response
/// instead of a broken connection.
const TOLERATED_EXCESS: usize = 64 * 1024 * 1024;

/// Why there is no body.
pub(crate) enum Unread {
    /// It would not fit the next time either.
    TooLarge {
        max: usize,
    },
    BrokenOff(ErrorResponse),
}

impl From<Unread> for ErrorResponse {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::TooLarge { max } => Self::bad_request(format!(
                "the body exceeds the limit of {max} bytes for this operation"
            )),
            Unread::BrokenOff(error) => error,
        }
    }
}

/// Reads a whole body of at most `max` bytes.
pub(crate) async fn read_body(body: Body, max: usize) -> Result<Bytes, Unread> {
    let mut stream = body.into_data_stream();
    let mut whole = Pieces::default();
    let mut length = 0usize;
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| Unread::BrokenOff(broken_off(error)))?;
        length = length.saturating_add(piece.len());
        if length <= max {
            whole.push(piece);
        } else {
            whole = Pieces::default();
            if length - max > TOLERATED_EXCESS {
                break;
            }
        }
    }
    if length > max {
        return Err(Unread::TooLarge { max });
    }
    Ok(whole.into_bytes())
}

/// Refuses a body that does not say it is JSON. What a browser lets a page send to any other site
/// without asking first never does.
pub(crate) fn require_json<B>(request: &Request<B>) -> Result<(), ErrorResponse> {
    let content_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|text| text.split(';').next()).unwrap_or_default();
    if essence.trim().eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "the request must have the header content-type: application/json";
    Err(ErrorResponse::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
}

fn broken_off(error: axum::Error) -> ErrorResponse {
    let error = error.into_inner();
    match error.downcast_ref().map(io::Error::kind) {
        Some(io::ErrorKind::TimedOut) => {
            ErrorResponse::new(StatusCode::REQUEST_TIMEOUT, "timed out while reading the body")
        }
        Some(io::ErrorKind::Interrupted) => ErrorResponse::stopping(),
        _ => ErrorResponse::bad_request("the body is incomplete"),
    }
}

/// A body in the making. One that came in one piece, as the small ones do, is not copied.
#[derive(Default)]
struct Pieces {
    first: Bytes,
    rest: BytesMut,
}

impl Pieces {
    fn push(&mut self, piece: Bytes) {
        if self.first.is_empty() && self.rest.is_empty() {
            self.first = piece;
        } else {
            if self.rest.is_empty() {
                self.rest.extend_from_slice(&std::mem::take(&mut self.first));
            }
            self.rest.extend_from_slice(&piece);
        }
    }

    fn into_bytes(self) -> Bytes {
        if self.rest.is_empty() { self.first } else { self.rest.freeze() }
    }
}
