//! Structs that podqueue reads and writes itself, by a line for each field: what serde derives
//! would be most of what a large description costs its compiler.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::{Field, Fields, ItemStruct, Meta};

use crate::derives;
use crate::syntax::wire_name;

/// Takes what serde derives off a struct, and writes what stands in its place. Nothing is done to
/// structs with fields that have no value by default, or that hold all others.
pub(super) fn of(item: &mut ItemStruct) -> Option<TokenStream> {
    let derived = derives::derived(&item.attrs);
    let derives = |name: &str| derived.iter().any(|it| derives::ends_with(it, name));
    let is_plain = derives::serde_metas(&item.attrs).is_empty() && item.generics.params.is_empty();
    let Fields::Named(fields) = &mut item.fields else { return None };
    if !is_plain || !["Serialize", "Deserialize", "Default"].iter().all(|it| derives(it)) {
        return None;
    }
    let lines = fields.named.iter().enumerate().map(|(place, field)| line(place, field));
    let lines = lines.collect::<Option<Vec<_>>>()?;
    for field in &mut fields.named {
        derives::set_serde(&mut field.attrs, &[]);
    }
    derives::remove(&mut item.attrs, "Serialize");
    derives::remove(&mut item.attrs, "Deserialize");
    let name = &item.ident;
    Some(quote!(__runtime::__private::object! { #name { #(#lines)* } }))
}

/// How a field is read and written, in the words of podqueue's macro.
fn line(place: usize, field: &Field) -> Option<TokenStream> {
    let (ident, wire) = (field.ident.as_ref()?, wire_name(field));
    let metas = derives::serde_metas(&field.attrs);
    let has = |name: &str| metas.iter().any(|it| it.path().is_ident(name));
    let known = |meta: &Meta| match meta {
        Meta::Path(path) => path.is_ident("default"),
        Meta::NameValue(pair) => ["rename", "deserialize_with", "skip_serializing_if"]
            .iter()
            .any(|it| pair.path.is_ident(it)),
        Meta::List(_) => false,
    };
    if !metas.iter().all(known) {
        return None;
    }
    let helper = derives::serde_value(&field.attrs, "deserialize_with");
    let read = match (helper.as_deref(), has("default")) {
        (None, false) if crate::syntax::is_named(&field.ty, "Option") => quote!(plain),
        (Some("lenient::list"), true) => quote!(list),
        (Some("lenient::map_or_default"), true) => quote!(map),
        (Some("lenient::or_default"), true) => quote!(or_default),
        (Some("lenient::boolean"), true) => quote!(boolean),
        (Some("lenient::text"), true) => quote!(text),
        (Some("lenient::number"), true) => quote!(number),
        (Some("lenient::integer"), true) => quote!(integer),
        (Some(helper), true) => {
            let shape = helper.strip_prefix("lenient::shape::read::<")?.strip_suffix(",_>")?;
            let shape: TokenStream = shape.parse().ok()?;
            quote!(shaped<#shape>)
        }
        _ => return None,
    };
    let write = format_ident!("{}", if has("skip_serializing_if") { "optional" } else { "always" });
    let place = Literal::usize_unsuffixed(place);
    Some(quote!(#place #wire #ident #read #write;))
}
