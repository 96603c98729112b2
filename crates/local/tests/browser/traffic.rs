//! Rate limits as bars, requests, and webhook calls.

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
    // 2 requests in 10 seconds are allowed.
    for _ in 0..5 {
        page.post("/v2/echo/purge-queue", json!({})).await;
    }
    let row = "#limit-list tr:has([aria-label='echo/purge-queue'])";
    page.until_text(&format!("{row} td:last-child"), "3").await;
    page.until(&format!("document.querySelector(\"{row} meter\").value === 2")).await;
    page.until_text("#request-list tbody:not(.spacer) tr .code", "429").await;
    page.until_shown("#request-list tbody:not(.spacer) tr", "limited").await;
    page.show("echo").await;
    page.until_text("#chart [data-count=throttled]", "3").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_listed_and_filtered_without_their_keys() {
    let Some(page) = open(|builder| builder).await else { return };
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
