//! Ids of files and batches: sorted by time of creation, and unique.

use std::io;

/// The prefix of the id of a file.
pub(super) const FILE: &str = "file-";

/// The prefix of the id of a batch.
pub(super) const BATCH: &str = "batch_";

/// A new id: the prefix, the time in milliseconds of Unix time, and 64 random bits.
pub(super) fn new(prefix: &str, at: u64) -> io::Result<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(id(prefix, at, random))
}

/// The id of what a batch has at most one of, such as its file of outputs: always the same, so that
/// it is not created twice.
pub(super) fn derived(prefix: &str, at: u64, batch: &str, part: &str) -> String {
    id(prefix, at, digest(batch, part))
}

/// The id of the response to a line of a batch.
pub(super) fn of_line(batch: &str, index: u64) -> String {
    let [high, low] = [0, 1].map(|part| digest(batch, &format!("{index}/{part}")));
    format!("batch_req_{:016x}{:016x}", u64::from_be_bytes(high), u64::from_be_bytes(low))
}

fn id(prefix: &str, at: u64, unique: [u8; 8]) -> String {
    format!("{prefix}{at:011x}{:016x}", u64::from_be_bytes(unique))
}

fn digest(batch: &str, part: &str) -> [u8; 8] {
    let hash = blake3::hash(format!("{batch}/{part}").as_bytes());
    let mut digest = [0; 8];
    digest.copy_from_slice(&hash.as_bytes()[..8]);
    digest
}

/// Returns true if this may be an id with this prefix. An id is also the name of a folder.
pub(super) fn is_id(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|rest| {
        (1..=64).contains(&rest.len())
            && rest.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sorted_by_time_and_are_safe_names() {
        let early = new(FILE, 1_700_000_000_000).expect("an id");
        let late = new(FILE, 1_900_000_000_000).expect("an id");
        assert!(early < late);
        assert!(is_id(FILE, &early) && !is_id(BATCH, &early));
        assert_eq!(derived(FILE, 7, "batch_1", "output"), derived(FILE, 7, "batch_1", "output"));
        assert_ne!(derived(FILE, 7, "batch_1", "output"), derived(FILE, 7, "batch_1", "errors"));
        for name in ["file-", "file-../a", "file-a/b", "file-a.b", "file-G", "../file-1"] {
            assert!(!is_id(FILE, name), "{name}");
        }
    }
}
