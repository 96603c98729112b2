//! Screenshot of the page for the README, and recording for the README of the local service, made
//! by `scripts/picture.sh` and `scripts/page_recording.sh`.

use std::path::PathBuf;
use std::time::Duration;

use podqueue_local::{LocalJob, RateLimits, Workers};
use serde_json::json;

use super::support::{ENTER, Page, SHIFT, open};

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
    for number in 0..60 {
        let prompt = PROMPTS[number % PROMPTS.len()];
        let input = json!({ "prompt": prompt, "steps": 20, "seed": number });
        page.run("painter", input).await;
        for _ in 0..2 {
            page.local.clock().advance(Duration::from_secs(1));
            tokio::task::yield_now().await;
        }
    }
    let running = "#job-filter [data-status=IN_PROGRESS] .of";
    page.until(&format!("document.querySelector('{running}').innerText !== '0'")).await;
    page.until("document.querySelector('#job-list tr [data-status=COMPLETED]')").await;
    page.browser.resize(1200, 740).await;
    page.browser.run("document.activeElement.blur()").await;
    std::fs::write(file, page.browser.picture().await).unwrap();
    page.end_soundly(&[]).await;
}

/// Writes the frames of the recording, as PNGs in base64, into the folder that `FRAMES` names: the
/// clock is advanced until a result expires. The name of a frame ends in how long it is shown, in
/// milliseconds.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "makes a recording"]
async fn recording() {
    let Some(folder) = std::env::var_os("FRAMES").map(PathBuf::from) else { return };
    let painter = |job: LocalJob| async move {
        for step in 1..=2 {
            job.sleep(Duration::from_secs(60)).await;
            job.emit(json!({ "step": step * 10, "of": 20 })).await;
        }
        Ok(json!({ "image": "s3://pictures/7.png", "seed": 7 }))
    };
    let page = open(|builder| builder.manual_clock().endpoint("painter", painter)).await.unwrap();
    page.browser.resize(720, 560).await;
    page.show("painter").await;
    let prompt = json!({ "prompt": "a lighthouse in a storm", "seed": 7 });
    let id = page.run("painter", prompt).await;
    page.open_job(&id).await;
    page.until_text("#job-status", "In progress").await;
    let mut frames = Frames { page: &page, folder, count: 0 };
    frames.take(1600).await;
    let turns = [("60000", "step\":10"), ("60000", "Completed"), ("1800000", "Expired")];
    for (by, shown) in turns {
        // A focus that follows a key is shown.
        page.browser.press(&SHIFT.to_string()).await;
        let button = format!("document.querySelector('[data-advance=\"{by}\"]')");
        page.browser.run(&format!("{button}.focus({{ preventScroll: true }})")).await;
        frames.take(700).await;
        page.browser.press(&ENTER.to_string()).await;
        page.until_shown("#job", shown).await;
        page.until_shown("#notice", "The clock shows").await;
        frames.take(1800).await;
    }
    frames.take(1500).await;
    page.end_soundly(&[]).await;
}

struct Frames<'a> {
    page: &'a Page,
    folder: PathBuf,
    count: usize,
}

impl Frames<'_> {
    async fn take(&mut self, milliseconds: usize) {
        self.count += 1;
        let name = format!("{:02}-{milliseconds}", self.count);
        std::fs::write(self.folder.join(name), self.page.browser.picture().await).unwrap();
    }
}
