//! Service: the base URL, the authorization, and the transport of calls.

use std::fmt;
use std::sync::Arc;

use reqwest::Url;

use crate::authorization::{Authorization, Credential};
use crate::call::{AddressedCall, Call, Operation, Target};
use crate::error::{Attempted, Error, ErrorKind, Result};
#[cfg(feature = "announced-limits")]
use crate::limiter::AnnouncedLimits;
use crate::secret_string::SecretString;
use crate::transport::{Reply, Transport};
use crate::url::base_url;

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

#[derive(Clone)]
struct Location {
    /// Without a slash at the end if it has no path; `None` if the client was built without it.
    url: Option<Url>,
    /// The setting that is missing without a URL.
    setting: &'static str,
    /// True if generated calls add the path of their description to a URL without one.
    takes_base_path: bool,
    credential: Arc<Credential>,
    servers: Vec<Server>,
    interface: InterfaceDetails,
    /// The limits that the service announces.
    #[cfg(feature = "announced-limits")]
    announced: Arc<AnnouncedLimits>,
}

/// Details of the operations at a service's URL that their description cannot express. Not
/// public API: it changes without notice.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct InterfaceDetails {
    /// The name of the interface in errors, as in "on the REST interface".
    pub name: &'static str,
    /// Finds a rule that the query or the JSON body of an operation breaks, before it is sent.
    pub check: fn(operation: &str, query: &str, body: Option<&[u8]>) -> Option<BrokenRule>,
    /// The advice for an operation of a retired interface, which names its successor: the end of a
    /// sentence.
    pub successor: fn(operation: &str) -> Option<&'static str>,
    /// True if the interface announces its rate limits: the first call waits for no other call, and
    /// later ones wait for its response.
    pub announces_limits: bool,
}

/// A rule that a request breaks, and the field that it is about. Not public API: it changes without
/// notice.
#[doc(hidden)]
pub struct BrokenRule {
    pub field: &'static str,
    pub rule: String,
}

impl Default for InterfaceDetails {
    fn default() -> Self {
        Self { name: "REST", check: |_, _, _| None, successor: |_| None, announces_limits: false }
    }
}

/// The place of a server that a description names for some of its operations.
#[derive(Clone)]
struct Server {
    described: String,
    url: Url,
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
        let reply = self.transport.send(&call).await;
        reply.map_err(|error| self.with_successor(error, call.attempted.what()))
    }

    /// The error, with what to do instead of an operation of a retired interface.
    fn with_successor(&self, error: Error, operation: &str) -> Error {
        if error.kind() != ErrorKind::Gone {
            return error;
        }
        match (self.location.interface.successor)(operation) {
            Some(successor) => {
                let message = format!("{}; {successor}", error.message());
                error.with_message(message)
            }
            None => error,
        }
    }

    /// Refuses a request that breaks a rule of the interface.
    fn check(&self, call: &Call) -> Result<()> {
        let body = call.parts.body.as_deref();
        match (self.location.interface.check)(call.parts.operation.name, &call.parts.query, body) {
            Some(BrokenRule { field, rule }) => Err(Error::refused(call.attempted(), field, rule)),
            None => Ok(()),
        }
    }

    fn address(&self, mut call: Call) -> Result<AddressedCall> {
        self.check(&call)?;
        let (url, credential) = match std::mem::replace(&mut call.parts.target, Target::Service) {
            Target::Url(url) if call.parts.server.is_none() => {
                (url, Arc::clone(&self.location.credential))
            }
            Target::Url(url) => (url, self.base(&call)?.1),
            Target::Path(path) => {
                let (base, credential) = self.base(&call)?;
                (path.on(&base, call.attempted())?, credential)
            }
            Target::Service => {
                (self.url(call.attempted())?.clone(), Arc::clone(&self.location.credential))
            }
        };
        #[cfg_attr(not(feature = "announced-limits"), expect(unused_mut))]
        let mut call = AddressedCall::new(call, url, credential);
        // Another server counts for itself.
        #[cfg(feature = "announced-limits")]
        if Arc::ptr_eq(&call.credential, &self.location.credential) {
            call.announced = Some(Arc::clone(&self.location.announced));
        }
        Ok(call)
    }

    /// The URL below which the path of a call is, and the credential that is sent there.
    pub(crate) fn base(&self, call: &Call) -> Result<(Url, Arc<Credential>)> {
        match call.parts.server {
            Some(described) => self.server(described, call.attempted()),
            None => {
                let url = self.url(call.attempted())?.clone();
                Ok((url, Arc::clone(&self.location.credential)))
            }
        }
    }

    /// The URL and the credential for calls to a server that a description names. The service's
    /// own credential is sent to its own origin alone.
    fn server(&self, described: &str, attempted: &Attempted) -> Result<(Url, Arc<Credential>)> {
        let known = self.location.servers.iter().find(|it| it.described == described);
        if let Some(Server { url, credential, .. }) = known {
            return Ok((url.clone(), Arc::clone(credential)));
        }
        let service = self.url(attempted)?;
        let mut url = service.clone();
        url.set_query(None);
        if described.contains("://") {
            url = base_url(&attempted.to_string(), "server", described, self.transport.plain_http)?;
        } else {
            url.set_path(described);
        }
        if url.origin() != service.origin() {
            let rule = format!(
                "of this operation is {described}, which has another origin than the service, \
                 and may get other keys: set both by `Service::with_server({described:?}, …)`"
            );
            return Err(Error::refused(attempted, "server", rule));
        }
        Ok((url, Arc::clone(&self.location.credential)))
    }

    /// A service at another URL and with another authorization: connection pool, retry budget and
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
        let elsewhere = Self::new(Arc::clone(&self.transport), credential).at_url(url);
        Ok(elsewhere.of_interface(self.location.interface))
    }

    /// This service with the URL and the authorization of a further server: that of the operations for
    /// which a description names a server of their own, `described`, with the defaults of its
    /// variables and without a slash at its end. The docs of the operation name it.
    ///
    /// Without it, such operations are sent to the server that the description names if its origin
    /// (scheme, host and port) is that of the service, with the service's authorization; otherwise
    /// they are refused.
    ///
    /// ```no_run
    /// # fn example(service: podqueue_runtime::Service, key: &str) -> podqueue_runtime::Result<()> {
    /// use podqueue_runtime::Authorization;
    ///
    /// let uploads = "https://uploads.shop.example";
    /// let service = service.with_server(uploads, uploads, Authorization::bearer(key))?;
    /// # let _ = service;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`at`](Self::at).
    pub fn with_server(
        &self,
        described: impl Into<String>,
        url: impl Into<String>,
        authorization: Authorization,
    ) -> Result<Self> {
        const ATTEMPTED: &str = "server settings";
        let described = described.into();
        let url = base_url(ATTEMPTED, "url", &url.into(), self.transport.plain_http)?;
        let credential = Arc::new(Credential::new(ATTEMPTED, authorization)?);
        let mut location = Location::clone(&self.location);
        location.servers.retain(|it| it.described != described);
        location.servers.push(Server { described, url, credential });
        Ok(Self { transport: Arc::clone(&self.transport), location: Arc::new(location) })
    }
}

/// Support for this crate and those built on it. Not public API: it changes without notice.
#[doc(hidden)]
impl Service {
    /// A service whose URL is missing.
    pub fn new(transport: Arc<Transport>, credential: Credential) -> Self {
        let credential = Arc::new(credential);
        let servers = Vec::new();
        let location = Location {
            url: None,
            setting: "url",
            takes_base_path: false,
            credential,
            servers,
            interface: InterfaceDetails::default(),
            #[cfg(feature = "announced-limits")]
            announced: Arc::new(AnnouncedLimits::new(false)),
        };
        Self { transport, location: Arc::new(location) }
    }

    pub fn at_url(self, url: Url) -> Self {
        self.at_setting("url", Some(url))
    }

    /// At the URL of this setting, without which calls are refused.
    pub fn at_setting(self, setting: &'static str, url: Option<Url>) -> Self {
        let location = Location { url, setting, ..Location::clone(&self.location) };
        Self { transport: self.transport, location: Arc::new(location) }
    }

    /// With these details of the operations at its URL.
    pub fn of_interface(self, interface: InterfaceDetails) -> Self {
        let location = Location {
            interface,
            #[cfg(feature = "announced-limits")]
            announced: Arc::new(AnnouncedLimits::new(interface.announces_limits)),
            ..Location::clone(&self.location)
        };
        Self { transport: self.transport, location: Arc::new(location) }
    }

    /// The name of the interface in errors.
    pub fn interface_name(&self) -> &'static str {
        self.location.interface.name
    }

    /// Lets generated calls add the path of their description to a URL without one.
    pub fn taking_base_path(self) -> Self {
        let location = Location { takes_base_path: true, ..Location::clone(&self.location) };
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
        let servers = self.location.servers.iter().flat_map(|it| it.credential.secrets());
        let own = self.location.credential.secrets();
        self.transport.sender.secrets.iter().chain(own).chain(servers)
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

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;
    use crate::retry::Idempotency;

    /// The URL and the key of a call to a described server.
    fn sent(service: &Service, described: &'static str) -> Result<(String, String)> {
        let operation = Operation::new("put", reqwest::Method::PUT, Idempotency::Idempotent);
        let mut call = Call::new(&operation, "/files");
        call.parts.server = Some(described);
        let call = service.address(call)?;
        let mut headers = HeaderMap::new();
        call.credential.add_to_headers(&mut headers);
        let key = headers.get("x-key").and_then(|it| it.to_str().ok()).unwrap_or_default();
        Ok((call.url.to_string(), key.to_owned()))
    }

    fn key(key: &str) -> Authorization {
        Authorization::header("x-key", key)
    }

    #[tokio::test]
    async fn a_key_is_sent_to_its_own_origin_alone() {
        let service = Service::builder("https://shop.example/v1").authorization(key("canary-own"));
        let service = service.build().expect("it is valid").taking_base_path();
        for (described, url) in [
            ("/v2", "https://shop.example/v2/files"),
            ("https://shop.example/v2", "https://shop.example/v2/files"),
            ("https://SHOP.example:443", "https://shop.example/files"),
        ] {
            let sent = sent(&service, described).expect("the origin is the same");
            assert_eq!(sent, (url.to_owned(), "canary-own".to_owned()), "{described}");
        }
        let foreign = [
            "https://uploads.example",
            "https://shop.example:444/v1",
            "http://shop.example/v1",
            "https://shop.example.evil.example",
            "https://shop.example@evil.example",
        ];
        for described in foreign {
            let error = sent(&service, described).expect_err("the origin is another");
            assert_eq!(error.kind(), crate::ErrorKind::InvalidRequest, "{described}");
            assert_eq!(error.field(), Some("server"), "{error}");
        }
        let error = sent(&service, foreign[0]).expect_err("the origin is another");
        let advice = "set both by `Service::with_server(\"https://uploads.example\", …)`";
        assert!(error.to_string().contains(advice), "{error}");

        let service = service
            .with_server(foreign[0], "https://mirror.example/u/", key("canary-uploads"))
            .and_then(|it| it.with_server("/v2", "https://two.example", Authorization::none()))
            .expect("it is valid");
        let uploads = sent(&service, foreign[0]).expect("it is known");
        let expected = ("https://mirror.example/u/files".to_owned(), "canary-uploads".to_owned());
        assert_eq!(uploads, expected);
        let two = sent(&service, "/v2").expect("it is known");
        assert_eq!(two, ("https://two.example/files".to_owned(), String::new()));
        let secrets: Vec<_> = service.secrets().map(SecretString::expose).collect();
        assert!(secrets.contains(&"canary-own") && secrets.contains(&"canary-uploads"));
        assert!(!format!("{service:?}").contains("canary"));
        assert!(service.with_server("a", "http://plain.example", key("k")).is_err());
        let elsewhere = service.at("https://c.example", key("c")).expect("it is valid");
        assert!(sent(&elsewhere, foreign[0]).is_err(), "keys of another service's servers");
    }
}
