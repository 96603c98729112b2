//! The session of the page: the link that begins it, and the cookie that a browser then sends.

use axum::http::header::{COOKIE, ORIGIN};
use axum::http::{HeaderMap, Method, Request, StatusCode};

use crate::http::ErrorResponse;
use crate::operation::Operation;

const SEC_FETCH_DEST: &str = "sec-fetch-dest";
const SEC_FETCH_SITE: &str = "sec-fetch-site";

/// Who opens the link gets the cookie. Both are valid for as long as the service runs.
pub(crate) struct Session {
    token: String,
    cookie: String,
    /// Cookies belong to all ports of a host, so that of each service needs a name of its own.
    cookie_name: String,
}

impl Session {
    /// A session that nobody can guess, of the service at a port.
    pub(crate) fn random(port: u16) -> Result<Self, getrandom::Error> {
        let cookie_name = format!("podqueue-local-{port}");
        Ok(Self { token: random_text()?, cookie: random_text()?, cookie_name })
    }

    /// What the link to the page contains.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn is_begun_by(&self, token: &str) -> bool {
        is_same(token, &self.token)
    }

    /// The header that sets the cookie.
    pub(super) fn set_cookie(&self) -> String {
        let Self { cookie, cookie_name, .. } = self;
        format!("{cookie_name}={cookie}; HttpOnly; SameSite=Strict; Path=/")
    }

    /// Whether a request has the cookie.
    pub(super) fn is_of(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|cookie| {
            let (name, value) = cookie.trim().split_once('=')?;
            (name == self.cookie_name).then_some(value)
        });
        cookies.any(|value| is_same(value, &self.cookie))
    }

    /// Refuses a request with the cookie that another page may have made the browser send. Pages of
    /// another port of this machine count as the same site, so `SameSite` does not keep them out.
    pub(super) fn check<B>(
        &self,
        operation: Operation,
        request: &Request<B>,
    ) -> Result<(), ErrorResponse> {
        let headers = request.headers();
        refuse_frames(headers)?;
        let only_reads = operation == Operation::Control
            && matches!(*request.method(), Method::GET | Method::HEAD);
        // A foreign origin has been refused before.
        let is_own = headers.contains_key(ORIGIN)
            || headers.get(SEC_FETCH_SITE).is_some_and(|site| site == "same-origin");
        if only_reads || is_own {
            return Ok(());
        }
        let message = "a request with the cookie of the page must come from the page";
        Err(ErrorResponse::new(StatusCode::FORBIDDEN, message))
    }
}

/// Refuses what a browser fetches to show it inside of another page.
pub(super) fn refuse_frames(headers: &HeaderMap) -> Result<(), ErrorResponse> {
    let frames = ["iframe", "frame", "embed", "object", "fencedframe"];
    let mut destinations = headers.get_all(SEC_FETCH_DEST).iter();
    if destinations.any(|destination| frames.iter().any(|frame| destination == frame)) {
        let message = "the page may not be shown inside of another";
        return Err(ErrorResponse::new(StatusCode::FORBIDDEN, message));
    }
    Ok(())
}

/// Text that nobody can guess: 128 bits as hexadecimal digits.
pub(super) fn random_text() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether two texts are the same, in a time that does not say where they differ.
fn is_same(given: &str, expected: &str) -> bool {
    let bytes = given.bytes().zip(expected.bytes());
    let difference = bytes.fold(0, |difference, (a, b)| difference | (a ^ b));
    given.len() == expected.len() && std::hint::black_box(difference) == 0
}
