//! Keys of clients, and the owner of files and batches that each stands for.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// The owner where there are no keys.
const WITHOUT_KEYS: &str = "local";

/// The longest name of an owner, in bytes.
const LONGEST_NAME: usize = 64;

/// The prefix of the owners of keys without a name.
const UNNAMED: &str = "key-";

/// The owner of files and batches, as the name of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Owner(String);

impl Owner {
    pub(super) fn without_keys() -> Self {
        Self(WITHOUT_KEYS.to_owned())
    }

    pub(super) fn name(&self) -> &str {
        &self.0
    }
}

/// The keys of clients. Each sees its own files and batches only.
///
/// Each line has a key, or a name and a key: `alice k-1f0c…`. Keys with the same name have the same
/// files and batches, so a named key can be replaced. Empty lines, and lines that begin with `#`,
/// are ignored.
#[derive(Clone)]
pub struct Keys(Vec<(Owner, blake3::Hash)>);

impl Keys {
    /// Reads keys from a file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`] if the file cannot be read, has no key, or has an invalid line.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let text = fs::read_to_string(path)
            .map_err(|error| Error::file(ErrorKind::Settings, "read the keys", path, error))?;
        Self::parse(&text).map_err(|error| {
            error.explained(|message| format!("the keys in {}: {message}", path.display()))
        })
    }

    /// Reads keys from a text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Settings`] if it has no key or an invalid line. No key is in the message.
    pub fn parse(text: &str) -> Result<Self> {
        let mut keys: Vec<(Owner, blake3::Hash)> = Vec::new();
        // Some editors write a mark of the byte order.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()) {
            let refuse = |message: &str| {
                Err(Error::new(ErrorKind::Settings, format!("line {number} {message}")))
            };
            let words: Vec<_> = line.split_whitespace().collect();
            let (owner, key) = match words.as_slice() {
                [] => continue,
                [first, ..] if first.starts_with('#') => continue,
                [key] => (format!("{UNNAMED}{}", &digest(key).to_hex()[..16]), *key),
                [name, key] if is_name(name) => ((*name).to_owned(), *key),
                [_, _] => {
                    return refuse(
                        "has a name that is not of letters, digits, - and _, or begins with key-",
                    );
                }
                _ => return refuse("has more than a name and a key"),
            };
            let key = digest(key);
            if keys.iter().any(|(_, known)| *known == key) {
                return refuse("has a key that an earlier line has");
            }
            keys.push((Owner(owner), key));
        }
        if keys.is_empty() {
            return Err(Error::new(ErrorKind::Settings, "there is no key"));
        }
        Ok(Self(keys))
    }

    /// The owner that a key stands for. Takes the same time for any key of the same length.
    pub(super) fn owner(&self, key: &str) -> Option<&Owner> {
        let key = digest(key);
        // The comparison of hashes takes the same time for any hashes.
        self.0.iter().fold(None, |found, (owner, known)| match *known == key {
            true => Some(owner),
            false => found,
        })
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Keys").field(&self.0.len()).finish()
    }
}

fn digest(key: &str) -> blake3::Hash {
    blake3::Hash::from(blake3::derive_key("podqueue-batch 2026 client key", key.as_bytes()))
}

fn is_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && !name.starts_with(UNNAMED)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stands_for_the_owner_of_its_line() {
        let keys =
            Keys::parse("\u{feff}# ours\nalice k1\n\nalice k2\n  bob\tk3\r\nk4").expect("keys");
        let owner = |key: &str| keys.owner(key).map(|owner| owner.name().to_owned());
        assert_eq!(owner("k1").as_deref(), Some("alice"));
        assert_eq!(owner("k2").as_deref(), Some("alice"));
        assert_eq!(owner("k3").as_deref(), Some("bob"));
        assert!(owner("k4").is_some_and(|owner| owner.starts_with("key-") && owner.len() == 20));
        for other in ["", "k", "k11", "alice", "K1"] {
            assert_eq!(owner(other), None, "{other}");
        }
        assert_eq!(format!("{keys:?}"), "Keys(4)");
    }

    #[test]
    fn invalid_keys_are_refused_without_being_shown() {
        for (text, reason) in [
            ("", "no key"),
            ("# k1", "no key"),
            ("a b c-secret", "line 1 has more"),
            ("../a c-secret", "line 1 has a name"),
            ("k\nkey-1 c-secret", "line 2 has a name"),
            ("a c-secret\nb c-secret", "line 2 has a key that"),
        ] {
            let error = Keys::parse(text).expect_err(text).to_string();
            assert!(error.contains(reason) && !error.contains("secret"), "{error}");
        }
    }
}
