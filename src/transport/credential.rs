//! Credentials of services other than the client's.

use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, HOST, HeaderName, HeaderValue, TRANSFER_ENCODING,
};

use crate::secret_string::SecretString;

/// What authorizes calls of another service.
pub(crate) enum Credential {
    Header { name: HeaderName, value: HeaderValue },
    Query { name: String, value: SecretString },
}

impl Credential {
    /// `Err` with what is wrong with it.
    pub(crate) fn header(name: &str, value: &SecretString) -> Result<Self, &'static str> {
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| "has a name that cannot stand in a header")?;
        if [CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING].contains(&name) {
            return Err("has the name of a header that the HTTP client sets");
        }
        let value = sensitive(value.expose()).ok_or("has a value that cannot stand in a header")?;
        Ok(Self::Header { name, value })
    }
}

/// A value that no layer below shows.
pub(super) fn sensitive(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
