//! Plan of a run, as data: client settings, the steps of each actor, and the fault of each request.
//!
//! [`plan`] draws it from a seed. A plan that violates an invariant is printed and shrunk.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;

use crate::client::leaks::Encoding;
use crate::client::service::{JobEnd, JobScript, Operation};

/// Everything that determines a run, besides the code under test.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub settings: ClientSettings,
    pub actors: Vec<Actor>,
    /// Faults of the requests of each operation, in order of arrival. Requests after the last fault
    /// are served faithfully, so that each run ends with a well-behaved peer.
    pub faults: BTreeMap<Operation, Vec<Fault>>,
    /// Number of connections that are closed or reset before a byte of them is read, from the first
    /// on.
    pub dropped_connections: u8,
    /// Start and end of a period in which the peer does not listen and connections are refused.
    pub downtime: Option<(Duration, Duration)>,
}

/// Settings of the client under test.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    pub http2: bool,
    /// `SETTINGS_MAX_CONCURRENT_STREAMS` of the peer.
    pub max_streams: u32,
    pub attempts: u32,
    pub timeout: Duration,
    pub call_timeout: Option<Duration>,
    pub connect_timeout: Duration,
    /// Share of the documented rate limits; `None` turns them off.
    pub share: Option<f64>,
    pub polls_per_second: u32,
    pub first_interval: Duration,
    pub longest_interval: Duration,
    pub graphql_variables: bool,
    /// Everything is traced at the most verbose level.
    pub traced: bool,
}

/// Sequence of steps that run in a task of their own.
#[derive(Clone, Debug)]
pub struct Actor {
    pub starts: Duration,
    pub steps: Vec<PlannedStep>,
}

/// Step of an actor, with the pattern in which its future is polled.
#[derive(Clone, Debug)]
pub struct PlannedStep {
    /// Number of the call. It travels in inputs and names, so that the peer can attribute requests
    /// to calls.
    pub call: u64,
    pub step: Step,
    pub pattern: PollPattern,
}

/// Pattern in which a future is polled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PollPattern {
    Await,
    DropAfter(Duration),
    /// Dropped after this number of polls.
    DropAtPoll(u32),
    /// Not polled for a time after this number of polls, then awaited.
    Suspend {
        polls: u32,
        pause: Duration,
    },
    /// Moved to another task after this number of polls.
    MoveToTask {
        polls: u32,
    },
}

/// Job that a step is about.
#[derive(Clone, Copy, Debug)]
pub enum JobChoice {
    /// The last job of the actor.
    Own,
    /// A job of any actor, by its index modulo the number of jobs.
    Any(usize),
}

#[derive(Clone, Debug)]
pub enum Step {
    Sleep(Duration),
    Run {
        script: JobScript,
        at_least_once: bool,
        storage: bool,
        webhook: bool,
    },
    RunSync {
        script: JobScript,
        wait: Option<Duration>,
        output: bool,
        storage: bool,
    },
    Status(JobChoice),
    Wait {
        job: JobChoice,
        timeout: Option<Duration>,
        cancel: bool,
        slow_polling: bool,
    },
    Stream {
        take: Option<usize>,
    },
    Cancel(JobChoice),
    Retry(JobChoice),
    Purge,
    Health,
    Requests,
    Openai,
    OpenaiStream {
        /// Time limit of the whole stream.
        total: Duration,
    },
    RunAll {
        script: JobScript,
        jobs: u64,
        concurrency: usize,
        timeout: Option<Duration>,
        take: Option<usize>,
    },
    /// Submissions or polls by `buffer_unordered`, with a further call in the body of the loop.
    BufferUnordered {
        script: JobScript,
        calls: u64,
        concurrency: usize,
        polls: bool,
    },
    GetPod,
    CreateTemplate {
        short_values: bool,
    },
    UpdateTemplate,
    DeleteTemplate,
    CreateSecret,
    DeleteSecret,
}

/// Fault that the peer injects into the exchange of one request.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The request is served faithfully.
    None,
    /// A canned response replaces the service's own.
    Respond(CannedResponse),
    /// The response ends after this share of its bytes, in thousandths.
    Truncate {
        at: u16,
        ending: ConnectionEnd,
    },
    /// The request is read and ignored, and the connection ends.
    Discard(ConnectionEnd),
    /// The response is delayed. The request takes effect on arrival, or after the delay.
    Delay {
        by: Duration,
        effect_delayed: bool,
    },
    /// The response is written in this number of fragments, with a pause after each.
    Fragment {
        count: u8,
        pause: Duration,
    },
    Malformed(Malformation),
    /// The response is the record of another job, or of another interface.
    WrongRecord,
    /// The response is sent twice.
    Duplicate,
    /// An unsolicited response follows on the idle connection.
    Unsolicited {
        after: Duration,
    },
    /// The connection ends after the complete response.
    EndAfter(ConnectionEnd),
    /// An informational response (1xx) precedes the response.
    Informational(u16),
    /// The response has chunked transfer encoding.
    Chunked,
    /// An event stream never ends: keep-alive comments follow, with a pause after each.
    KeepAlive {
        pause: Duration,
    },
    /// The body is delimited by the end of the connection, and truncated at this share of its
    /// bytes, in thousandths.
    CloseDelimited {
        at: u16,
    },
    /// The response repeats a secret of the request.
    EchoSecret(SecretEcho),
    /// HTTP/2: the stream is reset.
    StreamReset(StreamReset),
    /// HTTP/2: the connection is shut down gracefully after the response, or aborted without one.
    GoAway {
        after: bool,
    },
}

impl Fault {
    /// Returns true if the fault may end the connection.
    pub fn ends_connection(&self) -> bool {
        !matches!(
            self,
            Self::None
                | Self::Respond(_)
                | Self::Delay { .. }
                | Self::Fragment { .. }
                | Self::Malformed(_)
                | Self::WrongRecord
                | Self::Informational(_)
                | Self::Chunked
                | Self::EchoSecret(_)
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionEnd {
    Close,
    Reset,
    /// The connection stays open without further data.
    Stall,
}

#[derive(Clone, Debug, PartialEq)]
pub struct CannedResponse {
    pub status: u16,
    pub body: CannedBody,
    pub retry_after: Option<RetryAfter>,
    /// The request takes effect all the same.
    pub takes_effect: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CannedBody {
    Json(&'static str),
    Html,
    Plain(&'static str),
    Empty,
    Problem,
    /// `{"errors": [{"message": …}], "data": null}`.
    Graphql(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    Seconds(u64),
    /// HTTP date this number of seconds from now, by a clock that is off by `off` seconds.
    Date {
        from_now: u64,
        off: i64,
    },
    Nonsense,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformation {
    ByteOrderMark,
    /// `NaN`, as Python writes it.
    NotANumber,
    DuplicateId,
    NoStatus,
    Html,
    Empty,
    /// Status 204 without a body.
    NoContent,
    /// An array in place of an object, and vice versa.
    OtherShape,
    Trailing,
    /// A content encoding that the request does not accept.
    Encoded,
    /// A GraphQL response without `data`.
    NoData,
}

/// Echo of a secret that the request carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretEcho {
    pub status: u16,
    pub encoding: Encoding,
    pub location: EchoLocation,
    /// Index of the canary, modulo the number of canaries in the request.
    pub canary: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EchoLocation {
    JsonError,
    HtmlTitle,
    Plain,
    GraphqlMessage,
    GraphqlExtension,
    /// A field of another type, in a response with status 200.
    WrongType,
    /// The record of a failed job.
    JobFailure,
    /// The URL of a redirect.
    Location,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamReset {
    /// Error code of RFC 9113, section 7.
    pub code: u32,
    /// The request has taken effect before the reset.
    pub takes_effect: bool,
    /// The reset follows the head of the response and a part of its body.
    pub midway: bool,
}

/// Draws the plan of a seed.
pub fn plan(seed: u64) -> Plan {
    let mut rng = Rng::with_seed(seed);
    let settings = settings(&mut rng);
    let mut calls = 0;
    let actors = (0..rng.usize(1..=4)).map(|_| actor(&mut rng, &mut calls)).collect();
    let faults = faults(&mut rng, settings.http2);
    let dropped_connections = if rng.u8(..6) == 0 { rng.u8(1..4) } else { 0 };
    let downtime = (rng.u8(..10) == 0).then(|| {
        let from = millis(&mut rng, 0, 5_000);
        (from, from + millis(&mut rng, 10, 30_000))
    });
    Plan { seed, settings, actors, faults, dropped_connections, downtime }
}

fn settings(rng: &mut Rng) -> ClientSettings {
    let http2 = rng.u8(..5) == 0;
    ClientSettings {
        http2,
        max_streams: pick(rng, &[1, 3, 10, 100]),
        attempts: pick(rng, &[1, 1, 2, 3, 3, 3, 5]),
        timeout: Duration::from_secs(pick(rng, &[1, 5, 20, 60, 60])),
        call_timeout: (rng.u8(..4) == 0).then(|| Duration::from_secs(pick(rng, &[1, 10, 100]))),
        connect_timeout: Duration::from_secs(pick(rng, &[1, 10])),
        share: pick(rng, &[None, None, Some(1.0), Some(0.02), Some(0.005)]),
        polls_per_second: pick(rng, &[1, 10, 150]),
        first_interval: if rng.u8(..20) == 0 {
            Duration::ZERO
        } else {
            pick(rng, &[ms(100), ms(100), ms(1_000)])
        },
        longest_interval: pick(rng, &[ms(3_000), ms(3_000), ms(30_000)]),
        graphql_variables: rng.bool(),
        traced: rng.u8(..12) == 0,
    }
}

fn actor(rng: &mut Rng, calls: &mut u64) -> Actor {
    let starts = if rng.bool() { Duration::ZERO } else { millis(rng, 0, 3_000) };
    let mut steps = Vec::new();
    // Most actors begin with a job, which their later steps are about.
    match rng.u8(..10) {
        0..6 => steps.push(run(rng)),
        6..8 => steps.push(run_sync(rng)),
        _ => {}
    }
    for _ in 0..rng.usize(1..=4) {
        steps.push(step(rng));
    }
    let steps = steps.into_iter().map(|step| {
        *calls += 1;
        let pattern = pattern(rng, &step);
        PlannedStep { call: *calls * 1_000, step, pattern }
    });
    Actor { starts, steps: steps.collect() }
}

fn pattern(rng: &mut Rng, step: &Step) -> PollPattern {
    if matches!(step, Step::Sleep(_)) {
        return PollPattern::Await;
    }
    match rng.u8(..16) {
        0 => PollPattern::DropAfter(millis(rng, 0, 2_000)),
        1 => PollPattern::DropAtPoll(rng.u32(1..6)),
        2 | 3 => PollPattern::Suspend { polls: rng.u32(1..5), pause: millis(rng, 100, 120_000) },
        4 => PollPattern::MoveToTask { polls: rng.u32(0..4) },
        _ => PollPattern::Await,
    }
}

fn run(rng: &mut Rng) -> Step {
    Step::Run {
        script: script(rng),
        at_least_once: rng.u8(..8) == 0,
        storage: rng.u8(..4) == 0,
        webhook: rng.u8(..6) == 0,
    }
}

fn run_sync(rng: &mut Rng) -> Step {
    Step::RunSync {
        script: script(rng),
        wait: rng.bool().then(|| Duration::from_secs(pick(rng, &[1, 30, 300]))),
        output: rng.bool(),
        storage: rng.u8(..4) == 0,
    }
}

fn step(rng: &mut Rng) -> Step {
    match rng.u8(..30) {
        0 => Step::Sleep(millis(rng, 1, 90_000)),
        1 => run(rng),
        2 | 3 => run_sync(rng),
        4 | 5 => Step::Status(job(rng)),
        6..10 => Step::Wait {
            job: job(rng),
            timeout: (rng.u8(..3) > 0).then(|| millis(rng, 50, 300_000)),
            cancel: rng.u8(..4) == 0,
            slow_polling: rng.u8(..6) == 0,
        },
        10..13 => Step::Stream { take: (rng.u8(..5) == 0).then(|| rng.usize(1..4)) },
        13 => Step::Cancel(job(rng)),
        14 | 15 => Step::Retry(job(rng)),
        16 => Step::Purge,
        17 => match rng.u8(..3) {
            0 => Step::Health,
            1 => Step::Requests,
            _ => Step::Openai,
        },
        18 => Step::RunAll {
            script: script(rng),
            jobs: rng.u64(1..12),
            concurrency: rng.usize(1..5),
            timeout: rng.bool().then(|| millis(rng, 1_000, 100_000)),
            take: (rng.u8(..4) == 0).then(|| rng.usize(1..4)),
        },
        19 => Step::BufferUnordered {
            script: script(rng),
            // Sometimes more than the burst that the documented limits allow.
            calls: if rng.u8(..12) == 0 { 300 } else { rng.u64(2..30) },
            concurrency: rng.usize(2..20),
            polls: rng.bool(),
        },
        20 => Step::GetPod,
        21 => Step::UpdateTemplate,
        22 => Step::CreateTemplate { short_values: rng.u8(..3) == 0 },
        23 | 24 => Step::DeleteTemplate,
        25 => Step::CreateSecret,
        26 | 27 => Step::OpenaiStream { total: millis(rng, 100, 100_000) },
        _ => Step::DeleteSecret,
    }
}

fn job(rng: &mut Rng) -> JobChoice {
    if rng.u8(..5) == 0 { JobChoice::Any(rng.usize(..4)) } else { JobChoice::Own }
}

fn script(rng: &mut Rng) -> JobScript {
    JobScript {
        queue_time: pick(rng, &[ms(0), ms(0), ms(300), ms(20_000)]),
        run_time: pick(rng, &[ms(0), ms(50), ms(700), ms(5_000), ms(40_000), ms(200_000)]),
        chunks: rng.u64(0..7),
        end: pick(
            rng,
            &[
                JobEnd::Completed,
                JobEnd::Completed,
                JobEnd::Completed,
                JobEnd::Failed,
                JobEnd::TimedOut,
            ],
        ),
    }
}

fn faults(rng: &mut Rng, http2: bool) -> BTreeMap<Operation, Vec<Fault>> {
    // The density of faults is mostly low, so that runs also cover what follows a fault.
    let (lengths, rate) = pick(rng, &[(6, 2), (6, 5), (3, 9), (15, 8), (40, 9), (0, 0)]);
    let mut faults = BTreeMap::new();
    for operation in Operation::ALL {
        let list: Vec<_> = (0..rng.usize(..=lengths))
            .map(|_| if rng.u8(..10) < rate { fault(rng, operation, http2) } else { Fault::None })
            .collect();
        if list.iter().any(|fault| *fault != Fault::None) {
            faults.insert(operation, list);
        }
    }
    faults
}

fn fault(rng: &mut Rng, operation: Operation, http2: bool) -> Fault {
    if http2 {
        match rng.u8(..16) {
            0..4 => {
                // REFUSED_STREAM most often: only this code guarantees that the request was not
                // processed.
                let code = if rng.bool() { 7 } else { rng.u32(0..14) };
                let midway = code != 7 && rng.u8(..4) == 0;
                return Fault::StreamReset(StreamReset {
                    code,
                    takes_effect: code != 7 && rng.bool(),
                    midway,
                });
            }
            4 => return Fault::GoAway { after: rng.bool() },
            _ => {}
        }
    }
    match rng.u8(..30) {
        0..8 => Fault::Respond(answer(rng, operation)),
        8..11 => Fault::Truncate { at: rng.u16(..1_000), ending: ending(rng) },
        11 => Fault::Discard(ending(rng)),
        12 | 13 => Fault::Delay { by: millis(rng, 1, 90_000), effect_delayed: rng.bool() },
        14 => Fault::Fragment { count: rng.u8(2..20), pause: millis(rng, 0, 3_000) },
        15..18 => Fault::Malformed(pick(
            rng,
            &[
                Malformation::ByteOrderMark,
                Malformation::NotANumber,
                Malformation::DuplicateId,
                Malformation::NoStatus,
                Malformation::Html,
                Malformation::Empty,
                Malformation::NoContent,
                Malformation::OtherShape,
                Malformation::Trailing,
                Malformation::Encoded,
                Malformation::NoData,
            ],
        )),
        18 | 19 => Fault::WrongRecord,
        20 => Fault::Duplicate,
        21 => Fault::Unsolicited { after: millis(rng, 0, 2_000) },
        22 => Fault::EndAfter(if rng.bool() { ConnectionEnd::Close } else { ConnectionEnd::Reset }),
        23 => Fault::Informational(pick(rng, &[100, 102, 103])),
        24 => Fault::Chunked,
        25 => Fault::CloseDelimited { at: if rng.bool() { 1_000 } else { rng.u16(..1_000) } },
        // An event stream without content ends as it does after its last event.
        27 if operation == Operation::Openai => Fault::Malformed(pick(
            rng,
            &[Malformation::Empty, Malformation::NoContent, Malformation::Encoded],
        )),
        26 if operation == Operation::Openai => {
            Fault::KeepAlive { pause: pick(rng, &[ms(700), ms(4_000), ms(15_000)]) }
        }
        _ => Fault::EchoSecret(echo(rng, operation)),
    }
}

fn answer(rng: &mut Rng, operation: Operation) -> CannedResponse {
    let status = pick(
        rng,
        &[
            400, 401, 403, 403, 404, 404, 408, 413, 425, 429, 429, 429, 429, 500, 500, 501, 502,
            502, 502, 503, 503, 504, 505, 520, 599, 301, 307, 304, 226, 418,
        ],
    );
    let mut body = pick(
        rng,
        &[
            CannedBody::Json("the service says no"),
            CannedBody::Html,
            CannedBody::Html,
            CannedBody::Plain("no healthy upstream"),
            CannedBody::Plain("upstream connect error"),
            CannedBody::Empty,
            CannedBody::Problem,
        ],
    );
    let mut status = status;
    if operation.is_graphql() && rng.bool() {
        let messages: &[&'static str] = &[
            "Unknown error",
            "No permission for this operation",
            "no healthy upstream",
            "no such host",
        ];
        (status, body) = (pick(rng, &[200, 200, 400]), CannedBody::Graphql(pick(rng, messages)));
    }
    // The client cannot tell a false 404 in the service's own format from a true one, so a canned
    // 404 has the format of a gateway.
    if status == 404 && !matches!(body, CannedBody::Html | CannedBody::Plain(_)) {
        body = CannedBody::Html;
    }
    if status == 400 && !operation.is_graphql() {
        body = CannedBody::Html;
    }
    let retry_after = (rng.u8(..3) == 0).then(|| match rng.u8(..6) {
        0..3 => RetryAfter::Seconds(pick(rng, &[0, 1, 7, 30, 119, 121, 100_000])),
        3 | 4 => RetryAfter::Date {
            from_now: pick(rng, &[1, 10, 60]),
            // Never the true time: its fraction of a second would differ between replays.
            off: pick(rng, &[-3_600, 3_600]),
        },
        _ => RetryAfter::Nonsense,
    });
    // Any JSON in a success is a valid response of these operations.
    let is_raw = matches!(operation, Operation::Rest | Operation::Openai | Operation::Requests);
    if is_raw && (200..300).contains(&status) {
        body = CannedBody::Html;
    }
    let takes_effect = status >= 500 && status != 501 && rng.bool();
    CannedResponse { status, body, retry_after, takes_effect }
}

fn echo(rng: &mut Rng, operation: Operation) -> SecretEcho {
    let mut locations = vec![
        EchoLocation::JsonError,
        EchoLocation::JsonError,
        EchoLocation::HtmlTitle,
        EchoLocation::Plain,
        EchoLocation::Location,
    ];
    // Any JSON is a valid response of these operations.
    if !matches!(operation, Operation::Openai | Operation::Requests) {
        locations.push(EchoLocation::WrongType);
    }
    if operation.is_graphql() {
        locations.extend([
            EchoLocation::GraphqlMessage,
            EchoLocation::GraphqlMessage,
            EchoLocation::GraphqlExtension,
        ]);
    }
    if operation == Operation::RunSync {
        locations.extend([EchoLocation::JobFailure, EchoLocation::JobFailure]);
    }
    SecretEcho {
        status: pick(rng, &[400, 400, 401, 422, 500, 503]),
        encoding: pick(rng, &Encoding::ALL),
        location: pick(rng, &locations),
        canary: rng.u8(..4),
    }
}

fn ending(rng: &mut Rng) -> ConnectionEnd {
    pick(rng, &[ConnectionEnd::Close, ConnectionEnd::Reset, ConnectionEnd::Stall])
}

fn pick<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.usize(..list.len())]
}

/// Draws a duration in this range, with a roughly logarithmic distribution.
fn millis(rng: &mut Rng, least: u64, most: u64) -> Duration {
    let bits = 64 - (most - least).leading_zeros();
    let concurrency = 1_u64 << rng.u32(..=bits);
    ms((least + rng.u64(..concurrency)).min(most))
}

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}
