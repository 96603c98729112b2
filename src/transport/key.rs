//! The API key, in the forms in which it is sent.

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};

use super::Auth;
use super::credential::{Credential, sensitive};
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
        let bearer = sensitive(&format!("Bearer {}", secret.expose()))?;
        let bare = sensitive(secret.expose())?;
        Some(Self { secret, bearer, bare })
    }

    pub(crate) fn secret(&self) -> &SecretString {
        &self.secret
    }

    /// Sets the header that authorizes a call, where one does.
    pub(super) fn authorize(&self, auth: &Auth, headers: &mut HeaderMap) {
        let (name, value) = match auth {
            Auth::Bearer => (AUTHORIZATION, &self.bearer),
            Auth::BareKey => (AUTHORIZATION, &self.bare),
            Auth::Other(Some(credential)) => match &**credential {
                Credential::Header { name, value } => (name.clone(), value),
                Credential::Query { .. } => return,
            },
            Auth::QueryKey | Auth::Other(None) => return,
        };
        headers.insert(name, value.clone());
    }
}
