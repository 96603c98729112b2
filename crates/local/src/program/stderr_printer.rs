//! Non-blocking printer to standard error: a reader that stops, such as a pager or a suspended
//! terminal, must not block the service. Lines beyond a bounded buffer are dropped and counted.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// The bounds of the buffer: lines, and bytes before the last line.
const MAX_LINES: usize = 1024;
const MAX_BYTES: usize = 1024 * 1024;
/// Longest wait for the printer at the end of the program.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

enum Message {
    Line(String),
    /// Notifies that all lines before it are printed.
    Flush(Sender<()>),
}

/// Prints lines on a thread of its own, which does not keep the process alive.
#[derive(Clone)]
pub(super) struct StderrPrinter {
    messages: SyncSender<Message>,
    /// The number of dropped lines that were not reported yet.
    dropped: Arc<AtomicU64>,
    /// The number of bytes in the buffer.
    buffered: Arc<AtomicUsize>,
}

impl StderrPrinter {
    /// `program` is the prefix of messages about dropped lines.
    pub(super) fn start(program: &str) -> io::Result<Self> {
        let (messages, incoming) = sync_channel(MAX_LINES);
        let dropped = Arc::new(AtomicU64::new(0));
        let buffered = Arc::new(AtomicUsize::new(0));
        let printer = Self { messages, dropped: dropped.clone(), buffered: buffered.clone() };
        let program = program.to_owned();
        thread::Builder::new()
            .name("printer".to_owned())
            .spawn(move || print(&program, &incoming, &dropped, &buffered))?;
        Ok(printer)
    }

    pub(super) fn print(&self, line: String) {
        let length = line.len();
        let fits = self.buffered.fetch_add(length, Ordering::Relaxed) < MAX_BYTES;
        if !fits || self.messages.try_send(Message::Line(line)).is_err() {
            self.buffered.fetch_sub(length, Ordering::Relaxed);
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until all lines are printed, within a limited time.
    pub(super) fn flush(&self) {
        let (done, is_done) = channel();
        if self.messages.try_send(Message::Flush(done)).is_ok() {
            // After a timeout, the rest is not printed.
            let _ = is_done.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

fn print(program: &str, messages: &Receiver<Message>, dropped: &AtomicU64, buffered: &AtomicUsize) {
    for message in messages {
        // Without a standard error, lines are dropped.
        let _ = match message {
            Message::Line(line) => {
                let printed = writeln!(io::stderr(), "{line}");
                buffered.fetch_sub(line.len(), Ordering::Relaxed);
                printed
            }
            Message::Flush(done) => done.send(()).map_err(io::Error::other),
        };
        // Lines are dropped while the buffer is full, so this is reported after a printed line.
        let dropped = dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            let _ = writeln!(
                io::stderr(),
                "{program}: left out {dropped} lines of workers, because standard error was not \
                 read in time"
            );
        }
    }
}
