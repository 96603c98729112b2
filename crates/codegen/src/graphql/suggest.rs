//! "Did you mean …": what a message about an unknown name suggests.

use graphql_tools::parser::query::Definition;
use graphql_tools::parser::schema::{Definition as SchemaDefinition, TypeDefinition};
use graphql_tools::static_graphql::query::Document;

use super::folder::Folder;
use super::nearest::nearest;
use super::operation::name_of;
use super::schema::Schema;

/// The message with a suggestion, where it complains of a name and one that there is comes near.
pub(crate) fn with_suggestion(
    schema: &Schema,
    folder: &Folder<'_>,
    document: &Document,
    message: &str,
) -> String {
    // Every second piece stands between quotation marks.
    let names: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
    let suggestion = match (message, names.as_slice()) {
        (it, [name, of]) if it.starts_with("Cannot query field") => {
            nearest(name, &fields(schema, of)).map(str::to_owned)
        }
        (it, [name, of]) if it.starts_with("Field") && it.contains("is not defined by type") => {
            nearest(name, &input_fields(schema, of)).map(str::to_owned)
        }
        (it, [name, of]) if it.starts_with("Unknown argument") => {
            nearest(name, &arguments(schema, of)).map(str::to_owned)
        }
        (it, [name]) if it.starts_with("Unknown type") => {
            let all: Vec<_> = schema.types().map(TypeDefinition::name).collect();
            nearest(name, &all).map(str::to_owned)
        }
        (it, [name]) if it.starts_with("Unknown fragment") => {
            nearest(name, &fragments(folder)).map(str::to_owned)
        }
        (it, [name]) if it.starts_with("Unknown directive") => {
            let name = name.trim_start_matches('@');
            nearest(name, &directives(schema)).map(|it| format!("@{it}"))
        }
        (it, [name, operation]) if it.starts_with("Variable") && it.contains("not defined by") => {
            let name = name.trim_start_matches('$');
            nearest(name, &variables(document, operation)).map(|it| format!("${it}"))
        }
        (it, [name, of]) if it.starts_with("Value") && it.contains("does not exist in") => {
            nearest(name, &values(schema, of)).map(str::to_owned)
        }
        (it, [of, ..]) if it.starts_with("Enum") && it.contains("non-enum value") => {
            // A value between quotation marks is the commonest slip.
            let name = names.get(1).copied().unwrap_or_default();
            nearest(name, &values(schema, of)).map(str::to_owned)
        }
        _ => None,
    };
    match suggestion {
        Some(suggestion) => format!("{message} Did you mean \"{suggestion}\"?"),
        None => message.to_owned(),
    }
}

fn fields<'a>(schema: &'a Schema, of: &str) -> Vec<&'a str> {
    let fields = match schema.find(of) {
        Some(TypeDefinition::Object(it)) => &it.fields,
        Some(TypeDefinition::Interface(it)) => &it.fields,
        _ => return Vec::new(),
    };
    fields.iter().map(|field| field.name.as_str()).collect()
}

fn input_fields<'a>(schema: &'a Schema, of: &str) -> Vec<&'a str> {
    match schema.find(of) {
        Some(TypeDefinition::InputObject(it)) => it.fields.iter().map(|it| &*it.name).collect(),
        _ => Vec::new(),
    }
}

/// The arguments of `Type.field` or `@directive`.
fn arguments<'a>(schema: &'a Schema, of: &str) -> Vec<&'a str> {
    let arguments = match (of.strip_prefix('@'), of.split_once('.')) {
        (Some(name), _) => schema.document.directive_by_name(name).map(|it| &it.arguments),
        (None, Some((of, field))) => schema.field(of, field).map(|it| &it.arguments),
        _ => None,
    };
    arguments.into_iter().flatten().map(|argument| argument.name.as_str()).collect()
}

fn values<'a>(schema: &'a Schema, of: &str) -> Vec<&'a str> {
    match schema.find(of) {
        Some(TypeDefinition::Enum(it)) => it.values.iter().map(|it| &*it.name).collect(),
        _ => Vec::new(),
    }
}

fn directives(schema: &Schema) -> Vec<&str> {
    let definitions = schema.document.definitions.iter();
    definitions
        .filter_map(|definition| match definition {
            SchemaDefinition::DirectiveDefinition(it) => Some(it.name.as_str()),
            _ => None,
        })
        .collect()
}

fn fragments<'a>(folder: &'a Folder<'_>) -> Vec<&'a str> {
    folder.fragments().map(|fragment| fragment.name.as_str()).collect()
}

fn variables<'a>(document: &'a Document, operation: &str) -> Vec<&'a str> {
    let definitions = document.definitions.iter();
    definitions
        .filter_map(|definition| match definition {
            Definition::Operation(it) if name_of(it) == Some(operation) => {
                Some(it.variable_definitions())
            }
            _ => None,
        })
        .flatten()
        .map(|variable| variable.name.as_str())
        .collect()
}
