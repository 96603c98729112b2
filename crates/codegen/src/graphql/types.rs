//! What all operations share: input objects, enums and scalars, each made once.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use graphql_tools::parser::schema::TypeDefinition;
use graphql_tools::static_graphql::schema::InputObjectType;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Fields, Item, Type, parse_quote};

use super::client::Client;
use super::schema::{Schema, inner_name};
use super::tidy;
use crate::open_enum::{OpenEnum, Variant};
use crate::{derives, naming, print, redact};

/// The shared types of a schema.
pub(crate) struct Types {
    /// The items of the `types` module.
    pub(crate) tokens: TokenStream,
    /// Their names.
    pub(crate) names: BTreeSet<String>,
    /// Those that have a default.
    pub(crate) with_default: BTreeSet<String>,
}

impl Types {
    pub(crate) fn generate(schema: &Schema, client: &Client) -> Result<Self, String> {
        let inputs = schema.inputs();
        let with_default = with_default(schema, &inputs);
        let mut names = BTreeSet::new();
        let mut tokens = TokenStream::new();
        for scalar in schema.custom_scalars() {
            let name = schema.rust_name(&scalar.name);
            let ident = format_ident!("{name}");
            let docs = description(scalar.description.as_deref(), "A scalar of the service.");
            let docs = print::docs(&format!(
                "{docs}\n\nThe schema says no more about a scalar than its name, so this is any JSON."
            ));
            tokens
                .extend(quote!(#docs pub type #ident = ::podqueue::__private::serde_json::Value;));
            names.insert(name);
        }
        for item in schema.enums() {
            let name = schema.rust_name(&item.name);
            let open = OpenEnum {
                name: name.clone(),
                docs: description(item.description.as_deref(), "One of several values."),
                variants: item
                    .values
                    .iter()
                    .map(|value| Variant {
                        wire: value.name.clone(),
                        docs: description(value.description.as_deref(), ""),
                        deprecated: value.directives.iter().any(|it| it.name == "deprecated"),
                    })
                    .collect(),
            };
            tokens.extend(open.emit());
            names.insert(name);
        }
        for (input, item) in input_items(schema, &inputs, client)? {
            names.insert(schema.rust_name(&input.name));
            tokens.extend(input_type(input, item, &with_default));
        }
        Ok(Self { tokens, names, with_default })
    }
}

/// graphql_client makes only the inputs that an operation mentions, so one mentions them all.
fn input_items<'a>(
    schema: &Schema,
    inputs: &[&'a InputObjectType],
    client: &Client,
) -> Result<Vec<(&'a InputObjectType, Item)>, String> {
    if inputs.is_empty() {
        return Ok(Vec::new());
    }
    let variables: Vec<_> = inputs
        .iter()
        .enumerate()
        .map(|(number, input)| format!("$v{number}: {}", schema.client_name(&input.name)))
        .collect();
    let document = format!("query EveryInput({}) {{ __typename }}", variables.join(", "));
    let items = client.items(&document)?;
    let mut items: BTreeMap<_, _> =
        items.into_iter().filter_map(|item| Some((name_of(&item)?, item))).collect();
    Ok(inputs
        .iter()
        .filter_map(|input| Some((*input, items.remove(&schema.rust_name(&input.name))?)))
        .collect())
}

/// The name of a struct or an enum.
pub(crate) fn name_of(item: &Item) -> Option<String> {
    match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Enum(item) => Some(item.ident.to_string()),
        _ => None,
    }
}

fn input_type(
    input: &InputObjectType,
    mut item: Item,
    with_default: &BTreeSet<String>,
) -> TokenStream {
    tidy::tidy(&mut item);
    let docs = description(input.description.as_deref(), "An input of the service.");
    let field_docs = |wire: &str| {
        let field = input.fields.iter().find(|field| field.name == wire);
        let text = field.and_then(|field| field.description.as_deref());
        description(text, &format!("The field `{wire}`."))
    };
    match &mut item {
        Item::Struct(item) => {
            tell_apart(&mut item.fields);
            derives::set_docs(&mut item.attrs, &docs);
            if with_default.contains(&item.ident.to_string()) {
                tidy::derive(&mut item.attrs, parse_quote!(Default));
            }
            for field in &mut item.fields {
                let docs = field_docs(&wire_name(field));
                derives::set_docs(&mut field.attrs, &docs);
            }
        }
        Item::Enum(item) => {
            derives::set_docs(&mut item.attrs, &docs);
            for variant in &mut item.variants {
                let wire = derives::serde_value(&variant.attrs, "rename");
                let docs = field_docs(&wire.unwrap_or_else(|| variant.ident.to_string()));
                derives::set_docs(&mut variant.attrs, &docs);
            }
        }
        _ => {}
    }
    let debug = redact::redact(&mut item, true, wire_name);
    quote!(#item #debug)
}

/// Numbers fields whose names are one in Rust, such as `not` and `_not`.
fn tell_apart(fields: &mut Fields) {
    let is_renamed = |field: &syn::Field| derives::serde_value(&field.attrs, "rename").is_some();
    let mut fields: Vec<_> = fields.iter_mut().collect();
    // A field that is called as on the wire goes on to be.
    fields.sort_by_key(|field| is_renamed(field));
    let mut taken = HashSet::new();
    for field in fields {
        let Some(ident) = &field.ident else { continue };
        let name = naming::unique(&mut taken, ident.to_string());
        field.ident = Some(format_ident!("{name}"));
    }
}

/// The name of a field on the wire.
pub(crate) fn wire_name(field: &syn::Field) -> String {
    derives::serde_value(&field.attrs, "rename")
        .or_else(|| field.ident.as_ref().map(ToString::to_string))
        .unwrap_or_default()
}

/// The inputs whose required fields all have defaults: none is an enum, not even further down.
fn with_default(schema: &Schema, inputs: &[&InputObjectType]) -> BTreeSet<String> {
    let is_enum = |name: &str| matches!(schema.find(name), Some(TypeDefinition::Enum(_)));
    let is_one_of = |input: &InputObjectType| input.directives.iter().any(|it| it.name == "oneOf");
    let mut without: BTreeSet<&str> =
        inputs.iter().filter(|it| is_one_of(it)).map(|it| it.name.as_str()).collect();
    loop {
        let before = without.len();
        for input in inputs {
            let spoilt = input.fields.iter().any(|field| {
                let name = inner_name(&field.value_type);
                is_plainly_required(&field.value_type) && (is_enum(name) || without.contains(name))
            });
            if spoilt {
                without.insert(&input.name);
            }
        }
        if without.len() == before {
            break;
        }
    }
    inputs
        .iter()
        .filter(|input| !without.contains(input.name.as_str()))
        .map(|input| schema.rust_name(&input.name))
        .collect()
}

/// Whether a type is `Name!`; a list has a default whatever it is of.
fn is_plainly_required(ty: &graphql_tools::static_graphql::schema::Type) -> bool {
    use graphql_tools::parser::schema::Type;
    matches!(ty, Type::NonNullType(inner) if matches!(**inner, Type::NamedType(_)))
}

/// Whether a Rust type of an operation's variables has a default.
pub(crate) fn has_default(ty: &Type, types: &Types) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let name = last.ident.to_string();
    !types.names.contains(&name) || types.with_default.contains(&name)
}

/// Whether all fields of a struct have defaults.
pub(crate) fn all_default(fields: &Fields, types: &Types) -> bool {
    fields.iter().all(|field| has_default(&field.ty, types))
}

/// A description as docs, or other words where there is none.
pub(crate) fn description(text: Option<&str>, otherwise: &str) -> String {
    match text.map(print::prose) {
        Some(text) if !text.is_empty() => text,
        _ => otherwise.to_owned(),
    }
}
