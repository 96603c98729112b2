//! One operation, cut out of its file together with the fragments that it reaches.

use std::collections::BTreeSet;

use graphql_tools::parser::Pos;
use graphql_tools::parser::query::{
    Definition, OperationDefinition, Selection, SelectionSet, Type,
};
use graphql_tools::static_graphql::query::{Document, FragmentDefinition, VariableDefinition};

use crate::{Source, naming};

/// An operation that was found valid.
pub(crate) struct Operation {
    pub(crate) name: String,
    /// The file it stands in, and where.
    pub(crate) file: String,
    pub(crate) position: Pos,
    /// The comment right above it.
    pub(crate) comment: String,
    pub(crate) definition: OperationDefinition<'static, String>,
    /// The fragments that it reaches, in the order of the file.
    pub(crate) fragments: Vec<FragmentDefinition>,
}

impl Operation {
    pub(crate) fn new(
        file: &Source,
        document: &Document,
        definition: OperationDefinition<'static, String>,
    ) -> Self {
        let (position, name) = match &definition {
            OperationDefinition::SelectionSet(selection) => (selection.span.0, None),
            OperationDefinition::Query(it) => (it.position, it.name.clone()),
            OperationDefinition::Mutation(it) => (it.position, it.name.clone()),
            OperationDefinition::Subscription(it) => (it.position, it.name.clone()),
        };
        let fragments = reached(document, definition.selection_set());
        Self {
            name: name.unwrap_or_default(),
            file: file.name.clone(),
            position,
            comment: comment_above(&file.text, position.line),
            definition,
            fragments,
        }
    }

    /// The Rust type's name.
    pub(crate) fn type_name(&self) -> String {
        naming::upper_camel(&self.name)
    }

    /// The Rust module's name.
    pub(crate) fn module_name(&self) -> String {
        naming::plain_snake(&self.name)
    }

    pub(crate) fn is_mutation(&self) -> bool {
        matches!(self.definition, OperationDefinition::Mutation(_))
    }

    pub(crate) fn selection(&self) -> &SelectionSet<'static, String> {
        self.definition.selection_set()
    }

    pub(crate) fn variables(&self) -> &[VariableDefinition] {
        self.definition.variable_definitions()
    }

    pub(crate) fn fragment(&self, name: &str) -> Option<&FragmentDefinition> {
        self.fragments.iter().find(|fragment| fragment.name == name)
    }

    /// The operation as text for the type generator. It makes functions of variables' defaults,
    /// and wrong ones of those that are enums or objects; without a default, a variable that has
    /// one is simply optional.
    pub(crate) fn text_for_types(&self) -> String {
        let mut definition = self.definition.clone();
        let variables = match &mut definition {
            OperationDefinition::Query(it) => &mut it.variable_definitions,
            OperationDefinition::Mutation(it) => &mut it.variable_definitions,
            OperationDefinition::Subscription(it) => &mut it.variable_definitions,
            OperationDefinition::SelectionSet(_) => &mut Vec::new(),
        };
        for variable in variables {
            if variable.default_value.take().is_some()
                && let Type::NonNullType(inner) = &variable.var_type
            {
                variable.var_type = (**inner).clone();
            }
        }
        let mut definitions = vec![Definition::Operation(definition)];
        definitions.extend(self.fragments.iter().cloned().map(Definition::Fragment));
        Document { definitions }.to_string()
    }
}

fn reached(
    document: &Document,
    selection: &SelectionSet<'static, String>,
) -> Vec<FragmentDefinition> {
    let all: Vec<_> = document
        .definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::Fragment(fragment) => Some(fragment),
            Definition::Operation(_) => None,
        })
        .collect();
    let mut names = BTreeSet::new();
    let mut waiting = vec![selection];
    while let Some(selection) = waiting.pop() {
        for item in &selection.items {
            match item {
                Selection::Field(field) => waiting.push(&field.selection_set),
                Selection::InlineFragment(inline) => waiting.push(&inline.selection_set),
                Selection::FragmentSpread(spread) => {
                    let fragment = all.iter().find(|it| it.name == spread.fragment_name);
                    if let Some(fragment) = fragment
                        && names.insert(fragment.name.clone())
                    {
                        waiting.push(&fragment.selection_set);
                    }
                }
            }
        }
    }
    all.into_iter().filter(|fragment| names.contains(&fragment.name)).cloned().collect()
}

/// The `#` lines that end right above a line.
fn comment_above(text: &str, line: usize) -> String {
    let lines: Vec<_> = text.lines().take(line.saturating_sub(1)).collect();
    let from = lines.iter().rposition(|line| !line.trim_start().starts_with('#'));
    let comment = lines[from.map_or(0, |line| line + 1)..].iter();
    let comment: Vec<_> = comment.map(|line| line.trim().trim_start_matches('#').trim()).collect();
    comment.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::comment_above;

    #[test]
    fn only_the_comment_right_above_counts() {
        let text = "# licence\n\n# One.\n# Two.\nquery A { a }\nquery B { b }\n";
        assert_eq!(comment_above(text, 5), "One.\nTwo.");
        assert_eq!(comment_above(text, 6), "");
        assert_eq!(comment_above(text, 1), "");
    }
}
