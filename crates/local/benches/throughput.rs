//! Throughput of `/run` plus `/status`, compared with a bare server of the same HTTP library that
//! returns a constant, in one run, over 64 connections of the same client.
//!
//! `cargo bench -p podqueue-local --bench throughput` prints the requests per second of both and
//! their ratio, and fails below one half.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::any;
use podqueue_local::LocalService;

#[path = "../tests/soak/wire.rs"]
mod wire;

use wire::Wire;

const CONNECTIONS: usize = 64;
const ROUNDS: usize = 5;
/// Number and duration of alternating measurements, so that other load of the machine affects both
/// sides alike.
const TURNS: usize = 20;
const TURN: Duration = Duration::from_millis(100);
const WANTED: f64 = 0.5;

const CONSTANT: &str =
    "{\"id\":\"3f0e5b34-6f5e-4d3c-9a61-0a5d8e2b7c11-u1\",\"status\":\"IN_QUEUE\"}";

#[tokio::main]
async fn main() -> io::Result<ExitCode> {
    // `cargo test --benches` only wants to know that it runs.
    let (rounds, turns) = if std::env::args().any(|argument| argument == "--bench") {
        (ROUNDS, TURNS)
    } else {
        (1, 1)
    };
    let bare = bare().await?;
    let mut out = io::stdout();
    let mut ratios = Vec::new();
    for _ in 0..rounds {
        // A new service, without results of the previous round.
        let local =
            LocalService::builder().api_key("local").start().await.map_err(io::Error::other)?;
        let (mut constants, mut services) = (0.0, 0.0);
        for _ in 0..turns {
            let constant = measure(bare, TURN).await?;
            let service = measure(local.address(), TURN).await?;
            constants += constant / turns as f64;
            services += service / turns as f64;
            ratios.push(service / constant);
        }
        writeln!(
            out,
            "bare {constants:8.0}/s   run and status {services:8.0}/s   {:.3}",
            services / constants
        )?;
        local.shutdown().await;
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    writeln!(
        out,
        "median ratio of {} turns at {CONNECTIONS} connections: {median:.3}, wanted: {WANTED}",
        ratios.len()
    )?;
    let enough = median >= WANTED || turns == 1;
    Ok(if enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Server of a constant response.
async fn bare() -> io::Result<SocketAddr> {
    let constant = || async { ([(CONTENT_TYPE, "application/json")], CONSTANT) };
    let app = Router::new().route("/{*path}", any(constant));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    use axum::serve::ListenerExt;
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(address)
}

/// The requests per second of a server that takes `/run` and `/status`.
async fn measure(server: SocketAddr, time: Duration) -> io::Result<f64> {
    let begin = Instant::now();
    let connections: Vec<_> =
        (0..CONNECTIONS).map(|_| tokio::spawn(connection(server, begin + time))).collect();
    let mut requests = 0;
    for connection in connections {
        requests += connection.await??;
    }
    Ok(f64::from(requests) / begin.elapsed().as_secs_f64())
}

async fn connection(server: SocketAddr, end: Instant) -> io::Result<u32> {
    let mut wire = Wire::open(server).await?;
    let mut requests = 0;
    let mut path = String::new();
    while Instant::now() < end {
        let (status, answer) = wire.call("POST", "/v2/echo/run", "{\"input\":{\"n\":1}}").await?;
        expect(status, answer)?;
        path.clear();
        path.push_str("/v2/echo/status/");
        path.push_str(wire::id(answer)?);
        let (status, answer) = wire.call("GET", &path, "").await?;
        expect(status, answer)?;
        requests += 2;
    }
    Ok(requests)
}

fn expect(status: u16, answer: &str) -> io::Result<()> {
    if status == 200 { Ok(()) } else { Err(io::Error::other(format!("{status}: {answer}"))) }
}
