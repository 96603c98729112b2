//! Authorization of calls: the header or query to send, and its secrets.

use reqwest::Url;
use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};

use crate::error::{Error, Result};
use crate::redact::credentials_in_basic;
use crate::secret_string::SecretString;

/// The authorization of a service's calls.
///
/// A credential given here appears in no log or error, even if the service repeats it.
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
}

/// A checked authorization, as it is sent.
pub struct Credential {
    sent: Sent,
    /// The secrets of the credential, if the transport does not know them already.
    secrets: Vec<SecretString>,
}

enum Sent {
    Nothing,
    Header { name: HeaderName, value: HeaderValue },
    Query { name: String, value: SecretString },
}

impl Credential {
    /// Checks an authorization.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](crate::ErrorKind::InvalidRequest) if it is empty or cannot be sent.
    pub fn new(attempted: &str, authorization: Authorization) -> Result<Self> {
        let refused = |rule| Error::refused(attempted, "authorization", rule);
        let (sent, value) = match authorization.0 {
            Kind::None => return Ok(Self { sent: Sent::Nothing, secrets: Vec::new() }),
            Kind::Query { name, value } => (Sent::Query { name, value: value.clone() }, value),
            Kind::Header { name, value } => (header(&name, &value).map_err(refused)?, value),
        };
        // A key that is not set is often an empty text.
        if ["", "Bearer"].contains(&value.expose().trim()) {
            return Err(refused("must not be empty"));
        }
        // The service may echo it without the scheme.
        let bare = value.expose().rsplit_once(' ').map(|(_, bare)| SecretString::from(bare));
        let decoded = credentials_in_basic(value.expose());
        let secrets = bare.into_iter().chain(decoded).chain([value]).collect();
        Ok(Self { sent, secrets })
    }

    /// Hands over the secrets, for the transport to know them.
    pub fn take_secrets(&mut self) -> Vec<SecretString> {
        std::mem::take(&mut self.secrets)
    }

    pub(crate) fn secrets(&self) -> &[SecretString] {
        &self.secrets
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self.sent, Sent::Nothing)
    }

    /// Authorizes a request.
    pub(crate) fn add_to_url(&self, url: &mut Url) {
        if let Sent::Query { name, value } = &self.sent {
            url.query_pairs_mut().append_pair(name, value.expose());
        }
    }

    /// The URL without the parameter that [`add_to_url`](Self::add_to_url) adds.
    pub(crate) fn removed_from(&self, mut url: Url) -> Url {
        if let Sent::Query { name, .. } = &self.sent
            && url.query_pairs().any(|(other, _)| other == *name)
        {
            let kept = url.clone();
            let kept = kept.query_pairs().filter(|(other, _)| other != name);
            url.query_pairs_mut().clear().extend_pairs(kept);
        }
        url
    }

    /// Authorizes a request.
    pub(crate) fn add_to_headers(&self, headers: &mut HeaderMap) {
        if let Sent::Header { name, value } = &self.sent {
            headers.insert(name.clone(), value.clone());
        }
    }
}

/// `Err` with the rule that it breaks.
fn header(name: &str, value: &SecretString) -> Result<Sent, &'static str> {
    let name = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| "has a name that cannot stand in a header")?;
    if [CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING].contains(&name) {
        return Err("has the name of a header that the HTTP client sets");
    }
    let mut value = HeaderValue::from_str(value.expose())
        .map_err(|_| "has a value that cannot stand in a header")?;
    value.set_sensitive(true);
    Ok(Sent::Header { name, value })
}
