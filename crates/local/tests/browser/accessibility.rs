//! Accessibility: both widths, light and dark; nothing overflows, and axe finds no violation.

use std::path::Path;

use serde_json::{Value, json};

use super::support::{Page, open};

/// A page with something in every part.
async fn full() -> Option<Page> {
    let page = open(|builder| {
        builder
            .manual_clock()
            .rate_limits(podqueue_local::RateLimits::documented())
            .worker_endpoint("dies", "echo is on its way; exit 3")
    })
    .await?;
    for number in 0..40 {
        page.run("fail", json!({ "message": format!("out of memory {number}") })).await;
    }
    let body = json!({ "input": { "n": 20 }, "webhook": "http://127.0.0.1:1/hook" });
    let record = page.post("/v2/count/run", body).await;
    page.browser.click("[data-preset=throttle]").await;
    page.until_shown("#fault-list", "429").await;
    page.show("count").await;
    page.open_job(record["id"].as_str().unwrap()).await;
    page.until_shown("#chunks", "19").await;
    page.until_shown("#tries", "try 1").await;
    page.browser.fill("#submit-input", "{\"n\": 20,}").await;
    page.browser
        .run("document.querySelectorAll('details').forEach((it) => { it.open = true; });")
        .await;
    Some(page)
}

const VIEWS: [(u32, &str); 4] = [(1600, "light"), (1600, "dark"), (400, "light"), (400, "dark")];

#[tokio::test(flavor = "multi_thread")]
async fn nothing_overflows_at_any_width() {
    let Some(page) = full().await else { return };
    for (width, scheme) in VIEWS {
        page.browser.resize(width, 1000).await;
        page.browser.prefer(scheme).await;
        page.until(&format!("innerWidth === {width}")).await;
        let wide = page
            .browser
            .run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            .await;
        assert_eq!(wide, json!(0), "{width} {scheme}");
    }
    page.end_soundly(&[]).await;
}

/// `scripts/axe.sh` puts it there.
const AXE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/axe/node_modules/axe-core/axe.min.js");

#[expect(clippy::print_stderr, reason = "a skipped test is reported")]
#[tokio::test(flavor = "multi_thread")]
async fn axe_finds_no_violation() {
    let Ok(axe) = std::fs::read_to_string(Path::new(AXE)) else {
        eprintln!("skipped: scripts/axe.sh has not fetched axe-core");
        return;
    };
    let Some(page) = full().await else { return };
    for (width, scheme) in VIEWS {
        page.browser.resize(width, 1000).await;
        page.browser.prefer(scheme).await;
        page.browser.run(&axe).await;
        let found = page
            .browser
            .wait_for(
                "const { violations } = await axe.run(document, { resultTypes: ['violations'] });
                 return violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);",
            )
            .await;
        assert_eq!(found, Value::Array(Vec::new()), "{width} {scheme}");
    }
    page.end_soundly(&[]).await;
}

/// Those replace all backgrounds, and take shadows away.
#[tokio::test(flavor = "multi_thread")]
async fn selections_are_visible_in_forced_colours() {
    let Some(page) = full().await else { return };
    page.browser.click("#job-filter [data-status=COMPLETED]").await;
    let forced = json!({ "features": [{ "name": "forced-colors", "value": "active" }] });
    page.browser.devtools("Emulation.setEmulatedMedia", forced).await;
    page.browser.run("document.querySelector('#job-list').focus()").await;
    for chosen in [
        "#job-filter [aria-pressed=true]",
        "#job-list [aria-selected=true]",
        "#job-list .active",
        "#endpoint-list tr:has([aria-current])",
    ] {
        let chosen = json!(chosen);
        let outline = format!("getComputedStyle(document.querySelector({chosen})).outlineStyle");
        page.until(&format!("/solid|dashed/.test({outline})")).await;
    }
    page.end_soundly(&[]).await;
}

/// A screen reader reads all that changes in a live region, so none holds a count.
#[tokio::test(flavor = "multi_thread")]
async fn only_announcements_are_live_regions() {
    let Some(page) = open(|builder| builder).await else { return };
    let live = "return [...document.querySelectorAll('output, [aria-live], [role]')]
         .filter((it) => it.matches('output, [aria-live], [role=alert], [role=status], [role=log]'))
         .map((it) => it.id)";
    let said = ["connection", "session", "submit-error", "submit-result", "notice"];
    assert_eq!(page.browser.run(live).await, json!(said));
    page.end_soundly(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_name_leaves_everything_else_in_view() {
    let long = "a-name-that-somebody-has-made-up-for-a-model-and-a-team-and-its-third-version";
    let Some(page) = open(|builder| {
        let builder = builder.manual_clock().endpoint_for_workers(long);
        builder.rate_limits(podqueue_local::RateLimits::documented())
    })
    .await
    else {
        return;
    };
    page.run(long, json!({})).await;
    let fault = json!({ "operation": "run", "endpoint": long, "times": 3, "stall": true });
    page.post("/_local/faults", fault).await;
    page.show(long).await;
    page.until_shown("#limit-list", long).await;
    page.until_shown("#fault-list", long).await;
    let cut = "return [...document.querySelectorAll('.wide, main header')].filter((it) =>
            it.checkVisibility() && it.scrollWidth > it.clientWidth).map((it) => it.outerHTML.slice(0, 99))";
    for width in [400, 1600] {
        page.browser.resize(width, 1000).await;
        page.until(&format!("innerWidth === {width}")).await;
        assert_eq!(page.browser.run(cut).await, json!([]), "{width}");
        let workers = page.text("#endpoint-list tr:has([aria-current]) .workers").await;
        assert_eq!(workers, "none", "{width}");
        let words = "const words = document.querySelector('#fault-list span');
            return words.getClientRects().length > 0 && words.offsetHeight < 100";
        assert_eq!(page.browser.run(words).await, true, "{width}");
    }
    page.end_soundly(&[]).await;
}

/// As at 1280 × 1024 with everything four times as large.
#[tokio::test(flavor = "multi_thread")]
async fn a_low_window_is_left_to_what_has_the_focus() {
    let Some(page) = open(|builder| builder).await else { return };
    page.show("echo").await;
    let id = page.run("echo", json!({})).await;
    page.open_job(&id).await;
    page.browser.resize(320, 256).await;
    page.until("innerWidth === 320").await;
    let covered = "const controls = [...document.querySelectorAll('main :is(a, button, summary)')];
        const seen = controls.filter((it) => it.checkVisibility());
        return [seen.length, seen.filter((it) => {
            it.focus();
            const { left, top, width, height } = it.getBoundingClientRect();
            const there = document.elementFromPoint(left + width / 2, top + height / 2);
            return !it.contains(there);
        }).map((it) => it.outerHTML)]";
    let found = page.browser.run(covered).await;
    assert!(found[0].as_u64().unwrap() > 20, "{found}");
    assert_eq!(found[1], json!([]));
    page.end_soundly(&[]).await;
}
