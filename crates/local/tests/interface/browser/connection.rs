//! Connection of the page to the service: lost, restored, and after a restart.

use std::time::Duration;

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
    page.until_shown("#session", "The service is away: reconnecting. What is shown is from").await;
    page.until("getComputedStyle(document.querySelector('main')).opacity < 0.6").await;
    // The page still shows the known jobs.
    assert_eq!(page.text("#job-list tbody:not(.spacer) tr code").await, before);
    page.local = LocalService::builder().api_key(KEY).listen(address).page().start().await.unwrap();
    page.until_text("#connection", "Locked").await;
    page.until_shown("#session", "Open the link that the service printed").await;
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
    page.until_text("#session", "").await;
    page.run("echo", json!({})).await;
    page.until_text("#jobs-found", "1 job").await;
    page.end_soundly(&["ERR_"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_without_a_stream_of_events_shows_the_reason_and_waits() {
    let Some(page) = open(|builder| builder).await else { return };
    page.browser.open("about:blank").await;
    let url = format!("{}/_local/events", page.local.base_url());
    let mut streams = Vec::new();
    loop {
        let stream = page.http.get(&url).header("authorization", KEY).send().await.unwrap();
        if stream.status() == 429 {
            break;
        }
        streams.push(stream);
    }
    page.browser.open(&page.local.page_url().unwrap()).await;
    page.until_text("#connection", "Disconnected").await;
    page.until_shown("#session", "Too many pages are open").await;
    drop(streams);
    page.until_text("#connection", "Live").await;
    page.end_soundly(&["429"]).await;
}

/// A browser opens six connections to a host, and each tab needs some for its requests.
#[tokio::test(flavor = "multi_thread")]
async fn eight_tabs_live_at_once_also_when_the_first_ones_are_closed() {
    let Some(page) = open(|builder| builder).await else { return };
    for _ in 0..7 {
        page.browser.open_tab().await;
        page.enter().await;
    }
    page.run("echo", json!({})).await;
    for tab in [7, 3, 0] {
        page.browser.switch_to_tab(tab).await;
        page.show("echo").await;
        page.until_text("#jobs-found", "1 job").await;
    }
    page.browser.close_tab().await;
    page.browser.switch_to_tab(4).await;
    page.run("echo", json!({})).await;
    page.show("echo").await;
    page.until_text("#jobs-found", "2 jobs").await;
    page.end_soundly(&[]).await;
}

/// Opening the new link in another tab opens the session of this tab, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_tab_shows_the_state_of_a_restarted_service() {
    let Some(mut page) = open(|builder| builder.manual_clock()).await else { return };
    let address = page.local.address();
    page.get("/v2/echo/health").await;
    page.post("/_local/faults", json!({ "operation": "run", "cut": 0 })).await;
    page.enter_view("faults").await;
    page.until_shown("#fault-list", "run: response lost").await;
    page.enter_view("requests").await;
    page.until_text("#request-list tbody:not(.spacer) time", "00:00:00").await;
    let other = LocalService::builder().api_key(KEY).start().await.unwrap();
    drop(std::mem::replace(&mut page.local, other));
    page.until_text("#connection", "Disconnected").await;
    let next = LocalService::builder().api_key(KEY).listen(address).manual_clock().page();
    page.local = next.start().await.unwrap();
    page.local.clock().advance(Duration::from_secs(3600));
    page.get("/v2/echo/health").await;
    page.post("/_local/faults", json!({ "operation": "health", "stall": true })).await;
    page.browser.open_tab().await;
    page.enter().await;
    page.browser.switch_to_tab(0).await;
    page.until_text("#connection", "Live").await;
    page.until_text("#request-list tbody:not(.spacer) time", "01:00:00").await;
    page.enter_view("faults").await;
    page.until_shown("#fault-list", "health: stall").await;
    page.end_soundly(&["ERR_", "401"]).await;
}

/// A connection can die silently. The test does not wait that long: the timer of 40 seconds is
/// held, and ends when the test says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_falls_silent_is_noticed_and_opened_again() {
    let Some(page) = open(|builder| builder).await else { return };
    let hold = "window.held = new Map();
        const [start, stop] = [setTimeout, clearTimeout];
        window.setTimeout = (run, ms) => {
            const timer = start(ms === 40000 ? () => {} : run, ms);
            if (ms === 40000) held.set(timer, run);
            return timer;
        };
        window.clearTimeout = (timer) => { held.delete(timer); stop(timer); };
        const { read } = ReadableStreamDefaultReader.prototype;
        ReadableStreamDefaultReader.prototype.read = async function () {
            const piece = await read.call(this);
            if (window.said) piece.value = said;
            return piece;
        };
        window.shown = [];
        new MutationObserver(() => shown.push(document.querySelector('#connection').innerText))
            .observe(document.body, { attributes: true });";
    page.browser.run(hold).await;
    page.run("echo", json!({})).await;
    page.until("held.size === 1").await;
    page.browser.run("[...held.values()][0]()").await;
    page.until("shown.join() === 'Disconnected,Live'").await;
    page.until("held.size === 1").await;
    // The sign of life, in place of the next event.
    page.browser.run("[window.timer] = held.keys(); window.said = ':\\n\\n'").await;
    page.run("echo", json!({})).await;
    page.until("held.size === 1 && !held.has(timer)").await;
    page.browser.run("window.said = null").await;
    page.show("echo").await;
    page.run("echo", json!({})).await;
    page.until_text("#jobs-found", "3 jobs").await;
    page.end_soundly(&[]).await;
}

/// What is read over a connection that has died waits for as long as a stream may be silent, which
/// here is until the test says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_read_over_a_dead_connection_is_repeated() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    let id = page.run("sleep", json!({ "ms": 60_000 })).await;
    page.open_job(&id).await;
    page.until_text("#job-status", "In progress").await;
    let hold = "const { fetch } = window;
        window.hung = [];
        window.waits = [];
        AbortSignal.timeout = () => {
            const wait = new AbortController();
            waits.push(wait);
            return wait.signal;
        };
        window.dies = true;
        window.fetch = (url, options) => dies && url.includes('/jobs') ? new Promise((_, reject) => {
            hung.push(url);
            options.signal?.addEventListener('abort', reject);
        }) : fetch(url, options);";
    page.browser.run(hold).await;
    page.local.clock().advance(Duration::from_secs(60));
    page.until("hung.length === 1").await;
    page.browser.run("window.dies = false").await;
    page.run("sleep", json!({ "ms": 0 })).await;
    page.browser.run("waits.forEach((wait) => wait.abort())").await;
    page.until_text("#job-status", "Completed").await;
    page.show("sleep").await;
    page.browser.fill("#job-search", "\"ms\": 0").await;
    page.until("document.querySelectorAll('#job-list .rows tr').length === 1").await;
    page.until_shown("#job-list .rows", "\"ms\":0").await;
    page.end_soundly(&[]).await;
}
