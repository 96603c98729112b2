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
pub struct Authorization(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Header { name: String, value: SecretString },
    Query { name: String, value: SecretString },
    None,
}

impl Authorization {
    /// `authorization: Bearer <key>`
    pub fn bearer(key: impl Into<SecretString>) -> Self {
        let key = key.into();
        Self::header("authorization", format!("Bearer {}", key.expose()))
    }

    /// A header of any name, such as `x-api-key`.
    pub fn header(name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        Self(Kind::Header { name: name.into(), value: value.into() })
    }

    /// A query parameter of any name: `?key=…`. Prefer a header if the service accepts one: queries
    /// appear in the logs of servers and proxies.
    pub fn query(name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        Self(Kind::Query { name: name.into(), value: value.into() })
    }

    /// No authorization.
    pub fn none() -> Self {
        Self(Kind::None)
    }

    /// What the transport sends, and what of it must not be shown.
    pub(super) fn into_auth(self, attempted: &str) -> Result<(Auth, Vec<SecretString>)> {
        let refused = |rule| Error::refused(attempted, "authorization", rule);
        let (credential, value) = match self.0 {
            Kind::None => return Ok((Auth::Other(None), Vec::new())),
            Kind::Query { name, value } => {
                (Credential::Query { name, value: value.clone() }, value)
            }
            Kind::Header { name, value } => {
                let credential = Credential::header(&name, &value).map_err(refused)?;
                (credential, value)
            }
        };
        // A key that is not set is often an empty one.
        if ["", "Bearer"].contains(&value.expose().trim()) {
            return Err(refused("must not be empty"));
        }
        // The service may echo it without the scheme.
        let bare = value.expose().rsplit_once(' ').map(|(_, bare)| SecretString::from(bare));
        let decoded = credentials::in_basic(value.expose());
        let secrets = bare.into_iter().chain(decoded).chain([value]).collect();
        Ok((Auth::Other(Some(Arc::new(credential))), secrets))
    }
}
