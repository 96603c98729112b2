//! Authentication on all three interfaces: a wrong key is reported.

use podqueue::{Client, ErrorKind, QueueAuth};
use serde_json::json;

use crate::local::support::{KEY, client, service, settings};

#[tokio::test]
async fn a_wrong_key_is_unauthorized_everywhere() {
    let local = service().start().await.unwrap();
    let client: Client = settings(&local).api_key("wrong").build().unwrap();
    let endpoint = client.endpoint("echo");
    let job = endpoint.job("j");
    let errors = [
        endpoint.run(&json!({})).await.unwrap_err(),
        endpoint.run_sync(&json!({})).await.unwrap_err(),
        endpoint.health().await.unwrap_err(),
        endpoint.purge_queue().await.unwrap_err(),
        job.status().await.unwrap_err(),
        job.cancel().await.unwrap_err(),
        job.retry().await.unwrap_err(),
        client.rest().get_pod("p").await.unwrap_err(),
        client.rest().get_template("t").await.unwrap_err(),
        client.templates().delete("t").await.unwrap_err(),
        client.secrets().create("n", "v").await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Unauthorized, Some(401)), "{error}");
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn the_queue_takes_the_key_in_both_forms() {
    let local = service().start().await.unwrap();
    client(&local).endpoint("echo").health().await.unwrap();
    let bare = settings(&local).queue_auth(QueueAuth::BareKey).api_key(KEY).build().unwrap();
    bare.endpoint("echo").health().await.unwrap();
}
