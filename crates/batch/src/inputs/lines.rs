//! The lines of a file.

use std::io::{self, BufRead};

/// A line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its number in the file, from one.
    pub(super) number: u64,
    /// Where its text begins.
    pub(super) offset: u64,
    /// Without the line break, and without white space around it.
    pub(super) text: &'a [u8],
    /// Whether it ends in a line break.
    pub(super) is_complete: bool,
}

/// Reads a file line by line.
pub(super) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// How many bytes, and lines, come before the next line.
    pub(super) offset: u64,
    pub(super) number: u64,
}

impl<R: BufRead> Lines<R> {
    /// The lines from `offset` on, before which there are `number` of them.
    pub(super) fn new(reader: R, offset: u64, number: u64) -> Self {
        Self { reader, buffer: Vec::new(), offset, number }
    }

    /// The next line that is not blank.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let start = loop {
            self.buffer.clear();
            let start = self.offset;
            if self.reader.read_until(b'\n', &mut self.buffer)? == 0 {
                return Ok(None);
            }
            self.offset += self.buffer.len() as u64;
            self.number += 1;
            if !self.buffer.trim_ascii().is_empty() {
                break start;
            }
        };
        let mark = if start == 0 && self.buffer.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let text = self.buffer[mark..].trim_ascii_start();
        let offset = start + (self.buffer.len() - text.len()) as u64;
        let is_complete = text.ends_with(b"\n");
        let text = text.trim_ascii_end();
        Ok(Some(Line { number: self.number, offset, text, is_complete }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<(u64, u64, String)> {
        let mut lines = Lines::new(text, 0, 0);
        let mut found = Vec::new();
        while let Some(line) = lines.next().expect("memory") {
            found.push((line.number, line.offset, String::from_utf8_lossy(line.text).into_owned()));
        }
        assert_eq!(lines.offset, text.len() as u64);
        found
    }

    #[test]
    fn lines_have_their_numbers_and_offsets() {
        let one = |number, offset, text: &str| (number, offset, text.to_owned());
        assert_eq!(all(b"a\nb"), [one(1, 0, "a"), one(2, 2, "b")]);
        assert_eq!(all(b"\r\n\n a \r\nb\r\n"), [one(3, 4, "a"), one(4, 8, "b")]);
        assert_eq!(all(b"\xef\xbb\xbf{}\n"), [one(1, 3, "{}")], "a byte order mark");
        assert_eq!(all(b""), []);
    }

    #[test]
    fn a_line_without_a_break_may_be_incomplete() {
        let mut lines = Lines::new(&b"a\nb"[..], 0, 0);
        assert!(lines.next().expect("memory").expect("a line").is_complete);
        assert!(!lines.next().expect("memory").expect("a line").is_complete);
    }
}
