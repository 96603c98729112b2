//! Flaws of responses.

use serde_json::{Map, Value, json};

use super::media::{self, Media, content};
use super::parameters::followed;
use super::references::resolve;
use super::tree::{object_at, text_at};
use crate::rest::model::{Answer, Content};

/// How responses of success are read.
#[derive(Default)]
pub(super) struct Answers {
    /// The one that is read whole, and its schema; none where no success has content.
    pub(super) answer: Option<(Answer, Option<Value>)>,
    /// The schema of the data of a stream of events.
    pub(super) events: Option<Value>,
}

/// Statuses of responses that cannot have content.
const NO_CONTENT: [&str; 2] = ["204", "205"];

/// How a response of success is read.
///
/// Flaw: several successes, of different types or of none, among which the caller cannot tell
/// beforehand. One type is read: the first of JSON, or else of text, or else bytes. `default` is
/// what an error looks like, unless no success is described at all: then it may be either.
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
    let of = |content: Content| {
        successes.iter().find_map(|(status, offered)| Some((*status, Media::of(offered, content)?)))
    };
    let events = of(Content::Events).map(|(_, media)| event_data(description, &media.schema));
    let whole = [Content::Json, Content::Text, Content::Bytes].into_iter().find_map(of);
    let Some((first, media)) = whole else {
        let unread = |(status, offered): &(&String, Map<String, Value>)| {
            let is_read = |name: &str, it: &Value| content(name, it) == Some(Content::Events);
            let (name, _) = offered.iter().find(|(name, it)| !is_read(name, it))?;
            Some(format!("its response {status} is {name}, not read"))
        };
        warnings.extend(successes.iter().filter_map(unread));
        let answer = Answer { content: Content::Events, may_be_empty: false, accept: None };
        return Answers { answer: events.is_some().then_some((answer, None)), events };
    };

    let mut answer = Answer { content: media.content, may_be_empty: false, accept: None };
    let mut accepted = Vec::new();
    for (status, offered) in &successes {
        match Media::of(offered, media.content) {
            Some(other) => {
                if media.content == Content::Json && other.schema != media.schema {
                    warnings.push(format!("its response {status} is read as that of {first}"));
                }
                for name in media::accepted(offered, media.content) {
                    if !accepted.contains(&name) {
                        accepted.push(name);
                    }
                }
            }
            None => match offered.iter().next() {
                Some((name, it)) if content(name, it) == Some(Content::Events) => {}
                Some((name, _)) => {
                    warnings.push(format!("its response {status} is {name}, not read"))
                }
                None => answer.may_be_empty |= media.content == Content::Json,
            },
        }
    }
    answer.may_be_empty |= media.content == Content::Json && !any_success;
    answer.accept = (accepted != ["application/json"]).then(|| accepted.join(", "));
    Answers { answer: Some((answer, Some(media.schema))), events }
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
