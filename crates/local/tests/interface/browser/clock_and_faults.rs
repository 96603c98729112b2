//! Advancing the clock, adding faults, and their scenarios.

use podqueue_local::{Fault, Operation};
use serde_json::{Value, json};

use super::support::open;

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_is_advanced_until_a_result_expires() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("echo").await;
    let id = page.run("echo", json!({})).await;
    page.open_job(&id).await;
    page.until_text("#job-status", "Completed").await;
    page.until_text("#clock-now", "00:00:00").await;
    page.browser.click("[data-advance='60000']").await;
    page.until_text("#clock-now", "00:01:00").await;
    page.until_shown("#timeline .ahead", "in 29 min").await;
    page.browser.click("[data-advance='1800000']").await;
    page.until_text("#clock-now", "00:31:00").await;
    page.until_text("#job-status", "Expired").await;
    page.until("document.querySelector('#part-output').hidden").await;
    page.visit("").await;
    page.until_text("tr:has(a[href='#endpoint=echo']) td[data-status=EXPIRED]", "1").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clock_goes_to_the_next_event() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    let id = page.run("sleep", json!({ "ms": 5000 })).await;
    page.open_job(&id).await;
    page.until_text("#job-status", "In progress").await;
    page.until("!document.querySelector('#clock-next').hasAttribute('aria-disabled')").await;
    page.browser.click("#clock-next").await;
    page.until("document.querySelector('#clock-now').innerText !== '00:00:00'").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_is_added_takes_effect_and_is_removed() {
    let Some(page) = open(|builder| builder).await else { return };
    page.enter_view("faults").await;
    page.browser.click("#fault-buttons button:nth-child(2)").await;
    page.until_shown("#fault-list", "run: 429 with Retry-After: 5, the next 3").await;
    page.prepare("echo").await;
    page.browser.click("#submit-send").await;
    page.until_shown("#submit-result", "429").await;
    page.until_shown("#submit-result", "retry after 5 s").await;
    page.enter_view("requests").await;
    page.until_shown("#request-list tbody:not(.spacer) tr", "fault").await;
    page.enter_view("faults").await;
    page.until_shown("#fault-list", "1 request affected, 2 left").await;
    page.browser.click("#fault-list button").await;
    page.until("document.querySelectorAll('#fault-list li').length === 0").await;
    page.prepare("echo").await;
    page.browser.click("#submit-send").await;
    page.until_shown("#notice", "Submitted").await;
    page.end_soundly(&["429"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_response_is_told_apart_from_a_refusal() {
    let Some(page) = open(|builder| builder).await else { return };
    page.enter_view("faults").await;
    page.browser.click("#fault-buttons button:nth-child(1)").await;
    page.until_shown("#fault-list", "run: response lost, the next 1").await;
    page.prepare("echo").await;
    page.browser.click("#submit-send").await;
    page.until_shown("#submit-result", "the job may have been submitted").await;
    page.show("echo").await;
    page.until_text("#jobs-found", "1 job").await;
    page.end_soundly(&["ERR_"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_other_fault_is_added_by_the_form() {
    let Some(page) = open(|builder| builder).await else { return };
    page.enter_view("faults").await;
    page.browser.click("#faults summary").await;
    page.browser.choose("#fault-example", "Respond instead").await;
    page.browser.click("#fault-form .main").await;
    page.until_shown("#fault-list", "health of echo: 503").await;
    let url = format!("{}/v2/echo/health", page.local.base_url());
    let request = page.http.get(url).header("authorization", page.local.api_key());
    assert_eq!(request.send().await.unwrap().status(), 503);
    page.browser.fill("#fault-json", "{\"stall\": yes}").await;
    page.browser.click("#fault-form .main").await;
    page.until_shown("#notice", "Not added. ").await;
    page.until("document.activeElement.id === 'fault-json'").await;
    page.browser.choose("#fault-example", "Drip the body").await;
    page.browser.click("#fault-form .main").await;
    page.until_shown("#fault-list", "drip {\"bytes\":8").await;
    page.browser.click("#faults-clear").await;
    page.until("document.querySelectorAll('#fault-list li').length === 0").await;
    page.end_soundly(&[]).await;
}

/// A request that waits for the clock holds a connection, of which a browser has six to a host.
#[tokio::test(flavor = "multi_thread")]
async fn the_clock_is_advanced_while_many_requests_wait() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.enter_view("faults").await;
    page.browser.click("#fault-buttons button:nth-child(4)").await;
    page.until_shown("#fault-list", "2.0 s late").await;
    page.prepare("echo").await;
    for number in 0..8 {
        page.fill_input(&format!("{{\"number\": {number}}}")).await;
        page.browser.click("#submit-send").await;
    }
    page.browser.click("[data-advance='60000']").await;
    page.until_text("#clock-now", "00:01:00").await;
    page.show("echo").await;
    page.until_shown("#job-list", "Completed").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_that_is_no_object_is_refused() {
    let Some(page) = open(|builder| builder).await else { return };
    page.enter_view("faults").await;
    page.browser.click("#faults summary").await;
    for effect in ["5", "[]", "null"] {
        page.browser.fill("#fault-json", effect).await;
        page.browser.run("document.querySelector('#notice').textContent = ''").await;
        page.browser.click("#fault-form .main").await;
        page.until_shown("#notice", "Not added. A JSON object is expected").await;
    }
    assert_eq!(page.get("/_local/faults").await, json!([]));
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_with_numbers_too_long_for_a_script_are_exact_and_shown() {
    let Some(page) = open(|builder| builder).await else { return };
    let odd = json!({ "operation": "health", "times": 90_071_992_547_409_931_u64, "delayMs": 1 });
    page.post("/_local/faults", odd).await;
    page.enter_view("faults").await;
    page.until_shown("#fault-list", "health: 1 ms late, the next 90,").await;
    page.browser.click("#faults summary").await;
    page.browser.fill("#fault-json", "{\"delayMs\":2,\"seed\":9007199254740993}").await;
    page.browser.click("#fault-form .main").await;
    page.until_shown("#fault-list", "2 ms late").await;
    assert_eq!(page.get("/_local/faults").await[1]["seed"], json!(9_007_199_254_740_993_u64));
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scenario_is_ended_and_started() {
    let Some(page) = open(|builder| builder).await else { return };
    let fault = json!({ "operation": "health", "response": { "status": 503 } });
    let scenario = json!({ "description": "As at noon.", "faults": [fault] });
    page.put("/_local/scenarios/at%20noon", scenario).await;
    page.enter_view("faults").await;
    page.until_shown("#scenario-list", "active · 1 fault · As at noon.").await;
    page.until_shown("#fault-list", "of at noon · 0 requests affected").await;
    page.browser.click("#scenario-list button").await;
    page.until_shown("#notice", "at noon has ended").await;
    page.until_shown("#scenario-list", "not active").await;
    page.until("document.querySelectorAll('#fault-list li').length === 0").await;
    page.until_text("#scenario-list button", "Start").await;
    page.browser.click("#scenario-list button").await;
    page.until_shown("#fault-list", "health: 503").await;
    page.until_text("#scenario-list button", "End").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_faults_are_saved_as_a_scenario() {
    let Some(page) = open(|builder| builder).await else { return };
    page.enter_view("faults").await;
    page.until("document.querySelector('#faults-save').hidden").await;
    let fault = json!({ "operation": "run", "times": 2, "delayMs": 1 });
    page.post("/_local/faults", fault.clone()).await;
    page.until_text("#faults-save", "Save as a scenario").await;
    // Of a fault that was added in Rust, only a summary is known.
    page.local.add_fault(Fault::stall().on(Operation::Health));
    page.until_text("#faults-save", "Save as a scenario (1 of 2)").await;
    let saved = "return decodeURIComponent(document.querySelector('#faults-save').href)";
    let saved = page.browser.run(saved).await;
    let saved = saved.as_str().unwrap().strip_prefix("data:application/json,").unwrap();
    let saved: Value = serde_json::from_str(saved).unwrap();
    assert_eq!(saved, json!({ "faults": [fault] }));
    page.put("/_local/scenarios/saved", saved).await;
    page.until_shown("#scenario-list", "active · 1 fault").await;
    page.end_soundly(&[]).await;
}
