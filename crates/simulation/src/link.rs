//! Link: a proxy between a client and a server in one process, which delays, splits, loses and
//! truncates exchanges and resets connections, in virtual time and from the seed.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

use crate::trace::Trace;

/// Fault of an exchange.
#[derive(Clone, Copy, Debug)]
enum Fault {
    None,
    /// The request is late.
    Late(Duration),
    /// The connection is reset, and the request not delivered.
    Refused,
    /// The request is not delivered, and there is no response.
    LostRequest,
    /// The request is delivered, and the connection reset instead of a response.
    LostResponse,
    /// The request is delivered, and there is no response.
    Silence,
    /// The response ends early, and the connection with it.
    Truncated,
    /// The response comes in pieces, with pauses.
    Split(Duration),
    /// The link responds with this status; the request is not delivered.
    Status(u16),
}

/// Longest silence: longer than any timeout of a client.
const SILENCE: Duration = Duration::from_secs(15 * 60);

/// Longest way of a request to an account with shared limits: within the lease of the permits of a
/// process that dies meanwhile, plus a quarter of a second, the request no longer counts.
const MAX_TRANSIT: Duration = Duration::from_millis(200);

/// The pause that an injected 429 asks for.
const RETRY_AFTER: Duration = Duration::from_secs(20);

/// The requests that got an injected 429, and when they can be repeated.
type Throttled = Arc<Mutex<BTreeMap<String, Instant>>>;

type Arrives = dyn Fn(&str, &str) + Send + Sync;

type Delivered = dyn Fn(&str, &[u8], Option<u16>, &[u8]) + Send + Sync;

/// Settings of a link.
#[derive(Clone)]
pub(crate) struct LinkSettings {
    /// Name in the trace.
    pub(crate) name: String,
    /// Exchanges that fail, in thousandths.
    pub(crate) faults: u32,
    /// The key that replaces those of all callers, which then share the limits of its account.
    pub(crate) account: Option<String>,
    /// The server to which requests go. Returns `None` for a server that is not there.
    pub(crate) to: Arc<dyn Fn() -> Option<SocketAddr> + Send + Sync>,
    /// Is told each request when it arrives: the key of its caller, and its path.
    pub(crate) arrives: Arc<Arrives>,
    /// Returns true if nothing passes, given the key of the caller: it is dead, or cut off.
    pub(crate) is_cut: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// Returns true if the caller with this key must not repeat a request before `Retry-After`.
    pub(crate) respects_retry_after: fn(&str) -> bool,
    /// Is told each request that is delivered and its response: path, body, status, response.
    pub(crate) delivered: Arc<Delivered>,
}

/// Opens a link, and returns its address. It ends with the runtime.
pub(crate) async fn open(settings: LinkSettings, trace: Trace) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let throttled = Throttled::default();
    tokio::spawn(async move {
        while let Ok((down, _)) = listener.accept().await {
            let (settings, throttled, trace) =
                (settings.clone(), Arc::clone(&throttled), trace.clone());
            tokio::spawn(async move {
                // A connection that breaks is what links are for.
                let _ = connection(down, &settings, &throttled, &trace).await;
            });
        }
    });
    Ok(address)
}

fn draw(random: &mut fastrand::Rng, faults: u32) -> Fault {
    if random.u32(..1_000) >= faults {
        return match random.u32(..10) {
            0 => Fault::Late(Duration::from_millis(random.u64(1..400))),
            _ => Fault::None,
        };
    }
    match random.u32(..15) {
        0 => Fault::Late(Duration::from_millis(random.u64(400..8_000))),
        1 | 2 => Fault::Refused,
        3 => Fault::LostRequest,
        4 | 5 => Fault::LostResponse,
        6 => Fault::Silence,
        7 => Fault::Truncated,
        8 => Fault::Split(Duration::from_millis(random.u64(1..3_000))),
        9..=12 => Fault::Status(429),
        13 => Fault::Status(503),
        _ => Fault::Status(*random.choice([500, 502, 504, 520].as_slice()).unwrap_or(&502)),
    }
}

fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

async fn connection(
    mut down: TcpStream,
    settings: &LinkSettings,
    throttled: &Throttled,
    trace: &Trace,
) -> io::Result<()> {
    down.set_nodelay(true)?;
    let (mut up, mut before, mut byte) = (None, Vec::new(), [0]);
    while let Some(request) = read(&mut down, &mut before, false).await? {
        let key = header(&request, "authorization").unwrap_or_default();
        let key = key.trim_start_matches("bearer ").to_owned();
        let cut = (settings.is_cut)(&key);
        let fault = if cut { Fault::Refused } else { trace.random(|it| draw(it, settings.faults)) };
        let line = first_line(&request);
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        trace.count_request();
        let call = format!("{key} {line} {:x}", digest(&request[body_at(&request)..]));
        let until = throttled.lock().unwrap_or_else(PoisonError::into_inner).remove(&call);
        let is_early = until.is_some_and(|until| until > Instant::now());
        if is_early && (settings.respects_retry_after)(&key) {
            trace.violated(format_args!("{call} is repeated before Retry-After"));
        }
        trace.note(format_args!("{} {key} {line} {fault:?}", settings.name));
        (settings.arrives)(&key, &path);
        match fault {
            // Once its caller has left, no client would know of the retry.
            Fault::Late(time) if path.contains("/retry/") => tokio::select! {
                biased;
                _ = down.peek(&mut byte) => return Ok(()),
                () = sleep(time.min(MAX_TRANSIT)) => {}
            },
            Fault::Late(time) if settings.account.is_some() => sleep(time.min(MAX_TRANSIT)).await,
            Fault::Late(time) => sleep(time).await,
            Fault::Refused => return reset(down),
            Fault::LostRequest => {
                sleep(SILENCE).await;
                return reset(down);
            }
            Fault::Status(status) => {
                let mut retry = String::new();
                if status == 429 {
                    let until = Instant::now() + RETRY_AFTER;
                    throttled.lock().unwrap_or_else(PoisonError::into_inner).insert(call, until);
                    retry = format!("retry-after: {}\r\n", RETRY_AFTER.as_secs());
                }
                let body = r#"{"error":"injected by the link"}"#;
                let response = format!(
                    "HTTP/1.1 {status} Injected\r\ncontent-type: application/json\r\n{retry}content-length: {}\r\n\r\n{body}",
                    body.len()
                );
                down.write_all(response.as_bytes()).await?;
                continue;
            }
            _ => {}
        }
        let body = &request[body_at(&request)..];
        let sent = match &settings.account {
            Some(account) => with_key(&request, account),
            None => request.clone(),
        };
        // Until the connection to the service is closed, too, the request is in flight.
        let response = if path.contains("/runsync") {
            tokio::select! {
                biased;
                response = exchange(&mut up, settings, &sent) => response,
                _ = down.peek(&mut byte) => return Ok(()),
            }
        } else {
            exchange(&mut up, settings, &sent).await
        };
        let status = response.as_deref().and_then(status_of);
        let content = response.as_deref().map_or(&[][..], |it| &it[body_at(it)..]);
        (settings.delivered)(&path, body, status, content);
        trace.note(format_args!("{} {key} {path} is {status:?}", settings.name));
        let Some(response) = response else { return reset(down) };
        match fault {
            Fault::LostResponse => return reset(down),
            Fault::Silence => {
                sleep(SILENCE).await;
                return reset(down);
            }
            _ if (settings.is_cut)(&key) => return reset(down),
            Fault::Truncated => {
                down.write_all(&response[..response.len() * 2 / 3]).await?;
                return Ok(());
            }
            Fault::Split(pause) => {
                for piece in response.chunks(response.len() / 4 + 1) {
                    down.write_all(piece).await?;
                    sleep(pause).await;
                }
            }
            _ => down.write_all(&response).await?,
        }
    }
    Ok(())
}

/// Sends a request to the server, on the connection of the request before.
async fn exchange(
    up: &mut Option<TcpStream>,
    settings: &LinkSettings,
    request: &[u8],
) -> Option<Vec<u8>> {
    // The server closes connections that were idle for too long.
    for _ in 0..2 {
        let is_new = up.is_none();
        if is_new {
            let stream = TcpStream::connect((settings.to)()?).await.ok()?;
            stream.set_nodelay(true).ok()?;
            *up = Some(stream);
        }
        let stream = up.as_mut()?;
        // An idle connection that the server has closed reads as ended, before anything is sent.
        if !is_new && stream.try_read(&mut [0]).is_ok() {
            *up = None;
            continue;
        }
        stream.write_all(request).await.ok()?;
        return match read(stream, &mut Vec::new(), true).await {
            Ok(Some(response)) => {
                if header(&response, "connection").is_some_and(|it| it == "close") {
                    *up = None;
                }
                Some(response)
            }
            _ => {
                *up = None;
                None
            }
        };
    }
    None
}

fn reset(stream: TcpStream) -> io::Result<()> {
    stream.set_zero_linger()
}

/// Reads a message: its head, and its body by length or in chunks.
async fn read(
    stream: &mut TcpStream,
    before: &mut Vec<u8>,
    is_response: bool,
) -> io::Result<Option<Vec<u8>>> {
    let mut message = std::mem::take(before);
    loop {
        if let Some(length) = length(&message, is_response) {
            *before = message.split_off(length);
            return Ok(Some(message));
        }
        let mut piece = [0; 16 * 1024];
        match stream.read(&mut piece).await? {
            0 if message.is_empty() => return Ok(None),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => message.extend_from_slice(&piece[..read]),
        }
    }
}

/// Number of bytes of the message at the front, once all of them are there.
fn length(message: &[u8], is_response: bool) -> Option<usize> {
    let head = find(message, b"\r\n\r\n")? + 4;
    let has_none = is_response && matches!(status_of(message), Some(204 | 304));
    if has_none {
        return Some(head);
    }
    if header(message, "transfer-encoding").is_some() {
        let end = find(&message[head - 2..], b"\r\n0\r\n\r\n")?;
        return Some(head - 2 + end + 7);
    }
    let body = header(message, "content-length").map_or(0, |it| it.parse().unwrap_or(0));
    (message.len() >= head + body).then_some(head + body)
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn body_at(message: &[u8]) -> usize {
    find(message, b"\r\n\r\n").map_or(message.len(), |at| at + 4)
}

fn first_line(message: &[u8]) -> String {
    let end = find(message, b"\r\n").unwrap_or(message.len());
    let line = String::from_utf8_lossy(&message[..end]).into_owned();
    line.trim_end_matches(" HTTP/1.1").to_owned()
}

fn status_of(message: &[u8]) -> Option<u16> {
    first_line(message).split(' ').nth(1)?.parse().ok()
}

fn header(message: &[u8], name: &str) -> Option<String> {
    let head = String::from_utf8_lossy(&message[..body_at(message)]).into_owned();
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(found, _)| found.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.trim().to_ascii_lowercase())
}

/// The request with another key.
fn with_key(request: &[u8], key: &str) -> Vec<u8> {
    let (head, body) = request.split_at(body_at(request));
    let head = String::from_utf8_lossy(head);
    let lines = head.split_inclusive("\r\n").map(|line| {
        let is_it = line.to_ascii_lowercase().starts_with("authorization:");
        if is_it { format!("authorization: Bearer {key}\r\n") } else { line.to_owned() }
    });
    [lines.collect::<String>().as_bytes(), body].concat()
}

/// Serves requests with a function that is given path and body and returns a status.
pub(crate) async fn serve<F, Fut>(respond: F) -> io::Result<SocketAddr>
where
    F: Fn(String, Vec<u8>) -> Fut + Clone + Send + 'static,
    Fut: Future<Output = u16> + Send,
{
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let respond = respond.clone();
            tokio::spawn(async move {
                let mut before = Vec::new();
                while let Ok(Some(request)) = read(&mut stream, &mut before, false).await {
                    let line = first_line(&request);
                    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
                    let body = request[body_at(&request)..].to_vec();
                    let status = respond(path, body).await;
                    let response = format!("HTTP/1.1 {status} Status\r\ncontent-length: 0\r\n\r\n");
                    if stream.write_all(response.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    Ok(address)
}
