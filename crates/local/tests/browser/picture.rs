//! The picture of the page in the README: `scripts/picture.sh` runs this.

use std::time::Duration;

use podqueue_local::{LocalJob, RateLimits, Workers};
use serde_json::json;

use super::support::open;

const PROMPTS: [&str; 6] = [
    "a lighthouse in a storm",
    "two herons at dusk",
    "a violin on a red chair",
    "the harbour, seen from above",
    "an old observatory under snow",
    "a bicycle against a blue door",
];

/// Writes the PNG, in base64, to the file that `PICTURE` names.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "makes a picture"]
async fn picture() {
    let Some(file) = std::env::var_os("PICTURE") else { return };
    let painter = |job: LocalJob| async move {
        let number = job.input["seed"].as_u64().unwrap_or(0);
        for step in 1..=4 {
            job.sleep(Duration::from_secs(1 + number % 3)).await;
            job.emit(json!({ "step": step * 5, "of": 20 })).await;
        }
        if number % 9 == 4 {
            return Err("CUDA out of memory: tried to allocate 20 GiB".into());
        }
        Ok(json!({ "image": format!("s3://pictures/{number}.png"), "seed": number }))
    };
    let page = open(|builder| {
        builder
            .manual_clock()
            .endpoint("painter", painter)
            .workers_of("painter", Workers::between(3, 6))
            .rate_limits(RateLimits::documented())
    })
    .await
    .unwrap();
    page.show("painter").await;
    let mut last = String::new();
    for number in 0..60 {
        let prompt = PROMPTS[number % PROMPTS.len()];
        let input = json!({ "prompt": prompt, "steps": 20, "seed": number });
        last = page.run("painter", input).await;
        for _ in 0..2 {
            page.local.clock().advance(Duration::from_secs(1));
            tokio::task::yield_now().await;
        }
    }
    let running = "#endpoint-list tr:has(a[href='#endpoint=painter']) [data-status=IN_PROGRESS]";
    page.until(&format!("document.querySelector(\"{running}\").innerText !== '0'")).await;
    let done = "#job-list tr:has([data-status=COMPLETED]) code";
    page.until(&format!("document.querySelector('{done}')")).await;
    assert!(!last.is_empty());
    page.browser.click(done).await;
    page.until_shown("#part-output", "s3://pictures/").await;
    page.browser.run("scrollTo(0, 0); document.activeElement.blur();").await;
    page.until("!document.querySelector('#notice').innerText").await;
    std::fs::write(file, page.browser.picture().await).unwrap();
    page.end_soundly(&[]).await;
}
