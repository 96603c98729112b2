//! Webhooks instead of polling: an axum application receives the calls of the local service, which
//! runs in this process.
//!
//! `cargo run --example webhooks --features webhook`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use podqueue::{Client, ErrorKind, JobRecord, Webhooks};
use podqueue_local::LocalService;
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let local = LocalService::builder().start().await?;
    let client = Client::builder().api_key(local.api_key()).base_url(local.base_url()).build()?;

    headline("A receiver in an axum application");
    let sleep = client.endpoint("sleep");
    let webhooks = Webhooks::builder(&sleep).on_job(save).build()?;
    let base = serve(&webhooks).await?;
    // The URL ends in a secret token, so it is a `SecretString`: do not print it.
    let url = webhooks.url(&base)?;
    println!("It listens at {base}/[secret token].");

    headline("Waiting by webhook, with slow polling as a fallback");
    let started = Instant::now();
    let job = sleep.run(json!({"ms": 1_500})).webhook(url).await?;
    let record = job.wait().timeout(Duration::from_secs(60)).notified_by(&webhooks).await?;
    println!("Notified after {:.1?}: {}.", started.elapsed(), record.output::<Value>()?);
    let reads = local.requests().iter().filter(|call| call.path.contains("/status/")).count();
    println!("The status was read {reads} times: once at the start, and once to confirm the call.");

    headline("Failed jobs are reported as well");
    let fail = client.endpoint("fail");
    let failures = Webhooks::builder(&fail).on_job(save).build()?;
    let url = failures.url(&serve(&failures).await?)?;
    let job = fail.run(json!({"message": "no such model"})).webhook(url).await?;
    match job.wait().notified_by(&failures).await {
        Err(error) if error.kind() == ErrorKind::JobFailed => println!("{error}"),
        other => return Err(format!("expected a failure: {other:?}").into()),
    }

    headline("Deliveries are retried if the handler fails");
    let echo = client.endpoint("echo");
    let disk_is_full = Arc::new(AtomicBool::new(true));
    let flaky = Webhooks::builder(&echo).on_job(move |record| {
        let full = disk_is_full.swap(false, Ordering::Relaxed);
        async move { if full { Err("the disk is full".into()) } else { save(record).await } }
    });
    let flaky = flaky.build()?;
    let url = flaky.url(&serve(&flaky).await?)?;
    let job = echo.run(json!({"text": "hello"})).webhook(url).await?;
    while delivered(&local, job.id()).last() != Some(&Some(200)) {
        // The service waits ten seconds before it retries; its clock can be advanced.
        tokio::time::sleep(Duration::from_millis(50)).await;
        local.clock().advance(Duration::from_secs(1));
    }
    println!("The responses to the service: {:?}.", delivered(&local, job.id()));

    headline("A stranger");
    let guess = format!("/hooks/{}", "0".repeat(64));
    let answer = webhooks.receive(&guess, br#"{"id": "j", "status": "COMPLETED"}"#).await;
    println!("Without the token: {answer:?}, status {}.", answer.status());

    local.shutdown().await;
    Ok(())
}

/// Handles a job that has ended.
async fn save(record: JobRecord) -> Result<(), Box<dyn Error + Send + Sync>> {
    println!("The handler saves a job that is {}.", record.status());
    Ok(())
}

/// Serves the receiver under `/hooks` and returns its URL.
async fn serve(webhooks: &Webhooks) -> std::io::Result<String> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let base = format!("http://{}/hooks", listener.local_addr()?);
    let app: axum::Router = axum::Router::new().nest_service("/hooks", webhooks.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(base)
}

/// The responses that the service got for a job.
fn delivered(local: &LocalService, job_id: &str) -> Vec<Option<u16>> {
    let deliveries = local.webhook_deliveries();
    let of_job = deliveries.iter().filter(|delivery| delivery.job_id == job_id);
    of_job.map(|delivery| delivery.status).collect()
}

fn headline(text: &str) {
    println!("\n── {text}");
}
