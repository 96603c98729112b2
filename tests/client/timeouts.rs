//! Timeouts of a single call.

use std::future::IntoFuture;
use std::time::Duration;

use podqueue::graphql::{SecretDelete, secret_delete};
use podqueue::{Error, ErrorKind, NewTemplate, Request, RetryPolicy};
use serde_json::json;

use crate::support::{Reply, Script};

/// The default timeouts are a minute; no test waits that long.
const SHORT: Duration = Duration::from_millis(150);

/// A call that is given up must say after how long, and must not have waited for the client's own
/// time.
async fn times_out<T>(call: impl IntoFuture<Output = Result<T, Error>>, ambiguous: bool) {
    let Err(error) = call.await else { panic!("a response came") };
    let expected = if ambiguous { ErrorKind::OutcomeUnknown } else { ErrorKind::Timeout };
    // On a machine that takes so long to connect, it is not sent.
    let kinds = [expected, ErrorKind::Connect];
    assert!(kinds.contains(&error.kind()), "{error:?}");
    assert!(error.to_string().contains("150ms"), "{error}");
}

#[tokio::test]
async fn each_call_can_have_its_own_time() {
    let server = Script::by(|_| Reply::ok("{}").late(Duration::from_secs(3_600))).await;
    let client = server.settings().retry(RetryPolicy::never()).build().unwrap();
    let (endpoint, job) = (client.endpoint("ep"), client.endpoint("ep").job("j"));
    let body = json!({});

    times_out(endpoint.run(&body).timeout(SHORT), true).await;
    times_out(endpoint.openai("v1/chat/completions", &body).timeout(SHORT), true).await;
    times_out(endpoint.health().timeout(SHORT), false).await;
    times_out(endpoint.purge_queue().timeout(SHORT), true).await;
    times_out(endpoint.requests().timeout(SHORT), false).await;
    times_out(job.status().timeout(SHORT), false).await;
    times_out(job.cancel().timeout(SHORT), false).await;

    times_out(client.rest().get_pod("p").timeout(SHORT), false).await;

    let variables = secret_delete::Variables { id: "s".to_owned() };
    times_out(client.graphql().execute::<SecretDelete>(variables).timeout(SHORT), true).await;
    let (templates, secrets) = (client.templates(), client.secrets());
    let template = || NewTemplate::serverless("n", "i:1").container_disk_gb(5);
    times_out(templates.create(template()).timeout(SHORT), true).await;
    times_out(templates.update("t", template()).timeout(SHORT), false).await;
    times_out(templates.delete("n").timeout(SHORT), false).await;
    times_out(secrets.create("n", "value").timeout(SHORT), true).await;
    times_out(secrets.delete("s").timeout(SHORT), false).await;
}

#[tokio::test]
async fn a_job_retry_that_times_out_is_settled_by_the_status() {
    let stays_failed = Reply::ok(r#"{"id":"j","status":"FAILED"}"#);
    let replies = [Reply::ok("{}").late(Duration::from_secs(3_600)), stays_failed];
    let server = Script::of(replies).await;
    let client = server.settings().retry(RetryPolicy::never()).build().unwrap();
    let error = client.endpoint("ep").job("j").retry().timeout(SHORT).await.unwrap_err();
    assert!([ErrorKind::OutcomeUnknown, ErrorKind::Connect].contains(&error.kind()), "{error:?}");
    assert!(error.to_string().contains("150ms"), "{error}");
}

#[tokio::test]
async fn a_synchronous_job_has_its_wait_on_top() {
    let record = Reply::ok(r#"{"id":"sync-j","status":"COMPLETED"}"#);
    let server = Script::of([record.late(2 * SHORT)]).await;
    let run = server.endpoint().run_sync(&json!({})).wait(Duration::from_secs(1));
    run.timeout(SHORT).await.expect("it came within the wait");
}

#[tokio::test]
async fn a_call_may_take_longer_than_the_client_gives_all_calls() {
    let never = Reply::ok("{}").late(Duration::from_secs(3_600));
    let server = Script::of([never, Reply::ok("{}").late(3 * SHORT)]).await;
    let settings = server.settings().timeout(SHORT).call_timeout(SHORT).retry(RetryPolicy::never());
    let endpoint = settings.build().unwrap().endpoint("ep");
    let call = || -> Request<serde_json::Value> { endpoint.openai("v1/models", &json!({})) };
    call().await.expect_err("the client's time is over");
    call().timeout(Duration::from_secs(60)).await.expect("its own is not");
}
