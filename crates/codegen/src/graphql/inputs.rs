//! Input objects as Rust types, generated once for all operations. graphql_client would generate
//! those of each operation again, in time quadratic in the number of inputs that refer to each
//! other; it sees them as scalars.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use graphql_tools::parser::schema::{Type, TypeDefinition};
use graphql_tools::static_graphql::schema as ast;
use graphql_tools::static_graphql::schema::InputObjectType;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::schema::Schema;
use crate::syntax::wire_name;
use crate::{naming, print, redact};

/// The inputs of a schema, and their properties that depend on each other.
pub(crate) struct Inputs<'a> {
    schema: &'a Schema,
    pub(crate) all: Vec<&'a InputObjectType>,
    /// The inputs that contain themselves, directly or transitively, without a list in between.
    endless: BTreeSet<&'a str>,
    /// The inputs without a default: they require a value of an enum.
    without_default: BTreeSet<&'a str>,
}

impl<'a> Inputs<'a> {
    /// The inputs of a schema. Scalars with Rust types may have no default.
    pub(crate) fn new(schema: &'a Schema, typed: &BTreeMap<String, String>) -> Self {
        let all = schema.inputs();
        let without_default = without_default(schema, &all, typed);
        Self { schema, endless: endless(&all), without_default, all }
    }

    pub(crate) fn has_default(&self, input: &InputObjectType) -> bool {
        !self.without_default.contains(input.name.as_str())
    }

    pub(crate) fn emit(&self, input: &InputObjectType) -> TokenStream {
        let mut item = if is_one_of(input) { self.choice(input) } else { self.object(input) };
        let debug = redact::redact(&mut item, true, wire_name);
        quote!(#item #debug)
    }

    fn object(&self, input: &InputObjectType) -> syn::Item {
        let ident = format_ident!("{}", self.schema.rust_name(&input.name));
        let docs = print::docs(&print::prose_or(input.description.as_deref(), AN_INPUT));
        let default = self.has_default(input).then(|| quote!(, Default));
        let fields = input.fields.iter().zip(field_names(input)).map(|(field, name)| {
            let docs = field_docs(field, &name);
            let rename = rename(&field.name, &name);
            let skip = is_optional(field).then(|| quote!(skip_serializing_if = "Option::is_none"));
            let metas: Vec<_> = rename.into_iter().chain(skip).collect();
            let serde = (!metas.is_empty()).then(|| quote!(#[serde(#(#metas),*)]));
            let name = format_ident!("{name}");
            let ty = self.field_type(input, field);
            quote!(#docs #serde pub #name: #ty)
        });
        syn::parse_quote! {
            #docs
            #[derive(__runtime::__private::serde::Serialize, Clone, Debug, PartialEq #default)]
            #[serde(crate = "__runtime::__private::serde")]
            pub struct #ident {
                #(#fields,)*
            }
        }
    }

    /// An input of which exactly one field is set (`@oneOf`).
    fn choice(&self, input: &InputObjectType) -> syn::Item {
        let ident = format_ident!("{}", self.schema.rust_name(&input.name));
        let docs = print::docs(&print::prose_or(input.description.as_deref(), AN_INPUT));
        let names = input.fields.iter().map(|it| (Some(it.name.clone()), naming::pascal(&it.name)));
        let names = names.collect();
        let names = naming::distinct(&mut HashSet::new(), names, naming::unique_pascal);
        let variants = input.fields.iter().zip(names).map(|(field, name)| {
            let docs = field_docs(field, &name);
            let rename = rename(&field.name, &name).map(|it| quote!(#[serde(#it)]));
            let name = format_ident!("{name}");
            let ty = self.plain(&field.value_type);
            let ty = if self.is_boxed(input, field) { quote!(Box<#ty>) } else { ty };
            quote!(#docs #rename #name(#ty))
        });
        syn::parse_quote! {
            #docs
            #[derive(__runtime::__private::serde::Serialize, Clone, Debug, PartialEq)]
            #[serde(crate = "__runtime::__private::serde")]
            pub enum #ident {
                #(#variants,)*
            }
        }
    }

    fn field_type(&self, input: &InputObjectType, field: &ast::InputValue) -> TokenStream {
        let plain = self.plain(&field.value_type);
        let ty = if self.is_boxed(input, field) { quote!(Box<#plain>) } else { plain };
        if is_optional(field) { quote!(Option<#ty>) } else { ty }
    }

    /// A type that is given.
    fn plain(&self, ty: &ast::Type) -> TokenStream {
        match ty {
            Type::NonNullType(inner) => self.plain(inner),
            Type::ListType(item) => {
                let plain = self.plain(item);
                match **item {
                    Type::NonNullType(_) => quote!(Vec<#plain>),
                    _ => quote!(Vec<Option<#plain>>),
                }
            }
            Type::NamedType(name) => match name.as_str() {
                "Int" => quote!(i64),
                "Float" => quote!(f64),
                "Boolean" => quote!(bool),
                "String" | "ID" => quote!(String),
                name => {
                    let ident = format_ident!("{}", self.schema.rust_name(name));
                    quote!(#ident)
                }
            },
        }
    }

    /// Returns true if a field would make its type infinitely large.
    fn is_boxed(&self, of: &InputObjectType, field: &ast::InputValue) -> bool {
        directly(&field.value_type).is_some_and(|name| self.endless.contains(name))
            && self.endless.contains(of.name.as_str())
    }
}

const AN_INPUT: &str = "An input of the service.";

fn is_one_of(input: &InputObjectType) -> bool {
    input.directives.iter().any(|it| it.name == "oneOf")
}

/// Returns true if a field can be absent.
fn is_optional(field: &ast::InputValue) -> bool {
    !matches!(field.value_type, Type::NonNullType(_)) || field.default_value.is_some()
}

fn field_docs(field: &ast::InputValue, name: &str) -> TokenStream {
    let otherwise = format!("The field `{}`.", field.name);
    let mut docs = print::prose_or(field.description.as_deref(), &otherwise);
    if docs != otherwise && !naming::reads_as(&field.name, name) {
        docs.push_str(&format!("\n\n`{}` on the wire.", field.name));
    }
    print::docs(&docs)
}

fn rename(wire: &str, name: &str) -> Option<TokenStream> {
    (wire != name).then(|| quote!(rename = #wire))
}

/// The Rust names of the fields, numbered where they are equal, such as `not` and `_not`.
fn field_names(input: &InputObjectType) -> Vec<String> {
    let names = input.fields.iter().map(|it| (Some(it.name.clone()), naming::snake(&it.name)));
    naming::distinct(&mut HashSet::new(), names.collect(), naming::unique)
}

/// The name of a type that is not a list.
fn directly(ty: &ast::Type) -> Option<&str> {
    match ty {
        Type::NonNullType(inner) => directly(inner),
        Type::NamedType(name) => Some(name),
        Type::ListType(_) => None,
    }
}

/// The nodes of a graph that are on cycles, or between cycles: repeatedly removes nodes that lead
/// to no other, and nodes to which no other leads.
fn endless<'a>(inputs: &[&'a InputObjectType]) -> BTreeSet<&'a str> {
    let mut remaining: BTreeSet<&str> = inputs.iter().map(|it| it.name.as_str()).collect();
    let mut forth: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut back: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for input in inputs {
        for to in input.fields.iter().filter_map(|field| directly(&field.value_type)) {
            if remaining.contains(to) {
                forth.entry(&input.name).or_default().push(to);
                back.entry(to).or_default().push(&input.name);
            }
        }
    }
    for (to, from) in [(&forth, &back), (&back, &forth)] {
        let mut left: BTreeMap<&str, usize> = remaining
            .iter()
            .map(|name| {
                let to = to.get(name).into_iter().flatten();
                (*name, to.filter(|it| remaining.contains(*it)).count())
            })
            .collect();
        let mut waiting: Vec<&str> =
            left.iter().filter(|(_, left)| **left == 0).map(|(name, _)| *name).collect();
        while let Some(name) = waiting.pop() {
            remaining.remove(name);
            for before in from.get(name).into_iter().flatten() {
                if let Some(left) = left.get_mut(before) {
                    *left = left.saturating_sub(1);
                    if *left == 0 && remaining.contains(before) {
                        waiting.push(before);
                    }
                }
            }
        }
    }
    remaining
}

/// The inputs that require an enum, which has no default, a scalar with a Rust type, which need not
/// have one, or such an input.
fn without_default<'a>(
    schema: &Schema,
    inputs: &[&'a InputObjectType],
    typed: &BTreeMap<String, String>,
) -> BTreeSet<&'a str> {
    let is_enum = |name: &str| {
        typed.contains_key(name) || matches!(schema.find(name), Some(TypeDefinition::Enum(_)))
    };
    let mut waiting: Vec<&str> = Vec::new();
    let mut required_by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for input in inputs {
        if is_one_of(input) {
            waiting.push(&input.name);
        }
        for field in input.fields.iter().filter(|it| !is_optional(it)) {
            // A list has a default, whatever its items are.
            if directly(&field.value_type).is_none() {
                continue;
            }
            let of = field.value_type.inner_type();
            if is_enum(of) {
                waiting.push(&input.name);
            } else {
                required_by.entry(of).or_default().push(&input.name);
            }
        }
    }
    let mut without = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if without.insert(name) {
            waiting.extend(required_by.get(name).into_iter().flatten());
        }
    }
    without
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    fn endless_of(text: &str) -> Vec<String> {
        let text = format!("type Query {{ a: Int }}\n{text}");
        let schema = Schema::parse(&Source::new("s.graphql", text)).expect("the schema parses");
        endless(&schema.inputs()).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn only_recursion_without_a_list_is_infinite() {
        assert_eq!(endless_of("input A { b: B } input B { c: C! } input C { a: [A!] }"), [""; 0]);
        assert_eq!(endless_of("input A { a: A } input B { a: A } input C { b: B }"), ["A"]);
        assert_eq!(
            endless_of(
                "input A { b: B c: C } input B { a: A d: D } input C { d: D } input D { x: Int }"
            ),
            ["A", "B"]
        );
    }
}
