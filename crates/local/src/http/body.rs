//! Reading a request's body up to a limit.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use super::Refusal;

/// How much of a body above its limit is still read, so that its sender gets to see the answer
/// instead of a broken connection.
const TOLERATED_EXCESS: usize = 64 * 1024 * 1024;

/// Reads a whole body of at most `max` bytes.
pub(crate) async fn read_body(body: Body, max: usize) -> Result<Bytes, Refusal> {
    let mut stream = body.into_data_stream();
    let mut whole = Pieces::default();
    let mut length = 0usize;
    while let Some(piece) = stream.next().await {
        let piece =
            piece.map_err(|_| Refusal::bad_request("the body ended before it was complete"))?;
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
        return Err(Refusal::bad_request(format!(
            "the body is larger than the {max} bytes that this operation allows"
        )));
    }
    Ok(whole.into_bytes())
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
