//! Normalization of operations: names, parameters, bodies, security requirements.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};

use super::bodies::NormalizedBody;
use super::warnings::Warnings;
use super::{bodies, paging, parameters, responses};
use crate::Diagnostic;
use crate::naming::{self, distinct};
use crate::rest::description::{self, METHODS, operations, operations_of, security_scheme};
use crate::rest::model::{
    Content, ExpectedResponse, Operation, Paging, Parameter, ParameterLocation, PartKind,
    PathValue, Piece, pieces, split,
};
use crate::rest::pages::Pages;
use crate::rest::pointer::decoded;
use crate::rest::tree::{is_true, object_at, remove, resolve, text_at};

/// Normalizes every supported operation, and returns with them the paths for the type generator:
/// one for each operation, with its types only.
pub(super) fn normalize(
    description: &Value,
    named: &[NamedOperation],
    pages: &BTreeMap<Vec<String>, &Pages>,
    warnings: &mut Warnings<'_>,
) -> Result<(Vec<Operation>, Map<String, Value>), Diagnostic> {
    if description.get("paths").is_some_and(|it| !it.is_object() && !it.is_null()) {
        let message = "no operation is generated: `paths` is no mapping; write a key for each path";
        warnings.warn(&["paths".to_owned()], message.to_owned());
    }
    let mut names: HashSet<_> = HANDLES_OWN.map(str::to_owned).into();
    names.extend(named.iter().map(|it| it.name.clone()));
    let named: BTreeMap<_, _> = named.iter().map(|it| (&it.keys, &it.name)).collect();
    let mut all = Vec::new();
    for (path, item) in &object_at(description, &["paths"]) {
        let Some(item) = resolve(description, item) else {
            let message = format!("left out {path}: its $ref leads nowhere");
            warnings.warn(&["paths".to_owned(), path.clone()], message);
            continue;
        };
        let (short, item) = parameters::without_templates(path, item);
        for (keys, method, operation) in operations_of(&item) {
            let call = format!("{method} {path}");
            let place = [vec!["paths".to_owned(), path.clone()], keys].concat();
            let Some(operation) = resolve(description, operation) else {
                warnings.warn(&place, format!("left out {call}: its $ref leads nowhere"));
                continue;
            };
            if !is_method(&method) {
                warnings.warn(&place, format!("left out {call}: HTTP has no such method"));
                continue;
            }
            let pages = pages.get(&place).copied();
            match normalize_operation(description, &short, &method, &item, operation, pages) {
                Ok(normalized) => {
                    let types = normalized.bodies.first().map(|it| &it.types);
                    if let Some(Err(reason)) = types.map(|it| &it.paging) {
                        let message =
                            format!("the pages that are stated for {call} do not fit: {reason}");
                        return Err(warnings.diagnostic(&place, &message));
                    }
                    for warning in normalized.warnings {
                        warnings.warn(&place, format!("{call}: {warning}"));
                    }
                    let name = named.get(&place).map(|it| (*it).clone()).unwrap_or_default();
                    all.push((normalized.bodies, name, place));
                }
                Err(reason) => warnings.warn(&place, format!("left out {call}: {reason}")),
            }
        }
    }
    let (mut operations, mut paths) = (Vec::new(), Map::new());
    for (mut bodies, name, place) in all {
        if let [first, second] = bodies.as_mut_slice() {
            let other = naming::unique(&mut names, format!("{name}_multipart"));
            first.operation.other_body = Some((other.clone(), media(second)));
            second.operation.other_body = Some((name.clone(), media(first)));
            second.operation.name = other;
        }
        // The call with the first body has the name of the operation.
        if let Some(first) = bodies.first_mut() {
            first.operation.name = name;
        }
        for mut normalized in bodies {
            normalized.operation.keys = place.clone();
            let mut typed = |suffix: &str, schema: &Value| {
                let name =
                    naming::unique(&mut names, format!("{}_{suffix}", normalized.operation.name));
                paths.insert(format!("/{name}"), response_item(&name, schema));
                name
            };
            let event = normalized.types.event.take();
            let event = event.map(|schema| typed("event", &schema));
            for (success, schema) in
                normalized.operation.successes.iter_mut().zip(&normalized.types.successes)
            {
                let suffix = success.status.to_lowercase();
                success.name = schema.as_ref().map(|schema| typed(&suffix, schema));
            }
            normalized.operation.events = event;
            let line = normalized.types.line.take();
            normalized.operation.lines = line.map(|schema| typed("line", &schema));
            let errors = normalized.types.errors.iter();
            let errors = errors.map(|(status, schema)| {
                (status.clone(), typed(&format!("error_{}", status.to_lowercase()), schema))
            });
            normalized.operation.error_bodies = errors.collect();
            let paging = std::mem::replace(&mut normalized.types.paging, Ok(None));
            if let Ok(Some((paging, item))) = paging {
                normalized.operation.paging = Some((paging, typed("item", &item)));
            }
            let (path, item) = path_item(&normalized.operation, normalized.types);
            paths.insert(path, item);
            operations.push(normalized.operation);
        }
    }
    operations.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((operations, paths))
}

/// An operation, and the name of its function.
pub(super) struct NamedOperation {
    /// The keys that lead to it from the top of the description.
    pub(super) keys: Vec<String>,
    /// The HTTP method, as the call sends it.
    pub(super) method: String,
    /// The path as the description writes it.
    pub(super) path: String,
    /// Its operationId, if it has one.
    pub(super) id: Option<String>,
    pub(super) tags: Vec<String>,
    /// The name of the function, unique within the description.
    pub(super) name: String,
}

impl NamedOperation {
    /// The method and the path: `GET /pods/{podId}`.
    pub(super) fn call(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// Functions of every handle.
const HANDLES_OWN: [&str; 4] = ["new", "at", "fake", "clone"];

/// Names all operations of a description, in the order of their paths.
pub(super) fn names(description: &Value) -> Vec<NamedOperation> {
    let mut all: Vec<_> = operations(description)
        .filter(|it| is_method(&it.method))
        .map(|it| {
            let (short, _) = parameters::without_templates(it.path, it.item);
            let id = id_of(it.operation);
            NamedOperation {
                name: name(&short, &it.method, id.as_deref()),
                tags: tags(it.operation).collect(),
                id,
                path: it.path.to_owned(),
                method: it.method,
                keys: it.keys,
            }
        })
        .collect();
    let mut taken = HANDLES_OWN.map(str::to_owned).into();
    let own = all.iter().map(|it| (it.id.clone(), it.name.clone())).collect();
    for (operation, name) in all.iter_mut().zip(distinct(&mut taken, own, naming::unique)) {
        operation.name = name;
    }
    all
}

fn tags(operation: &Value) -> impl Iterator<Item = String> {
    let tags = operation.get("tags").and_then(Value::as_array).into_iter().flatten();
    tags.filter_map(Value::as_str).map(|tag| tag.trim().to_owned())
}

fn id_of(operation: &Value) -> Option<String> {
    Some(text_at(operation, "operationId")).filter(|id| !id.is_empty())
}

fn is_method(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&it))
}

/// Normalizes a path without a leading slash, which would become a part of the server
/// URL.
fn rooted(path: &str) -> String {
    let slash = if split(path).0.is_empty() || path.starts_with('/') { "" } else { "/" };
    format!("{slash}{path}")
}

/// Query parameters within the path.
fn query_of_path(path: &str) -> Result<Vec<(String, PathValue)>, String> {
    let pair = |(name, value)| {
        let value = match (pieces(name).as_slice(), pieces(value).as_slice()) {
            ([] | [Piece::Literal(_)], [] | [Piece::Literal(_)]) => {
                PathValue::Fixed(decoded(value))
            }
            ([] | [Piece::Literal(_)], [Piece::Parameter(wire)]) => {
                PathValue::Parameter((*wire).to_owned())
            }
            _ => {
                return Err(format!(
                    "its path has the query {name}={value}, and only a whole value can be a parameter"
                ));
            }
        };
        Ok((decoded(name), value))
    };
    split(path).1.into_iter().map(pair).collect()
}

/// An operation, once for each body from which a caller chooses.
struct NormalizedOperation {
    bodies: Vec<WithBody>,
    warnings: Vec<String>,
}

/// An operation with one body or none, and its schemas.
struct WithBody {
    operation: Operation,
    types: Types,
}

/// The media type of the body.
fn media(with_body: &WithBody) -> String {
    with_body.operation.body.as_ref().map(|it| it.media.clone()).unwrap_or_default()
}

/// Schemas of an operation, before normalization.
struct Types {
    /// One for each parameter of the operation, in the same order.
    parameters: Vec<Value>,
    body: Option<Value>,
    response: Option<Value>,
    /// The schema of an event's data.
    event: Option<Value>,
    /// The schema of a line.
    line: Option<Value>,
    /// One for each success; none for one that is not JSON.
    successes: Vec<Option<Value>>,
    /// The schema of each error whose body is JSON, with its status.
    errors: Vec<(String, Value)>,
    /// The paging of the response, and the schema of an item; or why what is stated does not fit.
    paging: Result<Option<(Paging, Value)>, String>,
}

fn normalize_operation(
    description: &Value,
    path: &str,
    method: &str,
    item: &Value,
    operation: &Value,
    pages: Option<&Pages>,
) -> Result<NormalizedOperation, String> {
    let mut warnings = Vec::new();
    let bodies = bodies::normalize(description, operation, &mut warnings)?;
    let bodies = match bodies.is_empty() {
        true => vec![None],
        false => bodies.into_iter().map(Some).collect(),
    };
    let with_body = |body| with_body(description, path, method, item, operation, body, pages);
    let mut with_bodies = Vec::new();
    for body in bodies {
        let (with_body, found) = with_body(body)?;
        with_bodies.push(with_body);
        // Both calls have most warnings in common.
        let new: Vec<_> = found.into_iter().filter(|it| !warnings.contains(it)).collect();
        warnings.extend(new);
    }
    Ok(NormalizedOperation { bodies: with_bodies, warnings })
}

/// An operation with this body, and its warnings.
fn with_body(
    description: &Value,
    path: &str,
    method: &str,
    item: &Value,
    operation: &Value,
    body: Option<NormalizedBody>,
    pages: Option<&Pages>,
) -> Result<(WithBody, Vec<String>), String> {
    let mut warnings = Vec::new();
    let multipart = body.as_ref().filter(|it| it.body.content == Content::Multipart);
    let successful = responses::of_successes(description, method, operation, &mut warnings);
    let page = successful.expected.as_ref().and_then(|it| match it {
        (ExpectedResponse { content: Content::Json, .. }, schema) => schema.as_ref(),
        _ => None,
    });
    let described = description::parameters(description, item, operation, &mut Vec::new());
    let paging = match (pages, page) {
        (Some(pages), Some(page)) => {
            let body = body.as_ref().filter(|it| it.body.content == Content::Json);
            let body = body.map(|it| &it.media.schema);
            paging::stated(description, &described, body, page, pages)
        }
        (Some(_), None) => Err("it has no response of JSON".to_owned()),
        (None, Some(page)) if method == "GET" => {
            Ok(paging::detect(description, &described, page, &successful.headers))
        }
        (None, _) => Ok(None),
    };
    let (response, response_type) = successful.expected.unzip();
    let response_type = response_type.flatten().map(|it| null_by_name(description, it));

    let mut names: HashSet<_> = parameters::BUILDERS_OWN.map(str::to_owned).into();
    names.extend(multipart.iter().flat_map(|_| bodies::BUILDERS_OWN.map(str::to_owned)));
    names.extend(successful.events.iter().map(|_| "events".to_owned()));
    names.extend(successful.lines.iter().map(|_| "lines".to_owned()));
    let is_bytes = response.as_ref().is_some_and(|it| it.content == Content::Bytes);
    names.extend((is_bytes || successful.lines.is_some()).then(|| "download".to_owned()));
    names.extend(successful.successes.first().map(|_| "by_status".to_owned()));
    let has_pages = matches!(paging, Ok(Some(_)));
    names.extend(has_pages.then_some(["pages", "items"]).into_iter().flatten().map(str::to_owned));
    let mut all = parameters::normalize(description, path, item, operation, &mut warnings)?;
    if let Some(NormalizedBody { body, media }) = multipart {
        all.extend(bodies::parts_of(description, media, body.required, &mut warnings));
    }
    let (mut parameters, parameter_types): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let own = |it: &mut Parameter| (Some(it.wire.clone()), std::mem::take(&mut it.name));
    let own = parameters.iter_mut().map(own).collect();
    for (parameter, name) in parameters.iter_mut().zip(distinct(&mut names, own, naming::unique)) {
        parameter.name = name;
    }
    let (successes, success_types) = successful.successes.into_iter().unzip();
    let path_query = query_of_path(path)?;
    let (body, body_type) = body.map(|it| (it.body, it.media.schema)).unzip();
    let content = body.as_ref().map(|it| it.content);
    let body_type = body_type.filter(|_| content != Some(Content::Multipart));
    let mut body_type = body_type.map(|it| null_by_name(description, it));
    if let (Some(Content::Form), Some(form)) = (content, &mut body_type) {
        // A form cannot contain null.
        remove(form, &["nullable"]);
    }
    let with_body = WithBody {
        operation: Operation {
            // `normalize` sets both.
            name: String::new(),
            keys: Vec::new(),
            id: id_of(operation),
            method: method.to_owned(),
            path: rooted(path),
            tag: tags(operation).next(),
            summary: text_at(operation, "summary"),
            description: text_at(operation, "description"),
            deprecated: is_true(operation, "deprecated"),
            parameters,
            path_query,
            body,
            response,
            has_no_content: successful.has_no_content,
            successes,
            events: None,
            lines: None,
            other_body: None,
            server: None,
            errors: responses::errors(description, operation),
            error_bodies: Vec::new(),
            error_texts: responses::error_texts(description, operation),
            headers: successful.headers,
            paging: None,
        },
        types: Types {
            parameters: parameter_types,
            body: body_type,
            response: response_type,
            event: successful.events,
            line: successful.lines,
            successes: success_types,
            errors: responses::error_bodies(description, operation),
            paging,
        },
    };
    Ok((with_body, warnings))
}

/// Marks a reference to a nullable schema as nullable, because the type of the schema does not
/// express it.
fn null_by_name(description: &Value, schema: Value) -> Value {
    let is_named = schema.get("$ref").is_some();
    let target = resolve(description, &schema).filter(|_| is_named);
    match target.is_some_and(|it| is_true(it, "nullable")) {
        true => json!({ "allOf": [schema], "nullable": true }),
        false => schema,
    }
}

/// The name of an operation: its operationId, or else method and path. It need not be unique.
fn name(path: &str, method: &str, id: Option<&str>) -> String {
    naming::snake(id.unwrap_or(&format!("{}{path}", method.to_lowercase())))
}

/// An operation that only makes the type generator generate the type of its response: the data of
/// an event, or one of several responses.
fn response_item(name: &str, schema: &Value) -> Value {
    let content = json!({ "application/json": { "schema": schema } });
    let response = json!({ "description": "", "content": content });
    json!({ "get": { "operationId": name, "parameters": [], "responses": { "2XX": response } } })
}

/// The operation as the input of the type generator. Its path is replaced by a unique one, so that
/// the generator cannot reject it.
fn path_item(operation: &Operation, types: Types) -> (String, Value) {
    let path = format!("/{}", operation.name);
    let mut parameters = Vec::new();
    for (parameter, schema) in operation.parameters.iter().zip(types.parameters) {
        let place = match parameter.place {
            ParameterLocation::Header if parameter.path_style.is_none() => "header",
            // The type generator permits any type for query parameters.
            ParameterLocation::Path
            | ParameterLocation::Header
            | ParameterLocation::Query
            | ParameterLocation::Part(PartKind::Value) => "query",
            // The runtime has a type for files.
            ParameterLocation::Part(_) => continue,
        };
        parameters.push(json!({
            "name": parameter.name,
            "in": place,
            "required": parameter.required,
            "schema": schema,
        }));
    }
    let response = match types.response {
        Some(schema) => json!({
            "description": "",
            "content": { "application/json": { "schema": schema } },
        }),
        None => json!({ "description": "" }),
    };
    let mut item = json!({
        "operationId": operation.name,
        "parameters": parameters,
        "responses": { "2XX": response },
    });
    if let Some(schema) = types.body {
        item["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": schema } },
        });
    }
    // The type generator supports no other methods; the method does not affect types.
    let method = METHODS[..8].iter().find(|(_, method)| *method == operation.method);
    let key = method.map_or("post", |(key, _)| *key);
    (path, json!({ key: item }))
}

/// Warns of each security scheme that an operation requires and that the client's key, as a bearer
/// token, does not satisfy.
pub(super) fn warn_of_demands(description: &Value, warnings: &mut Warnings<'_>) {
    let mut demanded: BTreeMap<&String, &Map<String, Value>> = BTreeMap::new();
    for it in operations(description) {
        let security = it.operation.get("security").or_else(|| description.get("security"));
        let all = security.and_then(Value::as_array).into_iter().flatten();
        let all: Vec<_> = all.filter_map(Value::as_object).collect();
        let is_met = |all: &&Map<String, Value>| all.keys().all(|it| is_key(description, it));
        if !all.iter().any(is_met) {
            for together in all {
                demanded.extend(together.keys().map(|name| (name, together)));
            }
        }
    }
    for (name, together) in demanded {
        if !is_key(description, name) || together.len() > 1 {
            let place = ["components", "securitySchemes", name].map(str::to_owned);
            let mut message = format!("the security scheme {name} {}", demand(description, name));
            let others: Vec<_> = together.keys().filter(|it| *it != name).cloned().collect();
            if !others.is_empty() {
                message.push_str(&format!(", together with {}", others.join(" and ")));
            }
            let all: Option<Vec<_>> =
                together.keys().map(|name| authorization(description, name)).collect();
            if let Some((first, others)) = all.as_deref().and_then(<[_]>::split_first) {
                let others: String = others.iter().map(|it| format!(".and({it})")).collect();
                message.push_str(&format!(": authorize the service with `{first}{others}`"));
            }
            warnings.warn(&place, message);
        }
    }
}

/// Returns true if the client's key satisfies a scheme, as `authorization: Bearer`.
fn is_key(description: &Value, name: &str) -> bool {
    security_scheme(description, name).is_some_and(|it| match text_at(it, "type").as_str() {
        "oauth2" | "openIdConnect" => true,
        "http" => text_at(it, "scheme").eq_ignore_ascii_case("bearer"),
        _ => false,
    })
}

/// The requirement of a scheme.
fn demand(description: &Value, name: &str) -> String {
    let Some(scheme) = security_scheme(description, name) else {
        return "is demanded but not described".to_owned();
    };
    let wire = text_at(scheme, "name");
    match (text_at(scheme, "type").as_str(), text_at(scheme, "in").as_str()) {
        _ if is_key(description, name) => "demands a bearer token".to_owned(),
        ("apiKey", "header") => format!("demands the header {wire}"),
        ("apiKey", "query") => format!("demands the query parameter {wire}"),
        ("apiKey", "cookie") => format!("demands the cookie {wire}"),
        ("http", _) => {
            format!("demands HTTP authentication of the scheme {}", text_at(scheme, "scheme"))
        }
        ("mutualTLS", _) => "demands a client certificate: `http_client` of the builder takes a \
                             client that has one"
            .to_owned(),
        (kind, _) => format!("is of the type {kind:?}, which is not supported"),
    }
}

/// The expression that satisfies a scheme; none if no authorization does.
fn authorization(description: &Value, name: &str) -> Option<String> {
    let scheme = security_scheme(description, name)?;
    let wire = text_at(scheme, "name");
    match (text_at(scheme, "type").as_str(), text_at(scheme, "in").as_str()) {
        _ if is_key(description, name) => Some("Authorization::bearer(…)".to_owned()),
        ("apiKey", place @ ("header" | "query" | "cookie")) => {
            Some(format!("Authorization::{place}({wire:?}, …)"))
        }
        ("http", _) => Some(match text_at(scheme, "scheme") {
            scheme if scheme.eq_ignore_ascii_case("basic") => {
                "Authorization::basic(…, …)".to_owned()
            }
            scheme => format!("Authorization::header(\"authorization\", \"{scheme} …\")"),
        }),
        _ => None,
    }
}
