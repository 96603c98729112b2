//! Tests of Pods, templates, secrets and GraphQL.

use std::fs;

use podqueue_local::{Fault, GPU_POD, OWN_TEMPLATE, Operation};
use serde_json::Value;

use crate::support::{Fixture, ran, ran_with_stdin};

#[tokio::test]
async fn a_pod_is_read_with_requested_parts() {
    let fixture = Fixture::start().await;
    let ran = fixture.run(&["pod", "get", GPU_POD]).await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains(GPU_POD) && !ran.stdout.contains("machine."), "{}", ran.stdout);
    let ran =
        fixture.run(&["pod", "get", GPU_POD, "--include", "machine,template", "--json"]).await;
    let pod: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert!(pod["machine"].is_object() && pod["template"].is_object(), "{pod}");
    fixture.run(&["pod", "get", "no-such"]).await.fails(6, "no such Pod");
    fixture.run(&["pod", "get", GPU_POD, "--include", "gpu"]).await.fails(2, "possible values");
}

#[tokio::test]
async fn a_template_is_created_read_updated_and_deleted() {
    let fixture = Fixture::start().await;
    let mut create = fixture.program(&[
        "template",
        "create",
        "w",
        "--image",
        "r.example/w:1",
        "--serverless",
        "--env",
        "TOKEN",
        "--env",
        "MODE=fast-and-hidden",
        "--port",
        "8888/http",
        "--json",
    ]);
    let created = ran(create.env("TOKEN", "t0ken-value")).await;
    assert_eq!(created.code, 0, "{}", created.stderr);
    assert!(!created.stdout.contains("t0ken") && !created.stdout.contains("fast"), "{created:?}");
    let created: Value = serde_json::from_str(&created.stdout).unwrap();
    let id = created["id"].as_str().unwrap();
    let ran = fixture.run(&["template", "get", id]).await;
    assert!(ran.stdout.contains("r.example/w:1"), "{}", ran.stdout);
    assert!(ran.stdout.contains("MODE, TOKEN (values redacted)"), "{}", ran.stdout);
    let update = ["template", "update", id, "--name", "w", "--image", "r.example/w:2"];
    let ran = fixture.run(&update).await;
    assert!(ran.stdout.contains("r.example/w:2"), "{ran:?}");
    let replaced = [&update[..], &["--env", "MODE=slow"]].concat();
    fixture.run(&replaced).await.fails(2, "It loses the variables TOKEN. Pass --yes");
    let ran = fixture.run(&["template", "get", id]).await;
    assert!(ran.stdout.contains("MODE, TOKEN (values redacted)"), "{}", ran.stdout);
    fixture.run(&[&replaced[..], &["--yes"]].concat()).await.assert_code(0);
    let ran = fixture.run(&["template", "get", id]).await;
    assert!(ran.stdout.contains("MODE (values redacted)"), "{}", ran.stdout);
    fixture.run(&["template", "delete", "w"]).await.fails(2, "--yes");
    fixture.run(&["template", "delete", "w", "--yes"]).await.assert(0, "deleted  w\n");
    fixture.run(&["template", "get", id]).await.fails(6, "404");
    fixture.run(&["template", "get", OWN_TEMPLATE]).await.fails(0, "");
    let bare = fixture.run(&["template", "create", "y", "--image", "i"]).await;
    assert!(bare.code == 0 && !bare.stdout.contains("env"), "{bare:?}");
    fixture
        .run(&["template", "create", "x", "--image", "i", "--env", "UNSET"])
        .await
        .fails(2, "UNSET");
}

#[tokio::test]
async fn a_secret_comes_from_standard_input_and_is_never_shown() {
    let fixture = Fixture::start().await;
    let mut create = fixture.program(&["secret", "create", "token", "--json"]);
    let created = ran_with_stdin(&mut create, "s3cret value\n").await;
    assert_eq!(created.code, 0, "{}", created.stderr);
    let id = serde_json::from_str::<Value>(&created.stdout).unwrap()["id"].clone();
    let id = id.as_str().unwrap();
    assert_eq!(fixture.local.secret_value(id).as_deref(), Some("s3cret value"));
    ran_with_stdin(&mut fixture.program(&["secret", "create", "t"]), "\n")
        .await
        .fails(2, "is empty");
    fixture.run(&["secret", "delete", id]).await.fails(2, "--yes");
    fixture.run(&["secret", "delete", id, "--yes"]).await.assert(0, &format!("deleted  {id}\n"));
    assert_eq!(fixture.local.secret_value(id), None);
    fixture.run(&["secret", "delete", id, "--yes"]).await.fails(6, "no secret has this id");
    fixture.run(&["template", "delete", "no-such", "--yes"]).await.fails(6, "no template of yours");
}

#[tokio::test]
async fn a_value_that_is_an_argument_is_refused_and_not_shown() {
    let fixture = Fixture::start().await;
    for more in [&["canary-value"][..], &["--value", "canary-value"], &["--value=canary-value"]] {
        let ran = fixture.run(&[&["secret", "create", "two words"], more].concat()).await;
        ran.fails(2, "a value is never an argument");
        assert!(ran.stderr.contains("podqueue secret create 'two words'"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("canary-value"), "{}", ran.stderr);
    }
    assert!(fixture.local.requests().is_empty());
}

#[tokio::test]
async fn a_variable_that_cannot_be_sent_is_refused() {
    let fixture = Fixture::start().await;
    let mut program = fixture.program(&["graphql", "-", "--var", "disk=1e400"]);
    ran_with_stdin(&mut program, "{ a }").await.fails(2, "--var disk cannot be sent");
    assert!(fixture.local.requests().is_empty());
}

#[tokio::test]
async fn any_document_is_sent_with_its_variables() {
    let fixture = Fixture::start().await;
    let file = fixture.home.path().join("save.graphql");
    fs::write(
        &file,
        "mutation Save($name: String!, $disk: Int!) { saveTemplate(input: {name: $name, \
         imageName: \"i:1\", containerDiskInGb: $disk, volumeInGb: 0}) { name containerDiskInGb } }",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let save = ["graphql", file, "--var", "name=w", "--var", "disk=7"];
    let ran = fixture.run(&save).await;
    ran.assert(0, "{\"saveTemplate\":{\"name\":\"w\",\"containerDiskInGb\":7}}\n");
    fixture.run(&save).await.fails(1, "the service says");
    fixture.local.add_fault(Fault::lost_response().on(Operation::GraphQl).times(1));
    let ran = fixture.run(&["graphql", file, "--var", "name=v", "--var", "disk=7"]).await;
    ran.fails(5, "document on the GraphQL interface");
    fixture.local.add_fault(Fault::lost_response().on(Operation::GraphQl).times(1));
    let query = &mut fixture.program(&["graphql", "-"]);
    ran_with_stdin(query, "{ __typename }").await.assert(0, "{\"__typename\":\"Query\"}\n");
}
