//! Body of a submission: serialized directly into the buffer that is sent, and the rule for its URLs.

use std::io::{self, Write};

use bytes::Bytes;

/// From this size on, a body grows by a sixteenth instead of doubling, so that a large body takes its
/// length in memory and not twice that.
const SLOW_GROWTH_SIZE: usize = 1024 * 1024;

/// The initial capacity in bytes: most bodies need no more, and are not reallocated.
const INITIAL_CAPACITY: usize = 256;

/// JSON under construction.
pub(super) struct Body(Vec<u8>);

impl Body {
    pub(super) fn new() -> Self {
        Self(Vec::with_capacity(INITIAL_CAPACITY))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn push(&mut self, text: &str) {
        self.reserve(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn reserve(&mut self, more: usize) {
        let needed = self.0.len() + more;
        if needed > self.0.capacity() && needed >= SLOW_GROWTH_SIZE {
            self.0.reserve_exact(more + needed / 16);
        }
    }
}

impl Write for Body {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.reserve(bytes.len());
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl From<Body> for Bytes {
    fn from(body: Body) -> Self {
        body.0.into()
    }
}

/// Returns true if the text is an http or https URL as written, because it is sent as written. The parser
/// accepts more: surrounding white space, missing slashes, backslashes.
pub(crate) fn is_http_url(text: &str) -> bool {
    let after_scheme = text.split_once("://").filter(|(scheme, _)| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    after_scheme.is_some_and(|(_, rest)| !rest.starts_with(['/', '\\']))
        && !text.contains(|letter: char| letter.is_whitespace() || letter.is_control())
        && reqwest::Url::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_body_takes_little_more_than_its_length() {
        let mut body = Body::new();
        for _ in 0..20_000 {
            body.write_all(&[b'x'; 1_000]).expect("memory takes it");
        }
        assert_eq!(body.len(), 20_000_000);
        assert!(body.0.capacity() < 22_000_000, "{}", body.0.capacity());
    }

    #[test]
    fn text_after_a_large_piece_does_not_reallocate() {
        let mut body = Body::new();
        body.push(r#"{"input":"#);
        body.write_all(&vec![b'x'; 20_000_000]).expect("memory takes it");
        let capacity = body.0.capacity();
        body.push(r#","webhook":"https://me.example/hook"}"#);
        assert_eq!(body.0.capacity(), capacity);
        assert!(capacity < 22_000_000, "{capacity}");
    }
}
