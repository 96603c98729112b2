//! Authorization: the API key in the form that each interface requires.

use podqueue::{Client, ErrorKind, QueueAuth};
use serde_json::json;

use crate::support::{KEY, Reply, Script};

#[tokio::test]
async fn the_queue_takes_the_key_as_bearer_by_default_and_bare_as_an_option() {
    let health = Reply::ok(json!({
        "jobs": {"completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0},
        "workers": {"idle": 0, "running": 0}
    }));
    let server = Script::then_always([], health).await;
    server.endpoint().health().await.unwrap();
    let bare = server.settings().queue_auth(QueueAuth::BareKey).build().unwrap();
    bare.endpoint("ep").health().await.unwrap();
    let requests = server.requests();
    assert_eq!(requests[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(requests[1].header("authorization"), Some(KEY));
}

#[tokio::test]
async fn rest_takes_the_key_as_bearer() {
    let server = Script::of([Reply::ok(r#"{"id":"p"}"#)]).await;
    let bare = server.settings().queue_auth(QueueAuth::BareKey).build().unwrap();
    bare.rest().get_pod("p").await.unwrap();
    assert_eq!(server.request().header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[tokio::test]
async fn graphql_takes_the_key_in_the_query_and_nowhere_else() {
    let server = Script::of([Reply::ok(r#"{"data":{"secretDelete":null}}"#)]).await;
    server.client().secrets().delete("s").await.unwrap();
    let request = server.request();
    assert_eq!(request.line(), "POST /graphql?api_key=key-canary%2B5f2b%3D");
    assert_eq!(request.header("authorization"), None);
}

#[tokio::test]
async fn a_query_of_the_graphql_url_is_kept_and_the_key_is_escaped() {
    let server = Script::of([Reply::ok(r#"{"data":{"secretDelete":null}}"#)]).await;
    let client = server
        .settings()
        .api_key("a+b&c=d")
        .graphql_url(format!("{}/graphql?region=eu", server.url()))
        .build()
        .unwrap();
    client.secrets().delete("s").await.unwrap();
    let line = server.request().line();
    assert_eq!(line, "POST /graphql?region=eu&api_key=a%2Bb%26c%3Dd");
}

#[tokio::test]
async fn the_environment_gives_key_and_urls() {
    const MARK: &str = "PODQUEUE_TEST_IS_THE_CHILD";
    if std::env::var_os(MARK).is_some() {
        let health = Client::from_env().unwrap().endpoint("ep").health().await;
        assert_eq!(health.unwrap_err().kind(), ErrorKind::Unauthorized);
        #[cfg(feature = "account")]
        Client::from_env().unwrap().account().list_pods().await.unwrap_err();
        return;
    }
    // The environment belongs to the whole process, so the test runs itself again in one of its
    // own.
    let server = Script::then_always([], Reply::json(401, "{}")).await;
    let mut child = tokio::process::Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "auth::the_environment_gives_key_and_urls"])
        .env(MARK, "1")
        .env("PODQUEUE_API_KEY", "from-the-environment")
        .env("PODQUEUE_BASE_URL", server.url())
        .env("PODQUEUE_ACCOUNT_URL", server.url());
    let output = child.output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let accounts: &[&str] = if cfg!(feature = "account") { &["GET /v2/pods"] } else { &[] };
    assert_eq!(server.lines(), [&["GET /v2/ep/health"], accounts].concat());
    for request in server.requests() {
        assert_eq!(request.header("authorization"), Some("Bearer from-the-environment"));
    }
}
