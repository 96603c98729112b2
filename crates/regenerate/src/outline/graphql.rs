//! Outline of a GraphQL schema.

use std::collections::BTreeSet;

use graphql_tools::parser::schema::{Definition, TypeDefinition, Value};
use graphql_tools::static_graphql::schema::{Directive, Document, Field, InputValue, Type};

use super::{Kind, Outline};
use crate::canonical::{collapse_whitespace, is_built_in, sorted_literal};

/// The outline of a parsed schema.
pub(crate) fn outline(document: &Document) -> Outline {
    let mut writer = Writer { usage: TypeUsage::of(document), outline: Outline::default() };
    let roots = [
        ("query", document.query_type_name()),
        ("mutation", document.mutation_type_name()),
        ("subscription", document.subscription_type_name()),
    ];
    for definition in &document.definitions {
        match definition {
            Definition::TypeDefinition(it) if !is_built_in(it.name()) => {
                let root =
                    roots.iter().find(|(_, name)| name.is_some_and(|name| name == it.name()));
                match (it, root) {
                    (TypeDefinition::Object(it), Some((operation, _))) => {
                        let item = writer.outline.add(&it.name, Kind::Type, *operation);
                        item.description = prose(it.description.as_ref());
                        it.fields.iter().for_each(|field| writer.operation(operation, field));
                    }
                    _ => writer.type_definition(it),
                }
            }
            Definition::DirectiveDefinition(it) if !is_built_in(&it.name) => {
                let path = format!("@{}", it.name);
                let mut locations: Vec<_> = it.locations.iter().map(|it| it.as_str()).collect();
                locations.sort_unstable();
                let item = writer.outline.add(&path, Kind::Directive, locations.join(" | "));
                item.description = prose(it.description.as_ref());
                it.arguments.iter().for_each(|argument| writer.argument(&path, argument));
            }
            _ => {}
        }
    }
    writer.outline
}

/// The types in responses, and the types in requests.
struct TypeUsage {
    read: BTreeSet<String>,
    written: BTreeSet<String>,
}

impl TypeUsage {
    fn of(document: &Document) -> Self {
        let mut usage = Self { read: BTreeSet::new(), written: BTreeSet::new() };
        for definition in &document.definitions {
            match definition {
                Definition::TypeDefinition(TypeDefinition::Object(it)) => {
                    it.fields.iter().for_each(|field| usage.field(field));
                }
                Definition::TypeDefinition(TypeDefinition::Interface(it)) => {
                    it.fields.iter().for_each(|field| usage.field(field));
                }
                Definition::TypeDefinition(TypeDefinition::InputObject(it)) => {
                    it.fields.iter().for_each(|field| usage.input_type(&field.value_type));
                }
                _ => {}
            }
        }
        usage
    }

    fn field(&mut self, field: &Field) {
        self.read.insert(field.field_type.inner_type().to_owned());
        field.arguments.iter().for_each(|argument| self.input_type(&argument.value_type));
    }

    fn input_type(&mut self, of: &Type) {
        self.written.insert(of.inner_type().to_owned());
    }
}

struct Writer {
    usage: TypeUsage,
    outline: Outline,
}

impl Writer {
    fn operation(&mut self, operation: &str, field: &Field) {
        let path = format!("{operation} {}", field.name);
        self.field(path, Kind::Operation, None, field);
    }

    fn type_definition(
        &mut self,
        definition: &graphql_tools::static_graphql::schema::TypeDefinition,
    ) {
        let name = definition.name();
        let (kind, description) = match definition {
            TypeDefinition::Scalar(it) => ("scalar", &it.description),
            TypeDefinition::Object(it) => ("type", &it.description),
            TypeDefinition::Interface(it) => ("interface", &it.description),
            TypeDefinition::Union(it) => ("union", &it.description),
            TypeDefinition::Enum(it) => ("enum", &it.description),
            TypeDefinition::InputObject(it) => ("input", &it.description),
        };
        let is_output = ["type", "interface", "union"].contains(&kind);
        let is_read = is_output || self.usage.read.contains(name);
        let is_written = kind == "input" || self.usage.written.contains(name);
        let item = self.outline.add(name, Kind::Type, kind);
        item.description = prose(description.as_ref());
        (item.is_read, item.is_written) = (is_read, is_written);
        match definition {
            TypeDefinition::Scalar(_) => {}
            TypeDefinition::Object(it) => {
                it.fields.iter().for_each(|field| self.field_of(name, field));
                it.implements_interfaces.iter().for_each(|it| self.member(name, it, "implements"));
            }
            TypeDefinition::Interface(it) => {
                it.fields.iter().for_each(|field| self.field_of(name, field));
                it.implements_interfaces.iter().for_each(|it| self.member(name, it, "implements"));
            }
            TypeDefinition::Union(it) => {
                it.types.iter().for_each(|member| self.member(name, member, "|"));
            }
            TypeDefinition::Enum(it) => {
                for value in &it.values {
                    let path = format!("{name}.{}", value.name);
                    let item = self.outline.add(path, Kind::EnumValue, "");
                    item.part_of = Some(name.to_owned());
                    item.description = prose(value.description.as_ref());
                    item.deprecated = deprecation(&value.directives);
                    (item.is_read, item.is_written) = (is_read, is_written);
                }
            }
            TypeDefinition::InputObject(it) => {
                for field in &it.fields {
                    self.input(format!("{name}.{}", field.name), Kind::Field, name, field);
                }
            }
        }
    }

    fn field_of(&mut self, of: &str, field: &Field) {
        self.field(format!("{of}.{}", field.name), Kind::Field, Some(of), field);
    }

    fn field(&mut self, path: String, kind: Kind, part_of: Option<&str>, field: &Field) {
        let item = self.outline.add(&path, kind, nullable(&field.field_type));
        item.part_of = part_of.map(str::to_owned);
        item.required = is_non_null(&field.field_type);
        item.description = prose(field.description.as_ref());
        item.deprecated = deprecation(&field.directives);
        item.is_read = true;
        field.arguments.iter().for_each(|argument| self.argument(&path, argument));
    }

    fn argument(&mut self, of: &str, argument: &InputValue) {
        self.input(format!("{of}({})", argument.name), Kind::Argument, of, argument);
    }

    fn input(&mut self, path: String, kind: Kind, part_of: &str, value: &InputValue) {
        let item = self.outline.add(path, kind, nullable(&value.value_type));
        item.part_of = Some(part_of.to_owned());
        item.required = is_non_null(&value.value_type);
        item.default = value.default_value.as_ref().map(sorted_literal);
        item.description = prose(value.description.as_ref());
        item.deprecated = deprecation(&value.directives);
        item.is_written = true;
    }

    fn member(&mut self, of: &str, member: &str, how: &str) {
        let item = self.outline.add(format!("{of} {how} {member}"), Kind::Member, "");
        item.part_of = Some(of.to_owned());
        item.is_read = true;
    }
}

/// A type without its final `!`, which the item has as `required`.
fn nullable(of: &Type) -> String {
    let text = of.to_string();
    text.strip_suffix('!').map_or(text.clone(), str::to_owned)
}

fn is_non_null(of: &Type) -> bool {
    of.to_string().ends_with('!')
}

fn deprecation(directives: &[Directive]) -> Option<String> {
    let directive = directives.iter().find(|it| it.name == "deprecated")?;
    let reason = directive.arguments.iter().find(|(name, _)| name == "reason");
    Some(match reason {
        Some((_, Value::String(reason))) => collapse_whitespace(reason),
        _ => String::new(),
    })
}

fn prose(description: Option<&String>) -> String {
    description.map_or_else(String::new, |text| collapse_whitespace(text))
}
