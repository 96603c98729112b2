//! How a generated call reads its response.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use crate::rest::fields::answer_shape;
use crate::rest::model::{Answer, Content};
use crate::syntax::{argument, is_named};

/// What a call returns, and the method of `call` that sends it and reads that.
pub(super) fn send(answer: Option<&Answer>, ty: &Type) -> (TokenStream, TokenStream) {
    let Some(answer) = answer else { return (quote!(()), quote!(send_empty)) };
    match answer.content {
        Content::Events => (quote!(::podqueue::ServerEvents), quote!(send_events)),
        Content::Text => (quote!(String), quote!(send_text)),
        Content::Bytes => (quote!(::podqueue::rest::call::Bytes), quote!(send_bytes)),
        // Null says no more than no content does.
        _ if answer.may_be_empty && is_named(ty, "Option") => optional(argument(ty).unwrap_or(ty)),
        _ if answer.may_be_empty => optional(ty),
        _ => plain(ty),
    }
}

fn plain(ty: &Type) -> (TokenStream, TokenStream) {
    let send = match answer_shape(ty) {
        Some(shape) => quote!(send_shaped::<#shape>),
        None => quote!(send),
    };
    (quote!(#ty), send)
}

fn optional(ty: &Type) -> (TokenStream, TokenStream) {
    let send = match answer_shape(ty) {
        Some(shape) => quote!(send_optional_shaped::<#shape>),
        None => quote!(send_optional),
    };
    (quote!(Option<#ty>), send)
}
