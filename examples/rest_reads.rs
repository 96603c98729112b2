//! Reads of Pods and templates over the REST interface.
//!
//! `cargo run --example rest_reads`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use podqueue::{Client, ErrorKind};
use podqueue_local::{GPU_POD, LocalService, PUBLIC_TEMPLATE, WORKER_POD};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let local = LocalService::builder().start().await?;
    let client = Client::builder().api_key(local.api_key()).rest_url(local.rest_url()).build()?;
    let rest = client.rest();

    // Expensive parts of the response are opt-in, by flag.
    let pod = rest
        .get_pod(GPU_POD)
        .include_machine(true)
        .include_network_volume(true)
        .include_savings_plans(true)
        .await?;
    println!("{}", pod.name.as_deref().unwrap_or("a Pod without a name"));
    println!("  image   {}", pod.image.unwrap_or_default());
    println!("  GPUs    {}", pod.gpu.and_then(|gpu| gpu.count).unwrap_or_default());
    println!("  ports   {}", pod.ports.join(", "));
    println!("  machine {}", pod.machine.and_then(|machine| machine.location).unwrap_or_default());
    let size = pod.network_volume.and_then(|volume| volume.size).unwrap_or_default();
    println!("  volume  {size} GB");
    println!("  plans   {}", pod.savings_plans.len());

    // A Pod that is a serverless worker is only found with `include_workers`.
    match rest.get_pod(WORKER_POD).await {
        Err(error) if error.kind() == ErrorKind::NotFound => println!("{error}."),
        other => return Err(format!("expected NotFound: {other:?}").into()),
    }
    let worker = rest.get_pod(WORKER_POD).include_workers(true).await?;
    println!("With the flag: a worker of {}.", worker.endpoint_id.unwrap_or_default());

    let template = rest.get_template(PUBLIC_TEMPLATE).include_public_templates(true).await?;
    println!(
        "Template {}: {}",
        template.name.unwrap_or_default(),
        template.readme.unwrap_or_default()
    );
    Ok(())
}
