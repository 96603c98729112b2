//! The connection to the service: lost, back again, and after a restart.

use podqueue_local::LocalService;
use serde_json::json;

use super::support::{KEY, open};

#[tokio::test(flavor = "multi_thread")]
async fn the_page_says_that_the_service_is_away_and_that_a_restart_ended_the_session() {
    let Some(mut page) = open(|builder| builder).await else { return };
    let address = page.local.address();
    let before = page.run("echo", json!({})).await;
    page.show("echo").await;
    page.until_text("#jobs-found", "1 job").await;
    let other = LocalService::builder().api_key(KEY).start().await.unwrap();
    drop(std::mem::replace(&mut page.local, other));
    page.until_text("#connection", "Disconnected").await;
    page.until_shown("#session", "cannot be reached").await;
    // What was known stays.
    assert_eq!(page.text("#job-list tbody:not(.spacer) tr code").await, before);
    page.local = LocalService::builder().api_key(KEY).listen(address).page().start().await.unwrap();
    page.until_text("#connection", "Session ended").await;
    page.until_shown("#session", "Open the link that it printed").await;
    page.enter().await;
    page.show("echo").await;
    page.until_text("#jobs-found", "0 jobs").await;
    let after = page.run("echo", json!({})).await;
    page.until_text("#job-list tbody:not(.spacer) tr code", &after).await;
    page.end_soundly(&["ERR_", "401"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_reconnects_after_the_service_was_down() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let fault = json!({ "operation": "health", "times": 1, "down": { "ms": 300 } });
    page.post("/_local/faults", fault).await;
    let url = format!("{}/v2/echo/health", page.local.base_url());
    page.http.get(url).header("authorization", KEY).send().await.unwrap_err();
    page.until_text("#connection", "Disconnected").await;
    page.until_text("#connection", "Live").await;
    page.until("document.querySelector('#session').hidden").await;
    page.run("echo", json!({})).await;
    page.until_text("#jobs-found", "1 job").await;
    page.end_soundly(&["ERR_"]).await;
}
