//! Emitted request: the chain of calls by which a builder describes its request to the runtime.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::rest::model::{
    Body, Content, Encoding, Operation, Parameter, ParameterLocation, PartKind, PathStyle,
    PathValue, Piece, Style,
};

/// The expression that describes the call. `changes` is whether the builder has a field of that
/// name.
pub(super) fn call(operation: &Operation, changes: bool) -> TokenStream {
    let (name, method) = (&operation.name, &operation.method);
    let of_path = |wire: &str| {
        operation
            .parameters
            .iter()
            .find(|it| it.place == ParameterLocation::Path && it.wire == wire)
    };
    let pieces = operation.path_pieces();
    let path = pieces.iter().filter_map(|piece| match piece {
        Piece::Literal(text) => Some(quote!(.literal(#text))),
        Piece::Parameter(wire) => {
            let parameter = of_path(wire)?;
            let field = format_ident!("{}", parameter.name);
            Some(match parameter.path_style.map(path_style) {
                Some(style) => quote!(.parameter_styled(#wire, &self.#field, #style)),
                None => quote!(.parameter(#wire, &self.#field)),
            })
        }
    });
    let path_query = operation.path_query.iter().filter_map(|(name, value)| match value {
        PathValue::Fixed(value) => Some(quote!(.query(#name, &String::from(#value)))),
        PathValue::Parameter(wire) => {
            let parameter = of_path(wire)?;
            let field = format_ident!("{}", parameter.name);
            Some(written(name, &field, parameter.encoding))
        }
    });
    let of =
        |place: ParameterLocation| operation.parameters.iter().filter(move |it| it.place == place);
    let queries = of(ParameterLocation::Query).map(query);
    let headers = of(ParameterLocation::Header).filter(|it| it.required).map(header);
    let accept = operation.response.as_ref().and_then(|response| response.accept.as_ref());
    let accept = accept.map(|media| quote!(.accept(#media)));
    let parts = operation.parameters.iter().filter_map(part);
    let with_items = operation
        .parameters
        .iter()
        .filter(|it| matches!(it.place, ParameterLocation::Part(_)) && it.encoding.needs_items);
    let with_items = with_items.map(|it| it.wire.as_str());
    let body = operation.body.as_ref().map(|it| body(it, parts, with_items, changes));
    let later_headers = of(ParameterLocation::Header).filter(|it| !it.required).map(header);
    let secrets = operation.parameters.iter().filter(|it| {
        use PartKind::{File, Files};
        it.is_secret && !matches!(it.place, ParameterLocation::Part(File | Files))
    });
    let secrets = secrets.map(|parameter| {
        let field = format_ident!("{}", parameter.name);
        quote!(.secret(&self.#field))
    });
    let server = operation.server.as_ref().map(|url| quote!(.server(#url)));
    quote! {
        __runtime::__private::rest::RestCall::new(self.service, #name, #method) #server
            #(#path)* #(#path_query)* #(#queries)* #(#headers)* #accept #body #(#later_headers)*
            #(#secrets)*
            .timeout(self.timeout)
    }
}

fn query(parameter: &Parameter) -> TokenStream {
    let field = format_ident!("{}", parameter.name);
    written(&parameter.wire, &field, parameter.encoding)
}

fn written(name: &str, field: &Ident, encoding: Encoding) -> TokenStream {
    match self::encoding(encoding) {
        Some(encoding) => quote!(.query_encoded(#name, &self.#field, #encoding)),
        None => quote!(.query(#name, &self.#field)),
    }
}

fn header(parameter: &Parameter) -> TokenStream {
    let (wire, field) = (&parameter.wire, format_ident!("{}", parameter.name));
    match (parameter.path_style.map(path_style), parameter.required) {
        (Some(style), required) => quote!(.header_styled(#wire, &self.#field, #style, #required)),
        (None, true) => quote!(.header(#wire, &self.#field)),
        (None, false) => quote!(.optional_header(#wire, &self.#field)),
    }
}

/// The expression for an encoding that differs from the default.
fn encoding(encoding: Encoding) -> Option<TokenStream> {
    let Encoding { style, allows_reserved, needs_items } = encoding;
    let style = style.map(self::style).map(|style| quote!(.style(#style)));
    let reserved = allows_reserved.then(|| quote!(.reserved()));
    let with_items = needs_items.then(|| quote!(.with_items()));
    (encoding != Encoding::default())
        .then(|| quote!(__runtime::__private::rest::Encoding::PLAIN #style #reserved #with_items))
}

fn part(part: &Parameter) -> Option<TokenStream> {
    let (wire, field) = (&part.wire, format_ident!("{}", part.name));
    let media = match &part.media {
        Some(media) => quote!(Some(#media)),
        None => quote!(None),
    };
    let files = match (part.place, part.required) {
        (ParameterLocation::Part(PartKind::Value), _) => {
            return Some(quote!(.value(#wire, &self.#field, #media)));
        }
        (ParameterLocation::Part(PartKind::File), true) => quote!([&self.#field]),
        (ParameterLocation::Part(PartKind::File), false) => quote!(&self.#field),
        (ParameterLocation::Part(PartKind::Files), false) => quote!(self.#field.iter().flatten()),
        (ParameterLocation::Part(PartKind::Files), true) => quote!(&self.#field),
        _ => return None,
    };
    Some(quote!(.files(#wire, #files, #media)))
}

fn body<'a>(
    body: &Body,
    parts: impl Iterator<Item = TokenStream>,
    with_items: impl Iterator<Item = &'a str>,
    changes: bool,
) -> TokenStream {
    let value = if body.required { quote!(Some(&self.body)) } else { quote!(self.body.as_ref()) };
    let changes = if changes {
        quote!(&self.changes)
    } else {
        quote!(__runtime::__private::rest::Changes::NONE)
    };
    let media = &body.media;
    match body.content {
        Content::Json if media == "application/json" => quote!(.json(#value, #changes)),
        Content::Json => quote!(.json_as(#media, #value, #changes)),
        Content::Form => {
            let encodings = body.encodings.iter().filter_map(|(name, it)| {
                let encoding = encoding(*it)?;
                Some(quote!((#name, #encoding)))
            });
            quote!(.form(#value, #changes, &[#(#encodings),*]))
        }
        Content::Multipart => {
            let required = body.required;
            quote!(.multipart(
                #required,
                __runtime::__private::rest::Multipart::new()#(#parts)*.more(&self.parts)
                    #(.with_items(#with_items))*,
            ))
        }
        Content::Text | Content::Bytes | Content::Events => quote!(.raw(#media, #value)),
    }
}

fn path_style(style: PathStyle) -> TokenStream {
    let path = quote!(__runtime::__private::rest::PathStyle);
    match style {
        PathStyle::Json => quote!(#path::Json),
        PathStyle::Simple { exploded } => quote!(#path::Simple { exploded: #exploded }),
        PathStyle::Label { exploded } => quote!(#path::Label { exploded: #exploded }),
        PathStyle::Matrix { exploded } => quote!(#path::Matrix { exploded: #exploded }),
    }
}

fn style(style: Style) -> TokenStream {
    let path = quote!(__runtime::__private::rest::Style);
    match style {
        Style::Json => quote!(#path::Json),
        Style::Exploded => quote!(#path::Exploded),
        Style::Joined(separator) => quote!(#path::Joined(#separator)),
        Style::Deep => quote!(#path::Deep),
    }
}
