//! All paths of the service, and what is answered on any other.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use axum::serve::IncomingStream;
use futures_util::future::BoxFuture;
use tower_service::Service;

use super::Refusal;
use super::connection::{Breakable, Connection};
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

impl Service<IncomingStream<'_, Breakable>> for Site {
    type Response = Visitor;
    type Error = Infallible;
    type Future = Ready<Result<Visitor, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, stream: IncomingStream<'_, Breakable>) -> Self::Future {
        let visit = Visit { site: self.clone(), connection: stream.io().connection() };
        ready(Ok(Visitor(Arc::new(visit))))
    }
}

/// Answers the requests of one connection.
#[derive(Clone)]
pub(crate) struct Visitor(Arc<Visit>);

struct Visit {
    site: Site,
    connection: Connection,
}

impl Service<Request> for Visitor {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let visit = self.0.clone();
        Box::pin(async move { Ok(visit.answer(request).await) })
    }
}

impl Visit {
    /// Answers a request, and notes it, unless it is to the control plane.
    async fn answer(&self, request: Request) -> Response {
        let app = &self.site.app;
        if app.control_plane && request.uri().path().starts_with(control::PREFIX) {
            return self.other(request).await;
        }
        let number = app.requests.arrived(request.method(), request.uri());
        let uri = request.uri().clone();
        let response = match queue::Route::of(uri.path()) {
            Some(route) => route.answer(app, &self.connection, request).await,
            None => self.other(request).await,
        };
        app.requests.answered(number, response.status().as_u16());
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
