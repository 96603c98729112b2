//! Service of a batch run, over HTTP/1.1. Its log of accepted submissions is the ground truth that
//! the program under test is compared with.
//!
//! The API key of a request names the process that sent it: `key-7`.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::plan::ServiceFault;

/// Returns true if the jobs of an input fail.
pub(crate) fn fails(input: u64) -> bool {
    input % 17 == 3
}

/// Endpoint of the batch.
pub(crate) const ENDPOINT: &str = "seen";

/// Accepted submission.
#[derive(Clone, Debug)]
pub(crate) struct Submission {
    pub(crate) input: u64,
    pub(crate) process: usize,
    pub(crate) at: Instant,
    /// A fault lost the response.
    pub(crate) lost: bool,
    /// State of the previous job of the same input at that time.
    pub(crate) previous: Option<JobState>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobState {
    Working,
    Completed,
    Failed,
    Cancelled,
}

struct Job {
    input: u64,
    since: Instant,
    state: JobState,
}

struct ServiceState {
    jobs: Vec<Job>,
    /// Last job by input.
    last: HashMap<u64, usize>,
    log: Vec<Submission>,
    /// Receiving process of each webhook call that was accepted and whose connection was then
    /// closed.
    dropped_calls: Vec<usize>,
    faults: Vec<(ServiceFault, Instant)>,
    /// No job ends.
    is_held: bool,
    work: Duration,
}

/// Handle of a service. Clones refer to the same service.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<ServiceState>>,
}

struct Request {
    method: String,
    path: String,
    /// Process that sent it, as its API key says.
    process: Option<usize>,
    body: Vec<u8>,
}

/// Reply to a request.
enum Reply {
    Response(u16, String),
    Close,
}

impl Service {
    pub(crate) async fn start(work: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let state = ServiceState {
            jobs: Vec::new(),
            last: HashMap::new(),
            log: Vec::new(),
            dropped_calls: Vec::new(),
            faults: Vec::new(),
            is_held: false,
            work,
        };
        let address = listener.local_addr()?;
        let service = Self { address, state: Arc::new(Mutex::new(state)) };
        let serving = service.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let serving = serving.clone();
                tokio::spawn(async move { serving.serve(stream).await });
            }
        });
        Ok(service)
    }

    fn lock(&self) -> MutexGuard<'_, ServiceState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn log(&self) -> Vec<Submission> {
        self.lock().log.clone()
    }

    pub(crate) fn dropped_calls(&self) -> Vec<usize> {
        self.lock().dropped_calls.clone()
    }

    pub(crate) fn submitted_by(&self, process: usize) -> usize {
        self.lock().log.iter().filter(|it| it.process == process).count()
    }

    /// Returns true if a job of the input has completed.
    pub(crate) fn has_completed(&self, input: u64) -> bool {
        let mut state = self.lock();
        state.advance();
        state.jobs.iter().any(|job| job.input == input && job.state == JobState::Completed)
    }

    pub(crate) fn add_fault(&self, fault: ServiceFault, time: Duration) {
        self.lock().faults.push((fault, Instant::now() + time));
    }

    /// Returns true if a fault is still active.
    pub(crate) fn has_faults(&self) -> bool {
        let mut state = self.lock();
        state.advance();
        !state.faults.is_empty()
    }

    /// Ends all faults, and lets jobs end soon.
    pub(crate) fn recover(&self) {
        let mut state = self.lock();
        state.faults.clear();
        state.is_held = false;
        state.work = Duration::from_millis(10);
    }

    /// Keeps all jobs from ending, or lets them end again.
    pub(crate) fn hold(&self, is_held: bool) {
        let mut state = self.lock();
        state.advance();
        state.is_held = is_held;
    }

    async fn serve(&self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let mut stream = BufReader::new(stream);
        while let Ok(Some(request)) = read(&mut stream).await {
            let Reply::Response(status, body) = self.reply(&request) else { return };
            let kind = if body.starts_with('<') { "text/html" } else { "application/json" };
            let head = format!(
                "HTTP/1.1 {status} -\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            if stream.write_all((head + &body).as_bytes()).await.is_err() {
                return;
            }
        }
    }

    fn reply(&self, request: &Request) -> Reply {
        let refused =
            |status: u16, why: &str| Reply::Response(status, json!({"error": why}).to_string());
        let mut state = self.lock();
        state.advance();
        let mut path = request.path.trim_start_matches("/v2/").split('/');
        let (endpoint, operation, id) = (path.next(), path.next(), path.next());
        let fault = |wanted: ServiceFault| state.faults.iter().any(|(fault, _)| *fault == wanted);
        if fault(ServiceFault::Reset) {
            return Reply::Close;
        }
        let is_status = operation == Some("status");
        if fault(ServiceFault::Unavailable) || is_status && fault(ServiceFault::StatusUnavailable) {
            return Reply::Response(502, "<html>bad gateway</html>".to_owned());
        }
        let Some(process) = request.process else { return refused(401, "unknown key") };
        if endpoint != Some(ENDPOINT) {
            return refused(404, "no such endpoint");
        }
        let throttled = fault(ServiceFault::Throttled);
        let lost = fault(ServiceFault::LostSubmissions);
        let job = id.and_then(|id| id.strip_prefix("job-")?.parse::<usize>().ok());
        let known = job.filter(|id| *id < state.jobs.len());
        let record = |id: usize, state: &str| {
            Reply::Response(200, json!({"id": format!("job-{id}"), "status": state}).to_string())
        };
        match (request.method.as_str(), operation, known) {
            ("POST", Some("run"), _) => {
                if throttled {
                    return refused(429, "too many requests");
                }
                let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
                let Some(input) = body["input"]["n"].as_u64() else {
                    return refused(400, "an input without a number");
                };
                let id = state.accept(input, process, lost);
                drop(state);
                if let Some(webhook) = body["webhook"].as_str() {
                    tokio::spawn(self.clone().call(webhook.to_owned(), id, process));
                }
                if lost { Reply::Close } else { record(id, "IN_QUEUE") }
            }
            ("GET", Some("status"), Some(id)) => {
                Reply::Response(200, state.record(id).to_string())
            }
            ("POST", Some("cancel"), Some(id)) => match state.jobs[id].state {
                JobState::Working | JobState::Cancelled => {
                    state.jobs[id].state = JobState::Cancelled;
                    record(id, "CANCELLED")
                }
                _ => refused(400, "the job has ended"),
            },
            ("POST", Some("retry"), Some(id)) if state.jobs[id].state == JobState::Failed => {
                state.jobs[id].state = JobState::Working;
                state.jobs[id].since = Instant::now();
                record(id, "IN_QUEUE")
            }
            ("GET", Some("health"), _) => Reply::Response(
                200,
                json!({"jobs": {"completed": 0, "failed": 0, "inProgress": 0, "inQueue": 0, "retried": 0},
                    "workers": {"idle": 1, "running": 0}})
                .to_string(),
            ),
            (_, Some("retry"), Some(_)) => refused(400, "only a failed job can be retried"),
            _ => refused(404, "no such job"),
        }
    }

    /// Calls a webhook when its job has ended, up to three times. The body follows some time after
    /// the receiver has accepted the call with `100 Continue`.
    async fn call(self, webhook: String, id: usize, process: usize) {
        while self.state(id) == JobState::Working {
            sleep(Duration::from_millis(20)).await;
        }
        for _ in 0..3 {
            let body = self.lock().record(id).to_string();
            match timeout(Duration::from_secs(20), deliver(&webhook, &body, id)).await {
                Ok(Ok(true)) => return,
                Ok(Ok(false)) => {
                    self.lock().dropped_calls.push(process);
                }
                _ => {}
            }
            sleep(Duration::from_secs(1)).await;
        }
    }

    fn state(&self, id: usize) -> JobState {
        let mut state = self.lock();
        state.advance();
        state.jobs[id].state
    }
}

impl ServiceState {
    /// Ends the faults and jobs that are due.
    fn advance(&mut self) {
        let now = Instant::now();
        self.faults.retain(|(_, until)| *until > now);
        if self.is_held {
            return;
        }
        for job in &mut self.jobs {
            if job.state == JobState::Working && now - job.since >= self.work {
                job.state = if fails(job.input) { JobState::Failed } else { JobState::Completed };
            }
        }
    }

    fn accept(&mut self, input: u64, process: usize, lost: bool) -> usize {
        let (id, at) = (self.jobs.len(), Instant::now());
        let previous = self.last.insert(input, id).map(|before| self.jobs[before].state);
        self.jobs.push(Job { input, since: at, state: JobState::Working });
        self.log.push(Submission { input, process, at, lost, previous });
        id
    }

    fn record(&self, id: usize) -> Value {
        let job = &self.jobs[id];
        let mut record = json!({"id": format!("job-{id}"), "delayTime": 1, "executionTime": 1});
        record["status"] = match job.state {
            JobState::Working => json!("IN_PROGRESS"),
            JobState::Completed => json!("COMPLETED"),
            JobState::Failed => json!("FAILED"),
            JobState::Cancelled => json!("CANCELLED"),
        };
        match job.state {
            JobState::Completed => record["output"] = json!({"n": job.input}),
            JobState::Failed => record["error"] = json!("this input fails"),
            _ => {}
        }
        record
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ');
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let path = target.split('?').next().unwrap_or_default().to_owned();
    let (mut length, mut process) = (0, None);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? <= 2 {
            break;
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or_default();
        } else if name.eq_ignore_ascii_case("authorization") {
            process = value.trim().rsplit("key-").next().and_then(|number| number.parse().ok());
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some(Request { method, path, process, body }))
}

/// Calls a webhook. Returns true if it was answered, or `false` if the call was accepted and its
/// connection closed.
async fn deliver(webhook: &str, body: &str, id: usize) -> io::Result<bool> {
    let url = webhook.strip_prefix("http://").unwrap_or(webhook);
    let split = url.find(['/', '?']).unwrap_or(url.len());
    let (host, target) = url.split_at(split);
    let mut stream = BufReader::new(TcpStream::connect(host).await?);
    let head = format!(
        "POST {target} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    if !line.starts_with("HTTP/1.1 100") {
        return if line.is_empty() { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(true) };
    }
    stream.read_line(&mut line).await?;
    // Latency of the network.
    let milliseconds = (id as u64).wrapping_mul(7_919) % 400;
    sleep(Duration::from_millis(milliseconds)).await;
    let mut response = String::new();
    let sent = stream.write_all(body.as_bytes()).await;
    let answered = stream.read_line(&mut response).await;
    Ok(sent.is_ok() && answered.is_ok() && response.starts_with("HTTP/1.1 "))
}
