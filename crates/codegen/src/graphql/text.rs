//! Text of GraphQL sources: positions of the parser, unsupported escapes, and similar names.

use graphql_tools::parser::Pos;

/// Splits a message of the query parser into its position and its text.
pub(crate) fn split_position(message: &str) -> (Pos, String) {
    let message = message.trim();
    let Some((_, after)) = message.split_once("Parse error at ") else {
        return (Pos { line: 1, column: 1 }, message.to_owned());
    };
    let (place, what) = after.split_once('\n').unwrap_or((after, ""));
    let (line, column) = place.trim().split_once(':').unwrap_or((place, "1"));
    let number = |text: &str| text.parse().unwrap_or(1);
    let what = what.lines().map(|line| plain_words(line.trim())).filter(|it| !it.is_empty());
    let what: Vec<_> = what.collect();
    (
        Pos { line: number(line), column: number(column) },
        format!("syntax error: {}", what.join("; ")),
    )
}

/// A message without the parser's names for kinds of tokens.
fn plain_words(line: &str) -> String {
    let mut words = line.to_owned();
    for kind in ["Punctuator", "Name", "IntValue", "FloatValue", "StringValue", "BlockString"] {
        words = words.replace(&format!("[{kind}]`"), "`");
    }
    for doubled in ["unexpected character", "unterminated"] {
        words = words.replace(&format!("Unexpected {doubled}"), doubled);
    }
    words
}

/// The column of a line as an editor counts it. The parser counts a tab as eight, and its text has
/// some escapes decoded.
pub(crate) fn column(line: &str, counted_as: usize) -> usize {
    let (mut counted, mut column) = (1, 1);
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        if counted >= counted_as {
            return column;
        }
        let length = escape(rest).map_or(character.len_utf8(), |(_, length)| length);
        column += rest[..length].chars().count();
        counted += if character == '\t' { 8 } else { 1 };
        rest = &rest[length..];
    }
    column + counted_as.saturating_sub(counted)
}

/// A text in which these escapes are decoded.
pub(crate) fn decoded(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_string = false;
    let mut in_comment = false;
    while let Some(next) = rest.chars().next() {
        let mut taken = next.len_utf8();
        match next {
            '\n' => (in_string, in_comment) = (false, false),
            '#' if !in_string => in_comment = true,
            _ if in_comment => {}
            // A block string has no escapes.
            '"' if !in_string && rest.starts_with("\"\"\"") => {
                let end = rest[3..].find("\"\"\"").map_or(rest.len(), |end| end + 6);
                taken = end;
            }
            '"' => in_string = !in_string,
            '\\' if in_string => match escape(rest) {
                Some((character, length)) => {
                    plain.push(character);
                    rest = &rest[length..];
                    continue;
                }
                None => taken += rest[1..].chars().next().map_or(0, char::len_utf8),
            },
            _ => {}
        }
        plain.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    plain
}

/// The character of an escape at the start of a text, and the length of the escape.
pub(crate) fn escape(text: &str) -> Option<(char, usize)> {
    let rest = text.strip_prefix("\\u")?;
    if let Some(rest) = rest.strip_prefix('{') {
        let (digits, _) = rest.split_once('}')?;
        let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        return Some((character, digits.len() + 4)).filter(|(it, _)| !"\"\\\n\r".contains(*it));
    }
    let half = |text: &str| u16::from_str_radix(text.get(..4)?, 16).ok();
    let second = rest.get(4..)?.strip_prefix("\\u")?;
    let character = char::decode_utf16([half(rest)?, half(second)?]).next()?.ok()?;
    (character.len_utf16() == 2).then_some((character, 12))
}

/// A string literal of GraphQL.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_escapes_that_the_parser_does_not_support_are_decoded() {
        for (text, plain) in [
            (
                r#"a(b: "\u{1F600}\uD83D\uDE00\u00e9\n\\u{61}\u{D800}")"#,
                r#"a(b: "😀😀\u00e9\n\\u{61}\u{D800}")"#,
            ),
            (r#"# " \u{61}"#, r#"# " \u{61}"#),
            (r#""""\u{61}" """ "\u{61}\u{22}""#, r#""""\u{61}" """ "a\u{22}""#),
        ] {
            assert_eq!(decoded(text), plain);
        }
    }
}
