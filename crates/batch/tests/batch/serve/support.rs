//! A local service with a worker that speaks OpenAI's interface, and a server in front of it.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use podqueue::{Client, Endpoint};
use podqueue_batch::serve::api::Api;
use podqueue_batch::serve::api::types::{Batch, BatchStatus, File, NewBatch};
use podqueue_batch::serve::{Builder, Keys, Server};
use podqueue_local::{HandlerError, LocalJob, LocalService};
use podqueue_runtime::{Authorization, Part, Service};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::sleep;

pub const CHAT: &str = "/v1/chat/completions";

/// The key of a client where there are no keys.
pub const ANY_KEY: &str = "any";

/// The key of the service.
const SERVICE_KEY: &str = "service-key";

/// A worker that says the content of the last message, and records each call.
#[derive(Clone)]
pub struct Worker {
    calls: Arc<Mutex<HashMap<String, u64>>>,
    gate: watch::Sender<bool>,
}

impl Worker {
    fn new() -> Self {
        Self { calls: Arc::default(), gate: watch::Sender::new(false) }
    }

    /// Lets the jobs end that wait.
    pub fn open_gate(&self) {
        self.gate.send_replace(true);
    }

    /// Number of times that a content was processed.
    pub fn calls(&self, content: &str) -> u64 {
        self.calls.lock().unwrap().get(content).copied().unwrap_or(0)
    }

    async fn run(self, job: LocalJob) -> Result<Value, HandlerError> {
        let body = &job.input["openai_input"];
        let content = body["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
        *self.calls.lock().unwrap().entry(content.clone()).or_default() += 1;
        if job.input["openai_route"] != CHAT {
            return Err("another route".into());
        }
        match content.split(' ').next().unwrap_or_default() {
            "fail" => return Err("out of memory".into()),
            "refuse" => {
                return Ok(json!([{ "error": { "message": "too long", "code": 400 } }]));
            }
            "wait" => {
                let mut gate = self.gate.subscribe();
                let _ = gate.wait_for(|is_open| *is_open).await;
            }
            _ => {}
        }
        let message = json!({ "role": "assistant", "content": content });
        Ok(json!([{
            "id": job.id, "object": "chat.completion", "created": 0, "model": body["model"],
            "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5 },
        }]))
    }
}

/// A service, a folder, and the time.
pub struct World {
    pub local: LocalService,
    pub worker: Worker,
    pub folder: TempDir,
    /// Seconds by which the server's clock is ahead.
    ahead: Arc<AtomicU64>,
    pub problems: Arc<Mutex<Vec<String>>>,
}

impl World {
    pub async fn new() -> Self {
        let worker = Worker::new();
        let handler = {
            let worker = worker.clone();
            move |job: LocalJob| worker.clone().run(job)
        };
        let local = LocalService::builder()
            .api_key(SERVICE_KEY)
            .endpoint("poet", handler)
            .workers(16, 16)
            .start()
            .await
            .unwrap();
        Self {
            local,
            worker,
            folder: tempfile::tempdir().unwrap(),
            ahead: Arc::default(),
            problems: Arc::default(),
        }
    }

    pub fn endpoint(&self) -> Endpoint {
        let client = Client::builder().api_key(SERVICE_KEY).base_url(self.local.base_url());
        client.build().unwrap().endpoint("poet")
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn advance(&self, time: Duration) {
        self.ahead.fetch_add(time.as_secs(), SeqCst);
    }

    /// A server whose model is `poet`.
    pub fn builder(&self) -> Builder {
        let (ahead, problems) = (self.ahead.clone(), self.problems.clone());
        Server::builder(self.path())
            .model("poet", self.endpoint())
            .clock(move || SystemTime::now() + Duration::from_secs(ahead.load(SeqCst)))
            .on_problem(move |problem| problems.lock().unwrap().push(problem.to_owned()))
    }

    pub async fn serve(&self) -> Served {
        Served::start(self.builder(), ANY_KEY).await
    }
}

/// A running server, and a client of it.
pub struct Served {
    pub server: Server,
    pub api: Api,
}

impl Served {
    /// Starts a server, with a client that has this key.
    pub async fn start(builder: Builder, key: &str) -> Self {
        let server = builder.start().await.unwrap();
        let api = api(&server, key);
        Self { server, api }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address())
    }

    pub async fn upload(&self, content: impl Into<String>) -> File {
        upload(&self.api, content).await
    }

    /// Uploads a file and creates a batch.
    pub async fn submit(&self, content: impl Into<String>) -> Batch {
        let file = self.upload(content).await;
        self.create(&file).await
    }

    pub async fn create(&self, file: &File) -> Batch {
        let batch = NewBatch::new("24h", CHAT, file.id.clone().unwrap());
        self.api.create_batch(batch).await.unwrap()
    }

    pub async fn read(&self, id: &str) -> Batch {
        let batch = self.api.retrieve_batch(id).await.unwrap();
        check(&batch);
        batch
    }

    /// Polls until this holds.
    pub async fn until(&self, id: &str, holds: impl Fn(&Batch) -> bool) -> Batch {
        let mut last = (0, 0);
        for _ in 0..6_000 {
            let batch = self.read(id).await;
            let counts = batch.request_counts.as_ref().unwrap();
            let ended = (counts.completed.unwrap(), counts.failed.unwrap());
            assert!(last.0 <= ended.0 && last.1 <= ended.1, "{last:?} became {ended:?}");
            last = ended;
            if holds(&batch) {
                return batch;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("it never happened: {:?}", self.read(id).await);
    }

    pub async fn until_ended(&self, id: &str) -> Batch {
        self.until(id, |batch| is_final(batch.status.as_ref().unwrap())).await
    }

    /// The lines of a file, by custom id; each is there once.
    pub async fn lines(&self, file: Option<&String>) -> BTreeMap<String, Value> {
        let Some(id) = file else { return BTreeMap::new() };
        let content = self.api.download_file(id.as_str()).await.unwrap();
        let text = String::from_utf8(content.to_vec()).unwrap();
        assert!(text.ends_with('\n'), "a torn line");
        let mut found = BTreeMap::new();
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let id = line["custom_id"].as_str().unwrap().to_owned();
            assert!(found.insert(id, line).is_none(), "a line is there twice");
        }
        found
    }

    /// The lines of both files of a batch that has ended: each request is in one of them, once.
    pub async fn outcome(&self, batch: &Batch) -> Outcome {
        let output = self.lines(batch.output_file_id.as_ref()).await;
        let errors = self.lines(batch.error_file_id.as_ref()).await;
        let counts = batch.request_counts.as_ref().unwrap();
        assert_eq!(counts.completed, Some(output.len() as i64));
        assert_eq!(counts.failed, Some(errors.len() as i64));
        assert_eq!(counts.total, Some((output.len() + errors.len()) as i64));
        assert!(output.keys().all(|id| !errors.contains_key(id)));
        Outcome { output, errors }
    }
}

pub struct Outcome {
    pub output: BTreeMap<String, Value>,
    pub errors: BTreeMap<String, Value>,
}

pub fn api(server: &Server, key: &str) -> Api {
    let url = format!("http://{}/v1", server.address());
    let service = Service::builder(url).authorization(Authorization::bearer(key));
    Api::new(&service.build().unwrap())
}

pub async fn upload(api: &Api, content: impl Into<String>) -> File {
    let file = Part::file("requests.jsonl", content.into().into_bytes());
    api.create_file(file, "batch").await.unwrap()
}

pub fn keys() -> Keys {
    Keys::parse("alice key-of-alice\nbob key-of-bob").unwrap()
}

pub fn is_final(status: &BatchStatus) -> bool {
    use BatchStatus::{Cancelled, Completed, Expired, Failed};
    matches!(status, Completed | Failed | Expired | Cancelled)
}

/// A request with this content, which is its custom id, too.
pub fn request(content: &str) -> String {
    let body = json!({ "model": "poet", "messages": [{ "role": "user", "content": content }] });
    let line = json!({ "custom_id": content, "method": "POST", "url": CHAT, "body": body });
    format!("{line}\n")
}

pub fn requests(contents: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    contents.into_iter().map(|content| request(content.as_ref())).collect()
}

/// Checks what holds of a batch at any time.
fn check(batch: &Batch) {
    use BatchStatus::{
        Cancelled, Cancelling, Completed, Expired, Failed, Finalizing, InProgress, Validating,
    };
    let status = batch.status.as_ref().unwrap();
    let counts = batch.request_counts.as_ref().unwrap();
    let (total, completed, failed) =
        (counts.total.unwrap(), counts.completed.unwrap(), counts.failed.unwrap());
    assert!(completed + failed <= total, "{batch:?}");
    assert_eq!(batch.failed_at.is_some(), *status == Failed, "{batch:?}");
    assert_eq!(batch.errors.is_some(), *status == Failed, "{batch:?}");
    assert_eq!(batch.completed_at.is_some(), *status == Completed, "{batch:?}");
    assert_eq!(batch.expired_at.is_some(), *status == Expired, "{batch:?}");
    assert_eq!(batch.cancelled_at.is_some(), *status == Cancelled, "{batch:?}");
    match status {
        Validating | Failed => {
            assert_eq!((total, batch.in_progress_at), (0, None), "{batch:?}");
        }
        InProgress => assert!(batch.finalizing_at.is_none(), "{batch:?}"),
        Finalizing => assert!(batch.finalizing_at.is_some(), "{batch:?}"),
        Cancelling => assert!(batch.cancelling_at.is_some(), "{batch:?}"),
        Completed | Expired | Cancelled => {
            assert_eq!(completed + failed, total, "{batch:?}");
            assert_eq!(batch.output_file_id.is_some(), completed > 0, "{batch:?}");
            assert_eq!(batch.error_file_id.is_some(), failed > 0, "{batch:?}");
        }
        other => panic!("{other:?}"),
    }
}
