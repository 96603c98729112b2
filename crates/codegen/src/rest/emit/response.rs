//! Emitted response: the type of a response, by status where they differ, and the method that reads
//! it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Item, Type, parse_quote};

use crate::rest::model::{Content, ExpectedResponse, Success};
use crate::syntax::{argument, is_named, wire_name};
use crate::{print, redact};

/// The type that a call returns, and the method of the runtime that sends it.
pub(super) fn send(response: Option<&ExpectedResponse>, ty: &Type) -> (TokenStream, TokenStream) {
    let Some(response) = response else { return (quote!(()), quote!(send_empty)) };
    match response.content {
        Content::Events => (quote!(__runtime::ServerEvents), quote!(send_events)),
        Content::Text => (quote!(String), quote!(send_text)),
        Content::Bytes => (quote!(__runtime::__private::rest::Bytes), quote!(send_bytes)),
        // Null means the same as no content.
        _ if response.may_be_empty && is_named(ty, "Option") => {
            optional(argument(ty).unwrap_or(ty))
        }
        _ if response.may_be_empty => optional(ty),
        _ => (quote!(#ty), quote!(send)),
    }
}

fn optional(ty: &Type) -> (TokenStream, TokenStream) {
    (quote!(Option<#ty>), quote!(send_optional))
}

/// Restricts a call to the statuses whose responses have its own type, if other statuses have other
/// types.
pub(super) fn of_first(successes: &[Success]) -> Option<TokenStream> {
    let (first, others): (Vec<_>, Vec<_>) = successes.iter().partition(|it| it.is_first);
    let statuses = |of: &[&Success]| -> Vec<u16> {
        of.iter().filter_map(|it| it.status.parse().ok()).collect()
    };
    let is_range = |of: &[&Success]| of.iter().any(|it| it.status.parse::<u16>().is_err());
    if others.is_empty() {
        return None;
    }
    let condition = match is_range(&others) {
        true => {
            let statuses = statuses(&first);
            quote!(matches!(status, #(#statuses)|*))
        }
        false => {
            let statuses = statuses(&others);
            quote!(!matches!(status, #(#statuses)|*))
        }
    };
    Some(quote!(.only(|status| #condition)))
}

/// The enum of the responses of the call `of`, with a variant for each status, and how it is read.
pub(super) fn by_status(
    name: &str,
    of: &str,
    successes: &[Success],
    types: &[Option<Type>],
) -> TokenStream {
    let ident = format_ident!("{name}");
    let docs = print::docs(&format!("The response of {of}, which depends on its status."));
    let (mut variants, mut arms, mut of_range) = (Vec::new(), Vec::new(), None);
    for (success, ty) in successes.iter().zip(types) {
        let status: Option<u16> = success.status.parse().ok();
        let variant = match status {
            Some(status) => format_ident!("Status{status}"),
            None => format_ident!("Success"),
        };
        let docs = print::docs(&print::sentence(
            &success.description,
            &format!("The response of status {}.", success.status),
        ));
        let (ty, read) = match (success.content, ty) {
            (Some(Content::Json), Some(ty)) => (quote!(#ty), quote!(json())),
            (Some(Content::Text), _) => (quote!(String), quote!(text())),
            (Some(_), _) => (quote!(__runtime::__private::rest::Bytes), quote!(bytes())),
            (None, _) => (quote!(), quote!()),
        };
        let (variant, read) = match success.content {
            Some(_) => (quote!(#variant(#ty)), quote!(Self::#variant(response.#read?))),
            None => (quote!(#variant), quote!(Self::#variant)),
        };
        variants.push(quote!(#docs #variant));
        match status {
            Some(status) => arms.push(quote!(#status => #read)),
            None => of_range = Some(read),
        }
    }
    let other = quote!(Self::Other(response.status(), response.any()));
    let last = of_range.unwrap_or_else(|| {
        variants.push(quote! {
            /// A status of success that was not known when this was generated, and the body: text
            /// if it is not JSON, null if there is none.
            Other(u16, __runtime::__private::serde_json::Value)
        });
        other
    });
    let mut item: Item = parse_quote! {
        #docs
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        #[allow(clippy::large_enum_variant)]
        pub enum #ident {
            #(#variants,)*
        }
    };
    let debug = redact::redact(&mut item, false, wire_name);
    quote! {
        #item

        #debug

        impl __runtime::__private::rest::ByStatus for #ident {
            fn read(response: &__runtime::__private::rest::Response<'_>) -> __runtime::__private::rest::Result<Self> {
                Ok(match response.status() {
                    #(#arms,)*
                    _ => #last,
                })
            }
        }
    }
}
