//! The fields of generated types: how they are read, what they mean, what they are called.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Field, Fields, Meta, Type, parse_quote};

use super::shorten::shorten_path;
use crate::syntax::{argument, arguments, is_named, wire_name};
use crate::{derives, naming, print};

/// What each type means.
pub(super) type Meanings = BTreeMap<String, String>;

/// The types that are read from a scalar of another type, too: `String`, the enums of strings,
/// `bool`.
pub(super) type Loose = BTreeSet<String>;

/// Flaw: two properties whose names are one in Rust, such as `fooBar` and `foo_bar`.
pub(super) fn distinct_names(fields: &mut Fields) {
    let names = fields.iter().map(|field| {
        let is_flat = derives::serde_metas(&field.attrs).iter().any(is_flatten);
        let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
        ((!is_flat).then(|| wire_name(field)), name)
    });
    let names: Vec<_> = names.collect();
    let wires: Vec<_> = names.iter().map(|(wire, _)| wire.clone()).collect();
    let names = naming::distinct(&mut HashSet::new(), names, naming::unique);
    for ((field, name), wire) in fields.iter_mut().zip(names).zip(wires) {
        let Some(ident) = field.ident.as_mut().filter(|it| **it != name) else { continue };
        *ident = format_ident!("{name}");
        let Some(wire) = wire else { continue };
        let mut metas = derives::serde_metas(&field.attrs);
        metas.retain(|meta| !meta.path().is_ident("rename"));
        metas.insert(0, parse_quote!(rename = #wire));
        derives::set_serde(&mut field.attrs, &metas);
    }
}

/// Documents a field, and has it read by a helper where the wire is loose about its type.
pub(super) fn lenient_field(field: &mut Field, meanings: &Meanings, loose: &Loose) {
    let otherwise = inner_name(&field.ty).and_then(|name| meanings.get(&name).cloned());
    let wire = wire_name(field);
    let own = format!("The field `{wire}`.");
    let mut docs = docs_or(&field.attrs, otherwise.as_deref().unwrap_or(&own));
    let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    if docs != own && !naming::reads_as(&wire, &name) {
        docs.push_str(&format!("\n\n`{wire}` on the wire."));
    }
    derives::set_docs(&mut field.attrs, &docs);

    let mut metas = derives::serde_metas(&field.attrs);
    metas.iter_mut().for_each(shorten_path);
    if let Some(ty) = option_of_box(&field.ty) {
        field.ty = ty;
        let before = metas.len();
        metas.retain(|meta| !meta.path().is_ident("default"));
        if metas.len() < before {
            metas.push(parse_quote!(skip_serializing_if = "Option::is_none"));
        }
    }
    if metas.iter().any(is_flatten) {
        let value = arguments(&field.ty).last().copied().filter(|it| !is_named(it, "Value"));
        match value.filter(|_| is_named(&field.ty, "HashMap")) {
            None => derives::set_docs(&mut field.attrs, "All that has no field of its own."),
            Some(value) => {
                let docs =
                    "All that has no field of its own. What is not of this type is left out.";
                derives::set_docs(&mut field.attrs, docs);
                let shape = shape(value, loose).to_string().replace(' ', "");
                let helper = format!("lenient::shape::further::<{shape},_>")
                    .replace("__runtime::__private::lenient", "lenient");
                metas.push(parse_quote!(deserialize_with = #helper));
            }
        }
    } else if let Some(helper) = helper(&field.ty, loose) {
        if !metas.iter().any(|meta| meta.path().is_ident("default")) {
            let default: Meta = parse_quote!(default);
            metas.push(default);
        }
        // What is required and may be null has another one already.
        metas.retain(|meta| !meta.path().is_ident("deserialize_with"));
        // The module `types` has it in scope.
        let helper = helper.replace("__runtime::__private::lenient", "lenient");
        metas.push(parse_quote!(deserialize_with = #helper));
    }
    metas.sort_by_key(|meta| {
        let order = ["rename", "flatten", "default", "deserialize_with", "skip_serializing_if"];
        order.iter().position(|name| meta.path().is_ident(name))
    });
    derives::set_serde(&mut field.attrs, &metas);
}

/// `Option<Box<T>>` for `Box<Option<T>>`, which the type generator writes where types lead back to
/// each other, and which would be sent as null where nothing is given.
fn option_of_box(ty: &Type) -> Option<Type> {
    let option = argument(ty).filter(|within| is_named(ty, "Box") && is_named(within, "Option"))?;
    let within = argument(option)?;
    Some(parse_quote!(Option<Box<#within>>))
}

/// Whether a field holds what has no field of its own.
pub(super) fn is_flatten(meta: &Meta) -> bool {
    meta.path().is_ident("flatten")
}

/// Whether there is a value for a field of this type where nothing is given.
pub(super) fn has_default(ty: &Type) -> bool {
    ["Option", "Vec", "HashMap", "Map"].iter().any(|name| is_named(ty, name))
}

/// Which of podqueue's helpers reads a field of this type.
fn helper(ty: &Type, loose: &Loose) -> Option<String> {
    let simple = |name: &str| Some(format!("__runtime::__private::lenient::{name}"));
    let within = arguments(ty).last().copied();
    let is_loose = within.is_some_and(|it| is_collection(it) || is_scalar(it, loose));
    let shaped = || {
        let shape = shape(ty, loose).to_string().replace(' ', "");
        simple(&format!("shape::read::<{shape},_>"))
    };
    if is_named(ty, "Option") {
        match argument(ty)? {
            number if is_named(number, "f64") => simple("number"),
            number if is_number(number) => simple("integer"),
            boolean if is_boolean(boolean, loose) => simple("boolean"),
            text if is_text(text, loose) => simple("text"),
            _ => None,
        }
    } else if is_named(ty, "Map") {
        simple("or_default")
    } else if !is_collection(ty) {
        None
    } else if is_loose || within.is_some_and(|it| is_named(it, "Option")) {
        shaped()
    } else {
        simple(if is_named(ty, "Vec") { "list" } else { "map_or_default" })
    }
}

/// How podqueue reads a whole answer of this type, where it does not read itself loosely.
pub(super) fn answer_shape(ty: &Type) -> Option<TokenStream> {
    let loose = Loose::from(["String", "bool"].map(str::to_owned));
    (is_collection(ty) || is_scalar(ty, &loose)).then(|| shape(ty, &loose))
}

/// The type of podqueue's that says how a value of this type is read.
fn shape(ty: &Type, loose: &Loose) -> TokenStream {
    let within = || arguments(ty).last().map(|it| shape(it, loose));
    let shape = quote!(__runtime::__private::lenient::shape);
    match () {
        () if is_named(ty, "f64") => quote!(#shape::Number),
        () if is_number(ty) => quote!(#shape::Integer<#ty>),
        () if is_boolean(ty, loose) => quote!(#shape::Boolean),
        () if is_text(ty, loose) => quote!(#shape::Text<#ty>),
        () if is_named(ty, "Vec") => {
            let item = within();
            quote!(#shape::List<#item>)
        }
        () if is_named(ty, "HashMap") => {
            let value = within();
            quote!(#shape::Dictionary<#value>)
        }
        () if is_named(ty, "Option") => {
            let inner = within();
            quote!(#shape::Nullable<#inner>)
        }
        () => quote!(#shape::Plain<#ty>),
    }
}

fn is_collection(ty: &Type) -> bool {
    is_named(ty, "Vec") || is_named(ty, "HashMap")
}

fn is_number(ty: &Type) -> bool {
    const NUMBERS: [&str; 9] = ["f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    NUMBERS.iter().any(|name| is_named(ty, name))
}

fn is_boolean(ty: &Type, loose: &Loose) -> bool {
    is_named(ty, "bool") && loose.contains("bool")
}

fn is_text(ty: &Type, loose: &Loose) -> bool {
    let Type::Path(path) = ty else { return false };
    let last = path.path.segments.last();
    last.is_some_and(|it| it.ident != "bool" && loose.contains(&it.ident.to_string()))
}

fn is_scalar(ty: &Type, loose: &Loose) -> bool {
    is_number(ty) || is_boolean(ty, loose) || is_text(ty, loose)
}

/// The description's words, or ours where it has none.
pub(super) fn docs_or(attrs: &[Attribute], otherwise: &str) -> String {
    let text = derives::doc_text(attrs);
    // After its words stands the schema itself, as JSON, folded.
    let text = text.split("<details>").next().unwrap_or_default().trim();
    // Where there are no words, the type generator gives the type's own name.
    let is_name = text.starts_with('`') && text.ends_with('`') && !text.contains(' ');
    if text.is_empty() || is_name { otherwise.to_owned() } else { print::prose(text) }
}

/// The name in the middle of a type: `Gpu` of `Option<Box<Gpu>>`.
fn inner_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    match argument(ty) {
        Some(inner) => inner_name(inner),
        None => path.path.get_ident().map(ToString::to_string),
    }
}
