//! JSON text in another layout, with every number and string as it came.

use std::fmt;

/// The same JSON without white space between its tokens, and so on one line.
pub fn on_one_line(json: &str) -> String {
    laid_out(json, false)
}

/// The same JSON, indented for people.
pub fn indented(json: &str) -> String {
    laid_out(json, true)
}

fn laid_out(json: &str, indented: bool) -> String {
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
                    out.push(char);
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

/// Text from the service, without what would control a terminal.
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '\n' | '\t' => write!(f, "{char}")?,
                _ if char.is_control() => write!(f, "{}", char.escape_unicode())?,
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
    fn only_the_space_between_tokens_changes() {
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
    fn text_of_a_handler_cannot_control_the_terminal() {
        let text = Printable("red \u{1b}[31m\u{9b}31m\n\tbell \u{7}").to_string();
        assert_eq!(text, "red \\u{1b}[31m\\u{9b}31m\n\tbell \\u{7}");
    }
}
