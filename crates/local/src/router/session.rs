//! Recorded session: what the page shows of a service, in a form that another service can show later
//! without running anything. It is what a report of a bug needs.
//!
//! A session consists of responses of the control plane, which `recording` reads. It responds to the
//! same reads, windows and filters included, for the service that replays it (`replay`).

use std::collections::BTreeMap;

use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::http::{ErrorResponse, QueryParameters, json as respond};

/// The size of the details of all jobs and requests together, in bytes of JSON.
pub(super) const MAX_DETAILS: usize = 32 * 1024 * 1024;

/// A recorded session.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    #[serde(rename = "podqueueSession")]
    pub(super) version: u32,
    /// When the session was recorded, in milliseconds since 1970.
    pub(super) recorded_ms: u64,
    /// The event of the page, with the clock, the endpoints and their counts.
    pub(super) state: Value,
    pub(super) limits: Value,
    pub(super) faults: Value,
    pub(super) scenarios: Value,
    pub(super) requests: Vec<Entry>,
    pub(super) webhooks: Vec<Value>,
    pub(super) endpoints: BTreeMap<String, RecordedEndpoint>,
}

/// The parts of an endpoint; null where it has no such part.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedEndpoint {
    pub(super) workers: Value,
    pub(super) activity: Value,
    pub(super) logs: Option<Vec<Value>>,
    pub(super) jobs: Vec<Entry>,
}

/// An entry of a list, with its details if they were within the bound.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Entry {
    pub(super) row: Value,
    /// Unparsed, so that every number stays as it is.
    pub(super) details: Option<Box<RawValue>>,
}

impl Session {
    /// The event that a page of this session gets: its clock stands still.
    pub(super) fn event(&self) -> Value {
        let mut state = self.state.clone();
        state["recordedMs"] = self.recorded_ms.into();
        state["clock"]["manual"] = true.into();
        state["clock"]["nextEventMs"] = Value::Null;
        state
    }

    /// The response to a read of the control plane, by the segments of its path.
    pub(super) fn read(
        &self,
        path: &[&str],
        query: &QueryParameters,
    ) -> Result<Response, ErrorResponse> {
        let given = |name| query.get(name).unwrap_or_default();
        let search = given("search").to_lowercase();
        match *path {
            ["clock"] => {
                Ok(respond(&json!({ "nowMs": self.state["clock"]["nowMs"], "manual": true })))
            }
            ["limits"] => Ok(respond(&self.limits)),
            ["faults"] => Ok(respond(&self.faults)),
            ["scenarios"] => Ok(respond(&self.scenarios)),
            ["endpoints"] => Ok(respond(&self.state["endpoints"])),
            ["webhooks"] => window("webhooks", self.webhooks.iter(), query),
            ["requests"] => {
                let matches = |entry: &&Entry| {
                    let text = |name: &str| entry.row[name].as_str().unwrap_or_default();
                    let line = || format!("{} {}?{}", text("method"), text("path"), text("query"));
                    let is_about = |job| line().contains(job) || entry.has_text(job);
                    entry.row["status"].to_string().starts_with(given("status"))
                        && line().to_lowercase().contains(&search)
                        && query.get("job").is_none_or(is_about)
                };
                let rows = self.requests.iter().filter(matches).map(|entry| &entry.row);
                window("requests", rows, query)
            }
            ["requests", number] => {
                let number = number.parse().map_err(|_| not_recorded())?;
                details(&self.requests, |row| row["number"].as_u64() == Some(number))
            }
            ["endpoints", name, ref part @ ..] => {
                let endpoint = self.endpoints.get(name).ok_or_else(not_recorded)?;
                endpoint.read(part, query, &search)
            }
            _ => Err(not_recorded()),
        }
    }
}

impl RecordedEndpoint {
    fn read(
        &self,
        path: &[&str],
        query: &QueryParameters,
        search: &str,
    ) -> Result<Response, ErrorResponse> {
        let recorded = |value: &Value| {
            if value.is_null() { Err(not_recorded()) } else { Ok(respond(value)) }
        };
        match *path {
            ["workers"] => recorded(&self.workers),
            ["activity"] => recorded(&self.activity),
            ["worker-logs"] => {
                let matches = |line: &&Value| {
                    let text = line["text"].as_str().unwrap_or_default().to_lowercase();
                    text.contains(search) && query.get("job").is_none_or(|job| line["job"] == job)
                };
                let lines = self.logs.as_ref().ok_or_else(not_recorded)?;
                window("logs", lines.iter().filter(matches), query)
            }
            ["jobs"] => {
                let statuses = query.get("status").filter(|given| !given.is_empty());
                let matches = |entry: &&Entry| {
                    let status = entry.row["status"].as_str().unwrap_or_default();
                    statuses.is_none_or(|it| it.split(',').any(|one| one == status))
                        && (search.is_empty() || entry.matches_text(search))
                };
                let rows = self.jobs.iter().filter(matches).map(|entry| &entry.row);
                window("jobs", rows, query)
            }
            ["jobs", id] if query.get("full").is_none() => {
                details(&self.jobs, |row| row["id"] == id)
            }
            _ => Err(not_recorded()),
        }
    }
}

impl Entry {
    fn has_text(&self, text: &str) -> bool {
        self.details.as_ref().is_some_and(|details| details.get().contains(text))
    }

    /// Returns true if the id, the input, the output or the error of a job contains a text in lower
    /// case.
    fn matches_text(&self, search: &str) -> bool {
        #[derive(Default, Deserialize)]
        struct Searched<'a> {
            #[serde(borrow)]
            input: Option<&'a RawValue>,
            #[serde(borrow)]
            output: Option<&'a RawValue>,
            #[serde(borrow)]
            error: Option<&'a RawValue>,
        }
        let details = self.details.as_ref().map_or("{}", |details| details.get());
        let Searched { input, output, error } = serde_json::from_str(details).unwrap_or_default();
        let values = [input, output, error].into_iter().flatten().map(RawValue::get);
        let row = ["id", "input", "error"].map(|name| self.row[name].as_str().unwrap_or_default());
        values.chain(row).any(|text| text.to_lowercase().contains(search))
    }
}

pub(super) fn not_recorded() -> ErrorResponse {
    ErrorResponse::not_found("the recorded session does not have this")
}

/// A window of the rows of a list.
fn window<'a>(
    name: &str,
    rows: impl Iterator<Item = &'a Value>,
    query: &QueryParameters,
) -> Result<Response, ErrorResponse> {
    let (total, rows) = query.window()?.of(rows);
    Ok(respond(&json!({ "total": total, name: rows })))
}

/// The details of an entry.
fn details(entries: &[Entry], is: impl Fn(&Value) -> bool) -> Result<Response, ErrorResponse> {
    let entry = entries.iter().find(|entry| is(&entry.row)).ok_or_else(not_recorded)?;
    let bound = MAX_DETAILS / (1024 * 1024);
    let missing = || {
        let message =
            format!("the recorded session has the newest details only, up to {bound} MiB");
        ErrorResponse::not_found(message)
    };
    Ok(respond(entry.details.as_ref().ok_or_else(missing)?))
}
