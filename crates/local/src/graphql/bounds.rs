//! What a GraphQL document may cost: its text before it is parsed, by a parser that recurses, and
//! what it selects before it is validated and executed, by a library that follows each use of a
//! fragment anew.

use std::collections::HashMap;

use async_graphql::Name;
use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};
use serde_json::Value;

use crate::refusal::Refusal;

/// Bytes of a document.
const MAX_LENGTH: usize = 1024 * 1024;
/// Brackets within brackets.
const MAX_NESTING: usize = 32;
/// Names, numbers, strings and signs of a document, and values of the variables.
const MAX_TOKENS: usize = 50_000;
const MAX_DIRECTIVES: usize = 100;
/// Fields and fragments within each other, fragments followed.
const MAX_DEPTH: usize = 32;
/// Fields, fragments followed: several times what introspection asks for.
const MAX_FIELDS: u64 = 2_000;
/// Values that the introspection of a schema may return, by a rough estimate.
const MAX_VALUES: u64 = 200_000;

/// The fields of the introspection that return lists, and how long these are taken to be.
const LISTS: [&str; 8] = [
    "types",
    "fields",
    "args",
    "inputFields",
    "interfaces",
    "possibleTypes",
    "enumValues",
    "directives",
];
const LENGTH_OF_LISTS: u64 = 10;

/// Checks a text that may be a document.
pub(super) fn check_text(text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_LENGTH {
        return Err(Refusal::invalid(format!("the document has more than {MAX_LENGTH} bytes")));
    }
    let (mut nesting, mut tokens, mut directives) = (0_usize, 0, 0);
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let here = rest;
        rest = after;
        match first {
            b' ' | b'\t' | b'\r' | b'\n' | b',' => continue,
            b'#' => {
                rest =
                    &rest[rest.iter().take_while(|byte| !matches!(byte, b'\r' | b'\n')).count()..];
                continue;
            }
            b'"' => rest = after_string(rest),
            b'{' | b'[' | b'(' => nesting += 1,
            b'}' | b']' | b')' => nesting = nesting.saturating_sub(1),
            b'@' => directives += 1,
            b'-' | b'0'..=b'9' => rest = after_number(first, rest),
            byte if is_word(byte) => rest = after_word(here),
            _ => {}
        }
        tokens += 1;
        for (what, number, most) in [
            ("nested brackets", nesting, MAX_NESTING),
            ("tokens", tokens, MAX_TOKENS),
            ("directives", directives, MAX_DIRECTIVES),
        ] {
            if number > most {
                return Err(Refusal::invalid(format!("the document has more than {most} {what}")));
            }
        }
    }
    Ok(())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What comes after an integer whose first byte has been read. The parser asks for nothing between
/// one and the next: `00-1` are three.
fn after_number(first: u8, rest: &[u8]) -> &[u8] {
    // Looked at only where they belong to the number: a million zeros are to cost no more than that.
    let digits = || rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let length = match (first, rest.first()) {
        (b'0', _) => 0,
        (b'-', Some(b'0')) => 1,
        _ => digits(),
    };
    &rest[length..]
}

/// What comes after the word that `text` begins with. The parser takes a value off the beginning of
/// a longer word: `nulltrue` are two.
fn after_word(text: &[u8]) -> &[u8] {
    let values: [&[u8]; 3] = [b"null", b"true", b"false"];
    let value = values.iter().find_map(|value| text.strip_prefix(*value));
    value.unwrap_or_else(|| &text[text.iter().take_while(|byte| is_word(**byte)).count()..])
}

/// What comes after a string whose first quote has been read.
fn after_string(text: &[u8]) -> &[u8] {
    let is_block = text.starts_with(b"\"\"");
    let mut rest = if is_block { &text[2..] } else { text };
    while let Some((&first, after)) = rest.split_first() {
        rest = match first {
            b'\\' if is_block => after.strip_prefix(b"\"\"\"").unwrap_or(after),
            b'\\' => after.get(1..).unwrap_or_default(),
            b'"' if !is_block => return after,
            b'"' if after.starts_with(b"\"\"") => return &after[2..],
            b'\r' | b'\n' if !is_block => return rest,
            _ => after,
        };
    }
    rest
}

/// Checks the variables of a request.
pub(super) fn check_variables(variables: &Value) -> Result<(), Refusal> {
    let mut left = vec![variables];
    let mut known = 1;
    while let Some(value) = left.pop() {
        let before = left.len();
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.values()),
            _ => {}
        }
        known += left.len() - before;
        if known > MAX_TOKENS {
            return Err(Refusal::invalid(format!(
                "the variables have more than {MAX_TOKENS} values"
            )));
        }
    }
    Ok(())
}

/// Checks what a document selects.
pub(super) fn check_selections(document: &ExecutableDocument) -> Result<(), Refusal> {
    let mut costs = Costs { document, of_fragments: HashMap::new() };
    let mut all = Cost::default();
    for (_, operation) in document.operations.iter() {
        all = all.beside(costs.of(&operation.node.selection_set.node, 0)?);
    }
    // Those that no operation uses are validated all the same.
    for (name, fragment) in &document.fragments {
        all = all.beside(costs.of_fragment(name, &fragment.node.selection_set.node, 0)?);
    }
    all.check()
}

#[derive(Clone, Copy, Default)]
struct Cost {
    depth: usize,
    fields: u64,
    values: u64,
}

impl Cost {
    fn beside(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            fields: self.fields.saturating_add(other.fields),
            values: self.values.saturating_add(other.values),
        }
    }

    fn below(self, field: &str) -> Self {
        let length = if LISTS.contains(&field) { LENGTH_OF_LISTS } else { 1 };
        Self {
            depth: self.depth + 1,
            fields: self.fields.saturating_add(1),
            values: self.values.saturating_mul(length).saturating_add(1),
        }
    }

    fn check(self) -> Result<(), Refusal> {
        if self.depth > MAX_DEPTH {
            return Err(Refusal::invalid(format!(
                "the document nests more than {MAX_DEPTH} selections"
            )));
        }
        if self.fields > MAX_FIELDS {
            return Err(Refusal::invalid(format!(
                "the document selects more than {MAX_FIELDS} fields"
            )));
        }
        if self.values > MAX_VALUES {
            return Err(Refusal::invalid("the document selects too much of the schema"));
        }
        Ok(())
    }
}

/// The costs of selections, with those of each fragment computed once.
struct Costs<'a> {
    document: &'a ExecutableDocument,
    /// None for a fragment that is being looked at.
    of_fragments: HashMap<&'a Name, Option<Cost>>,
}

impl<'a> Costs<'a> {
    fn of(&mut self, set: &'a SelectionSet, depth: usize) -> Result<Cost, Refusal> {
        let mut cost = Cost { depth, ..Cost::default() };
        cost.check()?;
        cost.depth = 0;
        for selection in &set.items {
            let inner = match &selection.node {
                Selection::Field(field) => {
                    let inner = self.of(&field.node.selection_set.node, depth + 1)?;
                    inner.below(&field.node.name.node)
                }
                Selection::InlineFragment(fragment) => {
                    let inner = self.of(&fragment.node.selection_set.node, depth + 1)?;
                    Cost { depth: inner.depth + 1, ..inner }
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    // One that does not exist is for the validation to report.
                    let Some((name, fragment)) = self.document.fragments.get_key_value(name) else {
                        continue;
                    };
                    let set = &fragment.node.selection_set.node;
                    let inner = self.of_fragment(name, set, depth + 1)?;
                    Cost { depth: inner.depth + 1, ..inner }
                }
            };
            cost = cost.beside(inner);
            cost.check()?;
        }
        Ok(cost)
    }

    fn of_fragment(
        &mut self,
        name: &'a Name,
        set: &'a SelectionSet,
        depth: usize,
    ) -> Result<Cost, Refusal> {
        match self.of_fragments.insert(name, None) {
            Some(Some(known)) => {
                self.of_fragments.insert(name, Some(known));
                Ok(known)
            }
            Some(None) => Err(Refusal::invalid(format!("the fragment {name} uses itself"))),
            None => {
                let cost = self.of(set, depth)?;
                self.of_fragments.insert(name, Some(cost));
                Ok(cost)
            }
        }
    }
}
