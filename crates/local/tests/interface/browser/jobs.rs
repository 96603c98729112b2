//! List of jobs: filter, search, and bulk actions.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use super::support::{ENTER, Page, SHIFT, TAB, open};

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_found_by_id_and_by_content() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let mut ids = Vec::new();
    for number in 0..20 {
        ids.push(page.run("echo", json!({ "text": format!("apple {number};") })).await);
    }
    page.until_text("#jobs-found", "20 jobs").await;
    page.open_job(&ids[7]).await;
    page.until_shown("#part-input", "apple 7;").await;
    page.browser.back().await;
    page.browser.fill("#job-search", "apple 13;").await;
    page.until_text("#jobs-found", "1 job").await;
    page.until_text("#job-list tbody:not(.spacer) tr code", &ids[13]).await;
    page.browser.fill("#job-search", "no such text").await;
    page.until_text("#jobs-found", "0 jobs").await;
    page.until_text("#jobs .empty", "No job matches the filter.").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_filter_endpoint_and_job_survive_reload_and_back() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("fail").await;
    let failed = page.run("fail", json!({})).await;
    page.browser.click("#job-filter [data-status=FAILED]").await;
    page.until_text("#jobs-found", "1 job").await;
    page.browser.click("#job-list tbody:not(.spacer) tr code").await;
    page.until_text("#job-id", &failed).await;
    page.browser.reload().await;
    page.until_text("#job-id", &failed).await;
    page.until_text("#endpoint-name", "fail").await;
    page.browser.back().await;
    page.until("document.querySelector('#job-filter [data-status=FAILED]').ariaPressed === 'true'")
        .await;
    page.until("document.querySelector('#job').hidden").await;
    page.browser.back().await;
    page.until(
        "document.querySelector('#job-filter [data-status=FAILED]').ariaPressed === 'false'",
    )
    .await;
    page.end_soundly(&[]).await;
}

/// Answers the next questions that the page asks by the browser's dialog, and keeps the last one.
async fn answer(page: &Page, yes: bool) {
    let script =
        "window.question = ''; window.confirm = (asked) => { question = asked; return YES; }";
    page.browser.run(&script.replace("YES", &yes.to_string())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_failed_jobs_are_retried_at_once() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("fail").await;
    let submissions = (0..500).map(|_| page.run("fail", json!({ "message": "not yet" })));
    join_all(submissions).await;
    page.until_text("#job-filter [data-status=FAILED] .of", "500").await;
    page.browser.click("#job-filter [data-status=FAILED]").await;
    page.until_text("#jobs-found", "500 jobs").await;
    page.until_text("#retry-found", "Retry 500").await;
    page.until("document.querySelector('#cancel-found').hidden").await;
    answer(&page, true).await;
    page.browser.click("#retry-found").await;
    page.until("question === 'Retry 500 jobs of \u{2068}fail\u{2069} that the filter finds?'")
        .await;
    page.until_shown("#notice", "500 jobs retried").await;
    // They fail again, and say that they were retried.
    page.until_text("#job-filter [data-status=FAILED] .of", "500").await;
    page.browser.click("#job-list tbody:not(.spacer) tr code").await;
    page.until_shown("#job-facts", "retried").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_the_filtered_jobs_are_cancelled() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    for _ in 0..5 {
        page.run("sleep", json!({ "ms": 60_000, "group": "one" })).await;
    }
    let spared = page.run("sleep", json!({ "ms": 60_000, "group": "two" })).await;
    page.browser.fill("#job-search", "\"one\"").await;
    page.until_text("#cancel-found", "Cancel 5").await;
    answer(&page, true).await;
    page.browser.click("#cancel-found").await;
    page.until_shown("#notice", "5 jobs cancelled").await;
    page.until_text("#job-filter [data-status=CANCELLED] .of", "5").await;
    page.local.clock().advance(Duration::from_secs(61));
    page.until_status("sleep", &spared, "COMPLETED").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_shrinks_above_the_view_shows_its_end() {
    let Some(page) = open(|builder| builder.endpoint_for_workers("waits")).await else { return };
    page.show("waits").await;
    let submissions = (0..1000).map(|number| {
        let group = if number < 7 { "few" } else { "many" };
        page.run("waits", json!({ "group": group }))
    });
    join_all(submissions).await;
    page.browser.click("#job-filter [data-status=IN_QUEUE]").await;
    let to_the_end = "const list = document.querySelector('#jobs .scroll');
                      list.scrollTop = list.scrollHeight;
                      performance.clearResourceTimings();";
    for (left, group) in [(7, "many"), (0, "few")] {
        page.until("document.querySelectorAll('#job-list .rows tr').length > 5").await;
        page.browser.run(to_the_end).await;
        let found = json!({ "status": "IN_QUEUE", "search": group });
        page.post("/_local/endpoints/waits/jobs/cancel", found).await;
        page.until_text("#jobs-found", &format!("{left} jobs")).await;
        let shown = format!("document.querySelectorAll('#job-list .rows tr').length === {left}");
        page.until(&shown).await;
        page.until("document.querySelector('#jobs .scroll').scrollTop === 0").await;
        // Not by scrolling up a screen at a time, with a fetch for each.
        let fetched = "return performance.getEntriesByType('resource')
            .filter(({ name }) => name.includes('/jobs?')).length";
        let fetched = page.browser.run(fetched).await.as_u64().unwrap();
        assert!(fetched < 10, "{fetched} fetches");
    }
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_refused_changes_nothing() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    page.run("sleep", json!({ "ms": 60_000 })).await;
    page.until_text("#cancel-found", "Cancel 1").await;
    answer(&page, false).await;
    page.browser.click("#cancel-found").await;
    page.until("question").await;
    page.until_text("#job-filter [data-status=IN_PROGRESS] .of", "1").await;
    page.end_soundly(&[]).await;
}

/// The current search text counts, although the list does not show its result yet.
#[tokio::test(flavor = "multi_thread")]
async fn the_confirmation_is_about_the_current_search() {
    let Some(page) = open(|builder| builder.manual_clock()).await else { return };
    page.show("sleep").await;
    for group in ["one", "two", "two"] {
        page.run("sleep", json!({ "ms": 60_000, "group": group })).await;
    }
    page.until_text("#cancel-found", "Cancel 3").await;
    page.browser.run("document.querySelector('#job-search').focus()").await;
    answer(&page, true).await;
    // At once: the button stands before the field.
    page.browser.press_at_once(&format!("two{SHIFT}{TAB}{SHIFT}{ENTER}")).await;
    page.until("question.includes('2 jobs of \u{2068}sleep\u{2069}')").await;
    page.until_shown("#notice", "2 jobs cancelled").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_does_not_exist_is_no_filter() {
    let Some(page) = open(|builder| builder).await else { return };
    page.run("echo", json!({})).await;
    page.browser.run("location.hash = 'endpoint=echo&status=NONE'").await;
    page.until_text("#jobs-found", "1 job").await;
    page.run("echo", json!({})).await;
    page.until_text("#jobs-found", "2 jobs").await;
    page.browser.run("location.hash = 'endpoint=echo&status=NONE,FAILED'").await;
    page.until_text("#jobs-found", "0 jobs").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_has_a_short_id_that_is_copied_whole_and_the_first_line_of_an_error() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("fail").await;
    let id = page.run("fail", json!({ "message": "\nout of memory\nin a deep place" })).await;
    page.until_text("#job-list .rows .error", "out of memory").await;
    let shown = "(() => {
        const id = document.querySelector('#job-list .rows .id');
        const range = document.createRange();
        range.setStart(id.firstChild, 0);
        range.setEnd(id.firstChild, 8);
        return Math.abs(range.getBoundingClientRect().right - id.getBoundingClientRect().right) < 1;
    })()";
    page.until(shown).await;
    // A script may copy after an action of the user only.
    page.browser.click("#job-search").await;
    let copied = "const id = document.querySelector('#job-list .rows .id').firstChild;
        getSelection().setBaseAndExtent(id, 0, id, 3);
        const { setData } = DataTransfer.prototype;
        let text;
        DataTransfer.prototype.setData = function (kind, data) { text = data; };
        document.execCommand('copy');
        DataTransfer.prototype.setData = setData;
        return text;";
    assert_eq!(page.browser.run(copied).await, json!(id));
    page.end_soundly(&[]).await;
}
