//! Minimal HTTP client, so that a measurement is of the server.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A connection that is kept open, for one request after another.
pub struct Wire {
    stream: TcpStream,
    host: SocketAddr,
    request: Vec<u8>,
    answer: Vec<u8>,
}

impl Wire {
    /// Connects to a server.
    pub async fn open(host: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, host, request: Vec::new(), answer: Vec::new() })
    }

    /// Sends a request, and gives the status and the body of its answer.
    pub async fn call(&mut self, method: &str, path: &str, body: &str) -> io::Result<(u16, &str)> {
        use std::io::Write;
        self.request.clear();
        write!(
            self.request,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer local\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            body.len(),
        )?;
        self.stream.write_all(&self.request).await?;
        self.answer.clear();
        let head = loop {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(end) = self.answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let (status, length) = parse(&self.answer[..head])?;
        while self.answer.len() < head + length {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let body = std::str::from_utf8(&self.answer[head..head + length]);
        Ok((status, body.map_err(io::Error::other)?))
    }
}

fn parse(head: &[u8]) -> io::Result<(u16, usize)> {
    let head = std::str::from_utf8(head).map_err(io::Error::other)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    // A response without content has no length.
    let length = length.or_else(|| (status == Some(204)).then_some(0));
    status.zip(length).ok_or_else(|| io::Error::other(format!("not an answer: {head}")))
}

/// The id of a job, from the JSON that begins with it.
pub fn id(answer: &str) -> io::Result<&str> {
    let id = answer.strip_prefix("{\"id\":\"").and_then(|rest| rest.split('"').next());
    id.ok_or_else(|| io::Error::other(format!("no job: {answer}")))
}
