//! The bodies of a call.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

use super::building::RestCall;
use super::changes::Changes;
use super::form::{Style, form};
use super::multipart::Multipart;
use crate::redact::secrets_in;

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
        self.call.secrets.extend(secrets_in(&body));
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
        self.call.secrets.extend(body.secrets);
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
            self.call.headers.push(("content-type", media));
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

/// A body that can be serialized, whatever its type: what is done with it is compiled once, and not
/// for each type of a description.
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
