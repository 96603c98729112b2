//! Validation of queries: each error of all files, with its position.

use std::collections::{BTreeMap, BTreeSet};

use graphql_tools::ast::{OperationVisitor, OperationVisitorContext};
use graphql_tools::parser::Pos;
use graphql_tools::parser::query::{Definition, OperationDefinition, Selection};
use graphql_tools::parser::schema::TypeDefinition;
use graphql_tools::static_graphql::query::{Document, FragmentDefinition, Value};
use graphql_tools::validation::rules::{
    ValidationRule, ValidationVisitor, default_rules_validation_plan,
};
use graphql_tools::validation::utils::{ValidationError, ValidationErrorContext};
use graphql_tools::validation::validate::{ValidationPlan, validate};

use super::flatten::prepare;
use super::folder::{self, Folder};
use super::operation::Operation;
use super::positions::{directive_range, locate, repeated_argument, with_suggestion};
use super::schema::Schema;
use super::sdl::SCALARS;
use crate::{Diagnostic, Source, naming};

/// Modules and crates whose names an operation's module must not have.
const TAKEN: [&str; 5] = ["types", "shapes", "std", "core", "alloc"];

/// All operations of all files, by name, and warnings; or all errors of all files.
pub(crate) fn operations(
    schema: &Schema,
    files: &[Source],
) -> Result<(Vec<Operation>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (folder, mut diagnostics) = Folder::read(files);
    // The definitions and uses of a file that does not parse are unknown.
    let all_parse = folder.files.len() == files.len();
    diagnostics.extend(validated(schema, &folder, all_parse));
    diagnostics.extend(introspection(&folder));
    let mut operations = Vec::new();
    for file in &folder.files {
        for definition in &file.definitions {
            let named = match definition {
                Definition::Operation(definition) => check_operation_name(definition).map(|()| {
                    operations.push(Operation::new(&folder, file, definition));
                }),
                Definition::Fragment(fragment) => check_fragment_name(fragment),
            };
            if let Err((position, message)) = named {
                diagnostics.push(folder.diagnostic(position, &message));
            }
        }
    }
    operations.sort_by(|a, b| (&a.name, &a.file, a.position).cmp(&(&b.name, &b.file, b.position)));
    diagnostics.extend(repeated(&operations));
    if diagnostics.is_empty() {
        operations.iter_mut().for_each(|operation| prepare(schema, operation));
        Ok((operations, unused(&folder)))
    } else {
        diagnostics.sort();
        diagnostics.dedup();
        Err(diagnostics)
    }
}

/// Validates each file by the rules of GraphQL, together with the fragments of other files that it
/// reaches.
fn validated(schema: &Schema, folder: &Folder<'_>, all_parse: bool) -> Vec<Diagnostic> {
    let plan = all();
    let mut diagnostics = Vec::new();
    let mut without_place = Vec::new();
    for file in &folder.files {
        let (document, foreign) = folder.document(file);
        let name = &file.source.name;
        let mut to_be_found = BTreeSet::new();
        let mut of_file = Vec::new();
        let mut unknown_directives = Vec::new();
        for error in validate(&schema.document, &document, &plan) {
            if (!all_parse && error.error_code == "KnownFragmentNames")
                || error.message.starts_with("No field named __")
            {
                continue;
            }
            // Of two duplicates the second one is the error.
            let known = match error.error_code {
                "UniqueVariableNames" => error.locations.last(),
                _ => error.locations.first(),
            };
            match known.filter(|position| position.line > 0) {
                Some(position) if error.error_code == "UniqueArgumentNames" => {
                    let places =
                        repeated_argument(&file.source.text, file.local(*position), &error.message);
                    let found = |Pos { line, column }: &Pos| {
                        Diagnostic::new(name, *line, *column, &error.message)
                    };
                    of_file.extend(places.iter().map(found));
                }
                Some(position) => {
                    if error.message.starts_with("Unknown directive") {
                        unknown_directives.push(file.local(*position));
                    }
                    let message = with_suggestion(schema, folder, &document, &error.message);
                    of_file.push(folder.diagnostic(*position, &message));
                }
                None => {
                    to_be_found.insert((error.message, error.error_code));
                }
            }
        }
        for (message, rule) in to_be_found {
            let count = |text: &str| {
                errors_of(schema, &document, foreign, text, rule)
                    .filter(|other| *other == message)
                    .count()
            };
            let places = locate(&file.source.text, &message, count);
            let message = with_suggestion(schema, folder, &document, &message);
            let found =
                |Pos { line, column }: &Pos| Diagnostic::new(name, *line, *column, &message);
            of_file.extend(places.iter().map(found));
            if places.is_empty() && foreign > 0 {
                // It is in a fragment of another file, where it has its position.
                without_place.push(Diagnostic::of_file(name, message));
            } else if places.is_empty() {
                of_file.push(Diagnostic::of_file(name, message));
            }
        }
        // The arguments of an unknown directive cannot be validated.
        for directive in unknown_directives {
            let (start, end) = directive_range(&file.source.text, directive);
            of_file.retain(|it| {
                let at = Pos { line: it.line, column: it.column };
                it.file != *name || at <= start || at > end
            });
        }
        diagnostics.extend(of_file);
    }
    if diagnostics.is_empty() { without_place } else { diagnostics }
}

/// The errors of one rule in a changed text of a file. `foreign` is the number of fragments of
/// other files, which follow the file's own definitions in the document.
fn errors_of(
    schema: &Schema,
    document: &Document,
    foreign: usize,
    text: &str,
    rule: &str,
) -> impl Iterator<Item = String> {
    let plan = only(rule);
    let errors = folder::parse(text).map_or_else(
        |_| Vec::new(),
        |mut changed| {
            let own = document.definitions.len() - foreign;
            changed.definitions.extend_from_slice(&document.definitions[own..]);
            validate(&schema.document, &changed, &plan)
        },
    );
    errors.into_iter().map(|error| error.message)
}

/// Refuses introspection fields, whose responses have no types here.
fn introspection(folder: &Folder<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for definition in folder.files.iter().flat_map(|file| &file.definitions) {
        let Definition::Operation(operation) = definition else { continue };
        for item in &operation.selection_set().items {
            if let Selection::Field(field) = item
                && ["__schema", "__type"].contains(&field.name.as_str())
            {
                let message = format!(
                    "`{}` asks about the schema, not the service; it cannot be typed here",
                    field.name
                );
                diagnostics.push(folder.diagnostic(field.position, &message));
            }
        }
    }
    diagnostics
}

/// Fragments that no operation of the folder reaches.
fn unused(folder: &Folder<'_>) -> Vec<Diagnostic> {
    let operations = folder.files.iter().flat_map(|file| &file.definitions);
    let selections = operations.filter_map(|definition| match definition {
        Definition::Operation(operation) => Some(operation.selection_set()),
        Definition::Fragment(_) => None,
    });
    let used: BTreeSet<_> =
        folder.reached(selections.collect()).iter().map(|fragment| &fragment.name).collect();
    let unused = folder.fragments().filter(|fragment| !used.contains(&fragment.name));
    unused
        .map(|fragment| {
            // The name follows `fragment` and one space, as formatters write it.
            let Pos { line, column } = fragment.position;
            let message = format!("Fragment \"{}\" is never used.", fragment.name);
            folder.diagnostic(Pos { line, column: column + "fragment ".len() }, &message)
        })
        .collect()
}

/// Refuses a fragment that cannot become a Rust item.
fn check_fragment_name(fragment: &FragmentDefinition) -> Result<(), (Pos, String)> {
    let name = &fragment.name;
    let type_name = naming::upper_camel(name);
    if naming::hides(&type_name) {
        return Err((
            fragment.position,
            format!(
                "the fragment `{name}` would be called `{type_name}`, a name that Rust or the generated code already uses; rename it"
            ),
        ));
    }
    Ok(())
}

/// Refuses an operation that cannot become Rust items.
fn check_operation_name(
    definition: &OperationDefinition<'static, String>,
) -> Result<(), (Pos, String)> {
    let (position, name) = match definition {
        OperationDefinition::SelectionSet(selection) => (selection.span.0, &None),
        OperationDefinition::Query(query) => (query.position, &query.name),
        OperationDefinition::Mutation(mutation) => (mutation.position, &mutation.name),
        OperationDefinition::Subscription(subscription) => {
            return Err((
                subscription.position,
                "a subscription cannot be sent over plain HTTP; take it out of this file"
                    .to_owned(),
            ));
        }
    };
    let Some(name) = name else {
        return Err((
            position,
            "this operation has no name; the Rust type is named like it: write `query Name { … }`"
                .to_owned(),
        ));
    };
    let (type_name, module) = (naming::upper_camel(name), naming::plain_snake(name));
    if naming::is_keyword(&type_name) || naming::is_keyword(&module) {
        let taken = if naming::is_keyword(&module) { module } else { type_name };
        return Err((
            position,
            format!(
                "the operation `{name}` would be called `{taken}`, a keyword of Rust; rename it"
            ),
        ));
    }
    if naming::hides(&type_name) {
        return Err((
            position,
            format!(
                "the operation `{name}` would be called `{type_name}`, a name that Rust or the generated code already uses; rename it"
            ),
        ));
    }
    if TAKEN.contains(&module.as_str()) {
        return Err((
            position,
            format!(
                "the operation `{name}` would be the module `{module}`, which already exists; rename it"
            ),
        ));
    }
    Ok(())
}

/// Operations with the Rust name of an earlier one.
fn repeated(operations: &[Operation]) -> Vec<Diagnostic> {
    let mut first: BTreeMap<String, &Operation> = BTreeMap::new();
    let mut diagnostics = Vec::new();
    for operation in operations {
        let keys = [naming::upper_camel(&operation.name), naming::plain_snake(&operation.name)];
        match keys.iter().find_map(|key| first.get(key)) {
            // Duplicates within a file are reported by the validation.
            Some(other) if (&other.file, &other.name) == (&operation.file, &operation.name) => {}
            Some(other) => diagnostics.push(Diagnostic::new(
                &operation.file,
                operation.position.line,
                operation.position.column,
                format!(
                    "the operation `{}` is already defined: `{}` at {}:{}",
                    operation.name, other.name, other.file, other.position
                ),
            )),
            None => keys.into_iter().for_each(|key| {
                first.insert(key, operation);
            }),
        }
    }
    diagnostics
}

/// All rules for one file.
pub(crate) fn all() -> ValidationPlan {
    let mut plan = default_rules_validation_plan();
    // It considers one file only, but fragments are shared by all files.
    plan.rules.retain(|rule| rule.error_code() != "NoUnusedFragments");
    plan.add_rule(Box::new(ObjectsForInputs));
    plan
}

/// The rule of this name alone.
pub(crate) fn only(name: &str) -> ValidationPlan {
    let mut plan = all();
    plan.rules.retain(|rule| rule.error_code() == name);
    plan
}

/// Rule: an object literal is a value of an input object or of a custom scalar only.
struct ObjectsForInputs;

impl ValidationRule for ObjectsForInputs {
    fn error_code(&self) -> &'static str {
        "ObjectsForInputs"
    }

    fn visitor<'doc>(&self) -> ValidationVisitor<'doc> {
        Box::new(Self)
    }
}

impl<'doc> OperationVisitor<'doc, ValidationErrorContext> for ObjectsForInputs {
    fn enter_object_value(
        &mut self,
        context: &mut OperationVisitorContext<'doc>,
        errors: &mut ValidationErrorContext,
        object: &[(String, Value)],
    ) {
        let name = match context.current_input_type() {
            Some(TypeDefinition::Scalar(it)) if SCALARS.contains(&it.name.as_str()) => &it.name,
            Some(TypeDefinition::Enum(it)) => &it.name,
            _ => return,
        };
        let object = Value::Object(object.to_vec());
        errors.report_error(ValidationError {
            error_code: self.error_code(),
            message: format!("Expected value of type \"{name}\", found {object}."),
            locations: Vec::new(),
        });
    }
}
