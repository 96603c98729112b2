//! What the body of a webhook call says: the id of a job.

use serde::Deserialize;

/// The longest id, in bytes: they have some forty.
const LONGEST: usize = 256;

/// The job that a call is about, if its body names one that can be looked at.
pub(crate) fn job_id(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Record {
        id: String,
    }
    let id = match serde_json::from_slice(body) {
        Ok(Record { id }) => id,
        // Handlers written in Python return NaN, which is not JSON.
        Err(_) => id_in_flawed(body)?,
    };
    // The dots would name another URL.
    let is_id = !matches!(id.as_str(), "" | "." | "..") && id.len() <= LONGEST;
    is_id.then_some(id)
}

/// The member `id` of an object whose other members may not be JSON, but which is whole.
fn id_in_flawed(body: &[u8]) -> Option<String> {
    let (mut depth, mut found, mut at) = (0_u32, None, 0);
    let mut name = None;
    while let Some(byte) = body.get(at) {
        match byte {
            b'"' => {
                let mut text = serde_json::Deserializer::from_slice(&body[at..]).into_iter();
                let string: String = text.next()?.ok()?;
                at += text.byte_offset();
                match (&name, body[at..].trim_ascii_start().first()) {
                    _ if depth != 1 => {}
                    (None, Some(b':')) => name = Some(string),
                    (Some(of), _) if of == "id" && found.is_none() => found = Some(string),
                    _ => {}
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 1 => name = None,
            _ => {}
        }
        at += 1;
        if depth == 0 && !body[..at].trim_ascii().is_empty() {
            break;
        }
    }
    found.filter(|_| depth == 0 && body[at..].trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_read_also_beside_what_is_not_json() {
        for (body, id) in [
            (r#"{"id": "j1", "status": "COMPLETED", "output": {"id": "other"}}"#, Some("j1")),
            (
                r#"{"output": {"loss": NaN, "id": "other"}, "x": [Infinity], "id": "j\u0032"}"#,
                Some("j2"),
            ),
            (r#" { "id" : "j3" , "output": -Infinity } "#, Some("j3")),
            (r#"{"output": "\"id\": \"other\"", "loss": NaN, "id": "j4"}"#, Some("j4")),
            (r#"{"output": NaN, "id": "j5""#, None),
            (r#"{"output": NaN, "id": "j6"}}"#, None),
            (r#"{"output": NaN, "id": 7}"#, None),
            (r#"{"output": NaN}"#, None),
            (r#"[{"id": "other"}, NaN]"#, None),
            (r#"{"id": ""}"#, None),
            (r#"{"id": ".."}"#, None),
            (r#"{"id": null}"#, None),
            ("\"id\"", None),
            ("", None),
        ] {
            assert_eq!(job_id(body.as_bytes()).as_deref(), id, "{body}");
        }
        assert_eq!(job_id(format!(r#"{{"id": "{}"}}"#, "j".repeat(257)).as_bytes()), None);
        let deep =
            format!(r#"{{"output": {}1{}, "id": "j"}}"#, "[".repeat(9_999), "]".repeat(9_999));
        assert_eq!(job_id(deep.as_bytes()).as_deref(), Some("j"));
    }
}
