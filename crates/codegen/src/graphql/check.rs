//! Parses and validates the files of queries, and says of every mistake where it is.

use std::collections::BTreeMap;

use graphql_tools::parser::Pos;
use graphql_tools::parser::query::{Definition, OperationDefinition, parse_query};
use graphql_tools::static_graphql::query::Document;
use graphql_tools::validation::rules::default_rules_validation_plan;
use graphql_tools::validation::validate::validate;

use super::locate::locate;
use super::operation::Operation;
use super::schema::{Schema, split_position};
use crate::{Diagnostic, Source, naming};

/// Modules of the generated code that an operation's module must not be named like.
const TAKEN: [&str; 2] = ["types", "shapes"];

/// All operations of all files, by name; or all mistakes of all files.
pub(crate) fn operations(
    schema: &Schema,
    files: &[Source],
) -> Result<Vec<Operation>, Vec<Diagnostic>> {
    let mut mistakes = Vec::new();
    let mut operations = Vec::new();
    for file in files {
        match file_operations(schema, file) {
            Ok(found) => operations.extend(found),
            Err(found) => mistakes.extend(found),
        }
    }
    operations.sort_by(|a, b| (&a.name, &a.file, a.position).cmp(&(&b.name, &b.file, b.position)));
    mistakes.extend(repeated(&operations));
    if mistakes.is_empty() {
        Ok(operations)
    } else {
        mistakes.sort();
        mistakes.dedup();
        Err(mistakes)
    }
}

fn file_operations(schema: &Schema, file: &Source) -> Result<Vec<Operation>, Vec<Diagnostic>> {
    let at = |position: Pos, message: &str| {
        Diagnostic::new(&file.name, position.line, position.column, message)
    };
    let document = parse(&file.text).map_err(|(position, message)| vec![at(position, &message)])?;
    let mut mistakes = Vec::new();
    for error in validate(&schema.document, &document, &default_rules_validation_plan()) {
        let known = error.locations.first().copied().filter(|position| position.line > 0);
        let position = known.or_else(|| locate(&file.text, &error.message)).unwrap_or_default();
        mistakes.push(at(position, &error.message));
    }
    let mut operations = Vec::new();
    for definition in &document.definitions {
        let Definition::Operation(definition) = definition else { continue };
        match named(definition) {
            Ok(()) => operations.push(Operation::new(file, &document, definition.clone())),
            Err((position, message)) => mistakes.push(at(position, &message)),
        }
    }
    if mistakes.is_empty() { Ok(operations) } else { Err(mistakes) }
}

fn parse(text: &str) -> Result<Document, (Pos, String)> {
    let is_blank = text.lines().all(|line| {
        let line = line.trim_start().trim_start_matches(['\u{feff}', ',']);
        line.is_empty() || line.starts_with('#')
    });
    if is_blank {
        let message = "there is no operation in this file".to_owned();
        return Err((Pos { line: 1, column: 1 }, message));
    }
    parse_query::<String>(text)
        .map(|document| document.into_static())
        .map_err(|error| split_position(&error.to_string()))
}

/// Whether an operation can become Rust items.
fn named(definition: &OperationDefinition<'static, String>) -> Result<(), (Pos, String)> {
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
    if TAKEN.contains(&module.as_str()) {
        return Err((
            position,
            format!(
                "the operation `{name}` would be the module `{module}`, which there is already; rename it"
            ),
        ));
    }
    Ok(())
}

/// Operations that would get the same Rust name, all but the first of each.
fn repeated(operations: &[Operation]) -> Vec<Diagnostic> {
    let mut first: BTreeMap<String, &Operation> = BTreeMap::new();
    let mut mistakes = Vec::new();
    for operation in operations {
        let keys = [naming::upper_camel(&operation.name), naming::plain_snake(&operation.name)];
        match keys.iter().find_map(|key| first.get(key)) {
            Some(other) => mistakes.push(Diagnostic::new(
                &operation.file,
                operation.position.line,
                operation.position.column,
                format!(
                    "the operation `{}` is there already: `{}` at {}:{}",
                    operation.name, other.name, other.file, other.position
                ),
            )),
            None => keys.into_iter().for_each(|key| {
                first.insert(key, operation);
            }),
        }
    }
    mistakes
}
