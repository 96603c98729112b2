//! Token of a webhook URL: a secret shared with the service.

use std::fmt::Write;

use subtle::ConstantTimeEq;

use crate::error::{Error, Result};
use podqueue_runtime::SecretString;

const RANDOM_BYTES: usize = 32;
/// 128 bits, if each character is a hexadecimal digit.
const MIN_LENGTH: usize = 32;

pub(crate) struct Token(SecretString);

impl Token {
    /// 256 bits of the system's randomness, in hexadecimal.
    pub(super) fn random() -> Result<Self> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| {
            refused("could not be generated: the system's random number generator failed")
                .with_source(error)
        })?;
        let text = bytes.iter().fold(String::with_capacity(2 * RANDOM_BYTES), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        Ok(Self(text.into()))
    }

    pub(crate) fn given(token: SecretString) -> Result<Self> {
        let text = token.expose();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if text.len() < MIN_LENGTH || !text.bytes().all(plain) {
            return Err(refused("must consist of 32 or more letters, digits, `-` and `_`"));
        }
        Ok(Self(token))
    }

    /// Returns true if the token is the last segment of this path. Compares in constant time, which
    /// does not reveal the length of a correct prefix.
    pub(crate) fn ends(&self, path: &str) -> bool {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let path = path.strip_suffix('/').unwrap_or(path);
        let last = path.rsplit('/').next().unwrap_or_default();
        last.as_bytes().ct_eq(self.0.expose().as_bytes()).into()
    }

    pub(super) fn expose(&self) -> &str {
        self.0.expose()
    }

    pub(super) fn secret(&self) -> SecretString {
        self.0.clone()
    }
}

fn refused(rule: &str) -> Error {
    Error::refused("webhook settings", "token", rule)
}

#[cfg(test)]
mod tests {
    use super::Token;

    #[test]
    fn a_token_is_of_256_bits_and_never_the_same() {
        let (one, other) = (Token::random().expect("a token"), Token::random().expect("a token"));
        assert_eq!(one.expose().len(), 64);
        assert!(one.expose().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(one.expose(), other.expose());
    }

    #[test]
    fn only_the_whole_last_segment_counts() {
        let text = "0123456789abcdef0123456789abcdef";
        let token = Token::given(text.into()).expect("a token");
        for path in
            [text.to_owned(), format!("/{text}"), format!("/a/b/{text}/"), format!("/{text}?a=1")]
        {
            assert!(token.ends(&path), "{path}");
        }
        let short = &text[1..];
        for path in [
            String::new(),
            "/".to_owned(),
            format!("/{short}"),
            format!("/{text}0"),
            format!("/{text}//"),
            format!("/{text}/more"),
            format!("/hook?token={text}"),
            format!("/hook#/{text}"),
            format!("/{}", text.to_uppercase()),
        ] {
            assert!(!token.ends(&path), "{path}");
        }
    }

    #[test]
    fn a_token_that_could_be_guessed_or_breaks_a_path_is_refused() {
        for text in ["", "0123456789abcdef0123456789abcde", "0123456789abcdef/123456789abcdef0"] {
            let error = Token::given(text.into()).err().expect("refused");
            assert_eq!(error.field(), Some("token"));
        }
    }
}
