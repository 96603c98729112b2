//! The stable form of a GraphQL schema: definitions, fields, arguments and values sorted by name.

use graphql_tools::parser::schema::{Definition, SchemaDefinition, TypeDefinition, Value};
use graphql_tools::static_graphql::schema::{
    Directive, DirectiveDefinition, Document, EnumType, Field, InputValue,
};

use podqueue_codegen::__private::literal;

use crate::words::words;

/// What every schema has, and SDL therefore does not say.
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

/// The directives that an introspection result tells of. A service does not tell what others it
/// has put on its definitions, so they are no part of the stable form.
const TOLD: [&str; 3] = ["deprecated", "specifiedBy", "oneOf"];

/// A schema in its stable form.
pub(crate) fn stable(document: &Document) -> String {
    Printer { in_words: false }.document(document)
}

/// A schema for comparison: its stable form with the line breaks of its prose taken out.
pub(crate) fn comparable(document: &Document) -> String {
    Printer { in_words: true }.document(document)
}

/// Whether a schema has this without saying so.
pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name) || name.starts_with("__")
}

struct Printer {
    in_words: bool,
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
                // Merged into what they extend when the schema was read.
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
                (&it.description, format!("scalar {}{}\n", it.name, told(&it.directives)))
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
                let directives = told(&it.directives);
                (&it.description, format!("input {}{directives}{}", it.name, block(fields)))
            }
        };
        self.description(description.as_deref(), 0) + &body
    }

    fn fields(&self, fields: &[Field]) -> String {
        block(fields.iter().map(|field| {
            let description = self.description(field.description.as_deref(), 2);
            let arguments = self.arguments(&field.arguments, 2);
            let (name, of, directives) = (&field.name, &field.field_type, told(&field.directives));
            (name.as_str(), format!("{description}  {name}{arguments}: {of}{directives}\n"))
        }))
    }

    fn values(&self, of: &EnumType) -> String {
        block(of.values.iter().map(|value| {
            let description = self.description(value.description.as_deref(), 2);
            let (name, directives) = (&value.name, told(&value.directives));
            (name.as_str(), format!("{description}  {name}{directives}\n"))
        }))
    }

    /// On one line where none has a description, like those of a call.
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
        if self.in_words {
            return format!("{indentation}{}\n", quoted(&words(text)));
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

/// The root types are always said, also where they have the names that need not be said.
fn root(document: &Document) -> String {
    let said = document.definitions.iter().find_map(|definition| match definition {
        Definition::SchemaDefinition(it) => Some(it.clone()),
        _ => None,
    });
    let is_object = |name: &str| {
        matches!(document.type_by_name(name), Some(TypeDefinition::Object(_)))
            .then(|| name.to_owned())
    };
    let roots = said.unwrap_or_else(|| SchemaDefinition {
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
    format!("{}: {}{default}{}", value.name, value.value_type, told(&value.directives))
}

/// A literal. The fields of an input have no order.
pub(crate) fn sorted_literal(value: &Value<'static, String>) -> String {
    literal(&with_sorted_fields(value))
}

fn with_sorted_fields(value: &Value<'static, String>) -> Value<'static, String> {
    match value {
        Value::List(items) => Value::List(items.iter().map(with_sorted_fields).collect()),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| (name.clone(), with_sorted_fields(value)))
                .collect();
            fields.sort_by(|(a, _), (b, _)| a.cmp(b));
            Value::Object(fields.into_iter().collect())
        }
        other => other.clone(),
    }
}

fn told(directives: &[Directive]) -> String {
    let mut told: Vec<_> = directives
        .iter()
        .filter(|it| TOLD.contains(&it.name.as_str()))
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
    told.sort();
    told.concat()
}

/// Items by name. Those with a description stand apart from each other.
fn block<'a>(items: impl Iterator<Item = (&'a str, String)>) -> String {
    let mut items: Vec<_> = items.collect();
    items.sort();
    if items.is_empty() {
        return "\n".to_owned();
    }
    let is_airy = items.iter().any(|(_, text)| text.trim_start().starts_with('"'));
    let items: Vec<_> = items.into_iter().map(|(_, text)| text).collect();
    format!(" {{\n{}}}\n", items.join(if is_airy { "\n" } else { "" }))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
