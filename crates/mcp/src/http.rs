//! Streamable HTTP: a server on a port of this machine, for requests that carry its token.
//!
//! Only loopback addresses are served, and requests must name such a host: a page in a browser
//! that resolves its own name to this machine is refused, as is each request with an `Origin`.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State as Extracted};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use subtle::ConstantTimeEq;
use tokio::net::TcpListener;

use crate::error::Error;
use crate::random::random_hex;
use crate::server::Handler;
use crate::state::State;

/// The path of the protocol.
const PATH: &str = "/mcp";

/// A server that listens on a port of this machine; returned by
/// [`Server::listen`](crate::Server::listen).
pub struct HttpServer {
    state: Arc<State>,
    listener: TcpListener,
    address: SocketAddr,
    token: String,
}

impl HttpServer {
    pub(crate) async fn bind(
        state: Arc<State>,
        address: SocketAddr,
        token: Option<String>,
    ) -> Result<Self, Error> {
        if !address.ip().is_loopback() {
            return Err(Error::invalid(format!(
                "{address} is not an address of this machine alone: expected 127.0.0.1 or [::1]"
            )));
        }
        let token = token.map_or_else(random_hex, Ok)?;
        let attempt = format!("listen on {address}");
        let listener = TcpListener::bind(address).await.map_err(|it| Error::new(&attempt, it))?;
        let address = listener.local_addr().map_err(|it| Error::new(&attempt, it))?;
        Ok(Self { state, listener, address, token })
    }

    /// The URL that a client connects to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// The token that each request must carry, as `authorization: Bearer TOKEN`.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Serves until a future ends. Then stops the runs of batches, and waits for the outcomes of
    /// submissions that were sent, at most 10 seconds.
    ///
    /// # Errors
    ///
    /// The listener failed.
    pub async fn serve(
        self,
        until: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), Error> {
        let Self { state, listener, token, .. } = self;
        let config = StreamableHttpServerConfig::default().enforce_origin_validation();
        let sessions = config.cancellation_token.clone();
        let handler = Handler { state: Arc::clone(&state) };
        let service = StreamableHttpService::new(
            move || Ok(handler.clone()),
            Arc::new(LocalSessionManager::default()),
            config,
        );
        let router = Router::new()
            .route_service(PATH, service)
            .layer(middleware::from_fn_with_state(Arc::<str>::from(token), authorize));
        let until = async move {
            until.await;
            // Ends the streams of events, which would keep the server open.
            sessions.cancel();
        };
        let served = axum::serve(listener, router).with_graceful_shutdown(until).await;
        state.finish().await;
        served.map_err(|error| Error::new("serve HTTP", error))
    }
}

impl std::fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpServer").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Refuses requests without the token.
async fn authorize(
    Extracted(token): Extracted<Arc<str>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let given = request.headers().get(header::AUTHORIZATION);
    let given = given.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    if given.is_some_and(|given| bool::from(given.ct_eq(token.as_bytes()))) {
        return next.run(request).await;
    }
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
    let message = "send the token that the server prints when it starts, as Bearer authorization";
    (StatusCode::UNAUTHORIZED, challenge, message).into_response()
}
