//! Form for submitting a job.

use std::time::Duration;

use serde_json::json;

use super::support::{CONTROL, ENTER, open};

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_submitted_with_its_policy_and_opened() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    page.browser.fill("#submit-input", "{\"text\": \"by the page\"}").await;
    page.browser.click("#submit-policy summary").await;
    page.browser.fill("#submit-timeout", "60000").await;
    page.browser.fill("#submit-ttl", "120000").await;
    page.browser.click("#submit-low").await;
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
    page.show("echo").await;
    page.browser.choose("#submit-operation", "runsync").await;
    page.browser.click("#submit-send").await;
    page.until("document.querySelector('#job-id').innerText.startsWith('sync-')").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_json_is_marked_where_it_is_wrong() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let cases = [
        ("{\n  \"a\": 1,\n  b: 2\n}", 3, 3, "a name in double quotes is expected here", "b"),
        ("{\"a\": 1,}", 1, 8, "no comma may stand before the end", ","),
        ("{\"a\": 'x'}", 1, 7, "strings need double quotes", "'"),
        ("{\"a\": 01}", 1, 8, "a comma or } is expected here", "1"),
        ("{\"a\": [1 2]}", 1, 10, "a comma or ] is expected here", "2"),
        ("{\"a\" 1}", 1, 6, "a colon is expected after the name", "1"),
        ("{\"a\": \"\\x\"}", 1, 8, "this escape does not exist", "\\"),
        ("{\"a\": \"b", 1, 7, "this string has no end", "\""),
        ("{} {}", 1, 4, "nothing may follow the value", "{"),
        ("{\"a\": [", 1, 8, "a value is missing at the end", ""),
        ("{\"a\": 1", 1, 8, "} is missing at the end", ""),
    ];
    for (text, line, column, message, mark) in cases {
        page.browser.fill("#submit-input", text).await;
        let shown = format!("Line {line}, column {column}: {message}");
        page.until_text("#submit-error", &shown).await;
        let marked = "return document.querySelector('#submit-marks mark').textContent";
        assert_eq!(page.browser.run(marked).await.as_str().unwrap().trim(), mark, "{text}");
    }
    // Not submitted: the mark is what one sees.
    page.browser.click("#submit-send").await;
    page.until("document.activeElement.id === 'submit-input'").await;
    page.browser.fill("#submit-input", "[1]").await;
    page.until_text("#submit-error", "Line 1, column 1: an object is expected").await;
    page.browser.fill("#submit-input", "{}").await;
    page.until_text("#submit-error", "").await;
    page.browser.press_with(CONTROL, ENTER).await;
    page.until_shown("#notice", "Submitted").await;
    assert_eq!(page.get("/v2/echo/health").await["jobs"]["completed"], json!(1));
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_the_service_is_shown_with_its_message() {
    let Some(page) = open(|builder| builder).await else { return };
    page.browser.click("#submit-policy summary").await;
    page.browser.fill("#submit-ttl", "5").await;
    page.browser.click("#submit-send").await;
    page.until_shown("#submit-result", "policy.ttl must be an integer from 10000").await;
    page.end_soundly(&["400"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_without_a_job_leaves_open_whether_it_was_submitted() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
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
        page.browser.click("#submit-send").await;
        page.until_shown("#submit-result", "the job may have been submitted").await;
        page.until_text("#jobs-found", ["1 job", "2 jobs", "3 jobs"][number]).await;
        assert!(
            page.browser.run("return document.querySelector('#job-body').hidden").await == true
        );
    }
    page.browser.click("#submit-send").await;
    page.until_shown("#notice", "Submitted").await;
    page.until_text("#submit-result", "").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_navigated_away_stays_there_when_a_synchronous_job_ends() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    page.browser.choose("#submit-operation", "runsync").await;
    page.browser.click("#submit-send").await;
    let running = "#endpoint-list tr:has([aria-current]) [data-status=IN_PROGRESS]";
    page.until_text(running, "1").await;
    page.show("echo").await;
    page.local.clock().advance(Duration::from_secs(60));
    page.until_shown("#notice", "Submitted sync-").await;
    page.until_text("#submit-result", "").await;
    assert_eq!(page.text("#jobs [data-endpoint]").await, "echo");
    assert_eq!(page.browser.run("return location.hash").await, "#endpoint=echo");
    page.end_soundly(&[]).await;
}
