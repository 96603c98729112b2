//! Resources: the summary and the failures of a batch.
//!
//! - `batch://NAME/summary`: as `batch_status` returns it.
//! - `batch://NAME/failures?from=N`: the inputs that did not complete, by a window.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use rmcp::ErrorData;
use rmcp::model::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::{Value, json};

use crate::reply::{Window, cut, fit, item};
use crate::state::State;
use crate::tools::batches::Plan;

/// Number of batches in a page of the list.
const PAGE: u32 = 20;

/// Limit of a line of the failures that is read, in bytes: of a longer one, only the text is shown.
const MAX_LINE: u64 = 16 << 20;

/// Number of failures that are read for one window.
const MAX_FAILURES: usize = 100;

const JSON: &str = "application/json";

pub(crate) async fn list(
    state: &State,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let from = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse::<u32>()
            .map_err(|_| ErrorData::invalid_params("the cursor is not one of this server", None))?,
    };
    let found = state.journal.batches(from, PAGE).await;
    let found = found.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let mut result = ListResourcesResult::default();
    if found.len() == PAGE as usize {
        result.next_cursor = Some((from.saturating_add(PAGE)).to_string());
    }
    for batch in found {
        // Those of other folders and endpoints are not permitted.
        let Ok(plan) = Plan::find(state, &batch.name).await else { continue };
        for part in ["summary", "failures"] {
            let uri = format!("batch://{}/{part}", plan.name());
            let resource = Resource::new(uri, format!("{part} of {}", plan.name()));
            result.resources.push(resource.with_mime_type(JSON));
        }
    }
    Ok(result)
}

pub(crate) fn templates() -> ListResourceTemplatesResult {
    let summary = ResourceTemplate::new("batch://{name}/summary", "summary")
        .with_description("The inputs of a batch by state, its cost and its rate.")
        .with_mime_type(JSON);
    let failures = ResourceTemplate::new("batch://{name}/failures{?from}", "failures")
        .with_description("The inputs of a batch that did not complete, and why.")
        .with_mime_type(JSON);
    ListResourceTemplatesResult::with_all_items(vec![summary, failures])
}

pub(crate) async fn read(state: &State, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let missing = || {
        ErrorData::resource_not_found(
            format!(
                "there is no resource {}: expected batch://NAME/summary or batch://NAME/failures",
                cut(uri, 200)
            ),
            None,
        )
    };
    let (name, part) =
        uri.strip_prefix("batch://").and_then(|rest| rest.split_once('/')).ok_or_else(missing)?;
    let (part, query) = part.split_once('?').unwrap_or((part, ""));
    let plan = Plan::find(state, name).await;
    let plan = plan.map_err(|failure| ErrorData::resource_not_found(failure.message, None))?;
    match part {
        "summary" => {
            let reply = plan.reply(state).await;
            let reply =
                reply.map_err(|failure| ErrorData::internal_error(failure.message, None))?;
            Ok(contents(uri, &json!(reply)))
        }
        "failures" => {
            let from = match query.strip_prefix("from=") {
                Some(from) => from.parse().map_err(|_| missing())?,
                None if query.is_empty() => 0,
                None => return Err(missing()),
            };
            let file = plan.failures();
            let lines = tokio::task::spawn_blocking(move || read_lines(&file, from)).await;
            let (failures, total) = lines
                .map_err(|error| error.to_string())
                .and_then(|read| read.map_err(|error| error.to_string()))
                .map_err(|error| {
                    ErrorData::internal_error(format!("failed to read the failures: {error}"), None)
                })?;
            let from = from.min(total);
            Ok(fit(failures.len(), |count| {
                let window = Window { from, to: from + count, total };
                let mut text = json!({
                    "batch": plan.name(), "failures": failures[..count], "window": window,
                });
                if window.to < total {
                    let next = format!("batch://{}/failures?from={}", plan.name(), window.to);
                    text["next"] = Value::String(next);
                }
                contents(uri, &text)
            }))
        }
        _ => Err(missing()),
    }
}

fn contents(uri: &str, value: &Value) -> ReadResourceResult {
    let text = ResourceContents::text(value.to_string(), cut(uri, 300)).with_mime_type(JSON);
    ReadResourceResult::new(vec![text])
}

/// Lines from a number on, and the number of all.
fn read_lines(file: &Path, from: usize) -> std::io::Result<(Vec<Value>, usize)> {
    let file = match File::open(file) {
        Ok(file) => file,
        // No input has failed.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(error) => return Err(error),
    };
    let mut reader = BufReader::new(file);
    let (mut lines, mut total) = (Vec::new(), 0);
    loop {
        let mut line = Vec::new();
        reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok((lines, total));
        }
        if line.last() != Some(&b'\n') {
            reader.skip_until(b'\n')?;
        }
        if total >= from && lines.len() < MAX_FAILURES {
            let text = String::from_utf8_lossy(&line);
            let value = serde_json::from_str(&text)
                .unwrap_or_else(|_| Value::String(text.trim_end().to_owned()));
            lines.push(item(value));
        }
        total += 1;
    }
}
