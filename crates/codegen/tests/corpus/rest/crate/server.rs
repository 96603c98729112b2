//! A server for calls over HTTP.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{channel, Receiver};

use podqueue::Client;

/// A server that gives one answer, and says what it was asked.
pub struct Server {
    url: String,
    requests: Receiver<String>,
}

impl Server {
    /// On a free port of this machine.
    pub fn start(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it has an address"));
        let (sender, requests) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut request = Vec::new();
                let mut buffer = [0; 4096];
                while !is_whole(&request) {
                    match stream.read(&mut buffer) {
                        Ok(read @ 1..) => request.extend_from_slice(&buffer[..read]),
                        _ => break,
                    }
                }
                let status = if answer.is_empty() { "204 No Content" } else { "200 OK" };
                let length = answer.len();
                let reply = format!(
                    "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n\
                     content-length: {length}\r\nconnection: close\r\n\r\n{answer}"
                );
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

    /// The request line without its version, and the body.
    pub fn request(&self) -> (String, String) {
        let request = self.requests.recv().expect("a request");
        let line = request.lines().next().unwrap_or_default();
        let line = line.trim_end_matches(" HTTP/1.1").to_owned();
        let body = request.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        (line, body.unwrap_or_default())
    }
}

fn is_whole(request: &[u8]) -> bool {
    let request = String::from_utf8_lossy(request).to_ascii_lowercase();
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    body.len() >= length.and_then(|it| it.trim().parse().ok()).unwrap_or(0)
}
