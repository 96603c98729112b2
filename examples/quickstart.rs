//! The crate's main features, end to end, without an account: the local service runs in this
//! process, and the client calls it over real HTTP.
//!
//! `cargo run --example quickstart`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::time::Duration;

use futures_util::StreamExt;
use podqueue::{Client, ErrorKind, JobStatus, NewTemplate, Policy, Port};
use podqueue_local::{GPU_POD, HandlerError, LocalJob, LocalService, VENDOR_TEMPLATE, Workers};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Outcome {
    let local = start_the_service().await?;
    let client = Client::builder()
        .api_key("local")
        .base_url(local.base_url())
        .rest_url(local.rest_url())
        .graphql_url(local.graphql_url())
        .build()?;
    println!("A local service runs at {}.", local.base_url());

    synchronous_job(&client).await?;
    asynchronous_job(&client).await?;
    streamed_job(&client).await?;
    cancelled_job(&client).await?;
    failed_job(&client).await?;
    purged_queue(&client).await?;
    pods_and_templates(&client).await?;
    own_template(&client).await?;
    secret(&client).await?;

    local.shutdown().await;
    println!("\nDone.");
    Ok(())
}

/// `echo`, `count`, `sleep` and `fail` are built in; these two are custom handlers.
async fn start_the_service() -> Outcome<LocalService> {
    let service = LocalService::builder()
        .api_key("local")
        .endpoint("painter", |job: LocalJob| async move {
            let prompt = job.input["prompt"].as_str().ok_or("input.prompt is required")?;
            job.sleep(Duration::from_millis(180)).await;
            Ok(json!({"prompt": prompt, "width": 1024, "height": 768}))
        })
        .endpoint("moody", |job: LocalJob| async move {
            match job.attempt() {
                1 => Err(HandlerError::from("CUDA out of memory: tried to allocate 20 GiB")),
                _ => Ok(json!("fine this time")),
            }
        })
        .workers_of("sleep", Workers::between(1, 1))
        .start()
        .await?;
    Ok(service)
}

#[derive(Serialize)]
struct Prompt {
    prompt: String,
}

#[derive(Debug, Deserialize)]
struct Picture {
    prompt: String,
    width: u32,
    height: u32,
}

async fn synchronous_job(client: &Client) -> Outcome {
    headline("A synchronous job: the output is in the response");
    let input = Prompt { prompt: "a lighthouse in a storm".to_owned() };
    let picture: Picture = client.endpoint("painter").run_sync(input).output().await?;
    println!("painter made “{}”, {} × {}.", picture.prompt, picture.width, picture.height);
    Ok(())
}

async fn asynchronous_job(client: &Client) -> Outcome {
    headline("An asynchronous job: submit now, wait later");
    let policy = Policy::new()
        .execution_timeout(Duration::from_secs(15 * 60))
        .ttl(Duration::from_secs(60 * 60));
    let input = Prompt { prompt: "the same, at dawn".to_owned() };
    let job = client.endpoint("painter").run(&input).policy(policy).await?;
    println!("Submitted as {}.", job.id());
    let record = job.wait().timeout(Duration::from_secs(30)).await?;
    println!(
        "{}: {} ms in the queue, {} ms of work.",
        record.status(),
        record.delay_time().unwrap_or_default().as_millis(),
        record.execution_time().unwrap_or_default().as_millis()
    );
    println!("Its output, typed: {:?}.", record.output::<Picture>()?);
    Ok(())
}

async fn streamed_job(client: &Client) -> Outcome {
    headline("A streamed job: chunks as they arrive");
    #[derive(Deserialize)]
    struct Count {
        n: u32,
    }
    let mut chunks = client.endpoint("count").run(json!({"n": 5, "ms": 40})).stream::<Count>();
    while let Some(chunk) = chunks.next().await {
        print!("{} … ", chunk?.output.n);
    }
    println!("and the stream ends with the job.");
    Ok(())
}

async fn cancelled_job(client: &Client) -> Outcome {
    headline("Cancelling a running job");
    let job = client.endpoint("sleep").run(json!({"ms": 60_000})).await?;
    while job.status().await?.status() != JobStatus::InProgress {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    println!("{} is {}.", job.id(), JobStatus::InProgress);
    println!("Cancelled, it is {}.", job.cancel().await?.status());
    if let Err(error) = job.wait().await {
        println!("Waiting for it now fails: {error}.");
    }
    Ok(())
}

async fn failed_job(client: &Client) -> Outcome {
    headline("Retrying a failed job");
    let job = client.endpoint("moody").run(json!({})).await?;
    match job.wait().await {
        Err(error) if error.kind() == ErrorKind::JobFailed => println!("{error}."),
        other => return Err(format!("it should have failed: {other:?}").into()),
    }
    println!("Retried, it is {} again.", job.retry().await?.status());
    let record = job.wait().await?;
    println!("And now: “{}”.", record.output::<String>()?);
    Ok(())
}

async fn purged_queue(client: &Client) -> Outcome {
    headline("Inspecting and purging a queue");
    let endpoint = client.endpoint("sleep");
    let running = endpoint.run(json!({"ms": 60_000})).await?;
    while running.status().await?.status() != JobStatus::InProgress {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    for _ in 0..3 {
        endpoint.run(json!({"ms": 60_000})).await?;
    }
    let jobs = endpoint.health().await?.jobs;
    println!("{} job runs, {} wait behind it.", jobs.in_progress, jobs.in_queue);
    println!("The purge removed {} of them.", endpoint.purge_queue().await?.removed);
    let health = endpoint.health().await?;
    println!("{} job still runs on {} worker.", health.jobs.in_progress, health.workers.running);
    running.cancel().await?;
    Ok(())
}

async fn pods_and_templates(client: &Client) -> Outcome {
    headline("Reading a Pod and a template over REST");
    let pod = client.rest().get_pod(GPU_POD).include_machine(true).include_network_volume(true);
    let pod = pod.await?;
    println!(
        "Pod {} ({}) costs {} credits per hour.",
        pod.name.as_deref().unwrap_or("without a name"),
        pod.desired_status.map(|status| status.to_string()).unwrap_or_default(),
        pod.cost_per_hr.unwrap_or_default()
    );
    if let Some(machine) = pod.machine {
        println!("It is located in {}.", machine.location.unwrap_or_default());
    }
    let template = client.rest().get_template(VENDOR_TEMPLATE).include_vendor_templates(true);
    let template = template.await?;
    println!(
        "Template {} runs {} and opens {}.",
        template.name.unwrap_or_default(),
        template.image_name.unwrap_or_default(),
        template.ports.join(", ")
    );
    Ok(())
}

async fn own_template(client: &Client) -> Outcome {
    headline("Creating, updating and deleting a template over GraphQL");
    let templates = client.templates();
    let draft = NewTemplate::pod("quickstart", "registry.example/notebook:1")
        .container_disk_gb(20)
        .volume_gb(50)
        .volume_mount_path("/workspace")
        .port(Port::http(8888))
        .env("MODE", "demo");
    let created = templates.create(draft.clone()).await?;
    println!("Created {} as {}.", created.name, created.id);
    let changed = templates.update(&created.id, draft.container_disk_gb(40)).await?;
    println!("Its disk now has {} GB.", changed.container_disk_gb.unwrap_or_default());
    templates.delete(&changed.name).await?;
    match client.rest().get_template(&created.id).await {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("Deleted: it is no longer found.")
        }
        other => return Err(format!("it should be deleted: {other:?}").into()),
    }
    Ok(())
}

async fn secret(client: &Client) -> Outcome {
    headline("Storing and deleting a secret");
    let secret = client.secrets().create("quickstart-token", "not-to-be-shown").await?;
    println!("Stored {} as {}; its value is never shown.", secret.name, secret.id);
    client.secrets().delete(&secret.id).await?;
    println!("Deleted.");
    let raw: Value = client.endpoint("echo").run_sync(json!({"still": "here"})).output().await?;
    println!("(And the queue still responds: {raw}.)");
    Ok(())
}

fn headline(text: &str) {
    println!("\n── {text}");
}
