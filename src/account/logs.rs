//! Logs of Pods and workers: streams of lines that resume after a lost connection.
//!
//! A [`LogReader`] reads one log, an [`EndpointReader`] those of all workers of an endpoint. Where a
//! log was left is a [`Position`].

mod position;

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::{Either, select};
use futures_util::stream::{SelectAll, unfold};
use futures_util::{Stream, StreamExt};
use podqueue_runtime::__private::Attempted;
use serde::Deserialize;
use tokio::time::{Instant, sleep, sleep_until};

use self::position::{MAX_TAIL, Position, Resumption};
use super::types::LogSource;
use super::{AccountEndpoint, AccountPod};
use crate::aliases::{ServerEvent, ServerEvents};
use crate::error::{Error, ErrorKind, Result};

/// The pause before the second resumption without a new line; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause between two resumptions, unless the service asks for more.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

/// The longest outage that a stream survives.
const MAX_OUTAGE: Duration = Duration::from_secs(15 * 60);

/// Shortest and longest interval at which the workers of an endpoint are listed while their logs are
/// followed. The shortest uses half of a quota of 60 requests a minute.
const LISTING_INTERVALS: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(10));

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LogLine {
    /// The id of the worker that wrote the line; `None` in the log of a Pod.
    pub worker_id: Option<String>,
    /// Writer of the line: the container, or the system that runs it.
    pub source: LogSource,
    /// The line, without its end.
    pub line: String,
    /// The time at which the line was written, as a timestamp of RFC 3339.
    pub ts: String,
    /// True if lines may be missing before this one: after a lost connection, the service no longer
    /// had those that it had sent last.
    pub after_gap: bool,
}

/// The lines of a log as they arrive; returned by [`AccountPod::logs`], [`AccountEndpoint::logs`]
/// and [`AccountEndpoint::worker_logs`]. Nothing is sent before it is polled.
///
/// The stream begins with lines of the past, as [`tail`](Self::tail) and [`since`](Self::since)
/// say, and continues with new ones. The service decides when the response ends; so does the
/// stream, unless it [follows](Self::follow) the log.
///
/// If the connection is lost, or silent for longer than the client's
/// [`timeout`](crate::ClientBuilder::timeout), the stream resumes with the last line that it has
/// read: lines are neither lost nor repeated, also where several have the same timestamp, or where
/// the clock of a worker was set back before (lines are lost if that happens while the connection is
/// lost). If more than 5,000 lines were written in the meantime, the service no longer has them, or
/// none had arrived and only new ones are read, the next line is marked as
/// [`after_gap`](LogLine::after_gap). An outage of the service may last 15 minutes; web pages of a
/// gateway count as one.
///
/// An error of kind [`ErrorKind::Decode`] stands for one line that cannot be read, and one of kind
/// [`ErrorKind::Server`] without a status for an event by which the service reports an error; the
/// stream continues after it. Any other error is the last item.
#[must_use = "nothing is sent until it is polled"]
pub struct Logs {
    origin: Origin,
    settings: Settings,
    /// Set when it is first polled.
    lines: Option<Lines>,
    /// Shared with each log of which no response has begun yet.
    opening: Arc<()>,
}

type Lines = Pin<Box<dyn Stream<Item = Result<LogLine>> + Send>>;

/// The logs that are read.
#[derive(Clone)]
enum Origin {
    One(Log),
    AllWorkers(AccountEndpoint),
}

/// The object that a log belongs to.
#[derive(Clone)]
enum Log {
    Pod(AccountPod),
    Worker(AccountEndpoint, Arc<str>),
}

impl Log {
    /// The call that reads it, for an error.
    fn attempted(&self) -> Attempted {
        let read = match self {
            Self::Pod(AccountPod { id, .. }) => Attempted::new("get_pod_logs").of("Pod", id),
            Self::Worker(_, id) => Attempted::new("get_worker_logs").of("worker", id),
        };
        read.on_interface("account")
    }
}

#[derive(Clone, Default)]
struct Settings {
    source: Option<LogSource>,
    tail: Option<u32>,
    since: Option<String>,
    follows: bool,
}

impl AccountPod {
    /// Streams the log of the Pod.
    ///
    /// ```no_run
    /// # async fn example(client: podqueue::Client) -> podqueue::Result<()> {
    /// use futures_util::StreamExt;
    ///
    /// let mut lines = client.account().pod("my-pod").logs().tail(20).follow();
    /// while let Some(line) = lines.next().await {
    ///     let line = line?;
    ///     println!("{} {}", line.ts, line.line);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn logs(&self) -> Logs {
        Logs::of(Origin::One(Log::Pod(self.clone())))
    }
}

impl AccountEndpoint {
    /// Streams the logs of all workers of the endpoint, each line with the id of its worker, in the
    /// order in which they arrive. A worker without a log has no lines.
    ///
    /// The workers are listed when the stream is first polled, and again while it
    /// [follows](Logs::follow): the log of a worker that was started since is read from its
    /// beginning. Each log is read over a connection of its own.
    ///
    /// The interface has no log of a whole endpoint, nor a list of the workers that have ended. So
    /// they are listed every 2 to 10 seconds, twice within the idle timeout of the endpoint if that
    /// is at least 4 seconds: for so long, each worker that has finished a job stays. A worker that
    /// ends sooner, because it fails, the numbers of workers are lowered or the idle timeout is
    /// shorter, may be missed.
    pub fn logs(&self) -> Logs {
        Logs::of(Origin::AllWorkers(self.clone()))
    }

    /// Streams the log of one worker of the endpoint.
    pub fn worker_logs(&self, worker_id: impl AsRef<str>) -> Logs {
        Logs::of(Origin::One(Log::Worker(self.clone(), worker_id.as_ref().into())))
    }
}

impl Logs {
    fn of(origin: Origin) -> Self {
        Self { origin, settings: Settings::default(), lines: None, opening: Arc::new(()) }
    }

    /// Reads only lines of this source; those of both by default.
    pub fn source(mut self, source: LogSource) -> Self {
        self.settings.source = Some(source);
        self
    }

    /// Sets how many of the latest lines to begin with, of each log, at most 5,000; by default, the
    /// service decides (100). With 0, only new lines are read.
    pub fn tail(mut self, lines: u32) -> Self {
        self.settings.tail = Some(lines);
        self
    }

    /// Reads only lines from this time on, a timestamp of RFC 3339 such as `2026-11-15T00:00:00Z`.
    pub fn since(mut self, time: impl Into<String>) -> Self {
        self.settings.since = Some(time.into());
        self
    }

    /// Continues when the service ends the response, as after a lost connection, until the log no
    /// longer exists or the stream is dropped; that of an endpoint never ends by itself.
    pub fn follow(mut self) -> Self {
        self.settings.follows = true;
        self
    }

    /// Returns true once the service has responded with the lines of each log, those of all workers
    /// that were listed: a log that is silent from then on has no further lines now.
    pub fn is_open(&self) -> bool {
        self.lines.is_some() && Arc::strong_count(&self.opening) == 1
    }
}

impl Stream for Logs {
    type Item = Result<LogLine>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { origin, settings, lines, opening } = &mut *self;
        let lines = lines.get_or_insert_with(|| match origin.clone() {
            Origin::One(log) => {
                let reader = LogReader::new(log, settings.clone(), Some(Arc::clone(opening)));
                Box::pin(unfold(reader, |mut reader| async move {
                    reader.next().await.map(|line| (line, reader))
                }))
            }
            Origin::AllWorkers(endpoint) => {
                let reader = EndpointReader::new(endpoint, settings.clone(), Arc::clone(opening));
                Box::pin(unfold(reader, |mut reader| async move {
                    reader.next().await.map(|line| (line, reader))
                }))
            }
        });
        lines.as_mut().poll_next(context)
    }
}

impl fmt::Debug for Logs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Logs").finish_non_exhaustive()
    }
}

/// The data of an event.
#[derive(Deserialize)]
struct LogEvent {
    source: String,
    line: String,
    ts: String,
}

/// Reads one log, over as many connections as it takes.
struct LogReader {
    log: Log,
    settings: Settings,
    position: Position,
    events: Option<ServerEvents>,
    /// True once the service has responded: from then on, failures are survived.
    has_begun: bool,
    /// Set until then; see [`Logs::is_open`].
    opening: Option<Arc<()>>,
    /// Resumptions since the last new line.
    resumptions: u32,
    /// The pause that the service asked for.
    asked_pause: Duration,
    outage: Outage,
    is_over: bool,
}

impl LogReader {
    fn new(log: Log, settings: Settings, opening: Option<Arc<()>>) -> Self {
        Self {
            log,
            settings,
            position: Position::default(),
            events: None,
            has_begun: false,
            opening,
            resumptions: 0,
            asked_pause: Duration::ZERO,
            outage: Outage::default(),
            is_over: false,
        }
    }

    async fn next(&mut self) -> Option<Result<LogLine>> {
        while !self.is_over {
            let Some(events) = &mut self.events else {
                match self.open().await {
                    Ok(events) => {
                        self.events = Some(events);
                        self.has_begun = true;
                        self.opening = None;
                        self.outage = Outage::default();
                    }
                    Err(error) if self.has_begun && self.outage.record_failure(&error) => {
                        self.pause().await;
                    }
                    Err(error) => return self.end(Some(error)),
                }
                continue;
            };
            match events.next().await {
                Some(Ok(event)) => {
                    if let Some(line) = self.read(&event).transpose() {
                        return Some(line);
                    }
                }
                Some(Err(error)) if error.is_retryable() => {
                    // A log in which nothing is written; the connection may be lost, too.
                    if error.kind() == ErrorKind::Timeout {
                        self.resumptions = 0;
                    }
                    self.resume().await;
                }
                Some(Err(error)) => return self.end(Some(error)),
                None if self.settings.follows => self.resume().await,
                None => return self.end(None),
            }
        }
        None
    }

    fn end(&mut self, error: Option<Error>) -> Option<Result<LogLine>> {
        self.is_over = true;
        self.events = None;
        self.opening = None;
        error.map(|error| Err(error.with_attempted(self.log.attempted())))
    }

    /// Returns true if only new lines are read.
    fn skips_past(&self) -> bool {
        self.settings.tail == Some(0)
    }

    async fn open(&self) -> Result<ServerEvents> {
        let Settings { source, tail, since, .. } = &self.settings;
        let (last_event_id, since, tail) = match self.position.resumption() {
            Resumption::Beginning => (None, since.clone(), *tail),
            // The lines written since may be more than the caller's tail.
            Resumption::Unread => {
                (None, since.clone(), Some(if self.skips_past() { 0 } else { MAX_TAIL }))
            }
            // A time that the caller gave is that of the first lines, too.
            Resumption::Since(time) => (None, Some(since.clone().unwrap_or(time)), Some(MAX_TAIL)),
            Resumption::After(id) => (Some(id), None, Some(MAX_TAIL)),
        };
        macro_rules! sent {
            ($call:expr) => {{
                let mut call = $call;
                if let Some(source) = source {
                    call = call.source(source.clone());
                }
                if let Some(tail) = tail {
                    call = call.tail(tail.into());
                }
                if let Some(since) = since {
                    call = call.since(since);
                }
                if let Some(id) = last_event_id {
                    call = call.last_event_id(id);
                }
                call.await
            }};
        }
        match &self.log {
            Log::Pod(AccountPod { account, id }) => sent!(account.get_pod_logs(&**id)),
            Log::Worker(AccountEndpoint { account, id }, worker) => {
                sent!(account.get_worker_logs(&**id, &**worker))
            }
        }
    }

    /// The line of an event, unless it was yielded before.
    fn read(&mut self, event: &ServerEvent) -> Result<Option<LogLine>> {
        self.asked_pause = event.retry.unwrap_or_default().min(MAX_OUTAGE);
        let LogEvent { source, line, ts } = match event.json() {
            Ok(written) => written,
            Err(_) if event.event == "error" => return Err(event.reported()),
            // Such an event is not a line: it keeps the connection alive, for example.
            Err(_) if event.event != "message" => return Ok(None),
            Err(error) => return Err(error),
        };
        let source = LogSource::from(source);
        let id = event.id.as_deref().unwrap_or(&ts);
        let may_lack = self.skips_past() && self.position.resumption() == Resumption::Unread;
        let Some(after_gap) = self.position.advance(id, &source, &line) else { return Ok(None) };
        self.resumptions = 0;
        let worker_id = match &self.log {
            Log::Pod(_) => None,
            Log::Worker(_, id) => Some(id.to_string()),
        };
        Ok(Some(LogLine { worker_id, source, line, ts, after_gap: after_gap || may_lack }))
    }

    /// Resumes after the end of a response: at once if it had a new line, after a pause otherwise.
    async fn resume(&mut self) {
        self.events = None;
        self.position.mark_resumed();
        self.pause().await;
    }

    async fn pause(&mut self) {
        let doublings = self.resumptions.checked_sub(1);
        self.resumptions = self.resumptions.saturating_add(1);
        let pause = doublings.map_or(Duration::ZERO, |doublings| {
            let longest = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(doublings));
            longest.min(LONGEST_PAUSE).mul_f64(0.5 + fastrand::f64() / 2.0)
        });
        sleep(pause.max(self.asked_pause)).await;
    }
}

/// An outage of the service: failures since its last success.
#[derive(Default)]
struct Outage {
    since: Option<Instant>,
}

impl Outage {
    /// Returns true if a later attempt may succeed. A success that cannot be read is not the
    /// service's, which has responded before: it is the page of a gateway.
    fn record_failure(&mut self, error: &Error) -> bool {
        let since = *self.since.get_or_insert_with(Instant::now);
        let may_pass = error.is_retryable() || error.kind() == ErrorKind::Decode;
        may_pass && since.elapsed() < MAX_OUTAGE
    }
}

/// Reads the logs of all workers of an endpoint.
struct EndpointReader {
    endpoint: AccountEndpoint,
    settings: Settings,
    active: SelectAll<Pin<Box<dyn Stream<Item = WorkerLogEvent> + Send>>>,
    /// The workers, and where their logs were left if these are not read now.
    workers: HashMap<String, Option<Position>>,
    /// The interval of listings.
    interval: Duration,
    /// The time of the next listing of the workers, if there is any.
    next_listing: Option<Instant>,
    has_listed: bool,
    /// Set until the workers are listed; shared with the logs of these.
    opening: Option<Arc<()>>,
    outage: Outage,
    /// The first error by which a log has ended that is not followed: those of the other workers are
    /// read to their end.
    error: Option<Error>,
    is_over: bool,
}

/// Event of a worker's log.
enum WorkerLogEvent {
    Line(Result<LogLine>),
    End { worker_id: String, position: Position, error: Option<Error> },
}

impl EndpointReader {
    fn new(endpoint: AccountEndpoint, settings: Settings, opening: Arc<()>) -> Self {
        Self {
            endpoint,
            settings,
            active: SelectAll::new(),
            workers: HashMap::new(),
            interval: LISTING_INTERVALS.1,
            next_listing: None,
            has_listed: false,
            opening: Some(opening),
            outage: Outage::default(),
            error: None,
            is_over: false,
        }
    }

    async fn next(&mut self) -> Option<Result<LogLine>> {
        while !self.is_over {
            if !self.has_listed || self.next_listing.is_some_and(|at| at <= Instant::now()) {
                match self.list().await {
                    Ok(()) => self.outage = Outage::default(),
                    Err(error) if self.has_listed && self.outage.record_failure(&error) => {}
                    Err(error) => return self.end(error),
                }
                if self.settings.follows && !self.has_listed {
                    self.interval = interval_of(self.endpoint.clone()).await;
                }
                self.has_listed = true;
                self.opening = None;
                self.next_listing = self.settings.follows.then(|| Instant::now() + self.interval);
            }
            match self.step().await {
                Some(WorkerLogEvent::Line(line)) => return Some(line),
                // The worker is gone, or has no log yet: it may be listed again.
                Some(WorkerLogEvent::End { worker_id, position, error }) => {
                    self.workers.insert(worker_id, Some(position));
                    match error.filter(|it| it.kind() != ErrorKind::NotFound) {
                        Some(error) if self.settings.follows => return self.end(error),
                        error => self.error = self.error.take().or(error),
                    }
                }
                None if self.next_listing.is_none() => {
                    self.is_over = true;
                    return self.error.take().map(Err);
                }
                None => {}
            }
        }
        None
    }

    fn end(&mut self, error: Error) -> Option<Result<LogLine>> {
        self.is_over = true;
        self.active.clear();
        Some(Err(error))
    }

    /// The next step of any log; `None` at the time of the next listing, or if all logs have ended.
    async fn step(&mut self) -> Option<WorkerLogEvent> {
        let Some(at) = self.next_listing else { return self.active.next().await };
        let listing = std::pin::pin!(sleep_until(at));
        if self.active.is_empty() {
            listing.await;
            return None;
        }
        match select(self.active.next(), listing).await {
            Either::Left((step, _)) => step,
            Either::Right(_) => None,
        }
    }

    /// Lists the workers, and begins to read the logs that are not read yet.
    async fn list(&mut self) -> Result<()> {
        let AccountEndpoint { account, id } = &self.endpoint;
        // Before any call; an endpoint may have no worker, whose log would be refused.
        if self.settings.tail.is_some_and(|tail| tail > MAX_TAIL) {
            let attempted = format!("read the logs of endpoint {id:?} on the account interface");
            return Err(Error::refused(attempted, "tail", format!("must be at most {MAX_TAIL}")));
        }
        let listed = account.list_endpoint_workers(&**id).await?.workers;
        let ids = listed.into_iter().filter_map(|it| it.id);
        // A worker whose id is not a path segment has no log.
        let ids = ids.filter(|id| !matches!(id.as_str(), "" | "." | ".."));
        for worker_id in ids {
            let position = match self.workers.insert(worker_id.clone(), None) {
                Some(None) => continue,
                known => known.flatten(),
            };
            let mut settings = self.settings.clone();
            if self.has_listed {
                (settings.tail, settings.since) = (Some(MAX_TAIL), None);
            }
            let log = Log::Worker(self.endpoint.clone(), worker_id.as_str().into());
            let mut reader = LogReader::new(log, settings, self.opening.clone());
            // The list was a response of the service: a failure of one log must not end the others.
            reader.has_begun = self.settings.follows;
            if let Some(mut position) = position {
                position.mark_resumed();
                reader.position = position;
            }
            self.active.push(Box::pin(steps(worker_id, reader)));
        }
        Ok(())
    }
}

/// The interval at which the workers of an endpoint are listed, by its idle timeout if that can be
/// read.
async fn interval_of(AccountEndpoint { account, id }: AccountEndpoint) -> Duration {
    let endpoint = account.get_endpoint(&*id).await.unwrap_or_default();
    listing_interval(endpoint.workers.and_then(|workers| workers.idle_timeout))
}

/// Half of an idle timeout in seconds, within the bounds.
fn listing_interval(idle_timeout: Option<i64>) -> Duration {
    let (shortest, longest) = LISTING_INTERVALS;
    let seconds = idle_timeout.and_then(|seconds| u64::try_from(seconds).ok());
    seconds.map_or(longest, |it| (Duration::from_secs(it) / 2).clamp(shortest, longest))
}

fn steps(worker_id: String, reader: LogReader) -> impl Stream<Item = WorkerLogEvent> + Send {
    unfold(Some((worker_id, reader)), |state| async move {
        let (worker_id, mut reader) = state?;
        let line = reader.next().await;
        match line {
            Some(line) if !reader.is_over => {
                Some((WorkerLogEvent::Line(line), Some((worker_id, reader))))
            }
            end => {
                let error = end.and_then(Result::err);
                Some((WorkerLogEvent::End { worker_id, position: reader.position, error }, None))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::listing_interval;

    #[test]
    fn a_worker_that_stays_for_the_idle_timeout_is_listed() {
        for (idle_timeout, interval) in
            [(None, 10), (Some(1), 2), (Some(5), 2), (Some(10), 5), (Some(3600), 10)]
        {
            let listed = listing_interval(idle_timeout);
            assert_eq!(listed.as_secs(), interval, "{idle_timeout:?}");
        }
        assert_eq!(listing_interval(Some(-1)), Duration::from_secs(10));
    }
}
