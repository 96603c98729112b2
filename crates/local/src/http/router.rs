//! All paths of the service, and what is answered on any other.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::EXPECT;
use axum::response::{IntoResponse, Response};
use hyper::body::{Body as _, Incoming};
use tower_service::Service;

use super::Refusal;
use super::auth::has_key;
use super::connection::Connection;
use super::transfer::{Download, Leftover, Owed, Upload};
use crate::app::App;
use crate::{control, graphql, queue, rest};

/// Everything that can be asked for.
///
/// The queue has most of the traffic, and a few paths of one form: it takes them apart by itself,
/// which costs a fraction of what a general router with its layers does. That one has the rest.
#[derive(Clone)]
pub(crate) struct Site {
    app: Arc<App>,
    others: Router,
}

impl Site {
    pub(crate) fn new(app: Arc<App>) -> Self {
        let control = if app.control_plane { control::routes(&app) } else { Router::new() };
        let others = Router::new()
            .merge(control)
            .merge(rest::routes(&app))
            .merge(graphql::routes())
            .fallback(no_such_path)
            .method_not_allowed_fallback(no_such_method)
            .with_state(app.clone());
        Self { app, others }
    }
}

/// Answers the requests of one connection.
pub(super) struct Visit {
    site: Site,
    connection: Connection,
    /// The address of this machine at which the connection came in.
    local: Option<IpAddr>,
}

impl Visit {
    pub(super) fn new(site: Site, connection: Connection, local: Option<IpAddr>) -> Self {
        Self { site, connection, local }
    }

    /// Answers a request, with bodies that tell the connection whose turn it is.
    pub(super) async fn respond(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Download>, Infallible> {
        let line = &self.connection.0;
        let owed = Owed::on(line);
        let stopping = self.site.app.stopping.clone();
        // Who waits for leave to send has not sent anything, and needs no leave for a refusal.
        let may_be_left =
            !request.body().is_end_stream() && !request.headers().contains_key(EXPECT);
        let leftover = may_be_left.then(|| Arc::new(Leftover::default()));
        let upload = |body| Upload::new(body, leftover.clone(), line.clone(), stopping.clone());
        let response = self.answer(request.map(|body| Body::new(upload(body)))).await;
        if let Some(leftover) = &leftover {
            leftover.drain(line, &stopping).await;
        }
        Ok(response.map(|body| Download { body, _owed: owed }))
    }

    /// Answers a request, and notes it, unless it is to the control plane.
    async fn answer(&self, request: Request) -> Response {
        let app = &self.site.app;
        let checked = app.hosts.check(&request, self.local);
        if app.control_plane && request.uri().path().starts_with(control::PREFIX) {
            return match checked {
                Ok(()) => self.other(request).await,
                Err(refusal) => refusal.into_response(),
            };
        }
        let is_stranger = checked.is_err() || !has_key(&app.keys, &request);
        let arrival = app.requests.arrived(request.method(), request.uri(), is_stranger);
        let uri = request.uri().clone();
        let response = match (checked, queue::Route::of(uri.path())) {
            (Err(refusal), _) => refusal.into_response(),
            (Ok(()), Some(route)) => route.answer(app, &self.connection, request).await,
            (Ok(()), None) => self.other(request).await,
        };
        app.requests.answered(arrival, response.status().as_u16());
        response
    }

    async fn other(&self, mut request: Request) -> Response {
        request.extensions_mut().insert(self.connection.clone());
        let Ok(response) = self.site.others.clone().call(request).await;
        response
    }
}

async fn no_such_path(request: Request) -> Refusal {
    Refusal::not_found(format!("no operation has the path {}", request.uri().path()))
}

async fn no_such_method(request: Request) -> Refusal {
    Refusal::wrong_method(&request)
}
