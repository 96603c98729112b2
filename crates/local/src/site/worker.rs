//! The worker's side of the queue: `{base_url}/v2/{endpoint_id}/job-take/{worker}` and its like.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::app::App;
use crate::http::{ErrorResponse, QueryParameters, Unread, decoded, json, read_body};
use crate::operation::Operation;
use crate::queue::{Attachable, Chunk, Endpoint, Mode, Report, Taken, Unhealthy};
use crate::worker::Assignment;

/// How many jobs one request takes at most.
const MAX_BATCH: usize = 100;

/// What a path names after its operation. A URL that was configured without a query gets the
/// worker's parameters appended to its path, so the names end at the first `&`.
struct Names<'a> {
    worker: &'a str,
    job: &'a str,
    parameters: QueryParameters,
}

impl<'a> Names<'a> {
    fn of(rest: &'a str, uri: &Uri) -> Self {
        let (names, in_path) = rest.split_once('&').unwrap_or((rest, ""));
        let (worker, job) = names.split_once('/').unwrap_or((names, ""));
        let query = uri.query().unwrap_or_default();
        Self { worker, job, parameters: QueryParameters::parse(&format!("{in_path}&{query}")) }
    }
}

/// Whether what comes after an operation in a path names what it should.
pub(super) fn is_whole(operation: Operation, rest: &str) -> bool {
    let names = rest.split('&').next().unwrap_or_default();
    let mut names = names.split('/');
    let is_named = |name: Option<&str>| name.is_some_and(|name| !name.is_empty());
    is_named(names.next())
        && (!is_of_a_job(operation) || is_named(names.next()))
        && names.next().is_none()
}

fn is_of_a_job(operation: Operation) -> bool {
    matches!(operation, Operation::JobStream | Operation::JobDone)
}

/// An id is shown in logs, and stands in paths.
fn require_id(whose: &str, id: &str) -> Result<(), ErrorResponse> {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if id.starts_with('.') || !id.bytes().all(is_usual) {
        let why = "may only have letters, digits, `_`, `-` and, but not first, `.`";
        return Err(ErrorResponse::bad_request(format!("the id of the {whose} {why}")));
    }
    Ok(())
}

/// Does what a worker requests.
pub(super) async fn process(
    app: &App,
    operation: Operation,
    endpoint: &Arc<Endpoint>,
    rest: &str,
    request: Request,
) -> Result<Response, ErrorResponse> {
    // First, since a worker whose URL is wrong should learn that, and not what else is.
    let endpoint = endpoint.attachable()?;
    let Names { worker, job, parameters } = Names::of(rest, request.uri());
    let (worker, job) = (decoded(worker)?, decoded(job)?);
    let (worker, job) = (worker.as_ref(), job.as_ref());
    require_id("worker", worker)?;
    if is_of_a_job(operation) {
        require_id("job", job)?;
    }
    Ok(match operation {
        Operation::JobTake => match endpoint.take(worker, 1).await?.first() {
            Some(taken) => json(&assignment(taken)),
            None => nothing(),
        },
        Operation::JobTakeBatch => {
            let most = batch_size(&parameters)?;
            let taken = endpoint.take(worker, most).await?;
            if taken.is_empty() {
                nothing()
            } else {
                json(&taken.iter().map(assignment).collect::<Vec<_>>())
            }
        }
        Operation::JobStop => {
            #[derive(Serialize)]
            #[serde(rename_all = "camelCase")]
            struct Stop {
                jobs_to_stop: Vec<String>,
            }
            let jobs = endpoint.jobs_to_stop(worker).await?;
            if jobs.is_empty() {
                nothing()
            } else {
                json(&Stop { jobs_to_stop: jobs.iter().map(ToString::to_string).collect() })
            }
        }
        Operation::JobStream | Operation::JobDone => {
            take_report(app, operation, endpoint, worker, job, request).await?;
            done()
        }
        Operation::Ping => {
            let runs = parameters.get("job_id").unwrap_or_default().split(',');
            let runs = runs.map(str::trim).filter(|id| !id.is_empty());
            endpoint.ping(worker, runs, unhealthy(&parameters));
            done()
        }
        _ => return Err(ErrorResponse::internal("not an operation of workers")),
    })
}

async fn take_report(
    app: &App,
    operation: Operation,
    endpoint: Attachable<'_>,
    worker: &str,
    job: &str,
    request: Request,
) -> Result<(), ErrorResponse> {
    let largest = match operation {
        Operation::JobStream => app.max_runsync_payload,
        _ => app.max_runsync_payload.max(app.max_run_payload),
    };
    let max = |mode| match mode {
        Mode::Async => app.max_run_payload,
        Mode::Sync { .. } => app.max_runsync_payload,
    };
    let body = read_body(request.into_body(), largest).await;
    // Only one that did not arrive whole may fare better the next time.
    let for_good = !matches!(body, Err(Unread::BrokenOff(_)));
    let taken = body.map_err(ErrorResponse::from).and_then(|body| {
        if operation == Operation::JobStream {
            endpoint.chunk(worker, job, Chunk::parse(&body)?);
        } else {
            endpoint.report(worker, job, Report::parse(&body)?, body.len(), max)?;
        }
        Ok(())
    });
    taken.inspect_err(|refusal| endpoint.note_refusal(worker, job, &refusal.message, for_good))
}

fn assignment(taken: &Taken) -> Assignment<'_> {
    let submission = &taken.submission;
    Assignment {
        id: &taken.id,
        input: &submission.input,
        policy: submission.policy,
        s3_config: submission.s3_config.as_ref(),
        webhook: submission.webhook.as_ref().map(|url| url.as_str()),
    }
}

fn batch_size(parameters: &QueryParameters) -> Result<usize, ErrorResponse> {
    let Some(size) = parameters.get("batch_size") else { return Ok(1) };
    let size = size.parse().ok().filter(|size| *size > 0);
    let size: usize =
        size.ok_or_else(|| ErrorResponse::bad_request("batch_size must be a positive integer"))?;
    Ok(size.min(MAX_BATCH))
}

fn unhealthy(parameters: &QueryParameters) -> Option<Unhealthy> {
    let given = |name| parameters.get(name).map(str::to_owned);
    (parameters.get("status") == Some("unhealthy"))
        .then(|| Unhealthy { check: given("check"), reason: given("reason") })
}

/// There is nothing to do.
fn nothing() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// A report has arrived.
fn done() -> Response {
    let mut response = Response::new(Body::from("{}"));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
