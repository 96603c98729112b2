//! Jobs of an endpoint: a list by state and text, the details of a job, and bulk changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::Uri;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bounded_log::{Numbered, Window};
use crate::http::{ErrorResponse, QueryParameters, json as respond, read_json};
use crate::queue::{
    BulkChange, ChangeCounts, Endpoint, FoundJobs, HistoryChunk, JobDetails, JobFilter, JobView,
    cut_json,
};
use crate::router::app::App;
use crate::webhook::{WebhookDelivery, without_credentials};
use crate::worker::PolicyJson;

/// The largest part of a value in the details, in bytes of JSON. The parameter `full` requests all
/// of it.
const MAX_VALUE: usize = 256 * 1024;
/// The number of changes after which the task yields.
const CHANGES_BEFORE_YIELD: usize = 64;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/jobs", get(list))
        .route("/jobs/cancel", post(cancel))
        .route("/jobs/retry", post(retry))
        .route("/jobs/{id}", get(details))
        .route("/activity", get(activity))
}

/// Name of the endpoint in the path of a request.
pub(super) type EndpointName = Result<Path<String>, PathRejection>;

fn endpoint(app: &App, name: &str) -> Result<Arc<Endpoint>, ErrorResponse> {
    let endpoint = app.endpoints.get(name);
    endpoint.ok_or_else(|| ErrorResponse::not_found("no endpoint has this name"))
}

fn name_of(name: EndpointName) -> String {
    name.map(|Path(name)| name).unwrap_or_default()
}

/// A job in the list.
#[derive(Serialize)]
struct JobRow {
    #[serde(flatten)]
    job: JobView,
    input: Option<String>,
    error: Option<String>,
}

async fn list(
    State(app): State<Arc<App>>,
    name: EndpointName,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    #[derive(Serialize)]
    struct List {
        total: usize,
        #[serde(flatten)]
        changeable: ChangeCounts,
        jobs: Vec<JobRow>,
    }
    let query = QueryParameters::of(&uri);
    let given = |name| query.get(name).unwrap_or_default();
    let filter = JobFilter::parse(given("status"), given("search"))?;
    let endpoint = endpoint(&app, &name_of(name))?;
    let FoundJobs { total, changeable, jobs } =
        found(&app, &endpoint, filter, query.window()?).await?;
    let row = |job: JobView| JobRow { input: job.preview(), error: job.error_line(), job };
    let jobs = jobs.into_iter().map(row).collect();
    Ok(respond(&List { total, changeable, jobs }))
}

/// The jobs that match a filter, with those in a window.
async fn found(
    app: &App,
    endpoint: &Arc<Endpoint>,
    filter: JobFilter,
    window: Window,
) -> Result<FoundJobs, ErrorResponse> {
    if !filter.has_search() {
        return Ok(endpoint.views(&filter, window.offset, window.limit));
    }
    let lock = app.search_lock.clone().lock_owned().await;
    let endpoint = endpoint.clone();
    let search = tokio::task::spawn_blocking(move || {
        let _lock = lock;
        let all = endpoint.views(&filter, 0, usize::MAX).jobs.into_iter();
        let mut changeable = ChangeCounts::default();
        let matching = all.filter(|job| filter.matches_text(job));
        let (total, jobs) = window.of(matching.inspect(|job| changeable.add(job.status)));
        FoundJobs { total, changeable, jobs }
    });
    search.await.map_err(|_| ErrorResponse::internal("the search has failed"))
}

async fn activity(
    State(app): State<Arc<App>>,
    name: EndpointName,
) -> Result<Response, ErrorResponse> {
    let activity = endpoint(&app, &name_of(name))?.activity();
    let none = || ErrorResponse::not_found("the service has no page, so it keeps no activity");
    Ok(respond(&activity.ok_or_else(none)?))
}

/// A value, or the beginning of its JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum ValueExcerpt<'a> {
    Whole(&'a Value),
    Beginning(String),
}

/// The details of a job.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobDetailsJson<'a> {
    #[serde(flatten)]
    job: &'a JobView,
    input: Option<ValueExcerpt<'a>>,
    output: Option<ValueExcerpt<'a>>,
    error: Option<&'a str>,
    chunks: &'a [HistoryChunk],
    chunks_total: u64,
    policy: Option<PolicyJson>,
    webhook_url: Option<String>,
    webhook_attempts: Vec<Numbered<WebhookDelivery>>,
    /// The fields that are withheld because they may contain secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    withheld: Vec<&'static str>,
    timeline: Vec<Value>,
    /// The whole length of values that are cut, in bytes of JSON.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    cut: BTreeMap<&'static str, usize>,
}

async fn details(
    State(app): State<Arc<App>>,
    path: Result<Path<(String, String)>, PathRejection>,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    let (name, id) = path.map(|Path(path)| path).unwrap_or_default();
    let found = endpoint(&app, &name)?.job_details(&id);
    let JobDetails { job, chunks, chunks_total } = found.ok_or_else(|| {
        ErrorResponse::not_found("no such job: the id is unknown, or it expired long ago")
    })?;
    if let Some(member) = QueryParameters::of(&uri).get("full") {
        return whole(member, &job, &chunks);
    }
    let mut lengths = BTreeMap::new();
    let mut excerpt = |name, value| match cut_json(value, MAX_VALUE) {
        None => ValueExcerpt::Whole(value),
        Some((text, length)) => {
            lengths.insert(name, length);
            ValueExcerpt::Beginning(text)
        }
    };
    let input = job.input().map(|input| excerpt("input", input));
    let output = job.output.as_deref().map(|output| excerpt("output", output));
    let error = job.error.as_deref().map(|error| {
        let end = (0..=error.len().min(MAX_VALUE)).rfind(|end| error.is_char_boundary(*end));
        let beginning = &error[..end.unwrap_or(0)];
        if beginning.len() < error.len() {
            lengths.insert("error", error.len());
        }
        beginning
    });
    let newest = newest_within(&chunks, MAX_VALUE);
    if newest.len() < chunks.len() {
        lengths.insert("chunks", chunks.iter().map(|chunk| chunk.len() + 1).sum());
    }
    let webhook_url = job.webhook().map(without_credentials);
    let is_webhook_withheld = job.webhook().map(Url::as_str) != webhook_url.as_deref();
    let withheld = [("webhook", is_webhook_withheld), ("s3Config", job.has_s3_config())];
    Ok(respond(&JobDetailsJson {
        input,
        output,
        error,
        chunks: newest,
        chunks_total,
        policy: job.policy(),
        webhook_url,
        withheld: withheld.into_iter().filter_map(|(name, is)| is.then_some(name)).collect(),
        webhook_attempts: app.webhooks.of_job(&job.id),
        timeline: job.timeline(),
        job: &job,
        cut: lengths,
    }))
}

/// A whole value of a job.
fn whole(member: &str, job: &JobView, chunks: &[HistoryChunk]) -> Result<Response, ErrorResponse> {
    let value = match member {
        "input" => job.input().map(respond),
        "output" => job.output.as_deref().map(respond),
        "error" => job.error.as_deref().map(|error| respond(&error)),
        "chunks" => Some(respond(&chunks)),
        _ => {
            let message = "full must be input, output, error or chunks";
            return Err(ErrorResponse::bad_request(message));
        }
    };
    value.ok_or_else(|| ErrorResponse::not_found(format!("the job has no {member}")))
}

/// The last chunks within a number of bytes.
fn newest_within(chunks: &[HistoryChunk], bytes: usize) -> &[HistoryChunk] {
    let mut left = bytes;
    let fits = |chunk: &&HistoryChunk| match left.checked_sub(chunk.len() + 1) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let count = chunks.iter().rev().take_while(fits).count();
    &chunks[chunks.len() - count..]
}

async fn cancel(
    State(app): State<Arc<App>>,
    name: EndpointName,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    change(&app, name, request, BulkChange::Cancel).await
}

async fn retry(
    State(app): State<Arc<App>>,
    name: EndpointName,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    change(&app, name, request, BulkChange::Retry).await
}

/// The jobs to change: by their ids, or all that match a filter.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Selection {
    ids: Option<Vec<String>>,
    status: Option<String>,
    search: Option<String>,
}

async fn change(
    app: &App,
    name: EndpointName,
    request: Request,
    change: BulkChange,
) -> Result<Json<Value>, ErrorResponse> {
    let selection: Selection = read_json(request).await?;
    let endpoint = endpoint(app, &name_of(name))?;
    let ids = match selection {
        Selection { ids: Some(ids), status: None, search: None } => ids,
        Selection { ids: None, status, search } if status.is_some() || search.is_some() => {
            let filter =
                JobFilter::parse(&status.unwrap_or_default(), &search.unwrap_or_default())?;
            let all = Window { offset: 0, limit: usize::MAX };
            let jobs = found(app, &endpoint, filter, all).await?.jobs;
            // The oldest first, so that retried jobs are queued in their original order.
            jobs.into_iter().rev().map(|job| job.id.to_string()).collect()
        }
        _ => {
            let message = "expected ids, or status and search, of which one is enough";
            return Err(ErrorResponse::bad_request(message));
        }
    };
    let mut changed = 0;
    for some in ids.chunks(CHANGES_BEFORE_YIELD) {
        changed += some.iter().filter(|id| endpoint.apply_change(change, id)).count();
        tokio::task::yield_now().await;
    }
    Ok(Json(json!({ "changed": changed, "unchanged": ids.len() - changed })))
}
