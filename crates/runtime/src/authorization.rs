//! Authorization of calls: the headers, query parameters and cookies to send, and their secrets.

use reqwest::Url;
use reqwest::header::{
    CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING,
};

use crate::error::{Error, Result};
use crate::redact::credentials_in_basic;
use crate::secret_string::SecretString;

/// The authorization of a service's calls.
///
/// A credential given here appears in no log or error, even if the service repeats it.
///
/// ```
/// use podqueue_runtime::Authorization;
///
/// # let (id, key, session, password) = ("", "", "", "");
/// let basic = Authorization::basic("me", password);
/// let several = Authorization::header("x-app-id", id)
///     .and(Authorization::query("key", key))
///     .and(Authorization::cookie("session", session));
/// # let _ = (basic, several);
/// ```
#[derive(Clone, Debug)]
pub struct Authorization(Vec<Key>);

/// A key of an authorization.
#[derive(Clone, Debug)]
struct Key {
    place: KeyLocation,
    name: String,
    value: SecretString,
}

#[derive(Clone, Debug)]
enum KeyLocation {
    Header,
    Query,
    Cookie,
    /// The header, made of a user and the value as the password. The user may be the secret.
    Basic {
        user: SecretString,
    },
}

impl Authorization {
    /// `authorization: Bearer <key>`
    pub fn bearer(key: impl Into<SecretString>) -> Self {
        let key = key.into();
        Self::header("authorization", format!("Bearer {}", key.expose()))
    }

    /// `authorization: Basic <user and password in Base64>`. Services that take a key in place of
    /// both often want it as the user, with an empty password.
    /// Like any authorization that cannot be sent, a user with a colon, which would end it, is
    /// refused by the function that takes the authorization.
    pub fn basic(user: impl Into<SecretString>, password: impl Into<SecretString>) -> Self {
        Self::of(KeyLocation::Basic { user: user.into() }, "authorization", password)
    }

    /// A header of any name, such as `x-api-key`.
    pub fn header(name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        Self::of(KeyLocation::Header, name, value)
    }

    /// A query parameter of any name: `?key=…`. Prefer a header if the service accepts one: queries
    /// appear in the logs of servers and proxies. A parameter of a call that has this name is replaced.
    pub fn query(name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        Self::of(KeyLocation::Query, name, value)
    }

    /// A cookie of any name.
    pub fn cookie(name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        Self::of(KeyLocation::Cookie, name, value)
    }

    /// No authorization.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// This authorization and another one, for a service that requires several keys together. All
    /// are sent with each call.
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    fn of(place: KeyLocation, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        Self(vec![Key { place, name: name.into(), value: value.into() }])
    }
}

/// A checked authorization, as it is sent.
pub struct Credential {
    headers: HeaderMap,
    query: Vec<(String, SecretString)>,
    /// The secrets of the credential, if the transport does not know them already.
    secrets: Vec<SecretString>,
}

impl Credential {
    /// Checks an authorization.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](crate::ErrorKind::InvalidRequest) if a key of it is empty or cannot be
    /// sent, or if two keys have the same place.
    pub fn new(attempted: &str, authorization: Authorization) -> Result<Self> {
        let refused = |rule| Error::refused(attempted, "authorization", rule);
        let mut this = Self { headers: HeaderMap::new(), query: Vec::new(), secrets: Vec::new() };
        let mut cookies: Vec<(String, SecretString)> = Vec::new();
        for Key { mut place, name, mut value } in authorization.0 {
            if let KeyLocation::Basic { user } = place {
                value = basic(user.expose(), value.expose()).map_err(refused)?;
                place = KeyLocation::Header;
            }
            // A key that is not set is often an empty text.
            if ["", "Bearer"].contains(&value.expose().trim()) {
                return Err(refused("must not be empty"));
            }
            // The service may echo it without the scheme.
            let bare = value.expose().rsplit_once(' ').map(|(_, bare)| SecretString::from(bare));
            let decoded = credentials_in_basic(value.expose());
            this.secrets.extend(bare.into_iter().chain(decoded).chain([value.clone()]));
            match place {
                KeyLocation::Header => this.add_header(&name, &value).map_err(refused)?,
                KeyLocation::Query if this.query.iter().all(|(it, _)| *it != name) => {
                    this.query.push((name, value));
                }
                KeyLocation::Cookie if cookies.iter().all(|(it, _)| *it != name) => {
                    let is_plain =
                        |text: &str| !text.is_empty() && !text.contains([';', ',', '"', '\\', ' ']);
                    if !is_plain(&name) || name.contains('=') || !is_plain(value.expose()) {
                        return Err(refused("is not the name and value of a cookie"));
                    }
                    cookies.push((name, value));
                }
                KeyLocation::Query | KeyLocation::Cookie | KeyLocation::Basic { .. } => {
                    return Err(refused(TWICE));
                }
            }
        }
        if !cookies.is_empty() {
            let cookies = cookies.iter().map(|(name, value)| format!("{name}={}", value.expose()));
            let cookies = SecretString::from(cookies.collect::<Vec<_>>().join("; "));
            this.add_header("cookie", &cookies).map_err(refused)?;
            this.secrets.push(cookies);
        }
        Ok(this)
    }

    fn add_header(&mut self, name: &str, value: &SecretString) -> Result<(), &'static str> {
        let (name, value) = header(name, value)?;
        match self.headers.insert(name, value) {
            Some(_) => Err(TWICE),
            None => Ok(()),
        }
    }

    /// Hands over the secrets, for the transport to know them.
    pub fn take_secrets(&mut self) -> Vec<SecretString> {
        std::mem::take(&mut self.secrets)
    }

    pub(crate) fn secrets(&self) -> &[SecretString] {
        &self.secrets
    }

    pub(crate) fn is_none(&self) -> bool {
        self.headers.is_empty() && self.query.is_empty()
    }

    /// Sets the query parameters of the authorization.
    pub(crate) fn add_to_url(&self, url: &mut Url) {
        if self.query.is_empty() {
            return;
        }
        *url = self.removed_from(url.clone());
        for (name, value) in &self.query {
            url.query_pairs_mut().append_pair(name, value.expose());
        }
    }

    /// The URL without the parameters that [`add_to_url`](Self::add_to_url) adds.
    pub(crate) fn removed_from(&self, mut url: Url) -> Url {
        let is_sent = |name: &str| self.query.iter().any(|(other, _)| other == name);
        if url.query_pairs().any(|(name, _)| is_sent(&name)) {
            let kept = url.clone();
            let kept = kept.query_pairs().filter(|(name, _)| !is_sent(name));
            url.query_pairs_mut().clear().extend_pairs(kept);
        }
        url
    }

    /// Sets the headers of the authorization.
    pub(crate) fn add_to_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
    }
}

/// The rule that two keys of one name and location break: the service would see only one of them.
const TWICE: &str = "has two keys with the same location and name";

/// The header's value, empty if both are; `Err` with the rule that they break.
fn basic(user: &str, password: &str) -> Result<SecretString, &'static str> {
    if user.contains(':') {
        return Err("has a user with a colon, which would end it");
    }
    let both = if user.is_empty() && password.is_empty() {
        String::new()
    } else {
        format!("Basic {}", to_base64(format!("{user}:{password}").as_bytes()))
    };
    Ok(both.into())
}

fn to_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { digit.into() } else { '=' });
        }
    }
    text
}

/// `Err` with the rule that it breaks.
fn header(name: &str, value: &SecretString) -> Result<(HeaderName, HeaderValue), &'static str> {
    let name = HeaderName::from_bytes(name.as_bytes())
        .map_err(|_| "has a name that cannot stand in a header")?;
    if [CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING].contains(&name) {
        return Err("has the name of a header that the HTTP client sets");
    }
    let mut value = HeaderValue::from_str(value.expose())
        .map_err(|_| "has a value that cannot stand in a header")?;
    value.set_sensitive(true);
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(authorization: Authorization) -> Result<(Vec<String>, String), String> {
        let credential =
            Credential::new("settings", authorization).map_err(|error| error.to_string())?;
        let (mut headers, mut url) =
            (HeaderMap::new(), "https://a.example".parse().expect("a URL"));
        credential.add_to_headers(&mut headers);
        credential.add_to_url(&mut url);
        let headers = headers.iter().map(|(name, value)| {
            assert!(value.is_sensitive(), "{name}");
            format!("{name}: {}", value.to_str().expect("it is text"))
        });
        Ok((headers.collect(), url.query().unwrap_or_default().to_owned()))
    }

    #[test]
    fn user_and_password_are_encoded() {
        for (user, password, expected) in [
            ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("key", "", "a2V5Og=="),
            ("", "p", "OnA="),
            ("u", "ü:>?", "dTrDvDo+Pw=="),
        ] {
            let (headers, _) = sent(Authorization::basic(user, password)).expect("it can be sent");
            assert_eq!(headers, [format!("authorization: Basic {expected}")]);
        }
    }

    #[test]
    fn several_keys_are_sent_together() {
        let all = Authorization::header("X-App-Id", "i")
            .and(Authorization::none())
            .and(Authorization::query("k y", "q&"))
            .and(Authorization::cookie("a", "1"))
            .and(Authorization::basic("u", "p"))
            .and(Authorization::cookie("b", "2="))
            .and(Authorization::query("z", "9"));
        let (mut headers, query) = sent(all).expect("it can be sent");
        headers.sort();
        assert_eq!(headers, ["authorization: Basic dTpw", "cookie: a=1; b=2=", "x-app-id: i"]);
        assert_eq!(query, "k+y=q%26&z=9");
    }

    #[test]
    fn a_key_takes_the_place_of_a_parameter_of_its_name() {
        let credential = Credential::new("test", Authorization::query("key", "own"));
        let mut url = Url::parse("https://a.example/?key=of+the+call&b=1&k%65y=2").expect("a URL");
        credential.expect("it is valid").add_to_url(&mut url);
        assert_eq!(url.query(), Some("b=1&key=own"));
    }

    #[test]
    fn an_invalid_authorization_is_refused_without_its_value() {
        let header = || Authorization::header("x-key", "canary");
        for (authorization, rule) in [
            (Authorization::basic("", ""), "must not be empty"),
            (Authorization::basic("canary:", "p"), "has a user with a colon"),
            (header().and(Authorization::bearer("")), "must not be empty"),
            (header().and(Authorization::header("X-Key", "other")), TWICE),
            (Authorization::basic("u", "canary").and(Authorization::bearer("canary")), TWICE),
            (Authorization::query("k", "canary").and(Authorization::query("k", "2")), TWICE),
            (Authorization::cookie("k", "canary").and(Authorization::cookie("k", "2")), TWICE),
            (Authorization::cookie("k", "canary; b=c"), "name and value of a cookie"),
            (Authorization::cookie("a=b", "canary"), "name and value of a cookie"),
        ] {
            assert!(!format!("{authorization:?}").contains("canary"));
            let error = sent(authorization).expect_err("it cannot be sent");
            assert!(error.contains(rule) && !error.contains("canary"), "{error}");
        }
    }
}
