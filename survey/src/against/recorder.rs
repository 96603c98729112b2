//! Scripted server: records each request as it comes over the wire, and sends a given response.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// A request as it came. The first segment of its path, which is not part of `target`, is the index
/// of the call that it is for.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub call: usize,
    pub method: String,
    pub target: String,
    /// By names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// The status, the media type and the body of a response.
pub type Response = (u16, &'static str, &'static str);

pub struct Recorder {
    pub port: u16,
    recorded: Arc<Mutex<Vec<Recorded>>>,
}

impl Recorder {
    /// Starts a server on this machine that responds to the calls by their indices. It ends with the
    /// process.
    pub fn start(responses: Vec<Response>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let recorded = Arc::new(Mutex::new(Vec::new()));
        let records = Arc::clone(&recorded);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that closes its connection early is seen by its missing request.
                let _ = respond(stream, &responses, &records);
            }
        });
        Ok(Self { port, recorded })
    }

    /// The requests so far, which are forgotten.
    pub fn take(&self) -> Vec<Recorded> {
        std::mem::take(&mut self.recorded.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn respond(
    mut stream: TcpStream,
    responses: &[Response],
    records: &Mutex<Vec<Recorded>>,
) -> io::Result<()> {
    let request = read(&mut BufReader::new(&stream))?;
    let unknown = (500, "text/plain", "no such call");
    let (status, media, body) = responses.get(request.call).copied().unwrap_or(unknown);
    records.lock().unwrap_or_else(PoisonError::into_inner).push(request);
    write!(stream, "HTTP/1.1 {status} Status\r\nconnection: close\r\n")?;
    if status != 204 {
        write!(stream, "content-type: {media}\r\ncontent-length: {}\r\n", body.len())?;
    }
    write!(stream, "\r\n{body}")?;
    stream.flush()
}

fn read(from: &mut impl BufRead) -> io::Result<Recorded> {
    let mut line = || {
        let mut line = String::new();
        from.read_line(&mut line)?;
        Ok::<_, io::Error>(line.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (call, target) = split(&path);
    let mut headers = BTreeMap::new();
    loop {
        let line = line()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let mut body = Vec::new();
    let length = headers.get("content-length").and_then(|it| it.parse().ok());
    if let Some(length) = length {
        from.take(length).read_to_end(&mut body)?;
    } else if headers.contains_key("transfer-encoding") {
        read_chunks(from, &mut body)?;
    }
    Ok(Recorded { call, method, target, headers, body })
}

/// The index and the rest of `/3/pets?limit=1`.
fn split(path: &str) -> (usize, String) {
    let rest = path.trim_start_matches('/');
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    (rest[..end].parse().unwrap_or(usize::MAX), rest[end..].to_owned())
}

fn read_chunks(from: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        let length = u64::from_str_radix(line.trim(), 16).unwrap_or_default();
        from.take(length).read_to_end(body)?;
        from.read_line(&mut String::new())?;
        if length == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_with_their_bodies() {
        let plain = "POST /3/pets?a=b HTTP/1.1\r\nX-A: b\r\nContent-Length: 2\r\n\r\n{}";
        let request = read(&mut plain.as_bytes()).unwrap();
        assert_eq!((request.call, request.target.as_str()), (3, "/pets?a=b"));
        assert_eq!((request.headers["x-a"].as_str(), request.body.as_slice()), ("b", &b"{}"[..]));
        let chunks =
            "POST /0/ HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n";
        assert_eq!(read(&mut chunks.as_bytes()).unwrap().body, b"{}");
    }
}
