//! What came back.

use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::Incoming;
use crate::error::{Attempted, Error, Result};
use crate::hiding::Secrets;
use crate::json::{decode_at, redacted};

/// A successful reply, read whole unless it is a stream of events.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
    /// An earlier attempt of the same call may have taken effect already.
    pub(crate) after_unknown_outcome: bool,
    /// What must not be shown of it.
    pub(crate) secrets: Secrets,
    /// The body of a stream of events that was asked for, in place of the one above.
    pub(crate) incoming: Option<Box<Incoming>>,
}

impl Reply {
    /// Reads the body as JSON.
    pub(crate) fn decode<T: DeserializeOwned>(&self, attempted: &Attempted) -> Result<T> {
        decode_at(attempted, "", &self.body).map_err(|error| self.explain(error))
    }

    /// Adds what came back to an error about it.
    pub(crate) fn explain(&self, error: Error) -> Error {
        let secrets = self.secrets.clone().looked_up();
        let error = redacted(error, &secrets.redactor());
        error.with_status(self.status).with_body(self.body.clone(), secrets)
    }
}
