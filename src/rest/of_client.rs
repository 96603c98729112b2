//! The REST interface of a client.

use super::Rest;
use crate::client::Client;

impl Client {
    /// The REST interface: Pods and templates, read by id.
    #[must_use]
    pub fn rest(&self) -> Rest {
        Rest::new(self)
    }
}
