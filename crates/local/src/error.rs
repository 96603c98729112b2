//! Errors: [`Error`] of the Rust API, and [`Refusal`] of a request, independent of its interface.

use std::fmt;
use std::io;
use std::net::SocketAddr;

/// Reason for which the service did not start, or a Pod or template was rejected.
#[derive(Debug)]
pub struct Error {
    setting: Option<&'static str>,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns the method of [`Builder`](crate::Builder) that was given an invalid value, if that
    /// is the reason: `api_key`, `allow_host`, `worker_env_prefix`, or `endpoint` for the name of
    /// an endpoint, added by any method.
    #[must_use]
    pub fn setting(&self) -> Option<&'static str> {
        self.setting
    }

    pub(crate) fn invalid(setting: &'static str, why: impl fmt::Display) -> Self {
        Self { setting: Some(setting), message: format!("{setting}: {why}"), source: None }
    }

    pub(crate) fn listen(address: SocketAddr, source: io::Error) -> Self {
        Self {
            setting: None,
            message: format!("cannot listen on {address}"),
            source: Some(Box::new(source)),
        }
    }

    pub(crate) fn random_key(source: getrandom::Error) -> Self {
        Self {
            setting: None,
            message: "failed to generate a random API key".to_owned(),
            source: Some(Box::new(source)),
        }
    }

    pub(crate) fn seed(refusal: Refusal) -> Self {
        Self { setting: None, message: refusal.message, source: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}

/// Refusal of a request: the kind of mistake, and a sentence that describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) kind: RefusalKind,
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusalKind {
    /// The request breaks a rule of the interface.
    Invalid,
    /// The object of the request does not exist.
    NotFound,
    /// There are too many requests. `retry_after` is in seconds.
    TooManyRequests { retry_after: Option<u64> },
    /// The service failed.
    Failed,
}

impl Refusal {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Invalid, message: message.into() }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::NotFound, message: message.into() }
    }

    pub(crate) fn too_many_requests(message: impl Into<String>, retry_after: Option<u64>) -> Self {
        Self { kind: RefusalKind::TooManyRequests { retry_after }, message: message.into() }
    }

    /// For a request that still waits when the service stops.
    pub(crate) fn stopping() -> Self {
        Self::failed("the service is stopping")
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { kind: RefusalKind::Failed, message: message.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
