//! URLs of the three interfaces: validated and normalized.

use podqueue_runtime::__private::url::{base, check};
use reqwest::Url;

use crate::error::Result;

/// Interface that a URL is for.
#[derive(Clone, Copy)]
pub(super) enum Interface {
    Queue,
    Rest,
    Graphql,
}

impl Interface {
    fn field(self) -> &'static str {
        match self {
            Self::Queue => "base_url",
            Self::Rest => "rest_url",
            Self::Graphql => "graphql_url",
        }
    }

    /// The version at the end of the path, which is added if it is missing.
    fn version(self) -> Option<&'static str> {
        match self {
            Self::Queue => Some("/v2"),
            Self::Rest | Self::Graphql => None,
        }
    }
}

/// The URL of an interface. That of the queue has its version, without a slash at the end.
pub(super) fn parse(interface: Interface, text: &str, plain_http: bool) -> Result<Url> {
    let settings = "client settings";
    if matches!(interface, Interface::Graphql) {
        return Ok(check(settings, interface.field(), text, plain_http)?);
    }
    let mut url = base(settings, interface.field(), text, plain_http)?;
    if let Some(version) = interface.version() {
        let path = url.path().trim_end_matches('/').to_owned();
        let versioned = if path.ends_with(version) { path } else { format!("{path}{version}") };
        url.set_path(&versioned);
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(interface: Interface, text: &str) -> String {
        parse(interface, text, false).expect("a usable URL").into()
    }

    #[test]
    fn the_version_is_added_where_it_is_missing() {
        for text in ["https://q.example", "https://q.example/", "https://q.example/v2/"] {
            assert_eq!(normal(Interface::Queue, text), "https://q.example/v2");
        }
        for text in ["https://r.example/", "https://r.example/a", "https://r.example/a/v1"] {
            assert_eq!(normal(Interface::Rest, text), text);
        }
        assert_eq!(
            normal(Interface::Graphql, "https://g.example/graphql"),
            "https://g.example/graphql"
        );
    }

    #[test]
    fn plain_http_is_for_loopback_unless_allowed() {
        for text in [
            "http://127.0.0.1:80",
            "http://localhost:1",
            "http://LocalHost.:1",
            "http://[::1]:1",
            "http://[::ffff:127.0.0.1]",
            "http://127.9.9.9",
        ] {
            assert!(parse(Interface::Queue, text, false).is_ok(), "{text}");
        }
        for text in [
            "http://q.example",
            "http://localhost.example",
            "http://localhost..",
            "http://10.0.0.1",
            "http://[::ffff:10.0.0.1]",
        ] {
            assert!(parse(Interface::Queue, text, false).is_err(), "{text}");
            assert!(parse(Interface::Queue, text, true).is_ok(), "{text}");
        }
    }

    #[test]
    fn an_unusable_url_is_refused_with_its_setting() {
        for text in [
            "",
            "queue.example",
            "ftp://q.example",
            "https://me@q.example",
            "https://q.example/#a",
            "https://q.example/?a=b",
            "https://",
        ] {
            let error = parse(Interface::Queue, text, true).expect_err(text);
            assert_eq!(error.field(), Some("base_url"), "{text}");
        }
    }
}
