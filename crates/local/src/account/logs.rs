//! Log stream: the lines of a Pod or a worker as server-sent events.
//!
//! The id of an event is the time of its line, to the microsecond; no two lines of a log have the
//! same. So a stream that resumes after an id has every later line, once.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::problem::Problem;
use super::request::Request;
use super::response::{AccountResponse, Outcome};
use super::wall_clock::WallClock;
use crate::changes::Watcher;
use crate::clock::{Clock, Moment};

const SOURCES: [&str; 2] = ["container", "system"];
const DEFAULT_TAIL: u64 = 100;
const MAX_TAIL: u64 = 5_000;
/// The time without a line after which a stream sends a comment, in real time.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// A line of a log.
#[derive(Clone, Debug)]
pub(super) struct LogEntry {
    /// The time of the line, in whole microseconds, later than that of the line before.
    pub(super) stamp: Moment,
    /// `container` or `system`.
    pub(super) source: &'static str,
    pub(super) line: String,
}

/// The present state of a log.
#[derive(Debug)]
pub(super) struct LogPage {
    /// The lines after a position, the oldest first.
    pub(super) entries: Vec<LogEntry>,
    /// The time of the next line, if it is known.
    pub(super) next: Option<Moment>,
    /// True if no line will follow.
    pub(super) is_over: bool,
}

/// Streams a log, from where a request asks for. `read` returns the lines after a stamp.
pub(super) fn stream(
    request: &Request,
    time: &WallClock,
    stopping: &CancellationToken,
    read: impl Fn(Option<Moment>) -> Result<LogPage, Problem> + Send + 'static,
) -> Outcome {
    let source = request.choice("source", &SOURCES)?;
    let tail = request.integer("tail", 0, MAX_TAIL)?.unwrap_or(DEFAULT_TAIL);
    let since = request.time("since")?;
    let resumed = request.time_in_header("last-event-id")?;
    let watcher = time.clock().changes().watch();
    let mut after = resumed.and_then(|date| time.moment(date));
    let page = read(after)?;
    // With `tail=0` only new lines are sent: those after the last that exists.
    after = page.entries.last().map(|entry| entry.stamp).or(after);
    let since = since.and_then(|date| time.moment(date));
    let is_sent = move |entry: &LogEntry| {
        source.is_none_or(|it| it == entry.source) && since.is_none_or(|it| entry.stamp >= it)
    };
    let mut waiting: VecDeque<LogEntry> = page.entries.into_iter().filter(is_sent).collect();
    if resumed.is_none() {
        let tail = usize::try_from(tail).unwrap_or(usize::MAX);
        waiting.drain(..waiting.len().saturating_sub(tail));
    }
    let feed = Feed {
        read,
        is_sent,
        watcher,
        clock: time.clock().clone(),
        after,
        waiting,
        next: page.next,
        is_over: page.is_over,
    };
    let time = time.clone();
    let events = stream::unfold(feed, |mut feed| async { Some((feed.next().await?, feed)) });
    let events = events.map(move |entry| match entry {
        Some(entry) => event(&time, &entry),
        None => Bytes::from_static(b":\n\n"),
    });
    let events: BoxStream<'static, Bytes> =
        events.take_until(stopping.clone().cancelled_owned()).boxed();
    Ok(AccountResponse::Events(events))
}

fn event(time: &WallClock, entry: &LogEntry) -> Bytes {
    let ts = time.precise(entry.stamp);
    let data = json!({ "source": entry.source, "line": entry.line, "ts": ts });
    Bytes::from(format!("id: {ts}\ndata: {data}\n\n"))
}

/// The lines of one stream. The next lines are read when the connection can take them.
struct Feed<R, S> {
    read: R,
    is_sent: S,
    watcher: Watcher,
    clock: Clock,
    /// The stamp of the last line that was read.
    after: Option<Moment>,
    waiting: VecDeque<LogEntry>,
    next: Option<Moment>,
    is_over: bool,
}

impl<R, S> Feed<R, S>
where
    R: Fn(Option<Moment>) -> Result<LogPage, Problem>,
    S: Fn(&LogEntry) -> bool,
{
    /// The next line, or `None` within to keep the connection alive.
    async fn next(&mut self) -> Option<Option<LogEntry>> {
        loop {
            if let Some(entry) = self.waiting.pop_front() {
                return Some(Some(entry));
            }
            if self.is_over {
                return None;
            }
            let next = async {
                match self.next {
                    Some(at) => self.clock.wait_until_untracked(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.watcher.changed() => {}
                () = next => {}
                () = tokio::time::sleep(KEEP_ALIVE_INTERVAL) => return Some(None),
            }
            // Before reading, so that a later change is not missed.
            self.watcher.catch_up();
            // An object that no longer exists has no lines.
            let page = (self.read)(self.after).ok()?;
            self.after = page.entries.last().map(|entry| entry.stamp).or(self.after);
            self.waiting.extend(page.entries.into_iter().filter(&self.is_sent));
            (self.next, self.is_over) = (page.next, page.is_over);
        }
    }
}

/// A response of events as the items of a body.
pub(crate) fn body(
    events: BoxStream<'static, Bytes>,
) -> impl futures_util::Stream<Item = Result<Bytes, Infallible>> {
    events.map(Ok)
}
