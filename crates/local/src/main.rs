//! The local service as a program.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use podqueue_local::{LocalService, RateLimits, StreamShape};

/// Runs a local service that behaves as the hosted one does, until Ctrl-C.
///
/// It prints its addresses as environment variables for a client, ready to paste into a shell.
#[derive(Parser)]
#[command(name = "podqueue-local")]
struct Arguments {
    /// The address to listen on; with port 0 a free port is taken.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,

    /// A key that clients may use. Given again it adds another, which is another user.
    #[arg(long = "api-key", value_name = "KEY", default_value = "local")]
    api_keys: Vec<String>,

    /// An endpoint whose workers are processes of a shell command. They read jobs as lines of
    /// JSON and answer with lines of JSON: {"stream": …}, then {"output": …} or {"error": "…"}.
    #[arg(long = "endpoint", value_name = "NAME=COMMAND", value_parser = endpoint)]
    endpoints: Vec<(String, String)>,

    /// How /stream answers: a plain array, or an object with the status and the chunks.
    #[arg(long, value_name = "SHAPE", value_enum, default_value = "array")]
    stream_shape: Shape,

    /// Enforces the documented rate limits, over any span of 10 seconds.
    #[arg(long)]
    rate_limits: bool,

    /// Lets time stand still until it is advanced: POST /_local/clock/advance {"ms": 60000}.
    #[arg(long)]
    manual_clock: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shape {
    Array,
    Object,
}

fn endpoint(argument: &str) -> Result<(String, String), String> {
    match argument.split_once('=') {
        Some((name, command)) if !name.is_empty() && !command.is_empty() => {
            Ok((name.to_owned(), command.to_owned()))
        }
        _ => Err("expected NAME=COMMAND".to_owned()),
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            // When even standard error is closed, the exit code is all there is.
            let _ = writeln!(io::stderr(), "podqueue-local: {error}{cause}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = LocalService::builder()
        .listen(arguments.listen)
        .control_plane()
        .stream_shape(match arguments.stream_shape {
            Shape::Array => StreamShape::Array,
            Shape::Object => StreamShape::Object,
        });
    for key in &arguments.api_keys {
        builder = builder.api_key(key);
    }
    if arguments.manual_clock {
        builder = builder.manual_clock();
    }
    if arguments.rate_limits {
        builder = builder.rate_limits(RateLimits::documented());
    }
    for (name, command) in arguments.endpoints {
        builder = builder.command_endpoint(name, command);
    }
    // Before anybody can know that the program runs, so that no signal is missed.
    let signals = Signals::listen()?;
    let local = builder.start().await?;
    announce(&local, arguments.api_keys.first().map_or("", String::as_str))?;
    signals.received().await;
    local.shutdown().await;
    Ok(())
}

fn announce(local: &LocalService, key: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (name, value) in [
        ("PODQUEUE_API_KEY", key),
        ("PODQUEUE_BASE_URL", &local.base_url()),
        ("PODQUEUE_REST_URL", &local.rest_url()),
        ("PODQUEUE_GRAPHQL_URL", &local.graphql_url()),
    ] {
        writeln!(out, "export {name}={}", quoted(value))?;
    }
    out.flush()
}

/// A value as a shell reads it back, whatever it holds.
fn quoted(value: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./:".contains(char);
    if !value.is_empty() && value.chars().all(plain) {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', r"'\''"))
    }
}

/// The signals that end the program.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn received(mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// The signal that ends the program.
#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn listen() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn received(mut self) {
        // None would mean that no more signals come, which is as good a reason to end.
        let _ = self.0.recv().await;
    }
}
