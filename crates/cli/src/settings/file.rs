//! Settings file: named profiles in TOML.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fmt, io};

use etcetera::BaseStrategy;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::key::KeySource;
use crate::failure::Failure;
use crate::input::read_text_file;

const PATH: &str = "PODQUEUE_CONFIG";

/// The path of the settings file: `PODQUEUE_CONFIG`, or that of the platform's conventions.
pub fn path() -> Result<PathBuf, Failure> {
    if let Some(path) = env::var_os(PATH).filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    match etcetera::choose_base_strategy() {
        Ok(strategy) => Ok(strategy.config_dir().join("podqueue").join("config.toml")),
        Err(error) => Err(Failure::usage(format!("failed to find your home: {error}"))
            .hint(format!("set {PATH} to the path of the settings file"))),
    }
}

/// The content of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub default_profile: Option<String>,
    #[serde(default)]
    profile: BTreeMap<String, Section>,
}

/// A profile as a table: serde would also accept a list of the values.
#[derive(Debug)]
struct Section(Profile);

impl<'de> Deserialize<'de> for Section {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table;

        impl<'de> Visitor<'de> for Table {
            type Value = Section;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table such as [profile.work]")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Section, A::Error> {
                Profile::deserialize(MapAccessDeserializer::new(map)).map(Section)
            }
        }

        deserializer.deserialize_map(Table)
    }
}

/// A named set of settings.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub base_url: Option<String>,
    pub rest_url: Option<String>,
    pub graphql_url: Option<String>,
    pub account_url: Option<String>,
    #[serde(default)]
    pub allow_plain_http: bool,
    key_command: Option<String>,
    key_file: Option<PathBuf>,
}

impl File {
    /// Reads the file; a missing file is empty.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let text = match read_text_file(path) {
            Ok(text) => text,
            Err(error) if is_missing(&error) => return Ok(Self::default()),
            Err(error) => {
                let what = format_args!("the settings in {}", path.display());
                return Err(Failure::unreadable(what, &error)
                    .hint(format!("make it a file that you can read, or set {PATH} to another")));
            }
        };
        toml::from_str(&text).map_err(|error| {
            let (line, column) = error.span().map_or((1, 1), |span| position(&text, span.start));
            let message = without_values(error.message());
            Failure::usage(format!("{}:{line}:{column}: {message}", path.display()))
        })
    }

    pub fn profile(mut self, path: &Path, name: &str) -> Result<Profile, Failure> {
        self.profile.remove(name).map(|Section(profile)| profile).ok_or_else(|| {
            let known: Vec<&str> = self.profile.keys().map(String::as_str).collect();
            let known = match known.as_slice() {
                [] if !path.exists() => "the file does not exist".to_owned(),
                [] => "it has none".to_owned(),
                known => format!("it has: {}", known.join(", ")),
            };
            Failure::usage(format!("no profile `{name}` in {}; {known}", path.display()))
        })
    }
}

/// Returns true if a file does not exist, also because a part of its path is not a folder.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl Profile {
    /// The key source of the profile, if it has one.
    pub fn key(&self, file: &Path) -> Result<Option<KeySource>, Failure> {
        match (&self.key_command, &self.key_file) {
            (Some(_), Some(_)) => Err(Failure::usage(format!(
                "a profile in {} has both key_command and key_file",
                file.display()
            ))
            .hint("remove one of them")),
            (Some(command), None) => Ok(Some(KeySource::Command(command.clone()))),
            (None, Some(path)) => Ok(Some(KeySource::File(resolve(file, path)))),
            (None, None) => Ok(None),
        }
    }
}

/// Resolves a path of the settings file: `~/` is the home, and a relative path starts at its
/// folder.
fn resolve(file: &Path, path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), etcetera::home_dir()) {
        (Ok(rest), Ok(home)) => home.join(rest),
        _ => file.parent().unwrap_or(Path::new("")).join(path),
    }
}

/// The line and column of a byte, counted from 1.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// A parser's message without values of the file, one of which may be a misplaced key.
fn without_values(message: &str) -> String {
    match message.rsplit_once(", expected ") {
        Some((what, expected)) if what.starts_with("invalid ") => {
            let what = what.split_once(": ").map_or(what, |(what, _)| what);
            format!("{what}, expected {expected}")
        }
        _ => message.trim_end().replace('\n', ", "),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_error_is_reported_with_its_position_and_without_values() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("config.toml");
        for (text, expected) in [
            ("[profile.a]\napi_key = \"s3cret\"\n", ":2:1: unknown field `api_key`"),
            ("[profile.a]\n  allow_plain_http = \"s3cret\"\n", ":2:22: invalid type, expected"),
            ("default_profile = 's3cret\n", ":1:"),
            ("\n\nprofile = 3", ":3:11: invalid type, expected a map"),
            (
                "\n[[profile.a]]\nkey_file = 's3cret'",
                ":2:1: invalid type, expected a table such as",
            ),
            ("\nprofile.a = ['s3cret']", ":2:13: invalid type, expected a table such as"),
            ("profile.a = ['u', 'r', 'g', true, 's3cret', 'f']", ":1:13: invalid type, expected a"),
            ("[profile]\na = 's3cret'", ":2:5: invalid type, expected a table such as"),
            ("\n[[default_profile]]\nb = 's3cret'", ":2:1: invalid type, expected a string"),
        ] {
            fs::write(&path, text).expect("a file");
            let failure = File::read(&path).expect_err(text);
            assert!(failure.message.contains(expected), "{}", failure.message);
            assert!(!failure.message.contains("s3cret"), "{}", failure.message);
        }
    }

    #[test]
    fn a_key_file_is_relative_to_the_settings_file_or_the_home() {
        let file = Path::new("/etc/podqueue/config.toml");
        assert_eq!(resolve(file, Path::new("work.key")), Path::new("/etc/podqueue/work.key"));
        assert_eq!(resolve(file, Path::new("/run/key")), Path::new("/run/key"));
        let home = etcetera::home_dir().expect("a home");
        assert_eq!(resolve(file, Path::new("~/key")), home.join("key"));
    }
}
