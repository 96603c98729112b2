//! Service: the base URL, the authorization, and the transport of calls.

use std::fmt;
use std::sync::Arc;

use reqwest::Url;

use crate::authorization::{Authorization, Credential};
use crate::call::{AddressedCall, Call, Operation, Target};
use crate::error::{Attempted, Error, Result};
use crate::secret_string::SecretString;
use crate::transport::{Reply, Transport};
use crate::url::{Path, base_url};

/// A service that calls are sent to: its URL, its authorization, an HTTP client, and all that calls
/// share, such as the retry budget and the rate limiter.
///
/// Cheap to clone: all clones share one connection pool, retry budget and rate limiter. Generated
/// calls take one, `Api::new(&service)`; calls written by hand are sent by [`send`](Self::send).
///
/// Calls must be awaited inside a [tokio](https://docs.rs/tokio) runtime with the time and I/O
/// drivers enabled (`#[tokio::main]` and `enable_all` do that).
///
/// ```no_run
/// # fn example(key: String) -> podqueue_runtime::Result<()> {
/// use podqueue_runtime::{Authorization, Service};
///
/// let service = Service::builder("https://shop.example/v1")
///     .authorization(Authorization::bearer(key))
///     .build()?;
/// # let _ = service;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Service {
    transport: Arc<Transport>,
    location: Arc<Location>,
}

struct Location {
    /// Without a slash at the end if it has no path; `None` if the client was built without it.
    url: Option<Url>,
    /// The setting that is missing without a URL.
    setting: &'static str,
    /// True if generated calls add the path of their description to a URL without one.
    takes_base_path: bool,
    credential: Arc<Credential>,
}

impl Service {
    /// Sends a call: waits for its permit of the rate limiter, attempts it, and retries it as its
    /// [`Idempotency`](crate::Idempotency) and the [`RetryPolicy`](crate::RetryPolicy) allow.
    ///
    /// # Errors
    ///
    /// Any [`ErrorKind`](crate::ErrorKind) except `Graphql` and `Other`.
    pub async fn send(&self, call: Call) -> Result<Reply> {
        let call = self.address(call)?;
        self.transport.send(&call).await
    }

    fn address(&self, mut call: Call) -> Result<AddressedCall> {
        let url = match std::mem::replace(&mut call.parts.target, Target::Service) {
            Target::Url(url) => url,
            Target::Path(path) => self.url_of(path, call.attempted())?,
            Target::Service => self.url(call.attempted())?.clone(),
        };
        Ok(AddressedCall::new(call, url, Arc::clone(&self.location.credential)))
    }

    /// The URL of a path below the service's.
    pub(crate) fn url_of(&self, path: Path, attempted: &Attempted) -> Result<Url> {
        path.on(self.url(attempted)?, attempted)
    }

    /// The URL without the authorization that this service adds to it: a link that a service gives
    /// can repeat the query of the request.
    pub(crate) fn without_credential(&self, url: Url) -> Url {
        self.location.credential.removed_from(url)
    }

    /// The same at another URL and with another authorization: connection pool, retry budget and
    /// all other settings are shared, and this service's authorization is not sent there.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidRequest`](crate::ErrorKind::InvalidRequest): the URL is invalid, is
    /// plain http to another machine, or has a query or credentials; or the authorization cannot be
    /// sent.
    pub fn at(&self, url: impl Into<String>, authorization: Authorization) -> Result<Self> {
        const ATTEMPTED: &str = "REST settings";
        let url = base_url(ATTEMPTED, "url", &url.into(), self.transport.plain_http)?;
        let credential = Credential::new(ATTEMPTED, authorization)?;
        Ok(Self::new(Arc::clone(&self.transport), credential).at_url(url))
    }
}

/// Support for this crate and those built on it. Not public API: it changes without notice.
#[doc(hidden)]
impl Service {
    /// A service whose URL is missing.
    pub fn new(transport: Arc<Transport>, credential: Credential) -> Self {
        let credential = Arc::new(credential);
        let location = Location { url: None, setting: "url", takes_base_path: false, credential };
        Self { transport, location: Arc::new(location) }
    }

    pub fn at_url(self, url: Url) -> Self {
        self.at_setting("url", Some(url))
    }

    /// At the URL of this setting, without which calls are refused.
    pub fn at_setting(self, setting: &'static str, url: Option<Url>) -> Self {
        let credential = Arc::clone(&self.location.credential);
        let takes_base_path = self.location.takes_base_path;
        let location = Location { url, setting, takes_base_path, credential };
        Self { transport: self.transport, location: Arc::new(location) }
    }

    /// Lets generated calls add the path of their description to a URL without one.
    pub fn taking_base_path(self) -> Self {
        let Location { url, setting, credential, .. } = &*self.location;
        let location = Location {
            url: url.clone(),
            setting,
            takes_base_path: true,
            credential: Arc::clone(credential),
        };
        Self { transport: self.transport, location: Arc::new(location) }
    }

    /// The service that calls of a description with this base path are sent to.
    pub fn below(self, base_path: &str) -> Self {
        match &self.location.url {
            Some(url)
                if self.location.takes_base_path && url.path() == "/" && !base_path.is_empty() =>
            {
                let mut url = url.clone();
                url.set_path(base_path);
                let setting = self.location.setting;
                self.at_setting(setting, Some(url))
            }
            _ => self,
        }
    }

    /// The URL.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](crate::ErrorKind::InvalidRequest) if it is not set.
    pub fn url(&self, attempted: &Attempted) -> Result<&Url> {
        self.location.url.as_ref().ok_or_else(|| {
            let rule = "is not set: pass it to the client's builder";
            Error::refused(attempted, self.location.setting, rule)
        })
    }

    pub fn known_url(&self) -> Option<&Url> {
        self.location.url.as_ref()
    }

    /// The secrets of all calls, redacted in each response.
    pub fn secrets(&self) -> impl Iterator<Item = &SecretString> {
        self.transport.sender.secrets.iter().chain(self.location.credential.secrets())
    }

    pub fn largest_response(&self) -> usize {
        self.transport.sender.largest_response
    }

    /// Waits until a call of this operation and scope would be sent, and returns how many would, up
    /// to `most`. Their permits are not kept.
    pub fn ready(
        &self,
        operation: &Operation,
        scope: &Arc<str>,
        most: u64,
    ) -> impl Future<Output = u64> + Send {
        self.transport.available(operation, scope, most)
    }

    /// Sets the least number of requests of each operation that the service admits in this scope.
    pub fn set_least_limit(&self, scope: &Arc<str>, requests: u64) {
        self.transport.limiter.set_least_limit(scope, requests);
    }
}

impl From<&Self> for Service {
    fn from(service: &Self) -> Self {
        service.clone()
    }
}

impl fmt::Debug for Service {
    /// Shows the URL without its query, which can contain the authorization.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = self.location.url.as_ref().map_or("", Url::as_str);
        let shown = url.split('?').next().unwrap_or_default();
        f.debug_struct("Service").field("url", &shown).finish_non_exhaustive()
    }
}
