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
    page.enter_view("faults").await;
    page.browser.click("#fault-buttons button:nth-child(2)").await;
    page.until_shown("#fault-list", "429").await;
    let scenario = json!({ "faults": [{ "operation": "cancel", "delayMs": 100 }] });
    page.put("/_local/scenarios/slow", scenario).await;
    page.until_shown("#scenario-list", "active").await;
    page.browser.click("#faults summary").await;
    page.prepare("count").await;
    page.browser.fill("#submit-body", "{\"n\": 20,}").await;
    page.enter_view("requests").await;
    page.browser.click("#request-list .rows tr code").await;
    page.until("!document.querySelector('#request').hidden").await;
    page.show("count").await;
    page.open_job(record["id"].as_str().unwrap()).await;
    page.until_shown("#part-chunks", "19").await;
    page.until_shown("#part-webhook", "try 1").await;
    page.browser.run("window.job = location.hash").await;
    Some(page)
}

/// Each view, with what it shows once it is filled.
const VIEWS: [(&str, &str); 13] = [
    ("''", "#endpoint-list tbody tr"),
    ("'endpoint=fail'", "#job-list .rows tr"),
    ("window.job", "#part-output"),
    ("'endpoint=dies&view=workers'", "#workers-body"),
    ("'endpoint=dies&view=logs'", "#log-list .rows tr"),
    ("'endpoint=fail&view=limits'", "#limit-list tbody tr"),
    ("'endpoint=fail&view=chart'", "#chart [points]"),
    ("'endpoint=count&view=submit'", "#submit-body"),
    ("'view=requests'", "#request"),
    ("'view=webhooks'", "#webhook-list .rows tr"),
    ("'view=faults'", "#fault-list li"),
    ("'endpoint=nobody'", "#unknown"),
    ("'endpoint=echo'", "#jobs-none"),
];

async fn enter(page: &Page, (hash, shown): (&str, &str)) {
    page.browser.run(&format!("location.hash = {hash}")).await;
    page.until(&format!("document.querySelector({})?.checkVisibility()", json!(shown))).await;
}

const SCREENS: [(u32, &str); 4] = [(1600, "light"), (1600, "dark"), (400, "light"), (400, "dark")];

#[tokio::test(flavor = "multi_thread")]
async fn no_section_overflows_at_any_width() {
    let Some(page) = full().await else { return };
    for (width, scheme) in SCREENS {
        page.browser.resize(width, 1000).await;
        page.browser.prefer(scheme).await;
        page.until(&format!("innerWidth === {width}")).await;
        for view in VIEWS {
            enter(&page, view).await;
            let wide = "return [document.documentElement, document.querySelector('main')]
                .map((it) => it.scrollWidth - it.clientWidth)";
            assert_eq!(page.browser.run(wide).await, json!([0, 0]), "{view:?} {width} {scheme}");
        }
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
    for (width, scheme) in SCREENS {
        page.browser.resize(width, 1000).await;
        page.browser.prefer(scheme).await;
        page.browser.run(&axe).await;
        for view in VIEWS {
            enter(&page, view).await;
            let found = page
                .browser
                .wait_for(
                    "const { violations } = await axe.run(document, { resultTypes: ['violations'] });
                     return violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);",
                )
                .await;
            assert_eq!(found, Value::Array(Vec::new()), "{view:?} {width} {scheme}");
        }
    }
    page.end_soundly(&[]).await;
}

/// Those replace all backgrounds, and take shadows away.
#[tokio::test(flavor = "multi_thread")]
async fn selections_are_visible_in_forced_colours() {
    let Some(page) = full().await else { return };
    page.show("count").await;
    page.browser.fill("#job-search", "").await;
    page.browser.click("#job-filter [data-status=COMPLETED]").await;
    let forced = json!({ "features": [{ "name": "forced-colors", "value": "active" }] });
    page.browser.devtools("Emulation.setEmulatedMedia", forced).await;
    page.browser.run("document.querySelector('#job-list').focus()").await;
    for chosen in
        ["#job-filter [aria-pressed=true]", "#job-list .active", "#endpoint nav [aria-current]"]
    {
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
async fn a_long_name_leaves_other_content_in_view() {
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
    let cut = "return [...document.querySelectorAll('.wide, header')].filter((it) =>
            it.checkVisibility() && it.scrollWidth > it.clientWidth).map((it) => it.outerHTML.slice(0, 99))";
    for width in [400, 1600] {
        page.browser.resize(width, 1000).await;
        page.until(&format!("innerWidth === {width}")).await;
        page.visit("").await;
        page.until_text("#endpoint-list tbody tr .workers", "no workers").await;
        for (view, shown) in [("", "#jobs-found"), ("limits", "#limit-list tbody tr")] {
            let hash = format!("'endpoint={long}&view={view}'");
            enter(&page, (&hash, shown)).await;
            assert_eq!(page.browser.run(cut).await, json!([]), "{width} {view}");
        }
        page.visit("view=faults").await;
        page.until_shown("#fault-list", long).await;
        assert_eq!(page.browser.run(cut).await, json!([]), "{width}");
        let words = "const words = document.querySelector('#fault-list span');
            return words.getClientRects().length > 0 && words.offsetHeight < 100";
        assert_eq!(page.browser.run(words).await, true, "{width}");
    }
    page.end_soundly(&[]).await;
}

/// As at 1280 × 1024 with everything four times as large.
#[tokio::test(flavor = "multi_thread")]
async fn focused_controls_are_not_covered_in_a_low_window() {
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
    assert!(found[0].as_u64().unwrap() > 12, "{found}");
    assert_eq!(found[1], json!([]));
    page.end_soundly(&[]).await;
}
