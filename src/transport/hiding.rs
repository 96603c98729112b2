//! What must not be shown of a text that the service, or something before it, wrote.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::secret_string::SecretString;

const IN_FORMS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'*').remove(b'-').remove(b'.').remove(b'_');
const IN_URLS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The text with all secrets cut out of it, in each form in which what was sent can come back.
pub(crate) fn hide_all(text: String, secrets: &[SecretString]) -> String {
    let secrets = secrets.iter().filter(|secret| !secret.expose().is_empty());
    let mut forms: Vec<_> = secrets.flat_map(|secret| forms(secret.expose())).collect();
    // A secret can be a part of another, of which nothing must be left over.
    forms.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    forms.dedup();
    forms.iter().fold(text, |text, form| {
        if text.contains(form) { text.replace(form, "[redacted]") } else { text }
    })
}

/// A secret as it is, inside a JSON string, inside a JSON string in a JSON string (as a GraphQL
/// document is), with and without characters beyond ASCII, and inside a URL.
fn forms(secret: &str) -> Vec<String> {
    let escaped = in_json(secret);
    let twice = in_json(&escaped);
    let in_form = utf8_percent_encode(secret, IN_FORMS).to_string().replace("%20", "+");
    let in_url = utf8_percent_encode(secret, IN_URLS).to_string();
    let (ascii, ascii_twice) = (in_ascii(&escaped), in_ascii(&twice));
    vec![ascii_twice, twice, ascii, escaped, in_form, in_url, secret.to_owned()]
}

fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn in_ascii(json: &str) -> String {
    let mut written = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() {
            written.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                written.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    written
}

/// What serde found wrong, without the values that it found: `invalid type: string …, expected f64`.
pub(super) fn without_values(message: &str) -> String {
    for unknown in ["unknown variant `", "unknown field `"] {
        // The name stands there as it came, with any character in it.
        let rest = message.strip_prefix(unknown);
        let end = rest.and_then(|rest| rest.rfind("`, expected").or(rest.rfind("`, there are")));
        if let (Some(rest), Some(end)) = (rest, end) {
            return format!("{unknown}…{}", &rest[end..]);
        }
    }
    // What stands behind `expected`, and the names of fields that are missing, are the type's own.
    let found_ends = if message.starts_with("invalid ") { usize::MAX } else { 0 };
    let mut shown = String::with_capacity(message.len());
    let (mut within, mut escaped, mut found) = (None, false, found_ends > 0);
    for (at, character) in message.char_indices() {
        found &= within.is_some() || !message[at..].starts_with(", expected");
        match (character, within) {
            _ if escaped => escaped = false,
            ('\\', Some('"')) => escaped = true,
            (_, Some(quote)) if character == quote => {
                within = None;
                shown.push('…');
            }
            (_, Some(_)) => {}
            ('"', None) => within = Some('"'),
            ('`', None) if found => within = Some('`'),
            _ => shown.push(character),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str, secrets: &[&str]) -> String {
        let secrets: Vec<_> = secrets.iter().copied().map(SecretString::from).collect();
        hide_all(text.to_owned(), &secrets)
    }

    #[test]
    fn of_a_secret_that_holds_another_nothing_is_left() {
        for secrets in [["prod", "prod-db-pw"], ["prod-db-pw", "prod"]] {
            assert_eq!(hidden("prod-db-pw, prod", &secrets), "[redacted], [redacted]");
        }
    }

    #[test]
    fn a_secret_is_hidden_in_every_form_in_which_it_was_sent() {
        let secret = "a\"b\\ä+= ~/";
        for form in [
            "a\"b\\ä+= ~/",
            r#"a\"b\\ä+= ~/"#,
            r#"a\\\"b\\\\ä+= ~/"#,
            r#"a\"b\\\u00e4+= ~/"#,
            r#"a\\\"b\\\\\u00e4+= ~/"#,
            "a%22b%5C%C3%A4%2B%3D+%7E%2F",
            "a%22b%5C%C3%A4%2B%3D%20~%2F",
        ] {
            assert_eq!(hidden(&format!("<{form}>"), &[secret]), "<[redacted]>", "{form}");
        }
        assert_eq!(hidden("as it is", &["", "key"]), "as it is");
    }

    #[test]
    fn values_that_were_found_are_left_out_and_what_was_expected_stays() {
        for (message, shown) in [
            (
                r#"invalid type: string "a \" b, expected `c`", expected f64 at line 1"#,
                "invalid type: string …, expected f64 at line 1",
            ),
            (
                "invalid type: integer `1234`, expected a string",
                "invalid type: integer …, expected a string",
            ),
            (
                "invalid value: floating point `0.5`, expected `a` or `b`",
                "invalid value: floating point …, expected `a` or `b`",
            ),
            (
                "unknown variant `s`, expected`, expected one of `a`, `b`",
                "unknown variant `…`, expected one of `a`, `b`",
            ),
            (
                "unknown variant `s`, there are no variants",
                "unknown variant `…`, there are no variants",
            ),
            ("missing field `id` at line 1", "missing field `id` at line 1"),
            ("null where there must be a value", "null where there must be a value"),
        ] {
            assert_eq!(without_values(message), shown);
        }
    }
}
