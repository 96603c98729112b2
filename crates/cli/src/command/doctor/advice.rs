//! What to do about what was found.

use std::error::Error as _;

use podqueue::{Error, ErrorKind, Health};

/// What to do about a call that failed.
pub fn advice(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Connect => connecting(error),
        ErrorKind::Unauthorized => "check the key",
        ErrorKind::Network if text_of(error).contains("http") => {
            "check the URL: something other than the service responds there"
        }
        ErrorKind::Timeout | ErrorKind::Network => {
            "check the network, a proxy, a firewall, and https or http in the URL"
        }
        ErrorKind::RateLimited => {
            "other programs with this key use up its rate limit: wait a little"
        }
        ErrorKind::Redirect => "the URL leads elsewhere: set the one that it redirects to",
        ErrorKind::Server if error.status().is_some_and(|status| status >= 500) => {
            "the service has trouble of its own: try again later"
        }
        _ if error.status() == Some(407) => {
            "check the user and password of the proxy, in HTTPS_PROXY or HTTP_PROXY"
        }
        _ if error.status() == Some(403) => {
            "the key lacks permission, or something on the way refuses the call: a proxy, a firewall"
        }
        _ => "check the URL: something other than the service responds there",
    }
    .to_owned()
}

/// What an error's causes say, in lower case. Its own text may contain names that anybody chose.
fn text_of(error: &Error) -> String {
    let mut text = String::new();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text.to_lowercase()
}

fn connecting(error: &Error) -> &'static str {
    let text = text_of(error);
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["tunnel"]) {
        "the proxy does not let the call through: check HTTPS_PROXY or HTTP_PROXY, or exempt the \
         host with NO_PROXY"
    } else if says(&["not valid for name"]) {
        // First, since it names hosts, which may be called anything.
        "TLS failed: the certificate is for another host: check the host in the URL"
    } else if says(&["expired", "not valid yet"]) {
        "TLS failed: the certificate is not valid at this time: check this machine's clock; \
         otherwise the service must renew it"
    } else if says(&["unknownissuer"]) {
        "TLS failed: this machine does not know who issued the certificate: check its root \
         certificates, or SSL_CERT_FILE; a proxy may have replaced the certificate"
    } else if says(&["certificate", "tls", "handshake", "corrupt message", "fatal alert"]) {
        "TLS failed: check https or http in the URL, this machine's clock, and its root certificates"
    } else if says(&["dns", "lookup", "resolve"]) {
        "no such host: check the URL's spelling, and the network"
    } else if says(&["refused"]) {
        "nothing listens there: check the URL's host and port, or start podqueue local"
    } else {
        "out of reach: check the URL, the network, a proxy, a firewall"
    }
}

/// Why a job of an endpoint with this health is still queued.
pub fn why_queued(health: Option<&Health>) -> String {
    let Some(health) = health else { return "the endpoint's health is unknown".to_owned() };
    let (jobs, workers) = (&health.jobs, &health.workers);
    let some = |count: Option<u64>| count.is_some_and(|count| count > 0);
    if some(workers.unhealthy) {
        "workers are unhealthy: read their logs".to_owned()
    } else if some(workers.throttled) {
        "workers are throttled: the hosts have no GPU free".to_owned()
    } else if some(workers.initializing) {
        "a worker is starting, which takes minutes with a large image".to_owned()
    } else if workers.idle > 0 {
        "a worker is idle and should take it any moment".to_owned()
    } else if workers.running > 0 {
        format!(
            "all {} workers are busy, and {} jobs are queued: raise the maximum of workers",
            workers.running, jobs.in_queue
        )
    } else {
        "there are no workers: check the endpoint's maximum of workers; a job with --low-priority \
         does not start one"
            .to_owned()
    }
}
