//! Which requests are taken at all: those that were sent to this machine by its name, and not by a
//! page of another origin.
//!
//! A browser sends requests to local services for any page. A page whose own name leads to this
//! machine (DNS rebinding) is known by the header `Host`, and any other by `Origin` or
//! `Sec-Fetch-Site`.

use std::net::IpAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::{Authority, Scheme};
use axum::http::{HeaderMap, Request, StatusCode, Uri};

use super::Refusal;

const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// The names by which the service may be asked.
pub(crate) struct Hosts {
    /// The address that the service listens on.
    pub(crate) address: IpAddr,
    /// Names that were allowed beside those of this machine.
    pub(crate) allowed: Vec<String>,
}

impl Hosts {
    /// Refuses a request that is for another host, or from a page of another origin. `local` is the
    /// address at which it arrived.
    pub(super) fn check<B>(
        &self,
        request: &Request<B>,
        local: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        let host = self.host(request, local)?;
        let headers = request.headers();
        let foreign = headers.get_all(ORIGIN).iter().any(|origin| {
            let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
            // The service speaks no other scheme, and another one is another origin.
            let origin = origin.as_ref().filter(|origin| origin.scheme() == Some(&Scheme::HTTP));
            let authority = origin.and_then(Uri::authority);
            authority.is_none_or(|authority| !authority.as_str().eq_ignore_ascii_case(&host))
        });
        if foreign || !is_of_this_site(headers) {
            let message = "a page of another origin may not call this service";
            return Err(Refusal::new(StatusCode::FORBIDDEN, message));
        }
        Ok(())
    }

    /// The host and port that a request is for, if they are this service's.
    fn host<B>(&self, request: &Request<B>, local: Option<IpAddr>) -> Result<String, Refusal> {
        let mut hosts = request.headers().get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(Refusal::bad_request("a request needs exactly one header Host"));
        };
        let host = host.to_str().unwrap_or_default();
        let target = request.uri().authority().map(Authority::as_str);
        for name in [Some(host), target].into_iter().flatten() {
            let authority = name.parse::<Authority>().ok();
            if !authority.is_some_and(|authority| self.is_known(&authority, local)) {
                let message = "this service does not go by the name in Host: names beside those \
                               of this machine have to be allowed when it starts (--allow-host)";
                return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, message));
            }
        }
        Ok(host.to_owned())
    }

    fn is_known(&self, authority: &Authority, local: Option<IpAddr>) -> bool {
        if authority.as_str().contains('@') {
            return false;
        }
        let host = authority.host();
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let is_own = match bare.parse::<IpAddr>() {
            Ok(ip) => {
                let ip = ip.to_canonical();
                ip.is_loopback()
                    || ip == self.address.to_canonical()
                    || local.is_some_and(|local| ip == local.to_canonical())
            }
            Err(_) => bare.eq_ignore_ascii_case("localhost"),
        };
        is_own || self.allowed.iter().any(|name| name.eq_ignore_ascii_case(bare))
    }
}

/// What a browser says of the page that a request comes from. Others say nothing.
fn is_of_this_site(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all(SEC_FETCH_SITE).iter();
    sites.all(|site| site == "same-origin" || site == "none")
}
