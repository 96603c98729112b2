//! Chunk of a handler's output.

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::Result;
use crate::queue::JobStatus;
use crate::queue::gateway::is_http_status;
use podqueue_runtime::__private::Attempted;
use podqueue_runtime::__private::json::{
    RawField, decode_at, elements, not_decodable, without_mark,
};

/// A chunk of a handler's output ([Stream chunk](crate#the-interface)). The service splits chunks
/// larger than 1 MB.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamChunk<T> {
    /// The chunk's content; its shape is defined by the handler.
    pub output: T,
    /// The metrics that the handler reports with the chunk.
    pub metrics: Metrics,
    /// True if chunks may be missing before this one, because a response that may have contained them was
    /// lost in transit. If no chunk follows, the stream yields a separate error of kind
    /// [`ErrorKind::StreamGap`](crate::ErrorKind::StreamGap) instead.
    pub after_gap: bool,
}

/// The metrics of a chunk, as its handler reports them. Their shape is defined by the handler: these
/// are the fields seen in practice, and any others are kept in `others`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "Value")]
#[non_exhaustive]
pub struct Metrics {
    /// Tokens generated per second, on average.
    pub avg_gen_throughput: Option<f64>,
    /// Prompt tokens processed per second, on average.
    pub avg_prompt_throughput: Option<f64>,
    /// The usage of the KV cache in main memory.
    pub cpu_kv_cache_usage: Option<f64>,
    /// The usage of the KV cache in GPU memory.
    pub gpu_kv_cache_usage: Option<f64>,
    /// The number of input tokens.
    pub input_tokens: Option<f64>,
    /// The number of output tokens.
    pub output_tokens: Option<f64>,
    /// The number of requests waiting at the worker.
    pub pending: Option<f64>,
    /// The number of requests running at the worker.
    pub running: Option<f64>,
    /// The scenario, as named by the worker.
    pub scenario: Option<String>,
    /// The chunk's index in the stream.
    pub stream_index: Option<f64>,
    /// The number of requests swapped out at the worker.
    pub swapped: Option<f64>,
    /// All other fields, and those above that have an unexpected type.
    pub others: Map<String, Value>,
}

impl From<Value> for Metrics {
    fn from(value: Value) -> Self {
        let Value::Object(mut others) = value else {
            return Self::default();
        };
        let mut number = |name: &str| {
            let number = others.get(name)?.as_f64()?;
            others.remove(name);
            Some(number)
        };
        let mut metrics = Self {
            avg_gen_throughput: number("avg_gen_throughput"),
            avg_prompt_throughput: number("avg_prompt_throughput"),
            cpu_kv_cache_usage: number("cpu_kv_cache_usage"),
            gpu_kv_cache_usage: number("gpu_kv_cache_usage"),
            input_tokens: number("input_tokens"),
            output_tokens: number("output_tokens"),
            pending: number("pending"),
            running: number("running"),
            scenario: None,
            stream_index: number("stream_index"),
            swapped: number("swapped"),
            others: Map::new(),
        };
        if others.get("scenario").is_some_and(Value::is_string)
            && let Some(Value::String(scenario)) = others.remove("scenario")
        {
            metrics.scenario = Some(scenario);
        }
        metrics.others = others;
        metrics
    }
}

/// A chunk as it was received.
pub(super) struct RawChunk {
    json: Bytes,
}

impl RawChunk {
    /// The bytes received.
    pub(super) fn bytes(&self) -> Bytes {
        self.json.clone()
    }

    pub(super) fn is_object(&self) -> bool {
        self.json.starts_with(b"{")
    }

    pub(super) fn decode<T: DeserializeOwned>(
        &self,
        attempted: &Attempted,
        after_gap: bool,
    ) -> Result<StreamChunk<T>> {
        let mut output: &[u8] = b"null";
        let mut metrics = Metrics::default();
        let fields = RawField::named(attempted, &self.json, &["output", "metrics"])?;
        for field in &fields {
            match field.name {
                "output" => output = &field.json,
                // Read in any shape, so that an unexpected field does not lose a chunk.
                "metrics" => metrics = field.read(attempted).unwrap_or_default(),
                _ => {}
            }
        }
        Ok(StreamChunk { output: decode_at(attempted, "output", output)?, metrics, after_gap })
    }
}

/// One response of `/stream`.
pub(super) struct Batch {
    pub(super) chunks: Vec<RawChunk>,
    /// The job's status, if the response has it.
    pub(super) status: Option<JobStatus>,
    /// The job's id, if the response has it.
    pub(super) job_id: Option<String>,
}

impl Batch {
    /// Reads a response in both forms: the documented array of chunks, and the object seen in
    /// practice, whose list of chunks may be absent if there is a status.
    pub(super) fn read(attempted: &Attempted, body: &Bytes) -> Result<Self> {
        let mut batch = Self { chunks: Vec::new(), status: None, job_id: None };
        if !without_mark(body).trim_ascii_start().starts_with(b"{") {
            batch.chunks = chunks(attempted, body)?;
            return Ok(batch);
        }
        let mut is_batch = false;
        for field in RawField::named(attempted, body, &["stream", "status", "id"])? {
            match field.name {
                "stream" => {
                    batch.chunks = chunks(attempted, &field.json)?;
                    is_batch = true;
                }
                // A status that cannot be read can be polled.
                "status" => {
                    is_batch |= !is_http_status(&field.json);
                    batch.status = field.read(attempted).unwrap_or_default();
                }
                _ => batch.job_id = field.read(attempted).unwrap_or_default(),
            }
        }
        if is_batch {
            return Ok(batch);
        }
        let missing = <serde_json::Error as serde::de::Error>::missing_field("stream");
        Err(not_decodable(attempted, "stream", missing).into())
    }
}

fn chunks(attempted: &Attempted, json: &Bytes) -> Result<Vec<RawChunk>> {
    let elements = elements(attempted, "stream", json)?;
    Ok(elements.into_iter().map(|json| RawChunk { json }).collect())
}
