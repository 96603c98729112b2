//! Entry points of the fuzz targets in `fuzz/`: all parsers of input from outside. Compiled for
//! fuzzing only (`scripts/fuzz.sh`).

use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

pub use crate::queue::fuzz::{health, record, stream};
use podqueue_runtime::__private::redact::Secrets;
use podqueue_runtime::__private::{retry_after, service_message};
use podqueue_runtime::SecretString;

/// The body of an error reply: what is shown of it is short, and without the secret.
pub fn error_body(body: &[u8]) {
    const SECRET: &str = "k\"e\\y";
    let secrets = Secrets::new(vec![SecretString::from(SECRET)], None);
    if let Some(message) = service_message(body, |text| secrets.redact(text)) {
        assert!(message.chars().count() <= 501, "it is short");
        assert!(!message.contains(SECRET), "the secret is shown");
    }
    let body = secrets.redact(&String::from_utf8_lossy(body));
    assert!(!body.contains(SECRET), "the secret is shown");
}

/// A `Retry-After` header.
pub fn retry_after_header(value: &[u8]) {
    if let Ok(value) = HeaderValue::from_bytes(value) {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, value);
        let _ = retry_after(&headers);
    }
}

/// A delivery: its path up to the first line's end, and its body.
#[cfg(feature = "webhook")]
pub fn webhook(delivery: &[u8]) {
    use crate::webhook::{Hint, Token};

    let end = delivery.iter().position(|byte| *byte == b'\n').unwrap_or(delivery.len());
    let (path, body) = delivery.split_at(end);
    const TOKEN: &str = "0123456789abcdef0123456789abcdef";
    if let (Ok(path), Ok(token)) = (std::str::from_utf8(path), Token::given(TOKEN.into())) {
        assert!(!token.ends(path) || path.contains(TOKEN), "it was accepted without the token");
    }
    if let Some(hint) = Hint::read(body.get(1..).unwrap_or_default()) {
        assert!((1..=256).contains(&hint.id.len()), "the length of an id is bounded");
    }
}
