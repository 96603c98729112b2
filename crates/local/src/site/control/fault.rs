//! A fault as JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::{HeaderName, HeaderValue};
use serde::Deserialize;

use crate::faults::Fault;
use crate::operation::Operation;
use crate::refusal::Refusal;

/// Whom a fault hits, and at most one effect.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct FaultRule {
    operation: Option<Operation>,
    endpoint: Option<String>,
    times: Option<u64>,
    probability: Option<f64>,
    #[serde(default)]
    seed: u64,
    #[serde(default)]
    delay_ms: u64,
    processed: Option<bool>,
    response: Option<Response>,
    reset: Option<Reset>,
    down: Option<Down>,
    truncate: Option<usize>,
    drip: Option<Drip>,
    cut: Option<usize>,
    #[serde(default)]
    stall: bool,
    rewrite: Option<Rewrite>,
    again: Option<Again>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rewrite {
    Foreign,
    Nan,
    ByteOrderMark,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Again {
    AtOnce,
    BeforeTheNext,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Response {
    status: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Reset {
    #[serde(default)]
    after_bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Down {
    ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Drip {
    bytes: usize,
    pause_ms: u64,
}

impl Response {
    fn into_fault(self) -> Result<Fault, Refusal> {
        // Those below are not final.
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

impl FaultRule {
    pub(super) fn into_fault(self) -> Result<Fault, Refusal> {
        let delay = Duration::from_millis(self.delay_ms);
        let effects = [
            self.response.map(Response::into_fault).transpose()?,
            self.reset.map(|Reset { after_bytes }| match after_bytes {
                0 => Fault::reset(),
                bytes => Fault::reset_after(bytes),
            }),
            self.down.map(|Down { ms }| Fault::down(Duration::from_millis(ms))),
            self.truncate.map(Fault::truncated),
            self.drip.map(|Drip { bytes, pause_ms }| {
                Fault::drip(bytes, Duration::from_millis(pause_ms))
            }),
            self.cut.map(Fault::cut),
            self.stall.then(Fault::stall),
            self.rewrite.map(|rewrite| match rewrite {
                Rewrite::Foreign => Fault::foreign(),
                Rewrite::Nan => Fault::nan(),
                Rewrite::ByteOrderMark => Fault::byte_order_mark(),
            }),
            self.again.map(|again| match again {
                Again::AtOnce => Fault::duplicated(),
                Again::BeforeTheNext => Fault::out_of_step(),
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
