//! Requests that are sent as they are read: they arrive whole, take little memory, and are repeated
//! only where that is possible.

use std::convert::Infallible;
use std::io::{Error, Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver};
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::iter;
use podqueue::{Client, Part, Upload};

use crate::checks::{said, Checks};
use crate::uploads::Api;

/// Returns the failed checks.
pub async fn failures() -> Vec<String> {
    let mut checks = Checks::default();
    memory(&mut checks).await;
    lengths(&mut checks).await;
    retries(&mut checks).await;
    forms(&mut checks).await;
    checks.0
}

async fn memory(checks: &mut Checks) {
    const CHUNK: usize = 64 * 1024;
    const CHUNKS: usize = 4_096;
    let produced = Arc::new(AtomicUsize::new(0));
    let (server, count) = (Server::start(&["204 No"], &produced), Arc::clone(&produced));
    let chunks = (0..CHUNKS).map(move |_| {
        count.fetch_add(CHUNK, Ordering::SeqCst);
        Ok::<_, Infallible>(vec![b'x'; CHUNK])
    });
    let added = server.api().add_file().body(Upload::stream(iter(chunks))).await;
    checks.same("a large stream", said(added), "Ok(())");
    let request = server.request();
    checks.same("its media type", request.header("content-type"), r#"Some("video/mp4")"#);
    checks.same("its encoding", request.header("transfer-encoding"), r#"Some("chunked")"#);
    checks.same("its bytes", request.filling, &(CHUNK * CHUNKS).to_string());
    // What the buffers of both systems hold, tens of megabytes at most, and no more.
    let is_bounded = request.most_ahead < CHUNK * CHUNKS / 2;
    checks.same(&format!("at most {} bytes ahead", request.most_ahead), is_bounded, "true");
}

async fn lengths(checks: &mut Checks) {
    let server = Server::of(&["204 No"]);
    let put = server.api().put_file(stream(&["some", "more"]).length(8)).await;
    checks.same("a stream of a length", said(put), "Ok(())");
    let request = server.request();
    checks.same("its length", request.header("content-length"), r#"Some("8")"#);
    checks.same("its text", request.text(), r#""somemore""#);
    let short = server.api().put_file(stream(&["some"]).length(8)).await;
    let message = short.map_err(|error| {
        let says = error.to_string().contains("the body is shorter than its stated length of 8 bytes");
        (error.kind(), error.is_retryable(), says)
    });
    checks.same("a stream that is shorter", message, "Err((InvalidRequest, false, true))");
    server.request();
    let long = server.api().put_file(stream(&["some", "more"]).length(5)).await;
    let says = long.map_err(|error| error.to_string().contains("longer than its stated length of 5 bytes"));
    checks.same("a stream that is longer", says, "Err(true)");
    server.request();
    let broken = iter([Ok("some"), Err(Error::other("the disk is gone"))]);
    let broken = server.api().put_file(Upload::stream(broken)).await;
    let error = broken.map_err(|error| (error.kind(), error.is_retryable(), error.field().map(str::to_owned)));
    checks.same("a repeatable call", error, r#"Err((InvalidRequest, false, Some("body")))"#);
    server.request();
    let broken = iter([Ok("some"), Err(Error::other("the disk is gone"))]);
    let broken = server.api().add_file().body(Upload::stream(broken)).await;
    let error = broken.map_err(|error| (error.kind(), format!("{error:?}").contains("the disk is gone")));
    checks.same("a stream with an error", error, "Err((OutcomeUnknown, true))");
    server.request();
    let nothing = server.api().put_file(stream(&[]).length(0)).await;
    checks.same("an empty stream", said(nothing), "Ok(())");
    checks.same("its length", server.request().header("content-length"), r#"Some("0")"#);
}

/// A failure, and then success.
const UNAVAILABLE: [&str; 2] = ["503 No", "204 No"];

async fn retries(checks: &mut Checks) {
    let server = Server::of(&UNAVAILABLE);
    checks.same("bytes", said(server.api().put_file("some").await), "Ok(())");
    let texts = [server.request().text(), server.request().text()];
    checks.same("bytes are sent again", texts, r#"["some", "some"]"#);

    let path = std::env::temp_dir().join(format!("podqueue-uploads-{}", std::process::id()));
    std::fs::write(&path, "a file").expect("a file");
    let server = Server::of(&UNAVAILABLE);
    let file = Upload::file(&path).await.expect("a file");
    checks.same("a file", said(server.api().put_file(file).await), "Ok(())");
    let requests = [server.request(), server.request()];
    let lengths = requests.each_ref().map(|it| it.header("content-length"));
    checks.same("its length", lengths, r#"[Some("6"), Some("6")]"#);
    let texts = requests.each_ref().map(Request::text);
    checks.same("a file is sent again", texts, r#"["a file", "a file"]"#);
    std::fs::remove_file(&path).expect("a file");

    let server = Server::of(&UNAVAILABLE);
    let call = server.api().put_file(stream(&["some"]));
    let sent = call.clone().await.map_err(|error| error.status());
    checks.same("a stream is not sent again", sent, "Err(Some(503))");
    let sent = call.await.map_err(|error| (error.kind(), error.field().map(str::to_owned)));
    checks.same("nor by a clone", sent, r#"Err((InvalidRequest, Some("body")))"#);
    checks.same("its text", server.request().text().contains("some"), "true");
    let sent = server.api().put_file("next").await;
    checks.same("the next request", (said(sent), server.request().text()), r#"(Ok(()), "next")"#);

    let server = Server::of(&UNAVAILABLE);
    let sent = server.api().add_file().body(stream(&["some"])).await;
    checks.same("no repeatable call", sent.map_err(|error| error.kind()), "Err(OutcomeUnknown)");
}

async fn forms(checks: &mut Checks) {
    let server = Server::of(&["204 No"]);
    let film = Part::file("a.mp4", stream(&["fi", "lm"]).length(4));
    checks.same("a form", said(server.api().put_form(film).title("A").await), "Ok(())");
    let request = server.request();
    let length = request.header("content-length").and_then(|it| it.parse().ok());
    checks.same("its length", length == Some(request.body.len()), "true");
    let text = request.text();
    let boundary = text.lines().next().unwrap_or_default().to_owned();
    let text = text.replace(&boundary, "-").replace("\r\n", "|");
    let expected = "-|content-disposition: form-data; name=\"film\"; filename=\"a.mp4\"|\
                    content-type: application/octet-stream||film|\
                    -|content-disposition: form-data; name=\"title\"||A|---|";
    checks.same("its parts", text, &format!("{expected:?}"));
    let film = Part::file("a.mp4", stream(&["film"]));
    checks.same("a shown part", format!("{film:?}").contains("content: a stream"), "true");
    checks.same("a form of unknown length", said(server.api().put_form(film).await), "Ok(())");
    let request = server.request();
    checks.same("its encoding", request.header("transfer-encoding"), r#"Some("chunked")"#);
    checks.same("its end", request.text().ends_with("--\r\n\r\n0\r\n\r\n"), "true");
}

fn stream(chunks: &[&'static str]) -> Upload {
    let chunks: Vec<_> = chunks.iter().map(|it| Ok::<_, Infallible>(*it)).collect();
    Upload::stream(iter(chunks))
}

/// A request.
struct Request {
    head: String,
    /// The body as it was sent; only the end of a large one.
    body: Vec<u8>,
    /// The number of bytes `x` in it.
    filling: usize,
    /// The largest number of bytes that had been produced and had not arrived.
    most_ahead: usize,
}

impl Request {
    fn header(&self, name: &str) -> Option<String> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(": "));
        headers.find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// The end of a body that is sent in chunks.
const END: &[u8] = b"0\r\n\r\n";

/// The size of a body of which not all is kept.
const LARGE: usize = 1 << 20;

/// A server that reads whole requests, and responds with these statuses and then with the last one.
struct Server {
    url: String,
    requests: Receiver<Request>,
}

impl Server {
    fn of(statuses: &'static [&'static str]) -> Self {
        Self::start(statuses, &Arc::default())
    }

    fn start(statuses: &'static [&'static str], produced: &Arc<AtomicUsize>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let produced = Arc::clone(produced);
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let mut stream = stream.expect("a connection");
                stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
                let (mut all, mut arrived, mut filling, mut most_ahead) = (Vec::new(), 0, 0, 0);
                let mut buffer = vec![0; 64 * 1024];
                let mut head = None;
                loop {
                    head = head.or_else(|| end_of_head(&all));
                    if head.is_some_and(|head| is_whole(&all[..head], &all[head..])) {
                        break;
                    }
                    let ahead = produced.load(Ordering::SeqCst).saturating_sub(arrived);
                    most_ahead = most_ahead.max(ahead);
                    let Ok(read @ 1..) = stream.read(&mut buffer) else { break };
                    all.extend_from_slice(&buffer[..read]);
                    arrived += read;
                    filling += buffer[..read].iter().filter(|it| **it == b'x').count();
                    if let Some(head) = head.filter(|_| all.len() > LARGE) {
                        all.drain(head..all.len() - END.len());
                    }
                }
                let status = statuses[number.min(statuses.len() - 1)];
                let reply = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                // A request that broke off is not responded to.
                stream.write_all(reply.as_bytes()).ok();
                let body = all.split_off(head.unwrap_or(all.len()));
                let head = String::from_utf8_lossy(&all).into_owned();
                if sender.send(Request { head, body, filling, most_ahead }).is_err() {
                    break;
                }
            }
        });
        Self { url, requests }
    }

    fn api(&self) -> Api {
        let client = Client::builder().api_key("key").rest_url(&self.url);
        Api::new(&client.build().expect("a client"))
    }

    fn request(&self) -> Request {
        self.requests.recv_timeout(Duration::from_secs(30)).expect("a request")
    }
}

fn end_of_head(all: &[u8]) -> Option<usize> {
    all.windows(4).position(|it| it == b"\r\n\r\n").map(|at| at + 4)
}

fn is_whole(head: &[u8], body: &[u8]) -> bool {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    match length.and_then(|it| it.trim().parse::<usize>().ok()) {
        Some(length) => body.len() >= length,
        None => body.ends_with(END),
    }
}
