//! Headers of a response. Those of a request are set by `transport/attempt.rs`.

use std::fmt;
use std::str::FromStr;

use reqwest::header::{CONTENT_ENCODING, HeaderMap};

/// The headers of a response.
///
/// `Debug` shows the names only: a header can hold a secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(HeaderMap);

impl Headers {
    /// The first value of a header; its name is case-insensitive. `None` if there is no such header,
    /// or its value is not visible ASCII.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.get_all(name).next()
    }

    /// The first value of a header, read as a `T`; `None` if it is missing or of another type.
    #[must_use]
    pub fn parse<T: FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.trim().parse().ok()
    }

    /// All values of a header, in the order in which they came.
    pub fn get_all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.get_all(name).into_iter().filter_map(|value| value.to_str().ok())
    }

    /// All values of a header as one text, separated by commas, which means the same for every header
    /// but `Set-Cookie` (RFC 9110, 5.3). `None` if there is no such header.
    #[must_use]
    pub fn joined(&self, name: &str) -> Option<String> {
        let values: Vec<_> = self.get_all(name).map(str::trim).collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// All headers, by their names in lower case. Values that are not visible ASCII are left out.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
    }
}

impl Headers {
    /// Returns true if the body is compressed.
    pub(crate) fn is_encoded(&self) -> bool {
        is_encoded(&self.0)
    }
}

/// Returns true if any of the headers, each of which may list encodings, names an encoding.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().any(|header| {
        let mut names = header.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        names.any(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"))
    })
}

impl From<HeaderMap> for Headers {
    fn from(headers: HeaderMap) -> Self {
        Self(headers)
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys().map(|name| name.as_str())).finish()
    }
}

/// A response with its headers, as the `with_headers` of a generated call returns it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WithHeaders<T, H = Headers> {
    /// The value that the call returns without `with_headers`.
    pub value: T,
    /// The headers: with a field for each that the description names, if it names any.
    pub headers: H,
}

/// Headers as generated code reads them. Not public API: it changes without notice.
pub trait FromHeaders: Sized {
    /// Reads the headers. One that is not what it is described as counts as missing.
    fn read(headers: Headers) -> Self;
}

impl FromHeaders for Headers {
    fn read(headers: Headers) -> Self {
        headers
    }
}

impl<T, H: FromHeaders> WithHeaders<T, H> {
    pub(crate) fn new(value: T, headers: Headers) -> Self {
        Self { value, headers: H::read(headers) }
    }
}
