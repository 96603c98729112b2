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

impl Failure {
    /// The database did not respond.
    pub(crate) fn silence(time: Duration) -> Self {
        Self::Passing(format!("the database did not respond for {time:?}"))
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let message = message(&error);
        let hint = match error.code() {
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
                "; the user needs rights in the schema podqueue, or the right to create it"
            }
            Some(code) if *code == SqlState::READ_ONLY_SQL_TRANSACTION => {
                "; it is a standby, or only to be read: the URL must be that of the primary"
            }
            Some(_) if is_refused_parameter(&error) => {
                "; a pooler does not pass this parameter on: leave it out of the URL, or list it in the pooler's ignore_startup_parameters"
            }
            None if message.ends_with("password missing") => {
                "; put it into the file ~/.pgpass, which only its owner may read (chmod 600), or into PGPASSWORD"
            }
            _ => "",
        };
        let message = format!("{message}{hint}");
        match is_passing(&error) {
            true => Self::Passing(message),
            false => Self::Final { message, source: error },
        }
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
