//! What a failure of the database means for a batch.

use podqueue_postgres::Failure as OfDatabase;

use crate::error::{Error, ErrorKind};

/// Why something in the database did not succeed.
#[derive(Debug)]
pub(super) enum Failure {
    /// It may succeed if it is tried again, over a new connection.
    Passing(String),
    /// TLS is not as it must be: at first, that is final; later, it may pass.
    Insecure(Error),
    /// It will not.
    Final(Error),
    /// This process has been taken over.
    TakenOver,
    /// The database has lost changes that were durable.
    Lost,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Final(error)
    }
}

impl From<OfDatabase> for Failure {
    fn from(failure: OfDatabase) -> Self {
        match failure {
            OfDatabase::Final { message, source } => {
                Self::Final(Error::new(ErrorKind::Journal, message).with_source(source))
            }
            OfDatabase::Insecure { message, source } => {
                Self::Insecure(Error::new(ErrorKind::Journal, message).with_source(source))
            }
            passing => Self::Passing(passing.to_string()),
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        OfDatabase::from(error).into()
    }
}
