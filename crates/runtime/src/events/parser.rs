//! Parser of server-sent events, as they arrive.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use memchr::memchr2;

use crate::json::without_mark;

/// The fields of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub(super) event: String,
    pub(super) data: String,
    /// Shared: an id stays in force for all following events, so a long id would be copied many
    /// times.
    pub(super) id: Option<Arc<str>>,
    pub(super) retry: Option<Duration>,
}

/// An event, or a line of an event, is larger than allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

/// Splits bytes into events, however they are cut into chunks.
///
/// Lines are cut before they are decoded: no byte of a character in UTF-8 is a line break.
pub(super) struct Parser {
    /// The most bytes that an event may have.
    most: usize,
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
    is_first_line: bool,
    /// A line feed that comes next belongs to the carriage return before it.
    after_carriage_return: bool,
    event: String,
    /// `None` before the first line of data.
    data: Option<String>,
    id: Option<Arc<str>>,
    retry: Option<Duration>,
    complete: VecDeque<Fields>,
}

impl Parser {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            line: Vec::new(),
            is_first_line: true,
            after_carriage_return: false,
            event: String::new(),
            data: None,
            id: None,
            retry: None,
            complete: VecDeque::new(),
        }
    }

    /// The next event that is complete.
    pub(super) fn next(&mut self) -> Option<Fields> {
        self.complete.pop_front()
    }

    /// Parses further bytes.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> Result<(), TooLarge> {
        if self.after_carriage_return && !bytes.is_empty() {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            self.after_carriage_return = false;
        }
        while let Some(end) = memchr2(b'\r', b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            self.extend_line(line)?;
            let line = std::mem::take(&mut self.line);
            self.end_line(&line);
            bytes = match rest {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_carriage_return = true;
                    &[]
                }
                rest => &rest[1..],
            };
        }
        self.extend_line(bytes)
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        let pending = self.line.len() + self.data.as_ref().map_or(0, String::len);
        if bytes.len() > self.most.saturating_sub(pending) {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, line: &[u8]) {
        let line = match std::mem::take(&mut self.is_first_line) {
            true => without_mark(line),
            false => line,
        };
        if line.is_empty() {
            return self.end_event();
        }
        let line = String::from_utf8_lossy(line);
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => self.event = value.to_owned(),
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            "id" if !value.contains('\0') => {
                self.id = (!value.is_empty()).then(|| value.into());
            }
            "retry" if value.bytes().all(|it| it.is_ascii_digit()) => {
                self.retry = value.parse().ok().map(Duration::from_millis).or(self.retry);
            }
            // Comments have no name.
            _ => {}
        }
    }

    /// An event without data is discarded, but its id applies to later events. An event named
    /// `error` is kept even without data.
    fn end_event(&mut self) {
        let event = std::mem::take(&mut self.event);
        let no_data = (event == "error").then(String::new);
        let Some(data) = self.data.take().or(no_data) else { return };
        let event = if event.is_empty() { "message".to_owned() } else { event };
        let (id, retry) = (self.id.clone(), self.retry);
        self.complete.push_back(Fields { event, data, id, retry });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: &[&[u8]]) -> Vec<Fields> {
        let mut parser = Parser::new(1_000);
        let mut events = Vec::new();
        for chunk in chunks {
            parser.feed(chunk).expect("nothing is large");
            events.extend(std::iter::from_fn(|| parser.next()));
        }
        events
    }

    fn data(text: &str) -> Vec<String> {
        events(&[text.as_bytes()]).into_iter().map(|it| it.data).collect()
    }

    #[test]
    fn every_field_is_read() {
        let text = "\u{feff}: hello\nevent: add\ndata: 1\ndata:  2\nid: a\nretry: 1500\nother: x\n\n\
                    data\n\nid\nid: n\0\nretry: 1s\nevent: only\n\ndata:last\n\ndata: cut off\n";
        let fields = |event: &str, data: &str, id: Option<&str>| Fields {
            event: event.to_owned(),
            data: data.to_owned(),
            id: id.map(Arc::from),
            retry: Some(Duration::from_millis(1500)),
        };
        assert_eq!(
            events(&[text.as_bytes()]),
            [
                fields("add", "1\n 2", Some("a")),
                fields("message", "", Some("a")),
                fields("message", "last", None),
            ]
        );
    }

    #[test]
    fn an_error_needs_no_data() {
        let events = events(&[b"event: error\n\nevent: ping\n\ndata: a\n\n"]);
        let events: Vec<_> = events.iter().map(|it| (&*it.event, &*it.data)).collect();
        assert_eq!(events, [("error", ""), ("message", "a")]);
    }

    #[test]
    fn a_line_ends_with_any_of_three_line_breaks() {
        for end in ["\n", "\r", "\r\n"] {
            let text = ["data: a", "data: b", "", "", "data: c", "", ""].join(end);
            assert_eq!(data(&text), ["a\nb", "c"], "{end:?}");
        }
        assert_eq!(data("data: a\r\n\rdata: b\n\r\n"), ["a", "b"]);
        assert_eq!(data("data: a\n\r"), ["a"], "without waiting for a line feed");
    }

    #[test]
    fn chunks_may_be_cut_anywhere() {
        let text = "\u{feff}data: ä😀\r\ndata: b\r\n\r\nevent: ü\rdata: \u{feff}c\r\rdata: d\n\n";
        let whole = events(&[text.as_bytes()]);
        assert_eq!(whole.len(), 3);
        let bytes: Vec<_> = text.as_bytes().chunks(1).collect();
        assert_eq!(events(&bytes), whole);
        for at in 0..text.len() {
            let (a, b) = text.as_bytes().split_at(at);
            assert_eq!(events(&[a, b"", b]), whole, "{at}");
        }
    }

    #[test]
    fn an_id_that_holds_for_many_events_is_kept_once() {
        let events = events(&[b"id: long\ndata\n\ndata\n\n"]);
        let ids: Vec<&Arc<str>> = events.iter().filter_map(|event| event.id.as_ref()).collect();
        assert!(Arc::ptr_eq(ids[0], ids[1]), "{ids:?}");
    }

    #[test]
    fn invalid_utf_8_is_replaced() {
        assert_eq!(events(&[b"data: a\xff\xe2\x82\n\n"])[0].data, "a\u{fffd}\u{fffd}");
    }

    #[test]
    fn an_event_is_only_so_large() {
        let mut parser = Parser::new(20);
        parser.feed(b"data: 0123456789\n").expect("there is room");
        assert_eq!(parser.feed(b"data: 012345"), Err(TooLarge));
        let mut parser = Parser::new(20);
        for _ in 0..10 {
            parser.feed(b"data: 0123456\n\n: comment\n").expect("each is small");
        }
        assert_eq!(parser.feed(b"012345678901234567890"), Err(TooLarge));
    }
}
