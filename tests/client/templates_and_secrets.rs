//! Requests of the five named GraphQL calls, as they are sent.

use podqueue::{ErrorKind, NewTemplate, Port};
use serde_json::json;

use crate::support::{Reply, Script};

fn saved() -> Reply {
    Reply::ok(json!({"data": {"saveTemplate": {
        "id": "t-1", "name": "n", "imageName": "i:1", "isServerless": false, "containerDiskInGb": 5,
        "dockerArgs": "run", "env": [{"key": "A", "value": "1"}, {"key": "B", "value": null}],
        "ports": "8888/http,22/tcp", "readme": "# R", "volumeInGb": 20,
        "volumeMountPath": "/workspace", "containerRegistryAuthId": null
    }}}))
}

async fn query_of(server: &Script) -> String {
    server.request().json()["query"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn create_sends_every_field_that_is_set() {
    let server = Script::of([saved()]).await;
    let template = NewTemplate::pod("n", "i:1")
        .container_disk_gb(5)
        .volume_gb(20)
        .volume_mount_path("/workspace")
        .docker_args("run")
        .env("B", "2")
        .env("A", "0")
        .env("A", "1")
        .port(Port::http(8888))
        .port("22/tcp")
        .readme("# R")
        .container_registry_auth_id("c");
    let template = server.client().templates().create(template).await.unwrap();
    let query = query_of(&server).await;
    let (call, selection) = query.split_once(") {").unwrap();
    assert_eq!(
        call,
        "mutation SaveTemplate { saveTemplate(input: {containerDiskInGb: 5, \
         containerRegistryAuthId: \"c\", dockerArgs: \"run\", \
         env: [{key: \"A\", value: \"1\"}, {key: \"B\", value: \"2\"}], imageName: \"i:1\", \
         name: \"n\", ports: \"8888/http,22/tcp\", readme: \"# R\", volumeInGb: 20, \
         volumeMountPath: \"/workspace\"}"
    );
    for field in ["id", "name", "imageName", "isServerless", "env { key value }", "ports"] {
        assert!(selection.contains(field), "{selection}");
    }
    assert_eq!((template.id.as_str(), template.name.as_str()), ("t-1", "n"));
    assert_eq!((template.container_disk_gb, template.volume_gb), (Some(5), Some(20)));
    assert_eq!(template.env["A"], "1");
    assert_eq!(template.env["B"], "");
    assert_eq!(template.ports.as_deref(), Some("8888/http,22/tcp"));
}

#[tokio::test]
async fn a_serverless_template_says_so_and_has_no_volume() {
    let server = Script::of([saved()]).await;
    let template = NewTemplate::serverless("n", "i:1").container_disk_gb(5);
    server.client().templates().create(template).await.unwrap();
    let query = query_of(&server).await;
    assert!(
        query.starts_with(
            "mutation SaveTemplate { saveTemplate(input: {containerDiskInGb: 5, \
             imageName: \"i:1\", isServerless: true, name: \"n\", volumeInGb: 0}) {"
        ),
        "{query}"
    );
}

#[tokio::test]
async fn update_sends_the_id_beside_the_required_fields() {
    let server = Script::of([saved()]).await;
    let template = NewTemplate::pod("n", "i:2").container_disk_gb(5).volume_gb(20);
    server.client().templates().update("t-1", template).await.unwrap();
    let query = query_of(&server).await;
    assert!(
        query.starts_with(
            "mutation ModifyTemplate { saveTemplate(input: {containerDiskInGb: 5, id: \"t-1\", \
             imageName: \"i:2\", name: \"n\", volumeInGb: 20}) {"
        ),
        "{query}"
    );
}

#[tokio::test]
async fn delete_names_the_template() {
    let server = Script::of([Reply::ok(r#"{"data":{"deleteTemplate":null}}"#)]).await;
    server.client().templates().delete("my \"own\"").await.unwrap();
    assert_eq!(
        query_of(&server).await,
        r#"mutation DeleteTemplate { deleteTemplate(templateName: "my \"own\"") }"#
    );
}

#[tokio::test]
async fn a_secret_is_created_and_deleted() {
    let server = Script::of([
        Reply::ok(r#"{"data":{"secretCreate":{"id":"s-1","name":"n","description":null}}}"#),
        Reply::ok(r#"{"data":{"secretDelete":null}}"#),
    ])
    .await;
    let secrets = server.client().secrets();
    let secret = secrets.create("n", "value").await.unwrap();
    assert_eq!((secret.id.as_str(), secret.name.as_str()), ("s-1", "n"));
    secrets.delete(&secret.id).await.unwrap();
    let queries: Vec<_> =
        server.requests().iter().map(|request| request.json()["query"].clone()).collect();
    assert_eq!(
        queries,
        [
            "mutation SecretCreate { secretCreate(input: {name: \"n\", value: \"value\"}) \
             { id name description } }",
            "mutation SecretDelete { secretDelete(id: \"s-1\") }",
        ]
    );
}

#[tokio::test]
async fn a_name_that_is_taken_is_an_error() {
    let taken = r#"{"data":{"saveTemplate":null},"errors":[{"message":"name must be unique"}]}"#;
    let server = Script::of([Reply::ok(taken)]).await;
    let template = NewTemplate::serverless("n", "i:1").container_disk_gb(5);
    let error = server.client().templates().create(template).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Graphql);
    assert!(error.to_string().contains("name must be unique"), "{error}");
}

#[tokio::test]
async fn a_response_without_the_template_is_an_error() {
    let nothing = Reply::ok(r#"{"data":{"saveTemplate":null,"secretCreate":null}}"#);
    let server = Script::then_always([], nothing).await;
    let client = server.client();
    let template = || NewTemplate::serverless("n", "i:1").container_disk_gb(5);
    let created = client.templates().create(template()).await.unwrap_err();
    let secret = client.secrets().create("n", "v").await.unwrap_err();
    let changed = client.templates().update("t", template()).await.unwrap_err();
    for (error, kind, field) in [
        (created, ErrorKind::OutcomeUnknown, "data.saveTemplate"),
        (secret, ErrorKind::OutcomeUnknown, "data.secretCreate"),
        (changed, ErrorKind::Decode, "data.saveTemplate"),
    ] {
        assert_eq!((error.kind(), error.field()), (kind, Some(field)));
    }
}
