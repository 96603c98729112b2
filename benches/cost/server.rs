//! Benchmark server: constant responses, from a thread of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The job that every response is about.
pub(crate) const JOB: &str = "c0ffee00-0000-0000-0000-000000000000-u1";

const RECORD: &str = r#"{"id":"c0ffee00-0000-0000-0000-000000000000-u1","status":"IN_PROGRESS"}"#;

const HEALTH: &str = r#"{"jobs":{"completed":0,"failed":0,"inProgress":0,"inQueue":0,"retried":0},"workers":{"idle":0,"running":1}}"#;

/// Remaining 429s of the endpoint `busy`.
static REFUSALS: AtomicU32 = AtomicU32::new(2);

const REFUSAL: &[u8] =
    b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n";

/// Answers every request with the same record as fast as it comes; `/health` with a worker that
/// runs, `/status/large` with `large`, and the endpoint `busy` with 429 at first.
async fn serve(listener: TcpListener, large: Arc<str>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, Arc::clone(&large)));
    }
}

async fn answer(mut stream: TcpStream, large: Arc<str>) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let head = |length| {
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        )
    };
    let small = format!("{}{RECORD}", head(RECORD.len()));
    let mut buffer = Vec::with_capacity(64 * 1024);
    loop {
        let end = loop {
            if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let lower = String::from_utf8_lossy(&buffer[..end]).to_ascii_lowercase();
        let length = lower.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
        let mut rest: usize = length.and_then(|length| length.parse().ok()).unwrap_or(0);
        let is_large = lower.contains("/status/large");
        // A large body is read away piece by piece, so that only the client's memory is measured.
        let in_buffer = rest.min(buffer.len() - end);
        buffer.drain(..end + in_buffer);
        rest -= in_buffer;
        let mut piece = [0; 16 * 1024];
        while rest > 0 {
            let most = rest.min(piece.len());
            match stream.read(&mut piece[..most]).await? {
                0 => return Ok(()),
                read => rest -= read,
            }
        }
        let refused = |left: u32| left.checked_sub(1);
        if lower.contains("/busy/")
            && REFUSALS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, refused).is_ok()
        {
            stream.write_all(REFUSAL).await?;
        } else if lower.contains("/health") {
            stream.write_all(format!("{}{HEALTH}", head(HEALTH.len())).as_bytes()).await?;
        } else if is_large {
            stream.write_all(head(large.len()).as_bytes()).await?;
            stream.write_all(large.as_bytes()).await?;
        } else {
            stream.write_all(small.as_bytes()).await?;
        }
    }
}

/// Starts the server, and returns its URL. It runs until the program ends.
pub(crate) fn start(large: Arc<str>) -> std::io::Result<String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let url = format!("http://{}", listener.local_addr()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            if let Ok(listener) = TcpListener::from_std(listener) {
                serve(listener, large).await;
            }
        });
    });
    Ok(url)
}
