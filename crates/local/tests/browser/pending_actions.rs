//! Pending actions are not sent twice, however often a control is used.

use std::time::Duration;

use serde_json::json;

use super::support::{CONTROL, ENTER, open};

#[tokio::test(flavor = "multi_thread")]
async fn two_clicks_and_two_enters_submit_one_job() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("echo").await;
    page.browser.click("[data-preset=slow]").await;
    page.until_shown("#fault-list", "2.0 s late").await;
    page.browser.click("#submit-policy summary").await;
    let twice = "const button = document.querySelector('#submit-send');
        button.focus();
        button.click();
        button.click();
        return document.activeElement === button;";
    assert_eq!(page.browser.run(twice).await, true);
    page.browser.run("document.querySelector('#submit-timeout').focus()").await;
    page.browser.press(&format!("{ENTER}{ENTER}")).await;
    page.browser.press_with(CONTROL, ENTER).await;
    // A later submission arrives after them.
    page.browser.fill("#submit-input", "{\"last\": true}").await;
    page.browser.click("#submit-send").await;
    page.until_shown("#fault-list", "2 requests affected").await;
    page.local.clock().advance(Duration::from_secs(2));
    page.until_text("#jobs-found", "2 jobs").await;
    page.until_shown("#notice", "Submitted").await;
    // Once it was answered, the same may be submitted again.
    page.browser.click("#fault-list button").await;
    page.until("!document.querySelector('#fault-list button')").await;
    page.browser.click("#submit-send").await;
    page.until_text("#jobs-found", "3 jobs").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_actions_are_not_sent_again_and_buttons_keep_the_focus() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    let id = page.run("sleep", json!({ "ms": 60_000 })).await;
    page.open_job(&id).await;
    page.until_text("#job-status", "IN_PROGRESS").await;
    page.until("!document.querySelector('#clock-next').hasAttribute('aria-disabled')").await;
    for _ in 0..2 {
        page.post("/_local/faults", json!({ "operation": "health", "stall": true })).await;
    }
    page.until("document.querySelectorAll('#fault-list li').length === 2").await;
    let hold = "window.sent = 0;
        const { fetch } = window;
        window.fetch = (url, options) => {
            if (options.method === 'GET') return fetch(url, options);
            sent += 1;
            return new Promise(() => {});
        };
        document.querySelector('#faults details').open = true;";
    page.browser.run(hold).await;
    let buttons = [
        "#submit-send",
        "#job-cancel",
        "#job-retry",
        "[data-advance='60000']",
        "#clock-next",
        "[data-preset=slow]",
        "#fault-form .main",
        "#fault-list button",
        "#faults-clear",
    ];
    for (number, button) in buttons.iter().enumerate() {
        let twice = format!(
            "const button = document.querySelector({});
             button.focus();
             button.click();
             button.click();
             return [sent, document.activeElement === button];",
            json!(button)
        );
        assert_eq!(page.browser.run(&twice).await, json!([number + 1, true]), "{button}");
    }
    // `cancel-found` asks for confirmation first; two clicks ask once.
    let twice = "const button = document.querySelector('#cancel-found');
        button.click();
        button.click();";
    page.browser.run(twice).await;
    page.until("document.querySelector('#confirm').open").await;
    page.browser.click("#confirm-yes").await;
    page.until(&format!("sent > {}", buttons.len())).await;
    assert_eq!(page.browser.run("return sent").await, buttons.len() + 1);
    page.end_soundly(&[]).await;
}

/// The timer of 40 seconds is held, and ends when the test says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_submission_without_a_response_times_out_and_can_be_repeated() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    page.post("/_local/faults", json!({ "operation": "run", "times": 1, "stall": true })).await;
    let hold = "const start = setTimeout;
        window.setTimeout = (run, ms) => {
            if (ms === 40000 && String(run).includes('abort.abort')) window.giveUp = run;
            return start(run, ms);
        };";
    page.browser.run(hold).await;
    page.browser.click("#submit-send").await;
    page.until("window.giveUp").await;
    page.until_text("#submit-result", "Waiting …").await;
    page.browser.run("giveUp()").await;
    page.until_shown("#submit-result", "the job may have been submitted").await;
    page.browser.click("#submit-send").await;
    page.until_shown("#notice", "Submitted").await;
    page.until_text("#jobs-found", "2 jobs").await;
    page.end_soundly(&["ERR_"]).await;
}
