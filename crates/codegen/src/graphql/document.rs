//! Printed forms of an operation: its text, its document in pieces, and literals.
//!
//! The text is for a body with separate variables. The document is in pieces, with a placeholder
//! for each variable, so that the runtime can write the variables into it as literals.

use graphql_tools::parser::query::{
    Directive, Field, OperationDefinition, Selection, SelectionSet, TypeCondition, Value,
};
use proc_macro2::TokenStream;
use quote::quote;

use super::operation::Operation;
use super::text::quoted;

type Directives<'a> = &'a [Directive<'static, String>];
type Arguments<'a> = &'a [(String, Value<'static, String>)];

/// A piece of the document, as the runtime's type of that name represents it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Value(String),
    Entry { name: String, variable: String },
    Arguments(Vec<Part>),
}

impl Part {
    pub(crate) fn emit(&self) -> TokenStream {
        let part = quote!(Part);
        match self {
            Self::Text(text) => quote!(#part::Text(#text)),
            Self::Value(variable) => quote!(#part::Value(#variable)),
            Self::Entry { name, variable } => {
                quote!(#part::Entry { name: #name, variable: #variable })
            }
            Self::Arguments(parts) => {
                let parts = parts.iter().map(Self::emit);
                quote!(#part::Arguments(&[#(#parts),*]))
            }
        }
    }
}

/// The operation with its variables, on one line.
pub(crate) fn text(operation: &Operation) -> String {
    let mut printer = Printer { parts: Vec::new(), in_parts: false };
    printer.operation(operation, true);
    printer
        .parts
        .into_iter()
        .map(|part| match part {
            Part::Text(text) => text,
            // Without `in_parts` the printer writes text only.
            _ => String::new(),
        })
        .collect()
}

/// The operation in pieces, without the definitions of its variables.
pub(crate) fn parts(operation: &Operation) -> Vec<Part> {
    let mut printer = Printer { parts: Vec::new(), in_parts: true };
    printer.operation(operation, false);
    printer.parts
}

fn has_variable(value: &Value<'static, String>) -> bool {
    match value {
        Value::Variable(_) => true,
        Value::List(items) => items.iter().any(has_variable),
        Value::Object(fields) => fields.iter().any(|(_, value)| has_variable(value)),
        _ => false,
    }
}

struct Printer {
    parts: Vec<Part>,
    /// True if variables become placeholders.
    in_parts: bool,
}

impl Printer {
    fn push(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    fn operation(&mut self, operation: &Operation, with_variables: bool) {
        self.push(if operation.is_mutation() { "mutation " } else { "query " });
        self.push(&operation.name);
        if with_variables && !operation.variables().is_empty() {
            let variables: Vec<_> = operation
                .variables()
                .iter()
                .map(|variable| {
                    let default = variable.default_value.as_ref();
                    let default = default.map(|it| format!(" = {}", literal(it)));
                    let default = default.unwrap_or_default();
                    format!("${}: {}{default}", variable.name, variable.var_type)
                })
                .collect();
            self.push(&format!("({})", variables.join(", ")));
        }
        let directives = match &operation.definition {
            OperationDefinition::Query(it) => it.directives.as_slice(),
            OperationDefinition::Mutation(it) => &it.directives,
            OperationDefinition::Subscription(it) => &it.directives,
            OperationDefinition::SelectionSet(_) => &[],
        };
        self.directives(directives);
        self.selection(operation.selection());
        for fragment in &operation.fragments {
            let TypeCondition::On(ty) = &fragment.type_condition;
            self.push(&format!(" fragment {} on {ty}", fragment.name));
            self.directives(&fragment.directives);
            self.selection(&fragment.selection_set);
        }
    }

    fn selection(&mut self, selection: &SelectionSet<'static, String>) {
        if selection.items.is_empty() {
            return;
        }
        self.push(" {");
        for item in &selection.items {
            self.push(" ");
            match item {
                Selection::Field(field) => self.field(field),
                Selection::FragmentSpread(spread) => {
                    self.push(&format!("...{}", spread.fragment_name));
                    self.directives(&spread.directives);
                }
                Selection::InlineFragment(inline) => {
                    self.push("...");
                    if let Some(TypeCondition::On(ty)) = &inline.type_condition {
                        self.push(&format!(" on {ty}"));
                    }
                    self.directives(&inline.directives);
                    self.selection(&inline.selection_set);
                }
            }
        }
        self.push(" }");
    }

    fn field(&mut self, field: &Field<'static, String>) {
        if let Some(alias) = &field.alias {
            self.push(&format!("{alias}: "));
        }
        self.push(&field.name);
        self.arguments(&field.arguments);
        self.directives(&field.directives);
        self.selection(&field.selection_set);
    }

    fn directives(&mut self, directives: Directives<'_>) {
        for directive in directives {
            self.push(&format!(" @{}", directive.name));
            self.arguments(&directive.arguments);
        }
    }

    fn arguments(&mut self, arguments: Arguments<'_>) {
        if arguments.is_empty() {
            return;
        }
        let has_variables = arguments.iter().any(|(_, value)| has_variable(value));
        // A list or an object that contains a variable is never omitted, so the parentheses around
        // it are never empty, and the arguments need not be a piece of their own. A comma between
        // them is white space in GraphQL.
        let is_nested = |value| has_variable(value) && !matches!(value, Value::Variable(_));
        if !self.in_parts || !has_variables {
            let all: Vec<_> = arguments
                .iter()
                .map(|(name, value)| format!("{name}: {}", literal(value)))
                .collect();
            self.push(&format!("({})", all.join(", ")));
        } else if arguments.iter().any(|(_, value)| is_nested(value)) {
            self.push("(");
            self.entries(arguments);
            self.push(")");
        } else {
            let parts = arguments.iter().map(|(name, value)| match value {
                Value::Variable(variable) => {
                    Part::Entry { name: name.clone(), variable: variable.clone() }
                }
                value => Part::Text(format!("{name}: {}", literal(value))),
            });
            self.parts.push(Part::Arguments(parts.collect()));
        }
    }

    fn entries(&mut self, entries: Arguments<'_>) {
        for (index, (name, value)) in entries.iter().enumerate() {
            if index > 0 {
                self.push(" ");
            }
            match value {
                Value::Variable(variable) => {
                    self.parts.push(Part::Entry { name: name.clone(), variable: variable.clone() })
                }
                value => {
                    self.push(&format!("{name}: "));
                    self.value(value);
                }
            }
        }
    }

    fn value(&mut self, value: &Value<'static, String>) {
        match value {
            value if !has_variable(value) => self.push(&literal(value)),
            Value::Variable(variable) => self.parts.push(Part::Value(variable.clone())),
            Value::List(items) => {
                self.push("[");
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.push(", ");
                    }
                    self.value(item);
                }
                self.push("]");
            }
            Value::Object(fields) => {
                self.push("{");
                self.entries(fields);
                self.push("}");
            }
            _ => {}
        }
    }
}

/// A value without variables, as a GraphQL literal.
pub fn literal(value: &Value<'static, String>) -> String {
    match value {
        Value::Variable(name) => format!("${name}"),
        Value::Int(number) => number.as_i64().unwrap_or_default().to_string(),
        Value::Float(number) => format!("{number:?}"),
        Value::String(text) => quoted(text),
        Value::Boolean(value) => value.to_string(),
        Value::Null => "null".to_owned(),
        Value::Enum(name) => name.clone(),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{name}: {}", literal(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}
