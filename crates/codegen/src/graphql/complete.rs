//! Completes the selections of an operation with what the types of its answer need and nobody
//! should have to write.

use std::collections::BTreeMap;

use graphql_tools::parser::query::{OperationDefinition, Selection, SelectionSet, TypeCondition};
use graphql_tools::parser::schema::TypeDefinition;
use graphql_tools::static_graphql::query::Field;

use super::operation::Operation;
use super::schema::Schema;

/// Selects `__typename` where a value may be of several types, and writes the type into `... {`.
pub(crate) fn complete(schema: &Schema, operation: &mut Operation) {
    let root = operation.root_type(schema);
    let conditions = operation.fragments.iter().map(|fragment| {
        let TypeCondition::On(of) = &fragment.type_condition;
        (fragment.name.clone(), of.clone())
    });
    let walk = Walk { schema, fragments: conditions.collect() };
    let selection = match &mut operation.definition {
        OperationDefinition::SelectionSet(selection) => selection,
        OperationDefinition::Query(it) => &mut it.selection_set,
        OperationDefinition::Mutation(it) => &mut it.selection_set,
        OperationDefinition::Subscription(it) => &mut it.selection_set,
    };
    walk.selection(selection, &root);
    for fragment in &mut operation.fragments {
        let TypeCondition::On(of) = &fragment.type_condition;
        walk.named(&mut fragment.selection_set, &of.clone());
    }
}

struct Walk<'a> {
    schema: &'a Schema,
    /// The types that fragments are on.
    fragments: BTreeMap<String, String>,
}

impl Walk<'_> {
    /// The selection of a field or a fragment.
    fn named(&self, selection: &mut SelectionSet<'static, String>, of: &str) {
        let is_abstract = matches!(
            self.schema.find(of),
            Some(TypeDefinition::Interface(_) | TypeDefinition::Union(_))
        );
        let tells_type = selection.items.iter().any(|item| match item {
            Selection::Field(field) => field.name == "__typename" && field.alias.is_none(),
            Selection::FragmentSpread(spread) => {
                self.fragments.get(&spread.fragment_name).is_some_and(|on| on == of)
            }
            Selection::InlineFragment(_) => false,
        });
        if is_abstract && !tells_type {
            let position = selection.span.0;
            let typename = Field {
                position,
                alias: None,
                name: "__typename".to_owned(),
                arguments: Vec::new(),
                directives: Vec::new(),
                selection_set: SelectionSet { span: selection.span, items: Vec::new() },
            };
            selection.items.insert(0, Selection::Field(typename));
        }
        self.selection(selection, of);
    }

    fn selection(&self, selection: &mut SelectionSet<'static, String>, of: &str) {
        for item in &mut selection.items {
            match item {
                Selection::Field(field) => {
                    if let Some(definition) = self.schema.field(of, &field.name) {
                        let of = definition.field_type.inner_type();
                        self.named(&mut field.selection_set, of);
                    }
                }
                Selection::InlineFragment(inline) => {
                    let condition =
                        inline.type_condition.get_or_insert(TypeCondition::On(of.to_owned()));
                    let TypeCondition::On(of) = condition;
                    self.selection(&mut inline.selection_set, &of.clone());
                }
                Selection::FragmentSpread(_) => {}
            }
        }
    }
}
