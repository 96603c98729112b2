//! Tokens to text that reads as if somebody had written it.

use proc_macro2::TokenStream;
use quote::quote;

use crate::Diagnostic;

/// Formats a file's tokens.
pub(crate) fn file(source: &str, tokens: TokenStream) -> Result<String, Diagnostic> {
    let file = syn::parse2::<syn::File>(tokens).map_err(|error| {
        Diagnostic::of_file(source, format!("the generated code does not parse: {error}"))
    })?;
    Ok(prettyplease::unparse(&file))
}

/// A doc comment, one attribute a line so that it is printed as `///` lines.
pub(crate) fn docs(text: &str) -> TokenStream {
    let lines = text.trim().lines().map(|line| {
        let line = if line.is_empty() { String::new() } else { format!(" {}", line.trim_end()) };
        quote!(#[doc = #line])
    });
    quote!(#(#lines)*)
}

/// Prose from a schema, made safe to stand in a doc comment: what looks like HTML or a link to
/// an item would make rustdoc complain, and an indented line would become a doc test.
pub(crate) fn prose(text: &str) -> String {
    let mut in_fence = false;
    let mut lines = Vec::new();
    for line in text.trim().lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            in_fence = !in_fence;
            lines.push(if in_fence { "```text".to_owned() } else { "```".to_owned() });
        } else if in_fence {
            lines.push(line.trim_end().to_owned());
        } else {
            lines.push(escape(trimmed));
        }
    }
    if in_fence {
        lines.push("```".to_owned());
    }
    lines.join("\n")
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
            for word in part.split_inclusive(char::is_whitespace) {
                escape_word(word, &mut escaped);
            }
        }
    }
    if in_code {
        escaped.push('`');
    }
    escaped
}

fn escape_word(word: &str, escaped: &mut String) {
    let address = word.find("https://").or_else(|| word.find("http://"));
    let (before, rest) = word.split_at(address.unwrap_or(word.len()));
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
