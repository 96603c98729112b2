//! Attributes of generated items: derives, documentation, serde.

use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Lit, Meta, Path, Token, parse_quote};

/// The paths that an item derives.
pub(crate) fn derived(attrs: &[Attribute]) -> Vec<Path> {
    attrs.iter().filter(|attr| attr.path().is_ident("derive")).flat_map(paths).collect()
}

fn paths(attr: &Attribute) -> Vec<Path> {
    attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
        .map(|paths| paths.into_iter().collect())
        .unwrap_or_default()
}

/// Replaces the derives.
pub(crate) fn set(attrs: &mut Vec<Attribute>, derives: &[Path]) {
    let place = attrs.iter().position(|attr| attr.path().is_ident("derive")).unwrap_or(0);
    attrs.retain(|attr| !attr.path().is_ident("derive"));
    if !derives.is_empty() {
        attrs.insert(place.min(attrs.len()), parse_quote!(#[derive(#(#derives),*)]));
    }
}

/// Removes a derive, by its last path segment.
pub(crate) fn remove(attrs: &mut Vec<Attribute>, name: &str) {
    let kept: Vec<_> = derived(attrs).into_iter().filter(|path| !ends_with(path, name)).collect();
    set(attrs, &kept);
}

pub(crate) fn ends_with(path: &Path, name: &str) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == name)
}

/// The text of the doc comments.
pub(crate) fn doc_text(attrs: &[Attribute]) -> String {
    attrs.iter().filter_map(doc_line).collect::<Vec<_>>().join("\n")
}

fn doc_line(attr: &Attribute) -> Option<String> {
    match &attr.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Replaces the doc comment.
pub(crate) fn set_docs(attrs: &mut Vec<Attribute>, text: &str) {
    attrs.retain(|attr| !attr.path().is_ident("doc"));
    let lines = text.trim().lines().map(|line| {
        let line = if line.is_empty() { String::new() } else { format!(" {}", line.trim_end()) };
        parse_quote!(#[doc = #line])
    });
    attrs.splice(0..0, lines.collect::<Vec<Attribute>>());
}

/// The value of `#[serde(key = "value")]`.
pub(crate) fn serde_value(attrs: &[Attribute], key: &str) -> Option<String> {
    serde_metas(attrs).into_iter().find_map(|meta| match meta {
        Meta::NameValue(pair) if pair.path.is_ident(key) => match pair.value {
            Expr::Lit(literal) => match literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

/// The arguments of all `#[serde(…)]` attributes.
pub(crate) fn serde_metas(attrs: &[Attribute]) -> Vec<Meta> {
    attrs
        .iter()
        .filter(|attr| attr.path().is_ident("serde"))
        .filter_map(|attr| {
            attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()
        })
        .flatten()
        .collect()
}

/// Replaces the `#[serde(…)]` attributes.
pub(crate) fn set_serde(attrs: &mut Vec<Attribute>, metas: &[Meta]) {
    attrs.retain(|attr| !attr.path().is_ident("serde"));
    if !metas.is_empty() {
        let metas = quote!(#(#metas),*);
        attrs.push(parse_quote!(#[serde(#metas)]));
    }
}
