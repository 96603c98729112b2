//! What a failure of the database means.

use std::error::Error;
use std::time::Duration;
use std::{fmt, io};

use tokio_postgres::error::{DbError, SqlState};

/// Why something in the database did not succeed. The text quotes no value of a statement, and no
/// password.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// It may succeed if it is tried again, over a new connection.
    Passing(String),
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
            _ => hint(&error, &said),
        };
        let message = format!("{said}{hint}");
        match is_passing(&error) {
            true => Self::Passing(message),
            false => Self::Final { message, source: error },
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
            Self::Passing(message) | Self::Final { message, .. } => f.write_str(message),
        }
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Passing(_) => None,
            Self::Final { source, .. } => Some(source),
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

/// What to do about it, where that is known.
fn hint(error: &tokio_postgres::Error, said: &str) -> &'static str {
    let Some(code) = error.code() else { return hint_without_code(said) };
    let hints = [
        (
            SqlState::READ_ONLY_SQL_TRANSACTION,
            "; it is a standby, or only to be read: the URL must be that of the primary",
        ),
        (SqlState::INVALID_CATALOG_NAME, "; make it with createdb, or correct its name in the URL"),
        (SqlState::UNDEFINED_TABLE, MISSING),
        (SqlState::INVALID_SCHEMA_NAME, MISSING),
        (
            SqlState::INVALID_PASSWORD,
            "; the password is taken from the URL, or else from PGPASSWORD, or else from the file PGPASSFILE (~/.pgpass)",
        ),
        (
            SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
            "; check the user in the URL, who must be there and have LOGIN, and the server's pg_hba.conf, which must let the user in from here (it may ask for TLS: sslmode=require)",
        ),
        (
            SqlState::TOO_MANY_CONNECTIONS,
            "; each process of a batch needs two connections, one for the journal and one for the shared limits: end some, or raise the CONNECTION LIMIT of the user or the database, or the server's max_connections",
        ),
    ];
    if is_refused_parameter(error) {
        return "; a pooler does not pass this parameter on: leave it out of the URL, or list it in the pooler's ignore_startup_parameters";
    }
    hints.iter().find(|(of, _)| of == code).map_or("", |(_, hint)| hint)
}

/// What helps where a table is not there that was.
const MISSING: &str = "; the schema podqueue was removed or damaged while in use: restore it from a backup. A batch that is begun anew, after DROP SCHEMA podqueue CASCADE and with other results, submits all of its inputs again";

/// What to do where the server has said nothing, or not by a code.
fn hint_without_code(said: &str) -> &'static str {
    if said.ends_with("password missing") {
        "; put it into the file ~/.pgpass, which only its owner may read (chmod 600), or into PGPASSWORD"
    } else if said.ends_with("server does not support TLS") {
        "; turn it on there (ssl = on), or, in a network that can be trusted, do without: sslmode=disable"
    } else if said.contains("failed to lookup address information") {
        "; check the name of the host in the URL"
    } else {
        ""
    }
}

/// What a pooler says of a parameter that it does not know, with the code of a broken connection.
fn is_refused_parameter(error: &tokio_postgres::Error) -> bool {
    let said = error.as_db_error().map_or("", DbError::message);
    said.starts_with("unsupported startup parameter")
}

fn is_passing(error: &tokio_postgres::Error) -> bool {
    if is_refused_parameter(error) {
        return false;
    }
    let Some(code) = error.code() else {
        // A certificate that is not trusted, among others, is invalid data.
        let is_broken = |cause: &(dyn Error + 'static)| {
            let failed = cause.downcast_ref::<io::Error>();
            failed.is_some_and(|it| it.kind() != io::ErrorKind::InvalidData)
        };
        return error.is_closed() || error.source().is_some_and(is_broken);
    };
    let passing = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        // For a moment after a failover.
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    // Broken connections; a lack of resources; a shutdown.
    let classes = ["08", "53", "57P"];
    passing.contains(code) || classes.iter().any(|class| code.code().starts_with(class))
}
