//! Settings of the active profile: the service URLs and the source of the API key.
//!
//! A profile is used as a whole, so that a key is never sent to a URL that it does not belong to:
//!
//! 1. `--profile`, or `PODQUEUE_PROFILE`, selects a profile of the settings file.
//! 2. Otherwise, if a variable sets a URL, the variables alone count.
//! 3. Otherwise the file's `default_profile` counts, if there is one.
//!
//! `PODQUEUE_API_KEY` is the key where no profile is selected, or the selected profile has no key.

mod file;
mod key;

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use podqueue::{Client, ClientBuilder, SecretString};

use self::file::File;
pub use self::file::path;
use self::key::{KEY, variable};
pub use self::key::{KeySource, read_private_file};
use crate::exit::Exit;
use crate::failure::Failure;

const PROFILE: &str = "PODQUEUE_PROFILE";
const URLS: [&str; 4] =
    ["PODQUEUE_BASE_URL", "PODQUEUE_REST_URL", "PODQUEUE_GRAPHQL_URL", "PODQUEUE_ACCOUNT_URL"];

/// The selection of a profile.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Selection {
    /// The profile in the settings file to use instead of the variables.
    ///
    /// PODQUEUE_PROFILE selects one, too. `podqueue config` shows what applies.
    #[arg(long, global = true, value_name = "NAME")]
    profile: Option<String>,
}

impl Selection {
    /// Selects a profile by its name, or none.
    pub fn of_profile(profile: Option<String>) -> Self {
        Self { profile }
    }
}

/// The settings of the active profile.
#[derive(Debug)]
pub struct Settings {
    /// The path of the settings file, which need not exist; `None` without a home.
    pub file: Option<PathBuf>,
    pub profile: Option<String>,
    pub base_url: Option<String>,
    pub rest_url: Option<String>,
    pub graphql_url: Option<String>,
    pub account_url: Option<String>,
    pub allow_plain_http: bool,
    pub key: KeySource,
}

impl Settings {
    /// Reads the variables and the file, but not the key.
    pub fn read(selection: &Selection) -> Result<Self, Failure> {
        let path = path();
        let [base_url, rest_url, graphql_url, account_url] = URLS.map(variable);
        let urls = [base_url?, rest_url?, graphql_url?, account_url?];
        let by_variables = urls.iter().any(Option::is_some);
        let key = if env::var_os(KEY).is_some_and(|key| !key.is_empty()) {
            KeySource::Environment
        } else {
            KeySource::Missing
        };

        let selected = match (&selection.profile, variable(PROFILE)?) {
            (Some(name), _) => Some(name.clone()),
            (None, Some(_)) if by_variables => {
                return Err(Failure::usage(format!(
                    "{PROFILE} and {} are both set, and point to different services",
                    URLS.join(" or ")
                ))
                .hint("unset one of them, or select a profile with --profile"));
            }
            (None, name) => name,
        };
        if selected.is_none() && by_variables {
            let [base_url, rest_url, graphql_url, account_url] = urls;
            let (profile, allow_plain_http) = (None, false);
            return Ok(Self {
                file: path.ok(),
                profile,
                base_url,
                rest_url,
                graphql_url,
                account_url,
                allow_plain_http,
                key,
            });
        }
        let is_selected = selected.is_some();
        let path = match path {
            Err(failure) if is_selected => return Err(failure),
            path => path.ok(),
        };
        // Without a home there is no file, but the variables may suffice.
        let location = path.as_deref().unwrap_or(Path::new(""));
        let mut file = File::read(location)?;
        let name = selected.or_else(|| file.default_profile.take());
        let profile = match &name {
            Some(name) => file.profile(location, name)?,
            None => file::Profile::default(),
        };
        let profile_key = profile.key(location)?;
        let key = match (profile_key, key) {
            (Some(profile_key), _) if is_selected => profile_key,
            (Some(profile_key), KeySource::Missing) => profile_key,
            (_, key) => key,
        };
        Ok(Self {
            file: path,
            profile: name,
            base_url: profile.base_url,
            rest_url: profile.rest_url,
            graphql_url: profile.graphql_url,
            account_url: profile.account_url,
            allow_plain_http: profile.allow_plain_http,
            key,
        })
    }
}

impl Settings {
    /// The key; a failure if there is none.
    pub fn read_key(&self) -> Result<SecretString, Failure> {
        self.key.read()?.ok_or_else(|| {
            Failure::new(Exit::NotAuthorized, "no API key is set")
                .hint(match &self.file {
                    Some(file) => format!("set {KEY}, or a profile in {}", file.display()),
                    None => format!("set {KEY}"),
                })
                .hint("to try it without an account: podqueue local")
        })
    }

    /// The URLs that are set.
    fn urls(&self) -> impl Iterator<Item = (Interface, &str)> {
        let urls = [
            (Interface::Queue, &self.base_url),
            (Interface::Rest, &self.rest_url),
            (Interface::Graphql, &self.graphql_url),
            (Interface::Account, &self.account_url),
        ];
        urls.into_iter().filter_map(|(interface, url)| Some((interface, url.as_deref()?)))
    }

    fn with_url(
        &self,
        builder: ClientBuilder,
        (interface, url): (Interface, &str),
    ) -> ClientBuilder {
        let builder = match interface {
            Interface::Queue => builder.base_url(url),
            Interface::Rest => builder.rest_url(url),
            Interface::Graphql => builder.graphql_url(url),
            Interface::Account => builder.account_url(url),
        };
        if self.allow_plain_http { builder.allow_plain_http() } else { builder }
    }

    /// A failure for each URL that no client accepts, with the URL.
    pub fn invalid_urls(&self) -> Vec<Failure> {
        let failures = self.urls().filter_map(|url| {
            let client = self.with_url(Client::builder().api_key("key"), url).build();
            let mut failure = Failure::from(client.err()?);
            failure.message = format!("{}: {}", failure.message, redacted_url(url.1));
            Some(failure)
        });
        failures.collect()
    }
}

/// The interface that a URL leads to.
#[derive(Clone, Copy, Debug)]
enum Interface {
    Queue,
    Rest,
    Graphql,
    Account,
}

/// A builder of the client, with the key.
pub fn client_builder(settings: &Settings) -> Result<ClientBuilder, Failure> {
    let key = settings.read_key()?;
    let builder = Client::builder()
        .api_key(key)
        .user_agent(concat!("podqueue-cli/", env!("CARGO_PKG_VERSION")));
    Ok(settings.urls().fold(builder, |builder, url| settings.with_url(builder, url)))
}

/// A URL without its credentials and query, which may be secret.
pub fn redacted_url(url: &str) -> String {
    // An invalid URL may have a password with the characters that end a host.
    let (before, rest) = url.rsplit_once('@').map_or(("", url), |(before, rest)| (before, rest));
    let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    if before.is_empty() { rest.to_owned() } else { format!("{scheme}://…@{rest}") }
}

#[cfg(test)]
mod tests {
    use super::redacted_url;

    #[test]
    fn a_password_in_a_url_is_redacted() {
        for (url, expected) in [
            ("https://queue.example/v1?key=s3cret", "https://queue.example/v1"),
            ("https://me:s3cret@queue.example/v1?a=b", "https://…@queue.example/v1"),
            ("https://me:s3cret/s3cret@queue.example", "https://…@queue.example"),
            ("https://me:s3cret?s3cret#s3cret@queue.example", "https://…@queue.example"),
            ("me:s3cret@queue.example/v1", "://…@queue.example/v1"),
        ] {
            assert_eq!(redacted_url(url), expected);
        }
    }
}
