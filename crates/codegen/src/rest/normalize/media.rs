//! Media types: those that can be sent and read, and their kinds of content.

use serde_json::{Map, Value, json};

use super::tree::{fields, resolve};
use crate::rest::model::Content;

/// The media type of a body or a response that is used, of those that a description offers.
pub(super) struct Media {
    /// As the description writes it.
    pub(super) name: String,
    pub(super) content: Content,
    /// Its own schema where that decides the type, `string` where text or bytes are text or bytes
    /// whatever it says.
    pub(super) schema: Value,
    /// How the fields of a form are encoded.
    pub(super) encoding: Map<String, Value>,
}

/// What is preferred where there is a choice, best first.
const PREFERRED: [Content; 5] =
    [Content::Json, Content::Form, Content::Multipart, Content::Text, Content::Bytes];

/// The media types of a body or a response.
pub(super) fn offered(description: &Value, of: &Value) -> Map<String, Value> {
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

fn is_file(schema: &Value) -> bool {
    schema.get("format") == Some(&json!("binary"))
}

/// What one of those offered holds: of any type at all, a file is not JSON.
pub(super) fn content(name: &str, media: &Value) -> Option<Content> {
    match content_of(name) {
        Some(Content::Json) if name == "*/*" && media.get("schema").is_some_and(is_file) => {
            Some(Content::Bytes)
        }
        content => content,
    }
}

impl Media {
    /// The one that is used of those offered.
    pub(super) fn chosen(offered: &Map<String, Value>) -> Option<Self> {
        PREFERRED.iter().find_map(|content| Self::of(offered, *content))
    }

    /// The first of those offered that has this content; plain JSON goes first.
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

    /// What is sent as the type of a body: one of a range, without one no type.
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

/// What is asked for as the type of a response: all that has this content, or JSON alone.
pub(super) fn accepted(offered: &Map<String, Value>, content: Content) -> Vec<String> {
    let all = offered.iter().filter(|(name, it)| self::content(name, it) == Some(content));
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

/// What a media type holds; nothing for one that cannot be written or read.
pub(super) fn content_of(media: &str) -> Option<Content> {
    const TEXT: [&str; 10] = [
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
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
