//! Fault injection: faults that make a fake misbehave, as networks and services do.
//!
//! Names and meaning are those of the faults of `podqueue-local`.

use std::time::Duration;

use bytes::Bytes;
use fastrand::Rng;
use hyper::StatusCode;

/// A fault to inject, and the requests that it affects. A request that the description refuses is
/// refused before.
///
/// By default a fault affects all requests. [`on`](Self::on) and [`times`](Self::times) or
/// [`probability`](Self::probability) restrict it. If several faults match a request, the fault that
/// was added first applies.
///
/// ```
/// use podqueue_fake::Fault;
///
/// // The next two creations are processed, and their responses lost.
/// let lost = Fault::lost_response().on("addPet").times(2);
/// // One read in ten fails at a gateway, the same reads in every run.
/// let gateway = Fault::gateway(503).on("GET /pets").probability(0.1, 42);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a fault does nothing until it is added to a fake"]
pub struct Fault {
    operation: Option<String>,
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
    Random { probability: f64, random: Rng },
}

/// The effect of a fault on the response.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    /// The response is sent unchanged.
    None,
    /// Another response is sent instead.
    Response { status: StatusCode, headers: Vec<(String, String)>, body: Bytes },
    /// The connection is closed without a response.
    Reset,
    /// The body ends after this number of bytes, in an otherwise complete message.
    Truncated { to: usize },
    /// The connection is closed after this many bytes of the body, less than its head announced.
    Cut { to: usize },
    /// The head is sent, but no body.
    Stalled,
}

impl Fault {
    fn new(processed: bool, effect: Effect) -> Self {
        let (operation, frequency) = (None, Frequency::Always);
        Self { operation, frequency, delay: Duration::ZERO, processed, effect }
    }

    /// Delays processing the request, on the fake's clock.
    pub fn delay(by: Duration) -> Self {
        Self::new(true, Effect::None).after(by)
    }

    /// Responds with this status and body instead of processing the request. The content type is
    /// JSON unless [`header`](Self::header) sets another. An invalid status is sent as 500.
    pub fn response(status: u16, body: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let effect = Effect::Response { status, headers: Vec::new(), body: body.into().into() };
        Self::new(false, effect).header("content-type", "application/json")
    }

    /// Responds with a web page, as a gateway before the service does, instead of processing the
    /// request.
    pub fn gateway(status: u16) -> Self {
        let page = "<!DOCTYPE html><html><title>Gateway</title><h1>Try again later</h1></html>";
        Self::response(status, page).header("content-type", "text/html")
    }

    /// Closes the connection instead of processing the request.
    pub fn reset() -> Self {
        Self::new(false, Effect::Reset)
    }

    /// Processes the request, and closes the connection before the first byte of the response.
    pub fn lost_response() -> Self {
        Self::new(true, Effect::Reset)
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

    /// Processes the request, and closes the connection after this many bytes of the response's
    /// body, though its head announces all of it.
    pub fn cut(to: usize) -> Self {
        Self::new(true, Effect::Cut { to })
    }

    /// Processes the request, and sends the head of the response but no body, until the client
    /// gives up or the fake stops.
    pub fn stall() -> Self {
        Self::new(true, Effect::Stalled)
    }

    /// Sets a header of the response of [`response`](Self::response). An invalid header is ignored.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Effect::Response { headers, .. } = &mut self.effect {
            headers.retain(|(it, _)| !it.eq_ignore_ascii_case(name));
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Delays the fault, on the fake's clock.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Processes the request, and only replaces its response.
    pub fn processed(mut self) -> Self {
        self.processed = true;
        self
    }

    /// Restricts the fault to an operation: its `operationId`, or its method and path,
    /// `GET /pets/{id}`.
    pub fn on(mut self, operation: impl Into<String>) -> Self {
        self.operation = Some(operation.into());
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
        let random = Rng::with_seed(seed);
        self.frequency = Frequency::Random { probability, random };
        self
    }

    /// The operation that the fault is restricted to.
    pub(crate) fn operation(&self) -> Option<&str> {
        self.operation.as_deref()
    }

    /// Returns true if the fault affects the next matching request.
    pub(crate) fn strikes(&mut self) -> bool {
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
