//! Attached workers of an endpoint, and the worker log.

use std::time::Duration;

use podqueue_local::Workers;
use reqwest::StatusCode;
use serde_json::json;

use super::support::{DOWN, ENTER, Page, open};

/// Takes a job as a worker does, and returns its id.
async fn take(page: &Page, worker: &str) -> String {
    let environment =
        page.http.get(format!("{}/_local/endpoints/shout/worker-env", page.local.base_url()));
    let environment = environment.header("authorization", page.local.api_key());
    let environment = environment.send().await.unwrap().text().await.unwrap();
    let key = environment.lines().find_map(|line| line.split_once("AI_API_KEY=")).unwrap().1;
    let url = format!("{}/v2/shout/job-take/{worker}", page.local.base_url());
    loop {
        let request = page.http.get(&url).header("authorization", key);
        let response = request.send().await.unwrap();
        if response.status() == StatusCode::OK {
            let job: serde_json::Value = response.json().await.unwrap();
            return job["id"].as_str().unwrap().to_owned();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_is_shown_with_its_job_until_it_is_lost() {
    let Some(page) = open(|builder| builder.manual_clock().endpoint_for_workers("shout")).await
    else {
        return;
    };
    page.show("shout").await;
    page.enter_view("workers").await;
    let id = page.run("shout", json!({})).await;
    assert_eq!(take(&page, "w1").await, id);
    page.until_shown("#worker-list tbody tr", "w1").await;
    page.until_shown("#worker-list tbody tr", "running").await;
    page.until_shown("#worker-list tbody tr", &id[..8]).await;
    page.browser.click("#worker-list tbody a").await;
    page.until_text("#job-id", &id).await;
    page.until_text("#job-status", "In progress").await;
    // It sends no pings: three are missed, one by one.
    page.enter_view("workers").await;
    for missed in ["1", "2"] {
        page.local.clock().advance(Duration::from_secs(10));
        page.until_text("#worker-list tbody td:last-child", missed).await;
    }
    page.local.clock().advance(Duration::from_secs(10));
    page.until("document.querySelectorAll('#worker-list tbody tr').length === 0").await;
    page.show("shout").await;
    page.until_text("#job-list .rows .status", "In queue").await;
    page.enter_view("logs").await;
    page.until_shown("#log-list", "missed").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_dies_is_shown_with_its_output() {
    let Some(page) = open(|builder| {
        builder
            .manual_clock()
            .worker_endpoint("dies", "echo is on its way; echo out of memory >&2; exit 3")
            .workers_of("dies", Workers::between(1, 1))
    })
    .await
    else {
        return;
    };
    page.show("dies").await;
    page.enter_view("logs").await;
    page.until_shown("#log-list tbody:not(.spacer) tr.stdout", "is on its way").await;
    page.until_shown("#log-list tbody:not(.spacer) tr.stderr", "out of memory").await;
    page.until_shown("#log-list tbody:not(.spacer) tr.service", "3").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_read_as_printed_by_mouse_and_by_keyboard() {
    let command = "echo first; printf 'word %.0s' $(seq 100); echo at its end; sleep 1000";
    let Some(page) = open(|builder| {
        builder
            .manual_clock()
            .worker_endpoint("long", command)
            .workers_of("long", Workers::between(1, 1))
    })
    .await
    else {
        return;
    };
    page.show("long").await;
    page.enter_view("logs").await;
    page.until_shown("#log-list .rows tr.stdout", "at its end").await;
    page.browser.resize(400, 800).await;
    page.browser.click("#log-list .rows tr").await;
    page.until_shown("#log-raw pre", "at its end").await;
    let is_in_view = "(() => {
        const box = document.querySelector('#log-raw').getBoundingClientRect();
        return box.top >= 0 && box.left >= 0 && box.right <= innerWidth;
    })()";
    page.until(is_in_view).await;
    page.browser.press(&format!("{DOWN}{ENTER}")).await;
    page.until_text("#log-raw pre", "first").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_error_of_a_command_worker_is_shown() {
    let command = "while read -r line; do echo out of memory >&2; echo '{\"output\": 1}'; done";
    let Some(page) = open(|builder| builder.command_endpoint("lines", command)).await else {
        return;
    };
    page.show("lines").await;
    page.enter_view("logs").await;
    page.run("lines", json!({})).await;
    page.until_shown("#log-list tbody:not(.spacer) tr.stderr", "out of memory").await;
    page.until("document.querySelector('#logs-none').hidden").await;
    page.enter_view("workers").await;
    page.until("document.querySelector('#workers-body').hidden").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_inside_the_service_have_no_log() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    page.enter_view("logs").await;
    page.until_shown("#logs-none", "runs inside the service").await;
    page.until("document.querySelector('#logs-body').hidden").await;
    page.enter_view("workers").await;
    page.until_shown("#workers-none", "runs inside the service").await;
    page.until("document.querySelector('#workers-body').hidden").await;
    page.until_shown("#workers-count", "1 idle").await;
    page.end_soundly(&[]).await;
}
