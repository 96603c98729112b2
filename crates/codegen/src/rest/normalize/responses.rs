//! Normalization of responses: the statuses of success and their content.

use serde_json::{Value, json};

use super::parameters::followed;
use crate::rest::description::{self, NO_CONTENT, SuccessResponse, successes};
use crate::rest::media::{self, Media, content};
use crate::rest::model::{Content, ExpectedResponse, Header, HeaderKind, Success};
use crate::rest::tree::{fields, object_at, resolve, text_at};

/// The contents of the success responses.
#[derive(Default)]
pub(super) struct SuccessResponses {
    /// The one that is read as a whole, and its schema; `None` if no success has content.
    pub(super) expected: Option<(ExpectedResponse, Option<Value>)>,
    /// The schema of the data of a stream of events.
    pub(super) events: Option<Value>,
    /// The schema of a line, if the response has a JSON value in each line.
    pub(super) lines: Option<Value>,
    /// All of them, each with its schema if it is JSON; empty if they have the same type.
    pub(super) successes: Vec<(Success, Option<Value>)>,
    /// The headers of the one that is read as a whole.
    pub(super) headers: Vec<Header>,
    /// True if the status of each of them permits no content.
    pub(super) has_no_content: bool,
}

/// Selects the type of a call's response.
///
/// It is that of the first success of JSON, or else of text, or else of bytes; those of other types
/// are distinguished by their status.
pub(super) fn of_successes(
    description: &Value,
    method: &str,
    operation: &Value,
    warnings: &mut Vec<String>,
) -> SuccessResponses {
    let mut successes = successes(description, method, operation);
    let any_success = successes.iter().any(|it| it.status != "default");
    let nowhere = successes.iter().filter(|it| it.response.is_none());
    warnings
        .extend(nowhere.map(|it| format!("the $ref of its response {} leads nowhere", it.status)));
    successes.retain(|it| it.response.is_some());
    let unread = |SuccessResponse { status, offered, .. }: &SuccessResponse<'_>| {
        let is_read = |(name, it): &(&String, &Value)| content(name, it).is_some();
        let (name, _) = offered.iter().find(|it| !is_read(it))?;
        (!offered.iter().any(|it| is_read(&it)))
            .then(|| format!("its response {status} is {name}, not read"))
    };
    warnings.extend(successes.iter().filter_map(unread));
    let events = successes.iter().find_map(|it| Media::of(&it.offered, Content::Events));
    let events = events.map(|media| event_data(description, &media.schema));
    let deciding = description::deciding_success(&successes);
    let with_headers = deciding.as_ref().map(|(success, _)| *success).or(successes.first());
    let headers = with_headers.and_then(|it| it.response);
    let headers = headers.map(|it| headers_of(description, it, warnings)).unwrap_or_default();
    let Some((_, media)) = deciding else {
        let expected =
            ExpectedResponse { content: Content::Events, may_be_empty: false, accept: None };
        let expected = events.is_some().then_some((expected, None));
        let has_no_content =
            any_success && successes.iter().all(|it| NO_CONTENT.contains(&it.status));
        return SuccessResponses {
            expected,
            events,
            headers,
            has_no_content,
            ..SuccessResponses::default()
        };
    };

    let lines = successes.iter().flat_map(|it| &it.offered).find(|(name, _)| media::is_lines(name));
    let lines = lines.filter(|_| media.content == Content::Text).map(|(_, media)| {
        let schema = media.get("itemSchema").or_else(|| media.get("schema"));
        line_data(description, schema.unwrap_or(&Value::Null))
    });
    let whole_of = |it: &SuccessResponse<'_>| {
        Media::WHOLE.into_iter().find_map(|content| Media::of(&it.offered, content))
    };
    let wholes: Vec<_> = successes.iter().map(whole_of).collect();
    let mut accepted = Vec::new();
    for it in &successes {
        for name in media::accepted(&it.offered, media.content) {
            if !accepted.contains(&name) {
                accepted.push(name);
            }
        }
    }
    let may_be_empty = successes.iter().any(|it| it.offered.is_empty()) || !any_success;
    let expected = ExpectedResponse {
        content: media.content,
        may_be_empty: may_be_empty && media.content == Content::Json,
        accept: (accepted != ["application/json"]).then(|| accepted.join(", ")),
    };
    let is_first = |whole: &Media| {
        whole.content == media.content
            && (media.content != Content::Json || whole.schema == media.schema)
    };
    let by_status = |(it, whole): (&SuccessResponse<'_>, Option<Media>)| {
        if whole.is_none() && !it.offered.is_empty() {
            return None;
        }
        let is_first = whole.as_ref().is_none_or(is_first);
        let success = Success {
            is_first,
            status: it.status.to_ascii_uppercase(),
            description: it.response.map(|it| text_at(it, "description")).unwrap_or_default(),
            content: whole.as_ref().map(|it| it.content),
            accept: whole
                .iter()
                .flat_map(|media| media::accepted(&it.offered, media.content))
                .collect(),
            name: None,
        };
        let own = whole.filter(|it| !is_first && it.content == Content::Json);
        Some((success, own.map(|it| it.schema)))
    };
    let by_status = successes.iter().zip(wholes).filter_map(by_status);
    let mut successes: Vec<(Success, Option<Value>)> = by_status.collect();
    if successes.iter().all(|(success, _)| success.is_first) {
        successes.clear();
    }
    let expected = Some((expected, Some(media.schema)));
    SuccessResponses { expected, events, lines, successes, headers, has_no_content: false }
}

/// The schema of an event's data. Descriptions specify that, or the whole event, perhaps as a union of
/// those of each name, or a list of either.
fn event_data(description: &Value, schema: &Value) -> Value {
    const OF_EVENTS: [&str; 4] = ["event", "data", "id", "retry"];
    let any = json!({});
    let Some(resolved) = followed(description, schema) else { return any };
    let (schema, resolved) = match resolved.get("type") == Some(&json!("array")) {
        false => (schema, resolved),
        true => {
            let item = resolved.get("items").unwrap_or(&any);
            (item, followed(description, item).unwrap_or(&any))
        }
    };
    let own = object_at(resolved, &["properties"]);
    let branches: Vec<_> = ["oneOf", "anyOf"]
        .iter()
        .filter_map(|key| resolved.get(key).and_then(Value::as_array))
        .flatten()
        .map(|branch| object_at(followed(description, branch).unwrap_or(&any), &["properties"]))
        .collect();
    let is_event = own
        .keys()
        .chain(branches.iter().flat_map(|it| it.keys()))
        .all(|it| OF_EVENTS.contains(&it.as_str()));
    // Events of each name may have data of their own: then the name decides how it is read.
    let of_branches = branches.iter().map(|it| it.get("data").or(own.get("data")));
    let of_each: Vec<_> = match branches.is_empty() {
        true => vec![own.get("data")],
        false => of_branches.collect(),
    };
    if !is_event || of_each.iter().all(Option::is_none) {
        return schema.clone();
    }
    match of_each.as_slice() {
        [Some(data), others @ ..] if others.iter().all(|it| *it == Some(*data)) => (*data).clone(),
        _ => any.clone(),
    }
}

/// The schema of a line. Descriptions specify that, or a list of it, or any text.
fn line_data(description: &Value, schema: &Value) -> Value {
    let any = json!({});
    match followed(description, schema) {
        Some(list) if list.get("type") == Some(&json!("array")) => {
            list.get("items").cloned().unwrap_or(any)
        }
        Some(text) if text.get("type") == Some(&json!("string")) => any,
        Some(_) if schema.is_object() => schema.clone(),
        _ => any.clone(),
    }
}

/// The documented errors: status and description.
pub(super) fn errors(description: &Value, operation: &Value) -> Vec<(String, String)> {
    object_at(operation, &["responses"])
        .iter()
        .filter(|(status, _)| status.starts_with(['4', '5']))
        .filter_map(|(status, response)| {
            let response = resolve(description, response)?;
            Some((status.clone(), text_at(response, "description")))
        })
        .collect()
}

/// The schemas of the errors whose body is JSON, by status. `default` is an error where a success is
/// described.
pub(super) fn error_bodies(description: &Value, operation: &Value) -> Vec<(String, Value)> {
    let any_success = fields(operation, "responses").any(|(status, _)| status.starts_with('2'));
    let all = fields(operation, "responses").filter(|(status, _)| match status.as_str() {
        "default" => any_success,
        status => status.starts_with(['4', '5']),
    });
    let bodies = all.filter_map(|(status, response)| {
        let offered = media::offered(description, resolve(description, response)?);
        let media = Media::of(&offered, Content::Json)?;
        Some((status.to_ascii_uppercase(), media.schema))
    });
    bodies.collect()
}

/// The errors whose body is not JSON though that of the wider range, or of `default`, is: the status
/// decides, so that they are not read as these.
pub(super) fn error_texts(description: &Value, operation: &Value) -> Vec<(String, Content)> {
    let bodies = error_bodies(description, operation);
    let is_json = |status: &str| bodies.iter().any(|(it, _)| it.eq_ignore_ascii_case(status));
    let texts = fields(operation, "responses").filter_map(|(status, response)| {
        let class = status.chars().next().filter(|it| ['4', '5'].contains(it))?;
        let is_within = is_json(&format!("{class}XX")) || is_json("default");
        if is_json(status) || !is_within {
            return None;
        }
        let offered = media::offered(description, resolve(description, response)?);
        let whole = Media::WHOLE.into_iter().find_map(|it| Media::of(&offered, it))?;
        Some((status.to_ascii_uppercase(), whole.content))
    });
    texts.collect()
}

/// The headers that a response is described with. `Content-Type` is ignored, as it is specified.
fn headers_of(description: &Value, response: &Value, warnings: &mut Vec<String>) -> Vec<Header> {
    let all = fields(response, "headers").filter_map(|(wire, header)| {
        let Some(header) = resolve(description, header) else {
            warnings.push(format!("the $ref of its header {wire} leads nowhere"));
            return None;
        };
        let schema = header.get("schema").and_then(|it| followed(description, it));
        let is_unsigned = schema.is_some_and(|it| text_at(it, "format") == "uint64");
        let kind = match schema.map(|it| text_at(it, "type")).as_deref() {
            Some("integer") if is_unsigned => HeaderKind::Unsigned,
            Some("integer") => HeaderKind::Integer,
            Some("number") => HeaderKind::Number,
            Some("boolean") => HeaderKind::Boolean,
            _ => HeaderKind::Text,
        };
        let description = text_at(header, "description");
        Some(Header { wire: wire.clone(), kind, description })
    });
    let mut headers: Vec<Header> = Vec::new();
    for header in all.filter(|it| !it.wire.eq_ignore_ascii_case("content-type")) {
        if !headers.iter().any(|it| it.wire.eq_ignore_ascii_case(&header.wire)) {
            headers.push(header);
        }
    }
    headers
}
