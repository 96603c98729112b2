//! The calls: one method and one builder for each operation.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::Type;

use super::fields::answer_shape;
use super::model::{Operation, Parameter, Piece, Place};
use super::signatures::Signature;
use crate::syntax::{argument, is_named};
use crate::{naming, print};

/// Type names that the builders themselves use, beside `Rest`.
const RESERVED: [&str; 9] =
    ["Rest", "String", "Option", "Vec", "Box", "Into", "IntoIterator", "Send", "Clone"];

/// The docs of the one setter that every builder has.
const TIMEOUT: &str = "How long one attempt at this call may take until its response is read, in place of \
                       the client's [`timeout`](::podqueue::ClientBuilder::timeout). A \
                       [`call_timeout`](::podqueue::ClientBuilder::call_timeout) that is shorter is \
                       raised to it.";

/// The methods of `Rest`, then the builders that they return.
pub(super) fn calls(operations: &[(Operation, Signature)]) -> TokenStream {
    let mut taken: HashSet<String> = RESERVED.iter().map(|name| (*name).to_owned()).collect();
    let builders: Vec<_> = operations
        .iter()
        .map(|(operation, signature)| {
            let name = naming::pascal(&operation.name);
            let name = if RESERVED.contains(&name.as_str()) { format!("{name}Call") } else { name };
            Builder { name: naming::unique_pascal(&mut taken, name), operation, signature }
        })
        .collect();
    let methods = builders.iter().map(Builder::method);
    let structs = builders.iter().map(Builder::emit);
    quote! {
        impl Rest {
            #(#methods)*
        }

        #(#structs)*
    }
}

struct Builder<'a> {
    name: String,
    operation: &'a Operation,
    signature: &'a Signature,
}

/// A part of the request that the caller gives.
struct Given {
    ident: syn::Ident,
    ty: Type,
    required: bool,
    docs: String,
}

impl Given {
    /// The type of an argument, and the expression that makes the field's type from it.
    fn argument(&self) -> (TokenStream, TokenStream) {
        let (ident, ty) = (&self.ident, &self.ty);
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
        match ty {
            Type::Path(path)
                if path.path.segments.first().is_some_and(|it| it.ident == "types") =>
            {
                (quote!(impl Into<#ty>), quote!(#ident.into()))
            }
            _ => (quote!(#ty), quote!(#ident)),
        }
    }
}

impl Builder<'_> {
    fn given(&self) -> Vec<Given> {
        let typed = |name: &str| {
            // Every parameter of the mended description is in the signature that was made of it.
            let ty = self.signature.parameters.get(name).cloned();
            ty.unwrap_or_else(|| syn::parse_quote!(String))
        };
        let parameters = self.operation.parameters.iter().map(|parameter| Given {
            ident: format_ident!("{}", parameter.name),
            ty: typed(&parameter.name),
            required: parameter.required,
            docs: parameter_docs(parameter),
        });
        let body = self.operation.body.iter().map(|body| Given {
            ident: format_ident!("body"),
            ty: typed("body"),
            required: body.required,
            docs: sentence(&body.description, "The body of the request."),
        });
        parameters.chain(body).collect()
    }

    /// `Rest::get_pod`.
    fn method(&self) -> TokenStream {
        let given = self.given();
        let (required, optional): (Vec<_>, Vec<_>) = given.iter().partition(|it| it.required);
        let builder = format_ident!("{}", self.name);
        let method = format_ident!("{}", self.operation.name);
        let docs = print::docs(&method_docs(self.operation, &required));
        let deprecated = self.operation.deprecated.then(|| quote!(#[deprecated]));
        let arguments = required.iter().map(|given| {
            let (ident, (ty, _)) = (&given.ident, given.argument());
            quote!(#ident: #ty)
        });
        let set = required.iter().map(|given| {
            let (ident, (_, value)) = (&given.ident, given.argument());
            let plain = *ident == value.to_string();
            if plain { quote!(#ident) } else { quote!(#ident: #value) }
        });
        let unset = optional.iter().map(|given| {
            let ident = &given.ident;
            quote!(#ident: None)
        });
        quote! {
            #docs
            #deprecated
            pub fn #method(&self, #(#arguments),*) -> #builder {
                #builder { rest: self.clone(), timeout: None, #(#set,)* #(#unset,)* }
            }
        }
    }

    /// The builder, its setters, and how it is sent.
    fn emit(&self) -> TokenStream {
        let given = self.given();
        let builder = format_ident!("{}", self.name);
        let docs = print::docs(&format!(
            "The call that [`Rest::{}`] prepares. It is sent when it is awaited.",
            self.operation.name
        ));
        let fields = given.iter().map(|given| {
            let (ident, ty) = (&given.ident, &given.ty);
            if given.required { quote!(#ident: #ty) } else { quote!(#ident: Option<#ty>) }
        });
        let setters = given.iter().filter(|given| !given.required).map(|given| {
            let docs = print::docs(&given.docs);
            let (ident, (ty, value)) = (&given.ident, given.argument());
            quote! {
                #docs
                pub fn #ident(mut self, #ident: #ty) -> Self {
                    self.#ident = Some(#value);
                    self
                }
            }
        });
        let timeout_docs = print::docs(TIMEOUT);
        let answer = &self.signature.answer;
        let shape = answer_shape(answer).filter(|_| self.operation.answers);
        let answer = if self.operation.answers { quote!(#answer) } else { quote!(()) };
        let call = self.call();
        let send = match shape {
            Some(shape) => quote! {
                let answer: ::podqueue::__private::lenient::shape::Answer<#shape> =
                    call.send(&self.rest).await?;
                Ok(answer.0)
            },
            None if self.operation.answers => quote!(call.send(&self.rest).await),
            None => quote!(call.send_empty(&self.rest).await),
        };
        quote! {
            #docs
            #[derive(Clone)]
            #[must_use = "a call is sent only when it is awaited"]
            pub struct #builder {
                rest: Rest,
                timeout: Option<::std::time::Duration>,
                #(#fields,)*
            }

            impl #builder {
                #(#setters)*

                #timeout_docs
                pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
                    self.timeout = Some(timeout);
                    self
                }

                /// Sends the request and reads the answer. Awaiting the call itself does the same.
                pub async fn send(self) -> ::podqueue::Result<#answer> {
                    #call
                    #send
                }
            }

            impl ::std::future::IntoFuture for #builder {
                type Output = ::podqueue::Result<#answer>;
                type IntoFuture = ::std::pin::Pin<
                    Box<dyn ::std::future::Future<Output = Self::Output> + Send>,
                >;

                fn into_future(self) -> Self::IntoFuture {
                    Box::pin(self.send())
                }
            }
        }
    }

    /// The statements that describe the request to podqueue's one way out.
    fn call(&self) -> TokenStream {
        let (name, method) = (&self.operation.name, self.operation.method);
        let pieces = self.operation.path_pieces();
        let path = pieces.iter().map(|piece| match piece {
            Piece::Literal(text) => quote!(.literal(#text)),
            Piece::Parameter(wire) => {
                let parameter = self
                    .operation
                    .parameters
                    .iter()
                    .find(|it| it.place == Place::Path && it.wire == *wire);
                let field = format_ident!("{}", parameter.map_or("", |it| it.name.as_str()));
                quote!(.parameter(#wire, &self.#field))
            }
        });
        let of =
            |place: Place| self.operation.parameters.iter().filter(move |it| it.place == place);
        let queries = of(Place::Query).map(|parameter| {
            let (wire, field) = (&parameter.wire, format_ident!("{}", parameter.name));
            match parameter.separator {
                Some(separator) => quote!(.query_joined(#wire, &self.#field, #separator)),
                None => quote!(.query(#wire, &self.#field)),
            }
        });
        let headers = of(Place::Header).filter(|it| it.required).map(|parameter| {
            let (wire, field) = (&parameter.wire, format_ident!("{}", parameter.name));
            quote!(.header(#wire, &self.#field))
        });
        let body = self.operation.body.as_ref().filter(|body| body.required);
        let body = body.map(|_| quote!(.json(&self.body)));
        let later_headers = of(Place::Header).filter(|it| !it.required).map(|parameter| {
            let (wire, field) = (&parameter.wire, format_ident!("{}", parameter.name));
            quote! {
                let call = match &self.#field {
                    Some(value) => call.header(#wire, value),
                    None => call,
                };
            }
        });
        let later_body = self.operation.body.as_ref().filter(|body| !body.required).map(|_| {
            quote! {
                let call = match &self.body {
                    Some(body) => call.json(body),
                    None => call,
                };
            }
        });
        quote! {
            let call = crate::rest::call::RestCall::new(#name, #method)
                #(#path)* #(#queries)* #(#headers)* #body .timeout(self.timeout);
            #(#later_headers)*
            #later_body
        }
    }
}

fn method_docs(operation: &Operation, required: &[&Given]) -> String {
    let mut docs = sentence(&operation.summary, "Prepares a call.");
    if !operation.description.is_empty() {
        docs.push_str("\n\n");
        docs.push_str(&print::prose(&operation.description));
    }
    docs.push_str(&format!("\n\n`{} {}`", operation.method, operation.path));
    if !required.is_empty() {
        docs.push_str("\n\n# Arguments\n");
        for given in required {
            docs.push_str(&format!("\n- `{}`: {}", given.ident, given.docs.replace('\n', "\n  ")));
        }
    }
    if !operation.errors.is_empty() {
        docs.push_str("\n\n# Errors\n");
        for (status, meaning) in &operation.errors {
            let meaning = print::prose(meaning).replace('\n', "\n  ");
            docs.push_str(&format!("\n- {status}: {meaning}"));
        }
    }
    docs
}

fn parameter_docs(parameter: &Parameter) -> String {
    let place = match parameter.place {
        Place::Path => return sentence(&parameter.description, "A part of the path."),
        Place::Query => "the query parameter",
        Place::Header => "the header",
    };
    let meaning = sentence(&parameter.description, "");
    format!("{meaning}\n\nSent as {place} `{}`.", parameter.wire).trim_start().to_owned()
}

fn sentence(text: &str, otherwise: &str) -> String {
    if text.trim().is_empty() { otherwise.to_owned() } else { print::prose(text) }
}
