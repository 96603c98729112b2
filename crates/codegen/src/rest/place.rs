//! Where something stands in the text of a description: the tree that it was read into has no
//! positions. The text is followed key by key as far as it is written in an ordinary way; what
//! cannot be followed further has the place of what it is within.

/// The line and the column of what a list of keys leads to, both counted from 1.
pub(super) fn of(text: &str, keys: &[String]) -> (usize, usize) {
    let start = text.len() - text.trim_start().len();
    let mut at = 0;
    let mut within = match text[start..].starts_with('{') {
        true => Within::Flow(start),
        false => Within::Block(0..text.len()),
    };
    for key in keys {
        let found = match &within {
            Within::Flow(start) => in_flow(text, *start, key),
            Within::Block(lines) => in_block(text, lines.clone(), key),
        };
        let Some((place, next)) = found else { break };
        (at, within) = (place, next);
    }
    position(text, at)
}

/// The line and the column of the first reference to a target.
pub(super) fn of_reference(text: &str, target: &str) -> (usize, usize) {
    let found = text.match_indices("$ref").find(|(at, _)| {
        let written = text[at + "$ref".len()..].trim_start_matches(['"', '\'', ':', ' ']);
        let after = written.strip_prefix(target).map(|rest| rest.chars().next());
        after.is_some_and(|next| next.is_none_or(|it| it.is_whitespace() || "\"'},".contains(it)))
    });
    position(text, found.map_or(0, |(at, _)| at))
}

fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The keys of a pointer such as `#/paths/~1a/get`.
pub(super) fn keys(pointer: &str) -> Vec<String> {
    let keys = pointer.split('/').skip(1);
    keys.map(|key| key.replace("~1", "/").replace("~0", "~")).collect()
}

/// What the next key is looked for in.
enum Within {
    /// Braces or brackets, from the first one on.
    Flow(usize),
    /// Lines that are indented alike.
    Block(std::ops::Range<usize>),
}

fn in_block(text: &str, lines: std::ops::Range<usize>, key: &str) -> Option<(usize, Within)> {
    let mut indentation = None;
    let number = key.parse::<usize>().ok();
    let mut item = 0;
    let mut offset = lines.start;
    let mut found: Option<(usize, usize, usize)> = None;
    let mut end = lines.end;
    for line in text[lines.clone()].split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let content = line.trim_start();
        if content.trim_end().is_empty() || content.starts_with('#') || content.starts_with("---") {
            continue;
        }
        let depth = line.len() - content.len();
        let children = *indentation.get_or_insert(depth);
        if let Some((_, _, own)) = found {
            // A list may be as little indented as its key.
            if depth < own || (depth == own && !content.starts_with('-')) {
                end = start;
                break;
            }
        } else if depth == children && content.starts_with("- ") {
            if number == Some(item) {
                let value = content[1..].trim_start();
                let at = start + line.len() - value.len();
                let within = match value.starts_with(['{', '[']) {
                    true => Within::Flow(at),
                    false => Within::Block(at..at),
                };
                return Some((at, within));
            }
            item += 1;
        } else if depth == children
            && let Some(value) = value_of(content, key)
        {
            found = Some((start + depth, start + depth + value, depth));
        }
    }
    let (place, value, _) = found?;
    let rest = &text[value..end];
    let inline = rest.split('\n').next().unwrap_or_default();
    let flow = inline.len() - inline.trim_start().len();
    Some(match inline.trim_start().starts_with(['{', '[']) {
        true => (place, Within::Flow(value + flow)),
        false => {
            (place, Within::Block(value + rest.find('\n').map_or(rest.len(), |it| it + 1)..end))
        }
    })
}

/// Where the value begins on a line that begins with a key.
fn value_of(content: &str, key: &str) -> Option<usize> {
    let quoted = [format!("'{key}'"), format!("\"{key}\""), key.to_owned()];
    quoted.iter().find_map(|written| {
        let rest = content.strip_prefix(written.as_str())?;
        rest.starts_with(':').then_some(written.len() + 1)
    })
}

/// Looks among what stands directly within braces, or for the n-th within brackets.
fn in_flow(text: &str, start: usize, key: &str) -> Option<(usize, Within)> {
    let wanted = key.parse::<usize>().ok().filter(|_| text[start..].starts_with('['));
    let is_list = text[start..].starts_with('[');
    let mut depth = 0;
    let mut place = 0;
    let mut expects = false;
    let mut characters = text[start..].char_indices().map(|(at, c)| (start + at, c));
    while let Some((at, c)) = characters.next() {
        if expects && !c.is_whitespace() && !['}', ']'].contains(&c) {
            expects = false;
            if is_list {
                if wanted == Some(place) {
                    return Some((at, Within::Flow(at)));
                }
            } else if let Some(value) = value_of(&text[at..], key) {
                let rest = &text[at + value..];
                let value = at + value + rest.len() - rest.trim_start().len();
                return Some((at, Within::Flow(value)));
            }
        }
        match c {
            '{' | '[' => {
                depth += 1;
                expects |= depth == 1;
            }
            '}' | ']' => {
                depth -= 1;
                if depth <= 0 {
                    return None;
                }
            }
            ',' if depth == 1 => {
                expects = true;
                place += 1;
            }
            '"' | '\'' => {
                let mut escaped = false;
                for (_, inner) in characters.by_ref() {
                    match inner {
                        _ if escaped => escaped = false,
                        '\\' if c == '"' => escaped = true,
                        inner if inner == c => break,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        // What is neither braces nor brackets has nothing within.
        if depth == 0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, pointer: &str) -> (usize, usize) {
        of(text, &keys(pointer))
    }

    #[test]
    fn keys_are_followed_in_every_notation() {
        let block = "openapi: 3.0.0\n# paths:\npaths:\n  '/a/{id}':\n    get:\n      parameters:\n      - {name: x}\n  /b: {get: {responses: {200: {description: 'a, b: {'}, 404: {}}}}\ncomponents:\n  schemas:\n    A:\n      properties:\n        b: {type: string}\n    B: {}\n";
        assert_eq!(place(block, "#/paths/~1a~1{id}/get"), (5, 5));
        assert_eq!(place(block, "#/paths/~1b/get"), (8, 8));
        assert_eq!(place(block, "#/paths/~1b/get/responses/404"), (8, 57));
        assert_eq!(place(block, "#/components/schemas/A/properties/b"), (13, 9));
        assert_eq!(place(block, "#/components/schemas/B"), (14, 5));
        let list = "paths:\n  /a:\n    parameters:\n    - name: x\n    - {name: y, schema: {type: string}}\n    get: {}\n";
        assert_eq!(place(list, "#/paths/~1a/parameters/0/schema"), (4, 7));
        assert_eq!(place(list, "#/paths/~1a/parameters/1/schema/type"), (5, 26));
        assert_eq!(place(list, "#/paths/~1a/get"), (6, 5));
        let json = "{\"openapi\": \"3\", \"x\": {\"paths\": 1},\n \"paths\": {\"/a\": {\"get\": {\"parameters\": [{\"name\": \"]\"}, {\"name\": \"b\"}]}}}}";
        assert_eq!(place(json, "#/paths/~1a/get"), (2, 19));
        assert_eq!(place(json, "#/paths/~1a/get/parameters/1"), (2, 57));
        let pretty = "{\n  \"paths\": {\n    \"/a\": {\n      \"get\": {}\n    }\n  }\n}\n";
        assert_eq!(place(pretty, "#/paths/~1a/get"), (4, 7));
    }

    #[test]
    fn a_reference_is_found_by_its_whole_target() {
        let text = "a: {$ref: '#/b/c'}\nb: {\"$ref\": \"#/b\"}\n";
        assert_eq!(of_reference(text, "#/b"), (2, 6));
        assert_eq!(of_reference(text, "#/b/c"), (1, 5));
        assert_eq!(of_reference(text, "#/c"), (1, 1));
    }

    #[test]
    fn what_cannot_be_followed_has_the_place_of_what_it_is_within() {
        assert_eq!(place("paths:\n  /a: *anchor\n", "#/paths/~1a/get"), (2, 3));
        assert_eq!(place("paths: {}\n", "#/components/schemas/A"), (1, 1));
        assert_eq!(place("", "#/paths"), (1, 1));
    }
}
