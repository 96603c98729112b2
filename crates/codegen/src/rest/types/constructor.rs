//! Constructors of types that are sent, from their required fields.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Field, Fields, ItemStruct, Type};

use super::fields::{has_default, is_flatten};
use crate::syntax::{argument, is_named, wire_name};
use crate::{attributes, print};

/// The type of an argument for a field of this type, and the expression that converts the argument.
pub(in crate::rest) fn given(ty: &Type, ident: &syn::Ident) -> (TokenStream, TokenStream) {
    let converted = |ty: &Type| {
        ["String", "Parsed"].iter().any(|it| is_named(ty, it)).then(|| quote!(impl Into<#ty>))
    };
    if let Some(given) = converted(ty) {
        return (given, quote!(#ident.into()));
    }
    if is_named(ty, "Vec")
        && let Some(item) = argument(ty)
    {
        return match converted(item) {
            Some(given) => (
                quote!(impl IntoIterator<Item = #given>),
                quote!(#ident.into_iter().map(Into::into).collect()),
            ),
            None => (quote!(impl IntoIterator<Item = #item>), quote!(#ident.into_iter().collect())),
        };
    }
    (quote!(#ty), quote!(#ident))
}

/// A function `new` that takes the required fields of a struct with required and optional ones.
/// `required_fields` are those that the struct itself does not show to be required, and whether
/// each may be null; `tags` are the fields with a single possible value, and that value.
pub(super) fn of(
    item: &ItemStruct,
    required_fields: Option<&BTreeMap<String, bool>>,
    tags: Option<&BTreeMap<String, TokenStream>>,
) -> Option<TokenStream> {
    let Fields::Named(fields) = &item.fields else { return None };
    let required_fields = |field: &Field| required_fields.and_then(|it| it.get(&wire_name(field)));
    let is_required = |field: &Field| {
        let metas = attributes::serde_metas(&field.attrs);
        let is_skipped = metas.iter().any(|it| it.path().is_ident("skip_serializing_if"));
        let is_optional = has_default(&field.ty) && is_skipped && required_fields(field).is_none();
        !(metas.iter().any(is_flatten) || is_optional)
    };
    let (required, optional): (Vec<_>, Vec<_>) =
        fields.named.iter().partition(|field| is_required(field));
    let tag = |field: &Field| tags.and_then(|it| it.get(&wire_name(field)));
    let (tagged, required): (Vec<_>, Vec<_>) =
        required.into_iter().partition(|field| tag(field).is_some());
    let is_literal = tagged.is_empty()
        && optional.is_empty()
        && !required.iter().any(|field| required_fields(field).is_some());
    if (required.is_empty() && tagged.is_empty()) || is_literal {
        return None;
    }
    let (mut arguments, mut values) = (Vec::new(), Vec::new());
    for field in required {
        let ident = field.ident.as_ref()?;
        // Optional in responses, required in requests. Any value includes null.
        let within = argument(&field.ty).filter(|it| {
            is_named(&field.ty, "Option")
                && required_fields(field)
                    .is_some_and(|may_be_null| !may_be_null || is_named(it, "Value"))
        });
        let (ty, value) = match within {
            Some(ty) => {
                let (ty, value) = given(ty, ident);
                (ty, quote!(Some(#value)))
            }
            None => given(&field.ty, ident),
        };
        arguments.push(quote!(#ident: #ty));
        let is_itself = *ident == value.to_string();
        values.push(if is_itself { quote!(#ident) } else { quote!(#ident: #value) });
    }
    let tagged = tagged.iter().map(|field| {
        let (ident, value) = (&field.ident, tag(field));
        if is_named(&field.ty, "Option") {
            quote!(#ident: Some(#value))
        } else {
            quote!(#ident: #value)
        }
    });
    let rest = (!optional.is_empty()).then(|| {
        let derived = attributes::derived(&item.attrs);
        match derived.iter().any(|it| attributes::ends_with(it, "Default")) {
            true => quote!(..Self::default()),
            false => quote!(..__runtime::__private::lenient::Lenient::blank()),
        }
    });
    let name = &item.ident;
    // A type whose fields are all set by tags has no meaningful default.
    let allow = arguments.is_empty().then(|| quote!(#[allow(clippy::new_without_default)]));
    let docs =
        print::docs("Creates a value from its required fields; optional fields are omitted.");
    Some(quote! {
        impl #name {
            #docs
            #allow
            #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
            pub fn new(#(#arguments),*) -> Self {
                Self { #(#values,)* #(#tagged,)* #rest }
            }
        }
    })
}
