//! Scripted server: returns a sequence of responses and records the requests, byte for byte.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use podqueue::{Client, ClientBuilder, Endpoint, Polling, RateLimits, RetryPolicy};
use podqueue_local::LocalService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tracing::Dispatch;
use tracing::subscriber::{DefaultGuard, NoSubscriber};
use tracing_subscriber::fmt::format::FmtSpan;

/// The API key that the tests' clients use. In a URL it has another form.
pub const KEY: &str = "key-canary+5f2b=";

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// Path and query as they stood in the request line.
    pub target: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

/// Action of the server on a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Responds.
    Answer { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// Responds with the whole request, as the text of an error in this field.
    Echo { status: u16, field: &'static str },
    /// Responds with a reply that is computed from the request.
    Made(Maker),
    /// Closes the connection without a response.
    Close,
    /// Truncates the body of a response: announces more than it sends, and closes the connection.
    CutOff(Box<Reply>),
    /// Truncates the body of a response, and keeps the connection open.
    Stall(Box<Reply>),
    /// Never responds.
    Hang,
    /// Delays the reply.
    Late { after: Duration, reply: Box<Reply> },
}

/// Reply computed from the request.
#[derive(Clone)]
pub struct Maker(Arc<dyn Fn(&Request) -> Reply + Send + Sync>);

impl std::fmt::Debug for Maker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Maker")
    }
}

impl Reply {
    pub fn made(make: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::Made(Maker(Arc::new(make)))
    }

    pub fn json(status: u16, body: impl ToString) -> Self {
        let headers = vec![("content-type", "application/json".to_owned())];
        Self::Answer { status, headers, body: body.to_string() }
    }

    pub fn ok(body: impl ToString) -> Self {
        Self::json(200, body)
    }

    /// Resolves a computed reply for the last request.
    fn resolve(self, state: &State) -> Self {
        let requests = locked(&state.requests);
        match (self, requests.last()) {
            (Self::Echo { status, field }, last) => {
                let request = format!("you sent {last:?}");
                Self::json(status, serde_json::json!({field: [{"message": request}], "data": null}))
            }
            (Self::Made(maker), Some(request)) => (maker.0)(request),
            (other, _) => other,
        }
    }

    pub fn cut_off(self) -> Self {
        Self::CutOff(Box::new(self))
    }

    pub fn stalled(self) -> Self {
        Self::Stall(Box::new(self))
    }

    pub fn late(self, after: Duration) -> Self {
        Self::Late { after, reply: Box::new(self) }
    }

    pub fn header(mut self, name: &'static str, value: impl ToString) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.push((name, value.to_string()));
        }
        self
    }
}

/// A scripted server. It stops when it is dropped.
pub struct Script {
    url: String,
    state: Arc<State>,
    accepting: JoinHandle<()>,
    /// Keeps the port once connections are refused.
    refused: OnceLock<RefusedAddress>,
}

type Answer = dyn Fn(&Request) -> Reply + Send + Sync;

struct State {
    replies: Mutex<VecDeque<Reply>>,
    /// The reply after the end of the sequence.
    rest: Option<Box<Answer>>,
    requests: Mutex<Vec<Request>>,
    connections: Mutex<usize>,
    open: Mutex<Open>,
}

/// Number of requests without a response.
#[derive(Default)]
struct Open {
    now: usize,
    most: usize,
}

/// A socket that is bound and does not listen yet. Another socket may be bound to its address, but
/// only by name: no server gets its port by chance.
fn bound(address: &str) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket");
    #[cfg(unix)]
    socket.set_reuseport(true).expect("a port that can be kept");
    socket.bind(address.parse().expect("an address")).expect("a free port");
    socket
}

/// An address that refuses connections. Its port stays bound, or the server of another test might
/// get it, and the requests with it.
pub struct RefusedAddress(TcpSocket);

impl RefusedAddress {
    pub fn new() -> Self {
        Self(bound("127.0.0.1:0"))
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().expect("an address"))
    }
}

impl Script {
    /// Answers these replies in order, and after them a readable failure.
    pub async fn of(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::start(replies, None).await
    }

    /// Replies with the result of this function.
    pub async fn by(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::start([], Some(Box::new(answer))).await
    }

    /// Replies with these in order, and then with `rest` repeatedly.
    pub async fn then_always(replies: impl IntoIterator<Item = Reply>, rest: Reply) -> Self {
        Self::start(replies, Some(Box::new(move |_| rest.clone()))).await
    }

    async fn start(replies: impl IntoIterator<Item = Reply>, rest: Option<Box<Answer>>) -> Self {
        let listener = bound("127.0.0.1:0").listen(1024).expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(State {
            replies: Mutex::new(replies.into_iter().collect()),
            rest,
            requests: Mutex::default(),
            connections: Mutex::default(),
            open: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *locked(&shared.connections) += 1;
                tokio::spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { url, state, accepting, refused: OnceLock::new() }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// The requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Request> {
        locked(&self.state.requests).clone()
    }

    /// The one request that came.
    pub fn request(&self) -> Request {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "one request was expected: {requests:#?}");
        requests.remove(0)
    }

    /// The request lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.requests().iter().map(Request::line).collect()
    }

    /// Number of connections that were made.
    pub fn connections(&self) -> usize {
        *locked(&self.state.connections)
    }

    /// Accepts no connection from now on. Those that exist continue.
    pub async fn refuse_connections(&self) {
        let address = self.url.strip_prefix("http://").expect("the address of this server");
        self.refused.get_or_init(|| RefusedAddress(bound(address)));
        self.accepting.abort();
        while !self.accepting.is_finished() {
            tokio::task::yield_now().await;
        }
    }

    /// Maximum number of requests without a response at the same time.
    pub fn most_at_once(&self) -> usize {
        locked(&self.state.open).most
    }

    /// The settings of a client of this server, for all interfaces, with quick retries and polls.
    pub fn settings(&self) -> ClientBuilder {
        let settings = Client::builder();
        #[cfg(feature = "account")]
        let settings = settings.account_url(self.url());
        settings
            .api_key(KEY)
            .base_url(self.url())
            .rest_url(self.url())
            .graphql_url(format!("{}/graphql", self.url()))
            .retry(quick_retries())
            .polling(quick_polling())
            .rate_limits(RateLimits::off())
    }

    pub fn client(&self) -> Client {
        self.settings().build().expect("usable settings")
    }

    /// An endpoint named `ep` of this server.
    pub fn endpoint(&self) -> Endpoint {
        self.client().endpoint("ep")
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

pub fn quick_retries() -> RetryPolicy {
    let moment = Duration::from_millis(1);
    RetryPolicy::new().base(moment).throttled_base(moment)
}

pub fn quick_polling() -> Polling {
    Polling::new().initial_interval(Duration::from_millis(1)).max_interval(Duration::from_millis(5))
}

/// A client of a local service, with quick retries and polls.
pub fn client_of(local: &LocalService) -> Client {
    let settings = Client::builder().api_key(local.api_key()).base_url(local.base_url());
    settings.retry(quick_retries()).polling(quick_polling()).build().expect("usable settings")
}

/// Waits for a condition.
#[cfg(any(feature = "account", feature = "webhook"))]
pub async fn until(so: impl Fn() -> bool) {
    for _ in 0..5_000 {
        if so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    panic!("it never became so");
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no test panics while it holds the lock")
}

async fn serve(mut stream: TcpStream, state: Arc<State>) {
    let mut buffer = Vec::new();
    while let Some(request) = read_request(&mut stream, &mut buffer).await {
        let line = request.line();
        locked(&state.requests).push(request.clone());
        let next = locked(&state.replies).pop_front();
        let next = next.or_else(|| state.rest.as_ref().map(|answer| answer(&request)));
        let unexpected = || Reply::json(418, format!(r#"{{"error":"not in the script: {line}"}}"#));
        let mut reply = next.unwrap_or_else(unexpected);
        {
            let mut open = locked(&state.open);
            open.now += 1;
            open.most = open.most.max(open.now);
        }
        if let Reply::Late { after, reply: meant } = reply {
            tokio::time::sleep(after).await;
            reply = *meant;
        }
        // Before the response: the client may send the next request at once.
        if !matches!(reply, Reply::Hang) {
            locked(&state.open).now -= 1;
        }
        match reply.resolve(&state) {
            Reply::Answer { status, headers, body } => {
                let text = written(status, &headers, &body, body.len());
                if stream.write_all(text.as_bytes()).await.is_err() {
                    return;
                }
            }
            Reply::CutOff(answer) => {
                let _ = stream.write_all(with_more_to_come(*answer).as_bytes()).await;
                return;
            }
            Reply::Stall(answer) => {
                let _ = stream.write_all(with_more_to_come(*answer).as_bytes()).await;
                std::future::pending().await
            }
            Reply::Close | Reply::Echo { .. } | Reply::Made(_) | Reply::Late { .. } => return,
            Reply::Hang => std::future::pending().await,
        }
    }
}

fn written(status: u16, headers: &[(&str, String)], body: &str, length: usize) -> String {
    let mut text = format!("HTTP/1.1 {status} Scripted\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str(&format!("content-length: {length}\r\n\r\n{body}"));
    text
}

/// A response that announces a longer body than it has.
fn with_more_to_come(answer: Reply) -> String {
    match answer {
        Reply::Answer { status, headers, body } => {
            written(status, &headers, &body, body.len() + 100)
        }
        other => panic!("{other:?} is no answer"),
    }
}

async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Request> {
    let head_end = loop {
        if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(buffer[..head_end].to_vec()).expect("an ASCII head");
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<_> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().expect("a length"));
    while buffer.len() < head_end + length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8(buffer[head_end..head_end + length].to_vec()).expect("UTF-8");
    buffer.drain(..head_end + length);
    Some(Request { method, target, headers, body })
}

/// Text that is written from anywhere.
#[derive(Clone, Default)]
pub struct Printed(Arc<Mutex<Vec<u8>>>);

impl Printed {
    pub fn note(&self, text: &str) {
        self.0.lock().unwrap().extend_from_slice(text.as_bytes());
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Recording of the spans that this thread closes, until it is stopped.
pub struct ClosedSpans {
    printed: Printed,
    default: DefaultGuard,
    /// Without a second subscriber, tracing decides by the default of the thread that first reaches
    /// a span whether it is ever of interest: that of another test is none.
    second: Dispatch,
}

impl ClosedSpans {
    pub fn record() -> Self {
        let printed = Printed::default();
        let writer = printed.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::DEBUG)
            .with_span_events(FmtSpan::CLOSE)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        let default = tracing::subscriber::set_default(subscriber);
        Self { printed, default, second: Dispatch::new(NoSubscriber::new()) }
    }

    /// Returns what was recorded so far.
    pub fn text(&self) -> String {
        self.printed.text()
    }

    /// Stops the recording, and returns a line for each span.
    pub fn stop(self) -> Vec<String> {
        let Self { printed, default, second } = self;
        drop((default, second));
        printed.text().lines().filter(|line| line.contains(" close ")).map(str::to_owned).collect()
    }
}
