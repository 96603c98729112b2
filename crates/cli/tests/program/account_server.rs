//! Scripted server of the account interface: responds by a function, and records the requests.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, StatusCode};
use axum::response::IntoResponse;
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::support::{KEY, Ran, bare, ran};

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub line: String,
    /// Null without a body.
    pub body: Value,
}

/// A response: status, media type and body.
pub type Response = (u16, &'static str, String);

pub fn ok(body: impl ToString) -> Response {
    (200, "application/json", body.to_string())
}

/// The event of a line of a log.
pub fn event(second: u32, line: &str) -> String {
    let ts = format!("2026-11-27T00:00:{second:02}Z");
    let data = serde_json::json!({ "source": "container", "line": line, "ts": ts });
    format!("id: {ts}\ndata: {data}\n\n")
}

pub fn events(text: impl Into<String>) -> Response {
    (200, "text/event-stream", text.into())
}

/// A server, and a home folder of the program.
pub struct AccountServer {
    pub url: String,
    pub home: TempDir,
    requests: Arc<Mutex<Vec<Received>>>,
}

impl AccountServer {
    pub async fn start(respond: impl Fn(&Received) -> Response + Send + Sync + 'static) -> Self {
        Self::announcing("", respond).await
    }

    /// A server whose responses have a field `RateLimit`.
    pub async fn announcing(
        limits: &'static str,
        respond: impl Fn(&Received) -> Response + Send + Sync + 'static,
    ) -> Self {
        let requests: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (log, respond) = (Arc::clone(&requests), Arc::new(respond));
        let handler = move |request: Request| {
            let (log, respond) = (Arc::clone(&log), Arc::clone(&respond));
            async move {
                let line = format!("{} {}", request.method(), request.uri());
                let body = axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap();
                let body = serde_json::from_slice(&body).unwrap_or_default();
                let received = Received { line, body };
                log.lock().unwrap().push(received.clone());
                let (status, media, body) = respond(&received);
                let status = StatusCode::from_u16(status).unwrap();
                let limits = (HeaderName::from_static("ratelimit"), limits);
                (status, [(CONTENT_TYPE, media), limits], body).into_response()
            }
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, Router::new().fallback(handler)).into_future());
        Self { url, home: tempfile::tempdir().unwrap(), requests }
    }

    pub fn program(&self, arguments: &[&str]) -> Command {
        let mut command = bare(self.home.path(), arguments);
        command.env("PODQUEUE_API_KEY", KEY).env("PODQUEUE_ACCOUNT_URL", &self.url);
        command
    }

    pub async fn run(&self, arguments: &[&str]) -> Ran {
        ran(&mut self.program(arguments)).await
    }

    pub fn requests(&self) -> Vec<Received> {
        self.requests.lock().unwrap().clone()
    }

    /// The requests that change something.
    pub fn changes(&self) -> Vec<Received> {
        self.requests().into_iter().filter(|it| !it.line.starts_with("GET")).collect()
    }
}
