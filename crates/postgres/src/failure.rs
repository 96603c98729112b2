//! What a failure of the database means.

mod hints;

use std::error::Error;
use std::time::Duration;
use std::{fmt, io, iter};

use tokio_postgres::error::{DbError, SqlState};

/// Why something in the database did not succeed. The text quotes no value of a statement, and no
/// password.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// It may succeed if it is tried again, over a new connection.
    Passing(String),
    /// TLS is not as it must be: the server offers none, its certificate is not trusted, or what
    /// came was not what it sent. Whoever connects for the first time should take it as final;
    /// later, while a server is set up anew, it may pass.
    Insecure {
        /// What is wrong, and what to do.
        message: String,
        /// The error as the database's client has it.
        source: tokio_postgres::Error,
    },
    /// It will not.
    Final {
        /// What the database said, and what to do.
        message: String,
        /// The error as the database's client has it.
        source: tokio_postgres::Error,
    },
}

/// What a user needs who may connect, where the tables are there.
const RIGHTS: &str = "; the user needs rights in the schema podqueue: to look at a batch, USAGE on it and SELECT on its tables; to run one, also INSERT, UPDATE and DELETE, and CREATE on the schema if a table is still to be made";

impl Failure {
    /// The database did not respond.
    pub(crate) fn silence(time: Duration) -> Self {
        Self::Passing(format!("the database did not respond for {time:?}"))
    }

    /// What went wrong, and what helps: `right` where the user lacks a right.
    pub(crate) fn without_right(error: tokio_postgres::Error, right: &str) -> Self {
        let said = message(&error);
        let hint = match error.code() {
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => right,
            _ => hints::hint(&error, &said),
        };
        let message = format!("{said}{hint}");
        if is_insecure(&error) {
            Self::Insecure { message, source: error }
        } else if is_passing(&error) {
            Self::Passing(message)
        } else {
            Self::Final { message, source: error }
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::without_right(error, RIGHTS)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passing(message)
            | Self::Insecure { message, .. }
            | Self::Final { message, .. } => f.write_str(message),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Passing(_) => None,
            Self::Insecure { source, .. } | Self::Final { source, .. } => Some(source),
        }
    }
}

/// Without the values that a statement contained, which the detail may quote.
fn message(error: &tokio_postgres::Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(said), _) => format!("{} ({})", DbError::message(said), said.code().code()),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

/// What the connection failed by, however deep a library for TLS hides it.
fn io_failure(error: &tokio_postgres::Error) -> Option<io::ErrorKind> {
    iter::successors(error.source(), |cause| (*cause).source())
        .find_map(|cause| cause.downcast_ref::<io::Error>())
        .map(io::Error::kind)
}

fn is_insecure(error: &tokio_postgres::Error) -> bool {
    // The kind of an error is told by its text alone.
    let text = error.to_string();
    let is_handshake = text.starts_with("error performing TLS handshake");
    match io_failure(error) {
        // What is received over TLS, such as a certificate, and not as it must be.
        Some(io::ErrorKind::InvalidData) => {
            is_handshake || text.starts_with("error communicating with the server")
        }
        // A name that no certificate can be for.
        Some(io::ErrorKind::InvalidInput) | None => is_handshake,
        Some(_) => false,
    }
}

fn is_passing(error: &tokio_postgres::Error) -> bool {
    if hints::of_pooler(error).is_some() {
        return false;
    }
    let Some(code) = error.code() else {
        let failed = io_failure(error);
        return error.is_closed() || failed.is_some_and(|kind| kind != io::ErrorKind::InvalidData);
    };
    let passing = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        // A database that takes no connections for now.
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        // For a moment after a failover.
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    // Broken connections; a lack of resources; a shutdown.
    let classes = ["08", "53", "57P"];
    passing.contains(code) || classes.iter().any(|class| code.code().starts_with(class))
}
