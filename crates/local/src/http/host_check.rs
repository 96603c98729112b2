//! Host and origin check: a defence against DNS rebinding and cross-origin requests.
//!
//! A browser sends requests to local services for any page. A page whose own domain name resolves
//! to this machine (DNS rebinding) is recognized by the header `Host`, and any other by `Origin` or
//! `Sec-Fetch-Site`.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::{Authority, Scheme};
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri};

use super::ErrorResponse;

const SEC_FETCH_DEST: &str = "sec-fetch-dest";
const SEC_FETCH_MODE: &str = "sec-fetch-mode";
const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// A normalized host name or IP address.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HostName {
    Ip(IpAddr),
    /// In lower case, and without the dot at the end.
    Domain(String),
}

impl HostName {
    /// Normalizes the host of a request.
    fn of(host: &str) -> Self {
        let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        // The dot only marks the name as fully qualified.
        let bare = bracketed.unwrap_or_else(|| host.strip_suffix('.').unwrap_or(host));
        match bare.parse::<IpAddr>() {
            Ok(ip) => Self::Ip(ip.to_canonical()),
            Err(_) => Self::Domain(bare.to_ascii_lowercase()),
        }
    }

    /// Parses a name that is to be allowed, or returns the reason for which no request could
    /// carry it.
    pub(crate) fn allowed(text: &str) -> Result<Self, &'static str> {
        if let Some(bracketed) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            return match bracketed.parse::<Ipv6Addr>() {
                Ok(ip) => Ok(Self::Ip(IpAddr::V6(ip).to_canonical())),
                Err(_) => Err("only an IPv6 address may be in brackets"),
            };
        }
        match Self::of(text) {
            Self::Domain(name) if name.is_empty() => Err("it is empty"),
            Self::Domain(name) if name.contains('/') => {
                Err("expected a host name, not a URL or path")
            }
            Self::Domain(name) if name.contains('*') => {
                Err("expected a single host name, not a pattern")
            }
            Self::Domain(name) if name.contains(':') => Err("expected a host name without a port"),
            Self::Domain(name) if !name.is_ascii() => Err("expected ASCII, as in a header (xn--…)"),
            Self::Domain(name) if !name.split('.').all(is_label) => Err(
                "expected labels of letters, digits, hyphens and underscores, separated by single dots",
            ),
            name => Ok(name),
        }
    }
}

fn is_label(label: &str) -> bool {
    !label.is_empty()
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Checks that a request is for this service, and from its own origin.
pub(crate) struct HostCheck {
    address: IpAddr,
    allowed: Vec<HostName>,
}

impl HostCheck {
    /// The check of a service that listens on an address, with further names that are allowed.
    pub(crate) fn new(address: IpAddr, allowed: Vec<HostName>) -> Self {
        Self { address, allowed }
    }

    /// Refuses a request that is for another host, or from a page of another origin. `local` is the
    /// address at which it arrived.
    pub(crate) fn check<B>(
        &self,
        request: &Request<B>,
        local: Option<IpAddr>,
    ) -> Result<(), ErrorResponse> {
        let host = self.host(request, local)?;
        let headers = request.headers();
        let foreign = headers.get_all(ORIGIN).iter().any(|origin| {
            let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
            // The service speaks no other scheme, and another one is another origin.
            let origin = origin.as_ref().filter(|origin| origin.scheme() == Some(&Scheme::HTTP));
            let authority = origin.and_then(Uri::authority);
            authority.is_none_or(|authority| !authority.as_str().eq_ignore_ascii_case(&host))
        });
        if foreign || !(is_same_origin(headers) || is_visit(request)) {
            let message = "pages of another origin may not call this service";
            return Err(ErrorResponse::new(StatusCode::FORBIDDEN, message));
        }
        Ok(())
    }

    /// The host and port that a request is for, if they are this service's.
    fn host<B>(
        &self,
        request: &Request<B>,
        local: Option<IpAddr>,
    ) -> Result<String, ErrorResponse> {
        let mut hosts = request.headers().get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(ErrorResponse::bad_request("a request must have exactly one Host header"));
        };
        let host = host.to_str().unwrap_or_default();
        let target = request.uri().authority().map(Authority::as_str);
        for name in [Some(host), target].into_iter().flatten() {
            let authority = name.parse::<Authority>().ok();
            if !authority.is_some_and(|authority| self.is_known(&authority, local)) {
                let message = "the Host header does not name this service: allow further names \
                               when starting it, with --allow-host or Builder::allow_host";
                return Err(ErrorResponse::new(StatusCode::MISDIRECTED_REQUEST, message));
            }
        }
        Ok(host.to_owned())
    }

    fn is_known(&self, authority: &Authority, local: Option<IpAddr>) -> bool {
        if authority.as_str().contains('@') {
            return false;
        }
        let name = HostName::of(authority.host());
        let is_own = match &name {
            HostName::Ip(ip) => {
                ip.is_loopback()
                    || *ip == self.address.to_canonical()
                    || local.is_some_and(|local| *ip == local.to_canonical())
            }
            HostName::Domain(name) => name == "localhost",
        };
        is_own || self.allowed.contains(&name)
    }
}

/// Returns true for a link that was followed to its own tab. The page that has the link cannot read
/// the response, and the request has no API key, as the address of a tab has no headers.
fn is_visit<B>(request: &Request<B>) -> bool {
    let is = |name: &str, value: &str| {
        let mut values = request.headers().get_all(name).iter();
        values.next().is_some_and(|first| first == value) && values.next().is_none()
    };
    request.method() == Method::GET
        && is(SEC_FETCH_MODE, "navigate")
        && is(SEC_FETCH_DEST, "document")
}

/// Returns true if a browser sent a request for a page of this origin. Other clients send no such
/// header.
fn is_same_origin(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    sites.all(|site| site == "same-origin" || site == "none")
}
