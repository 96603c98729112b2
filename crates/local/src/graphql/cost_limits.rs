//! Cost limits of GraphQL documents, checked before the document is parsed and before it is
//! validated.
//!
//! async-graphql limits the directives of a field, and that is used. It has limits of depth and
//! complexity, too, but computes both by following each use of a fragment anew: thirty fragments
//! that use the next one twice make it visit 2³⁰ selections before it can refuse them. And its
//! parser, which recurses, runs before any of them. So three limits are the service's own:
//!
//! - [`check_text`] bounds the text before it is parsed: its length, its nesting, and its syntax;
//! - [`check_variables`] bounds the number of values in the variables;
//! - [`check_selections`] bounds depth, fields and introspected values with fragments expanded, in
//!   time linear in the document: the cost of each fragment is computed once.
//!
//! Checked by `tests/interface/graphql_cost_limits.rs`.

use std::collections::HashMap;

use async_graphql::Name;
use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};
use serde_json::Value;

use crate::error::Refusal;

/// Bytes of a document.
const MAX_LENGTH: usize = 1024 * 1024;
/// Brackets within brackets.
const MAX_NESTING: usize = 32;
/// Bytes of a document outside strings, comments and white space. It bounds the number of tokens.
const MAX_SYNTAX: usize = 100_000;
/// Values in the variables.
const MAX_VARIABLE_VALUES: usize = 50_000;
/// Directives of a field, checked by async-graphql.
pub(super) const MAX_DIRECTIVES: usize = 100;
/// Fields and fragments within each other, fragments expanded.
const MAX_DEPTH: usize = 32;
/// Fields, fragments expanded: several times what introspection by a tool selects.
const MAX_FIELDS: u64 = 2_000;
/// Values that the introspection of a schema may return, by a rough estimate.
const MAX_INTROSPECTED: u64 = 200_000;

/// The fields of introspection that return lists, and their assumed length.
const LIST_FIELDS: [&str; 8] = [
    "types",
    "fields",
    "args",
    "inputFields",
    "interfaces",
    "possibleTypes",
    "enumValues",
    "directives",
];
const LIST_LENGTH: u64 = 10;

/// Checks a text before it is parsed.
pub(super) fn check_text(text: &str) -> Result<(), Refusal> {
    if text.len() > MAX_LENGTH {
        return Err(Refusal::invalid(format!("the document has more than {MAX_LENGTH} bytes")));
    }
    let (mut nesting, mut syntax) = (0_usize, 0);
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match first {
            b' ' | b'\t' | b'\r' | b'\n' | b',' => continue,
            b'#' => {
                let is_comment = |byte: &&u8| !matches!(byte, b'\r' | b'\n');
                rest = &rest[rest.iter().take_while(is_comment).count()..];
                continue;
            }
            b'"' => rest = after_string(rest),
            b'{' | b'[' | b'(' => nesting += 1,
            b'}' | b']' | b')' => nesting = nesting.saturating_sub(1),
            _ => {}
        }
        syntax += 1;
        if nesting > MAX_NESTING {
            let message = format!("the document has more than {MAX_NESTING} nested brackets");
            return Err(Refusal::invalid(message));
        }
        if syntax > MAX_SYNTAX {
            return Err(Refusal::invalid(format!(
                "the document has more than {MAX_SYNTAX} bytes outside strings and comments"
            )));
        }
    }
    Ok(())
}

/// Returns the text after a string whose first quote has been read.
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
    let mut count = 1;
    while let Some(value) = left.pop() {
        let before = left.len();
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => left.extend(members.values()),
            _ => {}
        }
        count += left.len() - before;
        if count > MAX_VARIABLE_VALUES {
            return Err(Refusal::invalid(format!(
                "the variables have more than {MAX_VARIABLE_VALUES} values"
            )));
        }
    }
    Ok(())
}

/// Checks the selections of a parsed document.
pub(super) fn check_selections(document: &ExecutableDocument) -> Result<(), Refusal> {
    let mut costs = CostCalculator { document, fragments: HashMap::new() };
    let mut total = Cost::default();
    for (_, operation) in document.operations.iter() {
        total = total.and(costs.selections(&operation.node.selection_set.node, 0)?);
    }
    // Unused fragments are validated, too.
    for (name, fragment) in &document.fragments {
        total = total.and(costs.fragment(name, &fragment.node.selection_set.node, 0)?);
    }
    total.check()
}

#[derive(Clone, Copy, Default)]
struct Cost {
    depth: usize,
    fields: u64,
    introspected: u64,
}

impl Cost {
    /// The cost of two selections next to each other.
    fn and(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            fields: self.fields.saturating_add(other.fields),
            introspected: self.introspected.saturating_add(other.introspected),
        }
    }

    /// The cost of a field with this cost of its selections.
    fn within(self, field: &str) -> Self {
        let length = if LIST_FIELDS.contains(&field) { LIST_LENGTH } else { 1 };
        Self {
            depth: self.depth + 1,
            fields: self.fields.saturating_add(1),
            introspected: self.introspected.saturating_mul(length).saturating_add(1),
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
        if self.introspected > MAX_INTROSPECTED {
            return Err(Refusal::invalid("the document selects too much of the schema"));
        }
        Ok(())
    }
}

/// Computes the costs of selections, that of each fragment once.
struct CostCalculator<'a> {
    document: &'a ExecutableDocument,
    /// The cost of each fragment; `None` while it is being computed: another use is a cycle.
    fragments: HashMap<&'a Name, Option<Cost>>,
}

impl<'a> CostCalculator<'a> {
    fn selections(&mut self, set: &'a SelectionSet, depth: usize) -> Result<Cost, Refusal> {
        let mut cost = Cost { depth, ..Cost::default() };
        cost.check()?;
        cost.depth = 0;
        for selection in &set.items {
            let inner = match &selection.node {
                Selection::Field(field) => {
                    let inner = self.selections(&field.node.selection_set.node, depth + 1)?;
                    inner.within(&field.node.name.node)
                }
                Selection::InlineFragment(fragment) => {
                    let inner = self.selections(&fragment.node.selection_set.node, depth + 1)?;
                    Cost { depth: inner.depth + 1, ..inner }
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    // An unknown fragment is reported by the validation.
                    let Some((name, fragment)) = self.document.fragments.get_key_value(name) else {
                        continue;
                    };
                    let set = &fragment.node.selection_set.node;
                    let inner = self.fragment(name, set, depth + 1)?;
                    Cost { depth: inner.depth + 1, ..inner }
                }
            };
            cost = cost.and(inner);
            cost.check()?;
        }
        Ok(cost)
    }

    fn fragment(
        &mut self,
        name: &'a Name,
        set: &'a SelectionSet,
        depth: usize,
    ) -> Result<Cost, Refusal> {
        match self.fragments.insert(name, None) {
            Some(Some(known)) => {
                self.fragments.insert(name, Some(known));
                Ok(known)
            }
            Some(None) => Err(Refusal::invalid(format!("the fragment {name} uses itself"))),
            None => {
                let cost = self.selections(set, depth)?;
                self.fragments.insert(name, Some(cost));
                Ok(cost)
            }
        }
    }
}
