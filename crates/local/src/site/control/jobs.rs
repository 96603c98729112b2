//! The jobs of an endpoint as the page shows them, and changes of many at once.

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

use super::body::parsed;
use super::logs::Numbered;
use crate::excerpt::cut;
use crate::http::{ErrorResponse, QueryParameters, json as respond};
use crate::queue::{Change, Endpoint, Filter, JobView, Shown, ShownChunk};
use crate::site::app::App;
use crate::webhook::{WebhookDelivery, without_credentials};
use crate::window::Window;
use crate::worker::Policy;

/// How much of a value is sent unless all of it is asked for, in bytes of JSON.
const MAX_VALUE: usize = 256 * 1024;
/// After how many changes others get a turn.
const CHANGES_AT_ONCE: usize = 64;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/jobs", get(list))
        .route("/jobs/cancel", post(cancel))
        .route("/jobs/retry", post(retry))
        .route("/jobs/{id}", get(one))
}

type Name = Result<Path<String>, PathRejection>;

fn endpoint<'a>(app: &'a App, name: &str) -> Result<&'a Arc<Endpoint>, ErrorResponse> {
    let endpoint = app.endpoints.get(name);
    endpoint.ok_or_else(|| ErrorResponse::not_found("no endpoint has this name"))
}

fn text(name: Name) -> String {
    name.map(|Path(name)| name).unwrap_or_default()
}

#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    job: JobView,
    input: Option<String>,
}

async fn list(
    State(app): State<Arc<App>>,
    name: Name,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    #[derive(Serialize)]
    struct List {
        total: usize,
        jobs: Vec<Row>,
    }
    let query = QueryParameters::of(&uri);
    let given = |name| query.get(name).unwrap_or_default();
    let filter = Filter::parse(given("status"), given("search"))?;
    let endpoint = endpoint(&app, &text(name))?;
    let (total, jobs) = found(&app, endpoint, filter, query.window()?).await?;
    let jobs = jobs.into_iter().map(|job| Row { input: job.preview(), job }).collect();
    Ok(respond(&List { total, jobs }))
}

/// How many jobs a filter finds, and those of them in a window, the newest first.
async fn found(
    app: &App,
    endpoint: &Arc<Endpoint>,
    filter: Filter,
    window: Window,
) -> Result<(usize, Vec<JobView>), ErrorResponse> {
    if !filter.searches() {
        return Ok(endpoint.views(&filter, window.offset, window.limit));
    }
    let turn = app.searching.clone().lock_owned().await;
    let endpoint = endpoint.clone();
    let search = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let (_, jobs) = endpoint.views(&filter, 0, usize::MAX);
        window.of(jobs.into_iter().filter(|job| filter.finds(job)))
    });
    search.await.map_err(|_| ErrorResponse::internal("the search has failed"))
}

/// A value, or the beginning of its JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum Excerpt<'a> {
    Whole(&'a Value),
    Beginning(String),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Job<'a> {
    #[serde(flatten)]
    job: &'a JobView,
    input: Option<Excerpt<'a>>,
    output: Option<Excerpt<'a>>,
    error: Option<&'a str>,
    chunks: &'a [ShownChunk],
    chunks_total: u64,
    policy: Option<Policy>,
    webhook_url: Option<String>,
    webhook_tries: Vec<Numbered<WebhookDelivery>>,
    /// What a copy of the job lacks, as it may be secret.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    withheld: Vec<&'static str>,
    timeline: Vec<Value>,
    /// What is not whole, and how long it is in bytes of JSON.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    cut: BTreeMap<&'static str, usize>,
}

async fn one(
    State(app): State<Arc<App>>,
    path: Result<Path<(String, String)>, PathRejection>,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    let (name, id) = path.map(|Path(path)| path).unwrap_or_default();
    let found = endpoint(&app, &name)?.shown(&id);
    let Shown { job, chunks, chunks_total } = found.ok_or_else(|| {
        ErrorResponse::not_found("no such job: the id is unknown, or it expired long ago")
    })?;
    if let Some(member) = QueryParameters::of(&uri).get("full") {
        return whole(member, &job, &chunks);
    }
    let mut lengths = BTreeMap::new();
    let mut excerpt = |name, value| match cut(value, MAX_VALUE) {
        None => Excerpt::Whole(value),
        Some((text, length)) => {
            lengths.insert(name, length);
            Excerpt::Beginning(text)
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
    let hides_webhook = job.webhook().map(Url::as_str) != webhook_url.as_deref();
    let withheld = [("webhook", hides_webhook), ("s3Config", job.has_s3_config())];
    Ok(respond(&Job {
        input,
        output,
        error,
        chunks: newest,
        chunks_total,
        policy: job.policy(),
        webhook_url,
        withheld: withheld.into_iter().filter_map(|(name, is)| is.then_some(name)).collect(),
        webhook_tries: app.webhooks.of_job(&job.id).into_iter().map(Numbered::from).collect(),
        timeline: job.timeline(),
        job: &job,
        cut: lengths,
    }))
}

/// One value of a job, all of it.
fn whole(member: &str, job: &JobView, chunks: &[ShownChunk]) -> Result<Response, ErrorResponse> {
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

/// The last of the chunks that take no more than so many bytes.
fn newest_within(chunks: &[ShownChunk], bytes: usize) -> &[ShownChunk] {
    let mut room = bytes;
    let fits = |chunk: &&ShownChunk| match room.checked_sub(chunk.len() + 1) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    let count = chunks.iter().rev().take_while(fits).count();
    &chunks[chunks.len() - count..]
}

async fn cancel(
    State(app): State<Arc<App>>,
    name: Name,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    change(&app, name, request, Change::Cancel).await
}

async fn retry(
    State(app): State<Arc<App>>,
    name: Name,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    change(&app, name, request, Change::Retry).await
}

/// Which jobs are to be changed: those with an id, or all that a filter finds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Selection {
    ids: Option<Vec<String>>,
    status: Option<String>,
    search: Option<String>,
}

async fn change(
    app: &App,
    name: Name,
    request: Request,
    change: Change,
) -> Result<Json<Value>, ErrorResponse> {
    let selection: Selection = parsed(request).await?;
    let endpoint = endpoint(app, &text(name))?;
    let ids = match selection {
        Selection { ids: Some(ids), status: None, search: None } => ids,
        Selection { ids: None, status, search } if status.is_some() || search.is_some() => {
            let filter = Filter::parse(&status.unwrap_or_default(), &search.unwrap_or_default())?;
            let all = Window { offset: 0, limit: usize::MAX };
            let (_, jobs) = found(app, endpoint, filter, all).await?;
            // The oldest first, so that they are queued in the order in which they were before.
            jobs.into_iter().rev().map(|job| job.id.to_string()).collect()
        }
        _ => {
            let message = "expected ids, or status and search, of which one is enough";
            return Err(ErrorResponse::bad_request(message));
        }
    };
    let mut changed = 0;
    for some in ids.chunks(CHANGES_AT_ONCE) {
        changed += some.iter().filter(|id| endpoint.apply(change, id)).count();
        tokio::task::yield_now().await;
    }
    Ok(Json(json!({ "changed": changed, "unchanged": ids.len() - changed })))
}
