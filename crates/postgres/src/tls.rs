//! TLS of a connection: the mode that the URL asks for, and the connector of the TLS library that a
//! feature selects.
//!
//! `rustls-no-provider` takes precedence over `native-tls`; without either, a URL that demands TLS
//! is refused. A certificate is always verified, by the roots of the system and those in
//! `sslrootcert`.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};

pub(crate) use library::{Connector, connector};

/// The values of `sslmode`.
const MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/// The TLS parameters of a URL that the parser rejects, or interprets otherwise.
pub(crate) struct TlsParameters {
    mode: Option<String>,
    root_certificates: Option<PathBuf>,
}

impl TlsParameters {
    /// Extracts the parameters from a URL. A parameter that cannot be decoded is left to the
    /// parser, which refuses it.
    pub(crate) fn extract(url: &str) -> (String, Self) {
        let mut this = Self { mode: None, root_certificates: None };
        let Some((base, query)) = url.split_once('?') else { return (url.to_owned(), this) };
        let rest: Vec<_> = query.split('&').filter(|parameter| !this.consume(parameter)).collect();
        let separator = if rest.is_empty() { "" } else { "?" };
        (format!("{base}{separator}{}", rest.join("&")), this)
    }

    fn consume(&mut self, parameter: &str) -> bool {
        let decoded = |text| percent_decode_str(text).decode_utf8().ok();
        let parts = parameter.split_once('=');
        let parts = parts.and_then(|(name, value)| Some((decoded(name)?, decoded(value)?)));
        match parts.as_ref().map(|(name, value)| (&**name, &**value)) {
            Some(("sslmode", mode)) if MODES.contains(&mode) => self.mode = Some(mode.to_owned()),
            Some(("sslrootcert", path)) => self.root_certificates = Some(PathBuf::from(path)),
            _ => return false,
        }
        true
    }

    /// The file `sslrootcert` of additional root certificates.
    pub(crate) fn root_certificates(&self) -> Option<&Path> {
        self.root_certificates.as_deref()
    }

    /// Sets the mode. A connection within this machine needs no TLS, unless the URL asks for it.
    pub(crate) fn apply(&self, config: &mut Config) {
        let is_direct = config.get_ssl_negotiation() == SslNegotiation::Direct;
        let is_unspecified = self.root_certificates.is_none();
        let mode = match self.mode.as_deref() {
            Some("disable") => SslMode::Disable,
            Some("require" | "verify-ca" | "verify-full") => SslMode::Require,
            None if is_direct => SslMode::Require,
            None if is_unspecified && is_local(config) => SslMode::Disable,
            _ => SslMode::Prefer,
        };
        config.ssl_mode(mode);
    }
}

/// Returns true for a loopback address, also for an IPv4-mapped IPv6 address.
fn is_loopback(address: &IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Returns true if a connection stays within this machine. `hostaddr` takes precedence over the
/// host's name.
fn is_local(config: &Config) -> bool {
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

#[cfg(any(feature = "native-tls", feature = "rustls-no-provider"))]
fn unreadable(file: &Path, error: impl std::fmt::Display) -> String {
    let file = file.display();
    format!("the certificates that sslrootcert names cannot be read from {file}: {error}")
}

/// TLS by rustls, with the cryptography provider that the application installed, or that of the
/// feature `rustls`.
#[cfg(feature = "rustls-no-provider")]
mod library {
    use std::path::Path;
    use std::sync::Arc;

    use rustls::ClientConfig;
    use rustls::crypto::CryptoProvider;
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    use rustls_platform_verifier::Verifier;
    use tokio_postgres_rustls::MakeRustlsConnect;

    use super::unreadable;

    pub(crate) type Connector = MakeRustlsConnect;

    pub(crate) fn connector(roots: Option<&Path>, _: bool) -> Result<Option<Connector>, String> {
        let installed = CryptoProvider::get_default().cloned();
        let provider = installed.or_else(bundled_provider).ok_or_else(|| {
            "TLS to the database needs a provider of cryptography, and none is installed: install one before (rustls::crypto::CryptoProvider::install_default), or build with the feature `rustls`, which has one"
                .to_owned()
        })?;
        let failed =
            |error: rustls::Error| format!("TLS to the database cannot be set up: {error}");
        let verifier = match roots {
            Some(file) => Verifier::new_with_extra_roots(read(file)?, Arc::clone(&provider)),
            None => Verifier::new(Arc::clone(&provider)),
        };
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(failed)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier.map_err(failed)?))
            .with_no_client_auth();
        Ok(Some(MakeRustlsConnect::new(config)))
    }

    fn bundled_provider() -> Option<Arc<CryptoProvider>> {
        #[cfg(feature = "rustls")]
        return Some(Arc::new(rustls::crypto::aws_lc_rs::default_provider()));
        #[cfg(not(feature = "rustls"))]
        None
    }

    fn read(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
        let certificates = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
        let certificates: Vec<_> = certificates.map_err(|error| unreadable(file, error))?;
        match certificates.is_empty() {
            true => Err(unreadable(file, "it contains no certificate")),
            false => Ok(certificates),
        }
    }
}

/// TLS by the operating system's library.
#[cfg(all(feature = "native-tls", not(feature = "rustls-no-provider")))]
mod library {
    use std::fs;
    use std::path::Path;

    use native_tls::{Certificate, TlsConnector};
    use postgres_native_tls::MakeTlsConnector;

    use super::unreadable;

    pub(crate) type Connector = MakeTlsConnector;

    pub(crate) fn connector(roots: Option<&Path>, _: bool) -> Result<Option<Connector>, String> {
        let mut builder = TlsConnector::builder();
        if let Some(file) = roots {
            let text = fs::read(file).map_err(|error| unreadable(file, error))?;
            let certificates =
                Certificate::stack_from_pem(&text).map_err(|error| unreadable(file, error))?;
            if certificates.is_empty() {
                return Err(unreadable(file, "it contains no certificate"));
            }
            for certificate in certificates {
                builder.add_root_certificate(certificate);
            }
        }
        let connector = builder.build();
        let connector =
            connector.map_err(|error| format!("TLS to the database cannot be set up: {error}"))?;
        Ok(Some(MakeTlsConnector::new(connector)))
    }
}

/// Refusal of a URL that demands TLS, in a build without a TLS library.
#[cfg(not(any(feature = "native-tls", feature = "rustls-no-provider")))]
mod library {
    use std::path::Path;

    use tokio_postgres::NoTls;

    pub(crate) type Connector = NoTls;

    pub(crate) fn connector(
        roots: Option<&Path>,
        is_required: bool,
    ) -> Result<Option<Connector>, String> {
        let demand = match roots {
            Some(_) => "sslrootcert",
            None if is_required => "sslmode",
            None => return Ok(None),
        };
        Err(format!(
            "{demand} in the URL of the database demands TLS, which this program was built without: build it with the feature `rustls` or `native-tls`"
        ))
    }
}
