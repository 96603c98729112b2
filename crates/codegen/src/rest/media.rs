//! Media types: those that can be sent and read, and their kinds of content.

use serde_json::{Map, Value, json};

use super::model::Content;
use super::tree::{fields, resolve};

/// The media type that is used, of those that a body or a response offers.
#[derive(Clone, Debug)]
pub struct Media {
    /// Its name as the description writes it.
    pub name: String,
    /// The kind of its content.
    pub content: Content,
    /// Its schema if that determines the type; `string` for text and bytes, whatever their schema.
    pub schema: Value,
    /// The encodings of the fields of a form.
    pub encoding: Map<String, Value>,
}

/// The order of preference.
const PREFERRED: [Content; 5] =
    [Content::Json, Content::Form, Content::Multipart, Content::Text, Content::Bytes];

/// The media types of a body, a response or a parameter. A reference to the schema of a file is
/// replaced by the schema.
pub fn offered(description: &Value, of: &Value) -> Map<String, Value> {
    let all = fields(of, "content").map(|(name, media)| {
        let mut media = resolve(description, media).unwrap_or(media).clone();
        let schema = media.get("schema").and_then(|it| resolve(description, it)).cloned();
        if let Some(schema) = schema.filter(is_file) {
            media["schema"] = schema;
        }
        (name.clone(), media)
    });
    all.collect()
}

/// The schema of one of the media types of a body, a response or a parameter, as it is written.
pub fn schema<'a>(description: &'a Value, of: &'a Value, media: &str) -> Option<&'a Value> {
    let media = resolve(description, of.get("content")?.get(media)?)?;
    media.get("schema").or_else(|| media.get("itemSchema"))
}

/// Returns true if a string is a file, in the notation of OpenAPI 3.0 or 3.1.
pub fn is_file(schema: &Value) -> bool {
    schema.get("format") == Some(&json!("binary"))
        || schema.as_object().is_some_and(has_binary_content)
}

/// Returns true if a string has a media type that is not encoded as text, as OpenAPI 3.1 writes a
/// file.
pub(super) fn has_binary_content(schema: &Map<String, Value>) -> bool {
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    // `binary` means no encoding.
    let is_encoded = text("contentEncoding").is_some_and(|it| it != "binary");
    let media = text("contentMediaType").and_then(content_of);
    media == Some(Content::Bytes) && !is_encoded
}

/// The kind of content of an offered media type. Of any media type, a file is bytes and not JSON.
pub(super) fn content(name: &str, media: &Value) -> Option<Content> {
    match content_of(name) {
        Some(Content::Json) if name == "*/*" && media.get("schema").is_some_and(is_file) => {
            Some(Content::Bytes)
        }
        content => content,
    }
}

impl Media {
    /// Kinds of content that are read as a whole, in the order of preference.
    pub(super) const WHOLE: [Content; 3] = [Content::Json, Content::Text, Content::Bytes];

    /// The most preferred of the offered media types.
    pub fn chosen(offered: &Map<String, Value>) -> Option<Self> {
        PREFERRED.iter().find_map(|content| Self::of(offered, *content))
    }

    /// The first of the offered media types with this kind of content; `application/json` precedes
    /// other JSON.
    pub(super) fn of(offered: &Map<String, Value>, content: Content) -> Option<Self> {
        let mut all = offered.iter().filter(|(name, it)| self::content(name, it) == Some(content));
        let plain = offered.get_key_value("application/json").filter(|_| content == Content::Json);
        let (name, media) = plain.or_else(|| all.next())?;
        let schema = media.get("schema").or_else(|| media.get("itemSchema"));
        let own = || schema.cloned().unwrap_or_else(|| json!({}));
        let encoding = media.get("encoding").and_then(Value::as_object);
        Some(Self {
            name: name.clone(),
            content,
            schema: match content {
                Content::Json | Content::Form | Content::Multipart | Content::Events => own(),
                Content::Text | Content::Bytes => json!({ "type": "string" }),
            },
            encoding: encoding.cloned().unwrap_or_default(),
        })
    }

    /// The `Content-Type` of a body: a concrete one for a range.
    pub(super) fn sent(&self) -> String {
        match (self.content, self.name.contains('*')) {
            (_, false) => self.name.clone(),
            (Content::Json | Content::Form, true) => "application/json".to_owned(),
            (Content::Multipart, true) => "multipart/form-data".to_owned(),
            (Content::Text | Content::Events, true) => "text/plain".to_owned(),
            (Content::Bytes, true) => "application/octet-stream".to_owned(),
        }
    }
}

/// The `Accept` header of a response: all media types with this kind of content, or JSON alone. JSON
/// of another schema than that which is read would lose its fields.
pub(super) fn accepted(offered: &Map<String, Value>, content: Content) -> Vec<String> {
    let schema = |it: &Value| it.get("schema").or_else(|| it.get("itemSchema")).cloned();
    let read = Media::of(offered, content).and_then(|it| schema(offered.get(&it.name)?));
    let all = offered.iter().filter(|(name, it)| {
        self::content(name, it) == Some(content) && (content != Content::Json || schema(it) == read)
    });
    let all = all.map(|(name, _)| match name.split_once(';') {
        _ if name == "*/*" && content == Content::Json => "application/json".to_owned(),
        Some((name, parameter)) if parameter.trim().starts_with("charset") => name.to_owned(),
        _ => name.clone(),
    });
    let all: Vec<_> = all.collect();
    match all.iter().find(|name| *name == "application/json") {
        Some(json) => vec![json.clone()],
        None => all,
    }
}

/// Returns true if a media type is that of a JSON value in each line.
pub(super) fn is_lines(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines"]
        .contains(&media.as_str())
}

/// The kind of content of a media type; none if it can be neither written nor read.
pub(super) fn content_of(media: &str) -> Option<Content> {
    const TEXT: [&str; 11] = [
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/json-lines",
        "application/javascript",
        "application/graphql",
        "application/sql",
    ];
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media.as_str() {
        "application/json" | "text/json" | "*/*" | "application/*" => Some(Content::Json),
        "application/x-www-form-urlencoded" => Some(Content::Form),
        media if media.ends_with("+json") => Some(Content::Json),
        "multipart/form-data" | "multipart/*" => Some(Content::Multipart),
        "text/event-stream" => Some(Content::Events),
        media if media.starts_with("multipart/") => None,
        media if media.starts_with("text/") || media.ends_with("+xml") => Some(Content::Text),
        media if TEXT.contains(&media) => Some(Content::Text),
        _ => Some(Content::Bytes),
    }
}
