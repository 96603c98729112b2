//! Routes of the fault scenarios.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::http::{ErrorResponse, read_json};
use crate::router::app::App;
use crate::scenarios::{Scenario, ScenarioRecord};

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/scenarios", get(list))
        .route("/scenarios/{name}", put(define).delete(end))
        .route("/scenarios/{name}/start", post(start))
}

type ScenarioName = Result<Path<String>, PathRejection>;

async fn list(State(app): State<Arc<App>>) -> Json<Vec<ScenarioRecord>> {
    Json(app.scenarios.list(&app.faults))
}

/// Defines a scenario, in place of one of its name, and starts it.
async fn define(
    State(app): State<Arc<App>>,
    name: ScenarioName,
    request: Request,
) -> Result<Json<Value>, ErrorResponse> {
    let name = name.map(|Path(name)| name).unwrap_or_default();
    let json: Value = read_json(request).await?;
    let scenario = Scenario::of_json(&json, name.clone())?;
    if *scenario.name != *name {
        let message = format!("the path names the scenario {name:?}, its body {:?}", scenario.name);
        return Err(ErrorResponse::bad_request(message));
    }
    app.scenarios.define(scenario, &app.faults);
    Ok(Json(json!({})))
}

async fn start(
    State(app): State<Arc<App>>,
    name: ScenarioName,
) -> Result<Json<Value>, ErrorResponse> {
    response(name.is_ok_and(|Path(name)| app.scenarios.start(&name, &app.faults)))
}

async fn end(
    State(app): State<Arc<App>>,
    name: ScenarioName,
) -> Result<Json<Value>, ErrorResponse> {
    response(name.is_ok_and(|Path(name)| app.scenarios.end(&name, &app.faults)))
}

fn response(is_known: bool) -> Result<Json<Value>, ErrorResponse> {
    if is_known { Ok(Json(json!({}))) } else { Err(ErrorResponse::not_found("no such scenario")) }
}
