//! Rate limits as bars, requests with their bodies, and webhook calls.

use podqueue_local::RateLimits;
use serde_json::json;

use super::support::{KEY, open};

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_fills_its_bar_until_requests_are_refused() {
    let Some(page) =
        open(|builder| builder.manual_clock().rate_limits(RateLimits::documented())).await
    else {
        return;
    };
    page.visit("endpoint=echo&view=limits").await;
    // 2 requests in 10 seconds are allowed.
    for _ in 0..5 {
        page.post("/v2/echo/purge-queue", json!({})).await;
    }
    let row = "#limit-list tr:has([aria-label='echo/purge-queue'])";
    page.until_text(&format!("{row} td:last-child"), "3").await;
    page.until(&format!("document.querySelector(\"{row} meter\").value === 2")).await;
    page.enter_view("chart").await;
    page.until_text("#chart [data-count=throttled]", "3").await;
    page.enter_view("requests").await;
    page.until_text("#request-list tbody:not(.spacer) tr .code", "429").await;
    page.until_shown("#request-list tbody:not(.spacer) tr", "limited").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_listed_and_filtered_without_their_keys() {
    let Some(page) = open(|builder| builder).await else { return };
    page.enter_view("requests").await;
    page.get("/v2/echo/health").await;
    page.get(&format!("/v2/nobody/health?api_key={}", KEY.replace(' ', "+"))).await;
    page.until_shown("#request-list tbody:not(.spacer)", "GET /v2/nobody/health").await;
    page.browser.choose("#request-status", "4").await;
    page.until_text("#requests-found", "1 request").await;
    page.until_text("#request-list tbody:not(.spacer) tr .code", "404").await;
    page.browser.choose("#request-status", "").await;
    page.browser.fill("#request-search", "echo/health").await;
    page.until_text("#requests-found", "1 request").await;
    page.until_shown("#request-list tbody:not(.spacer)", "GET /v2/echo/health").await;
    let everything = "return document.documentElement.outerHTML";
    let html = page.browser.run(everything).await;
    let html = html.as_str().unwrap();
    assert!(!html.contains(KEY) && !html.contains(&KEY.replace(' ', "+")));
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_shown_with_its_bodies_without_secrets_and_sent_again() {
    let Some(page) = open(|builder| builder).await else { return };
    let id = page.run("echo", json!({ "seed": u64::MAX })).await;
    page.enter_view("requests").await;
    page.browser.click("#request-list .rows tr code").await;
    page.until_text("#request-target", "POST /v2/echo/run").await;
    page.until_shown("#request-facts", "200 · ").await;
    page.until_shown("#request-sent", "18446744073709551615").await;
    page.until_shown("#request-received", &id).await;
    page.browser.click("#request-again").await;
    page.until_text("#notice", "Sent again").await;
    page.until_text("#requests-found", "2 requests").await;
    let jobs = page.get("/_local/endpoints/echo/jobs").await;
    assert_eq!((&jobs["total"], &jobs["jobs"][0]["input"]), (&json!(2), &jobs["jobs"][1]["input"]));
    let secret = json!({ "input": {}, "webhook": "http://127.0.0.1:1/hook?token=secret" });
    page.post("/v2/echo/run", secret).await;
    page.until_text("#requests-found", "3 requests").await;
    page.until("document.querySelectorAll('#request-list .rows tr').length === 3").await;
    page.browser.click("#request-list .rows tr code").await;
    page.until_shown("#request-sent", "[redacted]").await;
    page.until("document.querySelector('#request-again').ariaDisabled === 'true'").await;
    assert!(!page.text("body").await.contains("secret"));
    page.browser.click("#request-close").await;
    page.until("document.querySelector('#request').hidden").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_a_webhook_leads_to_its_job() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    let body = json!({ "input": {}, "webhook": "http://127.0.0.1:1/hook" });
    let record = page.post("/v2/echo/run", body).await;
    page.enter_view("webhooks").await;
    page.until_shown("#webhook-list .rows .error", "Connection refused").await;
    page.browser.click("#webhook-list .rows code").await;
    page.until_text("#job-id", record["id"].as_str().unwrap()).await;
    page.until_text("#endpoint-name", "echo").await;
    page.browser.click("#part-webhook button").await;
    page.until("document.querySelectorAll('#part-webhook li').length === 2").await;
    page.end_soundly(&[]).await;
}
