//! Constructors of what is sent, from what must be there.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, ItemStruct, Type};

use super::fields::{has_default, is_flatten};
use crate::syntax::{argument, is_named};
use crate::{derives, print};

/// How a field is given: the type of the argument, and the value that is made of it.
pub(super) fn given(ty: &Type, ident: &syn::Ident) -> (TokenStream, TokenStream) {
    if is_named(ty, "String") {
        return (quote!(impl Into<String>), quote!(#ident.into()));
    }
    if is_named(ty, "Vec")
        && let Some(item) = argument(ty)
    {
        return if is_named(item, "String") {
            (
                quote!(impl IntoIterator<Item = impl Into<String>>),
                quote!(#ident.into_iter().map(Into::into).collect()),
            )
        } else {
            (quote!(impl IntoIterator<Item = #item>), quote!(#ident.into_iter().collect()))
        };
    }
    (quote!(#ty), quote!(#ident))
}

/// A function `new` that takes the required fields of a struct, where some are and some are not.
pub(super) fn of(item: &ItemStruct) -> Option<TokenStream> {
    let Fields::Named(fields) = &item.fields else { return None };
    let is_required = |field: &syn::Field| {
        let metas = derives::serde_metas(&field.attrs);
        let is_skipped = metas.iter().any(|it| it.path().is_ident("skip_serializing_if"));
        !(metas.iter().any(is_flatten) || (has_default(&field.ty) && is_skipped))
    };
    let (required, optional): (Vec<_>, Vec<_>) =
        fields.named.iter().partition(|field| is_required(field));
    if required.is_empty() || optional.is_empty() {
        return None;
    }
    let mut arguments = Vec::new();
    let mut values = Vec::new();
    for field in required {
        let ident = field.ident.as_ref()?;
        let (ty, value) = given(&field.ty, ident);
        arguments.push(quote!(#ident: #ty));
        values.push(if *ident == value.to_string() {
            quote!(#ident)
        } else {
            quote!(#ident: #value)
        });
    }
    for field in &optional {
        let ident = field.ident.as_ref()?;
        values.push(quote!(#ident: ::std::default::Default::default()));
    }
    let name = &item.ident;
    let docs =
        print::docs("Creates one from the fields that are required; the others are omitted.");
    Some(quote! {
        impl #name {
            #docs
            #[allow(clippy::too_many_arguments, clippy::self_named_constructors)]
            pub fn new(#(#arguments),*) -> Self {
                Self { #(#values,)* }
            }
        }
    })
}
