//! URLs: validation of a service's URL, and paths of requests with escaped parameters.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;

use crate::error::{Attempted, Error, Result};

/// A URL to which paths are appended unchanged.
pub fn base_url(attempted: &str, field: &str, text: &str, plain_http: bool) -> Result<Url> {
    let url = check_url(attempted, field, text, plain_http)?;
    if url.query().is_some() {
        return Err(Error::refused(attempted, field, "must not carry a query"));
    }
    Ok(url)
}

/// A URL to which requests can be sent, with or without a query.
pub fn check_url(attempted: &str, field: &str, text: &str, plain_http: bool) -> Result<Url> {
    let refuse = |rule: &str| Err(Error::refused(attempted, field, rule));
    let Ok(url) = Url::parse(text.trim()) else {
        return refuse("is not a URL");
    };
    match url.scheme() {
        "https" => {}
        "http" if plain_http || is_loopback(&url) => {}
        "http" => {
            return refuse(
                "must be https: over plain http the key is sent unencrypted \
                 (the builder's `allow_plain_http` permits it)",
            );
        }
        _ => return refuse("must be an https URL"),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("must not carry a user name or password");
    }
    if url.fragment().is_some() {
        return refuse("must not carry a fragment");
    }
    Ok(url)
}

/// Returns true if a URL names this machine.
pub fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    matches!(host, "localhost" | "localhost.")
        || address.parse::<std::net::IpAddr>().is_ok_and(|it| it.to_canonical().is_loopback())
}

/// All characters except those that RFC 3986 calls unreserved.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The initial capacity of a path, in bytes: most paths are shorter.
const INITIAL_CAPACITY: usize = 96;

/// A text whose characters with a meaning in a URL or in a form are escaped.
pub fn escaped(text: &str) -> Cow<'_, str> {
    // Borrowed if there is nothing to escape, as in nearly all parameters.
    utf8_percent_encode(text, ESCAPED).into()
}

/// A text that keeps the characters that RFC 3986 calls reserved, as far as every decoder of a query
/// reads them as themselves: not `&`, `+` and `;`, which separate or mean a space, and not `#`, `[` and
/// `]`, which no query may contain.
pub fn escaped_unless_reserved(text: &str) -> Cow<'_, str> {
    const KEPT: &AsciiSet = &ESCAPED
        .remove(b':')
        .remove(b'/')
        .remove(b'?')
        .remove(b'@')
        .remove(b'!')
        .remove(b'$')
        .remove(b'\'')
        .remove(b'(')
        .remove(b')')
        .remove(b'*')
        .remove(b',')
        .remove(b'=');
    utf8_percent_encode(text, KEPT).into()
}

/// A path under construction: literal text as it is, parameters escaped.
///
/// A parameter that is empty, `.` or `..` cannot be escaped and would name another resource: a call
/// with such a parameter is refused.
///
/// ```
/// use podqueue_runtime::Path;
///
/// let path = Path::new("/pets/").parameter("petId", "a/b").literal("/photos");
/// # let _ = path;
/// ```
#[derive(Clone, Debug)]
#[must_use = "a path does nothing until it is passed to a call"]
pub struct Path {
    text: String,
    refusal: Option<Refusal>,
}

/// The reason why a path cannot be built.
#[derive(Clone, Debug)]
struct Refusal {
    field: &'static str,
    rule: &'static str,
}

impl Path {
    /// A path that begins with this text, which is not escaped.
    pub fn new(literal: &str) -> Self {
        let mut text = String::with_capacity(INITIAL_CAPACITY);
        text.push_str(literal);
        Self { text, refusal: None }
    }

    /// Appends text that is not escaped.
    pub fn literal(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Appends a parameter, which is escaped. `field` names it in errors.
    pub fn parameter(self, field: &'static str, value: &str) -> Self {
        self.escaped_parameter(field, &escaped(value))
    }

    /// Appends a parameter whose values are escaped already.
    #[doc(hidden)]
    pub fn escaped_parameter(mut self, field: &'static str, text: &str) -> Self {
        let rule = match text {
            "" => Some("must not be empty"),
            "." | ".." => Some("must not be `.` or `..`, which would resolve to another URL"),
            _ => None,
        };
        if let (Some(rule), None) = (rule, &self.refusal) {
            self.refusal = Some(Refusal { field, rule });
        }
        self.text.push_str(text);
        self
    }

    /// The URL of the path below `base`.
    #[doc(hidden)]
    pub fn on(self, base: &Url, attempted: &Attempted) -> Result<Url> {
        if let Some(Refusal { field, rule }) = self.refusal {
            return Err(Error::refused(attempted, field, rule));
        }
        let mut url = base.clone();
        let prefix = base.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}{}", self.text));
        Ok(url)
    }
}

impl From<&str> for Path {
    fn from(literal: &str) -> Self {
        Self::new(literal)
    }
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::Path;
    use crate::error::Attempted;
    use crate::test_random;

    #[test]
    fn any_other_parameter_stays_one_segment_and_comes_back_unchanged() {
        test_random::cases(512, |random| {
            let id = test_random::text(random, 1..=40);
            if id == "." || id == ".." {
                return;
            }
            let path = Path::new("/status/").parameter("id", &id);
            let base = Url::parse("https://api.example").expect("a URL");
            let url = path.on(&base, &Attempted::new("status")).expect("accepted");
            let segments: Vec<_> = url.path_segments().expect("segments").collect();
            assert_eq!(segments.len(), 2);
            let decoded = percent_encoding::percent_decode_str(segments[1]).decode_utf8();
            assert_eq!(decoded.expect("UTF-8"), id);
            assert_eq!(url.query(), None);
        });
    }
}
