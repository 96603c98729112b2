//! Many short jobs that come and go, and the memory that they take.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use podqueue_local::LocalService;

use crate::wire::{self, Wire};

const CONNECTIONS: u64 = 16;
/// What a client does in one turn: this many jobs.
const JOBS_A_TURN: u64 = 5;

/// How many jobs, and how much they may leave behind.
#[derive(Clone, Copy, Debug)]
pub struct Soak {
    /// How many jobs are run.
    pub jobs: u64,
    /// How many results are kept at any time, about: after so many jobs, time is turned by the
    /// retention of a result.
    pub kept: u64,
    /// How many bytes the process may grow by after the first fifth of the jobs.
    pub may_grow: u64,
}

impl Soak {
    /// Runs the jobs, prints the memory after each tenth, and fails where it grows by more than
    /// it may, or where a job is left at the end.
    pub async fn run(self, out: &mut (impl Write + Send)) -> io::Result<()> {
        let local =
            LocalService::builder().manual_clock().start().await.map_err(io::Error::other)?;
        let begin = Instant::now();
        let done = Arc::new(AtomicU64::new(0));
        let mut level = None;
        let mut most = 0;
        for tenth in 1..=10 {
            while done.load(Ordering::Relaxed) < self.jobs * tenth / 10 {
                let until = (done.load(Ordering::Relaxed) + self.kept).min(self.jobs * tenth / 10);
                batch(local.address(), &done, until).await?;
                // Time for all that is kept to go, and for workers above the minimum.
                local.clock().advance(Duration::from_secs(30 * 60));
            }
            let jobs = done.load(Ordering::Relaxed);
            let seconds = begin.elapsed().as_secs_f64();
            let Some(memory) = resident()? else {
                writeln!(out, "{jobs:9} jobs {seconds:7.1} s, memory unknown on this system")?;
                continue;
            };
            writeln!(out, "{jobs:9} jobs {seconds:7.1} s {:7.1} MiB", mebibytes(memory))?;
            if tenth == 2 {
                level = Some(memory);
            }
            most = most.max(level.map_or(0, |level| memory.saturating_sub(level)));
        }
        if most > self.may_grow {
            let grown = mebibytes(most);
            return Err(io::Error::other(format!("the memory grew by {grown:.1} MiB")));
        }
        nothing_left(&local).await?;
        local.shutdown().await;
        Ok(())
    }
}

/// Runs jobs over many connections until so many are done.
async fn batch(server: SocketAddr, done: &Arc<AtomicU64>, until: u64) -> io::Result<()> {
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let done = done.clone();
            tokio::spawn(async move {
                let mut wire = Wire::open(server).await?;
                while done.load(Ordering::Relaxed) < until {
                    turn(&mut wire).await?;
                    done.fetch_add(JOBS_A_TURN, Ordering::Relaxed);
                }
                io::Result::Ok(())
            })
        })
        .collect();
    for client in clients {
        client.await??;
    }
    Ok(())
}

/// Five jobs of all kinds: one that is looked at, one that waits, one that streams, one that
/// fails and is retried, one that is cancelled.
async fn turn(wire: &mut Wire) -> io::Result<()> {
    let id = run(wire, "run", "echo", "{\"input\":{\"text\":\"short\"}}").await?;
    ask(wire, "GET", &format!("/v2/echo/status/{id}")).await?;
    run(wire, "runsync", "echo", "{\"input\":{}}").await?;
    let id = run(wire, "runsync", "count", "{\"input\":{\"n\":3}}").await?;
    ask(wire, "GET", &format!("/v2/count/stream/{id}")).await?;
    let id = run(wire, "runsync", "fail", "{\"input\":{\"message\":\"short\"}}").await?;
    ask(wire, "POST", &format!("/v2/fail/retry/{id}")).await?;
    let id = run(wire, "run", "sleep", "{\"input\":{\"ms\":3600000}}").await?;
    ask(wire, "POST", &format!("/v2/sleep/cancel/{id}")).await
}

async fn run(wire: &mut Wire, operation: &str, endpoint: &str, body: &str) -> io::Result<String> {
    let path = format!("/v2/{endpoint}/{operation}");
    let (status, answer) = wire.call("POST", &path, body).await?;
    expect(status, answer, &path)?;
    wire::id(answer).map(str::to_owned)
}

async fn ask(wire: &mut Wire, method: &str, path: &str) -> io::Result<()> {
    let (status, answer) = wire.call(method, path, "").await?;
    expect(status, answer, path)
}

fn expect(status: u16, answer: &str, path: &str) -> io::Result<()> {
    if status == 200 {
        Ok(())
    } else {
        Err(io::Error::other(format!("{path} answered {status}: {answer}")))
    }
}

/// After the lifespan of every job, no endpoint knows one.
async fn nothing_left(local: &LocalService) -> io::Result<()> {
    local.clock().advance(Duration::from_secs(24 * 3600));
    let mut wire = Wire::open(local.address()).await?;
    for endpoint in ["echo", "count", "fail", "sleep"] {
        let path = format!("/v2/{endpoint}/requests");
        let answer = wire.call("GET", &path, "").await?;
        if answer != (200, "[]") {
            return Err(io::Error::other(format!("{path} has jobs left: {answer:?}")));
        }
    }
    Ok(())
}

/// The resident memory of this process in bytes, where the system tells.
fn resident() -> io::Result<Option<u64>> {
    if !cfg!(target_os = "linux") {
        return Ok(None);
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kibibytes
        .map(|kibibytes| Some(kibibytes * 1024))
        .ok_or_else(|| io::Error::other("no VmRSS in /proc/self/status"))
}

fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}
