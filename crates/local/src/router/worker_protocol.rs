//! Worker protocol over HTTP: `{base_url}/v2/{endpoint_id}/job-take/{worker}` and the other paths
//! of workers that attach.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::app::App;
use crate::http::{BodyError, ErrorResponse, QueryParameters, decoded, json, read_body};
use crate::operation::Operation;
use crate::queue::{AssignedJob, Chunk, Endpoint, Mode, Report, Unhealthy, WorkerProtocol};
use crate::worker::JobJson;

/// The largest number of jobs of one request.
const MAX_BATCH: usize = 100;

/// The names in a path after its operation, and the query. Workers append `&` and parameters to
/// URLs that were configured without a query, so the names end at the first `&`.
struct PathNames<'a> {
    worker: &'a str,
    job: &'a str,
    parameters: QueryParameters,
}

impl<'a> PathNames<'a> {
    fn of(rest: &'a str, uri: &Uri) -> Self {
        let (names, in_path) = rest.split_once('&').unwrap_or((rest, ""));
        let (worker, job) = names.split_once('/').unwrap_or((names, ""));
        let query = uri.query().unwrap_or_default();
        Self { worker, job, parameters: QueryParameters::parse(&format!("{in_path}&{query}")) }
    }
}

/// Returns true if the rest of a path has the names that its operation requires.
pub(super) fn has_required_names(operation: Operation, rest: &str) -> bool {
    let names = rest.split('&').next().unwrap_or_default();
    let mut names = names.split('/');
    let is_named = |name: Option<&str>| name.is_some_and(|name| !name.is_empty());
    is_named(names.next())
        && (!has_job_name(operation) || is_named(names.next()))
        && names.next().is_none()
}

fn has_job_name(operation: Operation) -> bool {
    matches!(operation, Operation::JobStream | Operation::JobDone)
}

/// Checks an id, which is shown in logs and used in paths.
fn check_id(of: &str, id: &str) -> Result<(), ErrorResponse> {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if id.starts_with('.') || !id.bytes().all(is_usual) {
        let why = "may only have letters, digits, `_`, `-` and, but not first, `.`";
        return Err(ErrorResponse::bad_request(format!("the id of the {of} {why}")));
    }
    Ok(())
}

/// Processes a request of a worker.
pub(super) async fn process(
    app: &App,
    operation: Operation,
    endpoint: &Arc<Endpoint>,
    rest: &str,
    request: Request,
) -> Result<Response, ErrorResponse> {
    // Checked first, because a worker with a wrong URL should get this error.
    let endpoint = endpoint.worker_protocol()?;
    let PathNames { worker, job, parameters } = PathNames::of(rest, request.uri());
    let (worker, job) = (decoded(worker)?, decoded(job)?);
    let (worker, job) = (worker.as_ref(), job.as_ref());
    check_id("worker", worker)?;
    if has_job_name(operation) {
        check_id("job", job)?;
    }
    Ok(match operation {
        Operation::JobTake => match endpoint.take_jobs(worker, 1).await?.first() {
            Some(job) => json(&job_json(job)),
            None => no_content(),
        },
        Operation::JobTakeBatch => {
            let jobs = endpoint.take_jobs(worker, batch_size(&parameters)?).await?;
            if jobs.is_empty() {
                no_content()
            } else {
                json(&jobs.iter().map(job_json).collect::<Vec<_>>())
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
                no_content()
            } else {
                json(&Stop { jobs_to_stop: jobs.iter().map(ToString::to_string).collect() })
            }
        }
        Operation::JobStream | Operation::JobDone => {
            take_report(app, operation, endpoint, worker, job, request).await?;
            empty_object()
        }
        Operation::Ping => {
            let runs = parameters.get("job_id").unwrap_or_default().split(',');
            let runs = runs.map(str::trim).filter(|id| !id.is_empty());
            endpoint.ping(worker, runs, unhealthy(&parameters));
            empty_object()
        }
        _ => return Err(ErrorResponse::internal("not an operation of workers")),
    })
}

async fn take_report(
    app: &App,
    operation: Operation,
    endpoint: WorkerProtocol<'_>,
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
    // Only a report that was incomplete may succeed when it is sent again.
    let is_final = !matches!(body, Err(BodyError::Incomplete(_)));
    let taken = body.map_err(ErrorResponse::from).and_then(|body| {
        if operation == Operation::JobStream {
            endpoint.chunk(worker, job, Chunk::parse(&body)?);
        } else {
            endpoint.report(worker, job, Report::parse(&body)?, body.len(), max)?;
        }
        Ok(())
    });
    taken.inspect_err(|refusal| endpoint.note_refusal(worker, job, &refusal.message, is_final))
}

fn job_json(job: &AssignedJob) -> JobJson<'_> {
    let submission = &job.submission;
    JobJson {
        id: &job.id,
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

/// The response if there are no jobs.
fn no_content() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// The response to a report.
fn empty_object() -> Response {
    let mut response = Response::new(Body::from("{}"));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
