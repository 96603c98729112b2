//! Webhook receiver: an HTTP server for the calls that resolve unknown outcomes.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use clap::Args;
use podqueue_batch::Batch;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::parse_duration;

/// Limit of a body, in bytes: the record of a job with its output and its input.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// The arguments of the receiver, for `--on-unknown by-webhook`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Webhooks")]
pub struct ReceiverArguments {
    /// The URL at which the service can call this program, for --on-unknown by-webhook.
    ///
    /// If it contains a secret, set the variable instead, which other users cannot read.
    #[arg(long, value_name = "URL", env = "PODQUEUE_WEBHOOK_URL", hide_env_values = true)]
    pub webhook_url: Option<String>,

    /// The address to listen on, to which that URL leads, usually through a tunnel or a proxy.
    #[arg(long, value_name = "ADDRESS")]
    pub webhook_listen: Option<SocketAddr>,

    /// Longest wait for calls when nothing else is left to do: longer than a job runs.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "1m", allow_hyphen_values = true)]
    pub webhook_wait: Duration,
}

/// A bound receiver, which does not accept calls yet.
pub struct WebhookReceiver(TcpListener);

/// Time for calls in progress when the run has ended.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// A receiver that delivers its calls to a batch. It stops accepting calls on drop.
pub struct RunningReceiver {
    server: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl WebhookReceiver {
    pub async fn listen(address: SocketAddr) -> Result<Self, Failure> {
        let listener = TcpListener::bind(address).await.map_err(|error| {
            Failure::new(Exit::Error, format!("could not listen on {address}: {error}"))
        })?;
        Ok(Self(listener))
    }

    /// Starts to deliver calls to a batch.
    pub fn deliver_to(self, batch: Batch) -> RunningReceiver {
        let app = Router::new().fallback(receive).with_state(batch);
        let (stop, stopped) = oneshot::channel();
        let stopped = async { stopped.await.unwrap_or_default() };
        let server = axum::serve(self.0, app).with_graceful_shutdown(stopped);
        // The server never fails.
        let server = tokio::spawn(async { server.await.unwrap_or_default() });
        RunningReceiver { server, stop }
    }
}

impl RunningReceiver {
    /// Stops accepting calls, and waits a while for the calls in progress.
    pub async fn finish(self) {
        drop(self.stop);
        // An incomplete call gets no response, as if the program were not running.
        let _ = timeout(SHUTDOWN_TIMEOUT, self.server).await;
    }
}

async fn receive(State(batch): State<Batch>, call: Request) -> StatusCode {
    let (call, body) = call.into_parts();
    let query = call.uri.query().unwrap_or_default();
    // Only a call with the token of the batch is read.
    if !batch.expects(query) {
        return StatusCode::NOT_FOUND;
    }
    let Ok(body) = to_bytes(body, MAX_BODY).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    match batch.deliver(query, &body).await {
        Ok(true) => StatusCode::OK,
        Ok(false) => StatusCode::NOT_FOUND,
        // The service retries the call.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
