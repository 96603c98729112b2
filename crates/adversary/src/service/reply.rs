//! What the service answers.

use serde_json::{Value, json};
use tokio::time::Instant;

/// What the service answers when nothing goes wrong on the way.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub body: String,
    /// The job that it created.
    pub new_job: Option<String>,
    /// `/runsync` answers only then.
    pub not_before: Option<Instant>,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Self {
        Self { status, body: body.to_string(), new_job: None, not_before: None }
    }

    pub(super) fn error(status: u16, message: &str) -> Self {
        Self::json(status, &json!({ "error": message }))
    }
}
