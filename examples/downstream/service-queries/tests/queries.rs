//! The operations of `queries/`, sent to the local service.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

use podqueue::graphql::types as podqueues;
use podqueue::{Client, ErrorKind, GraphqlBody};
use podqueue_local::LocalService;
use service_queries::types::{EnvironmentVariableInput, SaveTemplateInput, SecretCreateInput};
use service_queries::{
    Forget, Keep, KeepServerless, StorePair, forget, keep, keep_serverless, store_pair,
};

async fn service() -> (LocalService, [Client; 2]) {
    let local = LocalService::builder().start().await.unwrap();
    let clients = [GraphqlBody::QueryOnly, GraphqlBody::Variables].map(|body| {
        let builder = Client::builder().api_key(local.api_key()).graphql_url(local.graphql_url());
        builder.graphql_body(body).build().unwrap()
    });
    (local, clients)
}

/// It compiles, so the inputs are podqueue's own.
#[test]
fn inputs_are_the_librarys_own_types() {
    let input: podqueues::SaveTemplateInput = SaveTemplateInput::default();
    let _: keep::Variables = keep::Variables { input, with_env: false };
    assert_eq!(
        std::any::TypeId::of::<SecretCreateInput>(),
        std::any::TypeId::of::<podqueues::SecretCreateInput>()
    );
}

#[tokio::test]
async fn an_input_with_a_list_of_inputs() {
    let (_local, clients) = service().await;
    for (number, client) in clients.into_iter().enumerate() {
        let pair = |key: &str, value: &str| EnvironmentVariableInput {
            key: key.to_owned(),
            value: value.to_owned(),
        };
        let input = SaveTemplateInput {
            name: format!("notebook-{number}"),
            image_name: "registry.example/notebook:1".to_owned(),
            container_disk_in_gb: 20,
            volume_in_gb: 50,
            env: Some(vec![pair("A", "1"), pair("B", "two \"words\"")]),
            ..Default::default()
        };
        let variables = keep::Variables { input: input.clone(), with_env: true };
        let data = client.graphql().execute::<Keep>(variables).await.unwrap();
        let template = data.save_template.unwrap();
        assert_eq!(template.sizes.volume_in_gb, Some(50));
        let env = template.env.unwrap();
        assert_eq!(env.len(), 2);
        assert_eq!(env[1].value.as_deref(), Some("two \"words\""));

        let input = SaveTemplateInput { id: template.sizes.id, env: None, ..input };
        let variables = keep::Variables { input, with_env: false };
        let data = client.graphql().execute::<Keep>(variables).await.unwrap();
        assert_eq!(data.save_template.unwrap().env, None);
    }
}

#[tokio::test]
async fn defaults_and_what_is_absent() {
    let (_local, clients) = service().await;
    for (number, client) in clients.into_iter().enumerate() {
        let variables = keep_serverless::Variables {
            name: format!("worker-{number}"),
            image: "registry.example/worker:1".to_owned(),
            disk_in_gb: None,
            readme: None,
        };
        let data = client.graphql().execute::<KeepServerless>(variables.clone()).await.unwrap();
        let template = data.save_template.unwrap();
        assert_eq!(template.sizes.container_disk_in_gb, Some(5));
        assert_eq!(template.is_serverless, Some(true));

        // Names are unique.
        let error = client.graphql().execute::<KeepServerless>(variables).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Graphql);
    }
}

#[tokio::test]
async fn several_operations_of_one_file() {
    let (_local, clients) = service().await;
    for (number, client) in clients.into_iter().enumerate() {
        let secret = |name: &str| SecretCreateInput {
            name: format!("{name}-{number}"),
            value: "hidden".to_owned(),
        };
        let variables = store_pair::Variables { first: secret("one"), second: secret("two") };
        assert!(!format!("{variables:?}").contains("hidden"), "{variables:?}");
        let data = client.graphql().execute::<StorePair>(variables).await.unwrap();
        let [first, second] = [data.first, data.second].map(Option::unwrap);
        assert_eq!(first.name, Some(format!("one-{number}")));
        assert_ne!(first.id, second.id);
        for id in [first.id, second.id] {
            let variables = forget::Variables { id: id.unwrap() };
            client.graphql().execute::<Forget>(variables).await.unwrap();
        }
    }
}
