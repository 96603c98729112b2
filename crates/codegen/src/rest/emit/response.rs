//! Emitted response: the type of a response, by status where they differ, and the method that reads
//! it.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Item, Type, parse_quote};

use crate::rest::model::{Content, Header, HeaderKind, Next, Operation, Paging, Sent, Success};
use crate::syntax::{argument, is_named, wire_name};
use crate::{naming, print, redact};

/// The type of a call's whole response, and the function of the runtime that reads it; `None` for a
/// stream of events.
pub(super) fn whole(operation: &Operation, ty: &Type) -> Option<(TokenStream, TokenStream)> {
    let Some(response) = &operation.response else {
        let read = if operation.has_no_content { quote!(no_content) } else { quote!(nothing) };
        return Some((quote!(()), read));
    };
    Some(match response.content {
        Content::Events => return None,
        Content::Text => (quote!(String), quote!(text)),
        Content::Bytes => (quote!(__runtime::__private::rest::Bytes), quote!(bytes)),
        // Null means the same as no content.
        _ if response.may_be_empty && is_named(ty, "Option") => {
            let ty = argument(ty).unwrap_or(ty);
            (quote!(Option<#ty>), quote!(optional))
        }
        _ if response.may_be_empty => (quote!(Option<#ty>), quote!(optional)),
        _ => (quote!(#ty), quote!(whole)),
    })
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

/// The paging of a list, as the runtime takes it.
pub(super) fn paging(paging: &Paging) -> TokenStream {
    let place = |place: &[String]| quote!(&[#(#place),*]);
    let sent = |sent: &Sent| match sent {
        Sent::Query(name) => quote!(__runtime::__private::rest::pages::Sent::Query(#name)),
        Sent::Body(it) => {
            let it = place(it);
            quote!(__runtime::__private::rest::pages::Sent::Body(#it))
        }
    };
    let next = match &paging.next {
        Next::Header(name) => quote!(Header(#name)),
        Next::Link(it) => {
            let it = place(it);
            quote!(Link(#it))
        }
        Next::Cursor { parameter, place: it, more } => {
            let it = place(it);
            let more = match more {
                Some(more) => {
                    let more = place(more);
                    quote!(Some(#more))
                }
                None => quote!(None),
            };
            let parameter = sent(parameter);
            quote!(Cursor { parameter: #parameter, place: #it, more: #more })
        }
        Next::LastItem { parameter, id, more } => {
            let (parameter, more) = (sent(parameter), place(more));
            quote!(LastItem { parameter: #parameter, id: #id, more: #more })
        }
        Next::Offset { parameter } => {
            let parameter = sent(parameter);
            quote!(Offset { parameter: #parameter })
        }
        Next::Number { parameter, first } => {
            let parameter = sent(parameter);
            quote!(Number { parameter: #parameter, first: #first })
        }
    };
    let items = place(&paging.items);
    quote! {
        __runtime::__private::rest::pages::Paging {
            next: __runtime::__private::rest::pages::Next::#next,
            items: #items,
        }
    }
}

/// A response of one of several statuses.
pub(super) struct Case<'a> {
    /// `201`, `2XX` for all statuses of that class without a case of their own, or `default`.
    pub(super) status: &'a str,
    pub(super) description: &'a str,
    /// None for a response without content.
    pub(super) content: Option<Content>,
    /// Its type, if it is JSON.
    pub(super) ty: Option<&'a Type>,
}

/// The enum of the responses of a call, with a variant for each status, and how it is read.
pub(super) fn by_status(name: &str, docs: &str, cases: &[Case<'_>]) -> TokenStream {
    let ident = format_ident!("{name}");
    let docs = print::docs(docs);
    let (mut variants, mut arms, mut of_range, mut of_rest) =
        (Vec::new(), Vec::new(), Vec::new(), None);
    for case in cases {
        let status: Option<u16> = case.status.parse().ok();
        let class = case.status.chars().next().and_then(|it| it.to_digit(10));
        let variant = match (status, class) {
            (Some(status), _) => format_ident!("Status{status}"),
            (None, Some(4)) => format_ident!("ClientError"),
            (None, Some(5)) => format_ident!("ServerError"),
            (None, Some(_)) => format_ident!("Success"),
            (None, None) => format_ident!("Default"),
        };
        let docs = print::docs(&print::sentence(
            case.description,
            &format!("The response of status {}.", case.status),
        ));
        let (ty, read) = match (case.content, case.ty) {
            (Some(Content::Json), Some(ty)) => (quote!(#ty), quote!(json())),
            (Some(Content::Text), _) => (quote!(String), quote!(text())),
            (Some(_), _) => (quote!(__runtime::__private::rest::Bytes), quote!(bytes())),
            (None, _) => (quote!(), quote!()),
        };
        let (variant, read) = match case.content {
            Some(_) => (quote!(#variant(#ty)), quote!(Self::#variant(response.#read?))),
            None => (quote!(#variant), quote!(Self::#variant)),
        };
        variants.push(quote!(#docs #variant));
        match (status, class) {
            (Some(status), _) => arms.push(quote!(#status => #read)),
            (None, Some(class @ (4 | 5))) => {
                let class = syn::Index::from(class as usize);
                of_range.push(quote!(status if status / 100 == #class => #read));
            }
            (None, _) => of_rest = Some(read),
        }
    }
    let last = of_rest.unwrap_or_else(|| {
        variants.push(quote! {
            /// A status that was not known when this was generated, and the body: text if it is not
            /// JSON, null if there is none.
            Other(u16, __runtime::__private::serde_json::Value)
        });
        quote!(Self::Other(response.status(), response.any()))
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

        impl __runtime::__private::rest::FromResponse for #ident {
            fn from_response(response: &__runtime::__private::rest::Response<'_>) -> __runtime::__private::rest::Result<Self> {
                Ok(match response.status() {
                    #(#arms,)*
                    #(#of_range,)*
                    _ => #last,
                })
            }
        }
    }
}

/// The struct of the described headers of a response, and how it is read.
pub(super) fn headers(name: &str, docs: &str, headers: &[Header]) -> TokenStream {
    let ident = format_ident!("{name}");
    let docs = print::docs(docs);
    let mut taken = HashSet::from(["all".to_owned()]);
    let own = headers.iter().map(|it| (Some(it.wire.clone()), naming::snake(&it.wire))).collect();
    let names = naming::distinct(&mut taken, own, naming::unique);
    let (mut fields, mut reads) = (Vec::new(), Vec::new());
    for (header, name) in headers.iter().zip(names) {
        let (wire, name) = (&header.wire, format_ident!("{name}"));
        let about = print::sentence(&header.description, "");
        let docs = print::docs(format!("{about}\n\nThe header `{wire}`.").trim_start());
        let ty = match header.kind {
            HeaderKind::Text => quote!(String),
            HeaderKind::Integer => quote!(i64),
            HeaderKind::Unsigned => quote!(u64),
            HeaderKind::Number => quote!(f64),
            HeaderKind::Boolean => quote!(bool),
        };
        fields.push(quote!(#docs pub #name: Option<#ty>));
        // A header that comes several times is one list, but for cookies.
        let is_list = header.kind == HeaderKind::Text && !wire.eq_ignore_ascii_case("set-cookie");
        reads.push(match is_list {
            true => quote!(#name: headers.joined(#wire)),
            false => quote!(#name: headers.parse(#wire)),
        });
    }
    let mut item: Item = parse_quote! {
        #docs
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct #ident {
            #(#fields,)*
            /// All headers.
            pub all: __runtime::Headers,
        }
    };
    let debug = redact::redact(&mut item, false, wire_name);
    quote! {
        #item

        #debug

        impl __runtime::__private::rest::FromHeaders for #ident {
            fn read(headers: __runtime::Headers) -> Self {
                Self { #(#reads,)* all: headers }
            }
        }
    }
}
