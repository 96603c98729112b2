//! Ten thousand jobs and requests: what an update costs, and that memory stays flat.

use serde_json::{Value, json};

use super::support::{Page, open};

const MANY: usize = 10_000;

async fn with_many() -> Option<Page> {
    let page = open(|builder| builder.manual_clock()).await?;
    for _ in 0..MANY / 50 {
        let submissions = (0..50).map(|number| page.run("echo", json!({ "number": number })));
        futures_util::future::join_all(submissions).await;
    }
    page.show("echo").await;
    page.until_text("#jobs-found", "10,000 jobs").await;
    page.until_text("#requests-found", "10,000 requests").await;
    Some(page)
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_jobs_are_a_window_that_scrolls() {
    let Some(page) = with_many().await else { return };
    let rows = "return document.querySelectorAll('#job-list tr').length";
    assert!(page.browser.run(rows).await.as_u64().unwrap() < 150);
    // From the click to the first rows.
    let first_rows = page
        .browser
        .wait_for(
            "const started = performance.now();
             const body = document.querySelector('#job-list tbody:not(.spacer)');
             document.querySelector('#endpoint-list a[href=\"#endpoint=fail\"]').click();
             while (body.rows.length) await new Promise(requestAnimationFrame);
             const between = performance.now();
             document.querySelector('#endpoint-list a[href=\"#endpoint=echo\"]').click();
             while (!body.rows.length) await new Promise(requestAnimationFrame);
             return performance.now() - between;",
        )
        .await;
    assert!(first_rows.as_f64().unwrap() < 1000.0, "{first_rows} ms");
    for part in [0.5, 1.0, 0.25] {
        page.browser
            .run(&format!(
                "const list = document.querySelector('#jobs .scroll');
                 list.scrollTop = (list.scrollHeight - list.clientHeight) * {part};"
            ))
            .await;
        page.until(
            "(() => {
                const box = document.querySelector('#jobs .scroll').getBoundingClientRect();
                const at = document.elementFromPoint(box.left + 200, box.top + box.height / 2);
                return at?.closest('tr')?.querySelector('code')?.innerText.length > 30;
             })()",
        )
        .await;
    }
    assert!(page.browser.run(rows).await.as_u64().unwrap() < 150);
    page.end_soundly(&[]).await;
}

async fn metrics(page: &Page) -> impl Fn(&str) -> f64 + use<> {
    page.browser.devtools("HeapProfiler.collectGarbage", json!({})).await;
    let metrics = page.browser.devtools("Performance.getMetrics", json!({})).await;
    let metrics: Vec<Value> = metrics["metrics"].as_array().unwrap().clone();
    move |name| {
        let metric = metrics.iter().find(|metric| metric["name"] == name);
        metric.unwrap()["value"].as_f64().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_costs_little_and_leaves_nothing_behind() {
    let Some(page) = with_many().await else { return };
    page.browser.devtools("Performance.enable", json!({})).await;
    const UPDATES: usize = 50;
    // Within the page: each script that a driver sends stays in its memory.
    let update = async || {
        let script = format!(
            "const table = document.querySelector('#job-list');
             for (let i = 0; i < {UPDATES}; i += 1) {{
                const headers = {{ 'content-type': 'application/json' }};
                const submission = {{ method: 'POST', headers, body: '{{\"input\":{{}}}}' }};
                const {{ id }} = await (await fetch('/v2/echo/run', submission)).json();
                await new Promise((resolve) => {{
                    const observer = new MutationObserver(look);
                    observer.observe(table, {{ subtree: true, childList: true, characterData: true }});
                    function look() {{
                        if (table.querySelector('code').textContent !== id) return;
                        observer.disconnect();
                        resolve();
                    }}
                    look();
                }});
             }}"
        );
        page.browser.wait_for(&script).await;
        metrics(&page).await
    };
    // The first ones compile what the next ones run.
    drop(update().await);
    let before = update().await;
    let after = update().await;
    let script = (after("ScriptDuration") - before("ScriptDuration")) * 1000.0 / UPDATES as f64;
    assert!(script < 16.0, "{script} ms of script for an update");
    let nodes = after("Nodes") - before("Nodes");
    assert!(nodes < 1000.0, "{nodes} nodes more");
    let heap = (after("JSHeapUsedSize") - before("JSHeapUsedSize")) / 1024.0;
    assert!(heap < 256.0, "{heap} KiB more");
    page.end_soundly(&[]).await;
}
