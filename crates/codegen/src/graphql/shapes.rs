//! Shapes of variables: the enums, input fields and secrets in a value that is written as a
//! literal.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use graphql_tools::parser::query::{
    Directive, OperationDefinition, Selection, SelectionSet, Value,
};
use graphql_tools::parser::schema::{Type, TypeDefinition};
use graphql_tools::static_graphql::schema as ast;
use heck::ToShoutySnakeCase;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::document;
use super::document::literal;
use super::operation::Operation;
use super::schema::Schema;
use crate::naming;
use crate::redact::{Named, is_secret};

/// The statics that describe a schema's inputs, by the input's name.
pub(crate) struct Shapes<'a> {
    schema: &'a Schema,
    names: BTreeMap<String, String>,
}

impl<'a> Shapes<'a> {
    pub(crate) fn new(schema: &'a Schema) -> Self {
        let mut taken = HashSet::new();
        let names = schema
            .inputs()
            .iter()
            .map(|input| {
                let name = naming::unique(&mut taken, input.name.to_shouty_snake_case());
                (input.name.clone(), name)
            })
            .collect();
        Self { schema, names }
    }

    /// The items of the `shapes` module for these inputs.
    pub(crate) fn emit(&self, used: &BTreeSet<String>) -> TokenStream {
        let mut inputs = self.schema.inputs();
        inputs.retain(|input| used.contains(&self.schema.rust_name(&input.name)));
        let is_empty = inputs.is_empty();
        let statics = inputs.into_iter().map(|input| {
            let name = &input.name;
            let docs = format!(" The shape of `{name}`.");
            let ident = format_ident!("{}", self.names[name]);
            let fields = input.fields.iter().map(|field| {
                let name = &field.name;
                let shape = self.shape(&field.value_type, &quote!());
                let presence = presence(&field.value_type, field.default_value.is_some());
                quote! {
                    InputField {
                        name: #name,
                        shape: #shape,
                        presence: Presence::#presence,
                    }
                }
            });
            quote! {
                #[doc = #docs]
                pub static #ident: InputShape = InputShape {
                    name: #name,
                    fields: &[#(#fields),*],
                };
            }
        });
        if is_empty {
            return TokenStream::new();
        }
        quote! {
            use __runtime::graphql::document::{InputField, InputShape, Presence, Shape};
            #(#statics)*
        }
    }

    /// A `Document`: the pieces of an operation, and its variables.
    pub(crate) fn document(&self, operation: &Operation) -> TokenStream {
        let parts = document::parts(operation);
        let parts = parts.iter().map(document::Part::emit);
        let places = secret_places(operation);
        let variables = operation.variables().iter().map(|variable| {
            let name = &variable.name;
            let shape = self.shape(&variable.var_type, &quote!(shapes::));
            let presence = presence(&variable.var_type, variable.default_value.is_some());
            let default = match &variable.default_value {
                Some(value) => {
                    let literal = literal(value);
                    quote!(Some(#literal))
                }
                None => quote!(None),
            };
            let secret_places = places.get(name).into_iter().flatten();
            quote! {
                Variable {
                    name: #name,
                    shape: #shape,
                    presence: Presence::#presence,
                    default: #default,
                    secret_places: &[#(#secret_places),*],
                }
            }
        });
        let kind = if operation.is_mutation() { quote!(Mutation) } else { quote!(Query) };
        quote! {
            {
                #[allow(clippy::wildcard_imports)]
                use __runtime::graphql::document::*;
                Document {
                    kind: Kind::#kind,
                    parts: &[#(#parts),*],
                    variables: &[#(#variables),*],
                }
            }
        }
    }

    fn shape(&self, ty: &ast::Type, path: &TokenStream) -> TokenStream {
        let shape = quote!(Shape);
        match ty {
            Type::NonNullType(inner) => self.shape(inner, path),
            Type::ListType(inner) => {
                let inner = self.shape(inner, path);
                quote!(#shape::List(&#inner))
            }
            Type::NamedType(name) => match name.as_str() {
                "Int" => quote!(#shape::Int),
                "Float" => quote!(#shape::Float),
                "String" => quote!(#shape::String),
                "Boolean" => quote!(#shape::Boolean),
                "ID" => quote!(#shape::Id),
                name => match (self.names.get(name), self.schema.find(name)) {
                    (Some(constant), _) => {
                        let constant = format_ident!("{constant}");
                        quote!(#shape::Input(&#path #constant))
                    }
                    (None, Some(TypeDefinition::Enum(_))) => quote!(#shape::Enum),
                    _ => quote!(#shape::Custom),
                },
            },
        }
    }
}

/// The variant of the runtime's `Presence`.
fn presence(ty: &ast::Type, has_default: bool) -> Ident {
    let variant = match (ty, has_default) {
        (Type::NonNullType(_), false) => "Required",
        (Type::NonNullType(_), true) => "NotNull",
        _ => "Optional",
    };
    format_ident!("{variant}")
}

type Arguments<'a> = &'a [(String, Value<'static, String>)];
type Directives<'a> = &'a [Directive<'static, String>];

/// The arguments and fields with secret names to which variables with other names are passed, by
/// the variable's name.
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

    /// `within` is the secret argument or field that contains the values.
    fn arguments(&mut self, arguments: Arguments<'_>, within: Option<&str>) {
        let siblings: Vec<_> = arguments.iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in arguments {
            // The key of a pair is not secret.
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
