//! OpenAPI description whose files are linked: its operations with their parameters, bodies,
//! responses, servers and security schemes, each with its `$ref`s followed.
//!
//! A description is read here and nowhere else: which methods a path item has, which parameter
//! overrides which, which responses are successes, which media type of several is used. The passes
//! of the generator, `podqueue-regenerate` and the survey ask this module, so that what is
//! generated, compared and counted is the same. What a *schema* means is not decided here: the
//! generator rewrites schemas into types, and `podqueue-regenerate` compares them as they are
//! written.

use std::collections::HashSet;

use serde_json::{Map, Value};

pub use super::media::{Media, is_file, offered, schema};
pub use super::model::{Content, Piece, pieces, split};
pub use super::tree::{fields, reachable, references, resolve, target, text_at};

/// The methods that have keys of their own in a path item, by these keys.
pub(super) const METHODS: [(&str, &str); 9] = [
    ("get", "GET"),
    ("put", "PUT"),
    ("post", "POST"),
    ("delete", "DELETE"),
    ("options", "OPTIONS"),
    ("head", "HEAD"),
    ("patch", "PATCH"),
    ("trace", "TRACE"),
    ("query", "QUERY"),
];

/// An operation as it is described.
#[derive(Clone, Debug)]
pub struct DescribedOperation<'a> {
    /// The HTTP method, in capitals.
    pub method: String,
    /// The path as the description writes it: `/pods/{podId}`.
    pub path: &'a str,
    /// The keys that lead to it from the top of the description.
    pub keys: Vec<String>,
    /// The path item that contains it.
    pub item: &'a Value,
    /// The operation object; the reference itself if it leads nowhere.
    pub operation: &'a Value,
}

impl DescribedOperation<'_> {
    /// The method and the path: `GET /pods/{podId}`.
    pub fn name(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// All operations, in the order of their paths. A path item whose `$ref` leads nowhere has none.
pub fn operations(description: &Value) -> impl Iterator<Item = DescribedOperation<'_>> {
    fields(description, "paths").flat_map(move |(path, item)| {
        let item = resolve(description, item).unwrap_or(item);
        operations_of(item).into_iter().map(move |(keys, method, operation)| {
            let operation = resolve(description, operation).unwrap_or(operation);
            let keys = [vec!["paths".to_owned(), path.clone()], keys].concat();
            DescribedOperation { method, path, keys, item, operation }
        })
    })
}

/// The operations of a path item: the keys that lead to each, its method, and its node.
pub(super) fn operations_of(item: &Value) -> Vec<(Vec<String>, String, &Value)> {
    let known = METHODS.iter().filter_map(|(key, method)| {
        Some((vec![(*key).to_owned()], (*method).to_owned(), item.get(key)?))
    });
    let more = fields(item, "additionalOperations").map(|(method, operation)| {
        (vec!["additionalOperations".to_owned(), method.clone()], method.clone(), operation)
    });
    known.chain(more).collect()
}

/// The parameters of an operation, those of its path item first. One of the operation overrides
/// that of the path item with the same location and name; of two in one list, the first counts.
///
/// Adds a reason to `rejected` for each parameter that is left out: its `$ref` leads nowhere, it
/// has no name, or another one precedes it.
pub fn parameters<'a>(
    description: &'a Value,
    item: &'a Value,
    operation: &'a Value,
    rejected: &mut Vec<String>,
) -> Vec<&'a Value> {
    let mut list = |value: &'a Value| {
        let all = value.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let resolved = all.filter_map(|parameter| {
            let found = resolve(description, parameter);
            let reason = match found.map(|it| it.get("name")) {
                Some(Some(Value::String(_))) => return found,
                Some(name) => {
                    format!("its name {} is not a string", name.unwrap_or(&Value::Null))
                }
                None => format!("{} leads nowhere", text_at(parameter, "$ref")),
            };
            rejected.push(reason);
            None
        });
        resolved.collect::<Vec<_>>()
    };
    // Header names are case-insensitive.
    let key = |parameter: &Value| match location(parameter) {
        "header" => ("header".to_owned(), name_of(parameter).to_ascii_lowercase()),
        location => (location.to_owned(), name_of(parameter).to_owned()),
    };
    let own = list(operation);
    let mut shared = list(item);
    shared.retain(|shared| !own.iter().any(|it| key(it) == key(shared)));
    let (mut seen, mut declared) = (HashSet::new(), Vec::new());
    for parameter in shared.into_iter().chain(own) {
        if seen.insert(key(parameter)) {
            declared.push(parameter);
        } else {
            let (location, name) = (location(parameter), name_of(parameter));
            rejected.push(format!(
                "the {location} parameter {name} is described twice in one list, of which the first counts"
            ));
        }
    }
    declared
}

/// The `in` of a parameter: `path`, `query`, `header`, `cookie`.
pub fn location(parameter: &Value) -> &str {
    parameter.get("in").and_then(Value::as_str).unwrap_or("query")
}

/// The name of a parameter on the wire, with the white space around it.
pub fn name_of(parameter: &Value) -> &str {
    parameter.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// The style of a parameter or a field of a form, and whether it explodes, with the style that it
/// has if it names none.
pub fn style<'a>(of: &'a Value, default: &'a str) -> (&'a str, bool) {
    let style = of.get("style").and_then(Value::as_str).unwrap_or(default);
    let explode = of.get("explode").and_then(Value::as_bool);
    (style, explode.unwrap_or(style == "form"))
}

/// A response that means success.
#[derive(Clone, Debug)]
pub struct SuccessResponse<'a> {
    /// `200`, `2XX`, or `default`.
    pub status: &'a str,
    /// The response object; none if its `$ref` leads nowhere.
    pub response: Option<&'a Value>,
    /// Its media types; none where HTTP permits no content, whatever is described.
    pub offered: Map<String, Value>,
}

/// Statuses of responses that cannot have content.
pub const NO_CONTENT: [&str; 2] = ["204", "205"];

/// The success responses, by their status. `default` describes errors, unless no success is
/// described at all: then it may be either.
pub fn successes<'a>(
    description: &'a Value,
    method: &str,
    operation: &'a Value,
) -> Vec<SuccessResponse<'a>> {
    let is_success = |status: &str| status.starts_with('2');
    let any_success = fields(operation, "responses").any(|(status, _)| is_success(status));
    let all = fields(operation, "responses");
    let all = all.filter(|(it, _)| is_success(it) || (it.as_str() == "default" && !any_success));
    all.map(|(status, response)| {
        let response = resolve(description, response);
        let has_content = method != "HEAD" && !NO_CONTENT.contains(&status.as_str());
        let offered = response.filter(|_| has_content).map(|it| offered(description, it));
        SuccessResponse { status, response, offered: offered.unwrap_or_default() }
    })
    .collect()
}

/// The response of success that decides what a call returns, and its media type: the first of JSON,
/// or else of text, or else of bytes.
pub fn deciding_success<'s, 'a>(
    successes: &'s [SuccessResponse<'a>],
) -> Option<(&'s SuccessResponse<'a>, Media)> {
    Media::WHOLE.into_iter().find_map(|content| {
        successes.iter().find_map(|it| Some((it, Media::of(&it.offered, content)?)))
    })
}

/// The URL of the first server that a description, a path item or an operation names, with the
/// defaults of its variables, and without a slash at its end unless that is all.
pub fn server(at: &Value) -> Option<String> {
    let server = at.pointer("/servers/0")?;
    let mut url = text_at(server, "url");
    for (name, variable) in fields(server, "variables") {
        let default = match variable.get("default") {
            // YAML without quotes.
            Some(Value::Number(number)) => number.to_string(),
            _ => text_at(variable, "default"),
        };
        url = url.replace(&format!("{{{name}}}"), &default);
    }
    let trimmed = url.trim_end_matches('/');
    let url = if trimmed.is_empty() { url.as_str() } else { trimmed };
    (!url.is_empty()).then(|| url.to_owned())
}

/// The security scheme of a name.
pub fn security_scheme<'a>(description: &'a Value, name: &str) -> Option<&'a Value> {
    let scheme = description.get("components")?.get("securitySchemes")?.get(name)?;
    resolve(description, scheme)
}
