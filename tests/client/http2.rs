//! A custom HTTP client that speaks HTTP/2: all calls share one connection with a bounded number of
//! streams, and the peer may refuse a request without processing it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use podqueue::{Client, ErrorKind, RetryPolicy};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::support::{Reply, Script, quick_retries};

/// Longer than any call here takes that has a free stream, also on a busy machine.
const LONG: Duration = Duration::from_secs(20);

/// A custom client as `ClientBuilder::http_client` documents it, but with HTTP/2 only.
fn multiplexing() -> reqwest::Client {
    reqwest::Client::builder()
        .http2_prior_knowledge()
        .retry(reqwest::retry::never())
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .build()
        .unwrap()
}

fn client_of(url: &str, http: reqwest::Client) -> podqueue::ClientBuilder {
    Client::builder().api_key("k").base_url(url).retry(quick_retries()).http_client(http)
}

/// A peer that admits so many requests on a connection, and holds those to `/runsync` and `/openai`
/// open until it is told to let them go.
struct Peer {
    url: String,
    held: Arc<AtomicUsize>,
    most_held: Arc<AtomicUsize>,
    arrived: Arc<AtomicUsize>,
    let_go: watch::Sender<bool>,
}

impl Peer {
    async fn admitting(streams: u32) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (let_go, free) = watch::channel(false);
        let (held, most_held, arrived) = <(Arc<AtomicUsize>, Arc<_>, Arc<_>)>::default();
        let peer = Self {
            url,
            held: Arc::clone(&held),
            most_held: Arc::clone(&most_held),
            arrived: Arc::clone(&arrived),
            let_go,
        };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (held, most_held) = (Arc::clone(&held), Arc::clone(&most_held));
                let (arrived, free) = (Arc::clone(&arrived), free.clone());
                tokio::spawn(async move {
                    let mut builder = h2::server::Builder::new();
                    builder.max_concurrent_streams(streams);
                    let mut connection = builder.handshake::<_, Bytes>(stream).await.unwrap();
                    while let Some(Ok((request, mut respond))) = connection.accept().await {
                        arrived.fetch_add(1, Ordering::SeqCst);
                        let (held, most_held) = (Arc::clone(&held), Arc::clone(&most_held));
                        let mut free = free.clone();
                        tokio::spawn(async move {
                            let path = request.uri().path();
                            if path.ends_with("/runsync") || path.contains("/openai/") {
                                let now = held.fetch_add(1, Ordering::SeqCst) + 1;
                                most_held.fetch_max(now, Ordering::SeqCst);
                                let _ = free.wait_for(|free| *free).await;
                                held.fetch_sub(1, Ordering::SeqCst);
                            }
                            let record = r#"{"id":"j","status":"IN_QUEUE"}"#;
                            let head = http::Response::new(());
                            if let Ok(mut body) = respond.send_response(head, false) {
                                let _ = body.send_data(Bytes::from_static(record.as_bytes()), true);
                            }
                        });
                    }
                });
            }
        });
        peer
    }

    async fn holds(&self, requests: usize) {
        timeout(LONG, async {
            while self.held.load(Ordering::SeqCst) < requests {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await
        .expect("they arrive");
    }
}

#[tokio::test]
async fn calls_that_are_held_open_leave_room_for_all_others() {
    for streams in [100, 10] {
        let peer = Peer::admitting(streams).await;
        let client = client_of(&peer.url, multiplexing()).build().unwrap();
        let endpoint = client.endpoint("ep");
        let held: Vec<_> = (0..400)
            .map(|n| {
                let endpoint = endpoint.clone();
                tokio::spawn(async move { endpoint.run_sync(&json!({"n": n})).await })
            })
            .collect();
        peer.holds(8).await;
        for _ in 0..3 {
            timeout(LONG, endpoint.run(&json!({})).into_future()).await.unwrap().unwrap();
            timeout(LONG, endpoint.job("j").cancel().into_future()).await.unwrap().unwrap();
            timeout(LONG, endpoint.job("j").status().into_future()).await.unwrap().unwrap();
        }
        peer.let_go.send(true).unwrap();
        for call in held {
            timeout(LONG, call).await.unwrap().unwrap().unwrap();
        }
        assert!(peer.most_held.load(Ordering::SeqCst) <= 8);
    }
}

#[tokio::test]
async fn unpolled_held_calls_occupy_no_slot() {
    let peer = Peer::admitting(100).await;
    let client = client_of(&peer.url, multiplexing()).build().unwrap();
    let endpoint = client.endpoint("ep");
    let input = json!({});
    let mut unpolled = Vec::new();
    for _ in 0..20 {
        let mut call = endpoint.run_sync(&input).into_future();
        assert!(futures_util::poll!(&mut call).is_pending());
        unpolled.push(call);
    }
    peer.holds(8).await;
    peer.let_go.send(true).unwrap();
    timeout(LONG, endpoint.run_sync(&input).into_future()).await.unwrap().unwrap();
    for call in unpolled {
        timeout(LONG, call).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_dropped_call_gives_its_place_up() {
    let peer = Peer::admitting(100).await;
    let client = client_of(&peer.url, multiplexing()).build().unwrap();
    let endpoint = client.endpoint("ep");
    let input = json!({});
    for _ in 0..20 {
        let call = endpoint.run_sync(&input).into_future();
        assert!(timeout(Duration::from_millis(5), call).await.is_err());
    }
    peer.let_go.send(true).unwrap();
    timeout(LONG, endpoint.run_sync(&input).into_future()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_submission_that_waited_for_a_free_stream_was_never_sent() {
    let peer = Peer::admitting(1).await;
    let settings = client_of(&peer.url, multiplexing()).timeout(Duration::from_millis(1_500));
    let client = settings.retry(RetryPolicy::never()).build().unwrap();
    let endpoint = client.endpoint("ep");
    // The connection is there, and it is known what it admits.
    endpoint.job("j").status().await.unwrap();
    let holding = endpoint.clone();
    let held = tokio::spawn(async move { holding.run_sync(&json!({})).await });
    peer.holds(1).await;
    let error = endpoint.run(&json!({})).await.unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Connect, true), "{error}");
    assert!(error.to_string().contains("before the HTTP client had sent"), "{error}");
    assert_eq!(peer.arrived.load(Ordering::SeqCst), 2);
    held.abort();
}

#[tokio::test]
async fn over_http_1_held_calls_are_not_bounded() {
    let server =
        Script::then_always([Reply::ok(r#"{"id":"j","status":"IN_QUEUE"}"#)], Reply::Hang).await;
    let http = reqwest::Client::builder().http1_only().build().unwrap();
    let endpoint = server.settings().http_client(http).build().unwrap().endpoint("ep");
    // As soon as a response has shown the version, also for those that wait already.
    endpoint.run_sync(&json!({})).await.unwrap();
    let calls: Vec<_> = (0..40)
        .map(|_| {
            let endpoint = endpoint.clone();
            tokio::spawn(async move { endpoint.run_sync(&json!({})).await })
        })
        .collect();
    timeout(LONG, async {
        while server.requests().len() < 41 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await
    .expect("all are sent");
    calls.iter().for_each(tokio::task::JoinHandle::abort);
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;

async fn write_frame(stream: &mut TcpStream, kind: u8, flags: u8, id: u32, payload: &[u8]) {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(id.to_be_bytes());
    frame.extend(payload);
    stream.write_all(&frame).await.unwrap();
}

async fn read_frame(stream: &mut TcpStream) -> Option<(u8, u8, u32)> {
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.ok()?;
    let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
    stream.read_exact(&mut vec![0; length as usize]).await.ok()?;
    Some((head[3], head[4], u32::from_be_bytes([head[5], head[6], head[7], head[8]])))
}

/// Refusal of a request in HTTP/2 frames, or an end that resembles one.
#[derive(Clone, Copy, Debug)]
enum Refusal {
    RefusedStream,
    GoAway,
    /// The peer does not report the request as unprocessed, and closes the connection.
    GoAwayAfterIt,
    /// The peer has begun to respond.
    ResetAfterItsHead,
    ResetWithoutError,
}

/// A peer that refuses the first `first` requests, accepts later ones, and counts both.
async fn refusing(first: usize, refusal: Refusal) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let arrived = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&arrived);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let counted = Arc::clone(&counted);
            tokio::spawn(async move {
                stream.read_exact(&mut [0; 24]).await.unwrap();
                write_frame(&mut stream, SETTINGS, 0, 0, &[]).await;
                while let Some((kind, flags, id)) = read_frame(&mut stream).await {
                    if kind == SETTINGS && flags == 0 {
                        write_frame(&mut stream, SETTINGS, 1, 0, &[]).await;
                    }
                    if !matches!(kind, HEADERS | DATA) || flags & END_STREAM == 0 {
                        continue;
                    }
                    if counted.fetch_add(1, Ordering::SeqCst) >= first {
                        // `:status: 200`, as an index of the static table.
                        write_frame(&mut stream, HEADERS, 4, id, &[0x88]).await;
                        let record = br#"{"id":"j","status":"IN_QUEUE"}"#;
                        write_frame(&mut stream, DATA, END_STREAM, id, record).await;
                        continue;
                    }
                    match refusal {
                        Refusal::RefusedStream => {
                            write_frame(&mut stream, RST_STREAM, 0, id, &7_u32.to_be_bytes()).await;
                        }
                        Refusal::GoAway => {
                            // None was processed, and there is no error.
                            write_frame(&mut stream, GOAWAY, 0, 0, &[0; 8]).await;
                        }
                        Refusal::GoAwayAfterIt => {
                            let payload = [id.to_be_bytes(), [0; 4]].concat();
                            write_frame(&mut stream, GOAWAY, 0, 0, &payload).await;
                            return;
                        }
                        Refusal::ResetAfterItsHead => {
                            write_frame(&mut stream, HEADERS, 4, id, &[0x88]).await;
                            write_frame(&mut stream, RST_STREAM, 0, id, &7_u32.to_be_bytes()).await;
                        }
                        Refusal::ResetWithoutError => {
                            write_frame(&mut stream, RST_STREAM, 0, id, &[0; 4]).await;
                        }
                    }
                }
            });
        }
    });
    (url, arrived)
}

#[tokio::test]
async fn a_refused_request_arrives_once_without_retries() {
    let careless = || reqwest::Client::builder().http2_prior_knowledge().build().unwrap();
    for refusal in [Refusal::RefusedStream, Refusal::GoAway] {
        // Also where the HTTP client was left to retry as it likes.
        for http in [multiplexing(), careless()] {
            let (url, arrived) = refusing(usize::MAX, refusal).await;
            let client = client_of(&url, http).retry(RetryPolicy::never()).build().unwrap();
            let endpoint = client.endpoint("ep");
            let error =
                timeout(LONG, endpoint.run(&json!({})).into_future()).await.unwrap().unwrap_err();
            assert_eq!(arrived.load(Ordering::SeqCst), 1, "{refusal:?}: {error}");
            let kind = match cfg!(feature = "http2") {
                true => ErrorKind::Connect,
                false => ErrorKind::OutcomeUnknown,
            };
            assert_eq!(error.kind(), kind, "{refusal:?}: {error}");
            let error = endpoint.job("j").cancel().await.unwrap_err();
            assert_eq!(arrived.load(Ordering::SeqCst), 2, "without a body too: {error}");
            endpoint.job("j").status().await.unwrap_err();
            assert_eq!(arrived.load(Ordering::SeqCst), 3);
        }
    }
}

#[cfg(feature = "http2")]
#[tokio::test]
async fn a_request_that_the_peer_refused_is_retried() {
    for refusal in [Refusal::RefusedStream, Refusal::GoAway] {
        let (url, arrived) = refusing(2, refusal).await;
        let endpoint = client_of(&url, multiplexing()).build().unwrap().endpoint("ep");
        let job = timeout(LONG, endpoint.run(&json!({})).into_future()).await.unwrap().unwrap();
        assert_eq!((job.id(), arrived.load(Ordering::SeqCst)), ("j", 3), "{refusal:?}");
    }
}

/// A peer says that it may have processed a request, or that it has, and takes the response back.
#[tokio::test]
async fn a_request_that_the_peer_may_have_processed_is_an_unknown_outcome() {
    for refusal in [Refusal::GoAwayAfterIt, Refusal::ResetAfterItsHead, Refusal::ResetWithoutError]
    {
        let (url, arrived) = refusing(usize::MAX, refusal).await;
        let endpoint = client_of(&url, multiplexing()).build().unwrap().endpoint("ep");
        let run = endpoint.run(&json!({})).into_future();
        let error = timeout(LONG, run).await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{refusal:?}: {error}");
        assert_eq!(arrived.load(Ordering::SeqCst), 1, "{refusal:?}");
    }
}

#[tokio::test]
async fn the_clients_own_http_client_offers_http_1_only() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let hello = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut hello = vec![0; 16 * 1024];
        let length = stream.read(&mut hello).await.unwrap();
        hello.truncate(length);
        hello
    });
    let client = Client::builder().api_key("k").base_url(url).retry(RetryPolicy::never());
    let error = client.build().unwrap().endpoint("ep").run(&json!({})).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    let hello = timeout(LONG, hello).await.unwrap().unwrap();
    let offers = |protocol: &[u8]| hello.windows(protocol.len()).any(|window| window == protocol);
    assert!(!offers(b"\x02h2"), "HTTP/2 is on offer");
}

/// A peer closes the connection with the secrets of the request as what it has to say.
#[tokio::test]
async fn the_message_of_a_peer_that_closes_a_connection_is_redacted() {
    const KEY: &str = "key-canary-0123456789";
    const STORAGE: &str = "storage/canary=\"9876\"";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                stream.read_exact(&mut [0; 24]).await.unwrap();
                write_frame(&mut stream, SETTINGS, 0, 0, &[]).await;
                while let Some((kind, flags, _)) = read_frame(&mut stream).await {
                    if matches!(kind, HEADERS | DATA) && flags & END_STREAM != 0 {
                        // The last stream is 0, the error 1.
                        let mut payload = vec![0, 0, 0, 0, 0, 0, 0, 1];
                        payload.extend(format!("you sent {KEY} and {STORAGE}").bytes());
                        write_frame(&mut stream, GOAWAY, 0, 0, &payload).await;
                    }
                }
            });
        }
    });
    let settings = client_of(&url, multiplexing()).api_key(KEY).retry(RetryPolicy::never());
    let endpoint = settings.build().unwrap().endpoint("ep");
    let storage = podqueue::S3Config::new("id", STORAGE, "b", "https://storage.example");
    let run = endpoint.run(&json!({})).s3_config(storage).into_future();
    let error = timeout(LONG, run).await.unwrap().unwrap_err();
    let mut shown = format!("{error} {error:?}");
    let mut source = std::error::Error::source(&error);
    while let Some(beneath) = source {
        shown.push_str(&format!("\n{beneath} {beneath:?}"));
        source = beneath.source();
    }
    assert!(shown.contains("you sent [redacted] and [redacted]"), "{shown}");
    assert!(!shown.contains("canary"), "{shown}");
}
