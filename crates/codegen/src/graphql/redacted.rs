//! Which variables of an operation hold what nobody should see, by the places in which they stand: a
//! variable can have any name.

use std::collections::{BTreeMap, BTreeSet};

use graphql_tools::parser::query::{
    Directive, OperationDefinition, Selection, SelectionSet, Value,
};

use super::operation::Operation;
use crate::redact::{Named, is_secret};

type Arguments<'a> = &'a [(String, Value<'static, String>)];
type Directives<'a> = &'a [Directive<'static, String>];

/// The arguments and fields that are secret by their names and that a variable of another name stands
/// in, by the variable's name.
pub(crate) fn secret_places(operation: &Operation) -> BTreeMap<String, BTreeSet<String>> {
    let mut found = Found::default();
    match &operation.definition {
        OperationDefinition::Query(it) => found.directives(&it.directives),
        OperationDefinition::Mutation(it) => found.directives(&it.directives),
        OperationDefinition::Subscription(it) => found.directives(&it.directives),
        OperationDefinition::SelectionSet(_) => {}
    }
    found.selection(operation.selection());
    for fragment in &operation.fragments {
        found.directives(&fragment.directives);
        found.selection(&fragment.selection_set);
    }
    found.places
}

#[derive(Default)]
struct Found {
    places: BTreeMap<String, BTreeSet<String>>,
}

impl Found {
    fn selection(&mut self, selection: &SelectionSet<'static, String>) {
        for item in &selection.items {
            match item {
                Selection::Field(field) => {
                    self.arguments(&field.arguments, None);
                    self.directives(&field.directives);
                    self.selection(&field.selection_set);
                }
                Selection::FragmentSpread(spread) => self.directives(&spread.directives),
                Selection::InlineFragment(inline) => {
                    self.directives(&inline.directives);
                    self.selection(&inline.selection_set);
                }
            }
        }
    }

    fn directives(&mut self, directives: Directives<'_>) {
        for directive in directives {
            self.arguments(&directive.arguments, None);
        }
    }

    /// `within` is the secret place that they lie in.
    fn arguments(&mut self, arguments: Arguments<'_>, within: Option<&str>) {
        let siblings: Vec<_> = arguments.iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in arguments {
            // The label of a pair is shown.
            let within = within.filter(|_| !["key", "name"].contains(&name.as_str()));
            let is_secret = is_secret(&Named { name, siblings: &siblings, input: true });
            self.value(value, if is_secret { Some(name) } else { within });
        }
    }

    fn value(&mut self, value: &Value<'static, String>, place: Option<&str>) {
        match (value, place) {
            (Value::Variable(variable), Some(place)) if variable != place => {
                self.places.entry(variable.clone()).or_default().insert(place.to_owned());
            }
            (Value::List(items), _) => items.iter().for_each(|item| self.value(item, place)),
            (Value::Object(fields), _) => self.arguments(fields, place),
            _ => {}
        }
    }
}
