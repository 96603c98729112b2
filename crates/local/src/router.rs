//! Router: the paths of the service, and the order in which a request passes its checks: host and
//! origin, key, rate limit, fault, and then the operation.
//!
//! - `queue`: the queue, and `worker_protocol` for workers that attach
//! - `account`: the account interface
//! - `rest`, `graphql`: Pods, templates and secrets
//! - `control`: the control plane `/_local`; `page`: the page for a browser
//! - `session`: what the page shows, in a file; `recording` and `replay` of it
//! - `api_keys`: the keys and their permissions; `fault_injection`: the effects of faults

mod account;
mod api_keys;
mod app;
mod control;
mod fault_injection;
mod graphql;
mod page;
mod queue;
#[cfg(feature = "program")]
mod recording;
mod replay;
mod rest;
mod session;
mod worker_protocol;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use tower_service::Service;

use self::fault_injection::Faulted;
use crate::http::{BodyCopy, ErrorResponse, Peer};

pub(crate) use api_keys::{ApiKey, ApiKeys};
pub(crate) use app::{App, OpenApiDescriptions};
pub(crate) use session::Session;

/// The request handler of the service.
///
/// The queue has most of the traffic, and a few paths of one form: [`queue::Route`] parses them, at
/// a fraction of the cost of axum's router with its layers. It also has what axum's cannot
/// express: paths that a strict service does not know, and names that end at the first `&`. axum
/// routes all other paths.
#[derive(Clone)]
pub(crate) struct Router {
    app: Arc<App>,
    routes: axum::Router,
}

impl Router {
    pub(crate) fn new(app: Arc<App>) -> Self {
        let none = axum::Router::new;
        let control = match &app.session {
            Some(_) => replay::routes(&app),
            None if app.control_plane => control::routes(&app),
            None => none(),
        };
        let page = if app.keys.page_token().is_some() { page::routes() } else { none() };
        let routes = axum::Router::new()
            .merge(control)
            .merge(page)
            .merge(account::routes())
            .merge(rest::routes(&app))
            .merge(graphql::routes())
            .fallback(unknown_path)
            .method_not_allowed_fallback(wrong_method)
            .with_state(app.clone());
        Self { app, routes }
    }

    /// Returns true if a path is of the control plane or the page.
    fn is_control_path(&self, path: &str) -> bool {
        (self.app.control_plane && path.starts_with(control::PREFIX))
            || (self.app.keys.page_token().is_some() && path == page::ROOT)
    }

    async fn route(&self, peer: &Peer, mut request: Request) -> Response {
        request.extensions_mut().insert(peer.connection.clone());
        let Ok(response) = self.routes.clone().call(request).await;
        response
    }
}

impl Router {
    /// Responds to a request, and logs it, unless it is to the control plane or the page.
    pub(crate) async fn respond(&self, peer: &Peer, request: Request) -> Response {
        let app = &self.app;
        let checked = app.host_check.check(&request, peer.local);
        let is_authenticated = checked.is_ok() && app.keys.is_any_key_in(&request);
        if is_authenticated {
            peer.connection.mark_authenticated();
        }
        if self.is_control_path(request.uri().path()) {
            let mut response = match checked {
                Ok(()) => self.route(peer, request).await,
                Err(refused) => refused.into_response(),
            };
            if app.keys.page_token().is_some() {
                page::set_security_headers(&mut response);
            }
            return response;
        }
        if app.session.is_some() {
            return checked.err().unwrap_or_else(replay::refusal).into_response();
        }
        let uri = request.uri().clone();
        let route = queue::Route::of(uri.path()).filter(|route| route.is_served(app.is_strict));
        // The polls and pings of attached workers would displace all other requests.
        let is_of_worker = route.as_ref().is_some_and(queue::Route::is_of_workers);
        let is_logged = !(is_authenticated && is_of_worker);
        let entry =
            is_logged.then(|| app.requests.add(request.method(), request.uri(), is_authenticated));
        // Only of the queue: bodies of the account interface have secrets.
        let keeps_bodies = app.keys.page_token().is_some() && is_authenticated && route.is_some();
        let (request, sent) = if keeps_bodies && is_logged {
            let (parts, body) = request.into_parts();
            let (body, sent) = BodyCopy::of(body);
            (Request::from_parts(parts, body), Some(sent))
        } else {
            (request, None)
        };
        let mut response = match (checked, route) {
            (Err(refused), _) => refused.into_response(),
            (Ok(()), Some(route)) => route.respond(app, &peer.connection, request).await,
            (Ok(()), None) => self.route(peer, request).await,
        };
        if let Some(entry) = entry {
            let is_faulted = response.extensions().get::<Faulted>().is_some();
            app.requests.set_response(entry, response.status().as_u16(), is_faulted);
            if let Some(sent) = sent {
                let (parts, body) = response.into_parts();
                let (body, received) = BodyCopy::of(body);
                app.requests.keep_bodies(entry, sent, received);
                response = Response::from_parts(parts, body);
            }
        }
        response
    }
}

async fn unknown_path(State(app): State<Arc<App>>, request: Request) -> ErrorResponse {
    let path = request.uri().path();
    let endpoint = path.strip_prefix("/v2/").and_then(|it| it.split('/').next());
    let unserved = endpoint.and_then(|endpoint| app.account.why_unserved(endpoint));
    let message = unserved.unwrap_or_else(|| format!("no operation has the path {path}"));
    ErrorResponse::not_found(message)
}

async fn wrong_method(request: Request) -> ErrorResponse {
    ErrorResponse::wrong_method(&request)
}
