//! A call as a value.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, Url};
use serde::Serialize;
use tokio::time::Instant;

use super::credential::Credential;
use super::{Limit, Repeat, RetryPolicy};
use crate::error::{Attempted, Result};
use crate::json::not_serializable;
use crate::secret_string::SecretString;

/// A slow uplink, for which large bodies get more time.
const BYTES_PER_SECOND: u64 = 256 * 1024;

/// What is the same for every call of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) method: Method,
    pub(crate) repeat: Repeat,
    /// What the service admits of it; `None` where no limit is documented.
    pub(crate) limit: Option<Limit>,
}

/// How a call is authorized.
#[derive(Clone)]
pub(crate) enum Auth {
    /// `authorization: Bearer <key>`
    Bearer,
    /// `authorization: <key>`
    BareKey,
    /// `?api_key=<key>`
    QueryKey,
    /// Not by the client's key: by a credential of another service's, or not at all.
    Other(Option<Arc<Credential>>),
}

/// One call: everything that is needed to send it, and to send it again.
pub(crate) struct Call {
    pub(crate) operation: Operation,
    /// What is attempted, for errors, and where: limits hold for each endpoint.
    pub(crate) attempted: Attempted,
    /// Without the key, also where the key goes into the query.
    pub(crate) url: Url,
    pub(crate) auth: Auth,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<Bytes>,
    /// How long an attempt may take, where that is not the client's timeout.
    pub(crate) timeout: Option<Duration>,
    /// Time that an attempt may take beyond its timeout.
    pub(crate) extra_time: Duration,
    /// How long an attempt may go without a byte of the response, where that is less than all its time.
    pub(crate) longest_silence: Option<Duration>,
    /// The service answers it only when something has happened, or as late.
    pub(crate) is_held_open: bool,
    /// The longest pause before another attempt. Where the service asks for a longer one, the call ends
    /// in its error.
    pub(crate) longest_pause: Duration,
    /// How often and how soon it is retried, where that is not as the client's policy says.
    pub(crate) retry: Option<RetryPolicy>,
    /// From then on it goes before all others that wait for their turn and are not urgent.
    pub(crate) urgent_from: Option<Instant>,
    /// A success tells the `id` of a new job, which is worth having where the rest is lost.
    pub(crate) answers_new_job: bool,
    /// The largest response that is read, in bytes, where that is less than the client's limit.
    pub(crate) largest_response: Option<usize>,
    /// A response that is a stream of events is not read to its end.
    pub(crate) reads_events: bool,
    /// What the service could echo and must not be shown, beside the key.
    pub(crate) secrets: Vec<SecretString>,
}

impl Call {
    /// A call of `operation` to exactly `url`.
    pub(crate) fn new(operation: &Operation, attempted: Attempted, url: Url, auth: Auth) -> Self {
        Self {
            operation: operation.clone(),
            attempted,
            url,
            auth,
            headers: Vec::new(),
            body: None,
            timeout: None,
            extra_time: Duration::ZERO,
            longest_silence: None,
            is_held_open: false,
            longest_pause: Duration::MAX,
            retry: None,
            urgent_from: None,
            answers_new_job: false,
            largest_response: None,
            reads_events: false,
            secrets: Vec::new(),
        }
    }

    pub(crate) fn query(mut self, name: &str, value: &str) -> Self {
        self.url.query_pairs_mut().append_pair(name, value);
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// A body that is JSON already, and the time that it takes to send it.
    pub(crate) fn body(mut self, json: impl Into<Bytes>) -> Self {
        let json = json.into();
        self.extra_time += Duration::from_secs(json.len() as u64 / BYTES_PER_SECOND);
        self.body = Some(json);
        self
    }

    /// A body to be written as JSON; `field` names it where that fails.
    pub(crate) fn json(self, field: &str, body: &(impl Serialize + ?Sized)) -> Result<Self> {
        match serde_json::to_vec(body) {
            Ok(json) => Ok(self.body(json)),
            Err(source) => Err(not_serializable(self.attempted, field, source)),
        }
    }

    /// Each attempt may take so long, where anything is set.
    pub(crate) fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Has the connection closed afterwards, where it serves one call at a time.
    pub(crate) fn closing(self) -> Self {
        self.header("connection", "close".to_owned())
    }

    pub(crate) fn longest_silence(mut self, longest: Duration) -> Self {
        self.longest_silence = Some(longest);
        self
    }

    pub(crate) fn held_open(mut self) -> Self {
        self.is_held_open = true;
        self
    }

    pub(crate) fn urgent_from(mut self, urgent_from: Instant) -> Self {
        self.urgent_from = Some(urgent_from);
        self
    }

    pub(crate) fn longest_pause(mut self, longest: Duration) -> Self {
        self.longest_pause = longest;
        self
    }
}
