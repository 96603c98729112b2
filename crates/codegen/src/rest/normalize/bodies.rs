//! Normalization of request bodies: the media type that is sent, and the parts of multipart bodies.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::parameters::{self, followed};
use crate::naming;
use crate::rest::media::{self, Media, content_of};
use crate::rest::model::{Body, Content, Encoding, Parameter, ParameterLocation, PartKind, Style};
use crate::rest::tree::{fields, is_true, resolve, says_type, text_at};

/// A body, and its media type.
pub(super) struct NormalizedBody {
    pub(super) body: Body,
    pub(super) media: Media,
}

/// The bodies of an operation that a caller chooses from; none where it has no body. A body of a
/// kind that cannot be sent is left out with a warning if it is optional.
pub(super) fn normalize(
    description: &Value,
    operation: &Value,
    warnings: &mut Vec<String>,
) -> Result<Vec<NormalizedBody>, String> {
    let Some(body) = operation.get("requestBody").filter(|it| !it.is_null()) else {
        return Ok(Vec::new());
    };
    let body = resolve(description, body).ok_or("the $ref of its body leads nowhere")?;
    let required = is_true(body, "required");
    let offered = media::offered(description, body);
    let all = chosen(description, &offered);
    if all.is_empty() {
        return match offered.keys().next() {
            Some(name) if required => Err(format!("it takes {name}, which cannot be sent")),
            Some(name) => {
                warnings.push(format!("its body is {name}, which cannot be sent"));
                Ok(Vec::new())
            }
            None => Ok(Vec::new()),
        };
    }
    let normalized = all.into_iter().map(|media| NormalizedBody {
        body: Body {
            required,
            description: text_at(body, "description"),
            content: media.content,
            media: media.sent(),
            encodings: match media.content {
                Content::Form => encodings(description, &media),
                _ => Vec::new(),
            },
        },
        media,
    });
    Ok(normalized.collect())
}

/// The media types from which a caller chooses: the most preferred one, and beside JSON the one
/// that can contain files.
pub(super) fn chosen(description: &Value, offered: &Map<String, Value>) -> Vec<Media> {
    let multipart = Media::of(offered, Content::Multipart).filter(|it| has_file(description, it));
    match (Media::chosen(offered), multipart) {
        (Some(media), Some(multipart)) if media.content == Content::Json => vec![media, multipart],
        (_, Some(multipart)) => vec![multipart],
        (Some(media), None) => vec![media],
        (None, None) => Vec::new(),
    }
}

/// The encodings of the fields of a form: what the description says of them, and which are lists that
/// are required.
fn encodings(description: &Value, media: &Media) -> Vec<(String, Encoding)> {
    let mut encodings: BTreeMap<String, Encoding> = BTreeMap::new();
    for (name, encoding) in &media.encoding {
        let allows_reserved = is_true(encoding, "allowReserved");
        let stated = Encoding { style: style(encoding), allows_reserved, needs_items: false };
        encodings.insert(name.clone(), stated);
    }
    for (name, schema, is_required) in named(description, &media.schema, 0) {
        let encoding = encodings.entry(name).or_default();
        encoding.needs_items =
            is_required && encoding.style != Some(Style::Json) && is_list(description, &schema);
    }
    encodings.into_iter().filter(|(_, it)| *it != Encoding::default()).collect()
}

fn is_list(description: &Value, schema: &Value) -> bool {
    followed(description, schema).is_some_and(|it| it["type"] == "array")
}

/// The style of a list or an object of a form, if the description specifies one. In a form,
/// separators are escaped themselves.
fn style(encoding: &Value) -> Option<Style> {
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
}

/// Fields and methods of the builder of a call with a multipart body.
pub(super) const BUILDERS_OWN: [&str; 2] = ["parts", "part"];

/// The parts of a body, each with its schema. In an optional body all parts are optional.
pub(super) fn parts_of(
    description: &Value,
    media: &Media,
    required: bool,
    warnings: &mut Vec<String>,
) -> Vec<(Parameter, Value)> {
    let mut parts = Vec::new();
    for (wire, schema, is_required) in named(description, &media.schema, 0) {
        let encoding = media.encoding.get(&wire).cloned().unwrap_or_default();
        for (key, message) in unused(&encoding) {
            warnings.push(format!("its part {wire} has {key}, {message}"));
        }
        let media = media_of(&encoding);
        let shape = shape(description, &schema, media.as_deref(), 0);
        let own = followed(description, &schema).map(|it| text_at(it, "description"));
        let words = [Some(text_at(&schema, "description")), own].into_iter().flatten();
        let parameter = Parameter {
            name: naming::snake(&wire),
            wire,
            place: ParameterLocation::Part(match shape {
                Shape::File => PartKind::File,
                Shape::Files => PartKind::Files,
                Shape::Value => PartKind::Value,
            }),
            required: required && is_required,
            encoding: Encoding {
                needs_items: required && is_required && is_list(description, &schema),
                ..Encoding::default()
            },
            path_style: None,
            is_secret: parameters::is_secret(description, &schema),
            media: media.filter(|it| !it.contains('*')),
            description: words.into_iter().find(|it| !it.is_empty()).unwrap_or_default(),
        };
        parts.push((parameter, schema));
    }
    parts
}

/// Returns true if a body contains a file, which requires a multipart body.
fn has_file(description: &Value, media: &Media) -> bool {
    named(description, &media.schema, 0).iter().any(|(wire, schema, _)| {
        let encoding = media.encoding.get(wire).cloned().unwrap_or_default();
        !matches!(shape(description, schema, media_of(&encoding).as_deref(), 0), Shape::Value)
    })
}

/// The maximum depth to which lists and unions are followed, which may be recursive.
const DEEPEST_PART: usize = 8;

/// The parts of a body: name, schema, and whether it is required. A union of bodies has the
/// parts of all of them.
fn named(description: &Value, schema: &Value, depth: usize) -> Vec<(String, Value, bool)> {
    let Some(schema) = followed(description, schema).filter(|_| depth < DEEPEST_PART) else {
        return Vec::new();
    };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|it| it == name));
    let mut parts: Vec<_> = fields(schema, "properties")
        .map(|(name, schema)| (name.clone(), schema.clone(), is_required(name)))
        .collect();
    for union in ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(*key)?.as_array()) {
        for (name, schema, _) in union.iter().flat_map(|it| named(description, it, depth + 1)) {
            if !parts.iter().any(|(there, ..)| *there == name) {
                parts.push((name, schema, false));
            }
        }
    }
    parts
}

/// The first media type that the description specifies for a part.
fn media_of(encoding: &Value) -> Option<String> {
    let text = text_at(encoding, "contentType");
    let all: Vec<_> = text.split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
    all.iter().find(|it| !it.contains('*')).or(all.first()).map(|it| (*it).to_owned())
}

/// The keywords of an encoding that have no effect.
fn unused(encoding: &Value) -> Vec<(&'static str, &'static str)> {
    let has_headers = encoding
        .get("headers")
        .and_then(Value::as_object)
        .is_some_and(|it| it.keys().any(|name| !name.eq_ignore_ascii_case("content-type")));
    let mut unused = Vec::new();
    if has_headers {
        unused.push(("headers", "which are not sent"));
    }
    let style = text_at(encoding, "style");
    if !["", "form"].contains(&style.as_str()) || encoding.get("explode") == Some(&json!(false)) {
        unused.push(("a style", "which is ignored: lists are one part for each element"));
    }
    unused
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    File,
    Files,
    Value,
}

/// The shape of a part. One without a type is a file.
fn shape(description: &Value, schema: &Value, media: Option<&str>, depth: usize) -> Shape {
    if depth >= DEEPEST_PART {
        return Shape::Value;
    }
    let Some(schema) = followed(description, schema) else { return Shape::File };
    for union in ["oneOf", "anyOf"].iter().filter_map(|key| schema.get(*key)?.as_array()) {
        let shapes = union.iter().map(|it| shape(description, it, media, depth + 1));
        let shapes: Vec<_> = shapes.collect();
        for found in [Shape::Files, Shape::File] {
            if shapes.contains(&found) {
                return found;
            }
        }
    }
    let is_binary = media.is_some_and(|it| content_of(it) == Some(Content::Bytes));
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => {
            let items = schema.get("items").cloned().unwrap_or_else(|| Map::new().into());
            match shape(description, &items, media, depth + 1) {
                Shape::Value => Shape::Value,
                _ if says_type(&items) || is_binary => Shape::Files,
                _ => Shape::Value,
            }
        }
        Some("string") if text_at(schema, "format") == "binary" || is_binary => Shape::File,
        // Objects are written as JSON only.
        Some("object") if media.is_some_and(|it| content_of(it) != Some(Content::Json)) => {
            Shape::File
        }
        None if !says_type(schema) && !is_true(schema, "additionalProperties") => Shape::File,
        _ => Shape::Value,
    }
}
