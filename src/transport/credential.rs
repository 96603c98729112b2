//! Credentials of services other than the client's.

use reqwest::header::{HeaderName, HeaderValue};

use crate::secret_string::SecretString;

/// A header that authorizes calls of another service.
pub(crate) struct Credential {
    name: HeaderName,
    value: HeaderValue,
}

impl Credential {
    /// `Err` with what of it cannot stand in a header.
    pub(crate) fn new(name: &str, value: &SecretString) -> Result<Self, &'static str> {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| "name")?;
        let value = sensitive(value.expose()).ok_or("value")?;
        Ok(Self { name, value })
    }

    pub(super) fn header(&self) -> (HeaderName, &HeaderValue) {
        (self.name.clone(), &self.value)
    }
}

/// A value that no layer below shows.
pub(super) fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
