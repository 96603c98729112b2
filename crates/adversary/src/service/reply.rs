//! What the service answers.

use serde_json::{Value, json};
use tokio::time::Instant;

/// The media type of a stream of events.
pub const EVENT_STREAM: &str = "text/event-stream";

/// What the service answers when nothing goes wrong on the way.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    /// Its media type.
    pub kind: &'static str,
    pub body: String,
    /// The job that it created.
    pub new_job: Option<String>,
    /// `/runsync` answers only then.
    pub not_before: Option<Instant>,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Self {
        let (kind, body) = ("application/json", body.to_string());
        Self { status, kind, body, new_job: None, not_before: None }
    }

    /// A stream of events.
    pub(super) fn events(events: impl Iterator<Item = Value>) -> Self {
        let body = events.map(|event| format!("data: {event}\n\n")).collect();
        Self { kind: EVENT_STREAM, body, ..Self::json(200, &Value::Null) }
    }

    pub(super) fn error(status: u16, message: &str) -> Self {
        Self::json(status, &json!({ "error": message }))
    }
}
