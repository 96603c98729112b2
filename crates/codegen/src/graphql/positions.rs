//! Positions of diagnostics that the validator reports without one, and suggestions for unknown
//! names.
//!
//! The syntax tree of graphql-tools has no positions for values and arguments, but the message
//! names them. Candidates in the text are replaced by a name that no schema has; a candidate that
//! alone is enough for the message to be reported is a position, found by bisection. Only the rule
//! that reported the message runs again, on one file, and only after an error: a valid query is
//! never searched.
//!
//! apollo-compiler has a position for every error, and is no replacement: its numbers are in
//! `docs/design/generator.md`.

use std::ops::Range;

use graphql_tools::parser::query::Definition;
use graphql_tools::parser::schema::{Definition as SchemaDefinition, TypeDefinition};
use graphql_tools::parser::{Pos, TokenKind, spanned_tokens};
use graphql_tools::static_graphql::query::Document;

use super::folder::Folder;
use super::operation::name_of;
use super::schema::Schema;
use crate::naming::nearest;

/// A name that no schema has.
const UNKNOWN: &str = "podqueue__unknown";

/// The keywords before the name of an operation or a fragment.
const DEFINITIONS: [&str; 4] = ["query", "mutation", "subscription", "fragment"];

/// The maximum number of changed texts that are validated for a message: a file may have thousands
/// of candidates.
const MAX_CHANGES: usize = 200;

/// The positions in a text that a message is about. `count` returns how often the message is
/// reported for a changed text.
pub(crate) fn locate(text: &str, message: &str, count: impl Fn(&str) -> usize) -> Vec<Pos> {
    let Some(tokens) = Tokens::read(text) else { return Vec::new() };
    let candidates = tokens.candidates(message);
    if message.starts_with("There can be only one") && !message.contains("input field") {
        // All but the first are duplicates.
        return candidates.iter().skip(1).map(|it| tokens.position(it.place)).collect();
    }
    let changed = |which: &dyn Fn(usize) -> bool| {
        let changes = candidates.iter().enumerate().filter(|(at, _)| which(*at));
        count(&with_changes(text, changes.map(|(_, it)| it)))
    };
    let elsewhere = changed(&|_| true);
    // By bisection, in the order of the text: kept alone, candidates without an error report none.
    let mut kept: Vec<_> = std::iter::once(0..candidates.len()).collect();
    let mut found = Vec::new();
    for _ in 0..MAX_CHANGES {
        let Some(range) = kept.pop() else { break };
        if changed(&|at| !range.contains(&at)) > elsewhere {
            match range.start + range.len() / 2 {
                middle if middle == range.start => found.push(middle),
                middle => kept.extend([middle..range.end, range.start..middle]),
            }
        }
    }
    if found.is_empty() {
        // Two of them together are the error.
        let all = count(text);
        let mut last = (0..candidates.len()).rev().take(MAX_CHANGES);
        found.extend(last.find(|one| changed(&|at| at == *one) < all));
    }
    if found.is_empty() {
        // The operation that the message names.
        return tokens.operation(message).map(|at| tokens.position(at)).into_iter().collect();
    }
    found.into_iter().map(|at| tokens.position(candidates[at].place)).collect()
}

/// The positions of a repeated argument, all but the first, in the field or the directive at a
/// position.
pub(crate) fn repeated_argument(text: &str, at: Pos, message: &str) -> Vec<Pos> {
    let name = message.split('"').nth(1).unwrap_or_default();
    let Some(tokens) = Tokens::read(text) else { return vec![at] };
    let mut depth = 0;
    let mut found = Vec::new();
    for place in tokens.from(at).skip_while(|place| tokens.text(*place) != "(") {
        match tokens.text(place) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            text if depth == 1 && text == name && tokens.text(place + 1) == ":" => {
                found.push(tokens.position(place));
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    if found.len() < 2 { vec![at] } else { found.split_off(1) }
}

/// The first and the last token of a directive.
pub(crate) fn directive_range(text: &str, at: Pos) -> (Pos, Pos) {
    let Some(tokens) = Tokens::read(text) else { return (at, at) };
    let mut places = tokens.from(at);
    let Some(name) = places.nth(1) else { return (at, at) };
    let mut depth = 0;
    for place in places {
        match tokens.text(place) {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let is_argument = tokens.text(place) == ")";
            return (at, tokens.position(if is_argument { place } else { name }));
        }
    }
    (at, tokens.position(name))
}

/// A position that a message may be about, and a change after which the message is no longer about
/// it.
struct Candidate {
    place: usize,
    range: Range<usize>,
    instead: String,
}

fn with_changes<'a>(text: &str, changes: impl Iterator<Item = &'a Candidate>) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut from = 0;
    for change in changes {
        // Of nested values, the outer one is changed.
        if change.range.start < from {
            continue;
        }
        changed.push_str(&text[from..change.range.start]);
        changed.push_str(&change.instead);
        from = change.range.end;
    }
    changed.push_str(&text[from..]);
    changed
}

struct Tokens<'a> {
    source: &'a str,
    all: Vec<(TokenKind, Range<usize>)>,
}

impl<'a> Tokens<'a> {
    fn read(source: &'a str) -> Option<Self> {
        Some(Self { source, all: spanned_tokens(source).ok()? })
    }

    /// All positions with the name or the value in a message, in the order of the text.
    fn candidates(&self, message: &str) -> Vec<Candidate> {
        if let Some(field) = missing_field(message) {
            let objects = (0..self.all.len()).filter(|at| self.is_object_without(*at, field));
            return objects.map(|at| self.insertion(at, field)).collect();
        }
        let value = ["found ", "value: "].iter().find_map(|before| message.rsplit_once(before));
        if let Some((_, value)) = value {
            return self.values(value.trim_end_matches('.'));
        }
        // The names are in quotation marks.
        let names: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
        let Some(&name) = names.first() else { return Vec::new() };
        if let Some(variable) = name.strip_prefix('$') {
            let uses = |at: usize| at > 0 && self.text(at - 1) == "$" && self.text(at) == variable;
            return self.renamed(1, uses);
        }
        let named = |at: usize| self.is_name(at) && self.text(at) == name;
        let after = |at: usize, words: &[&str]| at > 0 && words.contains(&self.text(at - 1));
        if message.starts_with("Fragment cannot be spread here") {
            let of = names.last().copied().unwrap_or_default();
            return self.renamed(2, |at| {
                self.text(at) == of && after(at, &["on"]) && at > 1 && self.text(at - 2) == "..."
            });
        }
        if message.contains("cannot be spread here") {
            return self.renamed(0, |at| named(at) && after(at, &["..."]));
        }
        if message.starts_with("There can be only one") && !message.contains("input field") {
            return self.renamed(0, |at| named(at) && after(at, &DEFINITIONS));
        }
        if message.starts_with("Value") {
            return self.renamed(0, named);
        }
        self.renamed(0, |at| named(at) && self.text(at + 1) == ":")
    }

    /// The name of the operation or the fragment in a message.
    fn operation(&self, message: &str) -> Option<usize> {
        let names: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
        (1..self.all.len()).find(|at| {
            DEFINITIONS.contains(&self.text(at - 1))
                && self.is_name(*at)
                && names.contains(&self.text(*at))
        })
    }

    /// Candidates for the tokens that satisfy a predicate: a name that is replaced. The position of
    /// each is `before` tokens earlier.
    fn renamed(&self, before: usize, wanted: impl Fn(usize) -> bool) -> Vec<Candidate> {
        let found = (0..self.all.len()).filter(|at| wanted(*at));
        found
            .map(|at| Candidate {
                place: at.saturating_sub(before),
                range: self.all[at].1.clone(),
                instead: UNKNOWN.to_owned(),
            })
            .collect()
    }

    /// Candidates for a literal: each of its occurrences, replaced.
    fn values(&self, value: &str) -> Vec<Candidate> {
        let Some(wanted) = Tokens::read(value) else { return Vec::new() };
        let count = wanted.all.len();
        let is_there = |at: &usize| {
            count > 0 && (0..count).all(|step| self.text(at + step) == wanted.text(step))
        };
        let starts = (0..self.all.len()).filter(is_there);
        starts
            .map(|at| Candidate {
                place: at,
                range: self.all[at].1.start..self.all[at + count - 1].1.end,
                instead: UNKNOWN.to_owned(),
            })
            .collect()
    }

    /// A candidate for an object literal: one field is inserted.
    fn insertion(&self, at: usize, field: &str) -> Candidate {
        let end = self.all[at].1.end;
        Candidate { place: at, range: end..end, instead: format!("{field}: {UNKNOWN} ") }
    }

    fn is_name(&self, at: usize) -> bool {
        self.all.get(at).is_some_and(|(kind, _)| *kind == TokenKind::Name)
    }

    /// Returns true if an object literal without a field of this name begins here. A selection set
    /// begins with the same token, but never follows one of these.
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

    /// The tokens from a position on.
    fn from(&self, at: Pos) -> impl Iterator<Item = usize> {
        (0..self.all.len()).skip_while(move |place| self.position(*place) < at)
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

/// The missing field of an object literal, if the message is about that.
fn missing_field(message: &str) -> Option<&str> {
    let (before, _) = message.split_once("\" of required type \"")?;
    let (_, field) = before.rsplit_once('.')?;
    message.ends_with("was not provided.").then_some(field)
}

/// The message with a suggestion, if it is about an unknown name and a similar one exists.
pub(crate) fn with_suggestion(
    schema: &Schema,
    folder: &Folder<'_>,
    document: &Document,
    message: &str,
) -> String {
    // The names are in quotation marks.
    let names: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
    let suggestion = match (message, names.as_slice()) {
        (it, [name, of]) if it.starts_with("Cannot query field") => {
            nearest(name, &fields(schema, of)).map(str::to_owned)
        }
        (it, [name, of]) if it.starts_with("Field") && it.contains("is not defined by type") => {
            nearest(name, &input_fields(schema, of)).map(str::to_owned)
        }
        (it, [name, of]) if it.starts_with("Unknown argument") => {
            nearest(name, &arguments(schema, of)).map(str::to_owned)
        }
        (it, [name]) if it.starts_with("Unknown type") => {
            let all: Vec<_> = schema.types().map(TypeDefinition::name).collect();
            nearest(name, &all).map(str::to_owned)
        }
        (it, [name]) if it.starts_with("Unknown fragment") => {
            nearest(name, &fragments(folder)).map(str::to_owned)
        }
        (it, [name]) if it.starts_with("Unknown directive") => {
            let name = name.trim_start_matches('@');
            nearest(name, &directives(schema)).map(|it| format!("@{it}"))
        }
        (it, [name, operation]) if it.starts_with("Variable") && it.contains("not defined by") => {
            let name = name.trim_start_matches('$');
            nearest(name, &variables(document, operation)).map(|it| format!("${it}"))
        }
        (it, [name, of]) if it.starts_with("Value") && it.contains("does not exist in") => {
            nearest(name, &values(schema, of)).map(str::to_owned)
        }
        (it, [of, ..]) if it.starts_with("Enum") && it.contains("non-enum value") => {
            // Quotation marks around a value are the most common error.
            let name = names.get(1).copied().unwrap_or_default();
            nearest(name, &values(schema, of)).map(str::to_owned)
        }
        _ => None,
    };
    match suggestion {
        Some(suggestion) => format!("{message} Did you mean \"{suggestion}\"?"),
        None => message.to_owned(),
    }
}

fn fields<'a>(schema: &'a Schema, of: &str) -> Vec<&'a str> {
    let fields = match schema.find(of) {
        Some(TypeDefinition::Object(it)) => &it.fields,
        Some(TypeDefinition::Interface(it)) => &it.fields,
        _ => return Vec::new(),
    };
    fields.iter().map(|field| field.name.as_str()).collect()
}

fn input_fields<'a>(schema: &'a Schema, of: &str) -> Vec<&'a str> {
    match schema.find(of) {
        Some(TypeDefinition::InputObject(it)) => it.fields.iter().map(|it| &*it.name).collect(),
        _ => Vec::new(),
    }
}

/// The arguments of `Type.field` or `@directive`.
fn arguments<'a>(schema: &'a Schema, of: &str) -> Vec<&'a str> {
    let arguments = match (of.strip_prefix('@'), of.split_once('.')) {
        (Some(name), _) => schema.document.directive_by_name(name).map(|it| &it.arguments),
        (None, Some((of, field))) => schema.field(of, field).map(|it| &it.arguments),
        _ => None,
    };
    arguments.into_iter().flatten().map(|argument| argument.name.as_str()).collect()
}

fn values<'a>(schema: &'a Schema, of: &str) -> Vec<&'a str> {
    match schema.find(of) {
        Some(TypeDefinition::Enum(it)) => it.values.iter().map(|it| &*it.name).collect(),
        _ => Vec::new(),
    }
}

fn directives(schema: &Schema) -> Vec<&str> {
    let definitions = schema.document.definitions.iter();
    definitions
        .filter_map(|definition| match definition {
            SchemaDefinition::DirectiveDefinition(it) => Some(it.name.as_str()),
            _ => None,
        })
        .collect()
}

fn fragments<'a>(folder: &'a Folder<'_>) -> Vec<&'a str> {
    folder.fragments().map(|fragment| fragment.name.as_str()).collect()
}

fn variables<'a>(document: &'a Document, operation: &str) -> Vec<&'a str> {
    let definitions = document.definitions.iter();
    definitions
        .filter_map(|definition| match definition {
            Definition::Operation(it) if name_of(it) == Some(operation) => {
                Some(it.variable_definitions())
            }
            _ => None,
        })
        .flatten()
        .map(|variable| variable.name.as_str())
        .collect()
}
