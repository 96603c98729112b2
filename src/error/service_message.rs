//! Finds the service's own words in whatever body an error reply has.

use serde_json::Value;

const LONGEST: usize = 500;

/// The message in the body of an error reply.
///
/// The interface does not show the shape of error bodies. In practice they are JSON of several
/// shapes, problem details, or the page of a gateway.
pub(crate) fn service_message(body: &[u8]) -> Option<String> {
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(json) => message_in(&json)?,
        Err(_) => message_in_text(&String::from_utf8_lossy(body))?,
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then(|| shorten(&text))
}

fn message_in(json: &Value) -> Option<String> {
    match json {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => join(items.iter().filter_map(message_in)),
        Value::Object(object) => ["error", "message", "errors", "detail", "title"]
            .iter()
            .filter_map(|name| object.get(*name))
            .find_map(message_in),
        _ => None,
    }
}

fn join(messages: impl Iterator<Item = String>) -> Option<String> {
    let messages: Vec<_> = messages.collect();
    (!messages.is_empty()).then(|| messages.join("; "))
}

fn message_in_text(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    if !lower.contains("<html") && !lower.contains("<!doctype") {
        return Some(text.to_owned());
    }
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find("</title>")?;
    Some(text[start..end].to_owned())
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::service_message;

    #[test]
    fn the_message_is_found_in_every_shape_seen_in_practice() {
        for (body, expected) in [
            (r#"{"error":"no such job"}"#, Some("no such job")),
            (r#"{"message":"no such job"}"#, Some("no such job")),
            (r#"{"error":{"message":"no such job","code":7}}"#, Some("no such job")),
            (r#"{"errors":[{"message":"one"},{"message":"two"}]}"#, Some("one; two")),
            (r#"{"title":"Gone","detail":"no such job"}"#, Some("no such job")),
            (r#"{"title":"Gone","status":404}"#, Some("Gone")),
            (r#""no such job""#, Some("no such job")),
            ("no such\n  job\n", Some("no such job")),
            ("<html><head><TITLE>502 Bad Gateway</TITLE></head></html>", Some("502 Bad Gateway")),
            ("<!doctype html><p>hello", None),
            (r#"{"code":7}"#, None),
            ("", None),
        ] {
            assert_eq!(service_message(body.as_bytes()).as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let message = service_message("é".repeat(2_000).as_bytes()).expect("a message");
        assert_eq!(message.chars().count(), 501);
    }
}
