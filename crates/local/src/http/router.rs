//! All paths of the service, and what is answered on any other.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

use super::Refusal;
use crate::app::App;
use crate::{control, graphql, queue, rest};

pub(crate) fn router(app: Arc<App>) -> Router {
    let control = if app.control_plane { control::routes(&app) } else { Router::new() };
    Router::new()
        .merge(control)
        .merge(queue::routes::routes(&app))
        .merge(rest::routes(&app))
        .merge(graphql::routes())
        .fallback(no_such_path)
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(app.clone(), note))
        .with_state(app)
}

async fn note(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if app.control_plane && request.uri().path().starts_with(control::PREFIX) {
        return next.run(request).await;
    }
    let number = app.requests.arrived(request.method(), request.uri());
    let response = next.run(request).await;
    app.requests.answered(number, response.status().as_u16());
    response
}

async fn no_such_path(request: Request) -> Refusal {
    Refusal::not_found(format!("no operation has the path {}", request.uri().path()))
}

async fn no_such_method(request: Request) -> Refusal {
    let message = format!("{} takes no {}", request.uri().path(), request.method());
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message)
}
