//! The beginning of what would be too long to show.

use std::io::{self, Write};

use serde::Serialize;

/// The first characters of a value's JSON. It costs no more than these.
pub(crate) fn beginning(value: &impl Serialize, characters: usize) -> String {
    let mut excerpt = Excerpt { kept: Vec::new(), most: 4 * characters, length: 0, stops: true };
    // It ends with an error once enough is written.
    let _ = serde_json::to_writer(&mut excerpt, value);
    excerpt.text().chars().take(characters).collect()
}

/// The JSON of a value where it is longer than some bytes: so many of them, and its length.
pub(crate) fn cut(value: &impl Serialize, bytes: usize) -> Option<(String, usize)> {
    let mut excerpt = Excerpt { kept: Vec::new(), most: bytes, length: 0, stops: false };
    // The service's values have nothing that JSON could not express.
    let _ = serde_json::to_writer(&mut excerpt, value);
    (excerpt.length > bytes).then(|| (excerpt.text().to_owned(), excerpt.length))
}

struct Excerpt {
    kept: Vec<u8>,
    most: usize,
    length: usize,
    /// Whether there is nothing to be learned from what is not kept.
    stops: bool,
}

impl Excerpt {
    /// What is kept, without a part of a character at the end.
    fn text(&self) -> &str {
        std::str::from_utf8(&self.kept)
            .or_else(|error| std::str::from_utf8(&self.kept[..error.valid_up_to()]))
            .unwrap_or_default()
    }
}

impl Write for Excerpt {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.most - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.length += bytes.len();
        if self.stops && bytes.len() > room {
            return Err(io::ErrorKind::WriteZero.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_never_split() {
        assert_eq!(beginning(&"ééé", 3), "\"éé");
        assert_eq!(beginning(&[1, 2], 200), "[1,2]");
        assert_eq!(cut(&"ééé", 4), Some(("\"é".to_owned(), 8)));
        assert_eq!(cut(&"ééé", 8), None);
    }
}
