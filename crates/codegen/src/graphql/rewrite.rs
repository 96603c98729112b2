//! Rewriting of graphql_client's items: full paths for serde, which users' crates reach through
//! podqueue only, and plain Rust types instead of aliases.

use quote::format_ident;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, Field, Fields, Item, ItemEnum, ItemStruct, Meta, Path, Type, TypePath, parse_quote,
};

use crate::{attributes, naming};

const SERDE: &str = "__runtime::__private::serde";

/// Rewrites a struct or an enum; other items stay unchanged.
pub(crate) fn rewrite(item: &mut Item) {
    if let Item::Enum(of_nothing) = item
        && of_nothing.variants.is_empty()
    {
        *item = Item::Struct(without_fields(of_nothing));
    }
    match item {
        Item::Struct(item) => {
            rewrite_container(&mut item.attrs);
            rewrite_fields(&mut item.fields);
        }
        Item::Enum(item) => {
            rewrite_container(&mut item.attrs);
            for variant in &mut item.variants {
                rewrite_attributes(&mut variant.attrs);
                rewrite_fields(&mut variant.fields);
            }
        }
        _ => {}
    }
    Aliases.visit_item_mut(item);
}

/// An object of which only `__typename` is selected: graphql_client generates an enum without
/// variants.
fn without_fields(item: &ItemEnum) -> ItemStruct {
    let mut attrs = item.attrs.clone();
    let mut metas = attributes::serde_metas(&attrs);
    metas.retain(|meta| !meta.path().is_ident("tag"));
    attributes::set_serde(&mut attrs, &metas);
    let (vis, ident) = (&item.vis, &item.ident);
    parse_quote!(#(#attrs)* #vis struct #ident {})
}

/// Adds a derive to a struct.
pub(crate) fn derive(attrs: &mut Vec<Attribute>, path: Path) {
    let mut all = attributes::derived(attrs);
    all.push(path);
    attributes::set(attrs, &all);
}

fn rewrite_container(attrs: &mut Vec<Attribute>) {
    let mut uses_serde = false;
    let derived: Vec<Path> = attributes::derived(attrs)
        .into_iter()
        .map(|path| {
            let serde = [("Serialize", "Serialize"), ("Deserialize", "Deserialize")];
            match serde.iter().find(|(name, _)| path.is_ident(name)) {
                Some(("Serialize", _)) => {
                    uses_serde = true;
                    parse_quote!(__runtime::__private::serde::Serialize)
                }
                Some(_) => {
                    uses_serde = true;
                    parse_quote!(__runtime::__private::serde::Deserialize)
                }
                None => path,
            }
        })
        .collect();
    attributes::set(attrs, &derived);
    let mut metas = attributes::serde_metas(attrs);
    metas.retain(|meta| !meta.path().is_ident("crate"));
    if uses_serde {
        let crate_path: Meta = parse_quote!(crate = #SERDE);
        metas.insert(0, crate_path);
    }
    attributes::set_serde(attrs, &metas);
}

fn rewrite_fields(fields: &mut Fields) {
    for field in fields {
        keyword(field);
        rewrite_attributes(&mut field.attrs);
    }
}

/// Renames a field whose name is a keyword of an edition that graphql_client does not support.
fn keyword(field: &mut Field) {
    let Some(ident) = field.ident.take() else { return };
    let name = ident.to_string();
    field.ident = Some(ident);
    if !naming::is_keyword(&name) {
        return;
    }
    field.ident = Some(format_ident!("{name}_"));
    let mut metas = attributes::serde_metas(&field.attrs);
    if !metas.iter().any(|it| it.path().is_ident("rename") || it.path().is_ident("flatten")) {
        metas.push(parse_quote!(rename = #name));
        attributes::set_serde(&mut field.attrs, &metas);
    }
}

/// Merges the `#[serde(…)]` attributes, the name first.
fn rewrite_attributes(attrs: &mut Vec<Attribute>) {
    let mut metas = attributes::serde_metas(attrs);
    metas.sort_by_key(|meta| !meta.path().is_ident("rename"));
    attributes::set_serde(attrs, &metas);
}

/// The built-in scalars, by graphql_client's names.
pub(crate) const BUILT_IN: [&str; 5] = ["Boolean", "Float", "Int", "ID", "Id"];

struct Aliases;

impl VisitMut for Aliases {
    fn visit_type_path_mut(&mut self, ty: &mut TypePath) {
        let plain: Option<Type> = ty.path.get_ident().and_then(|ident| {
            let plain: Type = match ident.to_string().as_str() {
                "Boolean" => parse_quote!(bool),
                "Float" => parse_quote!(f64),
                "Int" => parse_quote!(i64),
                "ID" | "Id" => parse_quote!(String),
                _ => return None,
            };
            Some(plain)
        });
        if let Some(Type::Path(plain)) = plain {
            *ty = plain;
        }
        syn::visit_mut::visit_type_path_mut(self, ty);
    }
}
