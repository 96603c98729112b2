//! A batch that is interrupted and continued: `cargo run -p podqueue-batch --example batch`.
//!
//! It runs offline, against the local service. For the hosted one: `Client::from_env()`.

use std::error::Error;
use std::fs;
use std::io::{Write, stdout};

use futures_util::StreamExt;
use podqueue::Client;
use podqueue_batch::{Batch, Inputs, Sqlite, State};
use podqueue_local::LocalService;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let local = LocalService::builder().api_key("local").start().await?;
    let client = Client::builder().api_key("local").base_url(local.base_url()).build()?;
    let folder = tempfile::tempdir()?;
    let prompts: String =
        (0..400).map(|n| format!("{{\"prompt\": \"lighthouse {n}\"}}\n")).collect();
    fs::write(folder.path().join("prompts.jsonl"), prompts)?;

    // The same program, twice: the second time it continues where it stopped.
    for take in [150, u64::MAX] {
        let batch = Batch::open(Sqlite::file(folder.path().join("answers.jsonl.journal")))
            .inputs(Inputs::jsonl(folder.path().join("prompts.jsonl")))
            .results(folder.path().join("answers.jsonl"))
            .await?;
        let mut run = batch.run(client.endpoint("echo")).take(take);
        while let Some(progress) = run.next().await {
            let done = progress.counts.of(State::Completed);
            writeln!(stdout(), "{done} of {} completed", progress.counts.total())?;
        }
        let report = run.await?;
        writeln!(
            stdout(),
            "{} submitted now, {} completed, {} left, {} unknown; results in {}",
            report.submitted_now,
            report.counts.of(State::Completed),
            report.counts.of(State::Pending),
            report.counts.of(State::Unknown),
            report.results.display(),
        )?;
    }
    Ok(())
}
