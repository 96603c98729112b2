//! Printing to standard error without waiting for whoever reads it: a pager that is not scrolled, or
//! a terminal that is held, must not hold the service.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// How many lines wait to be printed, and how many bytes of them, besides one line.
const MAX_WAITING: usize = 1024;
const MAX_BYTES: usize = 1024 * 1024;
/// How long the end waits for lines to be printed.
const PATIENCE: Duration = Duration::from_secs(1);

enum Message {
    Line(String),
    /// All that came before is printed.
    End(Sender<()>),
}

/// Prints lines on a thread of its own, which the end of the process does not wait for.
#[derive(Clone)]
pub(super) struct Printer {
    messages: SyncSender<Message>,
    /// How many lines there was no room for since that was last said.
    missed: Arc<AtomicU64>,
    /// How many bytes wait.
    waiting: Arc<AtomicUsize>,
}

impl Printer {
    /// `program` is the name in front of what is said about missed lines.
    pub(super) fn start(program: &str) -> io::Result<Self> {
        let (messages, incoming) = sync_channel(MAX_WAITING);
        let missed = Arc::new(AtomicU64::new(0));
        let waiting = Arc::new(AtomicUsize::new(0));
        let printer = Self { messages, missed: missed.clone(), waiting: waiting.clone() };
        let program = program.to_owned();
        thread::Builder::new()
            .name("printer".to_owned())
            .spawn(move || print(&program, &incoming, &missed, &waiting))?;
        Ok(printer)
    }

    pub(super) fn print(&self, line: String) {
        let length = line.len();
        let has_room = self.waiting.fetch_add(length, Ordering::Relaxed) < MAX_BYTES;
        if !has_room || self.messages.try_send(Message::Line(line)).is_err() {
            self.waiting.fetch_sub(length, Ordering::Relaxed);
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits a moment until all lines are printed.
    pub(super) fn finish(&self) {
        let (done, is_done) = channel();
        if self.messages.try_send(Message::End(done)).is_ok() {
            // After that nobody reads them.
            let _ = is_done.recv_timeout(PATIENCE);
        }
    }
}

fn print(program: &str, messages: &Receiver<Message>, missed: &AtomicU64, waiting: &AtomicUsize) {
    for message in messages {
        // Without a standard error there is nobody to tell.
        let _ = match message {
            Message::Line(line) => {
                let printed = writeln!(io::stderr(), "{line}");
                waiting.fetch_sub(line.len(), Ordering::Relaxed);
                printed
            }
            Message::End(done) => done.send(()).map_err(io::Error::other),
        };
        // A line is missed while others wait, so that this comes after it.
        let missed = missed.swap(0, Ordering::Relaxed);
        if missed > 0 {
            let _ = writeln!(
                io::stderr(),
                "{program}: left out {missed} lines of workers, because standard error was not \
                 read in time"
            );
        }
    }
}
