//! Replay of a recorded session: the routes that take the place of the control plane. Nothing runs,
//! and every other request is refused.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use futures_util::stream;

use super::app::App;
use super::control::{self, PREFIX};
use super::session::{Session, not_recorded};
use crate::http::{ErrorResponse, QueryParameters, decoded};

/// The routes of a service that replays a session, in place of those of the control plane.
pub(super) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    let path = format!("{PREFIX}/{{*path}}");
    let routes = Router::new().route(&path, any(read));
    routes.route_layer(from_fn_with_state(app.clone(), control::authorize))
}

async fn read(State(app): State<Arc<App>>, request: Request) -> Response {
    let (Some(session), true) = (&app.session, request.method() == Method::GET) else {
        return refusal().into_response();
    };
    let path = request.uri().path();
    let path = path.strip_prefix(PREFIX).unwrap_or(path);
    if path == "/events" {
        return events(&app, session);
    }
    let segments: Result<Vec<_>, _> = path.split('/').skip(1).map(decoded).collect();
    let Ok(segments) = segments else { return not_recorded().into_response() };
    let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
    session.read(&segments, &QueryParameters::of(request.uri())).into_response()
}

/// A single event, and then none: nothing changes.
fn events(app: &App, session: &Session) -> Response {
    let event = Event::default().event("state").data(session.event().to_string());
    let stopping = app.stopping.clone();
    let events = stream::unfold(Some(event), move |event| {
        let stopping = stopping.clone();
        async move {
            if event.is_none() {
                stopping.cancelled().await;
            }
            event.map(|event| (Ok::<_, Infallible>(event), None))
        }
    });
    Sse::new(events).keep_alive(KeepAlive::new()).into_response()
}

/// The response to a request that a recorded session cannot have.
pub(super) fn refusal() -> ErrorResponse {
    let message = "this is a recorded session: nothing runs, and nothing can be changed";
    ErrorResponse::new(StatusCode::CONFLICT, message)
}
