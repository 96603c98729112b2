//! How calls of another service are authorized.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::hiding::credentials;
use crate::secret_string::SecretString;
use crate::transport::{Auth, Credential};

/// How calls of a REST service other than the client's are authorized. The client's own key is
/// never sent there, unless it is given here.
///
/// What is given here is redacted as the client's key is: it appears in no log or error.
#[derive(Clone, Debug)]
pub struct Authorization(Option<Header>);

#[derive(Clone, Debug)]
struct Header {
    name: String,
    value: SecretString,
}

impl Authorization {
    /// `authorization: Bearer <key>`
    pub fn bearer(key: impl Into<SecretString>) -> Self {
        let key = key.into();
        Self::header("authorization", format!("Bearer {}", key.expose()))
    }

    /// A header of any name, such as `x-api-key`.
    pub fn header(name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        Self(Some(Header { name: name.into(), value: value.into() }))
    }

    /// No authorization.
    pub fn none() -> Self {
        Self(None)
    }

    /// What the transport sends, and what of it must not be shown.
    pub(super) fn into_auth(self, attempted: &str) -> Result<(Auth, Vec<SecretString>)> {
        let Some(Header { name, value }) = self.0 else {
            return Ok((Auth::Other(None), Vec::new()));
        };
        let credential = Credential::new(&name, &value).map_err(|part| {
            let rule = format!("has a {part} that cannot stand in a header");
            Error::refused(attempted, "authorization", rule)
        })?;
        // The service may echo it without the scheme.
        let bare = value.expose().rsplit_once(' ').map(|(_, bare)| SecretString::from(bare));
        let decoded = credentials::in_basic(value.expose());
        let secrets = bare.into_iter().chain(decoded).chain([value]).collect();
        Ok((Auth::Other(Some(Arc::new(credential))), secrets))
    }
}
