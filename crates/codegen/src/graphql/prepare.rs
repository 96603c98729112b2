//! Makes a valid operation ready for generating: its fragments do not hold themselves, and every
//! field is one of the schema.

use graphql_tools::parser::query::TypeCondition;

use super::complete::complete;
use super::flatten::plain;
use super::operation::{Operation, Plain};
use super::schema::Schema;

/// Completes what an operation selects, and makes the plain form of it.
pub(crate) fn prepare(schema: &Schema, operation: &mut Operation) {
    complete(schema, operation);
    let root = operation.root_type(schema);
    let all = &operation.fragments;
    let mut fragments = all.clone();
    for fragment in &mut fragments {
        let TypeCondition::On(of) = &fragment.type_condition;
        fragment.selection_set = plain(schema, all, &fragment.selection_set, of);
    }
    let selection = plain(schema, all, operation.selection(), &root);
    operation.plain = Plain { selection, fragments };
}
