//! Redaction: removes a request's secrets from the texts of a response, which can repeat them in an
//! error message, a body, a redirect.
//!
//! ```text
//! secret_values: fields by name, credentials in URLs and headers -> Secrets -> Redactor
//!                                                                                  |
//! text of a response -> encodings: its layers, decoded row by row -> search -------+-> "[redacted]"
//! ```
//!
//! # Rules
//!
//! - Only texts of the service are redacted, when they are put into an error. The crate's own
//!   words, ids and statuses are never redacted, and nothing is parsed after it was redacted.
//! - Known secrets are always redacted: the API key, storage credentials, and the values of fields
//!   with names such as `password`, `apiKey`, `HF_TOKEN`. Any other value of an environment may be
//!   a secret, and is redacted unless it is trivial (`secret_values::is_trivial`).
//!
//! # Invariant
//!
//! A secret does not appear in a redacted text in any encoding of the table, nested to any depth,
//! nor does a part of a long secret. The work is bounded by the length of the text: where decoding
//! takes more, the text is withheld.
//!
//! `tests` draws secrets and encodings at random and checks it; `docs/design/redaction.md` says why
//! it holds.

mod encodings;
mod search;
mod secret_values;

use bytes::Bytes;
use serde_json::{Map, Value};

use self::search::Needles;
pub(crate) use self::secret_values::REDACTED;
pub use self::secret_values::{Untyped, credentials_in_basic, secrets_in, secrets_named};
#[cfg(feature = "client")]
pub use self::secret_values::{credentials_in_url, proxy_credentials};
use crate::secret_string::SecretString;

/// The secrets to redact in the response to one request.
#[derive(Clone, Default)]
pub struct Secrets {
    known: Vec<SecretString>,
    /// The request's JSON body, which is searched for secrets only when a text is redacted.
    sent: Option<Bytes>,
}

impl Secrets {
    pub fn new(known: Vec<SecretString>, sent: Option<Bytes>) -> Self {
        Self { known, sent }
    }

    /// These secrets with those of the request's body, which is not kept.
    pub fn with_body_secrets(mut self) -> Self {
        if let Some(sent) = self.sent.take() {
            let mut json = serde_json::Deserializer::from_slice(&sent);
            self.known.extend(secrets_in(&mut json));
        }
        self
    }

    /// The text without any of the secrets, in any encoding.
    pub fn redact(&self, text: &str) -> String {
        self.redactor().redact(text)
    }

    /// A redactor for several texts.
    pub fn redactor(&self) -> Redactor {
        let all = self.clone().with_body_secrets();
        Redactor(Needles::of(all.known.iter().map(SecretString::expose)))
    }
}

/// [`Secrets`], prepared for searching.
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

    /// Redacts each text in a JSON object, including the names of its fields.
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
