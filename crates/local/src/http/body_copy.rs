//! Body copy: the bytes of a body, up to a limit, kept as they pass, for the page.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use serde_json::{Value, json};

use crate::tasks::locked;

/// The largest body that is kept, in bytes: of a longer one only its length.
const MAX_KEPT: usize = 16 * 1024;
/// The members that may contain secrets.
const SECRET_MEMBERS: [&str; 2] = ["webhook", "s3Config"];

/// A copy of a body that passes or has passed. A clone is the same copy.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyCopy(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// Empty if the body is too long.
    bytes: Vec<u8>,
    length: usize,
}

impl Kept {
    fn add(&mut self, data: &[u8]) {
        self.length += data.len();
        if self.length <= MAX_KEPT {
            self.bytes.extend_from_slice(data);
        } else {
            self.bytes = Vec::new();
        }
    }
}

impl BodyCopy {
    /// Returns the body that makes the copy when it is read, and the copy.
    pub(crate) fn of(body: Body) -> (Body, Self) {
        let copy = Self::default();
        (Body::new(CopiedBody { body, copy: copy.clone() }), copy)
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        std::str::from_utf8(&locked(&self.0).bytes).is_ok_and(|body| body.contains(text))
    }

    /// The length, and of JSON that is short enough its text, without the members that may contain
    /// secrets.
    pub(crate) fn view(&self) -> Value {
        let kept = locked(&self.0);
        let parsed: Option<Value> = serde_json::from_slice(&kept.bytes).ok();
        let mut is_redacted = false;
        let text = parsed.map(|mut value| {
            is_redacted = redact(&mut value) > 0;
            // Numbers keep their digits in the original.
            if is_redacted {
                value.to_string()
            } else {
                String::from_utf8_lossy(&kept.bytes).into_owned()
            }
        });
        json!({ "length": kept.length, "text": text, "redacted": is_redacted })
    }
}

/// Replaces members that may contain secrets, and returns their number.
fn redact(value: &mut Value) -> usize {
    match value {
        Value::Object(members) => {
            let member = |(name, value): (&String, &mut Value)| {
                if SECRET_MEMBERS.contains(&name.as_str()) && !value.is_null() {
                    *value = "[redacted]".into();
                    1
                } else {
                    redact(value)
                }
            };
            members.iter_mut().map(member).sum()
        }
        Value::Array(items) => items.iter_mut().map(redact).sum(),
        _ => 0,
    }
}

struct CopiedBody {
    body: Body,
    copy: BodyCopy,
}

impl HttpBody for CopiedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(data) = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()) {
            locked(&self.copy.0).add(data);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use axum::body::to_bytes;

    use super::*;

    async fn view_of(body: String) -> Value {
        let (body, copy) = BodyCopy::of(body.into());
        to_bytes(body, usize::MAX).await.unwrap();
        copy.view()
    }

    #[tokio::test]
    async fn a_body_is_kept_without_secrets_and_within_bounds() {
        let plain = r#"{"input": 1.10}"#.to_owned();
        assert_eq!(view_of(plain.clone()).await["text"], json!(plain));
        let secret = json!({ "input": [], "webhook": "https://secret", "a": [{ "s3Config": {} }] });
        let view = view_of(secret.to_string()).await;
        assert_eq!(view["redacted"], true);
        assert!(!view.to_string().contains("secret") && view.to_string().contains("input"));
        let long = view_of("1".repeat(MAX_KEPT + 1)).await;
        assert_eq!(long, json!({ "length": MAX_KEPT + 1, "text": null, "redacted": false }));
        assert_eq!(view_of("no JSON".to_owned()).await["text"], Value::Null);
    }
}
