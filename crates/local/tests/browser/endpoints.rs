//! Endpoints with their counts and workers, and the chart.

use podqueue_local::{LocalJob, Workers};
use serde_json::json;

use super::support::open;

#[tokio::test(flavor = "multi_thread")]
async fn endpoints_are_listed_with_live_counts_and_workers() {
    let Some(page) = open(|builder| {
        let held = |job: LocalJob| async move {
            job.sleep(std::time::Duration::from_secs(60)).await;
            Ok(job.input)
        };
        builder.manual_clock().endpoint("held", held).workers_of("held", Workers::between(1, 1))
    })
    .await
    else {
        return;
    };
    let count = |status: &str| format!("tr:has(a[href='#endpoint=held']) td[data-status={status}]");
    page.until_text(&count("IN_QUEUE"), "0").await;
    for _ in 0..3 {
        page.run("held", json!({})).await;
    }
    page.until_text(&count("IN_PROGRESS"), "1").await;
    page.until_text(&count("IN_QUEUE"), "2").await;
    page.until_shown("tr:has(a[href='#endpoint=held']) td.workers", "1 running").await;
    page.run("fail", json!({})).await;
    page.until_text("tr:has(a[href='#endpoint=fail']) td[data-status=FAILED]", "1").await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_chart_shows_the_last_minutes_of_the_endpoint() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("fail").await;
    page.run("fail", json!({})).await;
    page.until_text("#chart [data-count=submitted]", "1").await;
    page.until_text("#chart [data-count=failed]", "1").await;
    page.until_text("#chart b", "fail").await;
    // The newest point of the line is above the ground line.
    page.until(
        "document.querySelector('#chart .line.failed').getAttribute('points')
            .split(' ').some((point) => Number(point.split(',')[1]) < 60)",
    )
    .await;
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bidirectional_name_does_not_affect_other_text() {
    let Some(page) = open(|builder| {
        builder.endpoint("turned \u{202E}name", |job: LocalJob| async move { Ok(job.input) })
    })
    .await
    else {
        return;
    };
    let reads_on = "(() => {
        const named = [...document.querySelectorAll('#endpoint-list a')];
        const link = named.find((link) => link.innerText.startsWith('turned'));
        const kind = link.nextElementSibling.firstChild;
        const left = (at) => {
            const range = document.createRange();
            range.setStart(kind, at);
            range.setEnd(kind, at + 1);
            return range.getBoundingClientRect().left;
        };
        return link.getBoundingClientRect().right <= left(0) && left(0) < left(1);
    })()";
    assert_eq!(page.browser.run(&format!("return {reads_on}")).await, true);
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_endpoints_leave_the_jobs_in_reach() {
    let Some(page) = open(|builder| {
        (0..300).fold(builder, |builder, number| {
            builder
                .endpoint(format!("number {number}"), |job: LocalJob| async move { Ok(job.input) })
        })
    })
    .await
    else {
        return;
    };
    page.until("document.querySelectorAll('#endpoint-list tbody tr').length === 304").await;
    for width in [400, 1600] {
        page.browser.resize(width, 1000).await;
        page.until("document.querySelector('#jobs').getBoundingClientRect().top < 900").await;
    }
    page.browser.click("#endpoint-list tbody tr:last-child a").await;
    page.until_text("#jobs [data-endpoint]", "sleep").await;
    let head = "(() => {
        const list = document.querySelector('#endpoint-list');
        const box = list.parentElement.getBoundingClientRect();
        const at = document.elementFromPoint(box.left + 20, box.top + 10);
        return at?.closest('thead')?.contains(list.querySelector('th'));
    })()";
    assert_eq!(page.browser.run(&format!("return {head}")).await, true);
    page.end_soundly(&[]).await;
}

/// True if the row of the endpoint that is shown is in view below the head of the list.
const IS_IN_VIEW: &str = "(() => {
    const link = document.querySelector('#endpoint-list [aria-current]');
    const box = link.getBoundingClientRect();
    return document.elementFromPoint(box.left + 2, box.top + 2) === link
        && document.elementFromPoint(box.left + 2, box.bottom - 2) === link;
})()";

#[tokio::test(flavor = "multi_thread")]
async fn the_endpoint_that_is_shown_is_in_view_in_a_long_list() {
    let Some(page) = open(|builder| {
        (0..300).fold(builder, |builder, number| {
            builder
                .endpoint(format!("number {number}"), |job: LocalJob| async move { Ok(job.input) })
        })
    })
    .await
    else {
        return;
    };
    let number = |number: u32| format!("{}#endpoint=number+{number}", page.local.base_url());
    for width in [400, 1600] {
        page.browser.resize(width, 1000).await;
        page.browser.open("about:blank").await;
        page.browser.open(&number(150)).await;
        page.until_text("#jobs [data-endpoint]", "number 150").await;
        page.until(IS_IN_VIEW).await;
        page.browser.reload().await;
        page.until_text("#jobs [data-endpoint]", "number 150").await;
        page.until(IS_IN_VIEW).await;
        // A link, up and down.
        for other in [299, 0, 99] {
            page.browser.open(&number(other)).await;
            page.until_text("#jobs [data-endpoint]", &format!("number {other}")).await;
            page.until(IS_IN_VIEW).await;
        }
        // The scroll position is kept, however much changes.
        let up = "document.querySelector('.wide:has(#endpoint-list)').scrollTop = 0";
        page.browser.run(up).await;
        page.run("number 99", json!({})).await;
        let completed = "tr:has([aria-current]) td[data-status=COMPLETED]";
        page.until(&format!(
            "Number(document.querySelector('{completed}').innerText) === {}",
            if width == 400 { 1 } else { 2 }
        ))
        .await;
        let top = "return document.querySelector('.wide:has(#endpoint-list)').scrollTop";
        assert_eq!(page.browser.run(top).await, 0);
    }
    page.end_soundly(&[]).await;
}
