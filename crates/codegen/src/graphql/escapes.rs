//! Escapes in strings that the parser does not know: `\\u{1F600}`, and two halves of a character.

/// A text in which such escapes are the characters that they stand for.
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
            // What stands there stands for itself.
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

/// The character of an escape that a text begins with, and how long the escape is.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_parser_does_not_know_is_decoded() {
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
