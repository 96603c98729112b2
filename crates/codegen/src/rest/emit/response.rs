//! How a generated call reads its response.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use crate::rest::fields::answer_shape;
use crate::rest::model::{Answer, Content};
use crate::syntax::{argument, is_named};

/// What a call returns, and the expression that sends `call` and reads that.
pub(super) fn send(answer: Option<&Answer>, ty: &Type) -> (TokenStream, TokenStream) {
    let Some(answer) = answer else {
        return (quote!(()), quote!(call.send_empty(&self.rest).await));
    };
    match answer.content {
        Content::Events => {
            (quote!(::podqueue::ServerEvents), quote!(call.send_events(&self.rest).await))
        }
        Content::Text => (quote!(String), quote!(call.send_text(&self.rest).await)),
        Content::Bytes => {
            (quote!(::podqueue::rest::call::Bytes), quote!(call.send_bytes(&self.rest).await))
        }
        // Null says no more than no content does.
        _ if answer.may_be_empty && is_named(ty, "Option") => optional(argument(ty).unwrap_or(ty)),
        _ if answer.may_be_empty => optional(ty),
        _ => plain(ty),
    }
}

fn plain(ty: &Type) -> (TokenStream, TokenStream) {
    let send = match answer_shape(ty) {
        Some(shape) => quote! {
            let answer: ::podqueue::__private::lenient::shape::Answer<#shape> =
                call.send(&self.rest).await?;
            Ok(answer.0)
        },
        None => quote!(call.send(&self.rest).await),
    };
    (quote!(#ty), send)
}

fn optional(ty: &Type) -> (TokenStream, TokenStream) {
    let send = match answer_shape(ty) {
        Some(shape) => quote! {
            let answer: Option<::podqueue::__private::lenient::shape::Answer<#shape>> =
                call.send_optional(&self.rest).await?;
            Ok(answer.map(|answer| answer.0))
        },
        None => quote!(call.send_optional(&self.rest).await),
    };
    (quote!(Option<#ty>), send)
}
