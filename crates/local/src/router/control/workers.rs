//! Routes of the workers of an endpoint: attached workers, their environment, and the worker log.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use reqwest::Url;
use serde_json::{Value, json};

use super::jobs::EndpointName;
use crate::http::{ErrorResponse, QueryParameters};
use crate::queue::Endpoint;
use crate::router::app::App;
use crate::worker::{WorkerEnvironment, WorkerLogLine};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/workers", get(workers))
        .route("/worker-env", get(environment))
        .route("/worker-logs", get(worker_logs))
}

async fn workers(
    State(app): State<Arc<App>>,
    name: EndpointName,
) -> Result<Json<Value>, ErrorResponse> {
    let endpoint = attachable(&app, name)?;
    Ok(Json(json!(endpoint.worker_protocol()?.workers())))
}

/// The environment as a file for a container: a variable on each line, without quotes.
async fn environment(
    State(app): State<Arc<App>>,
    name: EndpointName,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    let endpoint = attachable(&app, name)?;
    let program = endpoint.worker_protocol()?.program;
    let mut environment: WorkerEnvironment = program.environment.clone();
    if let Some(base_url) = QueryParameters::of(&uri).get("base_url") {
        let is_url = Url::parse(base_url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        if !is_url || base_url.contains(char::is_whitespace) {
            return Err(ErrorResponse::bad_request(
                "base_url must be a URL such as http://host.docker.internal:8000",
            ));
        }
        environment.base_url = base_url.trim_end_matches('/').to_owned();
    }
    let line = |(name, value)| format!("{name}={value}\n");
    let text: String = environment.variables(None).into_iter().map(line).collect();
    Ok(text.into_response())
}

async fn worker_logs(
    State(app): State<Arc<App>>,
    name: EndpointName,
    uri: Uri,
) -> Result<Json<Value>, ErrorResponse> {
    let endpoint = name.ok().and_then(|Path(name)| app.endpoints.get(&name));
    let log = endpoint.as_ref().and_then(|endpoint| endpoint.log()).ok_or_else(|| {
        ErrorResponse::not_found("no endpoint of this name has workers that are processes")
    })?;
    let query = QueryParameters::of(&uri);
    let search = query.get("search").unwrap_or_default().to_ascii_lowercase();
    let matches = |line: &WorkerLogLine| {
        query.get("worker").is_none_or(|worker| worker == line.worker)
            && query.get("job").is_none_or(|job| line.job.as_deref() == Some(job))
            && (search.is_empty() || line.text.to_ascii_lowercase().contains(&search))
    };
    if ["offset", "limit", "search"].iter().any(|name| query.get(name).is_some()) {
        let (total, lines) = log.window(query.window()?, matches);
        return Ok(Json(json!({ "total": total, "logs": lines })));
    }
    let mut lines = log.all();
    lines.retain(matches);
    Ok(Json(json!(lines)))
}

/// The endpoint of this name, if workers attach to it.
fn attachable(app: &App, name: EndpointName) -> Result<Arc<Endpoint>, ErrorResponse> {
    let endpoint = name.ok().and_then(|Path(name)| app.endpoints.get(&name));
    let endpoint = endpoint.filter(|endpoint| endpoint.worker_protocol().is_ok());
    let none = "no workers attach to an endpoint of this name";
    endpoint.ok_or_else(|| ErrorResponse::not_found(none))
}
