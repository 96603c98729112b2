//! JSON that is not quite JSON: what can be read of it nevertheless.
//!
//! A job's record is worth having even where a handler wrote something into it that no parser takes,
//! such as the `NaN` of Python. So an object or a list is taken apart by its brackets, commas and
//! quotes alone, and whether a part of it is JSON is for whoever reads that part.

use std::ops::Range;

/// The numbers that JSON does not have, as writers that are not strict put them. A number that is
/// part of another comes after it.
const NOT_FINITE: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

/// The parts of an object or a list, as far as it goes.
pub(super) struct Parts {
    /// The name of each part, empty in a list, and where its value stands.
    pub(super) all: Vec<(String, Range<usize>)>,
    /// It is closed, and nothing follows it.
    pub(super) are_whole: bool,
}

impl Parts {
    /// The members of an object.
    pub(super) fn of_object(text: &[u8]) -> Self {
        Self::between(text, b'{', b'}')
    }

    /// The elements of a list.
    pub(super) fn of_list(text: &[u8]) -> Self {
        Self::between(text, b'[', b']')
    }

    fn between(text: &[u8], open: u8, close: u8) -> Self {
        let mut parts = Self { all: Vec::new(), are_whole: false };
        let start = skip_space(text, 0);
        if text.get(start) == Some(&open) {
            let end = parts.read(text, start + 1, close);
            parts.are_whole = end.is_some_and(|end| skip_space(text, end) == text.len());
        }
        parts
    }

    /// Reads parts up to the one that is cut off, or to `close`, and returns where that ends.
    fn read(&mut self, text: &[u8], mut at: usize, close: u8) -> Option<usize> {
        loop {
            at = skip_space(text, at);
            if *text.get(at)? == close {
                return Some(at + 1);
            }
            let mut name = String::new();
            if close == b'}' {
                let end = end_of_string(text, at)?;
                name = serde_json::from_slice(&text[at..end]).ok()?;
                at = skip_space(text, end);
                if *text.get(at)? != b':' {
                    return None;
                }
                at = skip_space(text, at + 1);
            }
            let end = end_of_value(text, at)?;
            let value = text[at..end].trim_ascii_end();
            self.all.push((name, at..at + value.len()));
            at = skip_space(text, end);
            match *text.get(at)? {
                b',' => at += 1,
                byte if byte == close => {}
                _ => return None,
            }
        }
    }
}

/// The same JSON with null for each number that JSON does not have; `None` where there is none.
pub(crate) fn finite(json: &[u8]) -> Option<Vec<u8>> {
    let mut written = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(byte) = json.get(at) {
        if *byte == b'"' {
            at = end_of_string(json, at).unwrap_or(json.len());
        } else if let Some(number) = NOT_FINITE.iter().find(|number| json[at..].starts_with(number))
        {
            written.extend_from_slice(&json[copied..at]);
            written.extend_from_slice(b"null");
            at += number.len();
            copied = at;
        } else {
            at += 1;
        }
    }
    if copied == 0 {
        return None;
    }
    written.extend_from_slice(&json[copied..]);
    Some(written)
}

fn skip_space(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    text.len() - rest.trim_ascii_start().len()
}

/// Where the string that begins at `at` ends; `None` where it is cut off, or is no string.
fn end_of_string(text: &[u8], mut at: usize) -> Option<usize> {
    if *text.get(at)? != b'"' {
        return None;
    }
    loop {
        at += 1;
        match *text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 1,
            _ => {}
        }
    }
}

/// Where the value that begins at `at` ends; `None` where it is cut off.
fn end_of_value(text: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    loop {
        match *text.get(at)? {
            b'"' => {
                at = end_of_string(text, at)?;
                if depth == 0 {
                    return Some(at);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b',' | b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> (Vec<(String, &str)>, bool) {
        let list = text.trim_start().starts_with('[');
        let parts = if list { Parts::of_list } else { Parts::of_object }(text.as_bytes());
        let all = parts.all.into_iter().map(|(name, place)| (name, &text[place])).collect();
        (all, parts.are_whole)
    }

    #[test]
    fn an_object_is_taken_apart_whatever_its_values_hold() {
        let text =
            " { \"id\" : \"j\" ,\"n\":NaN, \"o\":{\"a\":[oops,\"]}\\\"\"]},\"\\u0069\":-1 } ";
        let (all, are_whole) = parts(text);
        let expected =
            [("id", "\"j\""), ("n", "NaN"), ("o", "{\"a\":[oops,\"]}\\\"\"]}"), ("i", "-1")];
        assert_eq!(all, expected.map(|(name, value)| (name.to_owned(), value)));
        assert!(are_whole);
    }

    #[test]
    fn what_is_cut_off_ends_before_the_part_that_is() {
        for (text, found, are_whole) in [
            ("[1, {\"a\":2}, [3", 2, false),
            ("[1, 2", 1, false),
            ("[1,2]", 2, true),
            ("[1,2] more", 2, false),
            ("[]", 0, true),
            ("{}", 0, true),
            ("{\"a\":\"b\"", 1, false),
            ("{\"a\":\"b", 0, false),
            ("{\"a\" \"b\"}", 0, false),
            ("{a:1}", 0, false),
            ("{\"a\":1]", 1, false),
            ("{\"a\":\"b\" \"c\"}", 1, false),
            ("<html>", 0, false),
            ("\"{}\"", 0, false),
            ("", 0, false),
        ] {
            let (all, closed) = parts(text);
            assert_eq!((all.len(), closed), (found, are_whole), "{text}");
        }
    }

    #[test]
    fn numbers_that_json_does_not_have_are_null_and_strings_are_left_alone() {
        let json = br#"{"a":[NaN,-Infinity,Infinity],"NaN":"NaN \"Infinity\""}"#;
        let expected = br#"{"a":[null,null,null],"NaN":"NaN \"Infinity\""}"#;
        assert_eq!(finite(json).as_deref(), Some(&expected[..]));
        assert_eq!(finite(br#"{"a":"NaN"}"#), None);
        assert_eq!(finite(br#"["NaN"#), None);
        assert_eq!(finite(b""), None);
    }

    proptest! {
        #[test]
        fn json_is_taken_apart_as_a_parser_does(
            members in prop::collection::vec((".{0,6}", ".{0,6}", any::<i64>()), 0..5)
        ) {
            let members: serde_json::Map<_, _> = members
                .into_iter()
                .map(|(name, text, number)| (name, serde_json::json!([text, {"n": number}])))
                .collect();
            let text = serde_json::to_string_pretty(&members).expect("it is JSON");
            let parts = Parts::of_object(text.as_bytes());
            prop_assert!(parts.are_whole);
            let read: serde_json::Map<_, _> = parts
                .all
                .into_iter()
                .map(|(name, place)| (name, serde_json::from_str(&text[place]).expect("a value")))
                .collect();
            prop_assert_eq!(read, members);
        }

        #[test]
        fn any_bytes_are_no_harm(text in prop::collection::vec(any::<u8>(), 0..60)) {
            for parts in [Parts::of_object(&text), Parts::of_list(&text)] {
                prop_assert!(parts.all.iter().all(|(_, place)| text.get(place.clone()).is_some()));
            }
            let _ = finite(&text);
        }
    }
}
