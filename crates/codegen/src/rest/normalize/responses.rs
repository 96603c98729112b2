//! Normalization of responses: the statuses of success and their content.

use serde_json::{Map, Value, json};

use super::media::{self, Media, content};
use super::parameters::followed;
use super::tree::resolve;
use super::tree::{object_at, text_at};
use crate::rest::model::{Answer, Content, Success};

/// How responses of success are read.
#[derive(Default)]
pub(super) struct Answers {
    /// The one that is read whole, and its schema; none where no success has content.
    pub(super) answer: Option<(Answer, Option<Value>)>,
    /// The schema of the data of a stream of events.
    pub(super) events: Option<Value>,
    /// All of them, each with its schema if it is JSON, where they are not of one type.
    pub(super) successes: Vec<(Success, Option<Value>)>,
}

/// Statuses of responses that cannot have content.
const NO_CONTENT: [&str; 2] = ["204", "205"];

/// What is read whole of the media types of a response, best first.
const WHOLE: [Content; 3] = [Content::Json, Content::Text, Content::Bytes];

/// How a response of success is read.
///
/// The type of the call's response is that of the first success of JSON, or else of text, or else of
/// bytes; those of other types are told apart by their status. `default` is what an error looks
/// like, unless no success is described at all: then it may be either.
pub(super) fn answer(
    description: &Value,
    method: &str,
    operation: &Value,
    warnings: &mut Vec<String>,
) -> Answers {
    let responses = object_at(operation, &["responses"]);
    let is_success = |status: &str| status.starts_with('2');
    let any_success = responses.keys().any(|status| is_success(status));
    let mut successes: Vec<(&String, Map<String, Value>)> = Vec::new();
    for (status, response) in &responses {
        if is_success(status) || (status == "default" && !any_success) {
            match resolve(description, response) {
                // HTTP has no content there, whatever a description says.
                Some(_) if method == "HEAD" || NO_CONTENT.contains(&status.as_str()) => {
                    successes.push((status, Map::new()));
                }
                Some(response) => successes.push((status, media::offered(description, response))),
                None => warnings.push(format!("the $ref of its response {status} leads nowhere")),
            }
        }
    }
    let unread = |(status, offered): &(&String, Map<String, Value>)| {
        let is_read = |(name, it): &(&String, &Value)| content(name, it).is_some();
        let (name, _) = offered.iter().find(|it| !is_read(it))?;
        (!offered.iter().any(|it| is_read(&it)))
            .then(|| format!("its response {status} is {name}, not read"))
    };
    warnings.extend(successes.iter().filter_map(unread));
    let of =
        |content: Content| successes.iter().find_map(|(_, offered)| Media::of(offered, content));
    let events = of(Content::Events).map(|media| event_data(description, &media.schema));
    let Some(media) = WHOLE.into_iter().find_map(of) else {
        let answer = Answer { content: Content::Events, may_be_empty: false, accept: None };
        let answer = events.is_some().then_some((answer, None));
        return Answers { answer, events, successes: Vec::new() };
    };

    let whole_of = |offered: &_| WHOLE.into_iter().find_map(|it| Media::of(offered, it));
    let wholes: Vec<_> = successes.iter().map(|(_, offered)| whole_of(offered)).collect();
    let mut accepted = Vec::new();
    for (_, offered) in &successes {
        for name in media::accepted(offered, media.content) {
            if !accepted.contains(&name) {
                accepted.push(name);
            }
        }
    }
    let is_empty = |(_, offered): &(&String, Map<String, Value>)| offered.is_empty();
    let may_be_empty = successes.iter().any(is_empty) || !any_success;
    let answer = Answer {
        content: media.content,
        may_be_empty: may_be_empty && media.content == Content::Json,
        accept: (accepted != ["application/json"]).then(|| accepted.join(", ")),
    };
    let is_first = |whole: &Media| {
        whole.content == media.content
            && (media.content != Content::Json || whole.schema == media.schema)
    };
    let by_status = |((status, offered), whole): (&(&String, Map<_, _>), Option<Media>)| {
        if whole.is_none() && !offered.is_empty() {
            return None;
        }
        let response = responses.get(*status).and_then(|it| resolve(description, it));
        let is_first = whole.as_ref().is_none_or(is_first);
        let success = Success {
            is_first,
            status: status.to_ascii_uppercase(),
            description: response.map(|it| text_at(it, "description")).unwrap_or_default(),
            content: whole.as_ref().map(|it| it.content),
            accept: whole.iter().flat_map(|it| media::accepted(offered, it.content)).collect(),
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
    Answers { answer: Some((answer, Some(media.schema))), events, successes }
}

/// The schema of an event's data: some descriptions give that, others the whole event, and others a
/// list of either.
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
    let properties = object_at(resolved, &["properties"]);
    match properties.get("data") {
        Some(data) if properties.keys().all(|it| OF_EVENTS.contains(&it.as_str())) => data.clone(),
        _ => schema.clone(),
    }
}

/// Documented errors: status and what it means.
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
