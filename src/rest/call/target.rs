//! Where generated calls go.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use reqwest::Url;

use crate::client::{Client, urls};
use crate::context::Context;
use crate::error::{Attempted, Result};
use crate::rest::authorization::Authorization;
use crate::secret_string::SecretString;
use crate::transport::Auth;

/// A service and the client that calls it.
#[derive(Clone)]
pub struct Target {
    pub(super) context: Arc<Context>,
    service: Service,
}

#[derive(Clone)]
enum Service {
    /// That of the client. If its URL has no path, it is called below this one.
    OfClient {
        base_path: &'static str,
    },
    Other(Arc<Other>),
}

struct Other {
    url: Url,
    auth: Auth,
    secrets: Vec<SecretString>,
}

impl Target {
    /// The service at the client's `rest_url`, with the client's key.
    pub fn of(client: &Client, base_path: &'static str) -> Self {
        let context = Arc::clone(client.context());
        Self { context, service: Service::OfClient { base_path } }
    }

    /// The service at another URL, without the client's key.
    pub fn at(
        client: &Client,
        url: impl Into<String>,
        authorization: Authorization,
    ) -> Result<Self> {
        const ATTEMPTED: &str = "REST settings";
        let context = Arc::clone(client.context());
        let url = urls::base(ATTEMPTED, "url", &url.into(), context.plain_http)?;
        let (auth, secrets) = authorization.into_auth(ATTEMPTED)?;
        Ok(Self { context, service: Service::Other(Arc::new(Other { url, auth, secrets })) })
    }

    pub(super) fn url(&self, attempted: &Attempted) -> Result<Cow<'_, Url>> {
        match &self.service {
            Service::Other(other) => Ok(Cow::Borrowed(&other.url)),
            Service::OfClient { base_path } => {
                let url = self.context.rest_url(attempted)?;
                let is_exact = self.context.is_rest_url_exact || url.path() != "/";
                if is_exact || base_path.is_empty() {
                    return Ok(Cow::Borrowed(url));
                }
                let mut url = url.clone();
                url.set_path(base_path);
                Ok(Cow::Owned(url))
            }
        }
    }

    pub(super) fn auth(&self) -> Auth {
        match &self.service {
            Service::OfClient { .. } => Auth::Bearer,
            Service::Other(other) => other.auth.clone(),
        }
    }

    /// What authorizes the calls, beside the client's key.
    pub(super) fn secrets(&self) -> &[SecretString] {
        match &self.service {
            Service::OfClient { .. } => &[],
            Service::Other(other) => &other.secrets,
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.service {
            Service::OfClient { .. } => self.context.fmt(f),
            Service::Other(other) => f.write_str(other.url.as_str()),
        }
    }
}
