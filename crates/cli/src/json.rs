//! JSON layout: compact and indented text that keeps every number and string verbatim, and escapes
//! characters that control a terminal.

use std::fmt;
use std::io::{self, Write};

/// JSON without white space between its tokens, and so on one line.
pub fn on_one_line(json: &str) -> String {
    reformat(json, false)
}

/// JSON on indented lines.
pub fn indented(json: &str) -> String {
    reformat(json, true)
}

fn reformat(json: &str, indented: bool) -> String {
    let mut out = String::with_capacity(json.len());
    let mut depth = 0_usize;
    let mut rest = json.chars().peekable();
    let break_line = |out: &mut String, depth: usize| {
        if indented {
            out.push('\n');
            out.extend(std::iter::repeat_n("  ", depth));
        }
    };
    while let Some(token) = rest.next() {
        match token {
            ' ' | '\t' | '\r' | '\n' => {}
            '"' => {
                out.push('"');
                while let Some(char) = rest.next() {
                    // Valid JSON already escapes all of ASCII except DEL.
                    if is_control(char) {
                        out.push_str(&format!("\\u{:04x}", u32::from(char)));
                    } else {
                        out.push(char);
                    }
                    match char {
                        '"' => break,
                        '\\' => out.extend(rest.next()),
                        _ => {}
                    }
                }
            }
            '{' | '[' => {
                out.push(token);
                while rest.next_if(char::is_ascii_whitespace).is_some() {}
                if rest.peek().is_some_and(|next| matches!(next, '}' | ']')) {
                    out.extend(rest.next());
                } else {
                    depth += 1;
                    break_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut out, depth);
                out.push(token);
            }
            ',' => {
                out.push(',');
                break_line(&mut out, depth);
            }
            ':' if indented => out.push_str(": "),
            _ => out.push(token),
        }
    }
    out
}

/// A writer that prints each line of JSON in compact form.
pub struct LineWriter<W: Write> {
    out: io::BufWriter<W>,
    /// The incomplete last line.
    line: Vec<u8>,
}

impl<W: Write> LineWriter<W> {
    pub fn new(out: W) -> Self {
        Self { out: io::BufWriter::new(out), line: Vec::new() }
    }
}

impl<W: Write> Write for LineWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = on_one_line(&String::from_utf8_lossy(&self.line));
                self.line.clear();
                writeln!(self.out, "{line}")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns true if a character controls a terminal: control characters, line separators and
/// bidirectional marks. All of them fit into four hexadecimal digits.
fn is_control(char: char) -> bool {
    let is_bidirectional = matches!(
        char,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    char.is_control() || is_bidirectional
}

/// Text from the service on one line, so that none of it looks like a message of the program.
pub fn one_line(text: &str) -> String {
    Printable(text).to_string().replace(['\n', '\t'], " ")
}

/// Text from the service, with control characters escaped.
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '\n' | '\t' => write!(f, "{char}")?,
                _ if is_control(char) => write!(f, "{}", char.escape_unicode())?,
                _ => write!(f, "{char}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_between_tokens_changes() {
        let json =
            "{ \"a\" : [ 1.50 , 1e400, { } ],\r\n \"b \\\" ,\": [\n] , \"c\": {\"d\": null} }";
        let line = r#"{"a":[1.50,1e400,{}],"b \" ,":[],"c":{"d":null}}"#;
        assert_eq!(on_one_line(json), line);
        let lines = "{\n  \"a\": [\n    1.50,\n    1e400,\n    {}\n  ],\n  \"b \\\" ,\": [],\n  \
                     \"c\": {\n    \"d\": null\n  }\n}";
        assert_eq!(indented(json), lines);
        assert_eq!(on_one_line(&indented(json)), line);
    }

    #[test]
    fn control_characters_in_a_string_are_escaped_as_json() {
        let json = "\"red \u{9b}31m\u{7f} \u{202e}turned \u{2066}\"";
        let shown = on_one_line(json);
        assert_eq!(shown, r#""red \u009b31m\u007f \u202eturned \u2066""#);
        let read = |json| serde_json::from_str::<String>(json).ok();
        assert_eq!(read(&shown), read(json));
    }

    #[test]
    fn control_characters_in_text_are_escaped() {
        let text = Printable("red \u{1b}[31m\u{9b}31m\n\tbell \u{7} \u{202e}turned").to_string();
        assert_eq!(text, "red \\u{1b}[31m\\u{9b}31m\n\tbell \\u{7} \\u{202e}turned");
        assert_eq!(Printable("שלום 画家 e\u{301}").to_string(), "שלום 画家 e\u{301}");
    }
}
