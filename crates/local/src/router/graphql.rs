//! GraphQL route: body and response over HTTP.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::json;

use super::account::retirement;
use super::app::App;
use super::fault_injection::with_faults;
use crate::graphql::{self, GraphQlOutcome};
use crate::http::{Connection, ErrorResponse, read_body, require_json};
use crate::operation::Operation;
use crate::retired::RetiredInterface;

/// Far more than any template or secret needs.
const MAX_BODY: usize = 10 * 1024 * 1024;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/graphql", post(enter))
}

async fn enter(
    State(app): State<Arc<App>>,
    Extension(connection): Extension<Connection>,
    request: Request,
) -> Response {
    if let Some(gone) = retirement(&app, RetiredInterface::GraphQl) {
        return gone;
    }
    let admitted = app.keys.authenticate(Operation::GraphQl, &request);
    if let Err(refused) = admitted.and_then(|_| require_json(&request)) {
        return with_errors(refused);
    }
    let process = |request: Request| async {
        execute(&app, request.into_body()).await.unwrap_or_else(with_errors)
    };
    with_faults(&app, Operation::GraphQl, None, &connection, request, process).await
}

/// Responds with 200 if the document was executed, even with errors of fields, and else with 400.
async fn execute(app: &App, body: Body) -> Result<Response, ErrorResponse> {
    let body = read_body(body, MAX_BODY).await?;
    Ok(match graphql::execute(&app.schema, &body).await? {
        GraphQlOutcome::Executed(response) => Json(response).into_response(),
        GraphQlOutcome::Invalid(response) => {
            (StatusCode::BAD_REQUEST, Json(json!({ "errors": response.errors }))).into_response()
        }
    })
}

/// An error response in the shape of GraphQL.
fn with_errors(refused: ErrorResponse) -> Response {
    let body = json!({ "errors": [{ "message": refused.message }] });
    (refused.status, Json(body)).into_response()
}
