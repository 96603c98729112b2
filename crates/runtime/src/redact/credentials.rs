//! Credentials that are sent encoded and may come back decoded, and values that are too common to redact.

use std::iter::once;

use percent_encoding::percent_decode_str;
use reqwest::Url;

use crate::secret_string::SecretString;

/// The environment variables from which the HTTP client reads proxies.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// The user name and password in a header's value `Basic …`, and the password alone.
pub fn in_basic(value: &str) -> Vec<SecretString> {
    let encoded =
        value.trim().split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("basic"));
    let decoded = encoded.and_then(|(_, encoded)| from_base64(encoded.trim()));
    let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
    match decoded.as_deref().and_then(|both| both.split_once(':')) {
        Some((user, password)) => pair(user, password),
        None => Vec::new(),
    }
}

/// The credentials in the proxy's URL, or in the proxies' URLs that the environment sets.
pub fn of_proxies(
    given: Option<&SecretString>,
    environment: impl Fn(&'static str) -> Option<String>,
) -> Vec<SecretString> {
    match given {
        Some(url) => in_url(url.expose()),
        None => PROXIES.into_iter().filter_map(environment).flat_map(|url| in_url(&url)).collect(),
    }
}

/// The user name and password in a URL, and the password alone.
pub fn in_url(url: &str) -> Vec<SecretString> {
    // The environment variables may omit the scheme.
    let url =
        if url.contains("://") { Url::parse(url) } else { Url::parse(&format!("http://{url}")) };
    let Ok(url) = url else { return Vec::new() };
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let user = decoded(url.username());
    match url.password() {
        Some(password) => pair(&user, &decoded(password)),
        // Either a token or a plain name.
        None => once(user).filter(|user| !is_trivial(user)).map(SecretString::from).collect(),
    }
}

/// Both together, since they may come back in Base64, and the password; without a password, the user
/// name is the credential.
fn pair(user: &str, password: &str) -> Vec<SecretString> {
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
        (bits, count) = (bits << 6 | u32::from(value), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

/// Returns whether redacting a value would do more harm than good: with every `1`, `true` or `small`
/// redacted, a message would be unreadable.
///
/// Trivial are values of fewer than 6 characters, words of fewer than 8 letters, and numbers, dates
/// and addresses of fewer than 12 digits and signs.
pub(super) fn is_trivial(value: &str) -> bool {
    let length = value.chars().count();
    let only = |of: fn(char) -> bool| value.chars().all(of);
    length < 6
        || (length < 8 && only(char::is_alphabetic))
        || (length < 12 && only(|it| it.is_ascii_digit() || ".,:+-_/ ".contains(it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(secrets: Vec<SecretString>) -> Vec<String> {
        secrets.iter().map(|secret| secret.expose().to_owned()).collect()
    }

    #[test]
    fn the_password_of_a_basic_header_is_known() {
        for value in ["Basic dXNlcjpwYTpzcw==", "basic  dXNlcjpwYTpzcw", " BASIC dXNlcjpwYTpzcw== "]
        {
            assert_eq!(texts(in_basic(value)), ["user:pa:ss", "pa:ss"], "{value}");
        }
        assert_eq!(texts(in_basic("Basic a2V5Og==")), ["key:", "key"]);
        for value in ["", "Basic", "Basic ", "Basic dXNlcg==", "Basic ?", "Bearer dXNlcjpwYTpzcw=="]
        {
            assert!(in_basic(value).is_empty(), "{value}");
        }
    }

    #[test]
    fn the_password_of_a_proxy_is_known_wherever_it_is_set() {
        let given = SecretString::from("http://me:p%40ss@proxy.example:3128");
        let environment = |name: &str| (name == "https_proxy").then(|| "http://a:b@c".to_owned());
        assert_eq!(texts(of_proxies(Some(&given), environment)), ["me:p@ss", "p@ss"]);
        assert_eq!(texts(of_proxies(None, environment)), ["a:b", "b"]);
        for (url, secrets) in [
            ("http://token-7@proxy", vec!["token-7"]),
            ("http://token-7:@proxy", vec!["token-7"]),
            ("http://me@proxy", vec![]),
            ("a:b@proxy:3128", vec!["a:b", "b"]),
            ("http://proxy", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(texts(of_proxies(Some(&url.into()), environment)), secrets, "{url}");
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
}
