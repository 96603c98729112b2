//! Redacts what the service, or something in front of it, says: a request's secrets can come back in
//! an error message, in a body, in a redirect.
//!
//! Two rules keep that from garbling everything else:
//!
//! - Only the service's words are redacted, at the moment at which they are put into an error. Our
//!   own words, ids and statuses never pass through here, and nothing is parsed after it was redacted.
//! - What is known to be a secret is always redacted: the API key, storage credentials, and what a
//!   field is named after (`password`, `apiKey`, `HF_TOKEN`). Any other value of an environment
//!   may be one, and is redacted unless it is trivial (`trivial::is_trivial`).
//!
//! `spelling` knows how a secret may be escaped, `search` finds it, `request` and `credentials` decide
//! which values are secrets, except for those that are `trivial`.

pub mod credentials;
mod encodings;
mod search;
mod secret_values;
mod serde_messages;
mod untyped;

use bytes::Bytes;
use serde_json::{Map, Value};

use self::search::Needles;
pub use self::secret_values::{secrets_in, secrets_named};
pub(crate) use self::serde_messages::without_values;
pub use self::untyped::Untyped;
use crate::secret_string::SecretString;

const REDACTED: &str = "[redacted]";

/// The secrets to redact in the response to one request.
#[derive(Clone, Default)]
pub struct Secrets {
    known: Vec<SecretString>,
    /// The request's JSON body, which is searched for secrets only when something is to be redacted.
    sent: Option<Bytes>,
}

impl Secrets {
    pub fn new(known: Vec<SecretString>, sent: Option<Bytes>) -> Self {
        Self { known, sent }
    }

    /// The same, without keeping the request's body.
    pub fn with_body_secrets(mut self) -> Self {
        if let Some(sent) = self.sent.take() {
            let mut json = serde_json::Deserializer::from_slice(&sent);
            self.known.extend(secrets_in(&mut json));
        }
        self
    }

    /// The text without any of the secrets, in whatever spelling.
    pub fn redact(&self, text: &str) -> String {
        self.redactor().redact(text)
    }

    /// For several texts.
    pub fn redactor(&self) -> Redactor {
        let all = self.clone().with_body_secrets();
        Redactor(Needles::of(all.known.iter().map(SecretString::expose)))
    }
}

/// [`Secrets`], prepared for looking for them.
pub struct Redactor(Needles);

impl Redactor {
    /// The text without any of the secrets.
    pub fn redact(&self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut end = 0;
        for span in self.0.spans(text) {
            shown.push_str(&text[end..span.start]);
            shown.push_str(REDACTED);
            end = span.end;
        }
        shown.push_str(&text[end..]);
        shown
    }

    /// The same for each text in a JSON object, including the names of its fields.
    pub fn redact_object(&self, object: &mut Map<String, Value>) {
        for (name, mut value) in std::mem::take(object) {
            self.redact_json(&mut value);
            object.insert(self.redact(&name), value);
        }
    }

    fn redact_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redact(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_json(item)),
            Value::Object(object) => self.redact_object(object),
            Value::Number(number) => {
                let text = number.to_string();
                let shown = self.redact(&text);
                if shown != text {
                    *value = Value::String(shown);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
