//! URL of a server of a description, whose variables have values.

use std::collections::BTreeMap;

use crate::error::{Error, Result};

/// A variable of a server's URL.
#[derive(Debug)]
pub struct Variable {
    /// The name in braces.
    pub name: &'static str,
    /// The default; none if a value must be set.
    pub default: Option<&'static str>,
    /// The possible values; any if there are none.
    pub values: &'static [&'static str],
}

/// A server's URL under construction.
#[derive(Clone, Debug)]
pub struct ServerUrl {
    template: &'static str,
    variables: &'static [Variable],
    values: BTreeMap<&'static str, String>,
}

impl ServerUrl {
    /// The URL with the defaults of its variables.
    pub fn new(template: &'static str, variables: &'static [Variable]) -> Self {
        Self { template, variables, values: BTreeMap::new() }
    }

    /// Sets a variable.
    pub fn set(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.values.insert(name, value.into());
        self
    }

    /// The URL.
    ///
    /// # Errors
    ///
    /// [`InvalidRequest`](crate::ErrorKind::InvalidRequest): a variable has none of its possible
    /// values, or one that would change another part of the URL than that of the variable. Above
    /// all, none within a host may lead to another host, since the key is sent there.
    pub fn url(&self) -> Result<String> {
        let refused = |name: &str, rule: String| Error::refused("server URL", name, rule);
        let origin = origin(self.template);
        let mut url = self.template.to_owned();
        for Variable { name, default, values } in self.variables {
            let set = self.values.get(name).map(String::as_str);
            let value = set.or(*default).unwrap_or_default();
            let place = format!("{{{name}}}");
            // `https://shop.example{base}`: the value begins the path.
            let before = origin.strip_suffix(&place).filter(|it| !it.ends_with('/'));
            let begins_path = before.is_some() && value.starts_with('/');
            let ends: &[char] = match origin.contains(&place) && !begins_path {
                true => &['?', '#', '\\', '@', '{', '/', '%'],
                false => &['?', '#', '\\', '@', '{'],
            };
            // What the description itself has as a default may be of any form.
            let is_within = !value.contains(ends) && !value.split('/').any(|it| it == "..");
            if let (Some(set), false) = (set, is_within) {
                let rule = format!("would change another part of the URL, but is {set:?}");
                return Err(refused(name, rule));
            }
            if value.is_empty() && default.is_none() {
                return Err(refused(name, "has no default, and must be set".to_owned()));
            }
            if !values.is_empty() && !values.contains(&value) {
                let rule = format!("must be one of {}, but is {value}", values.join(", "));
                return Err(refused(name, rule));
            }
            url = url.replace(&place, value);
        }
        Ok(url)
    }
}

/// The part of a URL before its path; empty for one without a host, which a variable may have as a
/// whole.
fn origin(url: &str) -> &str {
    const AFTER_SCHEME: &str = "://";
    let host = url.find(AFTER_SCHEME).map(|it| it + AFTER_SCHEME.len());
    host.map_or("", |host| match url[host..].find('/') {
        Some(path) => &url[..host + path],
        None => url,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_defaults_and_possible_values() {
        const VARIABLES: &[Variable] = &[
            Variable { name: "region", default: Some("eu"), values: &["eu", "us"] },
            Variable { name: "tenant", default: None, values: &[] },
            Variable { name: "base", default: Some(""), values: &[] },
        ];
        let url = || ServerUrl::new("https://{tenant}.{region}.shop.example/{base}", VARIABLES);
        let said = |url: ServerUrl| url.url().map_err(|error| error.to_string());
        let ours = || url().set("tenant", "ours");
        assert_eq!(said(ours()), Ok("https://ours.eu.shop.example/".to_owned()));
        let other = ours().set("region", "us").set("base", "v2");
        assert_eq!(said(other), Ok("https://ours.us.shop.example/v2".to_owned()));
        for (url, rule) in [
            (url(), "`tenant` has no default, and must be set"),
            (ours().set("region", "mars"), "`region` must be one of eu, us, but is mars"),
        ] {
            let refusal = format!("server URL: refused before sending: {rule}");
            assert_eq!(said(url), Err(refusal));
        }
    }

    #[test]
    fn no_value_leads_to_another_host() {
        const VARIABLES: &[Variable] = &[
            Variable { name: "tenant", default: Some("demo"), values: &[] },
            Variable { name: "port", default: Some("443"), values: &[] },
            Variable { name: "base", default: Some("v1"), values: &[] },
        ];
        let url = |name, value: &str| {
            let template = "https://{tenant}.shop.example:{port}/{base}";
            ServerUrl::new(template, VARIABLES).set(name, value).url()
        };
        let evil = ["evil.example/", "evil.example?", "evil.example#", "evil.example\\", "a@evil"];
        for value in evil.iter().chain(&["{base}", "evil.example%2f"]) {
            let error = url("tenant", value).expect_err("it is another host");
            assert_eq!(error.field(), Some("tenant"), "{value}");
        }
        assert!(url("port", "443@evil.example").is_err());
        assert!(url("port", "443/x").is_err());
        for base in ["v1?a=b", "v1#a", "..", "../admin", "v1/../admin", "\\\\evil", "{tenant}"] {
            assert!(url("base", base).is_err(), "{base}");
        }
        let accepted = |name, value| url(name, value).unwrap_or_default();
        assert_eq!(accepted("base", "v2/eu"), "https://demo.shop.example:443/v2/eu");
        assert_eq!(accepted("tenant", "a.b"), "https://a.b.shop.example:443/v1");
        const PARTS: &[Variable] = &[
            Variable { name: "host", default: Some("shop.example"), values: &[] },
            Variable { name: "scheme", default: Some("https"), values: &[] },
            Variable { name: "base", default: Some(""), values: &[] },
        ];
        let url = |template, name, value: &str| {
            ServerUrl::new(template, PARTS).set(name, value).url().ok()
        };
        const WHOLE: &str = "{scheme}://{host}{base}";
        for (template, name, value, expected) in [
            (WHOLE, "host", "localhost:8080", Some("https://localhost:8080")),
            (WHOLE, "base", "/v2/x", Some("https://shop.example/v2/x")),
            (WHOLE, "base", ".evil.example/v2", None),
            (WHOLE, "scheme", "https://evil.example/", None),
            (WHOLE, "host", "/evil.example", None),
            ("https://{base}", "base", "/evil.example", None),
            ("{host}/v1", "host", "https://a.example/b", Some("https://a.example/b/v1")),
        ] {
            assert_eq!(url(template, name, value).as_deref(), expected, "{template} {value}");
        }
    }
}
