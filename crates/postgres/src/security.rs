//! What a URL says of TLS.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};

/// The values of `sslmode`.
const MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/// What a URL says of TLS that the parser does not know, or takes otherwise.
pub(crate) struct Security {
    mode: Option<String>,
    trusted: Option<PathBuf>,
}

impl Security {
    /// Takes the parameters out of a URL. What cannot be decoded is left to the parser, which
    /// refuses it.
    pub(crate) fn take(url: &str) -> (String, Self) {
        let mut this = Self { mode: None, trusted: None };
        let Some((base, query)) = url.split_once('?') else { return (url.to_owned(), this) };
        let rest: Vec<_> = query.split('&').filter(|parameter| !this.takes(parameter)).collect();
        let separator = if rest.is_empty() { "" } else { "?" };
        (format!("{base}{separator}{}", rest.join("&")), this)
    }

    fn takes(&mut self, parameter: &str) -> bool {
        let decoded = |text| percent_decode_str(text).decode_utf8().ok();
        let parts = parameter.split_once('=');
        let parts = parts.and_then(|(name, value)| Some((decoded(name)?, decoded(value)?)));
        match parts.as_ref().map(|(name, value)| (&**name, &**value)) {
            Some(("sslmode", mode)) if MODES.contains(&mode) => self.mode = Some(mode.to_owned()),
            Some(("sslrootcert", path)) => self.trusted = Some(PathBuf::from(path)),
            _ => return false,
        }
        true
    }

    /// The file of certificates to trust.
    pub(crate) fn trusted(&self) -> Option<&Path> {
        self.trusted.as_deref()
    }

    /// A connection that stays on this machine needs no TLS, unless the URL says anything of it.
    pub(crate) fn apply(&self, config: &mut Config) {
        let is_direct = config.get_ssl_negotiation() == SslNegotiation::Direct;
        let mode = match self.mode.as_deref() {
            Some("disable") => SslMode::Disable,
            Some("require" | "verify-ca" | "verify-full") => SslMode::Require,
            None if is_direct => SslMode::Require,
            None if self.trusted.is_none() && stays_here(config) => SslMode::Disable,
            _ => SslMode::Prefer,
        };
        config.ssl_mode(mode);
    }
}

/// Also an address of IPv4 that is written as one of IPv6.
fn is_loopback(address: &IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Addresses, where there are any, are what is connected to, whatever the hosts are called.
fn stays_here(config: &Config) -> bool {
    let addresses = config.get_hostaddrs();
    if !addresses.is_empty() {
        return addresses.iter().all(is_loopback);
    }
    config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            matches!(name.as_str(), "localhost" | "localhost.")
                || name.parse().is_ok_and(|address| is_loopback(&address))
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}
