//! What a webhook's URL says about the submission that it belongs to.

use podqueue::SecretString;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::store::{Note, Store};

/// The name of the note that holds the identity.
const NOTE: &str = "batch";

/// The identity of a batch.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Identity {
    id: String,
    /// Of the keyed hash.
    key: String,
}

/// A submission, as the query of a webhook's URL names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    pub(crate) index: u64,
    pub(crate) attempt: u64,
}

impl Identity {
    /// That of the batch in this store, which gets one if it has none.
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

    /// What tells the batch from others. It is no secret.
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
        // The comparison of hashes takes the same time whatever they are.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(id: &str, key: &str) -> Identity {
        Identity { id: id.to_owned(), key: key.to_owned() }
    }

    #[test]
    fn a_url_names_its_submission_and_cannot_be_made_up() {
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
}
