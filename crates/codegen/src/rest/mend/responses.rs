//! Flaws of responses.

use serde_json::{Map, Value};

use super::media::{self, Media};
use super::references::resolve;
use super::tree::{object_at, text_at};
use crate::rest::model::{Answer, Content};

/// How a response of success is read, and its schema; none where no success has content.
///
/// Flaw: several successes, of different types or of none, among which the caller cannot tell
/// beforehand. One type is read: the first of JSON, or else of text, or else bytes. `default` is
/// what an error looks like, unless no success is described at all.
pub(super) fn answer(
    description: &Value,
    operation: &Value,
    warnings: &mut Vec<String>,
) -> Option<(Answer, Value)> {
    let responses = object_at(operation, &["responses"]);
    let is_success = |status: &str| status.starts_with('2');
    let any_success = responses.keys().any(|status| is_success(status));
    let mut successes: Vec<(&String, Map<String, Value>)> = Vec::new();
    for (status, response) in &responses {
        if is_success(status) || (status == "default" && !any_success) {
            match resolve(description, response) {
                Some(response) => successes.push((status, media::offered(description, response))),
                None => warnings.push(format!("the $ref of its response {status} leads nowhere")),
            }
        }
    }
    let of = |content: Content| {
        successes.iter().find_map(|(status, offered)| Some((*status, Media::of(offered, content)?)))
    };
    let (first, media) = [Content::Json, Content::Text, Content::Bytes].into_iter().find_map(of)?;

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
            None => match offered.keys().next() {
                Some(name) => warnings.push(format!("its response {status} is {name}, not read")),
                None => answer.may_be_empty |= media.content == Content::Json,
            },
        }
    }
    if media.name.starts_with("text/event-stream") {
        warnings.push("its events are read as one text, once the response has ended".to_owned());
    }
    answer.accept = (accepted != ["application/json"]).then(|| accepted.join(", "));
    Some((answer, media.schema))
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
