//! Where the parser says that something stands, as an editor counts it.

use graphql_tools::parser::Pos;

use super::escapes::escape;

/// Splits what the query parser says into where and what.
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

/// What the parser says without what only its authors have a use for: the kinds of tokens.
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

/// The column of a line as an editor counts it. The parser counts a tab as eight, and sees the
/// character that some escapes stand for.
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
