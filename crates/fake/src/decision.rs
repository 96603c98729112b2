//! Decision: the response that is planned for a request, and its record.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use hyper::HeaderMap;
use serde_json::Value;

use crate::operation::{Operation, Received, find};
use crate::pages::make_page;
use crate::planned_response::{PlannedResponse, success};
use crate::{Clock, Description, Error, Fault};

/// The largest number of requests that are kept.
const REQUESTS: usize = 10_000;

/// A request that a fake received, without its credentials: of the headers only those that are
/// described as parameters, and the type of the content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestRecord {
    /// The method and the path of the operation, `GET /pets/{id}`; `None` if there is none.
    pub operation: Option<String>,
    /// The HTTP method.
    pub method: String,
    /// The path as it was sent, with percent-encoding.
    pub path: String,
    /// The query as it was sent, without parameters that are credentials; empty if there was none.
    pub query: String,
    /// The headers, by their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it was sent.
    pub body: Bytes,
    /// The status of the response; `None` if a fault left the request without one.
    pub status: Option<u16>,
    /// True if the request had its effect: it was neither refused nor replaced by a fault.
    pub processed: bool,
}

impl RequestRecord {
    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// State that the server and the handle share.
pub(crate) struct Shared {
    pub(crate) description: Description,
    pub(crate) operations: Vec<Operation>,
    /// Query parameters that are credentials.
    pub(crate) secrets: Vec<String>,
    pub(crate) clock: Clock,
    pub(crate) state: Mutex<State>,
}

/// Settings of the test, and the requests.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) seed: u64,
    pub(crate) faults: Vec<Fault>,
    pub(crate) fixed: BTreeMap<String, Value>,
    pub(crate) requests: Vec<RequestRecord>,
    /// The requests that were dropped from the front of the list.
    dropped: usize,
}

/// A response with the fault that is applied to it, and the number of the request.
pub(crate) struct Decision {
    pub(crate) request: usize,
    pub(crate) planned: PlannedResponse,
    pub(crate) fault: Option<Fault>,
}

impl Shared {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn operation(&self, name: &str) -> Result<&Operation, Error> {
        self.operations.iter().find(|it| it.is_called(name)).ok_or_else(|| {
            let all: Vec<_> = self.operations.iter().take(8).map(|it| it.name.as_str()).collect();
            Error::new(format!(
                "the description has no operation `{name}`; it has {}",
                all.join(", ")
            ))
        })
    }

    /// Records a request and plans its response.
    pub(crate) fn decide(&self, request: &Received<'_>) -> Decision {
        let operation = find(&self.operations, request.method, request.path);
        let checked = match &operation {
            Ok(operation) => operation.check(&self.description, request).map_err(|it| (400, it)),
            Err((status, error)) => Err((*status, error.clone())),
        };
        let operation = operation.ok();
        let mut state = self.state();
        let fault = match (&checked, operation) {
            (Ok(()), Some(operation)) => {
                let mut faults = state.faults.iter_mut();
                faults.find_map(|it| {
                    let matches = it.operation().is_none_or(|name| operation.is_called(name));
                    (matches && it.strikes()).then(|| it.clone())
                })
            }
            _ => None,
        };
        let fixed = operation.and_then(|it| state.fixed.get(&it.name).cloned());
        let seed = state.seed;
        let record = RequestRecord {
            operation: operation.map(|it| it.name.clone()),
            method: request.method.to_owned(),
            path: request.path.to_owned(),
            query: self.without_secrets(request.query),
            headers: operation.map_or_else(Vec::new, |it| self.described(it, request.headers)),
            body: Bytes::copy_from_slice(request.body),
            status: None,
            processed: checked.is_ok() && fault.as_ref().is_none_or(|it| it.processed),
        };
        state.requests.push(record);
        if state.requests.len() > REQUESTS {
            state.requests.remove(0);
            state.dropped += 1;
        }
        let number = state.requests.len() + state.dropped - 1;
        drop(state);
        let planned = match (checked, operation) {
            (Ok(()), Some(operation)) => {
                let success = success(&self.description, operation);
                let body = [
                    operation.name.as_bytes(),
                    request.path.as_bytes(),
                    request.query.as_bytes(),
                    request.body,
                ];
                match fixed {
                    Some(value) => success.fixed(&value),
                    None => {
                        let seed = hash(seed, &body);
                        match success.response(&self.description, request.headers, seed) {
                            Ok(mut planned) => {
                                let schema = success.json_schema(&self.description);
                                let description = &self.description;
                                make_page(description, operation, schema, request, &mut planned);
                                planned
                            }
                            Err(error) => {
                                let error = Error::new(format!(
                                    "no value of the response of {} was made: {error}",
                                    operation.name
                                ));
                                PlannedResponse::refusal(500, &error)
                            }
                        }
                    }
                }
            }
            (Err((status, error)), _) => PlannedResponse::refusal(status, &error),
            (Ok(()), None) => PlannedResponse::refusal(404, &Error::new("no operation")),
        };
        Decision { request: number, planned, fault }
    }

    /// Records the status of the response that was sent.
    pub(crate) fn responded(&self, request: usize, status: u16) {
        let mut state = self.state();
        let place = request.checked_sub(state.dropped);
        if let Some(record) = place.and_then(|it| state.requests.get_mut(it)) {
            record.status = Some(status);
        }
    }

    fn without_secrets(&self, query: &str) -> String {
        let name = |it: &str| it.split('=').next().unwrap_or_default().to_owned();
        let kept = query.split('&').filter(|it| !self.secrets.contains(&name(it)));
        kept.collect::<Vec<_>>().join("&")
    }

    fn described(&self, operation: &Operation, headers: &HeaderMap) -> Vec<(String, String)> {
        let names = operation.headers(&self.description);
        let names =
            names.iter().map(|it| it.to_ascii_lowercase()).chain(["content-type".to_owned()]);
        let given = names.filter(|it| it != "authorization" && it != "cookie").filter_map(|name| {
            let value = String::from_utf8_lossy(headers.get(&name)?.as_bytes()).into_owned();
            Some((name, value))
        });
        given.collect()
    }
}

/// FNV-1a: the same in every version and on every machine.
fn hash(seed: u64, parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter().copied().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
