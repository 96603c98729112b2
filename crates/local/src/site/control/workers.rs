//! The workers of an endpoint that attach, and what worker processes print.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use reqwest::Url;
use serde_json::{Value, json};

use super::logs::Numbered;
use crate::http::{ErrorResponse, QueryParameters};
use crate::queue::Attachable;
use crate::site::app::App;
use crate::worker::{Environment, WorkerLog};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/workers", get(workers))
        .route("/worker-env", get(environment))
        .route("/worker-logs", get(logs))
}

type Name = Result<Path<String>, PathRejection>;

async fn workers(State(app): State<Arc<App>>, name: Name) -> Result<Json<Value>, ErrorResponse> {
    Ok(Json(json!(found(&app, name)?.workers())))
}

/// The environment as a file for a container: one variable per line, nothing quoted.
async fn environment(
    State(app): State<Arc<App>>,
    name: Name,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    let crew = found(&app, name)?.crew;
    let mut environment: Environment = crew.environment.clone();
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

async fn logs(
    State(app): State<Arc<App>>,
    name: Name,
    uri: Uri,
) -> Result<Json<Value>, ErrorResponse> {
    let endpoint = name.ok().and_then(|Path(name)| app.endpoints.get(&name));
    let logs = endpoint.and_then(|endpoint| endpoint.logs()).ok_or_else(|| {
        ErrorResponse::not_found("no endpoint of this name has workers that are processes")
    })?;
    let query = QueryParameters::of(&uri);
    let search = query.get("search").unwrap_or_default().to_ascii_lowercase();
    let is_wanted = |line: &WorkerLog| {
        query.get("worker").is_none_or(|worker| worker == line.worker)
            && query.get("job").is_none_or(|job| line.job.as_deref() == Some(job))
            && (search.is_empty() || line.text.to_ascii_lowercase().contains(&search))
    };
    if ["offset", "limit", "search"].iter().any(|name| query.get(name).is_some()) {
        let (total, lines) = logs.window(query.window()?, is_wanted);
        let lines: Vec<_> = lines.into_iter().map(Numbered::from).collect();
        return Ok(Json(json!({ "total": total, "logs": lines })));
    }
    let mut lines = logs.all();
    lines.retain(is_wanted);
    Ok(Json(json!(lines)))
}

fn found(app: &App, name: Name) -> Result<Attachable<'_>, ErrorResponse> {
    let endpoint = name.ok().and_then(|Path(name)| app.endpoints.get(&name));
    let attachable = endpoint.and_then(|endpoint| endpoint.attachable().ok());
    let none = "no workers attach to an endpoint of this name";
    attachable.ok_or_else(|| ErrorResponse::not_found(none))
}
