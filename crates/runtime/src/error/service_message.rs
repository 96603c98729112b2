//! Service message in the body of an error response, in any of the known forms.

use serde_json::Value;

use crate::json::without_mark;

/// The maximum length of a message, in characters.
const MAX_SHOWN: usize = 500;

/// The maximum number of characters read of a message.
const MAX_READ: usize = 64 * MAX_SHOWN;

/// The message in the body of an error reply, redacted by `redact` before it is shortened: a secret
/// whose white space was changed, or whose end is missing, could not be found any more.
///
/// The interface does not show the shape of error bodies. In practice they are JSON of several
/// shapes, problem details, or the page of a gateway.
pub fn service_message(body: &[u8], redact: impl FnOnce(&str) -> String) -> Option<String> {
    let body = without_mark(body);
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(json) => message_in(&json)?,
        Err(_) => message_in_text(&String::from_utf8_lossy(body))?,
    };
    let text = match text.char_indices().nth(MAX_READ) {
        Some((end, _)) => {
            // The text may end within a secret, whose beginning is too short to be found.
            let redacted = redact(&text[..end]);
            let whole = redacted.chars().count().saturating_sub(MAX_SHOWN);
            redacted.chars().take(whole).collect()
        }
        None => redact(&text),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then(|| shorten(&text))
}

fn message_in(json: &Value) -> Option<String> {
    match json {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => join(items.iter().filter_map(message_in)),
        Value::Object(object) => {
            let said = |name: &str| {
                object.get(name).and_then(message_in).filter(|it| !it.trim().is_empty())
            };
            said("error").or_else(|| said("message")).or_else(|| problem(said))
        }
        _ => None,
    }
}

/// The parts of problem details ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)), and of bodies
/// with some of them: the kind of problem, what is wrong, and each fault.
fn problem(said: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut parts: Vec<String> =
        ["title", "detail", "errors"].into_iter().filter_map(said).collect();
    // Some services repeat a part.
    parts.dedup();
    (!parts.is_empty()).then(|| parts.join(": "))
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
    match text.char_indices().nth(MAX_SHOWN) {
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
            (r#"{"error":"no such pet"}"#, Some("no such pet")),
            ("\u{feff}{\"error\":\"no such pet\"}", Some("no such pet")),
            (r#"{"message":"no such pet"}"#, Some("no such pet")),
            (r#"{"error":"","message":"no such pet"}"#, Some("no such pet")),
            (r#"{"error":{"message":"no such pet","code":7}}"#, Some("no such pet")),
            (r#"{"errors":[{"message":"one"},{"message":"two"}]}"#, Some("one; two")),
            (r#"{"title":"Gone","detail":"no such pet"}"#, Some("Gone: no such pet")),
            (
                r#"{"title":"Invalid","status":422,"detail":"2 faults","errors":["a is","b is not"]}"#,
                Some("Invalid: 2 faults: a is; b is not"),
            ),
            (r#"{"title":"Gone","detail":"Gone"}"#, Some("Gone")),
            (r#"{"title":"Gone","status":404}"#, Some("Gone")),
            (r#""no such pet""#, Some("no such pet")),
            ("no such\n  pet\n", Some("no such pet")),
            ("<html><head><TITLE>502 Bad Gateway</TITLE></head></html>", Some("502 Bad Gateway")),
            ("<!doctype html><p>hello", None),
            (r#"{"code":7}"#, None),
            ("", None),
        ] {
            let message = service_message(body.as_bytes(), str::to_owned);
            assert_eq!(message.as_deref(), expected, "{body}");
        }
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let message = service_message("é".repeat(2_000).as_bytes(), str::to_owned);
        assert_eq!(message.expect("a message").chars().count(), 501);
    }

    #[test]
    fn secrets_are_redacted_before_the_message_is_shortened_and_normalized() {
        let secret = "the \n\n secret's  end";
        for before in [0, 480, 490, 499, 500] {
            let body = serde_json::json!({"error": format!("{}{secret}", "x".repeat(before))});
            let message =
                service_message(body.to_string().as_bytes(), |text| text.replace(secret, "[cut]"));
            let message = message.expect("a message");
            assert!(!message.contains("the"), "{message}");
        }
    }
}
