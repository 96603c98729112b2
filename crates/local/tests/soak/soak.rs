//! Runs many short jobs and measures the allocated memory.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use podqueue_local::LocalService;

use crate::wire::{self, Wire};

const CONNECTIONS: u64 = 16;
/// Number of jobs of a client in one turn.
const JOBS_A_TURN: u64 = 5;

/// The real time for which the memory must not have fallen: a cancelled handler has a second to
/// finish, and a closed connection is noticed a moment later.
const QUIET: Duration = Duration::from_secs(2);

/// The number of jobs, and the memory that they may leave allocated.
#[derive(Clone, Copy, Debug)]
pub struct Soak {
    /// Number of jobs before the first measurement of the memory, so that what is filled once
    /// (the log of requests, for one) is full.
    pub warm_up: u64,
    /// Number of jobs after that.
    pub jobs: u64,
    /// Approximate number of results that are kept: after as many jobs, the clock is advanced by
    /// the retention of a result.
    pub kept: u64,
    /// Returns the number of bytes that are allocated and not freed.
    pub live: fn() -> usize,
    /// The number of bytes by which that may exceed the measurement after the warm-up.
    pub may_grow: usize,
}

impl Soak {
    /// Runs the jobs, and fails where more memory is allocated after a tenth of them than was
    /// before, or where a job is left at the end. Prints what is allocated, and what the system
    /// says that the process holds.
    pub async fn run(self, out: &mut (impl Write + Send)) -> io::Result<()> {
        let local = LocalService::builder()
            .api_key("local")
            .manual_clock()
            .start()
            .await
            .map_err(io::Error::other)?;
        let begin = Instant::now();
        let done = Arc::new(AtomicU64::new(0));
        let mut level = None;
        for tenth in 0..=10 {
            let target = self.warm_up + self.jobs * tenth / 10;
            while done.load(Ordering::Relaxed) < target {
                let until = (done.load(Ordering::Relaxed) + self.kept).min(target);
                batch(local.address(), &done, until).await?;
                // Time for all that is kept to go, and for workers above the minimum.
                local.clock().advance(Duration::from_secs(30 * 60));
            }
            let allowed = level.map_or(0, |level: usize| level + self.may_grow);
            let live = self.settled(allowed).await;
            writeln!(
                out,
                "{:9} jobs {:7.1} s {:9.1} KiB allocated {}",
                done.load(Ordering::Relaxed),
                begin.elapsed().as_secs_f64(),
                live as f64 / 1024.0,
                resident()?,
            )?;
            let level = *level.get_or_insert(live);
            if live > level + self.may_grow {
                let grown = live - level;
                return Err(io::Error::other(format!("the memory grew by {grown} bytes")));
            }
        }
        nothing_left(&local).await?;
        local.shutdown().await;
        Ok(())
    }

    /// The allocated bytes once they are few enough, or do not fall any more.
    async fn settled(&self, wanted: usize) -> usize {
        let mut least = (self.live)();
        let mut fell = Instant::now();
        while least > wanted && fell.elapsed() < QUIET {
            tokio::time::sleep(Duration::from_millis(10)).await;
            let live = (self.live)();
            if live < least {
                (least, fell) = (live, Instant::now());
            }
        }
        least
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

/// The resident memory of this process, where the system tells. It is no measure of what is lost:
/// an allocator keeps what was freed.
fn resident() -> io::Result<String> {
    if !cfg!(target_os = "linux") {
        return Ok(String::new());
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    let kibibytes = kibibytes.ok_or_else(|| io::Error::other("no VmRSS in /proc/self/status"))?;
    Ok(format!("{:7.1} MiB resident", kibibytes / 1024.0))
}
