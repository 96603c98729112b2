//! All paths of the service, and how each is entered: keys, limits and faults come before the work.

mod app;
mod control;
mod faults;
mod graphql;
mod keys;
mod page;
mod queue;
mod refusals;
mod rest;
mod worker;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use tower_service::Service;

use self::faults::Faulted;
use crate::http::{ErrorResponse, Peer, Responder};

pub(crate) use app::App;
pub(crate) use keys::{ApiKey, Keys};

/// All that can be requested.
///
/// The queue has most of the traffic, and a few paths of one form: it takes them apart itself,
/// which costs a fraction of what a general router with its layers does. That one has the rest.
#[derive(Clone)]
pub(crate) struct Site {
    app: Arc<App>,
    others: Router,
}

impl Site {
    pub(crate) fn new(app: Arc<App>) -> Self {
        let control = if app.control_plane { control::routes(&app) } else { Router::new() };
        let page = if app.keys.page.is_some() { page::routes() } else { Router::new() };
        let others = Router::new()
            .merge(control)
            .merge(page)
            .merge(rest::routes(&app))
            .merge(graphql::routes())
            .fallback(no_such_path)
            .method_not_allowed_fallback(no_such_method)
            .with_state(app.clone());
        Self { app, others }
    }

    fn is_watched_by(&self, path: &str) -> bool {
        (self.app.control_plane && path.starts_with(control::PREFIX))
            || (self.app.keys.page.is_some() && path == page::ROOT)
    }

    async fn other(&self, peer: &Peer, mut request: Request) -> Response {
        request.extensions_mut().insert(peer.connection.clone());
        let Ok(response) = self.others.clone().call(request).await;
        response
    }
}

impl Responder for Site {
    /// Responds to a request, and logs it, unless it is to the control plane or the page: those are
    /// of who watches the service.
    async fn respond(&self, peer: &Peer, request: Request) -> Response {
        let app = &self.app;
        let checked = app.hosts.check(&request, peer.local);
        let is_stranger = checked.is_err() || !app.keys.are_known_to(&request);
        if !is_stranger {
            peer.connection.authorize();
        }
        if self.is_watched_by(request.uri().path()) {
            let mut response = match checked {
                Ok(()) => self.other(peer, request).await,
                Err(refused) => refused.into_response(),
            };
            if app.keys.page.is_some() {
                page::guard(&mut response);
            }
            return response;
        }
        let uri = request.uri().clone();
        let route = queue::Route::of(uri.path()).filter(|route| route.is_taken(app.is_strict));
        // Attached workers send requests all the time, and nobody looks for those.
        let is_routine = route.as_ref().is_some_and(queue::Route::is_of_workers);
        let arrival = (is_stranger || !is_routine)
            .then(|| app.requests.arrived(request.method(), request.uri(), is_stranger));
        let response = match (checked, route) {
            (Err(refused), _) => refused.into_response(),
            (Ok(()), Some(route)) => route.respond(app, &peer.connection, request).await,
            (Ok(()), None) => self.other(peer, request).await,
        };
        if let Some(arrival) = arrival {
            let is_faulted = response.extensions().get::<Faulted>().is_some();
            app.requests.answered(arrival, response.status().as_u16(), is_faulted);
        }
        response
    }
}

async fn no_such_path(request: Request) -> ErrorResponse {
    ErrorResponse::not_found(format!("no operation has the path {}", request.uri().path()))
}

async fn no_such_method(request: Request) -> ErrorResponse {
    ErrorResponse::wrong_method(&request)
}
