//! Why a service did not start, or rejected a Pod or template.

use std::fmt;
use std::io;
use std::net::SocketAddr;

use crate::refusal::Refusal;

/// Why the service did not start, or why a Pod or template was rejected.
#[derive(Debug)]
pub struct Error {
    setting: Option<&'static str>,
    what: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns the method of [`Builder`](crate::Builder) that was given an invalid value, if that is
    /// the reason: `api_key`, `allow_host`, `worker_env_prefix`, or `endpoint` for the name of one,
    /// whichever method added it.
    #[must_use]
    pub fn setting(&self) -> Option<&'static str> {
        self.setting
    }

    pub(crate) fn invalid(setting: &'static str, why: impl fmt::Display) -> Self {
        Self { setting: Some(setting), what: format!("{setting}: {why}"), source: None }
    }

    pub(crate) fn listen(address: SocketAddr, source: io::Error) -> Self {
        Self {
            setting: None,
            what: format!("cannot listen on {address}"),
            source: Some(Box::new(source)),
        }
    }

    pub(crate) fn webhooks(source: reqwest::Error) -> Self {
        Self {
            setting: None,
            what: "failed to set up the HTTP client for webhooks".to_owned(),
            source: Some(Box::new(source)),
        }
    }

    pub(crate) fn random_key(source: getrandom::Error) -> Self {
        Self {
            setting: None,
            what: "failed to generate a random API key".to_owned(),
            source: Some(Box::new(source)),
        }
    }

    pub(crate) fn seed(refusal: Refusal) -> Self {
        Self { setting: None, what: refusal.message, source: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}
