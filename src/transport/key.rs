//! The API key, in the forms in which it is sent.

use reqwest::header::HeaderValue;

use super::Auth;
use crate::secret_string::SecretString;

/// The API key. Its headers are made once, and marked as sensitive: no layer below shows them.
pub(crate) struct Key {
    secret: SecretString,
    bearer: HeaderValue,
    bare: HeaderValue,
}

impl Key {
    /// `None` for a key that cannot stand in a header.
    pub(crate) fn new(secret: SecretString) -> Option<Self> {
        let header = |text: &str| {
            let mut value = HeaderValue::from_str(text).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        let bearer = header(&format!("Bearer {}", secret.expose()))?;
        let bare = header(secret.expose())?;
        Some(Self { secret, bearer, bare })
    }

    pub(crate) fn secret(&self) -> &SecretString {
        &self.secret
    }

    /// The `authorization` header, where the key goes there.
    pub(super) fn header(&self, auth: Auth) -> Option<&HeaderValue> {
        match auth {
            Auth::Bearer => Some(&self.bearer),
            Auth::BareKey => Some(&self.bare),
            Auth::QueryKey => None,
        }
    }
}
