//! Types of a description: the items of the type generator, made lenient and documented.

pub(super) mod constructor;
mod fields;
mod object;
mod union;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Field, Fields, Item, ItemEnum, ItemStruct, parse_quote};

use self::fields::{
    Meanings, distinct_names, docs_or, has_default, is_flatten, keep_null_apart, lenient_field,
};
use self::union::Tags;
use super::normalize::{FieldRecords, NamedEnum, Unions};
use super::shorten::{Reexports, Shorten};
use super::signatures::Signature;
use crate::open_enum::{OpenEnum, Variant};
use crate::syntax::{is_named, name_of, wire_name};
use crate::{attributes, naming, print, redact};

/// Rewrites the items of the type generator's module. `runtime` is what is imported as `__runtime`.
pub(super) fn lenient<'a>(
    items: Vec<Item>,
    enums: &[NamedEnum],
    unions: &Unions,
    fields: &FieldRecords,
    signatures: impl Iterator<Item = &'a Signature>,
    runtime: &TokenStream,
) -> TokenStream {
    let meanings = meanings(&items);
    let sent = sent(&items, signatures);
    let tags = Tags::of(&items, unions, enums);
    let mut types: TokenStream = enums.iter().map(|item| open_enum(item).emit()).collect();
    let mut errors = TokenStream::new();
    for mut item in items {
        if let Item::Mod(module) = &item
            && module.ident == "error"
        {
            item.to_tokens(&mut errors);
            continue;
        }
        if is_of_closed_union(&item) || union::is_implemented(&item, unions) {
            continue;
        }
        Shorten { within_types: true }.visit_item_mut(&mut item);
        Reexports.visit_item_mut(&mut item);
        let mut is_sent = false;
        let mut implementation = None;
        match &mut item {
            Item::Struct(item) => {
                is_sent = sent.contains(&item.ident.to_string());
                lenient_struct(item, &meanings, is_sent);
                if let (true, Some(names)) =
                    (is_sent, fields.optional_nulls.get(&item.ident.to_string()))
                {
                    keep_null_apart(&mut item.fields, names);
                }
            }
            Item::Enum(item) => {
                is_sent = sent.contains(&item.ident.to_string());
                match unions.get(&item.ident.to_string()) {
                    Some(branches) => {
                        let required_fields = is_sent.then_some(&fields.required);
                        implementation = Some(union::rewrite(item, branches, required_fields));
                    }
                    None => {
                        lenient_enum(item, &meanings);
                        if is_untagged(item) {
                            implementation = object::of_untagged_union(item);
                        }
                    }
                }
            }
            _ => {}
        }
        let constructor = match &mut item {
            Item::Struct(item) => {
                let required_fields = fields.required.get(&item.ident.to_string());
                required_fields.into_iter().for_each(|it| write_required(&mut item.fields, it));
                is_sent
                    .then(|| constructor::of(item, required_fields, tags.of_type(&item.ident)))
                    .flatten()
            }
            _ => None,
        };
        let secret = name_of(&item).and_then(|name| fields.secret.get(&name));
        let secret = secret.unwrap_or(&NONE_SECRET);
        let is_object =
            matches!(&item, Item::Struct(item) if matches!(item.fields, Fields::Named(_)));
        if let Item::Struct(item) = &mut item {
            implementation = Some(object::of_struct(item, is_sent, secret));
        }
        let debug = match is_object {
            true => None,
            false => redact::redact_with(&mut item, is_sent, wire_name, secret),
        };
        name_serde(&mut item);
        types.extend(quote!(#item #constructor #debug #implementation));
    }
    let code = types.to_string();
    if !code.contains("ConversionError") {
        errors = TokenStream::new();
    }
    quote! {
        #[allow(unused_imports)]
        use ::std::collections::HashMap;
        #[allow(unused_imports)]
        use #runtime;

        #errors
        #types
    }
}

/// The secret fields of a type that has none by their format.
static NONE_SECRET: BTreeSet<String> = BTreeSet::new();

/// Sets the path of serde for derived code.
fn name_serde(item: &mut Item) {
    let (Item::Struct(ItemStruct { attrs, .. }) | Item::Enum(ItemEnum { attrs, .. })) = item else {
        return;
    };
    let is_serde = |path: &syn::Path| path.segments.iter().any(|it| it.ident == "serde");
    if attributes::derived(attrs).iter().any(is_serde) {
        attrs.push(parse_quote!(#[serde(crate = "__runtime::__private::serde")]));
    }
}

/// Returns true if an item is an implementation for a union that converts from and to text, which
/// a value of no branch does not support.
fn is_of_closed_union(item: &Item) -> bool {
    let Item::Impl(block) = item else { return false };
    let of = block.trait_.as_ref().map(|(_, path, _)| path);
    of.is_some_and(|path| {
        ["Display", "FromStr", "TryFrom"].iter().any(|name| attributes::ends_with(path, name))
    })
}

/// In OpenAPI 3.0 a field that refers to a named schema has no description of its own: it gets the
/// first paragraph of the type's description.
fn meanings(items: &[Item]) -> Meanings {
    let described = items.iter().filter_map(|item| match item {
        Item::Struct(item) => Some((&item.ident, &item.attrs)),
        Item::Enum(item) => Some((&item.ident, &item.attrs)),
        _ => None,
    });
    described
        .map(|(name, attrs)| {
            let docs = docs_or(attrs, "");
            let first = docs.split("\n\n").next().unwrap_or_default().to_owned();
            (name.to_string(), first)
        })
        .filter(|(_, docs)| !docs.is_empty())
        .collect()
}

/// The types that requests contain, directly or transitively. Callers construct them, so they are
/// not `#[non_exhaustive]`.
fn sent<'a>(items: &[Item], signatures: impl Iterator<Item = &'a Signature>) -> BTreeSet<String> {
    let mut roots = Mentioned::default();
    for ty in signatures.flat_map(|signature| signature.parameters.values()) {
        roots.visit_type(ty);
    }
    reached(items, roots)
}

fn is_untagged(item: &ItemEnum) -> bool {
    attributes::serde_metas(&item.attrs).iter().any(|meta| meta.path().is_ident("untagged"))
}

/// These types and all types that they contain, directly or transitively.
fn reached(items: &[Item], roots: Mentioned) -> BTreeSet<String> {
    let within: BTreeMap<String, Mentioned> = items
        .iter()
        .filter_map(|item| {
            let name = name_of(item)?;
            let mut mentioned = Mentioned::default();
            mentioned.visit_item(item);
            Some((name, mentioned))
        })
        .collect();
    let mut waiting: Vec<String> = roots.0.into_iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if let Some(mentioned) = within.get(&name)
            && reached.insert(name)
        {
            waiting.extend(mentioned.0.iter().cloned());
        }
    }
    reached
}

/// The last path segments of all types in an item.
#[derive(Default)]
struct Mentioned(BTreeSet<String>);

impl<'ast> Visit<'ast> for Mentioned {
    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        if let Some(last) = path.path.segments.last() {
            self.0.insert(last.ident.to_string());
        }
        syn::visit::visit_type_path(self, path);
    }
}

fn open_enum(item: &NamedEnum) -> OpenEnum {
    let docs = print::prose(&item.description);
    OpenEnum {
        name: item.name.clone(),
        docs: if docs.is_empty() { "One of several values.".to_owned() } else { docs },
        variants: item
            .values
            .iter()
            .map(|value| Variant { wire: value.clone(), docs: String::new(), deprecated: false })
            .collect(),
    }
}

fn lenient_struct(item: &mut ItemStruct, meanings: &Meanings, is_sent: bool) {
    let docs = docs_or(&item.attrs, "An object of the interface.");
    attributes::set_docs(&mut item.attrs, &docs);
    if matches!(item.fields, Fields::Named(_)) {
        if !is_sent {
            // The service adds fields, which must not break code that names all of them.
            item.attrs.push(parse_quote!(#[non_exhaustive]));
        }
        distinct_names(&mut item.fields);
        // The type generator derives no default where fields are flattened.
        let derived = attributes::derived(&item.attrs);
        let is_flat = |field: &Field| attributes::serde_metas(&field.attrs).iter().any(is_flatten);
        if item.fields.iter().any(is_flat)
            && item.fields.iter().all(|field| has_default(&field.ty))
            && !derived.iter().any(|it| attributes::ends_with(it, "Default"))
        {
            attributes::set(&mut item.attrs, &[derived, vec![parse_quote!(Default)]].concat());
        }
        item.fields.iter_mut().for_each(|field| lenient_field(field, meanings));
    }
}

/// Required fields are written even if they are empty, if their type has an empty value. A list or a
/// map that may be null has one for null, too.
fn write_required(fields: &mut Fields, required_fields: &BTreeMap<String, bool>) {
    for field in fields {
        let Some(may_be_null) = required_fields.get(&wire_name(field)) else { continue };
        let is_option = is_named(&field.ty, "Option");
        if *may_be_null && !is_option && has_default(&field.ty) {
            let ty = &field.ty;
            field.ty = parse_quote!(Option<#ty>);
        }
        if *may_be_null || !is_option {
            let mut metas = attributes::serde_metas(&field.attrs);
            metas.retain(|meta| !meta.path().is_ident("skip_serializing_if"));
            attributes::set_serde(&mut field.attrs, &metas);
        }
    }
}

/// Makes an untagged union keep a value of no branch as JSON.
fn lenient_enum(item: &mut ItemEnum, meanings: &Meanings) {
    let docs = docs_or(&item.attrs, "One of several types.");
    attributes::set_docs(&mut item.attrs, &docs);
    for variant in &mut item.variants {
        let docs = match variant.ident.to_string().as_str() {
            "Array" => "A list.",
            "Boolean" => "A boolean.",
            "Integer" => "A whole number.",
            "Number" => "A number.",
            "Object" => "An object.",
            "String" => "A string.",
            _ => "One of the types.",
        };
        let docs = docs_or(&variant.attrs, docs);
        attributes::set_docs(&mut variant.attrs, &docs);
        if matches!(variant.fields, Fields::Named(_)) {
            distinct_names(&mut variant.fields);
            variant.fields.iter_mut().for_each(|field| lenient_field(field, meanings));
        }
    }
    if item.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit)) {
        // The description decides how large a variant is.
        item.attrs.push(parse_quote!(#[allow(clippy::large_enum_variant)]));
    }
    if is_untagged(item) {
        item.attrs.push(parse_quote!(#[non_exhaustive]));
        let mut taken = item.variants.iter().map(|variant| variant.ident.to_string()).collect();
        let other = format_ident!("{}", naming::unique_pascal(&mut taken, "Other".to_owned()));
        item.variants.push(parse_quote! {
            /// A value of none of these types, as it came.
            #other(__runtime::__private::serde_json::Value)
        });
    }
}
