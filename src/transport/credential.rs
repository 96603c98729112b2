//! Credentials of services other than the client's.

use reqwest::header::{HeaderName, HeaderValue};

use crate::secret_string::SecretString;

/// What authorizes calls of another service.
pub(crate) enum Credential {
    Header { name: HeaderName, value: HeaderValue },
    Query { name: String, value: SecretString },
}

impl Credential {
    /// `Err` with what of it cannot stand in a header.
    pub(crate) fn header(name: &str, value: &SecretString) -> Result<Self, &'static str> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| "name")?;
        let value = sensitive(value.expose()).ok_or("value")?;
        Ok(Self::Header { name, value })
    }
}

/// A value that no layer below shows.
pub(super) fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
