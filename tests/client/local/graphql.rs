//! Templates and secrets, in both forms of the request body.

use podqueue::graphql::{SaveTemplate, save_template, types};
use podqueue::{Client, ErrorKind, GraphqlBody, NewTemplate, Port};
use podqueue_local::LocalService;

use crate::local::support::{service, settings};

fn both_forms(local: &LocalService) -> [Client; 2] {
    [GraphqlBody::QueryOnly, GraphqlBody::Variables]
        .map(|form| settings(local).graphql_body(form).build().unwrap())
}

#[tokio::test]
async fn a_template_is_created_read_changed_and_deleted() {
    let local = service().start().await.unwrap();
    for client in both_forms(&local) {
        let tricky = "quote \" backslash \\ newline \n C:\\new \"\"\" \u{1F980}";
        let draft = NewTemplate::pod(tricky, "image:1")
            .container_disk_gb(5)
            .volume_gb(20)
            .volume_mount_path("/workspace")
            .port(Port::http(8888))
            .port(Port::tcp(22))
            .env("KEY", tricky)
            .readme(tricky);
        let created = client.templates().create(draft.clone()).await.unwrap();
        assert_eq!((created.name.as_str(), created.env["KEY"].as_str()), (tricky, tricky));
        let read = client.rest().get_template(&created.id).await.unwrap();
        assert_eq!(read.name.as_deref(), Some(tricky));
        assert_eq!(read.readme.as_deref(), Some(tricky));
        assert_eq!(read.env["KEY"], tricky);
        assert_eq!(read.ports, ["8888/http", "22/tcp"]);
        assert_eq!((read.container_disk_in_gb, read.volume_in_gb), (Some(5), Some(20)));
        let error = client.templates().create(draft.clone()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Graphql, "names are unique: {error}");
        let changed = draft.container_disk_gb(50);
        let changed = client.templates().update(&created.id, changed).await.unwrap();
        assert_eq!((changed.id, changed.container_disk_gb), (created.id.clone(), Some(50)));
        client.templates().delete(tricky).await.unwrap();
        let error = client.rest().get_template(&created.id).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        let error = client.templates().delete(tricky).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}

#[tokio::test]
async fn a_serverless_template_has_no_volume() {
    let local = service().start().await.unwrap();
    for (client, name) in both_forms(&local).into_iter().zip(["one", "two"]) {
        let draft = NewTemplate::serverless(name, "image:1").container_disk_gb(5);
        let created = client.templates().create(draft).await.unwrap();
        assert_eq!((created.is_serverless, created.volume_gb), (true, Some(0)));
    }
}

#[tokio::test]
async fn the_services_own_refusal_reaches_the_caller() {
    let local = service().start().await.unwrap();
    for client in both_forms(&local) {
        let input = types::SaveTemplateInput {
            name: "n".to_owned(),
            image_name: "image:1".to_owned(),
            container_disk_in_gb: 5,
            volume_in_gb: 1,
            is_serverless: Some(true),
            ..Default::default()
        };
        let variables = save_template::Variables { input };
        let error = client.graphql().execute::<SaveTemplate>(variables).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Graphql);
        assert!(error.to_string().contains("volumeInGb"), "{error}");
    }
}

#[tokio::test]
async fn a_secret_is_created_and_deleted() {
    let local = service().start().await.unwrap();
    for client in both_forms(&local) {
        let secret = client.secrets().create("token", "va\"l\\ue\n").await.unwrap();
        assert_eq!(secret.name, "token");
        client.secrets().delete(&secret.id).await.unwrap();
        let error = client.secrets().delete(&secret.id).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
}
