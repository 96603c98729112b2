//! Operation: its definition with the fragments that it reaches.

use graphql_tools::parser::Pos;
use graphql_tools::parser::query::{Definition, OperationDefinition, SelectionSet, Type};
use graphql_tools::static_graphql::query::{Document, FragmentDefinition, VariableDefinition};

use super::folder::{File, Folder};
use super::schema::Schema;
use crate::naming;

/// A valid operation.
pub(crate) struct Operation {
    pub(crate) name: String,
    /// Its file, and its position there.
    pub(crate) file: String,
    pub(crate) position: Pos,
    /// The comment directly above it.
    pub(crate) comment: String,
    pub(crate) definition: OperationDefinition<'static, String>,
    /// The fragments that it reaches, in the order of the text.
    pub(crate) fragments: Vec<FragmentDefinition>,
    /// Its selection and fragments, flattened for its types.
    pub(crate) plain: Flattened,
}

/// Flattened selections.
pub(crate) struct Flattened {
    pub(crate) selection: SelectionSet<'static, String>,
    pub(crate) fragments: Vec<FragmentDefinition>,
}

impl Operation {
    pub(crate) fn new(
        folder: &Folder<'_>,
        file: &File<'_>,
        definition: &OperationDefinition<'static, String>,
    ) -> Self {
        let position = match &definition {
            OperationDefinition::SelectionSet(selection) => selection.span.0,
            OperationDefinition::Query(it) => it.position,
            OperationDefinition::Mutation(it) => it.position,
            OperationDefinition::Subscription(it) => it.position,
        };
        let position = file.local(position);
        let fragments = folder.reached(vec![definition.selection_set()]);
        Self {
            name: name_of(definition).unwrap_or_default().to_owned(),
            file: file.source.name.clone(),
            position,
            comment: comment_above(&file.lines, position.line),
            definition: definition.clone(),
            fragments: fragments.into_iter().cloned().collect(),
            plain: Flattened {
                selection: definition.selection_set().clone(),
                fragments: Vec::new(),
            },
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

    /// The root type of the schema on which it selects.
    pub(crate) fn root_type(&self, schema: &Schema) -> String {
        let name = if self.is_mutation() {
            schema.document.mutation_type_name()
        } else {
            schema.document.query_type_name()
        };
        name.cloned().unwrap_or_default()
    }

    pub(crate) fn is_mutation(&self) -> bool {
        matches!(self.definition, OperationDefinition::Mutation(_))
    }

    /// The selection from which the operation's types are generated.
    pub(crate) fn flat_selection(&self) -> &SelectionSet<'static, String> {
        &self.plain.selection
    }

    pub(crate) fn selection(&self) -> &SelectionSet<'static, String> {
        self.definition.selection_set()
    }

    pub(crate) fn variables(&self) -> &[VariableDefinition] {
        self.definition.variable_definitions()
    }

    /// A fragment, flattened for its types.
    pub(crate) fn fragment(&self, name: &str) -> Option<&FragmentDefinition> {
        self.plain.fragments.iter().find(|fragment| fragment.name == name)
    }

    /// The operation as the input of graphql_client, without the defaults of variables:
    /// graphql_client generates functions for these, which are wrong for enums and objects. Without
    /// a default, such a variable is optional.
    pub(crate) fn text_for_types(&self, schema: &Schema) -> String {
        let mut definition = self.definition.clone();
        let mut none = Vec::new();
        let (variables, selection) = match &mut definition {
            OperationDefinition::Query(it) => (&mut it.variable_definitions, &mut it.selection_set),
            OperationDefinition::Mutation(it) => {
                (&mut it.variable_definitions, &mut it.selection_set)
            }
            OperationDefinition::Subscription(it) => {
                (&mut it.variable_definitions, &mut it.selection_set)
            }
            OperationDefinition::SelectionSet(it) => (&mut none, it),
        };
        *selection = self.plain.selection.clone();
        for variable in variables {
            if variable.default_value.take().is_some()
                && let Type::NonNullType(inner) = &variable.var_type
            {
                variable.var_type = (**inner).clone();
            }
            schema.rename(&mut variable.var_type);
        }
        let mut definitions = vec![Definition::Operation(definition)];
        definitions.extend(self.plain.fragments.iter().cloned().map(Definition::Fragment));
        Document { definitions }.to_string()
    }
}

/// The name of an operation, if it has one.
pub(crate) fn name_of<'a>(definition: &'a OperationDefinition<'static, String>) -> Option<&'a str> {
    match definition {
        OperationDefinition::SelectionSet(_) => None,
        OperationDefinition::Query(it) => it.name.as_deref(),
        OperationDefinition::Mutation(it) => it.name.as_deref(),
        OperationDefinition::Subscription(it) => it.name.as_deref(),
    }
}

/// The `#` lines directly above a line.
fn comment_above(lines: &[&str], line: usize) -> String {
    let lines = lines.get(..line.saturating_sub(1)).unwrap_or_default();
    let from = lines.iter().rposition(|line| !line.trim_start().starts_with('#'));
    let comment = lines[from.map_or(0, |line| line + 1)..].iter();
    let comment: Vec<_> = comment.map(|line| line.trim().trim_start_matches('#').trim()).collect();
    comment.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::comment_above;

    #[test]
    fn only_the_comment_directly_above_counts() {
        let lines = ["# licence", "", "# One.", "# Two.", "query A { a }", "query B { b }"];
        assert_eq!(comment_above(&lines, 5), "One.\nTwo.");
        assert_eq!(comment_above(&lines, 6), "");
        assert_eq!(comment_above(&lines, 1), "");
    }
}
