//! The client's own HTTP client.

use std::time::Duration;

use reqwest::header::HeaderValue;

use super::builder::{ClientBuilder, SETTINGS};
use crate::error::{Error, Result};

/// Less than what servers keep an idle connection open for: one that the server is just closing
/// would break the next call.
const IDLE: Duration = Duration::from_secs(25);

impl ClientBuilder {
    /// How long a connection may take: never as long as an attempt. One that is still being made when
    /// the attempt is over cannot be told from a request that was sent and is not answered.
    pub(super) fn time_to_connect(&self) -> Duration {
        let attempt = self.call_timeout.unwrap_or(Duration::MAX).min(self.timeout);
        self.connect_timeout.min(attempt - attempt / 4)
    }

    /// Calls to this machine, such as to a local service, do not go through a proxy of the
    /// environment: it could not pass them on, and would get the key over plain http.
    pub(super) fn http(&self, is_local: bool) -> Result<reqwest::Client> {
        let user_agent = HeaderValue::from_str(&self.user_agent)
            .map_err(|_| Error::refused(SETTINGS, "user_agent", "is not allowed in a header"))?;
        let mut http = reqwest::Client::builder()
            .user_agent(user_agent)
            .connect_timeout(self.time_to_connect())
            .pool_idle_timeout(IDLE)
            .http1_only()
            .retry(reqwest::retry::never())
            .redirect(reqwest::redirect::Policy::none())
            .referer(false);
        if let Some(url) = &self.proxy {
            // What is wrong with it is not told in detail: it can hold a password.
            let refused =
                || Error::refused(SETTINGS, "proxy", "must be the URL of an http or https proxy");
            // The HTTP client would fail with another one call by call.
            if url.expose().split_once("://").is_some_and(|(scheme, _)| !is_http(scheme)) {
                return Err(refused());
            }
            http = http.proxy(reqwest::Proxy::all(url.expose()).map_err(|_| refused())?);
        } else if is_local {
            http = http.no_proxy();
        }
        http.build().map_err(|error| {
            Error::refused(SETTINGS, "http client", "cannot be set up: see the source")
                .with_source(error)
        })
    }
}

fn is_http(scheme: &str) -> bool {
    ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}
