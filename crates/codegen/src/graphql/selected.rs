//! What an operation selects.

use std::collections::BTreeSet;

use graphql_tools::parser::query::{Directive, Selection, SelectionSet};
use graphql_tools::static_graphql::query::{Field, FragmentSpread};

use super::operation::Operation;

pub(crate) type Selected = SelectionSet<'static, String>;

/// The fields of a selection, those of fragments included.
pub(crate) fn fields<'a>(operation: &'a Operation, selections: &[&'a Selected]) -> Vec<&'a Field> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Selected> = selections.to_vec();
    let mut seen = BTreeSet::new();
    while let Some(selection) = waiting.pop() {
        for item in &selection.items {
            match item {
                Selection::Field(field) => found.push(field),
                Selection::InlineFragment(inline) => waiting.push(&inline.selection_set),
                Selection::FragmentSpread(spread) => {
                    if seen.insert(&spread.fragment_name)
                        && let Some(fragment) = operation.fragment(&spread.fragment_name)
                    {
                        waiting.push(&fragment.selection_set);
                    }
                }
            }
        }
    }
    found
}

/// The places right within selections at which a fragment is spread.
pub(crate) fn spreads<'a>(
    selections: &[&'a Selected],
    name: &str,
) -> impl Iterator<Item = &'a FragmentSpread> {
    selections.iter().flat_map(|selection| &selection.items).filter_map(move |item| match item {
        Selection::FragmentSpread(spread) if spread.fragment_name == name => Some(spread),
        _ => None,
    })
}

/// Whether something may be left out of the answer.
pub(crate) fn is_conditional(directives: &[Directive<'static, String>]) -> bool {
    directives.iter().any(|it| it.name == "include" || it.name == "skip")
}
