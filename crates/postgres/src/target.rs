//! Connection target: the database, user, password and TLS settings of a URL.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation, TargetSessionAttrs};

use crate::passfile;
use crate::tls::{self, Connector, TlsParameters};

/// Default of `connect_timeout` and `tcp_user_timeout`.
const TCP_TIMEOUT: Duration = Duration::from_secs(10);

/// A database, and how to connect to it. `Display` names the database, and shows no password.
pub struct Target {
    pub(crate) config: Config,
    /// `None` if TLS is disabled.
    pub(crate) tls: Option<Connector>,
    name: String,
}

impl Target {
    /// The database at this URL: `postgres://user@host:port/database`, with the parameters of
    /// PostgreSQL's own programs. A password that is not in the URL is taken from `PGPASSWORD`, or
    /// from the file `PGPASSFILE` (`~/.pgpass`).
    ///
    /// Where the server offers TLS, it is used, and its certificate verified: by the certificates
    /// that the system trusts, and those in the file `sslrootcert`. `sslmode=require` refuses a
    /// server without TLS, where the default falls back to an unencrypted connection;
    /// `sslmode=disable` disables TLS. A connection within one machine uses none, unless `sslmode`
    /// or `sslrootcert` is set. Client certificates are not supported. Without a TLS feature, a URL
    /// that demands TLS is refused.
    ///
    /// # Errors
    ///
    /// If the URL is invalid, or TLS cannot be set up as the URL requires.
    pub fn parse(url: &str) -> Result<Self, TargetError> {
        if !is_url(url) || is_ambiguous(url) {
            return Err(invalid());
        }
        let (url, tls) = TlsParameters::extract(url);
        let mut config: Config =
            url.parse().map_err(|_| unsupported_parameter(&url).unwrap_or_else(invalid))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            let message = "the URL of the database names no host: expected postgres://user@host:port/database; the folder of a socket is written as %2Fvar%2Frun%2Fpostgresql";
            return Err(TargetError(message.to_owned()));
        }
        tls.apply(&mut config);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(TCP_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(TCP_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("podqueue");
        }
        let host = match config.get_hosts().first() {
            Some(Host::Tcp(host)) if host.contains(':') => format!("[{host}]"),
            Some(Host::Tcp(host)) => host.clone(),
            #[cfg(unix)]
            Some(Host::Unix(folder)) => folder.display().to_string(),
            None => config.get_hostaddrs().first().map(ToString::to_string).unwrap_or_default(),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let database = config.get_dbname().or(config.get_user()).unwrap_or_default().to_owned();
        if config.get_password().is_none() {
            let user = config.get_user().unwrap_or_default().to_owned();
            let host = host.trim_start_matches('[').trim_end_matches(']');
            if let Some(password) = passfile::password(host, port, &database, &user) {
                config.password(password);
            }
        }
        validate(&config)?;
        let tls = match config.get_ssl_mode() {
            SslMode::Disable => None,
            mode => tls::connector(tls.root_certificates(), mode == SslMode::Require)
                .map_err(TargetError)?,
        };
        Ok(Self { config, tls, name: format!("the database {database:?} at {host}:{port}") })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The settings contain the password.
        f.debug_tuple("Target").field(&self.name).finish()
    }
}

/// An invalid URL of a database, or a certificate file that cannot be used. The message does not
/// quote the URL, which may contain a password.
#[derive(Clone, Debug)]
pub struct TargetError(String);

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for TargetError {}

fn invalid() -> TargetError {
    let message = "the URL of the database is invalid: expected postgres://user@host:port/database?parameter=value, where characters such as @, /, ?, # and % in a password or another value are written as %40, %2F, %3F, %23 and %25";
    TargetError(message.to_owned())
}

/// Returns true if this is a URL. The parser also accepts `key=value key=value`, whose TLS
/// parameters would not be extracted.
fn is_url(url: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme))
}

/// Returns true if the end of the credentials is ambiguous. The parser ends them at the first @:
/// the rest of a password would be shown as the name of a host or database, and parameters would
/// become part of a password.
fn is_ambiguous(url: &str) -> bool {
    let parts = url.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
    parts.is_some_and(|(credentials, place)| {
        let place = place.split('?').next().unwrap_or_default();
        credentials.contains(['/', '?']) || place.contains('@')
    })
}

/// The parameter that the parser refuses. Its own message may quote a part of the password.
fn unsupported_parameter(url: &str) -> Option<TargetError> {
    let (base, query) = url.split_once('?')?;
    if query.contains('@') || base.parse::<Config>().is_err() {
        return None;
    }
    let is_refused = |parameter: &&str| format!("{base}?{parameter}").parse::<Config>().is_err();
    let (name, _) = query.split('&').find(is_refused)?.split_once('=')?;
    let name = percent_decode_str(name).decode_utf8().ok()?;
    let is_name = name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    let why = match &*name {
        "sslcert" | "sslkey" | "sslpassword" => {
            "is not supported: leave it out, and let the server ask for a password instead of a client certificate"
        }
        _ => "is not supported, or not with this value: leave it out",
    };
    is_name.then(|| TargetError(format!("the parameter {name} in the URL of the database {why}")))
}

/// Refuses settings with which no connection could work.
fn validate(config: &Config) -> Result<(), TargetError> {
    if config.get_target_session_attrs() == TargetSessionAttrs::ReadOnly {
        let message = "the parameter target_session_attrs in the URL of the database is read-only, and podqueue writes there: leave it out, or set it to read-write";
        return Err(TargetError(message.to_owned()));
    }
    let is_direct = config.get_ssl_negotiation() == SslNegotiation::Direct;
    if is_direct && config.get_ssl_mode() != SslMode::Require {
        let message = "sslnegotiation=direct in the URL of the database demands TLS, and sslmode does not: set sslmode=require, or remove sslnegotiation";
        return Err(TargetError(message.to_owned()));
    }
    let has_host_with_nul = config.get_hosts().iter().any(|host| match host {
        Host::Tcp(name) => name.contains('\0'),
        #[cfg(unix)]
        Host::Unix(folder) => folder.as_os_str().as_encoded_bytes().contains(&0),
    });
    let has_nul = |text: Option<&str>| text.is_some_and(|text| text.contains('\0'));
    let parts = [
        ("user", has_nul(config.get_user())),
        ("password", config.get_password().is_some_and(|password| password.contains(&0))),
        ("name", has_nul(config.get_dbname())),
        ("host", has_host_with_nul),
        ("application_name", has_nul(config.get_application_name())),
        ("options", has_nul(config.get_options())),
    ];
    match parts.iter().find(|(_, has_nul)| *has_nul) {
        Some((part, _)) => Err(TargetError(format!(
            "there is a NUL character (%00 in a URL) in the {part} of the database, which PostgreSQL does not accept: remove it"
        ))),
        None => Ok(()),
    }
}
