//! Recorded sessions on the page.

use serde_json::json;

use super::driver::Driver;
use crate::sessions::Running;

#[tokio::test(flavor = "multi_thread")]
async fn the_page_shows_a_recorded_session() {
    let Some(browser) = Driver::start(1400, 900).await else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.json");
    let recorded = Running::recording(&file, &[]).await;
    let id = recorded.run("fail", json!({ "message": "out of memory" })).await;
    recorded.end().await;
    let replayed = Running::replaying(&file).await;
    browser.open(&replayed.page_url()).await;
    browser.until("document.getElementById('connection').textContent === 'Recorded'").await;
    browser.until("document.getElementById('session').textContent.startsWith('Recorded ')").await;
    browser.run("location.hash = 'endpoint=fail'").await;
    browser
        .until("document.querySelector('#job-list .error').textContent === 'out of memory'")
        .await;
    browser.run(&format!("location.hash = 'endpoint=fail&job={id}'")).await;
    browser
        .until("document.getElementById('part-error').textContent.includes('out of memory')")
        .await;
    browser.click("#job-retry").await;
    browser
        .until("document.getElementById('notice').textContent.includes('nothing can be changed')")
        .await;
    browser.run("location.hash = 'view=requests'").await;
    browser.until("document.querySelector('#request-list .rows').textContent.includes('/v2/fail/runsync')").await;
}
