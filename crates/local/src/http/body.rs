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
    let mut whole = BytesMut::new();
    let mut length = 0usize;
    while let Some(piece) = stream.next().await {
        let piece =
            piece.map_err(|_| Refusal::bad_request("the body ended before it was complete"))?;
        length = length.saturating_add(piece.len());
        if length <= max {
            whole.extend_from_slice(&piece);
        } else {
            whole = BytesMut::new();
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
    Ok(whole.freeze())
}
