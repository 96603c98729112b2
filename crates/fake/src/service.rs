//! A running fake: its URL, seed, fixed responses, faults, clock and requests.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use bytes::Bytes;
use hyper::HeaderMap;
use serde_json::Value;
use tokio::sync::oneshot;

use crate::answer::{Answer, success};
use crate::operation::{Operation, Received, find, operations};
use crate::{Clock, Description, Error, Fault, server};

/// How many requests are kept.
const REQUESTS: usize = 10_000;

/// A fake of the service that a description describes: a server on this machine, on a thread of its
/// own. Dropping it stops it.
///
/// - A request that the description has no path or method for gets 404 or 405, and one with an
///   invalid or missing parameter or body 400: with one line that names what is refused,
///   `{"error": "the query parameter `limit`: …"}`. Authorization is not checked.
/// - Any other request gets the described success, with a value that conforms to its schema. The
///   value is a function of the [seed](Self::set_seed), the operation and the request: the same
///   request gets the same value, whatever else was requested.
/// - There is no state: what was created is not listed. [`respond`](Self::respond) sets a response.
///
/// ```
/// # fn main() -> Result<(), podqueue_fake::Error> {
/// use podqueue_fake::FakeService;
///
/// let fake = FakeService::start(
///     r#"{ "openapi": "3.1.0", "paths": { "/pets": { "get": { "operationId": "listPets" } } } }"#,
/// )?;
/// assert!(fake.url().starts_with("http://127.0.0.1:"));
/// # Ok(())
/// # }
/// ```
pub struct FakeService {
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

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

/// What the server and the handle share.
pub(crate) struct Shared {
    description: Description,
    operations: Vec<Operation>,
    /// Query parameters that are credentials.
    secrets: Vec<String>,
    pub(crate) clock: Clock,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    seed: u64,
    faults: Vec<Fault>,
    fixed: BTreeMap<String, Value>,
    requests: Vec<RequestRecord>,
    /// The requests that were dropped from the front of the list.
    dropped: usize,
}

impl FakeService {
    /// Starts a fake of a description in JSON, with a clock that follows real time.
    ///
    /// # Errors
    ///
    /// If the text is no description, or no port is free.
    pub fn start(description: &str) -> Result<Self, Error> {
        Self::start_with(description, Clock::real())
    }

    /// The same with a clock that stands still until it is advanced.
    ///
    /// # Errors
    ///
    /// Those of [`start`](Self::start).
    pub fn start_with_manual_clock(description: &str) -> Result<Self, Error> {
        Self::start_with(description, Clock::manual())
    }

    fn start_with(description: &str, clock: Clock) -> Result<Self, Error> {
        let description = Description::parse(description)?;
        let operations = operations(&description);
        let schemes = description.tree().pointer("/components/securitySchemes");
        let schemes = schemes.and_then(Value::as_object).into_iter().flatten();
        let in_query = schemes.filter(|(_, it)| it.get("in") == Some(&Value::from("query")));
        let secrets = in_query.filter_map(|(_, it)| it.get("name")?.as_str().map(str::to_owned));
        let secrets = secrets.collect();
        let state = Mutex::default();
        let shared = Arc::new(Shared { description, operations, secrets, clock, state });
        let failed = |error: std::io::Error| Error::new(format!("the fake cannot start: {error}"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let (runtime, served) = (runtime.map_err(failed)?, Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("podqueue-fake".to_owned());
        let thread = thread.spawn(move || server::serve(&runtime, listener, served, stopped));
        let thread = Some(thread.map_err(failed)?);
        Ok(Self { address, shared, stop: Some(stop), thread })
    }

    /// Returns the URL of the service, without a path. It is also reached below the path of each
    /// described server.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the clock, on which the delays of faults are measured.
    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// Sets the seed of the values, 0 by default, effective from the next request.
    pub fn set_seed(&self, seed: u64) {
        self.shared.state().seed = seed;
    }

    /// Responds to an operation with this value from the next request on. The operation is named by
    /// its `operationId`, or by its method and path, `GET /pets/{id}`.
    ///
    /// [`Fault::response`] sends what the description forbids.
    ///
    /// # Errors
    ///
    /// If there is no such operation, or the value does not conform to the schema of its success.
    pub fn respond(&self, operation: &str, value: Value) -> Result<(), Error> {
        let operation = self.shared.operation(operation)?;
        let success = success(&self.shared.description, operation);
        let name = &operation.name;
        let schema = success.json_schema(&self.shared.description);
        let schema =
            schema.ok_or_else(|| Error::new(format!("{name} does not respond with JSON")))?;
        if self.shared.description.tree().pointer(&schema).is_some() {
            let checked = self.shared.description.check(&schema, &value);
            checked.map_err(|error| Error::new(format!("the response of {name}: {error}")))?;
        }
        self.shared.state().fixed.insert(name.clone(), value);
        Ok(())
    }

    /// Adds a fault, effective from the next request.
    ///
    /// # Errors
    ///
    /// If the description has no operation of the fault's name.
    pub fn add_fault(&self, fault: Fault) -> Result<(), Error> {
        if let Some(name) = fault.operation() {
            self.shared.operation(name)?;
        }
        self.shared.state().faults.push(fault);
        Ok(())
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.shared.state().faults.clear();
    }

    /// Returns the last 10,000 requests, in order of arrival.
    pub fn requests(&self) -> Vec<RequestRecord> {
        self.shared.state().requests.clone()
    }
}

impl Drop for FakeService {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for FakeService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FakeService").field("address", &self.address).finish_non_exhaustive()
    }
}

/// A response with the fault that is applied to it, and the number of the request.
pub(crate) struct Decided {
    pub(crate) request: usize,
    pub(crate) answer: Answer,
    pub(crate) fault: Option<Fault>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn operation(&self, name: &str) -> Result<&Operation, Error> {
        self.operations.iter().find(|it| it.is_called(name)).ok_or_else(|| {
            let all: Vec<_> = self.operations.iter().take(8).map(|it| it.name.as_str()).collect();
            Error::new(format!(
                "the description has no operation `{name}`; it has {}",
                all.join(", ")
            ))
        })
    }

    /// Records a request and decides how it is answered.
    pub(crate) fn decide(&self, request: &Received<'_>) -> Decided {
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
        let answer = match (checked, operation) {
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
                    None => success
                        .answer(&self.description, request.headers, hash(seed, &body))
                        .unwrap_or_else(|error| {
                            let error = Error::new(format!(
                                "no value of the response of {} was made: {error}",
                                operation.name
                            ));
                            Answer::refusal(500, &error)
                        }),
                }
            }
            (Err((status, error)), _) => Answer::refusal(status, &error),
            (Ok(()), None) => Answer::refusal(404, &Error::new("no operation")),
        };
        Decided { request: number, answer, fault }
    }

    /// Records the status that a request was answered with.
    pub(crate) fn answered(&self, request: usize, status: u16) {
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
