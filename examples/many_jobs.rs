//! A thousand jobs, fifty at a time, with results as they arrive, failures included. The local
//! service runs in this process.
//!
//! `cargo run --example many_jobs`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use podqueue::{Client, ErrorKind, Policy};
use podqueue_local::{HandlerError, LocalJob, LocalService};
use serde::Serialize;
use serde_json::json;

#[derive(Debug, Serialize)]
struct Photo {
    name: String,
    megapixels: u32,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let local = LocalService::builder()
        .endpoint("thumbnail", |job: LocalJob| async move {
            let megapixels =
                job.input["megapixels"].as_u64().ok_or("input.megapixels is required")?;
            job.sleep(Duration::from_millis(10 * megapixels)).await;
            match megapixels {
                13.. => Err(HandlerError::from("out of memory")),
                _ => Ok(json!({"kilobytes": 20 + megapixels})),
            }
        })
        .workers(50, 50)
        .start()
        .await?;
    let client = Client::builder().api_key(local.api_key()).base_url(local.base_url()).build()?;
    let endpoint = client.endpoint("thumbnail");

    // An iterator, which may be endless: the next input is taken once a result has been yielded.
    let photos =
        (0..1_000).map(|n| Photo { name: format!("photo-{n}.jpg"), megapixels: 1 + n % 13 });
    let policy = Policy::new().execution_timeout(Duration::from_secs(60));
    let mut results =
        endpoint.run_all(photos).concurrency(50).submit(|run| run.policy(policy.clone()));

    let started = Instant::now();
    let (mut made, mut failed) = (0, Vec::new());
    while let Some(finished) = results.next().await {
        match finished.result {
            Ok(_) => made += 1,
            // The input is returned with the error, for example to retry on a larger machine.
            Err(error) if error.kind() == ErrorKind::JobFailed => failed.push(finished.input),
            Err(error) => return Err(format!("photo {}: {error}", finished.index).into()),
        }
        let done = made + failed.len();
        if done.is_multiple_of(100) {
            println!("{done} of 1000 after {:.1?}", started.elapsed());
        }
    }

    println!("{made} thumbnails were made, {} photos were too large, such as:", failed.len());
    for photo in failed.iter().take(3) {
        println!("  {} of {} megapixels", photo.name, photo.megapixels);
    }
    let polls = local.requests().iter().filter(|call| call.path.contains("/status/")).count();
    println!("{polls} status requests were made, in {:.1?}.", started.elapsed());
    local.shutdown().await;
    Ok(())
}
