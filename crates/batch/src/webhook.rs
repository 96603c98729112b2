//! Webhook calls: the ticket in their URL, and the job id in their body.
//!
//! A ticket names a submission: batch, index and attempt, with a keyed hash of them. Only the
//! holder of the journal can make one, so a forged call changes nothing.

use podqueue::SecretString;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::store::{Note, Store};

/// Name of the note of the identity.
const NOTE: &str = "batch";

/// The identity of a batch.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Identity {
    id: String,
    /// The key of the keyed hash.
    key: String,
}

/// A submission, as the query of a webhook's URL names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) index: u64,
    pub(crate) attempt: u64,
}

impl Identity {
    /// The identity of the batch in this store, which is created if it has none.
    pub(crate) fn of(store: &mut dyn Store) -> Result<Self> {
        let damaged = || Error::new(ErrorKind::Journal, "the journal's identity is damaged");
        if let Some(text) = store.note(NOTE)? {
            return serde_json::from_str(&text).map_err(|_| damaged());
        }
        let mut random = [0; 48];
        getrandom::fill(&mut random).map_err(|error| {
            Error::new(ErrorKind::Journal, format!("the system has no random numbers: {error}"))
        })?;
        let (id, key) = random.split_at(16);
        let identity = Self { id: hex(id), key: hex(key) };
        let text = serde_json::to_string(&identity).map_err(|_| damaged())?;
        let note: Note = (NOTE, text);
        store.add(&[], &[note])?;
        Ok(identity)
    }

    /// The unique id of the batch. It is not secret.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The URL for a submission.
    pub(crate) fn webhook(&self, url: &SecretString, ticket: Ticket) -> SecretString {
        let url = url.expose();
        let separator = if url.contains('?') { '&' } else { '?' };
        let Ticket { index, attempt } = ticket;
        let (batch, proof) = (&self.id, self.proof(ticket));
        format!("{url}{separator}batch={batch}&index={index}&attempt={attempt}&proof={proof}")
            .into()
    }

    /// The submission that a query names, if this batch made it.
    pub(crate) fn ticket(&self, query: &str) -> Option<Ticket> {
        let value = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            // The last one: the URL before may have had such a name, too.
            pairs.rfind(|(found, _)| *found == name).map(|(_, value)| value)
        };
        let number = |name: &str| value(name)?.parse().ok();
        let ticket = Ticket { index: number("index")?, attempt: number("attempt")? };
        let proof = blake3::Hash::from_hex(value("proof")?).ok()?;
        // The comparison of hashes takes the same time for any hashes.
        let is_ours = value("batch")? == self.id && self.hash(ticket) == proof;
        is_ours.then_some(ticket)
    }

    fn proof(&self, ticket: Ticket) -> String {
        self.hash(ticket).to_hex().to_string()
    }

    fn hash(&self, Ticket { index, attempt }: Ticket) -> blake3::Hash {
        let key = blake3::derive_key("podqueue-batch 2026 webhook", self.key.as_bytes());
        blake3::keyed_hash(&key, format!("{}/{index}/{attempt}", self.id).as_bytes())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The longest id, in bytes: usual ids have about forty.
const MAX_ID_BYTES: usize = 256;

/// The job that a call is about, if its body has an id that can be polled.
pub(crate) fn job_id(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Record {
        id: String,
    }
    let id = match serde_json::from_slice(body) {
        Ok(Record { id }) => id,
        // Handlers written in Python return NaN, which is not JSON.
        Err(_) => id_in_invalid(body)?,
    };
    // The dots would name another URL.
    let is_id = !matches!(id.as_str(), "" | "." | "..") && id.len() <= MAX_ID_BYTES;
    is_id.then_some(id)
}

/// The member `id` of a complete object whose other members may not be valid JSON.
fn id_in_invalid(body: &[u8]) -> Option<String> {
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

    fn identity(id: &str, key: &str) -> Identity {
        Identity { id: id.to_owned(), key: key.to_owned() }
    }

    #[test]
    fn a_ticket_names_its_submission_and_cannot_be_forged() {
        let ours = identity("b", "k");
        let ticket = Ticket { index: 7, attempt: 2 };
        for url in ["http://h.example/hook", "http://h.example/hook?index=1&token=t"] {
            let url = ours.webhook(&url.into(), ticket);
            let query = url.expose().split_once('?').expect("a query").1;
            assert_eq!(ours.ticket(query), Some(ticket));
            assert_eq!(ours.ticket(&query.replace("index=7", "index=8")), None);
            assert_eq!(identity("b", "other").ticket(query), None);
            assert_eq!(identity("other", "k").ticket(query), None);
        }
        assert_eq!(ours.ticket("batch=b&index=7&attempt=2"), None);
        assert_eq!(ours.ticket(""), None);
    }

    #[test]
    fn the_id_is_read_also_from_a_body_with_invalid_json() {
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
