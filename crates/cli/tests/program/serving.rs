//! The Batch API in front of a local service: requests, batches, and what must hold of them however
//! its servers are killed.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use podqueue_batch::serve::api::Api;
use podqueue_batch::serve::api::types::{Batch, BatchStatus, NewBatch};
use podqueue_local::{LocalJob, LocalService};
use podqueue_runtime::{Authorization, Part, Service};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::Fixture;

const CHAT: &str = "/v1/chat/completions";

/// Number of times that each request was processed, by its content.
pub type Calls = Arc<Mutex<HashMap<String, u64>>>;

/// A service whose endpoint `poet` responds as text-generation workers do.
pub async fn fixture() -> (Fixture, Calls) {
    let calls = Calls::default();
    let handler = {
        let calls = calls.clone();
        move |job: LocalJob| {
            let calls = calls.clone();
            async move {
                let content = &job.input["openai_input"]["messages"][0]["content"];
                let content = content.as_str().unwrap_or_default().to_owned();
                *calls.lock().unwrap().entry(content.clone()).or_default() += 1;
                sleep(Duration::from_millis(20)).await;
                let message = json!({ "role": "assistant", "content": content });
                Ok(json!([{ "object": "chat.completion", "choices": [{ "message": message }] }]))
            }
        }
    };
    let builder = LocalService::builder().endpoint("poet", handler).workers(8, 8);
    (Fixture::with(builder).await, calls)
}

pub fn api(address: &str) -> Api {
    let service = Service::builder(format!("http://{address}/v1"));
    Api::new(&service.authorization(Authorization::bearer("any")).build().unwrap())
}

fn request(content: &str) -> String {
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": content }] });
    format!("{}\n", json!({ "custom_id": content, "method": "POST", "url": CHAT, "body": body }))
}

/// Uploads a file with these requests, and creates a batch.
pub async fn submit(api: &Api, contents: &[String]) -> podqueue::Result<String> {
    let text: String = contents.iter().map(|content| request(content)).collect();
    let file = api.create_file(Part::file("r.jsonl", text.into_bytes()), "batch").await?;
    let batch = NewBatch::new("24h", CHAT, file.id.unwrap());
    Ok(api.create_batch(batch).await?.id.unwrap())
}

pub async fn until_ended(api: &Api, id: &str) -> Batch {
    let began = Instant::now();
    loop {
        // It may be killed meanwhile.
        if let Ok(batch) = api.retrieve_batch(id).await {
            let counts = batch.request_counts.as_ref().unwrap();
            assert!(counts.completed.unwrap() + counts.failed.unwrap() <= counts.total.unwrap());
            if !matches!(
                batch.status,
                Some(
                    BatchStatus::Validating
                        | BatchStatus::InProgress
                        | BatchStatus::Finalizing
                        | BatchStatus::Cancelling
                )
            ) {
                return batch;
            }
        }
        assert!(began.elapsed() < Duration::from_secs(120), "batch {id} does not end");
        sleep(Duration::from_millis(20)).await;
    }
}

/// A batch that a server has confirmed.
pub struct Confirmed {
    contents: Vec<String>,
    is_cancelled: bool,
}

/// Uploads, creates and cancels batches until this time, at any of the servers; they may be killed
/// meanwhile.
pub async fn use_servers(
    apis: &[Api],
    random: &mut fastrand::Rng,
    confirmed: &mut BTreeMap<String, Confirmed>,
    end: Instant,
) {
    while Instant::now() < end {
        let left = end.saturating_duration_since(Instant::now());
        let api = random.choice(apis).unwrap();
        let contents: Vec<_> =
            (0..random.u64(1..40)).map(|_| format!("{:x}", random.u64(..))).collect();
        if random.u8(..4) > 0 {
            if let Ok(Ok(id)) = timeout(left, submit(api, &contents)).await {
                confirmed.insert(id, Confirmed { contents, is_cancelled: false });
            }
        } else if let Some((id, batch)) = random.choice(confirmed.iter_mut()) {
            let cancelled = timeout(left, api.cancel_batch(id).send()).await;
            batch.is_cancelled |= matches!(cancelled, Ok(Ok(_)));
        }
        sleep(Duration::from_millis(random.u64(..60))).await;
    }
}

/// Waits for all batches to end, and checks that each line is there once, and was processed as it
/// says; where servers share a folder, it may not have been submitted. Returns the number of lines,
/// and of those whose outcome is unknown.
pub async fn check_all(
    api: &Api,
    calls: &Calls,
    confirmed: &BTreeMap<String, Confirmed>,
    is_shared: bool,
) -> (usize, usize) {
    let mut unknown = 0;
    for (id, Confirmed { contents, is_cancelled }) in confirmed {
        let batch = until_ended(api, id).await;
        let is_cancelled_now = batch.status == Some(BatchStatus::Cancelled);
        // A cancel request that was not confirmed may have been recorded.
        assert!(is_cancelled_now || batch.status == Some(BatchStatus::Completed), "{batch:?}");
        assert!(is_cancelled_now || !is_cancelled, "{batch:?}");
        let mut found = BTreeMap::new();
        for file in [&batch.output_file_id, &batch.error_file_id].into_iter().flatten() {
            let text = String::from_utf8(api.download_file(file).await.unwrap().to_vec()).unwrap();
            assert!(text.ends_with('\n'), "a torn line");
            for line in text.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                let id = line["custom_id"].as_str().unwrap().to_owned();
                assert!(found.insert(id, line).is_none(), "a line is there twice");
            }
        }
        assert_eq!(found.len(), contents.len(), "a line is lost");
        for content in contents {
            let line = &found[content];
            let processed = calls.lock().unwrap().get(content).copied().unwrap_or(0);
            match line["error"]["code"].as_str() {
                None => {
                    assert_eq!(line["response"]["status_code"], 200, "{line}");
                    let message = &line["response"]["body"]["choices"][0]["message"];
                    assert_eq!((&message["content"], processed), (&json!(content), 1));
                }
                Some("outcome_unknown") => {
                    unknown += 1;
                    assert!(processed <= 1, "{line}");
                }
                // Of a server that had lost its lease on a busy machine.
                Some("not_submitted") if is_shared => assert_eq!(processed, 0, "{line}"),
                Some("batch_cancelled") if is_cancelled_now => assert!(processed <= 1, "{line}"),
                _ => panic!("{line}"),
            }
        }
    }
    let lines = confirmed.values().map(|batch| batch.contents.len()).sum();
    (lines, unknown)
}
