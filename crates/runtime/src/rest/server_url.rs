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
    /// values.
    pub fn url(&self) -> Result<String> {
        let refused = |name: &str, rule: String| Error::refused("server URL", name, rule);
        let mut url = self.template.to_owned();
        for Variable { name, default, values } in self.variables {
            let value = self.values.get(name).map(String::as_str).or(*default).unwrap_or_default();
            if value.is_empty() && default.is_none() {
                return Err(refused(name, "has no default, and must be set".to_owned()));
            }
            if !values.is_empty() && !values.contains(&value) {
                let rule = format!("must be one of {}, but is {value}", values.join(", "));
                return Err(refused(name, rule));
            }
            url = url.replace(&format!("{{{name}}}"), value);
        }
        Ok(url)
    }
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
}
