//! Server with the part of S3's interface that batches use, and with faults.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podqueue_batch::Object;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Parts of secrets, which no text may contain.
pub const CANARY: &str = "canary";

/// Fault of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A status and the body of an error.
    Status(u16, String),
    /// The connection is closed before the request has an effect.
    Interrupted,
    /// The request has its effect, and the connection is closed.
    LostResponse,
    /// The response takes this long.
    Slow(Duration),
    /// The response ends in the middle.
    Cut,
    /// The request has its effect or not, and nothing responds.
    Hang {
        applied: bool,
    },
}

/// Decides about the fault of a request by its method, the name of its object, and its range.
type OnRequest = Box<dyn FnMut(&str, &str, &str) -> Fault + Send>;

#[derive(Default)]
struct State {
    objects: BTreeMap<String, Vec<u8>>,
    on_request: Option<OnRequest>,
}

#[derive(Clone)]
pub struct Server {
    url: String,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::<Mutex<State>>::default();
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let state = Arc::clone(&shared);
                // Clients close their connections as they like.
                tokio::spawn(async move { drop(serve(stream, state).await) });
            }
        });
        Self { url, state }
    }

    /// An object of the bucket `bucket`, with credentials that must be kept secret.
    pub fn object(&self, name: &str) -> Object {
        self.patient(name, Duration::from_secs(30))
    }

    pub fn patient(&self, name: &str, outage_timeout: Duration) -> Object {
        let settings = [
            ("AWS_ENDPOINT_URL", self.url.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "canary-id"),
            ("AWS_SECRET_ACCESS_KEY", "canary-secret"),
            ("AWS_SESSION_TOKEN", "canary-token"),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let url = format!("s3://bucket/{name}");
        Object::with_outage_timeout(&url, settings.into(), outage_timeout).unwrap()
    }

    pub fn on_request(&self, decide: impl FnMut(&str, &str, &str) -> Fault + Send + 'static) {
        self.state.lock().unwrap().on_request = Some(Box::new(decide));
    }

    pub fn without_faults(&self) {
        self.state.lock().unwrap().on_request = None;
    }

    pub fn put(&self, name: &str, content: impl Into<Vec<u8>>) {
        self.state.lock().unwrap().objects.insert(name.to_owned(), content.into());
    }

    pub fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.state.lock().unwrap().objects.get(name).cloned()
    }

    /// The objects whose names begin with this, by name.
    pub fn all(&self, prefix: &str) -> BTreeMap<String, Vec<u8>> {
        let objects = self.state.lock().unwrap().objects.clone();
        objects.into_iter().filter(|(name, _)| name.starts_with(prefix)).collect()
    }
}

struct Request {
    method: String,
    name: String,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

struct Response {
    status: u16,
    headers: String,
    body: Vec<u8>,
}

async fn serve(stream: TcpStream, state: Arc<Mutex<State>>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await? {
        let range = request.headers.get("range").cloned().unwrap_or_default();
        let fault = match &mut state.lock().unwrap().on_request {
            Some(decide) => decide(&request.method, &request.name, &range),
            None => Fault::None,
        };
        let respond = || respond(&mut state.lock().unwrap().objects, &request);
        let response = match fault {
            Fault::Status(status, ref body) => {
                Response { status, headers: String::new(), body: body.clone().into_bytes() }
            }
            Fault::Interrupted => return Ok(()),
            Fault::LostResponse => {
                respond();
                return Ok(());
            }
            Fault::Hang { applied } => {
                if applied {
                    respond();
                }
                std::future::pending().await
            }
            Fault::Slow(time) => {
                tokio::time::sleep(time).await;
                respond()
            }
            Fault::None | Fault::Cut => respond(),
        };
        let head = format!(
            "HTTP/1.1 {} status\r\ncontent-length: {}\r\nlast-modified: Fri, 01 May 2026 00:00:00 GMT\r\n{}\r\n",
            response.status,
            response.body.len(),
            response.headers,
        );
        stream.write_all(head.as_bytes()).await?;
        let length = match (&fault, request.method.as_str()) {
            (_, "HEAD") => 0,
            (Fault::Cut, _) => response.body.len() / 2,
            _ => response.body.len(),
        };
        stream.write_all(&response.body[..length]).await?;
        stream.flush().await?;
        if fault == Fault::Cut {
            return Ok(());
        }
    }
    Ok(())
}

async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ');
    let method = words.next().unwrap().to_owned();
    let path = words.next().unwrap().split('?').next().unwrap();
    let name = path.strip_prefix("/bucket/").unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        headers.insert(name.to_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some(Request { method, name, headers, body }))
}

fn respond(objects: &mut BTreeMap<String, Vec<u8>>, request: &Request) -> Response {
    let Request { method, name, headers, body } = request;
    let header = |name: &str| headers.get(name).map(String::as_str);
    let refuse = |status, code: &str| {
        let body = format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code></Error>");
        Response { status, headers: String::new(), body: body.into_bytes() }
    };
    let etag = |content: &[u8]| {
        format!(
            "\"{}\"",
            content
                .iter()
                .fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)))
        )
    };
    if method == "PUT" {
        if header("if-none-match") == Some("*") && objects.contains_key(name) {
            return refuse(412, "PreconditionFailed");
        }
        objects.insert(name.clone(), body.clone());
        let headers = format!("etag: {}\r\n", etag(body));
        return Response { status: 200, headers, body: Vec::new() };
    }
    let Some(content) = objects.get(name) else { return refuse(404, "NoSuchKey") };
    let etag = etag(content);
    if header("if-match").is_some_and(|expected| expected != etag) {
        return refuse(412, "PreconditionFailed");
    }
    let mut headers = format!("etag: {etag}\r\n");
    let Some(range) = header("range").and_then(|range| range.strip_prefix("bytes=")) else {
        return Response { status: 200, headers, body: content.clone() };
    };
    let (start, end) = range.split_once('-').unwrap();
    let start: usize = start.parse().unwrap();
    let end = end.parse().map_or(content.len(), |end: usize| (end + 1).min(content.len()));
    headers += &format!("content-range: bytes {start}-{}/{}\r\n", end - 1, content.len());
    Response { status: 206, headers, body: content[start..end].to_vec() }
}
