//! Templates and secrets over GraphQL: with the built-in methods, and as generated operations.
//!
//! `cargo run --example templates_and_secrets`

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use podqueue::graphql::{SaveTemplate, save_template, types};
use podqueue::{Client, ErrorKind, NewTemplate, Port};
use podqueue_local::LocalService;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let local = LocalService::builder().start().await?;
    let client =
        Client::builder().api_key(local.api_key()).graphql_url(local.graphql_url()).build()?;

    let draft = NewTemplate::pod("my-notebook", "registry.example/notebook:1")
        .container_disk_gb(20)
        .volume_gb(50)
        .volume_mount_path("/workspace")
        .port(Port::http(8888))
        .port("22/tcp")
        .env("MODE", "demo");
    let created = client.templates().create(draft.clone()).await?;
    println!("Created {} with the ports {}.", created.name, created.ports.unwrap_or_default());

    // Names are unique; the service's message is in the error.
    match client.templates().create(draft.clone()).await {
        Err(error) if error.kind() == ErrorKind::Graphql => println!("{error}."),
        other => return Err(format!("expected the name to be taken: {other:?}").into()),
    }
    // Invalid values are refused before anything is sent.
    match client.templates().create(draft.clone().port("8888")).await {
        Err(error) if error.kind() == ErrorKind::InvalidRequest => println!("{error}."),
        other => return Err(format!("expected the port to be refused: {other:?}").into()),
    }
    client.templates().update(&created.id, draft.volume_gb(100)).await?;
    client.templates().delete("my-notebook").await?;

    // Each operation in queries/ is a type.
    let input = types::SaveTemplateInput {
        name: "worker".to_owned(),
        image_name: "registry.example/worker:1".to_owned(),
        container_disk_in_gb: 5,
        volume_in_gb: 0,
        is_serverless: Some(true),
        ..Default::default()
    };
    let variables = save_template::Variables { input };
    let data = client.graphql().execute::<SaveTemplate>(variables).await?;
    let id = data.save_template.and_then(|template| template.id).unwrap_or_default();
    println!("Saved as {id}.");

    let secret = client.secrets().create("token", "not-to-be-shown").await?;
    println!("Stored the secret {}.", secret.name);
    client.secrets().delete(&secret.id).await?;
    Ok(())
}
