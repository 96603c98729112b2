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
async fn the_chart_shows_the_last_minutes_also_before_the_page_was_opened() {
    let Some(page) = open(|builder| builder).await else { return };
    page.run("fail", json!({})).await;
    page.browser.reload().await;
    page.show("fail").await;
    page.enter_view("chart").await;
    page.until_text("#chart [data-count=submitted]", "1").await;
    page.until_text("#chart [data-count=failed]", "1").await;
    page.run("fail", json!({})).await;
    page.until_text("#chart [data-count=failed]", "2").await;
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
async fn hundreds_of_endpoints_are_listed_before_the_built_in_ones() {
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
    page.until_shown("#endpoint-list tbody tr:nth-child(300)", "number").await;
    page.until_text("#endpoint-list tbody tr:nth-child(301) a", "count").await;
    for width in [400, 1600] {
        page.browser.resize(width, 1000).await;
        page.until(&format!("innerWidth === {width}")).await;
        page.browser.click("#endpoint-list tbody tr:last-child a").await;
        page.until_text("#endpoint-name", "sleep").await;
        page.browser.back().await;
        page.until("!document.querySelector('#endpoints').hidden").await;
    }
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_endpoint_or_job_is_not_replaced_by_another() {
    let Some(page) = open(|builder| builder).await else { return };
    page.visit("endpoint=nobody").await;
    page.until_text("#unknown-name", "nobody").await;
    page.until("!document.querySelector('#unknown').hidden").await;
    page.until("document.querySelector('#jobs').hidden").await;
    page.visit("endpoint=echo&job=nothing").await;
    page.until_shown("#job-none", "This endpoint has no job nothing").await;
    page.until("document.querySelector('#job-body').hidden").await;
    page.browser.click("#endpoint-name").await;
    page.until("!document.querySelector('#jobs').hidden").await;
    page.end_soundly(&["404"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_section_of_an_endpoint_has_a_link_and_survives_reload_and_back() {
    let Some(page) = open(|builder| builder.endpoint_for_workers("shout")).await else { return };
    page.browser.resize(390, 800).await;
    page.show("shout").await;
    let views = ["workers", "logs", "limits", "chart", "submit", "requests", "webhooks", "faults"];
    for view in views {
        let link = format!("nav a[href$='view={view}']");
        let is_in_view = format!(
            "(() => {{
                const box = document.querySelector(\"{link}\").getBoundingClientRect();
                return box.width > 0 && box.left >= 0 && box.right <= innerWidth;
            }})()"
        );
        page.until(&is_in_view).await;
        page.enter_view(view).await;
        page.until(&format!("document.querySelector(\"{link}\").ariaCurrent === 'page'")).await;
    }
    page.browser.reload().await;
    page.until("!document.querySelector('#faults').hidden").await;
    for view in views.iter().rev().skip(1) {
        page.browser.back().await;
        page.until(&format!("!document.querySelector('#{view}').hidden")).await;
    }
    page.end_soundly(&[]).await;
}
