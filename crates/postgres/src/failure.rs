//! Database failure: an error classified as transient, insecure or final, with a hint on how to fix
//! it.
//!
//! The classification follows the SQLSTATE. A connection pooler reports nearly everything with the
//! code of a broken connection, so its messages are matched by their text.

use std::error::Error;
use std::time::Duration;
use std::{fmt, io, iter};

use tokio_postgres::error::{DbError, SqlState};

/// A failed operation on the database. Its message contains no value of a statement and no
/// password.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// A retry over a new connection may succeed.
    Transient(String),
    /// TLS failed: the server offers none, its certificate is not trusted, or the data was altered
    /// on the way. Treat it as final on the first connection; later, while a server is replaced, it
    /// may be transient.
    Insecure {
        /// The problem, and how to fix it.
        message: String,
        /// The error of the database driver.
        source: tokio_postgres::Error,
    },
    /// A retry does not help.
    Final {
        /// The message of the database, and how to fix the problem.
        message: String,
        /// The error of the database driver.
        source: tokio_postgres::Error,
    },
}

/// Privileges that the user needs once the tables exist.
const PRIVILEGES: &str = "; the user needs rights in the schema podqueue: to read a batch, USAGE on it and SELECT on its tables; to run one, also INSERT, UPDATE and DELETE, and CREATE on the schema if a table is missing";

impl Failure {
    /// The database did not respond in time.
    pub(crate) fn timeout(time: Duration) -> Self {
        Self::Transient(format!("the database did not respond for {time:?}"))
    }

    /// Classifies an error. `privileges` is the hint for a user that lacks privileges.
    pub(crate) fn with_privileges(error: tokio_postgres::Error, privileges: &str) -> Self {
        let text = message(&error);
        let hint = match error.code() {
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => privileges,
            _ => hint(&error, &text),
        };
        let message = format!("{text}{hint}");
        if is_insecure(&error) {
            Self::Insecure { message, source: error }
        } else if is_transient(&error) {
            Self::Transient(message)
        } else {
            Self::Final { message, source: error }
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::with_privileges(error, PRIVILEGES)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transient(message)
            | Self::Insecure { message, .. }
            | Self::Final { message, .. } => f.write_str(message),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Transient(_) => None,
            Self::Insecure { source, .. } | Self::Final { source, .. } => Some(source),
        }
    }
}

/// The message of an error, without its detail, which may quote values of a statement.
fn message(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(error), _) => format!("{} ({})", DbError::message(error), error.code().code()),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

/// The I/O error of a connection, at any depth of the source chain: a TLS library nests it.
fn io_failure(error: &tokio_postgres::Error) -> Option<io::ErrorKind> {
    iter::successors(error.source(), |cause| (*cause).source())
        .find_map(|cause| cause.downcast_ref::<io::Error>())
        .map(io::Error::kind)
}

fn is_insecure(error: &tokio_postgres::Error) -> bool {
    // The driver exposes the kind of an error in its text only.
    let text = error.to_string();
    let is_handshake = text.starts_with("error performing TLS handshake");
    match io_failure(error) {
        // Invalid data received over TLS, such as a certificate.
        Some(io::ErrorKind::InvalidData) => {
            is_handshake || text.starts_with("error communicating with the server")
        }
        // A host name that no certificate can match.
        Some(io::ErrorKind::InvalidInput) | None => is_handshake,
        Some(_) => false,
    }
}

fn is_transient(error: &tokio_postgres::Error) -> bool {
    if pooler_hint(error).is_some() {
        return false;
    }
    let Some(code) = error.code() else {
        let failed = io_failure(error);
        return error.is_closed() || failed.is_some_and(|kind| kind != io::ErrorKind::InvalidData);
    };
    let transient = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        // A database that temporarily accepts no connections.
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        // Briefly after a failover.
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    // Connection exceptions, insufficient resources, operator intervention.
    let classes = ["08", "53", "57P"];
    transient.contains(code) || classes.iter().any(|class| code.code().starts_with(class))
}

/// Hint for a table that has disappeared.
const MISSING: &str = "; the schema podqueue was removed or damaged while in use: restore it from a backup. A batch that is started again, after DROP SCHEMA podqueue CASCADE and with other results, submits all of its inputs again";

/// Hint for a failed login at a pooler.
const POOLER_LOGIN: &str = "; the pooler must know the user and the password (auth_file, auth_query); the password is taken from the URL, or else from PGPASSWORD, or else from the file PGPASSFILE (~/.pgpass)";

/// Final errors of a pooler: a part of the message, in lower case, and the hint.
const POOLER_HINTS: [(&str, &str); 8] = [
    (
        "unsupported startup parameter",
        "; a pooler does not pass this parameter on: leave it out of the URL, or list it in the pooler's ignore_startup_parameters",
    ),
    (
        "statement pooling mode",
        "; the pooler must be in transaction mode, or session mode: pool_mode = transaction",
    ),
    ("pqexec disallowed", "; the pooler must let these statements pass: disable_pqexec = 0"),
    (
        "no such database",
        "; the pooler does not know it: correct its name in the URL, or list it in the pooler's section [databases]",
    ),
    (
        "no such user",
        "; the pooler does not know the user: correct it in the URL, or list it in the pooler's auth_file",
    ),
    ("ssl required", "; the pooler asks for TLS: sslmode=require"),
    // By password, SASL, or the list of users alone.
    ("authentication failed", POOLER_LOGIN),
    ("auth failed", POOLER_LOGIN),
];

/// The hint on how to fix an error; empty if none is known.
fn hint(error: &tokio_postgres::Error, text: &str) -> &'static str {
    let Some(code) = error.code() else { return client_hint(text) };
    let hints = [
        (
            SqlState::READ_ONLY_SQL_TRANSACTION,
            "; it is a standby, or read-only: the URL must be that of the primary",
        ),
        (
            SqlState::INVALID_CATALOG_NAME,
            "; create it with createdb, or correct its name in the URL",
        ),
        (SqlState::UNDEFINED_TABLE, MISSING),
        (SqlState::INVALID_SCHEMA_NAME, MISSING),
        (
            SqlState::INVALID_PASSWORD,
            "; the password is taken from the URL, or else from PGPASSWORD, or else from the file PGPASSFILE (~/.pgpass)",
        ),
        (SqlState::INVALID_AUTHORIZATION_SPECIFICATION, authorization_hint(text)),
        (
            SqlState::TOO_MANY_CONNECTIONS,
            "; each process of a batch needs two connections, one for the journal and one for the shared limits: end some, or raise the CONNECTION LIMIT of the user or the database, or the server's max_connections",
        ),
    ];
    let of_code = || hints.iter().find(|(of, _)| of == code).map(|(_, hint)| *hint);
    pooler_hint(error).or_else(of_code).unwrap_or_default()
}

/// The hint for a final error of a pooler.
fn pooler_hint(error: &tokio_postgres::Error) -> Option<&'static str> {
    let error = error.as_db_error().filter(|error| error.code().code().starts_with("08"))?;
    let message = DbError::message(error).to_lowercase();
    POOLER_HINTS.iter().find(|(text, _)| message.contains(text)).map(|(_, hint)| *hint)
}

fn authorization_hint(text: &str) -> &'static str {
    if text.contains("client certificate") {
        "; client certificates are not supported: let the server's pg_hba.conf ask this user for a password (scram-sha-256, without clientcert)"
    } else {
        "; check the user in the URL, which must exist and have LOGIN, and the server's pg_hba.conf, which must admit the user from this machine (it may ask for TLS: sslmode=require)"
    }
}

/// The hint for an error without a SQLSTATE, by the wording of the driver and the TLS libraries.
fn client_hint(text: &str) -> &'static str {
    let hints = [
        (
            "password missing",
            "; put it into the file ~/.pgpass, which only its owner may read (chmod 600), or into PGPASSWORD",
        ),
        (
            "server does not support TLS",
            "; turn it on there (ssl = on), or, in a trusted network, disable it: sslmode=disable",
        ),
        (
            "no hostname provided",
            "; a certificate is for a name: name the host beside its hostaddr",
        ),
        ("failed to lookup address information", "; check the name of the host in the URL"),
        ("UnknownIssuer", ISSUER),
        ("unable to get local issuer certificate", ISSUER),
        ("self-signed certificate", ISSUER),
        ("self signed certificate", ISSUER),
        (
            "CaUsedAsEndEntity",
            "; the server's certificate is one of a CA, as openssl req -x509 makes it: make it with -addext basicConstraints=critical,CA:FALSE, or sign another one with a CA, and name the file of what signed it in sslrootcert",
        ),
    ];
    hints.iter().find(|(part, _)| text.contains(part)).map_or("", |(_, hint)| hint)
}

/// Hint for a certificate of an unknown issuer.
const ISSUER: &str = "; if it was signed by a CA of your own, name the file with the CA's certificate in sslrootcert";
