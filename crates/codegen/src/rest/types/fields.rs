//! Fields of generated types: names, documentation, attributes.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use quote::format_ident;
use syn::{Attribute, Field, Fields, Meta, Type, parse_quote};

use crate::rest::shorten::shorten_path;
use crate::syntax::{argument, arguments, is_named, wire_name};
use crate::{attributes, naming, print};

/// The description of each type, by its name.
pub(super) type Meanings = BTreeMap<String, String>;

/// Normalizes properties with the same name in Rust, such as `fooBar` and `foo_bar`.
pub(super) fn distinct_names(fields: &mut Fields) {
    let names = fields.iter().map(|field| {
        let is_flat = attributes::serde_metas(&field.attrs).iter().any(is_flatten);
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
        let mut metas = attributes::serde_metas(&field.attrs);
        metas.retain(|meta| !meta.path().is_ident("rename"));
        metas.insert(0, parse_quote!(rename = #wire));
        attributes::set_serde(&mut field.attrs, &metas);
    }
}

/// Documents a field, and reduces its attributes to its name on the wire and whether it is omitted.
pub(super) fn lenient_field(field: &mut Field, meanings: &Meanings) {
    let otherwise = inner_name(&field.ty).and_then(|name| meanings.get(&name).cloned());
    let wire = wire_name(field);
    let own = format!("The field `{wire}`.");
    let mut docs = docs_or(&field.attrs, otherwise.as_deref().unwrap_or(&own));
    let name = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    if docs != own && !naming::reads_as(&wire, &name) {
        docs.push_str(&format!("\n\n`{wire}` on the wire."));
    }
    attributes::set_docs(&mut field.attrs, &docs);

    let mut metas = attributes::serde_metas(&field.attrs);
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
        let is_any = arguments(&field.ty).last().is_none_or(|it| is_named(it, "Value"));
        let docs = match is_named(&field.ty, "HashMap") && !is_any {
            true => "All that has no field of its own. What is not of this type is left out.",
            false => "All that has no field of its own.",
        };
        attributes::set_docs(&mut field.attrs, docs);
    }
    metas.retain(|meta| !meta.path().is_ident("deserialize_with"));
    metas.sort_by_key(|meta| {
        let order = ["rename", "flatten", "default", "skip_serializing_if"];
        order.iter().position(|name| meta.path().is_ident(name))
    });
    attributes::set_serde(&mut field.attrs, &metas);
}

/// Gives fields that may be absent or null a type with a value for each: `Option<Option<T>>`.
pub(super) fn keep_null_apart(fields: &mut Fields, names: &BTreeSet<String>) {
    for field in fields.iter_mut().filter(|field| names.contains(&wire_name(field))) {
        let value = match argument(&field.ty).filter(|_| is_named(&field.ty, "Option")) {
            Some(value) => value.clone(),
            None if has_default(&field.ty) => field.ty.clone(),
            None => continue,
        };
        field.ty = parse_quote!(Option<Option<#value>>);
        let docs = attributes::doc_text(&field.attrs);
        let docs = format!("{docs}\n\n`None` is an absent field, `Some(None)` is null.");
        attributes::set_docs(&mut field.attrs, &docs);
    }
}

/// `Option<Box<T>>` for `Box<Option<T>>`, which the type generator writes in recursive types, and
/// which would be sent as null instead of being omitted.
fn option_of_box(ty: &Type) -> Option<Type> {
    let option = argument(ty).filter(|within| is_named(ty, "Box") && is_named(within, "Option"))?;
    let within = argument(option)?;
    Some(parse_quote!(Option<Box<#within>>))
}

/// Returns true if a field contains all fields that the type does not name.
pub(super) fn is_flatten(meta: &Meta) -> bool {
    meta.path().is_ident("flatten")
}

/// Returns true if a type has an empty value, for a field that is missing.
pub(super) fn has_default(ty: &Type) -> bool {
    ["Option", "Vec", "HashMap", "Map"].iter().any(|name| is_named(ty, name))
}

/// The documentation of the description, or another text if it has none.
pub(super) fn docs_or(attrs: &[Attribute], otherwise: &str) -> String {
    let text = attributes::doc_text(attrs);
    // The type generator appends the schema as JSON, folded.
    let text = text.split("<details>").next().unwrap_or_default().trim();
    // Without a description, the type generator gives the name of the type.
    let is_name = text.starts_with('`') && text.ends_with('`') && !text.contains(' ');
    if text.is_empty() || is_name { otherwise.to_owned() } else { print::prose(text) }
}

/// The innermost name of a type: `Gpu` of `Option<Box<Gpu>>`.
fn inner_name(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    match argument(ty) {
        Some(inner) => inner_name(inner),
        None => path.path.get_ident().map(ToString::to_string),
    }
}
