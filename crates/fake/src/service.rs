//! A running fake: its URL, seed, fixed responses, faults, clock and requests.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::oneshot;

use crate::decision::{RequestRecord, Shared};
use crate::operation::operations;
use crate::planned_response::success;
use crate::{Clock, Description, Error, Fault, server};

/// A fake of the service that a description describes: a server on this machine, on a thread of its
/// own. Dropping it stops it.
///
/// - A request that the description has no path or method for gets 404 or 405, and one with an
///   invalid or missing parameter or body 400: with one line that names what is refused,
///   `{"error": "the query parameter `limit`: …"}`. Authorization is not checked, and neither are
///   bodies that are not JSON, such as forms, cookies, and parameters that are objects or have a
///   style other than `form` and `simple`.
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

impl FakeService {
    /// Starts a fake of a description in JSON.
    ///
    /// # Errors
    ///
    /// If the text is not a description, or no port is free.
    pub fn start(description: &str) -> Result<Self, Error> {
        let description = Description::parse(description)?;
        let operations = operations(&description);
        let schemes = description.tree().pointer("/components/securitySchemes");
        let schemes = schemes.and_then(Value::as_object).into_iter().flatten();
        let in_query = schemes.filter(|(_, it)| it.get("in") == Some(&Value::from("query")));
        let secrets = in_query.filter_map(|(_, it)| it.get("name")?.as_str().map(str::to_owned));
        let secrets = secrets.collect();
        let (clock, state) = (Clock::start(), Mutex::default());
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
