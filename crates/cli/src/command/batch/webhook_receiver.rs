//! Receiving the webhook calls that resolve unknown outcomes.

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

use crate::duration::duration;
use crate::exit::Exit;
use crate::failure::Failure;

/// The largest call that is read, in bytes: a job's record with its output and its input.
const LARGEST: usize = 64 * 1024 * 1024;

/// How calls arrive, with `--on-unknown by-webhook`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Webhooks")]
pub struct Receiving {
    /// The URL at which the service can call this program, for --on-unknown by-webhook.
    ///
    /// If it contains a secret, set the variable instead, which others on the machine cannot read.
    #[arg(long, value_name = "URL", env = "PODQUEUE_WEBHOOK_URL", hide_env_values = true)]
    pub webhook_url: Option<String>,

    /// The address to listen on, to which that URL leads: a tunnel or a proxy, as a rule.
    #[arg(long, value_name = "ADDRESS")]
    pub webhook_listen: Option<SocketAddr>,

    /// How long to wait for calls when nothing else is left to do: longer than a job takes.
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "1m", allow_hyphen_values = true)]
    pub webhook_wait: Duration,
}

/// A receiver that is to pass its calls to a batch.
pub struct Receiver(TcpListener);

/// How long calls that have begun may take once the run has ended.
const FINISHING: Duration = Duration::from_secs(5);

/// A receiver that does. It accepts no more calls when this is dropped.
pub struct Listening {
    server: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl Receiver {
    pub async fn listen(address: SocketAddr) -> Result<Self, Failure> {
        let listener = TcpListener::bind(address).await.map_err(|error| {
            Failure::new(Exit::Error, format!("could not listen on {address}: {error}"))
        })?;
        Ok(Self(listener))
    }

    pub fn pass_on_to(self, batch: Batch) -> Listening {
        let app = Router::new().fallback(receive).with_state(batch);
        let (stop, stopped) = oneshot::channel();
        let stopped = async { stopped.await.unwrap_or_default() };
        let server = axum::serve(self.0, app).with_graceful_shutdown(stopped);
        // It never fails.
        let server = tokio::spawn(async { server.await.unwrap_or_default() });
        Listening { server, stop }
    }
}

impl Listening {
    /// Accepts no more calls, and waits a while for the responses to those that have begun.
    pub async fn finish(self) {
        drop(self.stop);
        // A call that is not complete by then gets no response, as if this program did not run.
        let _ = timeout(FINISHING, self.server).await;
    }
}

async fn receive(State(batch): State<Batch>, call: Request) -> StatusCode {
    let (call, body) = call.into_parts();
    let query = call.uri.query().unwrap_or_default();
    // Nobody else can make the program read what they send.
    if !batch.expects(query) {
        return StatusCode::NOT_FOUND;
    }
    let Ok(body) = to_bytes(body, LARGEST).await else { return StatusCode::PAYLOAD_TOO_LARGE };
    match batch.deliver(query, &body).await {
        Ok(true) => StatusCode::OK,
        Ok(false) => StatusCode::NOT_FOUND,
        // The service calls again.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}
