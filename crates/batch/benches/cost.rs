//! Cost of a batch: `cargo bench -p podqueue-batch --bench cost [-- NAME]`. A table, as Markdown.
//!
//! - `speed`: 100,000 jobs of 1 KB through the local service without limits;
//! - `limits`: 5,000 jobs with the documented limits on: the rate that is used, and the 429s;
//! - `million`: a million inputs: how long it takes to index them and to open them again, how long
//!   a status takes beside a running batch, and the peak of the memory.
//!
//! The local service runs in a process of its own, so that its memory and time are not counted.

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write, stdout};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use podqueue::{Client, RateLimits};
use podqueue_batch::{Batch, Inputs, Reader, Sqlite};
use podqueue_local::{LocalService, RateLimits as ServiceLimits};

type AnyError = Box<dyn Error>;

fn main() -> Result<(), AnyError> {
    let arguments: Vec<_> = env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if arguments.first().is_some_and(|it| it == "serve") {
        return runtime.block_on(serve(arguments.get(1).is_some_and(|it| it == "limited")));
    }
    let wanted = |name: &str| arguments.is_empty() || arguments.iter().any(|it| it == name);
    writeln!(stdout(), "| what | measured |\n|---|---|")?;
    if wanted("speed") {
        runtime.block_on(speed())?;
    }
    if wanted("limits") {
        runtime.block_on(limits())?;
    }
    if wanted("million") {
        runtime.block_on(million())?;
    }
    Ok(())
}

fn row(what: &str, measured: impl std::fmt::Display) -> Result<(), AnyError> {
    Ok(writeln!(stdout(), "| {what} | {measured} |")?)
}

/// The service, until its standard input is closed.
async fn serve(limited: bool) -> Result<(), AnyError> {
    let mut local = LocalService::builder().api_key("local");
    if limited {
        local = local.rate_limits(ServiceLimits::documented());
    }
    let local = local.start().await?;
    writeln!(stdout(), "{}", local.base_url())?;
    tokio::task::spawn_blocking(|| std::io::copy(&mut std::io::stdin(), &mut std::io::sink()))
        .await??;
    Ok(())
}

struct Service {
    child: Child,
    url: String,
}

impl Service {
    fn start(limited: bool) -> Result<Self, AnyError> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        if limited {
            command.arg("limited");
        }
        let mut child = command.spawn()?;
        let mut url = String::new();
        let out = child.stdout.take().ok_or("no output")?;
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut url)?;
        Ok(Self { child, url: url.trim().to_owned() })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_inputs(path: &Path, inputs: u64, bytes: usize) -> Result<(), AnyError> {
    let mut file = BufWriter::new(File::create(path)?);
    let text = "x".repeat(bytes);
    for n in 0..inputs {
        writeln!(file, "{{\"n\":{n},\"text\":\"{text}\"}}")?;
    }
    Ok(file.flush()?)
}

fn open(folder: &Path) -> podqueue_batch::Open {
    Batch::open(Sqlite::file(folder.join("journal")))
        .inputs(Inputs::jsonl(folder.join("inputs.jsonl")))
        .results(folder.join("results.jsonl"))
}

fn client(url: &str, limits: RateLimits) -> Result<Client, AnyError> {
    Ok(Client::builder().api_key("local").base_url(url).rate_limits(limits).build()?)
}

async fn speed() -> Result<(), AnyError> {
    let (service, folder) = (Service::start(false)?, tempfile::tempdir()?);
    write_inputs(&folder.path().join("inputs.jsonl"), 100_000, 1_000)?;
    let batch = open(folder.path()).await?;
    let (began, cpu) = (Instant::now(), cpu_time());
    let report = batch.run(client(&service.url, RateLimits::off())?.endpoint("echo")).await?;
    let time = began.elapsed();
    row("100,000 jobs of 1 KB", format_args!("{:.1} s", time.as_secs_f64()))?;
    row("completed", report.counts.of(podqueue_batch::State::Completed))?;
    let cpu = (cpu_time() - cpu).as_secs_f64() * 1e6 / 100_000.0;
    row("processor time per job, all in all", format_args!("{cpu:.0} µs"))
}

async fn limits() -> Result<(), AnyError> {
    let (service, folder) = (Service::start(true)?, tempfile::tempdir()?);
    write_inputs(&folder.path().join("inputs.jsonl"), 5_000, 100)?;
    let batch = open(folder.path()).await?;
    let throttled = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
    let count = std::sync::Arc::clone(&throttled);
    let client = Client::builder()
        .api_key("local")
        .base_url(&service.url)
        .observe(move |observation| {
            if matches!(observation, podqueue::Observation::Throttled { .. }) {
                count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        })
        .build()?;
    let (began, cpu) = (Instant::now(), cpu_time());
    batch.run(client.endpoint("echo")).await?;
    let time = began.elapsed().as_secs_f64();
    let journal = journal_time().as_secs_f64() / time * 100.0;
    // The first 1,000 may leave at once, by the limits.
    row("5,000 jobs with limits", format_args!("{time:.1} s, {:.1} jobs/s", 5_000.0 / time))?;
    row("429", throttled.load(std::sync::atomic::Ordering::Relaxed))?;
    let share = (cpu_time() - cpu).as_secs_f64() / time * 100.0;
    row("of a core at that rate, the journal", format_args!("{journal:.1} %"))?;
    row("of a core at that rate, all in all", format_args!("{share:.1} %"))
}

async fn million() -> Result<(), AnyError> {
    let (service, folder) = (Service::start(false)?, tempfile::tempdir()?);
    write_inputs(&folder.path().join("inputs.jsonl"), 1_000_000, 100)?;
    let began = Instant::now();
    drop(open(folder.path()).await?);
    row("indexing a million inputs", format_args!("{:.2} s", began.elapsed().as_secs_f64()))?;
    let began = Instant::now();
    let batch = open(folder.path()).await?;
    row("opening them again", format_args!("{:.2} s", began.elapsed().as_secs_f64()))?;
    let run = batch.run(client(&service.url, RateLimits::off())?.endpoint("echo"));
    let stopper = run.stopper();
    let run = tokio::spawn(run.take(20_000));
    tokio::time::sleep(Duration::from_secs(3)).await;
    let mut slowest = Duration::ZERO;
    for _ in 0..20 {
        let began = Instant::now();
        Reader::open(&Sqlite::file(folder.path().join("journal")))?.status()?;
        slowest = slowest.max(began.elapsed());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    row(
        "slowest status of 20 beside the run",
        format_args!("{:.1} ms", slowest.as_secs_f64() * 1e3),
    )?;
    stopper.stop();
    run.await??;
    row("peak memory", format_args!("{} MB", peak_memory() / 1024))
}

/// The processor time of this process.
fn cpu_time() -> Duration {
    time_of(Path::new("/proc/self"))
}

/// The processor time of the journal's thread.
fn journal_time() -> Duration {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let is_journal = |thread: &fs::DirEntry| {
        let name = fs::read_to_string(thread.path().join("comm"));
        name.is_ok_and(|name| name.trim() == "podqueue-batch")
    };
    threads.filter(is_journal).map(|thread| time_of(&thread.path())).sum()
}

fn time_of(place: &Path) -> Duration {
    let text = fs::read_to_string(place.join("stat")).unwrap_or_default();
    let fields: Vec<_> = text.rsplit(')').next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis((ticks(12) + ticks(13)) * 10)
}

/// In KB; zero where the system does not tell.
fn peak_memory() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|it| it.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}
