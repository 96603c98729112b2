//! Implementations of generated types by the runtime's macros instead of serde's derives, which
//! would be most of the cost of compiling a large description.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use syn::{Field, Fields, ItemEnum, ItemStruct};

use super::fields::{has_default, is_flatten};
use crate::syntax::wire_name;
use crate::{attributes, redact};

/// Implements a struct; one with named fields by a line for each field.
/// `secret` has the names of fields that are secret by their format.
pub(super) fn of_struct(
    item: &mut ItemStruct,
    is_sent: bool,
    secret: &BTreeSet<String>,
) -> TokenStream {
    let name = &item.ident;
    let marks = redact::marks(&item.fields, is_sent, wire_name, secret);
    let Fields::Named(fields) = &mut item.fields else {
        let blank =
            item.fields.iter().map(|_| quote!(__runtime::__private::lenient::Lenient::blank()));
        return quote!(__runtime::__private::own! { #name = Self(#(#blank),*) });
    };
    let lines = fields.named.iter().zip(marks).enumerate();
    let lines: Vec<_> = lines.map(|(place, (field, mark))| line(place, field, mark)).collect();
    for field in &mut fields.named {
        attributes::set_serde(&mut field.attrs, &[]);
    }
    attributes::set_serde(&mut item.attrs, &[]);
    let is_default =
        attributes::derived(&item.attrs).iter().any(|it| attributes::ends_with(it, "Default"));
    for derive in ["Serialize", "Deserialize", "Clone", "Debug", "Default", "PartialEq"] {
        attributes::remove(&mut item.attrs, derive);
    }
    let name = &item.ident;
    let default = is_default.then(|| quote!(default));
    quote!(__runtime::__private::object! { #name { #(#lines)* } #default })
}

/// The line of a field in the runtime's macro.
fn line(place: usize, field: &Field, mark: Option<&str>) -> TokenStream {
    let (ident, wire) = (field.ident.as_ref(), wire_name(field));
    let metas = attributes::serde_metas(&field.attrs);
    let has = |name: &str| metas.iter().any(|it| it.path().is_ident(name));
    let presence = if metas.iter().any(is_flatten) {
        Some("additional")
    } else if has("skip_serializing_if") {
        Some("optional")
    } else {
        (!has_default(&field.ty) && !has("default")).then_some("required")
    };
    let properties = presence.into_iter().chain(mark).map(|it| format_ident!("{it}"));
    let place = Literal::usize_unsuffixed(place);
    quote!(#place #wire #ident #(#properties)*;)
}

/// Implements an untagged union whose last variant keeps values of no branch.
pub(super) fn of_untagged_union(item: &mut ItemEnum) -> Option<TokenStream> {
    let variants = item.variants.iter().map(|variant| {
        let (ident, fields) = (&variant.ident, variant.fields.iter().enumerate());
        let lines = fields.filter(|(_, field)| field.ident.is_some());
        let lines = lines.map(|(place, field)| line(place, field, None));
        quote!(#ident [#(#lines)*])
    });
    let mut variants: Vec<_> = variants.collect();
    variants.pop();
    for field in item.variants.iter_mut().flat_map(|it| it.fields.iter_mut()) {
        attributes::set_serde(&mut field.attrs, &[]);
    }
    attributes::set_serde(&mut item.attrs, &[]);
    ["Serialize", "Deserialize"].iter().for_each(|it| attributes::remove(&mut item.attrs, it));
    let (name, other) = (&item.ident, &item.variants.last()?.ident);
    Some(quote!(__runtime::__private::untagged_union! { #name #other { #(#variants)* } }))
}
