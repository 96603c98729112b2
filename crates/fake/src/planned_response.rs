//! Planned response: the described success of an operation, with a seeded value.

use bytes::Bytes;
use hyper::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::description::Description;
use crate::operation::{Operation, bare, covers, is_json};
use crate::pointer::step;
use crate::{Error, Sampler};

/// The number of items of a stream of events or lines.
const ITEMS: usize = 3;

/// A response as it is sent, unless a fault changes it.
#[derive(Clone, Debug)]
pub(crate) struct PlannedResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

impl PlannedResponse {
    /// A refusal: one line in JSON.
    pub(crate) fn refusal(status: u16, error: &Error) -> Self {
        let body = serde_json::json!({ "error": error.to_string() }).to_string();
        Self::json(StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST), body)
    }

    fn json(status: StatusCode, body: String) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self { status, headers, body: body.into() }
    }
}

/// The success response of an operation, as it is described.
pub(crate) struct Success {
    pub(crate) status: StatusCode,
    pointer: String,
}

/// The described success: the lowest status, a range as its first, `default` if there is no other.
pub(crate) fn success(description: &Description, operation: &Operation) -> Success {
    let pointer = format!("{}/responses", operation.pointer);
    let responses = description.tree().pointer(&pointer).and_then(Value::as_object);
    let keys = responses.into_iter().flatten().map(|(key, _)| key);
    let successes = keys.filter(|it| it.starts_with('2') || *it == "default");
    // Digits sort before letters: 200, 2XX, default.
    let key = successes.min().map_or("default", String::as_str);
    let status = key.to_ascii_uppercase().replace('X', "0").parse().unwrap_or(200);
    Success {
        status: StatusCode::from_u16(status).unwrap_or(StatusCode::OK),
        pointer: description.follow(&format!("{pointer}/{}", step(key))),
    }
}

impl Success {
    /// The media type of JSON, and the pointer of its schema.
    pub(crate) fn json_schema(&self, description: &Description) -> Option<String> {
        let content = description.tree().pointer(&format!("{}/content", self.pointer))?;
        let media = content.as_object()?.keys().find(|it| is_json(&bare(it)))?;
        Some(format!("{}/content/{}/schema", self.pointer, step(media)))
    }

    /// Makes a response with a value of the seed.
    pub(crate) fn response(
        &self,
        description: &Description,
        request: &HeaderMap,
        seed: u64,
    ) -> Result<PlannedResponse, Error> {
        let mut sampler = Sampler::new(description, seed);
        let mut planned =
            PlannedResponse { status: self.status, headers: Vec::new(), body: Bytes::new() };
        let tree = description.tree();
        let headers = tree.pointer(&format!("{}/headers", self.pointer)).and_then(Value::as_object);
        for name in headers.into_iter().flatten().map(|(name, _)| name) {
            let header = description.follow(&format!("{}/headers/{}", self.pointer, step(name)));
            // What the content is, is said below.
            if name.eq_ignore_ascii_case("content-type") {
                continue;
            }
            if let Ok(value) = sampler.sample(&format!("{header}/schema")) {
                planned.headers.push((name.clone(), header_text(&value)));
            }
        }
        let content = tree.pointer(&format!("{}/content", self.pointer)).and_then(Value::as_object);
        let offered: Vec<&String> = content.into_iter().flatten().map(|(media, _)| media).collect();
        let accept = request.get("accept").and_then(|it| it.to_str().ok()).unwrap_or("*/*");
        let is_accepted = |it: &&&String| accept.split(',').any(|of| covers(&bare(of), &bare(it)));
        let media = offered.iter().filter(|it| is_json(&bare(it))).chain(&offered);
        let Some(media) = media.clone().find(is_accepted).or(media.clone().next()) else {
            return Ok(planned);
        };
        let at = format!("{}/content/{}", self.pointer, step(media));
        let has = |key: &str| tree.pointer(&format!("{at}/{key}")).is_some();
        let schema = format!("{at}/{}", if has("itemSchema") { "itemSchema" } else { "schema" });
        // Of any media type, clients read JSON.
        let media = match bare(media).as_str() {
            "*/*" | "application/*" if !is_file(tree.pointer(&description.follow(&schema))) => {
                "application/json".to_owned()
            }
            media => media.to_owned(),
        };
        let mut value = || {
            if tree.pointer(&schema).is_some() { sampler.sample(&schema) } else { Ok(Value::Null) }
        };
        let body = if is_json(&media) {
            value()?.to_string()
        } else if media == "text/event-stream" {
            let events = (0..ITEMS).map(|_| Ok(format!("data: {}\n\n", value()?)));
            events.collect::<Result<String, Error>>()?
        } else if media.contains("ndjson")
            || media.contains("jsonl")
            || media == "application/json-seq"
        {
            let lines = (0..ITEMS).map(|_| Ok(format!("{}\n", value()?)));
            lines.collect::<Result<String, Error>>()?
        } else {
            value()?.as_str().unwrap_or("bytes").to_owned()
        };
        planned.headers.push(("content-type".to_owned(), media.replace('*', "plain")));
        planned.body = body.into();
        Ok(planned)
    }

    /// A response with a given value.
    pub(crate) fn fixed(&self, value: &Value) -> PlannedResponse {
        PlannedResponse::json(self.status, value.to_string())
    }
}

/// Returns true for the schema of a file.
fn is_file(schema: Option<&Value>) -> bool {
    let text = |key: &str| schema.and_then(|it| it.get(key)?.as_str());
    text("format") == Some("binary") || text("contentMediaType").is_some()
}

/// The value of a header in the style `simple`: a list is written with commas, and so are the names
/// and values of an object.
fn header_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(header_text).collect::<Vec<_>>().join(","),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, it)| format!("{name},{}", header_text(it)));
            fields.collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::header_text;

    #[test]
    fn lists_and_objects_in_headers_are_written_with_commas() {
        assert_eq!(header_text(&json!("a, b")), "a, b");
        assert_eq!(header_text(&json!([317, "x", true])), "317,x,true");
        assert_eq!(header_text(&json!({ "a": 587, "b": "y" })), "a,587,b,y");
        assert_eq!(header_text(&json!([])), "");
    }
}
