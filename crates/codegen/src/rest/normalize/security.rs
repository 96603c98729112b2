//! What operations demand of a caller, beyond the key of the client.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::operations::operations_of;
use super::places::fields;
use super::references::resolve;
use super::tree::text_at;
use super::warnings::Warnings;

/// Warns of each security scheme that an operation demands and that the client's key, as a bearer,
/// does not meet.
pub(super) fn warn_of_demands(description: &Value, warnings: &mut Warnings<'_>) {
    let mut demanded: BTreeMap<&String, &Map<String, Value>> = BTreeMap::new();
    for item in fields(description, "paths").filter_map(|(_, it)| resolve(description, it)) {
        for (.., operation) in operations_of(item) {
            let operation = resolve(description, operation).unwrap_or(operation);
            let security = operation.get("security").or_else(|| description.get("security"));
            let all = security.and_then(Value::as_array).into_iter().flatten();
            let all: Vec<_> = all.filter_map(Value::as_object).collect();
            let is_met = |all: &&Map<String, Value>| all.keys().all(|it| is_key(description, it));
            if !all.iter().any(is_met) {
                for together in all {
                    demanded.extend(together.keys().map(|name| (name, together)));
                }
            }
        }
    }
    for (name, together) in demanded {
        if !is_key(description, name) || together.len() > 1 {
            let place = ["components", "securitySchemes", name].map(str::to_owned);
            let message = format!("the security scheme {name} {}", advice(description, name));
            let others: Vec<_> = together.keys().filter(|it| *it != name).cloned().collect();
            warnings.warn(
                &place,
                match others.as_slice() {
                    [] => message,
                    others => format!(
                        "{message}, and together with {}: `Authorization` is one of them, and the \
                     others are headers of a client that `ClientBuilder::http_client` takes",
                        others.join(" and ")
                    ),
                },
            );
        }
    }
}

fn scheme<'a>(description: &'a Value, name: &str) -> Option<&'a Value> {
    let scheme = description.get("components")?.get("securitySchemes")?.get(name)?;
    resolve(description, scheme)
}

/// Whether the client's key meets a scheme, as `authorization: Bearer`.
fn is_key(description: &Value, name: &str) -> bool {
    scheme(description, name).is_some_and(|it| match text_at(it, "type").as_str() {
        "oauth2" | "openIdConnect" => true,
        "http" => text_at(it, "scheme").eq_ignore_ascii_case("bearer"),
        _ => false,
    })
}

/// What the scheme demands, and how it can be met.
fn advice(description: &Value, name: &str) -> String {
    let Some(scheme) = scheme(description, name) else {
        return "is demanded but not described".to_owned();
    };
    let wire = text_at(scheme, "name");
    let at = |what: String, how: String| {
        format!("demands {what}, which `Api::new` does not send: use `Api::at` with `{how}`")
    };
    match (text_at(scheme, "type").as_str(), text_at(scheme, "in").as_str()) {
        _ if is_key(description, name) => "is met by the client's key".to_owned(),
        ("apiKey", "header") => {
            at(format!("the header {wire}"), format!("Authorization::header({wire:?}, …)"))
        }
        ("apiKey", "query") => {
            at(format!("the query parameter {wire}"), format!("Authorization::query({wire:?}, …)"))
        }
        ("apiKey", "cookie") => at(
            format!("the cookie {wire}"),
            format!("Authorization::header(\"cookie\", \"{wire}=…\")"),
        ),
        ("http", _) => {
            let scheme = text_at(scheme, "scheme");
            at(
                format!("HTTP authentication of the scheme {scheme}"),
                format!("Authorization::header(\"authorization\", \"{scheme} …\")"),
            )
        }
        ("mutualTLS", _) => "demands a client certificate: `ClientBuilder::http_client` takes a \
                             client that has one"
            .to_owned(),
        (kind, _) => format!("is of the type {kind:?}, which is not supported"),
    }
}
