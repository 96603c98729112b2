//! What an attached worker reports on a job: the bodies of its requests, read by hand.

use serde_json::{Map, Value};

use super::job::Ending;
use crate::refusal::Refusal;

/// What a worker has made of a job.
#[derive(Debug)]
pub(crate) enum Report {
    /// The output that is shown while the job runs.
    Progress(Value),
    Done {
        ending: Ending,
        /// Whether the worker wants to be replaced.
        leaves: bool,
    },
}

impl Report {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Refusal> {
        let mut body = object(body)?;
        let output = body.remove("output");
        if body.get("status").is_some_and(|status| status == "IN_PROGRESS") {
            return Ok(Self::Progress(output.unwrap_or_default()));
        }
        let error = match body.remove("error") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(other) => Some(other.to_string()),
        };
        let leaves = body.get("stopPod") == Some(&Value::Bool(true));
        Ok(Self::Done { ending: Ending { output, error }, leaves })
    }
}

/// One piece of a job's output.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) output: Value,
    pub(crate) metrics: Map<String, Value>,
}

impl Chunk {
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Refusal> {
        let mut body = object(body)?;
        let output = body.remove("output");
        let output = output.ok_or_else(|| Refusal::invalid("a chunk must have an output"))?;
        let metrics = match body.remove("metrics") {
            Some(Value::Object(metrics)) => metrics,
            _ => Map::new(),
        };
        Ok(Self { output, metrics })
    }
}

fn object(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Refusal::invalid("the body must be a JSON object")),
        Err(error) => {
            let hint = if is_of_python(body) { "; NaN and Infinity are not JSON" } else { "" };
            Err(Refusal::invalid(format!("the body is not JSON: {error}{hint}")))
        }
    }
}

/// Whether a text that is not JSON may have numbers that Python takes for it.
fn is_of_python(body: &[u8]) -> bool {
    let has = |number: &str| body.windows(number.len()).any(|part| part == number.as_bytes());
    has("NaN") || has("Infinity")
}
