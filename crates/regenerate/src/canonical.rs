//! Canonical form of a description and a schema: equal content has equal text, in whichever order
//! the service sends it, so that a difference of the stored files is a change of the service.
//!
//! A REST description has its names sorted, except for a conventional order at the top. A GraphQL
//! schema has its definitions, fields, arguments and values sorted by name.

use graphql_tools::parser::schema::{
    Definition, SchemaDefinition, TypeDefinition, Value as Literal,
};
use graphql_tools::static_graphql::schema::{
    Directive, DirectiveDefinition, Document, EnumType, Field, InputValue,
};
use podqueue_codegen::__private::literal;
use podqueue_codegen::{Diagnostic, Source, rest};
use serde_json::{Number, Value};
use yaml_serde::Value as Yaml;

/// A text with its white space collapsed, for the comparison of prose.
pub(crate) fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The conventional order of the top-level keys. All other keys are sorted by name.
const TOP_LEVEL: [&str; 8] =
    ["openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components"];

/// The canonical form of a REST description, as YAML or, for a name in `.json`, as JSON.
pub(crate) fn description(name: &str, tree: &Value) -> Result<String, Diagnostic> {
    let invalid = |message: String| Diagnostic::of_file(name, message);
    let text = if name.ends_with(".json") {
        serde_json::to_string_pretty(tree).map_err(|error| invalid(error.to_string()))? + "\n"
    } else {
        yaml_serde::to_string(&ordered(tree)).map_err(|error| invalid(error.to_string()))?
    };
    let reread = rest::read(&Source::new(name, text.as_str()))?;
    if reread == *tree {
        Ok(text)
    } else {
        Err(invalid("this description cannot be written as YAML; keep it as .json".to_owned()))
    }
}

fn ordered(tree: &Value) -> Yaml {
    let Value::Object(entries) = tree else { return yaml(tree) };
    let mut keys: Vec<&String> = entries.keys().collect();
    let rank = |key: &str| TOP_LEVEL.iter().position(|it| *it == key).unwrap_or(TOP_LEVEL.len());
    keys.sort_by_key(|key| (rank(key), key.as_str()));
    Yaml::Mapping(
        keys.into_iter()
            .filter_map(|key| Some((Yaml::String(key.clone()), yaml(entries.get(key)?))))
            .collect(),
    )
}

/// Sorts the entries, which a map of the JSON library need not do.
fn yaml(tree: &Value) -> Yaml {
    match tree {
        Value::Object(entries) => {
            let mut keys: Vec<&String> = entries.keys().collect();
            keys.sort();
            Yaml::Mapping(
                keys.into_iter()
                    .filter_map(|key| Some((Yaml::String(key.clone()), yaml(entries.get(key)?))))
                    .collect(),
            )
        }
        Value::Array(items) => Yaml::Sequence(items.iter().map(yaml).collect()),
        scalar => yaml_serde::to_value(scalar).unwrap_or_default(),
    }
}

/// A description for comparison: the white space of its prose collapsed, lists sorted whose order
/// has no meaning, and numbers written in one way.
pub(crate) fn comparable_description(tree: &Value) -> Value {
    match tree {
        Value::Object(entries) => Value::Object(
            entries
                .iter()
                .map(|(key, value)| {
                    let value = match (key.as_str(), value) {
                        ("description" | "summary" | "title", Value::String(text)) => {
                            collapse_whitespace(text).into()
                        }
                        ("required" | "enum", Value::Array(items)) => {
                            let mut items: Vec<_> =
                                items.iter().map(comparable_description).collect();
                            items.sort_by_key(ToString::to_string);
                            items.into()
                        }
                        (_, value) => comparable_description(value),
                    };
                    (key.clone(), value)
                })
                .collect(),
        ),
        Value::Array(items) => items.iter().map(comparable_description).collect(),
        Value::Number(number) => integral(number).map_or_else(|| tree.clone(), Value::from),
        scalar => scalar.clone(),
    }
}

/// The integer that a number such as `1.0` is.
fn integral(number: &Number) -> Option<i64> {
    let number = number.as_f64().filter(|_| number.is_f64())?;
    number.to_string().parse().ok()
}

/// Built-in definitions of every schema, which SDL omits.
const BUILT_IN: [&str; 10] = [
    "Int",
    "Float",
    "String",
    "Boolean",
    "ID",
    "include",
    "skip",
    "deprecated",
    "specifiedBy",
    "oneOf",
];

/// The directives that introspection exposes. Other directives on the definitions are not part of
/// the canonical form.
const EXPOSED: [&str; 3] = ["deprecated", "specifiedBy", "oneOf"];

/// The canonical form of a GraphQL schema, as SDL.
pub(crate) fn schema(document: &Document) -> String {
    Printer { collapses_prose: false }.document(document)
}

/// A schema for comparison: its canonical form with the white space of its prose collapsed.
pub(crate) fn comparable_schema(document: &Document) -> String {
    Printer { collapses_prose: true }.document(document)
}

/// Returns true if a definition is built in.
pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name) || name.starts_with("__")
}

struct Printer {
    collapses_prose: bool,
}

impl Printer {
    fn document(&self, document: &Document) -> String {
        let mut parts: Vec<(u8, &str, String)> = document
            .definitions
            .iter()
            .filter_map(|definition| match definition {
                Definition::SchemaDefinition(_) => None,
                Definition::DirectiveDefinition(it) => {
                    (!is_built_in(&it.name)).then(|| (1, it.name.as_str(), self.directive(it)))
                }
                Definition::TypeDefinition(it) => {
                    (!is_built_in(it.name())).then(|| (2, it.name(), self.type_definition(it)))
                }
                // Merged into the extended types when the schema was read.
                Definition::TypeExtension(_) => None,
            })
            .collect();
        parts.push((0, "", root(document)));
        parts.sort();
        let parts: Vec<_> = parts.into_iter().map(|(_, _, text)| text).collect();
        parts.join("\n")
    }

    fn directive(&self, definition: &DirectiveDefinition) -> String {
        let description = self.description(definition.description.as_deref(), 0);
        let arguments = self.arguments(&definition.arguments, 0);
        let repeatable = if definition.repeatable { " repeatable" } else { "" };
        let mut locations: Vec<_> = definition.locations.iter().map(|it| it.as_str()).collect();
        locations.sort_unstable();
        let locations = locations.join(" | ");
        let name = &definition.name;
        format!("{description}directive @{name}{arguments}{repeatable} on {locations}\n")
    }

    fn type_definition(
        &self,
        definition: &graphql_tools::static_graphql::schema::TypeDefinition,
    ) -> String {
        let (description, body) = match definition {
            TypeDefinition::Scalar(it) => {
                (&it.description, format!("scalar {}{}\n", it.name, exposed(&it.directives)))
            }
            TypeDefinition::Object(it) => {
                let implements = implements(&it.implements_interfaces);
                let fields = self.fields(&it.fields);
                (&it.description, format!("type {}{implements}{fields}", it.name))
            }
            TypeDefinition::Interface(it) => {
                let implements = implements(&it.implements_interfaces);
                let fields = self.fields(&it.fields);
                (&it.description, format!("interface {}{implements}{fields}", it.name))
            }
            TypeDefinition::Union(it) => {
                let members = sorted(&it.types).join(" | ");
                let is = if members.is_empty() { "" } else { " = " };
                (&it.description, format!("union {}{is}{members}\n", it.name))
            }
            TypeDefinition::Enum(it) => {
                (&it.description, format!("enum {}{}", it.name, self.values(it)))
            }
            TypeDefinition::InputObject(it) => {
                let fields = it.fields.iter().map(|field| {
                    let description = self.description(field.description.as_deref(), 2);
                    (field.name.as_str(), format!("{description}  {}\n", input_value(field)))
                });
                let directives = exposed(&it.directives);
                (&it.description, format!("input {}{directives}{}", it.name, block(fields)))
            }
        };
        self.description(description.as_deref(), 0) + &body
    }

    fn fields(&self, fields: &[Field]) -> String {
        block(fields.iter().map(|field| {
            let description = self.description(field.description.as_deref(), 2);
            let arguments = self.arguments(&field.arguments, 2);
            let (name, of, directives) =
                (&field.name, &field.field_type, exposed(&field.directives));
            (name.as_str(), format!("{description}  {name}{arguments}: {of}{directives}\n"))
        }))
    }

    fn values(&self, of: &EnumType) -> String {
        block(of.values.iter().map(|value| {
            let description = self.description(value.description.as_deref(), 2);
            let (name, directives) = (&value.name, exposed(&value.directives));
            (name.as_str(), format!("{description}  {name}{directives}\n"))
        }))
    }

    /// On one line if none has a description.
    fn arguments(&self, arguments: &[InputValue], indentation: usize) -> String {
        let mut arguments: Vec<_> = arguments.iter().collect();
        arguments.sort_by(|a, b| a.name.cmp(&b.name));
        if arguments.is_empty() {
            return String::new();
        }
        if arguments.iter().all(|argument| argument.description.is_none()) {
            let arguments: Vec<_> = arguments.into_iter().map(input_value).collect();
            return format!("({})", arguments.join(", "));
        }
        let (inner, outer) = (" ".repeat(indentation + 2), " ".repeat(indentation));
        let lines: String = arguments
            .into_iter()
            .map(|argument| {
                let description =
                    self.description(argument.description.as_deref(), indentation + 2);
                format!("{description}{inner}{}\n", input_value(argument))
            })
            .collect();
        format!("(\n{lines}{outer})")
    }

    fn description(&self, text: Option<&str>, indentation: usize) -> String {
        let text = text.unwrap_or_default().trim();
        if text.is_empty() {
            return String::new();
        }
        let indentation = " ".repeat(indentation);
        if self.collapses_prose {
            return format!("{indentation}{}\n", quoted(&collapse_whitespace(text)));
        }
        let is_plain = |c: char| !c.is_control() || c == '\n' || c == '\t';
        if !text.chars().all(is_plain) || !text.contains(['\n', '"', '\\']) {
            return format!("{indentation}{}\n", quoted(text));
        }
        let mut block = format!("{indentation}\"\"\"\n");
        for line in text.lines().map(|line| line.trim_end().replace("\"\"\"", "\\\"\"\"")) {
            let indentation = if line.is_empty() { "" } else { &indentation };
            block.push_str(&format!("{indentation}{line}\n"));
        }
        block + &indentation + "\"\"\"\n"
    }
}

/// The schema definition, also where the root types have their default names.
fn root(document: &Document) -> String {
    let definition = document.definitions.iter().find_map(|definition| match definition {
        Definition::SchemaDefinition(it) => Some(it.clone()),
        _ => None,
    });
    let is_object = |name: &str| {
        matches!(document.type_by_name(name), Some(TypeDefinition::Object(_)))
            .then(|| name.to_owned())
    };
    let roots = definition.unwrap_or_else(|| SchemaDefinition {
        query: is_object("Query"),
        mutation: is_object("Mutation"),
        subscription: is_object("Subscription"),
        ..SchemaDefinition::default()
    });
    let lines: String = [
        ("query", roots.query),
        ("mutation", roots.mutation),
        ("subscription", roots.subscription),
    ]
    .into_iter()
    .filter_map(|(operation, name)| Some(format!("  {operation}: {}\n", name?)))
    .collect();
    format!("schema {{\n{lines}}}\n")
}

fn implements(interfaces: &[String]) -> String {
    if interfaces.is_empty() {
        String::new()
    } else {
        format!(" implements {}", sorted(interfaces).join(" & "))
    }
}

fn sorted(names: &[String]) -> Vec<&str> {
    let mut names: Vec<_> = names.iter().map(String::as_str).collect();
    names.sort_unstable();
    names
}

fn input_value(value: &InputValue) -> String {
    let default = value.default_value.as_ref();
    let default = default.map_or_else(String::new, |value| format!(" = {}", sorted_literal(value)));
    format!("{}: {}{default}{}", value.name, value.value_type, exposed(&value.directives))
}

/// A literal with the fields of input objects sorted, whose order has no meaning.
pub(crate) fn sorted_literal(value: &Literal<'static, String>) -> String {
    literal(&with_sorted_fields(value))
}

fn with_sorted_fields(value: &Literal<'static, String>) -> Literal<'static, String> {
    match value {
        Literal::List(items) => Literal::List(items.iter().map(with_sorted_fields).collect()),
        Literal::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| (name.clone(), with_sorted_fields(value)))
                .collect();
            fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            Literal::Object(fields.into_iter().collect())
        }
        other => other.clone(),
    }
}

fn exposed(directives: &[Directive]) -> String {
    let mut exposed: Vec<_> = directives
        .iter()
        .filter(|it| EXPOSED.contains(&it.name.as_str()))
        .map(|it| {
            let arguments: Vec<_> = it
                .arguments
                .iter()
                .map(|(name, value)| format!("{name}: {}", sorted_literal(value)))
                .collect();
            let arguments = arguments.join(", ");
            if arguments.is_empty() {
                format!(" @{}", it.name)
            } else {
                format!(" @{}({arguments})", it.name)
            }
        })
        .collect();
    exposed.sort();
    exposed.concat()
}

/// A block of items, sorted by name, and separated by blank lines if any has a description.
fn block<'a>(items: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut items: Vec<_> = items.collect();
    items.sort();
    if items.is_empty() {
        return "\n".to_owned();
    }
    let is_spaced = items.iter().any(|(_, text)| text.trim_start().starts_with('"'));
    let items: Vec<_> = items.into_iter().map(|(_, text)| text).collect();
    format!(" {{\n{}}}\n", items.join(if is_spaced { "\n" } else { "" }))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
