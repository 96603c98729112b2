//! The REST interface: reading one Pod and one template (interface: "REST reads").

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Extension, Path, Request, State};
use axum::http::Uri;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};
use axum::{Json, Router};
use serde_json::Value;

use crate::app::App;
use crate::catalog::{PodIncludes, Template, TemplateIncludes};
use crate::http::{Connection, QueryParameters, Refusal, authenticate, through};
use crate::operation::Operation;

pub(crate) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
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
    match authenticate(&app.keys, operation, &request) {
        Ok(_) => {
            through(&app, operation, None, &connection, request, |request| next.run(request)).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

async fn pod(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Json<Value>, Refusal> {
    let query = QueryParameters::of(&uri);
    let includes = PodIncludes {
        machine: query.flag("includeMachine")?,
        network_volume: query.flag("includeNetworkVolume")?,
        savings_plans: query.flag("includeSavingsPlans")?,
        template: query.flag("includeTemplate")?,
        workers: query.flag("includeWorkers")?,
    };
    id.ok().and_then(|Path(id)| app.catalog.pod(&id, includes)).map(Json).ok_or_else(|| {
        Refusal::not_found("no such Pod; one that is a serverless worker needs includeWorkers")
    })
}

async fn template(
    State(app): State<Arc<App>>,
    id: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Json<Template>, Refusal> {
    let query = QueryParameters::of(&uri);
    let includes = TemplateIncludes {
        endpoint_bound: query.flag("includeEndpointBoundTemplates")?,
        public: query.flag("includePublicTemplates")?,
        vendor: query.flag("includeVendorTemplates")?,
    };
    id.ok().and_then(|Path(id)| app.catalog.template(&id, includes)).map(Json).ok_or_else(|| {
        Refusal::not_found(
            "no such template; one that is endpoint-bound, public or official needs its \
             include parameter",
        )
    })
}
