//! Raw HTTP client for a local service.

use std::time::Duration;

use podqueue_local::{Builder, LocalService};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

pub const KEY: &str = "a key";

/// Timeout, in real time, of an event that should happen at once.
pub const TEST_DEADLINE: Duration = Duration::from_secs(120);

/// A service, and a client that sends what it is told.
pub struct Service {
    pub local: LocalService,
    pub http: reqwest::Client,
}

/// The status and the JSON body of a response.
pub type Answer = (u16, Value);

impl Service {
    /// A service on a clock that stands still.
    pub async fn still(setup: impl FnOnce(Builder) -> Builder) -> Self {
        Self::start(|builder| setup(builder.manual_clock())).await
    }

    pub async fn start(setup: impl FnOnce(Builder) -> Builder) -> Self {
        let local = setup(LocalService::builder().api_key(KEY)).start().await.unwrap();
        Self { local, http: reqwest::Client::new() }
    }

    pub fn advance(&self, by: Duration) {
        self.local.clock().advance(by);
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, Vec::new()).await
    }

    /// Posts without a body.
    pub async fn post(&self, path: &str) -> Answer {
        self.send(Method::POST, path, Vec::new()).await
    }

    pub async fn post_json(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, body.to_string().into_bytes()).await
    }

    pub async fn send(&self, method: Method, path: &str, body: Vec<u8>) -> Answer {
        let url = format!("{}{path}", self.local.base_url());
        let request = self
            .http
            .request(method, url)
            .header("authorization", format!("Bearer {KEY}"))
            .header("content-type", "application/json")
            .body(body);
        answer(request).await
    }

    /// Calls the account interface. A response without a body has null.
    pub async fn account(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let url = format!("{}/v2{path}", self.local.account_url());
        let mut request = self.http.request(method, url).bearer_auth(KEY);
        if let Some(body) = body {
            request = request.json(&body);
        }
        account_answer(request.send().await.unwrap()).await
    }

    /// Reads from the account interface.
    pub async fn account_get(&self, path: &str) -> Value {
        let (status, body) = self.account(Method::GET, path, None).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Creates or changes something over the account interface, and returns it.
    pub async fn account_send(&self, method: Method, path: &str, body: Value) -> Value {
        let (status, answer) = self.account(method, path, Some(body)).await;
        assert!(matches!(status, 200 | 201), "{path}: {status} {answer}");
        answer
    }

    /// Submits a job with `/run`, and returns its id.
    pub async fn run(&self, endpoint: &str, body: Value) -> String {
        let (status, receipt) = self.post_json(&format!("/v2/{endpoint}/run"), body).await;
        assert_eq!((status, &receipt["status"]), (200, &json!("IN_QUEUE")), "{receipt}");
        receipt["id"].as_str().unwrap().to_owned()
    }

    pub async fn status(&self, endpoint: &str, id: &str) -> Answer {
        self.get(&format!("/v2/{endpoint}/status/{id}")).await
    }

    /// Polls until a job has a status, and returns its record.
    pub async fn until(&self, endpoint: &str, id: &str, status: &str) -> Value {
        let mut now = Value::Null;
        let wanted = format!("a job that is {status}");
        eventually(&wanted, async || {
            now = self.status(endpoint, id).await.1;
            now["status"] == status
        })
        .await;
        now
    }

    /// Polls until an endpoint has these numbers of running and queued jobs.
    pub async fn until_busy(&self, endpoint: &str, running: u64, queued: u64) {
        let wanted = format!("{running} running and {queued} queued jobs");
        eventually(&wanted, async || {
            let (_, health) = self.get(&format!("/v2/{endpoint}/health")).await;
            health["jobs"]["inProgress"] == running && health["jobs"]["inQueue"] == queued
        })
        .await;
    }

    pub async fn graphql(&self, query: &str) -> Answer {
        self.graphql_body(json!({ "query": query })).await
    }

    pub async fn graphql_body(&self, body: Value) -> Answer {
        let url = format!("{}?api_key=a+key", self.local.graphql_url());
        let request =
            self.http.post(url).header("content-type", "application/json").body(body.to_string());
        answer(request).await
    }
}

/// Polls a condition. What a test waits for happens on threads or in processes of their own, some
/// milliseconds later, or much later on a busy machine; the deadline is only there for what never
/// happens.
pub async fn eventually(what: &str, mut condition: impl AsyncFnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + TEST_DEADLINE;
    while !condition().await {
        assert!(tokio::time::Instant::now() < deadline, "there never was {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Does something in real time within a test whose clock jumps ahead whenever its runtime has
/// nothing to do: bytes that are still on their way between two sockets are nothing to the runtime.
pub async fn in_real_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::resume();
    let result = work.await;
    tokio::time::pause();
    result
}

/// A named pipe that signals the end of processes: it is read to its end when the last process is
/// gone that could write to it.
#[cfg(unix)]
pub struct Pipe {
    path: std::path::PathBuf,
    read: std::thread::JoinHandle<Vec<u8>>,
}

#[cfg(unix)]
impl Pipe {
    pub fn new() -> Self {
        let path = std::env::temp_dir().join(format!("podqueue-local-{}", fastrand::u64(..)));
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let name = path.clone();
        // A thread that no runtime waits for where the pipe is never released.
        let read = std::thread::spawn(move || std::fs::read(name).unwrap());
        Self { path, read }
    }

    /// The beginning of a worker: it starts a process that holds the pipe and does not end by
    /// itself. Whatever the worker does next, the pipe is held already.
    pub fn holder(&self) -> String {
        format!("exec 3> '{}'; sleep 1000 & exec 3>&-;", self.path.display())
    }

    /// A worker with such a process, which answers every job.
    pub fn worker(&self) -> String {
        let answer = r#"while read -r line; do echo '{"output": null}'; done"#;
        format!("{} {answer}", self.holder())
    }

    pub fn is_held(&self) -> bool {
        !self.read.is_finished()
    }

    /// Waits until no process holds the pipe.
    pub async fn released(self) {
        eventually("an unused pipe", async || !self.is_held()).await;
        std::fs::remove_file(self.path).unwrap();
        assert_eq!(self.read.join().unwrap(), b"");
    }
}

/// Sends bytes over a connection of their own, and reads until it ends. What came before a reset
/// counts.
pub async fn raw(service: &Service, bytes: &[u8]) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(service.local.address()).await.unwrap();
    let (mut read, mut write) = stream.split();
    let sent = async {
        // The response may come before all is said.
        let _ = write.write_all(bytes).await;
        let _ = write.shutdown().await;
    };
    let mut response = Vec::new();
    let _ = tokio::join!(sent, async {
        let _ = read.read_to_end(&mut response).await;
    });
    String::from_utf8_lossy(&response).into_owned()
}

pub async fn answer(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let status = response.status();
    let content_type = response.headers().get("content-type").cloned();
    let text = response.text().await.unwrap();
    assert_eq!(content_type.unwrap(), "application/json", "{status} {text}");
    (status.as_u16(), serde_json::from_str(&text).unwrap())
}

/// A response of the account interface. Its errors are problems.
pub async fn account_answer(response: reqwest::Response) -> Answer {
    let status = response.status().as_u16();
    let content_type = response.headers().get("content-type").cloned();
    let text = response.text().await.unwrap();
    if text.is_empty() {
        return (status, Value::Null);
    }
    let expected = if status < 400 { "application/json" } else { "application/problem+json" };
    assert_eq!(content_type.unwrap(), expected, "{status} {text}");
    (status, serde_json::from_str(&text).unwrap())
}

/// Reads the events of a log until there are this many, or it ends.
pub async fn log_events(
    service: &Service,
    path: &str,
    last: Option<&str>,
    most: usize,
) -> Vec<Value> {
    let url = format!("{}/v2{path}", service.local.account_url());
    let mut request = service.http.get(url).bearer_auth(KEY);
    if let Some(id) = last {
        request = request.header("last-event-id", id);
    }
    let mut response = request.send().await.unwrap();
    assert_eq!(response.status(), 200, "{path}");
    let mut text = String::new();
    let count = |text: &str| text.matches("\n\n").count();
    while count(&text) < most {
        let chunk = tokio::time::timeout(TEST_DEADLINE, response.chunk()).await.unwrap().unwrap();
        let Some(chunk) = chunk else { break };
        text += std::str::from_utf8(&chunk).unwrap();
    }
    let event = |text: &str| -> Value {
        let (id, data) = text.strip_prefix("id: ").unwrap().split_once("\ndata: ").unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["ts"], id);
        data
    };
    text.split_terminator("\n\n").take(most).map(event).collect()
}

/// Asserts a problem: a status, and a detail that mentions something.
pub fn assert_problem((status, body): &Answer, expected: u16, mentions: &str) {
    assert_eq!(*status, expected, "{body}");
    assert_eq!(body["status"], expected);
    assert!(body["title"].is_string(), "{body}");
    let text = format!("{} {}", body["detail"], body["errors"]);
    assert!(text.contains(mentions), "{text} does not mention {mentions:?}");
}

/// Asserts a refusal: a status, and an error text that mentions something.
pub fn assert_refused(answer: &Answer, status: StatusCode, mentions: &str) {
    assert_eq!(answer.0, status.as_u16(), "{answer:?}");
    let members = answer.1.as_object().unwrap();
    assert_eq!(members.keys().collect::<Vec<_>>(), ["error"]);
    let text = members["error"].as_str().unwrap();
    assert!(text.contains(mentions), "{text:?} does not mention {mentions:?}");
}

pub fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The names of an object's members, sorted.
pub fn members(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// A worker that attaches to an endpoint, and does what it is told.
pub struct Attached<'a> {
    service: &'a Service,
    route: String,
    name: String,
    key: String,
}

impl<'a> Attached<'a> {
    pub fn new(service: &'a Service, endpoint: &str, name: &str) -> Self {
        let variables = service.local.worker_environment(endpoint).unwrap();
        let key = variables.into_iter().find(|(name, _)| name == "AI_API_KEY").unwrap().1;
        let route = format!("{}/v2/{endpoint}", service.local.base_url());
        Self { service, route, name: name.to_owned(), key }
    }

    /// Requests a path below the endpoint; the key is bare.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let url = format!("{}/{path}", self.route);
        self.service.http.request(method, url).header("authorization", &self.key)
    }

    pub async fn get(&self, path: &str) -> Answer {
        let response = self.request(Method::GET, path).send().await.unwrap();
        let status = response.status().as_u16();
        let body = response.bytes().await.unwrap();
        let body = if status == 204 { Value::Null } else { serde_json::from_slice(&body).unwrap() };
        (status, body)
    }

    /// Takes the next job; none where none comes.
    pub async fn take(&self) -> Option<Value> {
        let path = format!("job-take/{}?gpu=none&job_in_progress=0", self.name);
        let (status, job) = self.get(&path).await;
        assert!(matches!(status, 200 | 204), "{status} {job}");
        (status == 200).then_some(job)
    }

    /// Takes the next job, and returns its id.
    pub async fn take_id(&self) -> String {
        self.take().await.unwrap()["id"].as_str().unwrap().to_owned()
    }

    pub async fn take_batch(&self, size: usize) -> Vec<Value> {
        let path =
            format!("job-take-batch/{}?gpu=none&batch_size={size}&job_in_progress=0", self.name);
        match self.get(&path).await {
            (200, Value::Array(jobs)) => jobs,
            (204, _) => Vec::new(),
            other => panic!("{other:?}"),
        }
    }

    /// The jobs that it is to stop.
    pub async fn to_stop(&self) -> Value {
        self.get(&format!("job-stop/{}?gpu=none", self.name)).await.1["jobsToStop"].clone()
    }

    pub async fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> Answer {
        let request = self.request(Method::POST, path);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        answer(request.body(body)).await
    }

    pub async fn stream(&self, job: &str, output: Value) {
        let path = format!("job-stream/{}/{job}?gpu=none&isStream=false", self.name);
        let body = json!({ "output": output }).to_string();
        assert_eq!(self.post(&path, body).await.0, 200);
    }

    pub async fn report(&self, job: &str, body: impl Into<reqwest::Body>) -> Answer {
        let path = format!("job-done/{}/{job}?gpu=none&isStream=false", self.name);
        self.post(&path, body).await
    }

    pub async fn done(&self, job: &str, body: Value) {
        assert_eq!(self.report(job, body.to_string()).await.0, 200);
    }

    pub async fn ping(&self, query: &str) {
        assert_eq!(self.get(&format!("ping/{}?{query}", self.name)).await.0, 200);
    }
}
