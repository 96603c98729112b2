//! Faults on demand: rules that make the service misbehave, as networks and services do.

mod rewriting;
mod rules;

pub(crate) use rules::Faults;

use std::time::Duration;

use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use bytes::Bytes;
use serde_json::{Value, json};

use crate::clock::milliseconds;
use crate::http::When;
use crate::operation::Operation;

/// A fault to inject, and the requests that it affects. Authentication and rate limits come first.
///
/// By default a fault affects all requests. [`on`](Self::on), [`endpoint`](Self::endpoint) and
/// [`times`](Self::times) or [`probability`](Self::probability) restrict it. If several faults match a
/// request, the one added first applies.
///
/// ```
/// use std::time::Duration;
/// use podqueue_local::{Fault, Operation};
///
/// // The next two submissions are processed, and their responses lost.
/// let lost = Fault::lost_response().on(Operation::Run).times(2);
/// // One status read in ten fails at a gateway, the same ones in every run.
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
    chance: Chance,
    pub(crate) delay: Duration,
    pub(crate) processed: bool,
    pub(crate) effect: Effect,
}

#[derive(Clone, Debug)]
enum Chance {
    Always,
    Times(u64),
    Random { probability: f64, random: fastrand::Rng },
}

/// What is done to the response.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// It is sent unchanged.
    Nothing,
    /// Another is sent in its place.
    Response { status: StatusCode, headers: HeaderMap, body: Bytes },
    /// The connection is reset after so many bytes of it.
    Reset { after: u64 },
    /// The connection is reset, and new ones are refused for so long.
    Down { time: Duration },
    /// Its body ends after so many bytes, in an otherwise complete message.
    Truncated { to: usize },
    /// Its body comes in pieces of so many bytes, with a pause before each.
    Drip { piece: usize, pause: Duration },
    /// The connection is closed after so many bytes of the body, though its head promised more.
    Cut { to: usize },
    /// Its head is sent, and its body never.
    Stalled,
    /// Its body is rewritten.
    Rewritten { by: fn(&[u8]) -> Vec<u8> },
    /// It is sent a second time.
    Again { when: When },
}

impl Fault {
    fn new(processed: bool, effect: Effect) -> Self {
        Self {
            operation: None,
            endpoint: None,
            chance: Chance::Always,
            delay: Duration::ZERO,
            processed,
            effect,
        }
    }

    /// Delays processing the request, on the service's clock.
    pub fn delay(by: Duration) -> Self {
        Self::new(true, Effect::Nothing).after(by)
    }

    /// Responds with this status and body instead of processing the request. The content type is JSON
    /// unless [`header`](Self::header) sets another. An invalid status is sent as 500.
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
    /// connections are reset, and the operating system refuses new ones. See [`LocalService::refuse_connections`](crate::LocalService::refuse_connections).
    pub fn down(time: Duration) -> Self {
        Self::new(false, Effect::Down { time })
    }

    /// Processes the request, and resets the connection before the first byte of the response.
    pub fn lost_response() -> Self {
        Self::reset_after(0)
    }

    /// Processes the request, and resets the connection after so many bytes of the response, including
    /// its head.
    pub fn reset_after(bytes: u64) -> Self {
        Self::new(true, Effect::Reset { after: bytes })
    }

    /// Processes the request, and truncates the body of the response to its first `to` bytes: incomplete
    /// JSON in a complete HTTP message.
    pub fn truncated(to: usize) -> Self {
        Self::new(true, Effect::Truncated { to })
    }

    /// Processes the request, and responds with 200 and a body that is not JSON.
    pub fn malformed() -> Self {
        Self::response(200, "{\"id\": oops").processed()
    }

    /// Processes the request, and sends the body of the response in pieces of so many bytes, with a
    /// pause on the service's clock before each.
    pub fn drip(piece: usize, pause: Duration) -> Self {
        Self::new(true, Effect::Drip { piece: piece.max(1), pause })
    }

    /// Responds with a web page, as a gateway before the service does, instead of processing the request.
    pub fn gateway(status: u16) -> Self {
        let page = "<!DOCTYPE html><html><title>Gateway</title><h1>Try again later</h1></html>";
        Self::response(status, page).header("content-type", "text/html")
    }

    /// Processes the request, and closes the connection after so many bytes of the response's body,
    /// though its head announces all of it.
    pub fn cut(to: usize) -> Self {
        Self::new(true, Effect::Cut { to })
    }

    /// Processes the request, and sends the head of the response but no body, until the client gives
    /// up or the service stops.
    pub fn stall() -> Self {
        Self::new(true, Effect::Stalled)
    }

    /// Processes the request, and turns the job record in the response into that of another job:
    /// completed, with another id. Other responses are unchanged.
    pub fn foreign() -> Self {
        Self::new(true, Effect::Rewritten { by: rewriting::foreign })
    }

    /// Processes the request, and replaces every number in the output of the job record in the
    /// response with NaN, as Python writes it. Other responses are unchanged.
    pub fn nan() -> Self {
        Self::new(true, Effect::Rewritten { by: rewriting::nan })
    }

    /// Processes the request, and puts a byte order mark in front of the body of the response.
    pub fn byte_order_mark() -> Self {
        Self::new(true, Effect::Rewritten { by: rewriting::byte_order_mark })
    }

    /// Processes the request, and sends the response twice.
    pub fn duplicated() -> Self {
        Self::new(true, Effect::Again { when: When::AtOnce })
    }

    /// Processes the request, and sends the response once more in front of the next one on the same
    /// connection: the next request gets it, and the connection is out of step.
    pub fn out_of_step() -> Self {
        Self::new(true, Effect::Again { when: When::BeforeTheNext })
    }

    /// Sets a header of the response of [`response`](Self::response). An invalid header is ignored, and
    /// so is a `content-length` that does not match the body; use [`cut`](Self::cut) for a body that is
    /// shorter than announced.
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

    /// Restricts the fault to the next so many matching requests.
    pub fn times(mut self, times: u64) -> Self {
        self.chance = Chance::Times(times);
        self
    }

    /// Affects each matching request with this probability, from 0 to 1. The same seed selects the
    /// same requests.
    pub fn probability(mut self, probability: f64, seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        self.chance = Chance::Random { probability, random };
        self
    }

    /// What is said of a fault that was added in Rust: whom it affects, and what it does in a word.
    fn text(&self) -> Value {
        let effect = match self.effect {
            Effect::Nothing => None,
            Effect::Response { .. } => Some("response"),
            Effect::Reset { .. } => Some("reset"),
            Effect::Down { .. } => Some("down"),
            Effect::Truncated { .. } => Some("truncate"),
            Effect::Drip { .. } => Some("drip"),
            Effect::Cut { .. } => Some("cut"),
            Effect::Stalled => Some("stall"),
            Effect::Rewritten { .. } => Some("rewrite"),
            Effect::Again { .. } => Some("again"),
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

    fn fits(&self, operation: Operation, endpoint: Option<&str>) -> bool {
        self.operation.is_none_or(|of| of == operation)
            && self.endpoint.as_deref().is_none_or(|of| Some(of) == endpoint)
    }

    /// How many more requests it affects; none where that is not limited.
    fn left(&self) -> Option<u64> {
        match self.chance {
            Chance::Times(left) => Some(left),
            Chance::Always | Chance::Random { .. } => None,
        }
    }

    fn happens(&mut self) -> bool {
        match &mut self.chance {
            Chance::Always => true,
            Chance::Times(0) => false,
            Chance::Times(left) => {
                *left -= 1;
                true
            }
            Chance::Random { probability, random } => random.f64() < *probability,
        }
    }
}
