//! Form for submitting a job.

use std::time::Duration;

use serde_json::json;

use super::support::{CONTROL, ENTER, open};

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_submitted_with_its_policy_and_opened() {
    let Some(page) = open(|builder| builder).await else { return };
    page.prepare("echo").await;
    let policy = json!({ "executionTimeout": 60_000, "ttl": 120_000, "lowPriority": true });
    let body = json!({ "input": { "text": "by the page" }, "policy": policy });
    page.browser.fill("#submit-body", &body.to_string()).await;
    page.browser.click("#submit-send").await;
    page.until_shown("#part-output", "by the page").await;
    page.until_shown("#job-facts", "executionTimeout\n1 min\nttl\n2 min\nlowPriority\ntrue").await;
    let id = page.text("#job-id").await;
    page.until_status("echo", &id, "COMPLETED").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_job_is_submitted_too() {
    let Some(page) = open(|builder| builder).await else { return };
    page.prepare("echo").await;
    page.browser.choose("#submit-operation", "runsync").await;
    page.browser.click("#submit-send").await;
    page.until("document.querySelector('#job-id').innerText.startsWith('sync-')").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_not_json_is_not_submitted_and_the_error_is_shown() {
    let Some(page) = open(|builder| builder).await else { return };
    page.prepare("echo").await;
    for text in ["{\"input\": {\"a\": 1,}}", "{\"input\": 'x'}", "{\"a\": [", ""] {
        page.browser.fill("#submit-body", text).await;
        page.until_shown("#submit-error", "JSON").await;
        page.until("document.querySelector('#submit-body').ariaInvalid === 'true'").await;
    }
    page.browser.click("#submit-send").await;
    page.until("document.activeElement.id === 'submit-body'").await;
    page.browser.fill("#submit-body", "[1]").await;
    page.until_text("#submit-error", "A JSON object is expected").await;
    page.fill_input("{}").await;
    page.until_text("#submit-error", "").await;
    page.browser.press_with(CONTROL, ENTER).await;
    page.until_shown("#notice", "Submitted").await;
    assert_eq!(page.get("/v2/echo/health").await["jobs"]["completed"], json!(1));
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_the_service_is_shown_with_its_message() {
    let Some(page) = open(|builder| builder).await else { return };
    page.prepare("echo").await;
    let body = json!({ "input": {}, "policy": { "ttl": 5 } });
    page.browser.fill("#submit-body", &body.to_string()).await;
    page.browser.click("#submit-send").await;
    page.until_shown("#submit-result", "policy.ttl must be an integer from 10000").await;
    page.end_soundly(&["400"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_without_a_job_leaves_open_whether_it_was_submitted() {
    let Some(page) = open(|builder| builder).await else { return };
    for (number, fault) in [
        json!({ "truncate": 0 }),
        json!({ "truncate": 5 }),
        json!({ "processed": true, "response": { "status": 200, "body": "{}" } }),
    ]
    .into_iter()
    .enumerate()
    {
        let mut fault = fault;
        fault["times"] = json!(1);
        page.post("/_local/faults", fault).await;
        page.prepare("echo").await;
        page.browser.click("#submit-send").await;
        page.until_shown("#submit-result", "the job may have been submitted").await;
        assert_eq!(page.browser.run("return document.querySelector('#job').hidden").await, true);
        page.show("echo").await;
        page.until_text("#jobs-found", ["1 job", "2 jobs", "3 jobs"][number]).await;
    }
    page.prepare("echo").await;
    page.browser.click("#submit-send").await;
    page.until_shown("#notice", "Submitted").await;
    page.until_text("#submit-result", "").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_navigated_away_stays_there_when_a_synchronous_job_ends() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.prepare("sleep").await;
    page.browser.choose("#submit-operation", "runsync").await;
    page.browser.click("#submit-send").await;
    page.show("sleep").await;
    page.until_text("#job-filter [data-status=IN_PROGRESS] .of", "1").await;
    page.show("echo").await;
    page.local.clock().advance(Duration::from_secs(60));
    page.until_shown("#notice", "Submitted sync-").await;
    page.until_text("#submit-result", "").await;
    assert_eq!(page.text("#endpoint-name").await, "echo");
    assert_eq!(page.browser.run("return location.hash").await, "#endpoint=echo");
    page.end_soundly(&[]).await;
}
