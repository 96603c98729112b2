//! Splitter of JSON into raw parts, which works on malformed JSON, too.
//!
//! A response is useful even if a part of it is malformed, such as Python's `NaN`. So objects and
//! lists are split by their brackets, commas and quotes alone, and a part is only validated when it
//! is read.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

use memchr::memchr2;

/// The mark that some writers put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The numbers that JSON does not have, as lenient writers produce them. A number that is part of
/// another number comes after it.
const NOT_FINITE: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

/// The text without a leading byte order mark.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Visits the members of an object up to the first error, with the byte range of each value.
/// Returns true if the object is complete and nothing follows it, or the visitor stopped.
pub(super) fn split_object<'a>(
    text: &'a [u8],
    visit: impl FnMut(Cow<'a, str>, Range<usize>) -> ControlFlow<()>,
) -> bool {
    is_whole(text, b'{', b'}', visit)
}

/// Visits the byte ranges of the elements of a list, up to the first error. Returns true if the
/// list is complete and nothing follows it.
pub(super) fn split_list(text: &[u8], mut visit: impl FnMut(Range<usize>)) -> bool {
    is_whole(text, b'[', b']', |_, place| {
        visit(place);
        ControlFlow::Continue(())
    })
}

fn is_whole<'a>(
    text: &'a [u8],
    open: u8,
    close: u8,
    visit: impl FnMut(Cow<'a, str>, Range<usize>) -> ControlFlow<()>,
) -> bool {
    let start = skip_space(text, 0);
    if text.get(start) != Some(&open) {
        return false;
    }
    match parts(text, start + 1, close, visit) {
        ControlFlow::Continue(end) => end.is_some_and(|end| skip_space(text, end) == text.len()),
        ControlFlow::Break(()) => true,
    }
}

/// Reads parts up to `close` and returns its end, or up to a truncated part.
fn parts<'a>(
    text: &'a [u8],
    mut at: usize,
    close: u8,
    mut visit: impl FnMut(Cow<'a, str>, Range<usize>) -> ControlFlow<()>,
) -> ControlFlow<(), Option<usize>> {
    let cut_off = ControlFlow::Continue(None);
    loop {
        at = skip_space(text, at);
        match text.get(at) {
            None => return cut_off,
            Some(byte) if *byte == close => return ControlFlow::Continue(Some(at + 1)),
            Some(_) => {}
        }
        let mut name = Cow::Borrowed("");
        if close == b'}' {
            let Some(end) = end_of_string(text, at) else { return cut_off };
            let Some(read) = read_name(&text[at..end]) else { return cut_off };
            name = read;
            at = skip_space(text, end);
            if text.get(at) != Some(&b':') {
                return cut_off;
            }
            at = skip_space(text, at + 1);
        }
        let Some(end) = end_of_value(text, at) else { return cut_off };
        let value = text[at..end].trim_ascii_end();
        visit(name, at..at + value.len())?;
        at = skip_space(text, end);
        match text.get(at) {
            Some(b',') => at += 1,
            Some(byte) if *byte == close => {}
            _ => return cut_off,
        }
    }
}

/// The text of a string with its quotes, borrowed unless it has escapes.
fn read_name(quoted: &[u8]) -> Option<Cow<'_, str>> {
    if quoted.contains(&b'\\') {
        return serde_json::from_slice(quoted).ok().map(Cow::Owned);
    }
    let within = quoted.get(1..quoted.len() - 1)?;
    std::str::from_utf8(within).ok().map(Cow::Borrowed)
}

/// The given JSON with null for each number that JSON does not have, or that is beyond a double;
/// `None` if there is no such number.
pub fn finite(json: &[u8]) -> Option<Vec<u8>> {
    let mut written = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(byte) = json.get(at) {
        if *byte == b'"' {
            at = end_of_string(json, at).unwrap_or(json.len());
            continue;
        }
        let not_finite = NOT_FINITE.iter().find(|number| json[at..].starts_with(number));
        let number = not_finite.copied().unwrap_or_else(|| number_at(&json[at..]));
        if not_finite.is_some() || is_beyond_a_double(number) {
            written.extend_from_slice(&json[copied..at]);
            written.extend_from_slice(b"null");
            copied = at + number.len();
        }
        at += number.len().max(1);
    }
    if copied == 0 {
        return None;
    }
    written.extend_from_slice(&json[copied..]);
    Some(written)
}

/// The number that the text begins with; empty if it begins with something else.
fn number_at(text: &[u8]) -> &[u8] {
    let is_of_number =
        |byte: &u8| byte.is_ascii_digit() || [b'-', b'+', b'.', b'e', b'E'].contains(byte);
    let end = text.iter().position(|byte| !is_of_number(byte)).unwrap_or(text.len());
    if matches!(text.first(), Some(b'-' | b'0'..=b'9')) { &text[..end] } else { &[] }
}

/// Returns true if a number is too large for the parser.
fn is_beyond_a_double(number: &[u8]) -> bool {
    let number = std::str::from_utf8(number).ok().and_then(|it| it.parse::<f64>().ok());
    number.is_some_and(f64::is_infinite)
}

fn skip_space(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    text.len() - rest.trim_ascii_start().len()
}

/// The end of the string that begins at `at`; `None` if it is truncated, or no string.
fn end_of_string(text: &[u8], mut at: usize) -> Option<usize> {
    if *text.get(at)? != b'"' {
        return None;
    }
    at += 1;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The end of the value that begins at `at`; `None` if it is truncated.
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
    use super::*;
    use crate::test_random;

    fn parts(text: &str) -> (Vec<(String, &str)>, bool) {
        let mut all = Vec::new();
        let is_whole = if text.trim_start().starts_with('[') {
            split_list(text.as_bytes(), |place| all.push((String::new(), &text[place])))
        } else {
            split_object(text.as_bytes(), |name, place| {
                all.push((name.into_owned(), &text[place]));
                ControlFlow::Continue(())
            })
        };
        (all, is_whole)
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
    fn truncated_json_ends_before_the_truncated_part() {
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

    #[test]
    fn json_is_taken_apart_as_a_parser_does() {
        test_random::cases(256, |random| {
            let members: serde_json::Map<_, _> = (0..random.usize(0..5))
                .map(|_| {
                    let (name, text) =
                        (test_random::text(random, 0..=6), test_random::text(random, 0..=6));
                    (name, serde_json::json!([text, {"n": random.i64(..)}]))
                })
                .collect();
            let text = serde_json::to_string_pretty(&members).expect("it is JSON");
            let (all, is_whole) = parts(&text);
            assert!(is_whole, "{text}");
            let read: serde_json::Map<_, _> = all
                .into_iter()
                .map(|(name, value)| (name, serde_json::from_str(value).expect("a value")))
                .collect();
            assert_eq!(read, members);
        });
    }

    #[test]
    fn splitting_any_bytes_yields_ranges_within_them() {
        test_random::cases(2_000, |random| {
            let alphabet = b"{}[]\",:\\u0aN-I\xff \n";
            let any = |random: &mut fastrand::Rng| match random.bool() {
                true => random.u8(..),
                false => *random.choice(alphabet).expect("it is not empty"),
            };
            let text: Vec<_> = (0..random.usize(0..60)).map(|_| any(random)).collect();
            let mut places = Vec::new();
            split_list(&text, |place| places.push(place));
            split_object(&text, |_, place| {
                places.push(place);
                ControlFlow::Continue(())
            });
            assert!(places.into_iter().all(|place| text.get(place).is_some()), "{text:?}");
            let _ = finite(&text);
        });
    }
}
