//! HTTP server for the calls.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{channel, Receiver};
use std::time::Duration;

use podqueue::Client;

/// The number of requests that a server responds to; later ones get status 400, which is final.
const MOST_REQUESTS: usize = 100;

/// How long a check waits for a request that was not sent.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A server of one response, which records the requests.
pub struct Server {
    url: String,
    requests: Receiver<String>,
}

impl Server {
    /// Responds with this JSON, or with 204 where it is empty.
    pub fn start(json: &str) -> Self {
        match json {
            "" => Self::responding("204 No Content", "", ""),
            json => Self::responding("200 OK", "application/json", json),
        }
    }

    /// Responds with a status, a content type and a body, on a free port of this machine.
    pub fn responding(status: &str, content_type: &str, body: &str) -> Self {
        let content_type = match content_type {
            "" => String::new(),
            media => format!("content-type: {media}"),
        };
        Self::replying(&[(status, &content_type, body)])
    }

    /// Responds with these in turn, each a status, a header or none, and a body, and then with the
    /// last one. The number of requests is limited, so that pages without an end fail a check.
    pub fn replying(replies: &[(&str, &str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let replies: Vec<_> = replies
            .iter()
            .map(|(status, header, body)| {
                let (header, length) = (header.trim_end(), body.len());
                let header = if header.is_empty() { String::new() } else { format!("{header}\r\n") };
                format!(
                    "HTTP/1.1 {status}\r\n{header}\
                     content-length: {length}\r\nconnection: close\r\n\r\n{body}"
                )
            })
            .collect();
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            let last = replies.len() - 1;
            for (number, stream) in listener.incoming().enumerate() {
                let reply = match number {
                    ..MOST_REQUESTS => &replies[number.min(last)],
                    _ => "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
                };
                let mut stream = stream.expect("a connection");
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                while !is_whole(&request) {
                    match stream.read(&mut buffer) {
                        Ok(read @ 1..) => request.extend_from_slice(&buffer[..read]),
                        _ => break,
                    }
                }
                stream.write_all(reply.as_bytes()).expect("somebody listens");
                if sender.send(String::from_utf8_lossy(&request).into_owned()).is_err() {
                    break;
                }
            }
        });
        Self { url, requests }
    }

    /// A client of this server.
    pub fn client(&self) -> Client {
        let client = Client::builder().api_key("key").rest_url(&self.url).graphql_url(&self.url);
        client.build().expect("a client")
    }

    /// Base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The request line without its version, and the body.
    pub fn request(&self) -> (String, String) {
        let (head, body) = self.whole_request();
        let line = head.lines().next().unwrap_or_default();
        (line.trim_end_matches(" HTTP/1.1").to_owned(), body)
    }

    /// A header of the next request, and its body.
    pub fn header_and_body(&self, name: &str) -> (String, String) {
        let (head, body) = self.whole_request();
        let header = head.lines().find_map(|line| {
            let (header, value) = line.split_once(": ")?;
            header.eq_ignore_ascii_case(name).then(|| value.to_owned())
        });
        (header.unwrap_or_default(), body)
    }

    /// The head and the body of the next request.
    pub fn whole_request(&self) -> (String, String) {
        let request = self.requests.recv_timeout(LONGEST_WAIT).expect("a request");
        let (head, body) = request.split_once("\r\n\r\n").unwrap_or((&request, ""));
        (head.to_owned(), body.to_owned())
    }
}

fn is_whole(request: &[u8]) -> bool {
    let request = String::from_utf8_lossy(request).to_ascii_lowercase();
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    body.len() >= length.and_then(|it| it.trim().parse().ok()).unwrap_or(0)
}
