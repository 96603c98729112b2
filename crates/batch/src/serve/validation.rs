//! Validation of an input file: each invalid line, with its number and the reason.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use podqueue::Run;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::api::types::LineError;
use super::error_response::shown;
use super::models::Models;
use crate::inputs::{Lines, MAX_LINE_BYTES};

/// The paths of requests.
pub(super) const ENDPOINTS: [&str; 4] =
    ["/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses"];

/// Number of errors that are listed.
const MAX_LISTED_ERRORS: usize = 1_000;

/// Size of a read, in bytes.
const BUFFER: usize = 64 * 1024;

/// Number of bytes around the body of a request in the submission of its job, at least.
const OVERHEAD: usize = 100;

/// Summary of a valid file, or the errors of an invalid one.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// Number of requests.
    pub(super) total: u64,
    /// The model of all requests.
    pub(super) model: Option<String>,
    pub(super) errors: Vec<LineError>,
}

/// A line of the input file.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    custom_id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    url: Option<&'a RawValue>,
    #[serde(borrow)]
    body: Option<&'a RawValue>,
}

/// The members of a body that decide whether it can be in a batch.
#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
    #[serde(borrow)]
    stream: Option<&'a RawValue>,
}

/// An error of a line: code, message, and member.
type Problem = (&'static str, String, Option<&'static str>);

/// Checks a file line by line.
pub(super) fn check(
    path: &Path,
    endpoint: &str,
    models: &Models,
    max_requests: u64,
) -> io::Result<Checked> {
    let reader = BufReader::with_capacity(BUFFER, File::open(path)?);
    let mut lines = Lines::new(reader, 0, 0);
    let mut validator = Validator { endpoint, models, model: None, seen: HashSet::new() };
    let (mut checked, mut further) = (Checked::default(), 0_u64);
    while let Some(line) = lines.next()? {
        checked.total += 1;
        if checked.total > max_requests {
            let message = format!("The file has more than {max_requests} requests.");
            checked.errors.push(error("too_many_requests", message, None, None));
            break;
        }
        if let Err((code, message, param)) = validator.check(line.text) {
            if checked.errors.len() < MAX_LISTED_ERRORS {
                checked.errors.push(error(code, message, param, Some(line.number)));
            } else {
                further += 1;
            }
        }
    }
    if checked.total == 0 {
        let message = "The file has no requests.".to_owned();
        checked.errors.push(error("empty_file", message, None, None));
    }
    if further > 0 {
        let message = format!("{further} more lines are invalid.");
        checked.errors.push(error("more_errors", message, None, None));
    }
    checked.model = validator.model;
    Ok(checked)
}

struct Validator<'a> {
    endpoint: &'a str,
    models: &'a Models,
    /// The model of the first request that has one.
    model: Option<String>,
    /// Digests of the ids so far.
    seen: HashSet<[u8; 16]>,
}

impl Validator<'_> {
    fn check(&mut self, text: &[u8]) -> Result<(), Problem> {
        if text.len() == MAX_LINE_BYTES {
            return Err(too_large(None));
        }
        let not_json = |what: &str| ("invalid_json_line", format!("The line is not {what}."), None);
        let line: Line<'_> = serde_json::from_slice(text).map_err(|error| {
            not_json(if error.is_data() { "a JSON object with a request" } else { "valid JSON" })
        })?;
        // serde reads a list as the members of a struct, too.
        if !text.trim_ascii_start().starts_with(b"{") {
            return Err(not_json("a JSON object with a request"));
        }
        let id = string(line.custom_id, "custom_id")?;
        if id.is_empty() {
            let message = "'custom_id' is empty.".to_owned();
            return Err(("invalid_value", message, Some("custom_id")));
        }
        let mut digest = [0; 16];
        digest.copy_from_slice(&blake3::hash(id.as_bytes()).as_bytes()[..16]);
        if !self.seen.insert(digest) {
            let message = format!("'{}' is the 'custom_id' of an earlier line, too.", shown(&id));
            return Err(("duplicate_custom_id", message, Some("custom_id")));
        }
        let method = string(line.method, "method")?;
        if method != "POST" {
            let message = format!("'method' is '{}': only POST is supported.", shown(&method));
            return Err(("invalid_method", message, Some("method")));
        }
        let url = string(line.url, "url")?;
        if url != self.endpoint {
            let message = format!(
                "'url' is '{}', and the endpoint of the batch is '{}'.",
                shown(&url),
                self.endpoint
            );
            return Err(("mismatched_endpoint", message, Some("url")));
        }
        let body = line.body.ok_or_else(|| missing("body"))?;
        let not_an_object =
            || ("invalid_type", "'body' is not a JSON object.".to_owned(), Some("body"));
        if !body.get().starts_with('{') {
            return Err(not_an_object());
        }
        if body.get().len() + OVERHEAD > Run::MAX_BODY {
            return Err(too_large(Some("body")));
        }
        let body: Body<'_> = serde_json::from_str(body.get()).map_err(|_| not_an_object())?;
        if body.stream.is_some_and(|stream| stream.get() == "true") {
            let message = "'stream' is true: a response in a batch is not streamed.".to_owned();
            return Err(("unsupported_parameter", message, Some("body.stream")));
        }
        self.check_model(&string(body.model, "body.model")?)
    }

    fn check_model(&mut self, model: &str) -> Result<(), Problem> {
        if self.models.endpoint(model).is_none() {
            let message = format!("There is no model '{}'.", shown(model));
            return Err(("model_not_found", message, Some("body.model")));
        }
        match &self.model {
            Some(first) if first != model => {
                let message = format!(
                    "The model is '{}', and that of an earlier line is '{}': a batch has one.",
                    shown(model),
                    shown(first)
                );
                Err(("mismatched_model", message, Some("body.model")))
            }
            Some(_) => Ok(()),
            None => {
                self.model = Some(model.to_owned());
                Ok(())
            }
        }
    }
}

fn string<'a>(value: Option<&'a RawValue>, param: &'static str) -> Result<Cow<'a, str>, Problem> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    let value = value.ok_or_else(|| missing(param))?;
    let text: Result<Text<'_>, _> = serde_json::from_str(value.get());
    text.map(|Text(text)| text)
        .map_err(|_| ("invalid_type", format!("'{param}' is not a string."), Some(param)))
}

fn missing(param: &'static str) -> Problem {
    ("missing_required_parameter", format!("'{param}' is missing."), Some(param))
}

fn too_large(param: Option<&'static str>) -> Problem {
    let message = format!("The request is larger than {} bytes.", Run::MAX_BODY - OVERHEAD);
    ("request_too_large", message, param)
}

fn error(code: &str, message: String, param: Option<&str>, line: Option<u64>) -> LineError {
    LineError {
        code: Some(code.to_owned()),
        message: Some(message),
        param: param.map(str::to_owned),
        line: line.and_then(|line| i64::try_from(line).ok()),
    }
}
