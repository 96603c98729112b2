//! Flaws of the bodies of requests.

use serde_json::{Map, Value};

use super::media::{self, Media};
use super::references::resolve;
use super::tree::{is_true, text_at};
use super::{parameters, parts};
use crate::rest::model::{Body, Content, Style};

/// A body, and the media type that it is sent as.
pub(super) struct MendedBody {
    pub(super) body: Body,
    pub(super) media: Media,
}

/// The bodies of an operation that a caller chooses from; none where it has no body. Flaw: several
/// media types for one body, of which the best is used, and beside JSON the one that files can be
/// sent as. And bodies of a kind that cannot be sent, which are left out with a warning where they
/// are optional.
pub(super) fn normalize(
    description: &Value,
    operation: &Value,
    warnings: &mut Vec<String>,
) -> Result<Vec<MendedBody>, String> {
    let Some(body) = operation.get("requestBody").filter(|it| !it.is_null()) else {
        return Ok(Vec::new());
    };
    let body = resolve(description, body).ok_or("the $ref of its body leads nowhere")?;
    let required = is_true(body, "required");
    let offered = media::offered(description, body);
    let multipart = Media::of(&offered, Content::Multipart);
    let multipart = multipart.filter(|it| parts::has_file(description, it));
    let all = match (Media::chosen(&offered), multipart) {
        (Some(media), Some(multipart)) if media.content == Content::Json => vec![media, multipart],
        (_, Some(multipart)) => vec![multipart],
        (Some(media), None) => vec![media],
        (None, None) => {
            return match offered.keys().next() {
                Some(name) if required => Err(format!("it takes {name}, which cannot be sent")),
                Some(name) => {
                    warnings.push(format!("its body is {name}, which cannot be sent"));
                    Ok(Vec::new())
                }
                None => Ok(Vec::new()),
            };
        }
    };
    let forms = all.iter().filter(|media| media.content == Content::Form);
    for (name, encoding) in forms.flat_map(|media| &media.encoding) {
        if is_true(encoding, "allowReserved") {
            warnings.push(parameters::reserved("form", name));
        }
    }
    let normalized = all.into_iter().map(|media| MendedBody {
        body: Body {
            required,
            description: text_at(body, "description"),
            content: media.content,
            media: media.sent(),
            styles: match media.content {
                Content::Form => styles(&media.encoding),
                _ => Vec::new(),
            },
        },
        media,
    });
    Ok(normalized.collect())
}

/// How a form encodes its lists and objects, where the description says so. In a form, what
/// separates values is itself escaped.
fn styles(encoding: &Map<String, Value>) -> Vec<(String, Style)> {
    let style = |encoding: &Value| {
        let style = text_at(encoding, "style");
        let explode = encoding.get("explode").and_then(Value::as_bool);
        let is_json = text_at(encoding, "contentType").starts_with("application/json");
        match style.as_str() {
            "deepObject" => Some(Style::Deep),
            "spaceDelimited" if explode != Some(true) => Some(Style::Joined("%20")),
            "pipeDelimited" if explode != Some(true) => Some(Style::Joined("%7C")),
            "form" | "" if explode == Some(false) => Some(Style::Joined("%2C")),
            "" if explode.is_none() => is_json.then_some(Style::Json),
            _ => Some(Style::Exploded),
        }
    };
    encoding.iter().filter_map(|(name, it)| Some((name.clone(), style(it)?))).collect()
}
