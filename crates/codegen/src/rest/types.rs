//! Makes the generated types lenient, documented and free of what nobody needs.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit_mut::VisitMut;
use syn::{Fields, Item, ItemEnum, ItemStruct, Meta, Path, Type, parse_quote};

use super::signatures::{argument, is_named};
use crate::open_enum::{OpenEnum, Variant};
use crate::{derives, print, redact};

/// Turns the items of the type generator's module into ours.
pub(super) fn lenient(items: Vec<Item>) -> TokenStream {
    let open: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            Item::Enum(item) if is_open(item) => Some(item.ident.clone()),
            _ => None,
        })
        .collect();
    let names: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            Item::Struct(item) => Some(item.ident.to_string()),
            Item::Enum(item) => Some(item.ident.to_string()),
            _ => None,
        })
        .collect();
    let mut shorten = Shorten { taken: names };
    let meanings = meanings(&items);
    let mut types = TokenStream::new();
    let mut errors = TokenStream::new();
    for mut item in items {
        match &mut item {
            Item::Enum(item) if is_open(item) => open_enum(item).emit().to_tokens(&mut types),
            Item::Impl(block) if open.iter().any(|name| is_for(&block.self_ty, name)) => {}
            Item::Struct(item) => {
                shorten.visit_item_struct_mut(item);
                lenient_struct(item, &meanings).to_tokens(&mut types);
            }
            Item::Enum(item) => {
                shorten.visit_item_enum_mut(item);
                document_enum(item, &meanings);
                item.to_tokens(&mut types);
            }
            Item::Mod(module) if module.ident == "error" => module.to_tokens(&mut errors),
            _ => item.to_tokens(&mut types),
        }
    }
    if !types.to_string().contains("ConversionError") {
        errors = TokenStream::new();
    }
    quote!(#errors #types)
}

/// What each type means, in the first paragraph of its description.
type Meanings = BTreeMap<String, String>;

/// A field that refers to a named schema has no description of its own in OpenAPI 3.0; it means
/// what its type means.
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

/// The name in the middle of a type: `Gpu` of `Option<Box<Gpu>>`.
fn inner_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    match argument(ty) {
        Some(inner) => inner_name(inner),
        None => path.path.get_ident().map(ToString::to_string),
    }
}

fn is_open(item: &ItemEnum) -> bool {
    !item.variants.is_empty()
        && item.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit))
        && !derives::serde_metas(&item.attrs).iter().any(|meta| meta.path().is_ident("untagged"))
}

fn is_for(ty: &Type, name: &syn::Ident) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(name))
}

fn open_enum(item: &ItemEnum) -> OpenEnum {
    OpenEnum {
        name: item.ident.to_string(),
        docs: docs_or(&item.attrs, "One of several values."),
        variants: item
            .variants
            .iter()
            .map(|variant| Variant {
                wire: derives::serde_value(&variant.attrs, "rename")
                    .unwrap_or_else(|| variant.ident.to_string()),
                docs: print::prose(&derives::doc_text(&variant.attrs)),
                deprecated: false,
            })
            .collect(),
    }
}

fn document_enum(item: &mut ItemEnum, meanings: &Meanings) {
    let docs = docs_or(&item.attrs, "One of several shapes.");
    derives::set_docs(&mut item.attrs, &docs);
    for variant in &mut item.variants {
        let docs = docs_or(&variant.attrs, "One of the shapes.");
        derives::set_docs(&mut variant.attrs, &docs);
        for field in &mut variant.fields {
            if field.ident.is_some() {
                lenient_field(field, meanings);
            }
        }
    }
}

fn lenient_struct(item: &mut ItemStruct, meanings: &Meanings) -> TokenStream {
    let docs = docs_or(&item.attrs, "An object of the interface.");
    derives::set_docs(&mut item.attrs, &docs);
    if matches!(item.fields, Fields::Named(_)) {
        item.attrs.push(parse_quote!(#[non_exhaustive]));
        item.fields.iter_mut().for_each(|field| lenient_field(field, meanings));
    }
    let debug = redact::redact(item, false, wire_name);
    quote!(#item #debug)
}

/// The name of a field on the wire.
fn wire_name(field: &syn::Field) -> String {
    derives::serde_value(&field.attrs, "rename")
        .or_else(|| field.ident.as_ref().map(ToString::to_string))
        .unwrap_or_default()
}

fn lenient_field(field: &mut syn::Field, meanings: &Meanings) {
    let otherwise = inner_name(&field.ty).and_then(|name| meanings.get(&name).cloned());
    let otherwise = otherwise.unwrap_or_else(|| format!("The field `{}`.", wire_name(field)));
    let docs = docs_or(&field.attrs, &otherwise);
    derives::set_docs(&mut field.attrs, &docs);
    let Some(helper) = helper(&field.ty) else {
        return;
    };
    let helper = format!("::podqueue::__private::lenient::{helper}");
    let mut metas = derives::serde_metas(&field.attrs);
    if !metas.iter().any(|meta| meta.path().is_ident("default")) {
        let default: Meta = parse_quote!(default);
        metas.push(default);
    }
    metas.push(parse_quote!(deserialize_with = #helper));
    metas.sort_by_key(|meta| {
        let order = ["rename", "default", "deserialize_with", "skip_serializing_if"];
        order.iter().position(|name| meta.path().is_ident(name))
    });
    derives::set_serde(&mut field.attrs, &metas);
}

/// Which of podqueue's helpers reads a field of this type.
fn helper(ty: &Type) -> Option<&'static str> {
    if is_named(ty, "Option") {
        let inner = argument(ty)?;
        let integers = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
            .iter()
            .any(|it| is_named(inner, it));
        return if is_named(inner, "f64") { Some("number") } else { integers.then_some("integer") };
    }
    if is_named(ty, "HashMap") {
        Some("map_or_default")
    } else {
        (is_named(ty, "Vec") || is_named(ty, "Map")).then_some("or_default")
    }
}

/// The description's words, or ours where it has none.
fn docs_or(attrs: &[syn::Attribute], otherwise: &str) -> String {
    let text = derives::doc_text(attrs);
    // The schema itself, as JSON, folded into the docs.
    let text = text.split("<details>").next().unwrap_or_default();
    let text = print::prose(text);
    if text.is_empty() { otherwise.to_owned() } else { text }
}

/// `::std::option::Option` reads better as `Option`, where no type of the description is called
/// so.
struct Shorten {
    taken: Vec<String>,
}

impl VisitMut for Shorten {
    fn visit_path_mut(&mut self, path: &mut Path) {
        let known = ["::std::option::Option", "::std::string::String", "::std::vec::Vec"];
        let plain: Vec<_> = path.segments.iter().map(|it| it.ident.to_string()).collect();
        let text = format!("::{}", plain.join("::"));
        if path.leading_colon.is_some()
            && (known.contains(&text.as_str()) || text == "::std::boxed::Box")
            && let Some(last) = path.segments.last()
            && !self.taken.contains(&last.ident.to_string())
        {
            let last = last.clone();
            path.leading_colon = None;
            path.segments = [last].into_iter().collect();
        }
        syn::visit_mut::visit_path_mut(self, path);
    }
}
