//! Operations of a description: routing of requests, and validation of parameters and bodies.

use hyper::HeaderMap;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};

use crate::Error;
use crate::description::Description;
use crate::pointer::step;

/// Keys of a path item that are operations.
const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// An operation of a description.
#[derive(Debug)]
pub(crate) struct Operation {
    /// `GET /pets/{id}`.
    pub(crate) name: String,
    /// The `operationId`; empty if the operation has none.
    pub(crate) id: String,
    pub(crate) method: String,
    path: String,
    /// The JSON pointer to the operation, and (`item`) to its path item.
    pub(crate) pointer: String,
    item: String,
    /// The paths of the servers that it is at.
    bases: Vec<String>,
}

/// A request as it came.
#[derive(Debug)]
pub(crate) struct Received<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) body: &'a [u8],
}

/// All operations of a description.
pub(crate) fn operations(description: &Description) -> Vec<Operation> {
    let tree = description.tree();
    let paths = tree.get("paths").and_then(Value::as_object);
    let mut all = Vec::new();
    for path in paths.into_iter().flatten().map(|(path, _)| path) {
        let item = description.follow(&format!("/paths/{}", step(path)));
        let node = tree.pointer(&item).unwrap_or(&Value::Null);
        let own = METHODS.iter().map(|it| ((*it).to_owned(), it.to_uppercase()));
        let more = node.get("additionalOperations").and_then(Value::as_object);
        let more = more
            .into_iter()
            .flatten()
            .map(|(method, _)| (format!("additionalOperations/{}", step(method)), method.clone()));
        for (keys, method) in own.chain(more) {
            let pointer = format!("{item}/{keys}");
            let Some(operation) = tree.pointer(&pointer) else { continue };
            let servers = [operation, node, tree].into_iter().find_map(|it| it.get("servers"));
            let servers = servers.and_then(Value::as_array).into_iter().flatten();
            let id = operation.get("operationId").and_then(Value::as_str).unwrap_or_default();
            all.push(Operation {
                name: format!("{method} {path}"),
                id: id.to_owned(),
                method,
                path: as_sent(path),
                pointer,
                item: item.clone(),
                bases: servers.map(base).collect(),
            });
        }
    }
    all
}

/// The path of a description as requests have it: without a query, a template of one
/// (`{?page,size}`) and a fragment, and with the escapes of a URL.
fn as_sent(path: &str) -> String {
    const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');
    let ends = ["{?", "{&", "?", "#"].iter().filter_map(|it| path.find(it));
    let end = ends.min().unwrap_or(path.len());
    utf8_percent_encode(&path[..end], ESCAPED).to_string()
}

/// The path of a server's URL, with the defaults of its variables.
fn base(server: &Value) -> String {
    let mut url = server.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
    let variables = server.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten() {
        let default = variable.get("default").and_then(Value::as_str).unwrap_or_default();
        url = url.replace(&format!("{{{name}}}"), default);
    }
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => &url,
    };
    path.trim_end_matches('/').to_owned()
}

impl Operation {
    /// Returns true if this is its `operationId`, or its method and path.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || (!self.id.is_empty() && self.id == name)
    }

    /// The values of the path parameters, and how many segments are literal; none for another path.
    fn matched<'a>(&self, path: &'a str) -> Option<(usize, Vec<(String, &'a str)>)> {
        let bare = self.bases.iter().filter_map(|base| path.strip_prefix(base.as_str()));
        bare.chain([path]).find_map(|path| self.segments(path))
    }

    fn segments<'a>(&self, path: &'a str) -> Option<(usize, Vec<(String, &'a str)>)> {
        let (mut literal, mut values) = (0, Vec::new());
        let mut given = path.trim_start_matches('/').split('/');
        for segment in self.path.trim_start_matches('/').split('/') {
            let mut rest = given.next()?;
            let mut pieces = segment.split('{');
            let start = pieces.next().unwrap_or_default();
            rest = rest.strip_prefix(start)?;
            let mut is_literal = true;
            let pieces: Vec<_> = pieces.filter_map(|it| it.split_once('}')).collect();
            for (name, after) in pieces {
                is_literal = false;
                let end = match after {
                    "" => rest.len(),
                    after => rest.find(after)?,
                };
                values.push((name.to_owned(), &rest[..end]));
                rest = &rest[end + after.len()..];
            }
            if !rest.is_empty() {
                return None;
            }
            literal += usize::from(is_literal);
        }
        given.next().is_none().then_some((literal, values))
    }

    /// The names of the headers that are parameters.
    pub(crate) fn headers(&self, description: &Description) -> Vec<String> {
        let tree = description.tree();
        let mut names = Vec::new();
        for owner in [&self.pointer, &self.item] {
            let list = tree.pointer(&format!("{owner}/parameters")).and_then(Value::as_array);
            for index in 0..list.map_or(0, Vec::len) {
                let pointer = description.follow(&format!("{owner}/parameters/{index}"));
                let parameter =
                    tree.pointer(&pointer).filter(|it| it.get("in") == Some(&json!("header")));
                let name = parameter.and_then(|it| it.get("name")?.as_str());
                names.extend(name.map(str::to_owned));
            }
        }
        names
    }

    /// Checks the parameters and the body of a request.
    pub(crate) fn check(
        &self,
        description: &Description,
        request: &Received<'_>,
    ) -> Result<(), Error> {
        self.check_parameters(description, request)?;
        self.check_body(description, request)
    }

    fn check_parameters(
        &self,
        description: &Description,
        request: &Received<'_>,
    ) -> Result<(), Error> {
        let tree = description.tree();
        let in_path = self.matched(request.path).unwrap_or_default().1;
        let mut seen = Vec::new();
        for owner in [&self.pointer, &self.item] {
            let list = tree.pointer(&format!("{owner}/parameters")).and_then(Value::as_array);
            for index in 0..list.map_or(0, Vec::len) {
                let pointer = description.follow(&format!("{owner}/parameters/{index}"));
                let Some(parameter) = tree.pointer(&pointer) else { continue };
                let text =
                    |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or_default();
                let (name, location) = (text("name"), text("in"));
                if seen.contains(&(name, location)) {
                    continue;
                }
                seen.push((name, location));
                let values: Vec<String> = match location {
                    "path" => {
                        let values = in_path.iter().filter(|(it, _)| it == name);
                        let mut values: Vec<_> = values.map(|(_, it)| decoded(it)).collect();
                        if values.is_empty() {
                            // The path of the description has a query with the parameter.
                            let given = pairs(request.query).filter(|it| it.0 == name);
                            values.extend(given.map(|it| it.1));
                        }
                        values
                    }
                    "query" => {
                        pairs(request.query).filter(|it| it.0 == name).map(|it| it.1).collect()
                    }
                    "header" => {
                        let values = request.headers.get_all(name).iter();
                        values
                            .map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned())
                            .collect()
                    }
                    _ => continue,
                };
                let is_ignored = location == "header"
                    && ["accept", "content-type", "authorization"]
                        .iter()
                        .any(|it| name.eq_ignore_ascii_case(it));
                if is_ignored {
                    continue;
                }
                let is_styled = location == "query"
                    && pairs(request.query).any(|it| it.0.starts_with(&format!("{name}[")));
                let schema = format!("{pointer}/schema");
                let is_object = description.kinds(&schema).iter().any(|it| it == "object");
                if values.is_empty() {
                    let is_required = parameter.get("required") == Some(&Value::Bool(true));
                    if is_required && !is_styled && !is_object {
                        return Err(Error::new(format!(
                            "the {location} parameter `{name}` is required"
                        )));
                    }
                    continue;
                }
                let style = text("style");
                let is_plain = matches!(style, "" | "form" | "simple") && !is_object;
                if !is_plain || tree.pointer(&schema).is_none() {
                    continue;
                }
                check_values(description, &schema, &values).map_err(|error| {
                    Error::new(format!("the {location} parameter `{name}`: {error}"))
                })?;
            }
        }
        Ok(())
    }

    fn check_body(&self, description: &Description, request: &Received<'_>) -> Result<(), Error> {
        let tree = description.tree();
        let pointer = description.follow(&format!("{}/requestBody", self.pointer));
        let Some(body) = tree.pointer(&pointer) else { return Ok(()) };
        if request.body.is_empty() {
            let is_required = body.get("required") == Some(&Value::Bool(true));
            return if is_required { Err(Error::new("the body is required")) } else { Ok(()) };
        }
        let media = request.headers.get("content-type").and_then(|it| it.to_str().ok());
        let media = bare(media.unwrap_or("application/json"));
        let described = body.get("content").and_then(Value::as_object);
        let described: Vec<&String> = described.into_iter().flatten().map(|(it, _)| it).collect();
        let Some(key) = described.iter().find(|it| covers(&bare(it), &media)) else {
            let all: Vec<_> = described.iter().map(|it| it.as_str()).collect();
            return Err(Error::new(format!(
                "the content type `{media}` is not described: expected {}",
                all.join(" or ")
            )));
        };
        if !is_json(&media) {
            return Ok(());
        }
        let value: Value = serde_json::from_slice(request.body)
            .map_err(|error| Error::new(format!("the body is not JSON: {error}")))?;
        let schema = format!("{pointer}/content/{}/schema", step(key));
        if tree.pointer(&schema).is_none() {
            return Ok(());
        }
        description
            .check_request(&schema, &value)
            .map_err(|error| Error::new(format!("the body: {error}")))
    }
}

/// The operation that a request is for: the one with the most literal segments.
pub(crate) fn find<'a>(
    operations: &'a [Operation],
    method: &str,
    path: &str,
) -> Result<&'a Operation, (u16, Error)> {
    let matching = operations.iter().filter_map(|it| Some((it.matched(path)?.0, it)));
    let matching: Vec<_> = matching.collect();
    let own = matching.iter().filter(|(_, it)| it.method == method);
    match own.max_by_key(|(literal, _)| *literal) {
        Some((_, operation)) => Ok(operation),
        None if matching.is_empty() => {
            Err((404, Error::new(format!("the description has no path that matches {path}"))))
        }
        None => Err((405, Error::new(format!("the description has no {method} of {path}")))),
    }
}

/// Checks the texts of a parameter: each is read as the type that the schema has.
fn check_values(description: &Description, schema: &str, values: &[String]) -> Result<(), Error> {
    let kinds = description.kinds(schema);
    if kinds.iter().any(|it| it == "array") {
        let items = description.kinds(&format!("{}/items", description.follow(schema)));
        let split = values.iter().flat_map(|it| it.split(','));
        let list = |texts: Vec<&str>| texts.into_iter().map(|it| typed(it, &items)).collect();
        let whole: Value = list(values.iter().map(String::as_str).collect());
        let parts: Value = list(split.collect());
        return description
            .check_request(schema, &whole)
            .or_else(|error| description.check_request(schema, &parts).map_err(|_| error));
    }
    let text = values.first().map(String::as_str).unwrap_or_default();
    let as_text = json!(text);
    let typed = typed(text, &kinds);
    description
        .check_request(schema, &typed)
        .or_else(|error| description.check_request(schema, &as_text).map_err(|_| error))
}

/// A text as a value of the first of these types that it can be read as.
fn typed(text: &str, kinds: &[String]) -> Value {
    let is_text = kinds.iter().any(|it| it == "string");
    let parsed = serde_json::from_str::<Value>(text).ok();
    match parsed {
        Some(value @ (Value::Number(_) | Value::Bool(_))) if !is_text => value,
        _ => json!(text),
    }
}

/// A media type without its parameters.
pub(crate) fn bare(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns true if a media type or range such as `image/*` covers another.
pub(crate) fn covers(range: &str, media: &str) -> bool {
    let all = range.strip_suffix('*').filter(|it| *it == "*/" || it.ends_with('/'));
    range == media || all.is_some_and(|it| it == "*/" || media.starts_with(it))
}

/// Returns true for JSON and all that is written as JSON.
pub(crate) fn is_json(media: &str) -> bool {
    media == "application/json" || media.ends_with("+json")
}

/// The parameters of a query, decoded.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let pairs = query.split('&').filter(|it| !it.is_empty());
    pairs.map(|it| it.split_once('=').unwrap_or((it, ""))).map(|(name, value)| {
        let plain = |it: &str| decoded(&it.replace('+', " "));
        (plain(name), plain(value))
    })
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}
