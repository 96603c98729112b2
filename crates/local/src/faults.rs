//! Fault injection: faults that make the service misbehave, as networks and services do.
//!
//! A [`Fault`] consists of the requests that it affects and its effect; [`FaultJson`] is its form
//! in the control plane; [`FaultInjector`] holds the faults in effect and chooses the fault of a
//! request. `router/fault_injection.rs` applies the effect to a request and its response.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::changes::Changes;
use crate::clock::milliseconds;
use crate::error::Refusal;
use crate::http::RepeatTiming;
use crate::operation::Operation;
use crate::queue::Mode;
use crate::tasks::locked;

/// A fault to inject, and the requests that it affects. Authentication and rate limits come first.
///
/// By default a fault affects all requests. [`on`](Self::on), [`endpoint`](Self::endpoint) and
/// [`times`](Self::times) or [`probability`](Self::probability) restrict it. If several faults
/// match a request, the fault that was added first applies.
///
/// ```
/// use std::time::Duration;
/// use podqueue_local::{Fault, Operation};
///
/// // The next two submissions are processed, and their responses lost.
/// let lost = Fault::lost_response().on(Operation::Run).times(2);
/// // One status read in ten fails at a gateway, the same reads in every run.
/// let gateway = Fault::response(503, "<html>upstream unavailable</html>")
///     .header("content-type", "text/html")
///     .header("retry-after", "3")
///     .on(Operation::Status)
///     .endpoint("echo")
///     .probability(0.1, 42);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a fault does nothing until it is added to a service"]
pub struct Fault {
    operation: Option<Operation>,
    endpoint: Option<String>,
    frequency: Frequency,
    pub(crate) delay: Duration,
    pub(crate) processed: bool,
    pub(crate) effect: Effect,
}

/// Part of the matching requests that is affected.
#[derive(Clone, Debug)]
enum Frequency {
    Always,
    Times(u64),
    Random { probability: f64, random: fastrand::Rng },
}

/// The effect of a fault on the response.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// The response is sent unchanged.
    None,
    /// Another response is sent instead.
    Response { status: StatusCode, headers: HeaderMap, body: Bytes },
    /// The connection is reset after this many bytes of it.
    Reset { after: u64 },
    /// The connection is reset, and new connections are refused for this time.
    Down { time: Duration },
    /// The body ends after this number of bytes, in an otherwise complete message.
    Truncated { to: usize },
    /// The body is sent in pieces of this number of bytes, with a pause before each.
    Drip { piece: usize, pause: Duration },
    /// The connection is closed after this many bytes of the body, less than its head announced.
    Cut { to: usize },
    /// The head is sent, but no body.
    Stalled,
    /// The body is rewritten.
    Rewritten { by: fn(&[u8]) -> Vec<u8> },
    /// The response is sent a second time.
    Repeated { timing: RepeatTiming },
}

impl Fault {
    fn new(processed: bool, effect: Effect) -> Self {
        Self {
            operation: None,
            endpoint: None,
            frequency: Frequency::Always,
            delay: Duration::ZERO,
            processed,
            effect,
        }
    }

    /// Delays processing the request, on the service's clock.
    pub fn delay(by: Duration) -> Self {
        Self::new(true, Effect::None).after(by)
    }

    /// Responds with this status and body instead of processing the request. The content type is
    /// JSON unless [`header`](Self::header) sets another. An invalid status is sent as 500.
    pub fn response(status: u16, body: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let effect =
            Effect::Response { status, headers: HeaderMap::new(), body: body.into().into() };
        Self::new(false, effect).header("content-type", "application/json")
    }

    /// Redirects the client instead of processing the request.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::response(status, "").header("location", location)
    }

    /// Resets the connection instead of processing the request.
    pub fn reset() -> Self {
        Self::new(false, Effect::Reset { after: 0 })
    }

    /// Takes the service down instead of processing the request, for `time` in real time: all open
    /// connections are reset, and the operating system refuses new connections. See
    /// [`LocalService::refuse_connections`](crate::LocalService::refuse_connections).
    pub fn down(time: Duration) -> Self {
        Self::new(false, Effect::Down { time })
    }

    /// Processes the request, and resets the connection before the first byte of the response.
    pub fn lost_response() -> Self {
        Self::reset_after(0)
    }

    /// Processes the request, and resets the connection after this many bytes of the response,
    /// including its head.
    pub fn reset_after(bytes: u64) -> Self {
        Self::new(true, Effect::Reset { after: bytes })
    }

    /// Processes the request, and truncates the body of the response to its first `to` bytes:
    /// incomplete JSON in a complete HTTP message.
    pub fn truncated(to: usize) -> Self {
        Self::new(true, Effect::Truncated { to })
    }

    /// Processes the request, and responds with 200 and a body that is not JSON.
    pub fn malformed() -> Self {
        Self::response(200, "{\"id\": oops").processed()
    }

    /// Processes the request, and sends the body of the response in pieces of this many bytes, with
    /// a pause on the service's clock before each.
    pub fn drip(piece: usize, pause: Duration) -> Self {
        Self::new(true, Effect::Drip { piece: piece.max(1), pause })
    }

    /// Responds with a web page, as a gateway before the service does, instead of processing the
    /// request.
    pub fn gateway(status: u16) -> Self {
        let page = "<!DOCTYPE html><html><title>Gateway</title><h1>Try again later</h1></html>";
        Self::response(status, page).header("content-type", "text/html")
    }

    /// Processes the request, and closes the connection after this many bytes of the response's
    /// body, though its head announces all of it.
    pub fn cut(to: usize) -> Self {
        Self::new(true, Effect::Cut { to })
    }

    /// Processes the request, and sends the head of the response but no body, until the client
    /// gives up or the service stops.
    pub fn stall() -> Self {
        Self::new(true, Effect::Stalled)
    }

    /// Processes the request, and turns the job record in the response into that of another job:
    /// completed, with another id. Other responses are unchanged.
    pub fn foreign() -> Self {
        Self::new(true, Effect::Rewritten { by: into_foreign_record })
    }

    /// Processes the request, and replaces every number in the output of the job record in the
    /// response with NaN, as Python writes it. Other responses are unchanged.
    pub fn nan() -> Self {
        Self::new(true, Effect::Rewritten { by: numbers_into_nan })
    }

    /// Processes the request, and puts a byte order mark in front of the body of the response.
    pub fn byte_order_mark() -> Self {
        Self::new(true, Effect::Rewritten { by: with_byte_order_mark })
    }

    /// Processes the request, and sends the response twice.
    pub fn duplicated() -> Self {
        Self::new(true, Effect::Repeated { timing: RepeatTiming::Immediately })
    }

    /// Processes the request, and sends the response once more in front of the next response on the
    /// same connection: the next request gets it, and the connection is desynchronized.
    pub fn out_of_step() -> Self {
        Self::new(true, Effect::Repeated { timing: RepeatTiming::BeforeNextResponse })
    }

    /// Sets a header of the response of [`response`](Self::response). An invalid header is ignored,
    /// and so is a `content-length` that does not match the body; use [`cut`](Self::cut) for a body
    /// that is shorter than announced.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Effect::Response { headers, body, .. } = &mut self.effect
            && let (Ok(name), Ok(value)) =
                (name.parse::<HeaderName>(), value.parse::<HeaderValue>())
            && (name != CONTENT_LENGTH || value == body.len().to_string())
        {
            headers.insert(name, value);
        }
        self
    }

    /// Delays the fault, on the service's clock.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Processes the request, and only replaces its response.
    pub fn processed(mut self) -> Self {
        self.processed = true;
        self
    }

    /// Restricts the fault to this operation.
    pub fn on(mut self, operation: Operation) -> Self {
        self.operation = Some(operation);
        self
    }

    /// Restricts the fault to this endpoint.
    pub fn endpoint(mut self, name: impl Into<String>) -> Self {
        self.endpoint = Some(name.into());
        self
    }

    /// Restricts the fault to the next `times` matching requests.
    pub fn times(mut self, times: u64) -> Self {
        self.frequency = Frequency::Times(times);
        self
    }

    /// Affects each matching request with this probability, from 0 to 1. The same seed selects the
    /// same requests.
    pub fn probability(mut self, probability: f64, seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        self.frequency = Frequency::Random { probability, random };
        self
    }

    /// A summary of a fault that was added in Rust: the requests that it affects, and its effect.
    fn summary(&self) -> Value {
        let effect = match self.effect {
            Effect::None => None,
            Effect::Response { .. } => Some("response"),
            Effect::Reset { .. } => Some("reset"),
            Effect::Down { .. } => Some("down"),
            Effect::Truncated { .. } => Some("truncate"),
            Effect::Drip { .. } => Some("drip"),
            Effect::Cut { .. } => Some("cut"),
            Effect::Stalled => Some("stall"),
            Effect::Rewritten { .. } => Some("rewrite"),
            Effect::Repeated { .. } => Some("again"),
        };
        let delay = (!self.delay.is_zero()).then(|| milliseconds(self.delay));
        let members = [
            ("operation", json!(self.operation)),
            ("endpoint", json!(self.endpoint)),
            ("delayMs", json!(delay)),
            ("effect", json!(effect)),
        ];
        let given = members.into_iter().filter(|(_, value)| !value.is_null());
        Value::Object(given.map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn matches(&self, operation: Operation, endpoint: Option<&str>) -> bool {
        self.operation.is_none_or(|of| of == operation)
            && self.endpoint.as_deref().is_none_or(|of| Some(of) == endpoint)
    }

    /// Remaining number of requests that the fault affects; `None` for no limit.
    fn left(&self) -> Option<u64> {
        match self.frequency {
            Frequency::Times(left) => Some(left),
            Frequency::Always | Frequency::Random { .. } => None,
        }
    }

    /// Returns true if the fault affects the next matching request.
    fn strikes(&mut self) -> bool {
        match &mut self.frequency {
            Frequency::Always => true,
            Frequency::Times(0) => false,
            Frequency::Times(left) => {
                *left -= 1;
                true
            }
            Frequency::Random { probability, random } => random.f64() < *probability,
        }
    }
}

/// A fault in effect.
#[derive(Debug)]
struct ActiveFault {
    id: u64,
    fault: Fault,
    /// The JSON with which it was added to the control plane.
    json: Option<Value>,
    /// The name of its scenario, if it is of one.
    scenario: Option<Arc<str>>,
    affected: u64,
}

/// A fault in effect, as the control plane lists it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct FaultRecord {
    id: u64,
    #[serde(flatten)]
    fault: Value,
    /// Remaining number of requests that the fault affects; `None` for no limit.
    left: Option<u64>,
    affected: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scenario: Option<String>,
}

/// The faults in effect, in the order in which they were added.
#[derive(Debug)]
pub(crate) struct FaultInjector {
    changes: Changes,
    active: Mutex<ActiveFaults>,
}

#[derive(Debug, Default)]
struct ActiveFaults {
    all: Vec<ActiveFault>,
    added: u64,
    /// Grows with each change.
    revision: u64,
}

impl ActiveFaults {
    fn add(&mut self, fault: Fault, json: Option<Value>, scenario: Option<Arc<str>>) -> u64 {
        self.added += 1;
        let id = self.added;
        self.all.push(ActiveFault { id, fault, json, scenario, affected: 0 });
        id
    }

    /// Removes the faults of a scenario.
    fn end(&mut self, scenario: &str) {
        self.all.retain(|active| active.scenario.as_deref() != Some(scenario));
    }
}

impl FaultInjector {
    pub(crate) fn new(changes: Changes) -> Self {
        Self { changes, active: Mutex::default() }
    }

    /// Adds a fault, with its JSON if it has some. Returns its id.
    pub(crate) fn add(&self, fault: Fault, json: Option<Value>) -> u64 {
        self.change(|faults| faults.add(fault, json, None))
    }

    /// Adds the faults of a scenario, each with its JSON, in place of those that it has.
    pub(crate) fn start(&self, scenario: &Arc<str>, all: Vec<(Fault, Value)>) {
        self.change(|faults| {
            faults.end(scenario);
            for (fault, json) in all {
                faults.add(fault, Some(json), Some(scenario.clone()));
            }
        });
    }

    /// Removes the faults of a scenario.
    pub(crate) fn end(&self, scenario: &str) {
        self.change(|faults| faults.end(scenario));
    }

    /// The names of the scenarios with a fault in effect.
    pub(crate) fn active_scenarios(&self) -> HashSet<Arc<str>> {
        let faults = locked(&self.active);
        faults.all.iter().filter_map(|active| active.scenario.clone()).collect()
    }

    pub(crate) fn clear(&self) {
        self.change(|faults| faults.all.clear());
    }

    /// Removes a fault. Returns true if a fault had this id.
    pub(crate) fn remove(&self, id: u64) -> bool {
        self.change(|faults| {
            let before = faults.all.len();
            faults.all.retain(|active| active.id != id);
            faults.all.len() < before
        })
    }

    pub(crate) fn list(&self) -> Vec<FaultRecord> {
        let faults = locked(&self.active);
        let record = |active: &ActiveFault| FaultRecord {
            id: active.id,
            fault: active.json.clone().unwrap_or_else(|| active.fault.summary()),
            left: active.fault.left(),
            affected: active.affected,
            scenario: active.scenario.as_deref().map(str::to_owned),
        };
        faults.all.iter().map(record).collect()
    }

    /// Grows with each change.
    pub(crate) fn revision(&self) -> u64 {
        locked(&self.active).revision
    }

    fn change<R>(&self, change: impl FnOnce(&mut ActiveFaults) -> R) -> R {
        let mut faults = locked(&self.active);
        faults.revision += 1;
        let result = change(&mut faults);
        drop(faults);
        self.changes.notify();
        result
    }

    /// The fault that affects a request, if any.
    pub(crate) fn next_fault(&self, operation: Operation, endpoint: Option<&str>) -> Option<Fault> {
        let mut faults = locked(&self.active);
        let mut matching =
            faults.all.iter_mut().filter(|active| active.fault.matches(operation, endpoint));
        let active = matching.find_map(|active| active.fault.strikes().then_some(active))?;
        active.affected += 1;
        let fault = active.fault.clone();
        faults.all.retain(|active| active.fault.left() != Some(0));
        faults.revision += 1;
        drop(faults);
        self.changes.notify();
        Some(fault)
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The placeholder for NaN in a JSON value.
const NAN_PLACEHOLDER: &str = "7f3e9a0c-not-a-number";

/// Turns a job record into that of another job.
fn into_foreign_record(body: &[u8]) -> Vec<u8> {
    with_record(body, |record| {
        let mode = match record["id"].as_str() {
            Some(id) if id.starts_with("sync-") => Mode::Sync { wait: Duration::ZERO },
            _ => Mode::Async,
        };
        record["id"] = json!(&*mode.new_id());
        record["status"] = json!("COMPLETED");
        record["output"] = json!("of another job");
    })
}

/// Replaces the numbers in the output of a job record by NaN.
fn numbers_into_nan(body: &[u8]) -> Vec<u8> {
    let body = with_record(body, |record| {
        if let Some(output) = record.get_mut("output") {
            replace_numbers(output);
        }
    });
    match String::from_utf8(body) {
        Ok(text) => text.replace(&format!("\"{NAN_PLACEHOLDER}\""), "NaN").into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

fn with_byte_order_mark(body: &[u8]) -> Vec<u8> {
    [BYTE_ORDER_MARK, body].concat()
}

/// Changes a body if it is a job record.
fn with_record(body: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    match serde_json::from_slice::<Value>(body) {
        Ok(mut record) if record["id"].is_string() && record["status"].is_string() => {
            change(&mut record);
            record.to_string().into_bytes()
        }
        _ => body.to_vec(),
    }
}

fn replace_numbers(value: &mut Value) {
    match value {
        Value::Number(_) => *value = json!(NAN_PLACEHOLDER),
        Value::Array(items) => items.iter_mut().for_each(replace_numbers),
        Value::Object(members) => members.values_mut().for_each(replace_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// JSON of a fault, as `POST /_local/faults` accepts it: the requests that it affects, and at most
/// one effect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct FaultJson {
    operation: Option<Operation>,
    endpoint: Option<String>,
    times: Option<u64>,
    probability: Option<f64>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    delay_ms: u64,
    processed: Option<bool>,
    response: Option<ResponseJson>,
    reset: Option<ResetJson>,
    down: Option<DownJson>,
    truncate: Option<usize>,
    drip: Option<DripJson>,
    cut: Option<usize>,
    #[serde(default)]
    stall: bool,
    rewrite: Option<RewriteJson>,
    again: Option<RepeatJson>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RewriteJson {
    Foreign,
    Nan,
    ByteOrderMark,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RepeatJson {
    AtOnce,
    BeforeTheNext,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResponseJson {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ResetJson {
    #[serde(default)]
    after_bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DownJson {
    ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct DripJson {
    bytes: usize,
    pause_ms: u64,
}

impl ResponseJson {
    fn into_fault(self) -> Result<Fault, Refusal> {
        // Statuses below 200 are informational: a final response has to follow.
        if !(200..=999).contains(&self.status) {
            return Err(Refusal::invalid("response.status must be from 200 to 999"));
        }
        let length = self.body.len().to_string();
        let mut fault = Fault::response(self.status, self.body);
        for (name, value) in &self.headers {
            if name.parse::<HeaderName>().is_err() || value.parse::<HeaderValue>().is_err() {
                let message = format!("response.headers: {name:?} is not a valid HTTP header");
                return Err(Refusal::invalid(message));
            }
            if name.eq_ignore_ascii_case("content-length") && *value != length {
                let message = "response.headers: content-length must match the body; use cut for a body that ends early";
                return Err(Refusal::invalid(message));
            }
            fault = fault.header(name, value);
        }
        Ok(fault)
    }
}

impl FaultJson {
    pub(crate) fn into_fault(self) -> Result<Fault, Refusal> {
        let delay = Duration::from_millis(self.delay_ms);
        let effects = [
            self.response.map(ResponseJson::into_fault).transpose()?,
            self.reset.map(|ResetJson { after_bytes }| match after_bytes {
                0 => Fault::reset(),
                bytes => Fault::reset_after(bytes),
            }),
            self.down.map(|DownJson { ms }| Fault::down(Duration::from_millis(ms))),
            self.truncate.map(Fault::truncated),
            self.drip.map(|DripJson { bytes, pause_ms }| {
                Fault::drip(bytes, Duration::from_millis(pause_ms))
            }),
            self.cut.map(Fault::cut),
            self.stall.then(Fault::stall),
            self.rewrite.map(|rewrite| match rewrite {
                RewriteJson::Foreign => Fault::foreign(),
                RewriteJson::Nan => Fault::nan(),
                RewriteJson::ByteOrderMark => Fault::byte_order_mark(),
            }),
            self.again.map(|again| match again {
                RepeatJson::AtOnce => Fault::duplicated(),
                RepeatJson::BeforeTheNext => Fault::out_of_step(),
            }),
        ];
        let mut effects = effects.into_iter().flatten();
        let effect = effects.next();
        if effects.next().is_some() {
            return Err(Refusal::invalid(
                "a fault must have at most one of response, reset, down, truncate, drip, cut, stall, \
                 rewrite and again",
            ));
        }
        let mut fault = effect.unwrap_or_else(|| Fault::delay(Duration::ZERO)).after(delay);
        if self.operation == Some(Operation::Control) {
            let message = "a fault cannot be on control, which is no operation of the service";
            return Err(Refusal::invalid(message));
        }
        if let Some(operation) = self.operation {
            fault = fault.on(operation);
        }
        if let Some(endpoint) = self.endpoint {
            fault = fault.endpoint(endpoint);
        }
        fault = match (self.times, self.probability) {
            (None, None) => fault,
            (Some(times), None) => fault.times(times),
            (None, Some(probability)) if (0.0..=1.0).contains(&probability) => {
                fault.probability(probability, self.seed)
            }
            (None, Some(_)) => {
                return Err(Refusal::invalid("probability must be from 0 to 1"));
            }
            (Some(_), Some(_)) => {
                return Err(Refusal::invalid("a fault must not have both times and probability"));
            }
        };
        Ok(if self.processed == Some(true) { fault.processed() } else { fault })
    }
}
