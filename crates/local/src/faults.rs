//! Faults on demand: rules that make the service misbehave, as networks and services do.

mod rewriting;

use std::sync::Mutex;
use std::time::Duration;

use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use bytes::Bytes;

use crate::http::When;
use crate::operation::Operation;
use crate::sync::locked;

/// One way to misbehave, and for which requests. Authentication and rate limits come before it.
///
/// The requests are chosen by [`on`](Self::on), [`endpoint`](Self::endpoint) and then
/// [`times`](Self::times) or [`probability`](Self::probability); with none of these, all are. Of
/// several faults that fit a request, the one added first is taken.
///
/// ```
/// use std::time::Duration;
/// use podqueue_local::{Fault, Operation};
///
/// // The next two submissions are processed, and their answers lost.
/// let lost = Fault::lost_answer().on(Operation::Run).times(2);
/// // One status read in ten is answered by a gateway, the same ones in every run.
/// let gateway = Fault::answer(503, "<html>upstream unavailable</html>")
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

/// What is done to the answer.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// It is sent as it is.
    Nothing,
    /// Another is sent in its place.
    Answer { status: StatusCode, headers: HeaderMap, body: Bytes },
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

    /// The request is processed this much later, on the service's clock.
    pub fn delay(by: Duration) -> Self {
        Self::new(true, Effect::Nothing).after(by)
    }

    /// The request is not processed, and this is answered. The content type is JSON unless
    /// [`header`](Self::header) says otherwise. A status that HTTP does not know is sent as 500.
    pub fn answer(status: u16, body: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let effect = Effect::Answer { status, headers: HeaderMap::new(), body: body.into().into() };
        Self::new(false, effect).header("content-type", "application/json")
    }

    /// The request is not processed, and its client is sent elsewhere.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::answer(status, "").header("location", location)
    }

    /// The connection is reset before the request is processed.
    pub fn reset() -> Self {
        Self::new(false, Effect::Reset { after: 0 })
    }

    /// The service goes down on the request, before processing it, and is back after so much real
    /// time: all open connections are reset, and new ones are refused by the operating system.
    /// See [`LocalService::refuse_connections`](crate::LocalService::refuse_connections).
    pub fn down(time: Duration) -> Self {
        Self::new(false, Effect::Down { time })
    }

    /// The request is processed, and the connection is reset before the first byte of the answer.
    pub fn lost_answer() -> Self {
        Self::reset_after(0)
    }

    /// The request is processed, and the connection is reset after so many bytes of the answer,
    /// its head counted.
    pub fn reset_after(bytes: u64) -> Self {
        Self::new(true, Effect::Reset { after: bytes })
    }

    /// The request is processed, and the body of the answer has only its first bytes: cut JSON
    /// in a complete HTTP message.
    pub fn truncated(to: usize) -> Self {
        Self::new(true, Effect::Truncated { to })
    }

    /// The request is processed, and answered with 200 and a body that is no JSON.
    pub fn malformed() -> Self {
        Self::answer(200, "{\"id\": oops").processed()
    }

    /// The request is processed, and the body of the answer comes in pieces of so many bytes,
    /// with a pause on the service's clock before each.
    pub fn drip(piece: usize, pause: Duration) -> Self {
        Self::new(true, Effect::Drip { piece: piece.max(1), pause })
    }

    /// The request is not processed, and a gateway before the service responds with a web page.
    pub fn gateway(status: u16) -> Self {
        let page = "<!DOCTYPE html><html><title>Gateway</title><h1>Try again later</h1></html>";
        Self::answer(status, page).header("content-type", "text/html")
    }

    /// The request is processed, and the connection is closed after so many bytes of the response's
    /// body, though its head promised all of it.
    pub fn cut(to: usize) -> Self {
        Self::new(true, Effect::Cut { to })
    }

    /// The request is processed, and the head of the response is sent, but its body never, until the
    /// client gives up or the service stops.
    pub fn stall() -> Self {
        Self::new(true, Effect::Stalled)
    }

    /// The request is processed, and the record in the response is that of another job: completed, and
    /// with another id. Responses that are no records stay unchanged.
    pub fn foreign() -> Self {
        Self::new(true, Effect::Rewritten { by: rewriting::foreign })
    }

    /// The request is processed, and every number in the output of the record in the response is NaN,
    /// as Python writes it. Responses that are no records stay unchanged.
    pub fn nan() -> Self {
        Self::new(true, Effect::Rewritten { by: rewriting::nan })
    }

    /// The request is processed, and the body of the response begins with a byte order mark.
    pub fn byte_order_mark() -> Self {
        Self::new(true, Effect::Rewritten { by: rewriting::byte_order_mark })
    }

    /// The request is processed, and the response is sent twice.
    pub fn duplicated() -> Self {
        Self::new(true, Effect::Again { when: When::AtOnce })
    }

    /// The request is processed, and the response is sent once more in front of the next one on the
    /// same connection: whoever asks next gets it, and the connection is out of step.
    pub fn out_of_step() -> Self {
        Self::new(true, Effect::Again { when: When::BeforeTheNext })
    }

    /// Adds a header to what [`answer`](Self::answer) sends, in place of one of that name. One
    /// that HTTP does not allow is left out, and so is a `content-length` that is not the body's:
    /// for a body shorter than its head promises there is [`cut`](Self::cut).
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Effect::Answer { headers, body, .. } = &mut self.effect
            && let (Ok(name), Ok(value)) =
                (name.parse::<HeaderName>(), value.parse::<HeaderValue>())
            && (name != CONTENT_LENGTH || value == body.len().to_string())
        {
            headers.insert(name, value);
        }
        self
    }

    /// Whatever the fault does, it does it this much later, on the service's clock.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The request is processed all the same, where the fault would not let it be: only its
    /// answer is not the true one.
    pub fn processed(mut self) -> Self {
        self.processed = true;
        self
    }

    /// Only requests for this operation.
    pub fn on(mut self, operation: Operation) -> Self {
        self.operation = Some(operation);
        self
    }

    /// Only requests to this endpoint.
    pub fn endpoint(mut self, name: impl Into<String>) -> Self {
        self.endpoint = Some(name.into());
        self
    }

    /// Only the next so many of the requests that fit.
    pub fn times(mut self, times: u64) -> Self {
        self.chance = Chance::Times(times);
        self
    }

    /// Each request that fits with this probability, from 0 to 1. The same seed chooses the same
    /// requests.
    pub fn probability(mut self, probability: f64, seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        self.chance = Chance::Random { probability, random };
        self
    }

    fn fits(&self, operation: Operation, endpoint: Option<&str>) -> bool {
        self.operation.is_none_or(|of| of == operation)
            && self.endpoint.as_deref().is_none_or(|of| Some(of) == endpoint)
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

/// The faults of a service.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    rules: Mutex<Vec<Fault>>,
}

impl Faults {
    pub(crate) fn add(&self, fault: Fault) {
        locked(&self.rules).push(fault);
    }

    pub(crate) fn clear(&self) {
        locked(&self.rules).clear();
    }

    /// The fault that a request suffers, if any.
    pub(crate) fn of(&self, operation: Operation, endpoint: Option<&str>) -> Option<Fault> {
        let mut rules = locked(&self.rules);
        if rules.is_empty() {
            return None;
        }
        let index =
            rules.iter_mut().position(|rule| rule.fits(operation, endpoint) && rule.happens())?;
        let fault = rules[index].clone();
        rules.retain(|rule| !matches!(rule.chance, Chance::Times(0)));
        Some(fault)
    }
}
