//! A scripted service: one reply for each request, in order, and what each request was.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A request as it arrived.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `GET /path?query`
    pub line: String,
    /// `name: value`, each on a line, names in lower case.
    pub headers: String,
    pub body: String,
}

/// The service, on this machine.
pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Sends these replies: status, media type and body.
    pub async fn start(replies: &'static [(u16, &'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            for (status, media, body) in replies {
                let (stream, _) = listener.accept().await.unwrap();
                let mut stream = BufReader::new(stream);
                let request = read(&mut stream).await;
                seen.lock().unwrap().push(request);
                let reply = format!(
                    "HTTP/1.1 {status} Scripted\r\ncontent-type: {media}\r\n\
                     content-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.get_mut().write_all(reply.as_bytes()).await.unwrap();
            }
        });
        Self { url, requests }
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The lines and bodies of the requests so far.
    pub fn told(&self) -> Vec<(String, String)> {
        self.requests().into_iter().map(|it| (it.line, it.body)).collect()
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Request {
    let mut request = Request::default();
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    request.line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let mut length = 0;
    loop {
        line.clear();
        stream.read_line(&mut line).await.unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        if name == "content-length" {
            length = value.parse().unwrap();
        }
        request.headers += &format!("{name}: {value}\n");
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    request.body = String::from_utf8(body).unwrap();
    request
}
