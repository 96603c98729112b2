//! Body of `multipart/form-data`, built part by part.

use memchr::memmem;
use serde_json::{Value, json};

use super::parameters::{NO_ITEMS, text};
use crate::lenient::Lenient;
use crate::part::Part;
use crate::redact::{secrets_in, secrets_named};
use crate::secret_string::SecretString;
use crate::upload::Upload;

/// A body under construction, part by part.
#[derive(Default)]
pub struct Multipart {
    parts: Vec<(String, Part)>,
    secrets: Vec<SecretString>,
    /// A field that cannot be sent, and why.
    refused: Option<(String, String)>,
}

impl Multipart {
    /// A body without parts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a value: no part for `None`, one part per element of a list. Objects are JSON, and so
    /// are all values if `media` says so; all other values are text.
    pub fn value(mut self, name: &str, value: &impl Lenient, media: Option<&str>) -> Self {
        let node = value.write();
        node.add_secrets(&mut self.secrets);
        let values = match serde_json::to_value(node) {
            Ok(Value::Array(items)) => items,
            Ok(value) => vec![value],
            Err(error) => {
                self.refuse(name, format!("cannot be written: {error}"));
                Vec::new()
            }
        };
        for value in values.into_iter().filter(|it| !it.is_null()) {
            self.secrets.extend(secrets_in(json!({ name: &value })));
            let is_structured = value.is_object() || value.is_array();
            let part = match text(&value) {
                Some(text) if !is_structured && !media.is_some_and(is_json) => Part::text(text),
                _ => Part::text(value.to_string()),
            };
            let media = media.or(is_structured.then_some("application/json"));
            self = self.part(name, part, media);
        }
        self
    }

    /// Adds parts of the same name. Those without a content type get `media`.
    pub fn files<'a>(
        self,
        name: &str,
        parts: impl IntoIterator<Item = &'a Part>,
        media: Option<&str>,
    ) -> Self {
        parts.into_iter().fold(self, |body, part| body.part(name, part.clone(), media))
    }

    /// Adds parts whose names the description does not have.
    pub fn more(self, parts: &[(String, Part)]) -> Self {
        parts.iter().fold(self, |body, (name, part)| body.part(name, part.clone(), None))
    }

    /// Refuses to send no part of this name: a required list has at least one.
    pub fn with_items(mut self, name: &str) -> Self {
        if !self.parts.iter().any(|(it, _)| it == name) && self.refused.is_none() {
            self.refuse(name, NO_ITEMS.to_owned());
        }
        self
    }

    fn part(mut self, name: &str, mut part: Part, media: Option<&str>) -> Self {
        if part.content_type.is_none() {
            part.content_type = media.map(str::to_owned);
        }
        let media = part.content_type.as_deref().unwrap_or_default();
        if media.bytes().any(|it| it.is_ascii_control()) {
            self.refuse(name, "has a content type that is not allowed in a header".to_owned());
        }
        let text = part.content.held().and_then(|it| std::str::from_utf8(it).ok());
        if let (Some(text), None) = (text, &part.file_name) {
            self.secrets.extend(secrets_named(name, text));
        }
        self.parts.push((name.to_owned(), part));
        self
    }

    /// The secrets in the parts, and the field that cannot be sent, with the rule that it breaks.
    pub(super) fn into_secrets_and_refusal(self) -> (Vec<SecretString>, Option<(String, String)>) {
        (self.secrets, self.refused)
    }

    fn refuse(&mut self, name: &str, rule: String) {
        self.refused = Some((name.to_owned(), rule));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The content type and the body.
    pub(super) fn encode(&self) -> (String, Upload) {
        let boundary = boundary(&self.parts);
        (format!("multipart/form-data; boundary={boundary}"), encode(&boundary, &self.parts))
    }
}

fn is_json(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or_default().trim();
    media.eq_ignore_ascii_case("application/json") || media.ends_with("+json")
}

/// A line that none of the contents has. Those that are not held in memory have none by chance: it
/// is one of 2^128.
fn boundary(parts: &[(String, Part)]) -> String {
    loop {
        let boundary = format!("{:032x}", fastrand::u128(..));
        let finder = memmem::Finder::new(&boundary);
        let is_in = |part: &Part| part.content.held().is_some_and(|it| finder.find(it).is_some());
        if !parts.iter().any(|(_, part)| is_in(part)) {
            return boundary;
        }
    }
}

fn encode(boundary: &str, parts: &[(String, Part)]) -> Upload {
    let mut body: Vec<Upload> = Vec::new();
    for (name, Part { file_name, content_type, content }) in parts {
        let mut head =
            format!("--{boundary}\r\ncontent-disposition: form-data; name=\"{}\"", quotable(name));
        if let Some(file_name) = file_name {
            head.push_str(&format!("; filename=\"{}\"", quotable(file_name)));
        }
        let octets = file_name.as_ref().map(|_| "application/octet-stream");
        if let Some(media) = content_type.as_deref().or(octets) {
            head.push_str(&format!("\r\ncontent-type: {media}"));
        }
        head.push_str("\r\n\r\n");
        body.extend([head.into(), content.clone(), "\r\n".into()]);
    }
    body.push(format!("--{boundary}--\r\n").into());
    Upload::joined(body)
}

/// A name escaped for quotes, as browsers do.
fn quotable(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_its_head() {
        let parts = vec![
            ("a\"b".to_owned(), Part::text("text")),
            ("file".to_owned(), Part::file("ü\r\n.png", &b"\xff\r\n"[..])),
            ("typed".to_owned(), Part::file("b", "x").content_type("image/png")),
        ];
        assert_eq!(
            encode("BOUNDARY", &parts).held().expect("it is held"),
            &b"--BOUNDARY\r\ncontent-disposition: form-data; name=\"a%22b\"\r\n\r\ntext\r\n\
              --BOUNDARY\r\ncontent-disposition: form-data; name=\"file\"; filename=\"\xc3\xbc%0D%0A.png\"\r\n\
              content-type: application/octet-stream\r\n\r\n\xff\r\n\r\n\
              --BOUNDARY\r\ncontent-disposition: form-data; name=\"typed\"; filename=\"b\"\r\n\
              content-type: image/png\r\n\r\nx\r\n--BOUNDARY--\r\n"[..]
        );
        assert_eq!(encode("B", &[]).held().expect("it is held"), "--B--\r\n");
    }
}
