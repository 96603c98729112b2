//! Line reader of a JSONL file, with offsets and a bound on memory.

use std::io::{self, BufRead, Read};

/// Part of a line that is read, in bytes: three times what can be submitted, because a line may
/// have other members than its input. A longer line is refused, and never in memory as a whole.
pub(crate) const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// A line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// The number of the line in the file, from one.
    pub(crate) number: u64,
    /// Offset of the text.
    pub(crate) offset: u64,
    /// Without the line break, and without white space around it. Of a line that is too long, its
    /// first [`MAX_LINE_BYTES`] bytes.
    pub(crate) text: &'a [u8],
    /// True if the line ends in a line break.
    pub(crate) is_complete: bool,
}

/// Reads a file line by line.
pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Number of bytes, and of lines, before the next line.
    pub(crate) offset: u64,
    pub(crate) number: u64,
}

impl<R: BufRead> Lines<R> {
    /// The lines from `offset` on, before which there are `number` of them.
    pub(crate) fn new(reader: R, offset: u64, number: u64) -> Self {
        Self { reader, buffer: Vec::new(), offset, number }
    }

    /// The next line that is not blank.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let (start, is_cut, is_complete) = loop {
            self.buffer.clear();
            let start = self.offset;
            let mut is_complete = self.read()?;
            if self.buffer.is_empty() {
                return Ok(None);
            }
            let is_cut = self.buffer.len() == MAX_LINE_BYTES && !is_complete;
            if is_cut {
                is_complete = self.skip()?;
            }
            self.number += 1;
            if is_cut || !self.buffer.trim_ascii().is_empty() {
                break (start, is_cut, is_complete);
            }
        };
        let number = self.number;
        if is_cut {
            let text = self.buffer.as_slice();
            return Ok(Some(Line { number, offset: start, text, is_complete }));
        }
        let mark = if start == 0 && self.buffer.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let text = self.buffer[mark..].trim_ascii_start();
        let offset = start + (self.buffer.len() - text.len()) as u64;
        let text = text.trim_ascii_end();
        Ok(Some(Line { number, offset, text, is_complete }))
    }

    /// Reads a line into the buffer, up to [`MAX_LINE_BYTES`] bytes. Returns true if the line is
    /// terminated.
    fn read(&mut self) -> io::Result<bool> {
        let mut part = Read::by_ref(&mut self.reader).take(MAX_LINE_BYTES as u64);
        self.offset += part.read_until(b'\n', &mut self.buffer)? as u64;
        Ok(self.buffer.ends_with(b"\n"))
    }

    /// Skips the rest of a line. Returns true if the line is terminated.
    fn skip(&mut self) -> io::Result<bool> {
        const PART: u64 = 64 * 1024;
        let mut part = Vec::new();
        loop {
            part.clear();
            let read =
                Read::by_ref(&mut self.reader).take(PART).read_until(b'\n', &mut part)? as u64;
            self.offset += read;
            if part.ends_with(b"\n") || read == 0 {
                return Ok(read > 0);
            }
        }
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

    #[test]
    fn only_the_beginning_of_a_too_long_line_is_read() {
        let long = |break_: &'static [u8]| {
            let text = Read::take(io::repeat(b' '), 3 * MAX_LINE_BYTES as u64).chain(break_);
            io::BufReader::new(b"a\n".chain(text).chain(&b"b"[..]))
        };
        let mut lines = Lines::new(long(b"\n"), 0, 0);
        lines.next().expect("memory").expect("the first line");
        let line = lines.next().expect("memory").expect("a long line");
        assert_eq!((line.number, line.offset, line.text.len()), (2, 2, MAX_LINE_BYTES));
        assert!(line.is_complete);
        assert!(lines.buffer.capacity() < 2 * MAX_LINE_BYTES, "{}", lines.buffer.capacity());
        let line = lines.next().expect("memory").expect("the last line");
        assert_eq!((line.number, line.offset), (3, 3 + 3 * MAX_LINE_BYTES as u64));
        assert_eq!(line.text, b"b");
        let mut lines = Lines::new(long(b""), 0, 0);
        lines.next().expect("memory").expect("the first line");
        assert!(!lines.next().expect("memory").expect("a long line").is_complete);
    }
}
