//! Paths whose parameters are escaped.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but what RFC 3986 calls unreserved.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The length of most paths, in bytes: an endpoint, an operation, a job.
const USUAL: usize = 96;

/// A path under construction: literal text as it is, parameters escaped.
pub(crate) struct Path {
    text: String,
    refusal: Option<Refusal>,
}

/// Why a path cannot be built.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) field: &'static str,
    pub(crate) rule: &'static str,
}

impl Path {
    pub(crate) fn new(literal: &str) -> Self {
        let mut text = String::with_capacity(USUAL);
        text.push_str(literal);
        Self { text, refusal: None }
    }

    pub(crate) fn literal(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Appends a parameter. One that is empty, `.` or `..` cannot be escaped and would name another
    /// resource.
    pub(crate) fn parameter(mut self, field: &'static str, value: &str) -> Self {
        let rule = match value {
            "" => Some("must not be empty"),
            "." | ".." => Some("must not be `.` or `..`, which would resolve to another URL"),
            _ => None,
        };
        if let (Some(rule), None) = (rule, &self.refusal) {
            self.refusal = Some(Refusal { field, rule });
        }
        // Nearly no parameter has anything to escape, and then this is the parameter itself.
        self.text.push_str(&Cow::from(utf8_percent_encode(value, ESCAPED)));
        self
    }

    pub(crate) fn finish(self) -> Result<String, Refusal> {
        match self.refusal {
            Some(refusal) => Err(refusal),
            None => Ok(self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::Path;
    use crate::random;

    #[test]
    fn any_other_parameter_stays_one_segment_and_comes_back_unchanged() {
        random::cases(512, |random| {
            let id = random::text(random, 1..=40);
            if id == "." || id == ".." {
                return;
            }
            let path = Path::new("/status/").parameter("job id", &id).finish().expect("accepted");
            let mut url = Url::parse("https://queue.example").expect("a URL");
            url.set_path(&path);
            let segments: Vec<_> = url.path_segments().expect("segments").collect();
            assert_eq!(segments.len(), 2);
            let decoded = percent_encoding::percent_decode_str(segments[1]).decode_utf8();
            assert_eq!(decoded.expect("UTF-8"), id);
            assert_eq!(url.query(), None);
        });
    }
}
