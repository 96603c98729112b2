//! Pending actions are not sent twice, however often a control is used.

use std::time::Duration;

use serde_json::json;

use super::support::{CONTROL, ENTER, open};

#[tokio::test(flavor = "multi_thread")]
async fn two_clicks_and_two_enters_submit_one_job() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.enter_view("faults").await;
    page.browser.click("#fault-buttons button:nth-child(4)").await;
    page.until_shown("#fault-list", "2.0 s late").await;
    page.prepare("echo").await;
    let twice = "const button = document.querySelector('#submit-send');
        button.focus();
        button.click();
        button.click();
        return document.activeElement === button;";
    assert_eq!(page.browser.run(twice).await, true);
    page.browser.press(&format!("{ENTER}{ENTER}")).await;
    page.browser.run("document.querySelector('#submit-body').focus()").await;
    page.browser.press_with(CONTROL, ENTER).await;
    // A later submission arrives after them.
    page.fill_input("{\"last\": true}").await;
    page.browser.click("#submit-send").await;
    page.enter_view("faults").await;
    page.until_shown("#fault-list", "2 requests affected").await;
    page.local.clock().advance(Duration::from_secs(2));
    page.until_shown("#notice", "Submitted").await;
    // Once it was answered, the same may be submitted again.
    page.browser.click("#fault-list button").await;
    page.until("!document.querySelector('#fault-list button')").await;
    page.show("echo").await;
    page.until_text("#jobs-found", "2 jobs").await;
    page.enter_view("submit").await;
    page.browser.click("#submit-send").await;
    page.until("!document.querySelector('#job-body').hidden").await;
    page.show("echo").await;
    page.until_text("#jobs-found", "3 jobs").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_actions_are_not_sent_again_and_buttons_keep_the_focus() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    let id = page.run("sleep", json!({ "ms": 60_000 })).await;
    page.open_job(&id).await;
    page.until_text("#job-status", "In progress").await;
    page.until("!document.querySelector('#clock-next').hasAttribute('aria-disabled')").await;
    for _ in 0..2 {
        page.post("/_local/faults", json!({ "operation": "health", "stall": true })).await;
    }
    page.enter_view("faults").await;
    page.until("document.querySelectorAll('#fault-list li').length === 2").await;
    let hold = "window.sent = 0;
        const { fetch } = window;
        window.fetch = (url, options) => {
            if (options.method === 'GET') return fetch(url, options);
            sent += 1;
            return new Promise(() => {});
        };";
    page.browser.run(hold).await;
    let job = format!("endpoint=sleep&job={id}");
    let buttons = [
        ("endpoint=sleep&view=submit", "#submit-send"),
        (&*job, "#job-cancel"),
        (&job, "#job-retry"),
        (&job, "[data-advance='60000']"),
        (&job, "#clock-next"),
        ("view=faults", "#fault-buttons button:nth-child(4)"),
        ("view=faults", "#fault-list button"),
        ("view=faults", "#faults-clear"),
    ];
    for (number, (hash, button)) in buttons.iter().enumerate() {
        page.visit(hash).await;
        let is_shown = format!("document.querySelector({})?.checkVisibility()", json!(button));
        page.until(&is_shown).await;
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
    page.show("sleep").await;
    page.until_text("#cancel-found", "Cancel 1").await;
    let twice = "window.confirm = () => true;
        const button = document.querySelector('#cancel-found');
        button.click();
        button.click();";
    page.browser.run(twice).await;
    page.until(&format!("sent > {}", buttons.len())).await;
    assert_eq!(page.browser.run("return sent").await, buttons.len() + 1);
    page.end_soundly(&[]).await;
}

/// The timer of 40 seconds is held, and ends when the test says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_submission_without_a_response_times_out_and_can_be_repeated() {
    let Some(page) = open(|builder| builder).await else { return };
    page.prepare("echo").await;
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
    page.show("echo").await;
    page.until_text("#jobs-found", "2 jobs").await;
    page.end_soundly(&["ERR_"]).await;
}
