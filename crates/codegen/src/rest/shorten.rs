//! Path shortening in generated types: short names in scope, and re-exports of the runtime for
//! other crates.

use super::formats;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Expr, Lit, Meta, Path, Type, parse_quote};

const PRELUDE: [&str; 4] =
    ["::std::option::Option", "::std::string::String", "::std::vec::Vec", "::std::boxed::Box"];

/// Replaces `::std::option::Option` by `Option`: no type of a description has such a name. Also
/// qualifies the types of the module `types` for the place that uses them.
pub(super) struct Shorten {
    /// True if the code is within `types`.
    pub(super) within_types: bool,
}

const MAP: &str = "::std::collections::HashMap";

impl VisitMut for Shorten {
    fn visit_path_mut(&mut self, path: &mut Path) {
        formats::replace(path);
        let plain: Vec<_> = path.segments.iter().map(|it| it.ident.to_string()).collect();
        let whole = format!("::{}", plain.join("::"));
        if path.leading_colon.is_some()
            && let Some(last) = path.segments.last().cloned()
        {
            if PRELUDE.contains(&whole.as_str()) || (self.within_types && whole == MAP) {
                path.leading_colon = None;
                path.segments = [last].into_iter().collect();
            } else if whole == format!("::podqueue_types::{}", last.ident) {
                *path = if self.within_types {
                    parse_quote!(#last)
                } else {
                    parse_quote!(types::#last)
                };
            }
        }
        syn::visit_mut::visit_path_mut(self, path);
    }
}

/// A type of a signature, as the module `types` names it.
pub(super) fn within_types(ty: &Type) -> Type {
    struct Strip;

    impl VisitMut for Strip {
        fn visit_path_mut(&mut self, path: &mut Path) {
            if path.segments.len() > 1 && path.segments[0].ident == "types" {
                path.segments = path.segments.iter().skip(1).cloned().collect();
            }
            syn::visit_mut::visit_path_mut(self, path);
        }
    }

    let mut ty = ty.clone();
    Strip.visit_type_mut(&mut ty);
    ty
}

/// Shortens the path in the string of a serde attribute.
pub(super) fn shorten_path(meta: &mut Meta) {
    if let Meta::NameValue(pair) = meta
        && pair.path.is_ident("skip_serializing_if")
        && let Expr::Lit(literal) = &mut pair.value
        && let Lit::Str(text) = &mut literal.lit
    {
        let mut path = text.value().replace(' ', "");
        for long in PRELUDE.into_iter().chain([MAP]) {
            if let Some((_, short)) = long.rsplit_once("::") {
                path = path.replace(long, short);
            }
        }
        *text = syn::LitStr::new(&path, text.span());
    }
}

/// The crates that the runtime re-exports.
const CRATES: [&str; 2] = ["serde", "serde_json"];

/// `::serde_json::Value` becomes `__runtime::__private::serde_json::Value`.
pub(super) struct Reexports;

impl VisitMut for Reexports {
    fn visit_path_mut(&mut self, path: &mut Path) {
        let is_handed_on = path.segments.first().is_some_and(|first| {
            path.segments.len() > 1 && CRATES.iter().any(|name| first.ident == name)
        });
        if path.leading_colon.is_some() && is_handed_on {
            let segments = &path.segments;
            *path = parse_quote!(__runtime::__private::#segments);
        }
        syn::visit_mut::visit_path_mut(self, path);
    }

    /// The tokens of an attribute are not parsed as paths.
    fn visit_attribute_mut(&mut self, attribute: &mut Attribute) {
        let Meta::List(list) = &mut attribute.meta else { return };
        let mut text = list.tokens.to_string();
        for name in CRATES {
            for start in [format!(":: {name} ::"), format!("\"::{name}::")] {
                let (quote, _) = start.split_at(start.find(':').unwrap_or_default());
                text = text.replace(&start, &format!("{quote}__runtime::__private::{name}::"));
            }
        }
        if let Ok(tokens) = text.parse() {
            list.tokens = tokens;
        }
    }
}
