//! Digests, as short as they are safe.

use crate::store::Digest;

/// The digest of an input's text.
pub(super) fn digest(text: &[u8]) -> Digest {
    short(blake3::hash(text))
}

/// The digest that a hash is shortened to.
pub(super) fn short(hash: blake3::Hash) -> Digest {
    let mut digest = Digest::default();
    let length = digest.len();
    digest.copy_from_slice(&hash.as_bytes()[..length]);
    digest
}
