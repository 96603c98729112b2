//! Finds the place that a message is about. The syntax tree has no positions for values and
//! arguments, so the rules that look at those give none; but they name what they complain of.

use graphql_tools::parser::{Pos, TokenKind, spanned_tokens};

/// The place of what a message names, where that can be told.
pub(crate) fn locate(text: &str, message: &str) -> Option<Pos> {
    let tokens = Tokens::read(text)?;
    if let Some(field) = missing_field(message) {
        let object = tokens.first(|at| tokens.is_object_without(at, field))?;
        return Some(tokens.position(object));
    }
    let value = ["found ", "value: "].iter().find_map(|before| message.rsplit_once(before));
    let value = value.map(|(_, value)| value.trim_end_matches('.'));
    if let Some(place) = value.and_then(|value| tokens.first(|at| tokens.text(at) == value)) {
        return Some(tokens.position(place));
    }
    // Every second piece stands between quotation marks.
    let place = message.split('"').skip(1).step_by(2).find_map(|name| {
        if let Some(variable) = name.strip_prefix('$') {
            return tokens.first(|at| tokens.text(at) == "$" && tokens.text(at + 1) == variable);
        }
        let named = |at: usize| tokens.is_name(at) && tokens.text(at) == name;
        let after = |at: usize, words: &[&str]| at > 0 && words.contains(&tokens.text(at - 1));
        let definitions = ["query", "mutation", "subscription", "fragment"];
        if message.starts_with("There can be only one") {
            tokens.last(|at| named(at) && after(at, &definitions))
        } else if message.starts_with("Value") {
            tokens.first(named)
        } else if message.contains("cannot be spread here") {
            tokens.first(|at| named(at) && after(at, &["..."]))
        } else if message.starts_with("Fragment") {
            tokens.first(|at| named(at) && after(at, &["fragment"]))
        } else {
            tokens
                .first(|at| named(at) && tokens.text(at + 1) == ":")
                .or_else(|| tokens.first(|at| named(at) && after(at, &definitions)))
        }
    });
    place.map(|place| tokens.position(place))
}

/// The field that an object literal lacks, where the message is about that.
fn missing_field(message: &str) -> Option<&str> {
    let (before, _) = message.split_once("\" of required type \"")?;
    let (_, field) = before.rsplit_once('.')?;
    message.ends_with("was not provided.").then_some(field)
}

struct Tokens<'a> {
    source: &'a str,
    all: Vec<(TokenKind, std::ops::Range<usize>)>,
}

impl<'a> Tokens<'a> {
    fn read(source: &'a str) -> Option<Self> {
        Some(Self { source, all: spanned_tokens(source).ok()? })
    }

    fn first(&self, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        (0..self.all.len()).find(|at| wanted(*at))
    }

    fn last(&self, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        (0..self.all.len()).rev().find(|at| wanted(*at))
    }

    fn is_name(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|(kind, _)| *kind == TokenKind::Name)
    }

    /// Whether an object literal begins here that has no field of this name. A selection begins with
    /// the same token, but never after one of these.
    fn is_object_without(&self, at: usize, field: &str) -> bool {
        let is_literal = at > 0 && [":", "[", "=", "}"].contains(&self.text(at - 1));
        if !is_literal || self.text(at) != "{" {
            return false;
        }
        let mut depth = 0;
        for place in at..self.all.len() {
            match self.text(place) {
                "{" | "[" => depth += 1,
                "}" | "]" if depth == 1 => return true,
                "}" | "]" => depth -= 1,
                name if depth == 1 && name == field && self.text(place + 1) == ":" => return false,
                _ => {}
            }
        }
        true
    }

    fn text(&self, at: usize) -> &str {
        self.all.get(at).and_then(|(_, range)| self.source.get(range.clone())).unwrap_or_default()
    }

    fn position(&self, at: usize) -> Pos {
        let start = self.all.get(at).map_or(0, |(_, range)| range.start);
        let before = self.source.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Pos {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}
