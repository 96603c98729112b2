//! Formatting of generated code: layout, doc comments, prose.

use proc_macro2::TokenStream;
use quote::quote;

use crate::Diagnostic;

/// Formats a file's tokens.
pub(crate) fn file(source: &str, tokens: TokenStream) -> Result<String, Diagnostic> {
    let file = syn::parse2::<syn::File>(tokens).map_err(|error| {
        Diagnostic::of_file(source, format!("the generated code does not parse: {error}"))
    })?;
    Ok(separate_items(&by_line(&without_bidi(&prettyplease::unparse(&file)))))
}

/// Escapes the characters that change the direction of text, which the compiler denies in a
/// comment. Literals have them escaped already.
fn without_bidi(code: &str) -> String {
    let mut escaped = String::with_capacity(code.len());
    for c in code.chars() {
        match c {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => escaped.extend(c.escape_unicode()),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// JSON in a raw string with such characters escaped, in JSON's notation.
pub(crate) fn json_without_bidi(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// The runtime's macro that has a line for each field of an object.
const OBJECT: &str = "__runtime::__private::object! {\n";

/// Puts each field of an object on a line of its own; the printer does not parse the macro's
/// tokens.
fn by_line(code: &str) -> String {
    let mut pieces = code.split(OBJECT);
    let mut lines = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let indentation = " ".repeat(lines.len() - lines.trim_end_matches(' ').len());
        lines.push_str(OBJECT);
        let end = piece.find(&format!("\n{indentation}}}\n")).unwrap_or_default();
        let (fields, rest) = piece.split_at(end);
        lines.push_str(&fields_by_line(fields, &indentation));
        lines.push_str(rest);
    }
    lines
}

fn fields_by_line(fields: &str, indentation: &str) -> String {
    let mut lines = format!("{indentation}    ");
    let (mut in_text, mut escaped) = (false, false);
    for c in fields.trim().replace(&format!("\n{indentation}    "), " ").chars() {
        let is_blank = c == ' ' && lines.ends_with(' ');
        match c {
            _ if in_text => lines.push(c),
            '{' | ';' => lines.push_str(&format!("{c}\n{indentation}        ")),
            '}' => {
                lines.truncate(lines.trim_end().len());
                lines.push_str(&format!("\n{indentation}    }}"));
            }
            _ if is_blank => {}
            _ => lines.push(c),
        }
        in_text ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    lines
}

/// Puts a blank line between items.
fn separate_items(code: &str) -> String {
    let mut spaced = String::with_capacity(code.len());
    let mut before = "";
    for line in code.lines() {
        let comment = before.trim_start().starts_with("//");
        let ends = before.trim() == "}" || (before.ends_with(';') && !comment);
        if ends && indentation(before) == indentation(line) && starts_item(line.trim_start()) {
            spaced.push('\n');
        }
        spaced.push_str(line);
        spaced.push('\n');
        before = line;
    }
    spaced
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn starts_item(line: &str) -> bool {
    ["///", "#[", "impl", "pub ", "fn ", "const ", "__runtime::__private::"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// A doc comment, one attribute a line so that it is printed as `///` lines.
pub(crate) fn docs(text: &str) -> TokenStream {
    let lines = text.trim().lines().map(|line| {
        let line = if line.is_empty() { String::new() } else { format!(" {}", line.trim_end()) };
        quote!(#[doc = #line])
    });
    quote!(#(#lines)*)
}

/// Escapes prose of a schema for a doc comment: rustdoc would complain about HTML and links to
/// items, and make a doc test of an indented line.
pub(crate) fn prose(text: &str) -> String {
    // The fence that closes the current block of code.
    let mut fence: Option<&str> = None;
    // The indentation of the text of the list item to which the previous line belongs.
    let mut item = 0;
    let mut lines = Vec::new();
    for line in text.trim().lines() {
        let trimmed = line.trim();
        if let Some(open) = fence {
            let closes = fence_of(trimmed).is_some_and(|it| it == trimmed && it.starts_with(open));
            if closes {
                fence = None;
            }
            lines.push(if closes { open.to_owned() } else { line.trim_end().to_owned() });
        } else if let Some(open) = fence_of(trimmed) {
            fence = Some(open);
            item = 0;
            lines.push(format!("{open}text"));
        } else {
            let marker = list_marker(trimmed);
            match (trimmed, marker) {
                ("", _) => item = 0,
                (_, Some(width)) => item = width,
                _ => {}
            }
            let indentation = if marker.is_some() { 0 } else { item };
            lines.push(format!("{:indentation$}{}", "", escape(trimmed)));
        }
    }
    lines.extend(fence.map(str::to_owned));
    lines.join("\n")
}

/// Prose of a schema, or another text if it has none.
pub(crate) fn prose_or(text: Option<&str>, otherwise: &str) -> String {
    match text.map(prose) {
        Some(text) if !text.is_empty() => text,
        _ => otherwise.to_owned(),
    }
}

/// The fence at the start of a line, of three or more equal characters, which begins or ends a
/// block of code. A fence of backticks has no other backtick after it: that would be code within a
/// line.
fn fence_of(line: &str) -> Option<&str> {
    let sign = line.chars().next().filter(|c| ['`', '~'].contains(c))?;
    let rest = line.trim_start_matches(sign);
    let fence = &line[..line.len() - rest.len()];
    (fence.len() >= 3 && !(sign == '`' && rest.contains(sign))).then_some(fence)
}

/// The width of the marker of a list item, if a line begins one.
fn list_marker(line: &str) -> Option<usize> {
    let (marker, _) = line.split_once(' ')?;
    let number = marker.strip_suffix(['.', ')']);
    let is_number = |it: &str| !it.is_empty() && it.chars().all(|c| c.is_ascii_digit());
    (["-", "*", "+"].contains(&marker) || number.is_some_and(is_number)).then_some(marker.len() + 1)
}

fn escape(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let mut in_code = false;
    for (index, part) in line.split('`').enumerate() {
        if index > 0 {
            escaped.push('`');
            in_code = !in_code;
        }
        if in_code {
            escaped.push_str(part);
        } else {
            escape_part(part, &mut escaped);
        }
    }
    if in_code {
        escaped.push('`');
    }
    escaped
}

/// Escapes everything but code and links to the web.
fn escape_part(part: &str, escaped: &mut String) {
    let words = |text: &str, escaped: &mut String| {
        text.split_inclusive(char::is_whitespace).for_each(|word| escape_word(word, escaped));
    };
    let mut rest = part;
    while let Some((before, text, address, after)) = link(rest) {
        words(before, escaped);
        escaped.push('[');
        words(text, escaped);
        escaped.push_str(&format!("](<{address}>)"));
        rest = after;
    }
    words(rest, escaped);
}

/// The first link to the web, `[text](https://address "title")`, and the text before and after it.
fn link(part: &str) -> Option<(&str, &str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = part[from..].find("](http").map(|at| from + at) {
        from = at + 1;
        let Some(open) = part[..at].rfind('[') else { continue };
        let text = &part[open + 1..at];
        let target = &part[at + 2..];
        let mut depth = 0;
        let close = target.char_indices().find_map(|(at, c)| match c {
            '(' => {
                depth += 1;
                None
            }
            ')' if depth == 0 => Some(at),
            ')' => {
                depth -= 1;
                None
            }
            _ => None,
        });
        let Some(close) = close else { continue };
        let address = target[..close].split_whitespace().next().unwrap_or_default();
        let is_plain = !text.contains(']') && !part[..open].ends_with('!');
        let is_web = ["http://", "https://"].iter().any(|it| address.starts_with(it));
        if is_plain && is_web && !address.contains(['<', '>']) {
            return Some((&part[..open], text, address, &target[close + 1..]));
        }
    }
    None
}

fn escape_word(word: &str, escaped: &mut String) {
    let address = word.find("https://").or_else(|| word.find("http://"));
    let (before, rest) = word.split_at(address.unwrap_or(word.len()));
    // After the marker of a list item it would begin a block of code.
    if before.starts_with("~~~") {
        escaped.push('\\');
    }
    for c in before.chars() {
        if matches!(c, '<' | '>' | '[' | ']') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    if !rest.is_empty() {
        let end =
            rest.find(|c: char| c.is_whitespace() || "<>[]()\"'".contains(c)).unwrap_or(rest.len());
        let address = rest[..end].trim_end_matches(['.', ',', ';', ':']);
        escaped.push('<');
        escaped.push_str(address);
        escaped.push('>');
        escape_word(&rest[address.len()..], escaped);
    }
}

/// The description, or another text if there is none.
pub(crate) fn sentence(text: &str, otherwise: &str) -> String {
    if text.trim().is_empty() { otherwise.to_owned() } else { prose(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_escaped_for_rustdoc() {
        assert_eq!(prose("Vec<T> of [x]"), r"Vec\<T\> of \[x\]");
        assert_eq!(prose("`Vec<T>` stays"), "`Vec<T>` stays");
        assert_eq!(
            prose("see (https://a.example/b?c=<d>)."),
            r"see (<https://a.example/b?c=>\<d\>)."
        );
        assert_eq!(
            prose("[a b](https://a.example/c_(d) \"e\"), [f](g), ![h](http://i) [j] (http://k)"),
            r"[a b](<https://a.example/c_(d)>), \[f\](g), !\[h\](<http://i>) \[j\] (<http://k>)"
        );
        assert_eq!(prose("never `closed"), "never `closed`");
        assert_eq!(
            prose("- one\ntwo\n10. three\n    four\n\nfive"),
            "- one\n  two\n10. three\n    four\n\nfive"
        );
        assert_eq!(
            prose("    indented\n\n```rust\nfn [a]\n```"),
            "indented\n\n```text\nfn [a]\n```"
        );
    }

    #[test]
    fn a_block_of_code_is_text_whatever_its_fence() {
        for (described, expected) in [
            ("~~~\nfn [a]\n~~~\n[b]", "~~~text\nfn [a]\n~~~\n\\[b\\]"),
            ("~~~rust\n```\na\n```\n~~~", "~~~text\n```\na\n```\n~~~"),
            ("```\n~~~\n```rust\n````\n[a]", "```text\n~~~\n```rust\n```\n\\[a\\]"),
            ("````\n```\n[a]", "````text\n```\n[a]\n````"),
            ("~~~~ rust", "~~~~text\n~~~~"),
            ("```[a]``` [b]", "```[a]``` \\[b\\]"),
            ("~~[a]~~", "~~\\[a\\]~~"),
            ("- ~~~rust", "- \\~~~rust"),
        ] {
            assert_eq!(prose(described), expected, "{described}");
        }
    }

    #[test]
    fn text_that_changes_its_direction_is_escaped_in_docs_and_literals() {
        let line = " a\u{202e}b\u{2066}c";
        let code = file("x", quote!(#[doc = #line] const A: &str = #line;)).ok();
        let text = "a\\u{202e}b\\u{2066}c";
        assert_eq!(code, Some(format!("/// {text}\nconst A: &str = \" {text}\";\n")));
    }

    #[test]
    fn items_are_separated_by_blank_lines() {
        let code = file("x", quote!(struct A { a: u8 } impl A { fn a() {} fn b() {} })).ok();
        let expected = "struct A {\n    a: u8,\n}\n\nimpl A {\n    fn a() {}\n    fn b() {}\n}\n";
        assert_eq!(code.as_deref(), Some(expected));
    }

    #[test]
    fn a_comment_that_ends_in_a_semicolon_stays_in_one_piece() {
        let docs = docs("One;\ntwo.");
        let code = file("x", quote!(#docs struct A;)).ok();
        assert_eq!(code.as_deref(), Some("/// One;\n/// two.\nstruct A;\n"));
    }
}
