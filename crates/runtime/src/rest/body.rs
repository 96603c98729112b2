//! Bodies of REST calls: JSON, forms, `multipart/form-data`, raw bytes.

use bytes::Bytes;
use memchr::memmem;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::call::RestCall;
use super::changes::Changes;
use super::parameters::{Style, form, text};
use crate::part::Part;
use crate::redact::{secrets_in, secrets_named};
use crate::secret_string::SecretString;

impl RestCall {
    /// Sets a JSON body with changes applied to it; no body for `None` without changes.
    pub fn json(self, body: Option<&impl Serialize>, changes: &Changes) -> Self {
        self.json_as("application/json", body, changes)
    }

    /// The same with another media type.
    pub fn json_as(
        self,
        media: &'static str,
        body: Option<&impl Serialize>,
        changes: &Changes,
    ) -> Self {
        self.with_json(media, body.map(|body| body as &dyn Body), changes)
    }

    fn with_json(
        mut self,
        media: &'static str,
        body: Option<&dyn Body>,
        changes: &Changes,
    ) -> Self {
        let json = match (body, changes.is_empty()) {
            (None, true) => return self,
            (Some(body), true) => body.text(),
            (_, false) => match self.changed(body, changes) {
                Some(body) => serde_json::to_vec(&body),
                None => return self,
            },
        };
        match json {
            Ok(json) => self.with_body(media, json.into()),
            Err(error) => {
                self.fail("body", format_args!("cannot be written: {error}"));
                self
            }
        }
    }

    /// Sets a body of `application/x-www-form-urlencoded`, whose fields are written as JSON unless
    /// a style says otherwise.
    pub fn form(
        self,
        body: Option<&impl Serialize>,
        changes: &Changes,
        styles: &[(&str, Style)],
    ) -> Self {
        self.with_form(body.map(|body| body as &dyn Body), changes, styles)
    }

    fn with_form(
        mut self,
        body: Option<&dyn Body>,
        changes: &Changes,
        styles: &[(&str, Style)],
    ) -> Self {
        if body.is_none() && changes.is_empty() {
            return self;
        }
        let Some(body) = self.changed(body, changes) else { return self };
        self.call.0.secrets.extend(secrets_in(&body));
        match form(&body, styles) {
            Ok(form) => self.with_body("application/x-www-form-urlencoded", form.into()),
            Err((field, rule)) => {
                self.fail(&field, rule);
                self
            }
        }
    }

    /// Sets a body of parts; no body if there are none, unless it is `required`.
    pub fn multipart(mut self, required: bool, body: Multipart) -> Self {
        if body.is_empty() && !required {
            return self;
        }
        let (media, bytes) = body.encode();
        self.call.0.secrets.extend(body.secrets);
        if let Some((name, rule)) = body.refused {
            self.fail(&name, rule);
        }
        self.with_body(media, bytes)
    }

    /// Sets a body of text or bytes.
    pub fn raw(self, media: &'static str, body: Option<&(impl Clone + Into<Bytes>)>) -> Self {
        match body {
            Some(body) => self.with_body(media, body.clone().into()),
            None => self,
        }
    }

    fn with_body(mut self, media: impl Into<String>, body: Bytes) -> Self {
        let media = media.into();
        if media != "application/json" {
            self.call.0.headers.push(("content-type", media));
        }
        self.call = self.call.body(body);
        self
    }

    fn changed(&mut self, body: Option<&dyn Body>, changes: &Changes) -> Option<Value> {
        let written = match body {
            Some(body) => body.value(),
            None => Ok(Value::Object(Map::new())),
        };
        let mut body = match written {
            Ok(body) => body,
            Err(error) => {
                self.fail("body", format_args!("cannot be written: {error}"));
                return None;
            }
        };
        if let Err((place, rule)) = changes.apply(&mut body) {
            self.fail(&place, format_args!("{rule}"));
            return None;
        }
        Some(body)
    }
}

/// A body of any serializable type, so that the code that handles it is compiled once instead of for each
/// type of a description.
trait Body {
    fn text(&self) -> serde_json::Result<Vec<u8>>;
    fn value(&self) -> serde_json::Result<Value>;
}

impl<T: Serialize> Body for T {
    fn text(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    fn value(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }
}

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

    /// Adds a value: no part for `None`, one part per element of a list. Objects are JSON, and so are all
    /// values if `media` says so; all other values are text.
    pub fn value(mut self, name: &str, value: &impl Serialize, media: Option<&str>) -> Self {
        let values = match serde_json::to_value(value) {
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

    fn part(mut self, name: &str, mut part: Part, media: Option<&str>) -> Self {
        if part.content_type.is_none() {
            part.content_type = media.map(str::to_owned);
        }
        let media = part.content_type.as_deref().unwrap_or_default();
        if media.bytes().any(|it| it.is_ascii_control()) {
            self.refuse(name, "has a content type that is not allowed in a header".to_owned());
        }
        if let (Ok(text), None) = (std::str::from_utf8(&part.content), &part.file_name) {
            self.secrets.extend(secrets_named(name, text));
        }
        self.parts.push((name.to_owned(), part));
        self
    }

    fn refuse(&mut self, name: &str, rule: String) {
        self.refused = Some((name.to_owned(), rule));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The content type and the body.
    pub(super) fn encode(&self) -> (String, Bytes) {
        let boundary = boundary(&self.parts);
        (format!("multipart/form-data; boundary={boundary}"), encode(&boundary, &self.parts))
    }
}

fn is_json(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or_default().trim();
    media.eq_ignore_ascii_case("application/json") || media.ends_with("+json")
}

/// A line that none of the contents has.
fn boundary(parts: &[(String, Part)]) -> String {
    loop {
        let boundary = format!("{:032x}", fastrand::u128(..));
        let finder = memmem::Finder::new(&boundary);
        if parts.iter().all(|(_, part)| finder.find(&part.content).is_none()) {
            return boundary;
        }
    }
}

fn encode(boundary: &str, parts: &[(String, Part)]) -> Bytes {
    let contents: usize = parts.iter().map(|(_, part)| part.content.len() + 256).sum();
    let mut body = Vec::with_capacity(contents);
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
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    body.into()
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
            encode("BOUNDARY", &parts),
            &b"--BOUNDARY\r\ncontent-disposition: form-data; name=\"a%22b\"\r\n\r\ntext\r\n\
              --BOUNDARY\r\ncontent-disposition: form-data; name=\"file\"; filename=\"\xc3\xbc%0D%0A.png\"\r\n\
              content-type: application/octet-stream\r\n\r\n\xff\r\n\r\n\
              --BOUNDARY\r\ncontent-disposition: form-data; name=\"typed\"; filename=\"b\"\r\n\
              content-type: image/png\r\n\r\nx\r\n--BOUNDARY--\r\n"[..]
        );
        assert_eq!(encode("B", &[]), "--B--\r\n");
    }
}
