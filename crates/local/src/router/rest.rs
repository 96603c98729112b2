//! REST routes: reads of a Pod and a template (interface: "REST reads").

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, Request, State};
use axum::http::Uri;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use axum::{Json, Router};
use serde_json::Value;

use super::account::retirement;
use super::app::App;
use super::fault_injection::with_faults;
use crate::http::{Connection, ErrorResponse, QueryParameters};
use crate::operation::Operation;
use crate::resources::{PodIncludes, Template, TemplateIncludes};
use crate::retired::RetiredInterface;

pub(super) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    let route = |operation: Operation, method: MethodRouter<Arc<App>>| {
        method.route_layer(from_fn_with_state((app.clone(), operation), enter))
    };
    Router::new()
        .route("/v1/pods/{pod_id}", route(Operation::GetPod, get(pod)))
        .route("/v1/templates/{template_id}", route(Operation::GetTemplate, get(template)))
}

async fn enter(
    State((app, operation)): State<(Arc<App>, Operation)>,
    Extension(connection): Extension<Connection>,
    request: Request,
    next: Next,
) -> Response {
    if let Some(gone) = retirement(&app, RetiredInterface::Rest) {
        return gone;
    }
    match app.keys.authenticate(operation, &request) {
        Ok(_) => {
            with_faults(&app, operation, None, &connection, request, |request| next.run(request))
                .await
        }
        Err(refused) => refused.into_response(),
    }
}

async fn pod(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Json<Value>, ErrorResponse> {
    let query = QueryParameters::of(&uri);
    let includes = PodIncludes {
        machine: query.flag("includeMachine")?,
        network_volume: query.flag("includeNetworkVolume")?,
        savings_plans: query.flag("includeSavingsPlans")?,
        template: query.flag("includeTemplate")?,
        workers: query.flag("includeWorkers")?,
    };
    Ok(Json(app.resources.pod(&id_of(id), includes)?))
}

async fn template(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Json<Template>, ErrorResponse> {
    let query = QueryParameters::of(&uri);
    let includes = TemplateIncludes {
        endpoint_bound: query.flag("includeEndpointBoundTemplates")?,
        public: query.flag("includePublicTemplates")?,
        vendor: query.flag("includeVendorTemplates")?,
    };
    Ok(Json(app.resources.template(&id_of(id), includes)?))
}

/// An id in a path. If it does not decode, it is empty, and so unknown.
fn id_of(id: Result<Path<String>, PathRejection>) -> String {
    id.map(|Path(id)| id).unwrap_or_default()
}
