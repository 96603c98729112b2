//! Secret values of a request: by the names of fields and environment variables, and the
//! credentials in headers and URLs, which may come back decoded.
//!
//! The interface does not mark secrets, so the names decide, as in the generated `Debug`
//! (`crates/codegen/src/redact.rs`). Values that are too common to redact are not secrets
//! (`is_trivial`).

use std::fmt;
use std::iter::once;
use std::ops::Range;

#[cfg(feature = "client")]
use percent_encoding::percent_decode_str;
#[cfg(feature = "client")]
use reqwest::Url;
use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::secret_string::SecretString;

/// Replacement of a secret.
pub(crate) const REDACTED: &str = "[redacted]";

const ENVIRONMENT: [&str; 4] = ["env", "envs", "environment", "environmentvariables"];

const CREDENTIALS: [&str; 18] = [
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "secret",
    "secrets",
    "secretvalue",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "credential",
    "credentials",
    "authorization",
    "cookie",
];

/// Classification of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Secrecy {
    /// Not a secret.
    Public,
    /// A secret, unless it is trivial.
    Doubtful,
    /// A secret.
    Secret,
}

/// The secrets in a parameter's value, judged by the parameter's name.
pub fn secrets_named(name: &str, value: &str) -> Vec<SecretString> {
    Candidate { text: value.to_owned(), secrecy: secrecy_of(name, Secrecy::Public) }.secrets()
}

/// All secrets in the JSON of a request.
pub fn secrets_in<'de>(json: impl Deserializer<'de>) -> Vec<SecretString> {
    let mut found = Vec::new();
    // In malformed JSON, whatever precedes the error is found.
    let _ = Walk { found: &mut found, secrecy: Secrecy::Public }.deserialize(json);
    found.into_iter().flat_map(Candidate::secrets).collect()
}

/// Returns true if a value of this name is a secret, or may be one.
fn is_secret_name(name: &str) -> bool {
    secrecy_of(name, Secrecy::Public) != Secrecy::Public
}

/// Classifies the value of a field by the field's name and by what contains it.
fn secrecy_of(name: &str, within: Secrecy) -> Secrecy {
    let plain: String =
        name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if CREDENTIALS.iter().any(|word| plain.ends_with(word)) {
        Secrecy::Secret
    } else if ENVIRONMENT.contains(&plain.as_str()) || within != Secrecy::Public {
        Secrecy::Doubtful
    } else {
        Secrecy::Public
    }
}

impl Secrecy {
    /// Replaces `Doubtful` by the classification of what contains it.
    fn at_most(self, other: Self) -> Self {
        if self == Self::Doubtful { other } else { self }
    }
}

struct Candidate {
    text: String,
    secrecy: Secrecy,
}

impl Candidate {
    /// The text; if it is a scheme and a credential (`Bearer …`), also the credential, decoded if
    /// it is `Basic`.
    fn secrets(self) -> Vec<SecretString> {
        let is_secret = match self.secrecy {
            Secrecy::Public => false,
            Secrecy::Doubtful => !is_trivial(&self.text),
            Secrecy::Secret => true,
        };
        if !is_secret {
            return Vec::new();
        }
        let credential = self.text.rsplit_once(' ').map(|(_, credential)| credential);
        let credential = credential.filter(|it| !is_trivial(it)).map(SecretString::from);
        let text = SecretString::from(self.text.as_str());
        let decoded = credentials_in_basic(&self.text);
        once(text).chain(credential).chain(decoded).collect()
    }
}

/// Collects candidates from a value.
struct Walk<'a> {
    found: &'a mut Vec<Candidate>,
    secrecy: Secrecy,
}

impl Walk<'_> {
    fn add(&mut self, text: impl Into<String>) {
        if self.secrecy != Secrecy::Public {
            self.found.push(Candidate { text: text.into(), secrecy: self.secrecy });
        }
    }

    fn number(&mut self, number: impl ToString) {
        self.add(number.to_string());
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(mut self, text: &str) -> Result<(), E> {
        self.add(text);
        Ok(())
    }

    fn visit_u64<E>(mut self, number: u64) -> Result<(), E> {
        self.number(number);
        Ok(())
    }

    fn visit_i64<E>(mut self, number: i64) -> Result<(), E> {
        self.number(number);
        Ok(())
    }

    fn visit_f64<E>(mut self, number: f64) -> Result<(), E> {
        self.number(number);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Walk { found: self.found, secrecy: self.secrecy })?.is_some()
        {
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut pair = Pair::default();
        while let Some(name) = map.next_key::<String>()? {
            let from = self.found.len();
            let secrecy = match pair.part(&name) {
                Some(_) => Secrecy::Doubtful,
                None => secrecy_of(&name, self.secrecy),
            };
            map.next_value_seed(Walk { found: self.found, secrecy })?;
            if let Some(part) = pair.part(&name) {
                *part = Some(from..self.found.len());
            }
        }
        pair.classify(self.found, self.secrecy);
        Ok(())
    }
}

/// The candidates found in a pair such as `{"key": …, "value": …}`, as ranges. The fields may come
/// in any order.
#[derive(Default)]
struct Pair {
    key: Option<Range<usize>>,
    name: Option<Range<usize>>,
    value: Option<Range<usize>>,
}

impl Pair {
    fn part(&mut self, name: &str) -> Option<&mut Option<Range<usize>>> {
        match name {
            "key" | "Key" => Some(&mut self.key),
            "name" | "Name" => Some(&mut self.name),
            "value" | "Value" => Some(&mut self.value),
            _ => None,
        }
    }

    /// A name is not a secret, but classifies the value.
    fn classify(self, found: &mut [Candidate], within: Secrecy) {
        let labels = [&self.key, &self.name];
        let Some(value) = self.value.clone() else {
            // Not a pair: these are ordinary fields.
            for range in labels.into_iter().flatten() {
                found[range.clone()]
                    .iter_mut()
                    .for_each(|it| it.secrecy = it.secrecy.at_most(within));
            }
            return;
        };
        let is_credential = labels.into_iter().flatten().any(|range| {
            let mut texts = found[range.clone()].iter();
            texts.any(|it| secrecy_of(&it.text, Secrecy::Public) == Secrecy::Secret)
        });
        // A name and a value outside of an environment create a secret.
        let is_created = self.name.is_some() && within == Secrecy::Public;
        if is_credential || is_created {
            found[value].iter_mut().for_each(|it| it.secrecy = Secrecy::Secret);
        }
        for range in [self.key, self.name].into_iter().flatten() {
            found[range].iter_mut().for_each(|it| it.secrecy = it.secrecy.at_most(Secrecy::Public));
        }
    }
}

/// Untyped JSON that `Debug` prints as JSON, with `[redacted]` for each value whose name means a
/// secret, at any depth. The value of a pair, which stands beside its `key` or `name`, is redacted,
/// too.
pub struct Untyped<'a, T>(pub &'a T);

impl<T: Serialize> fmt::Debug for Untyped<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match serde_json::to_value(self.0) {
            Ok(json) => write!(f, "{}", redacted(json)),
            Err(_) => f.write_str(REDACTED),
        }
    }
}

fn redacted(json: Value) -> Value {
    match json {
        Value::Array(items) => items.into_iter().map(redacted).collect(),
        Value::Object(fields) => {
            let is_pair = fields.contains_key("key") || fields.contains_key("name");
            let shown = fields.into_iter().map(|(name, value)| {
                let is_secret = is_secret_name(&name) || (is_pair && name == "value");
                let value = if is_secret { REDACTED.into() } else { redacted(value) };
                (name, value)
            });
            shown.collect::<Map<_, _>>().into()
        }
        scalar => scalar,
    }
}

/// The environment variables from which the HTTP client reads proxies.
#[cfg(feature = "client")]
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// The user name and password in a header's value `Basic …`, and the password alone.
pub fn credentials_in_basic(value: &str) -> Vec<SecretString> {
    let encoded =
        value.trim().split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"));
    let decoded = encoded.and_then(|(_, encoded)| from_base64(encoded.trim()));
    let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
    match decoded.as_deref().and_then(|both| both.split_once(':')) {
        Some((user, password)) => login(user, password),
        None => Vec::new(),
    }
}

/// The credentials in the proxy's URL, or in the proxies' URLs that the environment sets.
#[cfg(feature = "client")]
pub fn proxy_credentials(
    given: Option<&SecretString>,
    environment: impl Fn(&'static str) -> Option<String>,
) -> Vec<SecretString> {
    match given {
        Some(url) => credentials_in_url(url.expose()),
        None => PROXIES
            .into_iter()
            .filter_map(environment)
            .flat_map(|url| credentials_in_url(&url))
            .collect(),
    }
}

/// The user name and password in a URL, and the password alone.
#[cfg(feature = "client")]
pub fn credentials_in_url(url: &str) -> Vec<SecretString> {
    // The environment variables may omit the scheme.
    let url =
        if url.contains("://") { Url::parse(url) } else { Url::parse(&format!("http://{url}")) };
    let Ok(url) = url else { return Vec::new() };
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = decoded(url.username());
    match url.password() {
        Some(password) => login(&user, &decoded(password)),
        // Either a token or a plain name.
        None => once(user).filter(|user| !is_trivial(user)).map(SecretString::from).collect(),
    }
}

/// Both together, since they may come back in Base64, and the password; without a password, the
/// user name is the credential.
fn login(user: &str, password: &str) -> Vec<SecretString> {
    let alone = if password.is_empty() { user } else { password };
    [format!("{user}:{password}"), alone.to_owned()].map(SecretString::from).into()
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for digit in text.trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        (bits, count) = ((bits << 6) + u32::from(value), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

/// Returns true if redacting a value would do more harm than good: with every `1`, `true` or
/// `small` redacted, a message would be unreadable.
///
/// Trivial are values of fewer than 6 characters, words of fewer than 8 letters, and numbers, dates
/// and addresses of fewer than 12 digits and signs.
fn is_trivial(value: &str) -> bool {
    let length = value.chars().count();
    let only = |of: fn(char) -> bool| value.chars().all(of);
    length < 6
        || (length < 8 && only(char::is_alphabetic))
        || (length < 12 && only(|it| it.is_ascii_digit() || ".,:+-_/ ".contains(it)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(json: Value) -> Vec<String> {
        let secrets = secrets_in(&json);
        let mut secrets: Vec<_> = secrets.iter().map(|it| it.expose().to_owned()).collect();
        secrets.sort_unstable();
        secrets
    }

    #[test]
    fn secrets_are_found_by_the_names_of_fields_and_variables() {
        for (json, expected) in [
            (json!({"input": {"apiKey": "k", "note": "a-long-note"}}), vec!["k"]),
            (json!({"password": 1234, "tokens": 5}), vec!["1234"]),
            (json!({"secrets": {"a": "canary-1"}}), vec!["canary-1"]),
            (json!({"env": {"DEBUG": "1", "SIZE": "small", "A": "canary"}}), vec![]),
            (
                json!({"env": {"A": "canary-1", "PASSWORD": "x", "NAME": "canary-2", "KEY": "canary-3"}}),
                vec!["canary-1", "canary-2", "canary-3", "x"],
            ),
            (json!({"env": {"value": "canary-1", "name": "canary-2"}}), vec!["canary-1"]),
            (json!({"env": [{"key": "a-long-name", "value": "canary-1"}]}), vec!["canary-1"]),
            (json!({"env": [{"value": "yes", "name": "HF_TOKEN"}]}), vec!["yes"]),
            (json!({"env": ["A=canary-1"]}), vec!["A=canary-1"]),
            (json!({"input": {"name": "my-secret", "value": "x"}}), vec!["x"]),
            (json!({"labels": [{"key": "team", "value": "blue"}]}), vec![]),
            (json!({"env": [{"name": "COLOR", "value": "blue"}]}), vec![]),
            (json!({"name": "a-long-name", "key": "a-long-key"}), vec![]),
            (json!({"name": {"password": "x"}}), vec!["x"]),
            (
                json!({"credentials": {"user": "me", "password": "x", "host": "db.example"}}),
                vec!["db.example", "x"],
            ),
            (
                json!({"headers": {"Authorization": "Bearer canary-1"}}),
                vec!["Bearer canary-1", "canary-1"],
            ),
            (
                json!({"Authorization": "Basic bWU6Y2FuYXJ5LTE="}),
                vec!["Basic bWU6Y2FuYXJ5LTE=", "bWU6Y2FuYXJ5LTE=", "canary-1", "me:canary-1"],
            ),
            (json!(null), vec![]),
        ] {
            assert_eq!(found(json.clone()), expected, "{json}");
        }
    }

    #[test]
    fn secrets_before_a_syntax_error_are_found() {
        let mut json = serde_json::Deserializer::from_str(r#"{"token":"canary","x":oops"#);
        assert_eq!(secrets_in(&mut json).len(), 1);
    }

    #[test]
    fn a_value_is_redacted_by_its_name_at_any_depth() {
        let json = json!({
            "ids": ["a", 1], "auth": {"apiKey": "s3cret", "user": "u"}, "env": {"A": "s3cret"},
            "list": [{"HF_TOKEN": "s3cret"}, {"key": "A", "value": "s3cret"}, {"value": 5}],
        });
        assert_eq!(
            format!("{:?}", Untyped(&Some(json))),
            r#"{"auth":{"apiKey":"[redacted]","user":"u"},"env":"[redacted]","ids":["a",1],"list":[{"HF_TOKEN":"[redacted]"},{"key":"A","value":"[redacted]"},{"value":5}]}"#
        );
        assert_eq!(format!("{:?}", Untyped(&None::<Value>)), "null");
    }

    fn texts(secrets: Vec<SecretString>) -> Vec<String> {
        secrets.iter().map(|secret| secret.expose().to_owned()).collect()
    }

    #[test]
    fn the_password_of_a_basic_header_is_known() {
        for value in ["Basic dXNlcjpwYTpzcw==", "basic  dXNlcjpwYTpzcw", " BASIC dXNlcjpwYTpzcw== "]
        {
            assert_eq!(texts(credentials_in_basic(value)), ["user:pa:ss", "pa:ss"], "{value}");
        }
        assert_eq!(texts(credentials_in_basic("Basic a2V5Og==")), ["key:", "key"]);
        for value in ["", "Basic", "Basic ", "Basic dXNlcg==", "Basic ?", "Bearer dXNlcjpwYTpzcw=="]
        {
            assert!(credentials_in_basic(value).is_empty(), "{value}");
        }
    }

    #[cfg(feature = "client")]
    #[test]
    fn the_password_of_a_proxy_is_known_wherever_it_is_set() {
        let given = SecretString::from("http://me:p%40ss@proxy.example:3128");
        let environment = |name: &str| (name == "https_proxy").then(|| "http://a:b@c".to_owned());
        assert_eq!(texts(proxy_credentials(Some(&given), environment)), ["me:p@ss", "p@ss"]);
        assert_eq!(texts(proxy_credentials(None, environment)), ["a:b", "b"]);
        for (url, secrets) in [
            ("http://token-7@proxy", vec!["token-7"]),
            ("http://token-7:@proxy", vec!["token-7"]),
            ("http://me@proxy", vec![]),
            ("a:b@proxy:3128", vec!["a:b", "b"]),
            ("http://proxy", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(texts(proxy_credentials(Some(&url.into()), environment)), secrets, "{url}");
        }
    }

    #[test]
    fn short_common_values_are_trivial() {
        for trivial in
            ["", "1", "true", "debug", "small", "0.0.0.0:80", "2024-01-01", "8080", "h100"]
        {
            assert!(is_trivial(trivial), "{trivial}");
        }
        for other in ["hunter2", "4111111111111111", "canary-1", "swordfish", "пароль-1"] {
            assert!(!is_trivial(other), "{other}");
        }
    }

    #[test]
    fn a_parameter_is_a_secret_by_its_name() {
        assert_eq!(texts(secrets_named("apiKey", "k")), ["k"]);
        assert_eq!(texts(secrets_named("environment", "canary-1")), ["canary-1"]);
        assert!(secrets_named("environment", "small").is_empty());
        assert!(secrets_named("note", "canary-1").is_empty());
    }

    #[test]
    fn a_value_stops_being_trivial_at_its_length() {
        for (trivial, secret) in [
            ("ab-12", "ab-123"),
            ("abcdefg", "abcdefgh"),
            ("12345678901", "123456789012"),
            ("1.2,3:4+5-6", "1_2/3 4.5,6:"),
        ] {
            assert!(is_trivial(trivial), "{trivial}");
            assert!(!is_trivial(secret), "{secret}");
        }
    }

    #[test]
    fn numbers_are_secrets_as_they_are_written() {
        assert_eq!(found(json!({"token": [-5, 7, 1.5, true, null]})), ["-5", "1.5", "7"]);
    }

    #[test]
    fn both_alphabets_of_base64_are_read() {
        for text in ["+/+/", "-_-_"] {
            assert_eq!(from_base64(text).as_deref(), Some(&[0xfb, 0xff, 0xbf][..]), "{text}");
        }
        assert_eq!(from_base64("azAz").as_deref(), Some(&b"k03"[..]));
    }
}
