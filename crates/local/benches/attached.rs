//! Throughput and latency of workers that attach over HTTP.
//!
//! `cargo bench -p podqueue-local --bench attached` prints the jobs per second of 1, 8 and 64
//! workers, each of which takes a job and reports it done, beside those of a handler in the
//! service; and the time from the submission of a job to its receipt by a worker that waits, and
//! from the chunk of a worker to the event of a caller to whom it is streamed.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use podqueue_local::{LocalJob, LocalService, Workers};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

#[path = "../tests/soak/wire.rs"]
mod wire;

use wire::Wire;

/// Number of connections that submit jobs.
const SUBMITTERS: usize = 8;
const WORKERS: [usize; 3] = [1, 8, 64];

#[tokio::main]
async fn main() -> io::Result<()> {
    // `cargo test --benches` only wants to know that it runs.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let (jobs, receipts) = if is_bench { (20_000, 2_000) } else { (200, 20) };
    let mut out = io::stdout();
    for workers in WORKERS {
        let handler = handled(workers, jobs).await?;
        let attached = attached(workers, jobs).await?;
        writeln!(
            out,
            "{workers:2} workers: attached {attached:8.0} jobs/s, as a handler {handler:8.0} jobs/s, \
             ratio {:.3}",
            attached / handler
        )?;
    }
    for (what, mut times) in [
        ("submission to receipt", receipt(receipts).await?),
        ("chunk to event", event(receipts).await?),
    ] {
        times.sort();
        let at = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e3;
        writeln!(out, "from {what}: median {:.3} ms, of 99 % at most {:.3} ms", at(50), at(99))?;
    }
    Ok(())
}

/// Submits jobs over several connections, each time only after the last one was accepted.
fn submit(server: SocketAddr, jobs: usize) -> Vec<tokio::task::JoinHandle<io::Result<()>>> {
    let submitter = move |_| {
        tokio::spawn(async move {
            let mut wire = Wire::open(server).await?;
            for _ in 0..jobs / SUBMITTERS {
                expect(wire.call("POST", "/v2/e/run", "{\"input\":{\"n\":1}}").await?)?;
            }
            Ok(())
        })
    };
    (0..SUBMITTERS).map(submitter).collect()
}

/// The jobs per second of a handler in the service.
async fn handled(workers: usize, jobs: usize) -> io::Result<f64> {
    let (done, mut ended) = mpsc::unbounded_channel();
    let builder = LocalService::builder().api_key("local").workers(workers, workers);
    let handler = move |job: LocalJob| {
        // The receiver is dropped only when the measurement is over.
        let _ = done.send(());
        async { Ok(job.input) }
    };
    let local = builder.endpoint("e", handler).start().await.map_err(io::Error::other)?;
    let begin = Instant::now();
    let submitters = submit(local.address(), jobs);
    for _ in 0..jobs {
        ended.recv().await;
    }
    let time = begin.elapsed();
    for submitter in submitters {
        submitter.await??;
    }
    Ok(jobs as f64 / time.as_secs_f64())
}

/// The jobs per second of workers that attach.
async fn attached(workers: usize, jobs: usize) -> io::Result<f64> {
    let local = service().await?;
    let server = local.address();
    let (done, mut ended) = mpsc::unbounded_channel();
    let begin = Instant::now();
    for worker in 0..workers {
        let done = done.clone();
        tokio::spawn(async move {
            let mut wire = Wire::open(server).await?;
            let take = format!("/v2/e/job-take/w{worker}?gpu=none&job_in_progress=0");
            loop {
                let (status, job) = wire.call("GET", &take, "").await?;
                if status == 204 {
                    continue;
                }
                let report = format!("/v2/e/job-done/w{worker}/{}?gpu=none", wire::id(job)?);
                expect(wire.call("POST", &report, "{\"output\":{\"n\":1}}").await?)?;
                if done.send(()).is_err() {
                    return io::Result::Ok(());
                }
            }
        });
    }
    let submitters = submit(server, jobs);
    for _ in 0..jobs {
        ended.recv().await;
    }
    let time = begin.elapsed();
    for submitter in submitters {
        submitter.await??;
    }
    Ok(jobs as f64 / time.as_secs_f64())
}

/// The time from the submission of a job to its receipt by a worker that waits for it.
async fn receipt(jobs: usize) -> io::Result<Vec<Duration>> {
    let local = service().await?;
    let server = local.address();
    let (received, mut receipts) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut wire = Wire::open(server).await?;
        loop {
            let (status, job) = wire.call("GET", "/v2/e/job-take/w?gpu=none", "").await?;
            let now = Instant::now();
            if status == 204 {
                continue;
            }
            let report = format!("/v2/e/job-done/w/{}?gpu=none", wire::id(job)?);
            expect(wire.call("POST", &report, "{}").await?)?;
            if received.send(now).is_err() {
                return io::Result::Ok(());
            }
        }
    });
    let mut wire = Wire::open(server).await?;
    let mut times = Vec::new();
    for _ in 0..jobs {
        // The worker has come back by then.
        tokio::time::sleep(Duration::from_millis(2)).await;
        let begin = Instant::now();
        expect(wire.call("POST", "/v2/e/run", "{\"input\":{}}").await?)?;
        let receipt = receipts.recv().await.ok_or(io::ErrorKind::UnexpectedEof)?;
        times.push(receipt.duration_since(begin));
    }
    Ok(times)
}

/// The time from a worker's chunk to the caller's event.
async fn event(chunks: usize) -> io::Result<Vec<Duration>> {
    let local = service().await?;
    let mut caller = TcpStream::connect(local.address()).await?;
    let body = "{\"stream\":true}";
    let request = format!(
        "POST /v2/e/openai/v1/x HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer local\r\n\
         content-length: {}\r\n\r\n{body}",
        local.address(),
        body.len(),
    );
    caller.write_all(request.as_bytes()).await?;
    let mut wire = Wire::open(local.address()).await?;
    let (_, job) = wire.call("GET", "/v2/e/job-take/w?gpu=none", "").await?;
    let path = format!("/v2/e/job-stream/w/{}?gpu=none", wire::id(job)?);
    let mut times = Vec::new();
    let mut seen = Vec::new();
    for n in 0..chunks {
        let body = format!("{{\"output\":\"data: {n}.\\n\\n\"}}");
        let begin = Instant::now();
        expect(wire.call("POST", &path, &body).await?)?;
        let event = format!("data: {n}.");
        while !seen.windows(event.len()).any(|bytes| bytes == event.as_bytes()) {
            if caller.read_buf(&mut seen).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        times.push(begin.elapsed());
        seen.clear();
    }
    Ok(times)
}

async fn service() -> io::Result<LocalService> {
    let workers = Workers::between(0, 0).ping_interval(Duration::from_secs(3600));
    let builder = LocalService::builder().api_key("local").workers_of("e", workers);
    builder.endpoint_for_workers("e").start().await.map_err(io::Error::other)
}

fn expect((status, answer): (u16, &str)) -> io::Result<()> {
    if status == 200 { Ok(()) } else { Err(io::Error::other(format!("{status}: {answer}"))) }
}
