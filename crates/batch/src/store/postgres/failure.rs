//! What a failure of the database means.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use tokio_postgres::error::{DbError, SqlState};

use crate::error::{Error, ErrorKind};

/// Why something in the database did not succeed.
#[derive(Debug)]
pub(super) enum Failure {
    /// It may succeed if it is tried again, over a new connection.
    Passing(String),
    /// It will not.
    Final(Error),
    /// This process has been taken over.
    TakenOver,
}

impl Failure {
    /// The database did not respond.
    pub(super) fn silence(time: Duration) -> Self {
        Self::Passing(format!("the database did not respond for {time:?}"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let message = message(&error);
        if is_passing(&error) {
            return Self::Passing(message);
        }
        let hint = match error.code() {
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
                "; the user needs rights in the schema podqueue, or the right to create it"
            }
            _ => "",
        };
        Self::Final(Error::new(ErrorKind::Journal, format!("{message}{hint}")).with_source(error))
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

fn is_passing(error: &tokio_postgres::Error) -> bool {
    let Some(code) = error.code() else {
        let is_broken = |cause: &(dyn std::error::Error + 'static)| cause.is::<io::Error>();
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
