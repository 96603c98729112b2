//! Redacted `Debug` output: the rule by which a field is secret, and the implementations that
//! follow it.
//!
//! The rule considers the names of fields, and the format `password`, which is all that a schema says
//! about secrecy. Case and punctuation do not count. A field is secret if
//!
//! - its name is, or ends with, a word for a credential: `password`, `apiKey`, `accessSecret`,
//!   `token` (but not `tokens`, which are counted);
//! - it contains environment variables: `env`;
//! - it is the `value` of an input, or has a `key` or the `name` of a variable beside it;
//! - it is the `old` or `new` value of the `field` beside it: that of an environment, perhaps.
//!
//! In a field of untyped JSON, and in the field of additional properties, the values are redacted
//! to whose names the rule applies. An untyped value without a name, such as one of an unknown
//! shape, is redacted as a whole.
//!
//! Redacting too much is better than too little: it only affects debug output.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Field, Fields, Ident, Item, Member};

/// A field's name and those of its siblings, on the wire.
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) siblings: &'a [String],
    /// True if requests contain the field.
    pub(crate) input: bool,
}

const ENVIRONMENT: [&str; 4] = ["env", "envs", "environment", "environmentvariables"];

const CREDENTIALS: [&str; 18] = [
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "secret",
    "secrets",
    "secretvalue",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "credential",
    "credentials",
    "authorization",
    "cookie",
];

/// Returns true if a field holds a secret.
pub(crate) fn is_secret(field: &Named<'_>) -> bool {
    let name = plain(field.name);
    let beside = |other: &str| field.siblings.iter().any(|name| plain(name) == other);
    match name.as_str() {
        "value" => field.input || beside("key") || beside("name"),
        "old" | "new" if beside("field") => true,
        name if ENVIRONMENT.contains(&name) => true,
        name => CREDENTIALS.iter().any(|word| name.ends_with(word)),
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Replaces the derived `Debug` of a struct or an enum with secret fields by one that redacts them.
/// `wire` returns the name of a field on the wire.
pub(crate) fn redact(
    item: &mut Item,
    input: bool,
    wire: impl Fn(&Field) -> String,
) -> Option<TokenStream> {
    redact_with(item, input, wire, &BTreeSet::new())
}

/// Redacts as `redact` does, in an item with fields that are secret by their format.
pub(crate) fn redact_with(
    item: &mut Item,
    input: bool,
    wire: impl Fn(&Field) -> String,
    secret: &BTreeSet<String>,
) -> Option<TokenStream> {
    let rule = Rule { input, wire: &wire, secret };
    let (ident, attrs, body) = match item {
        Item::Struct(item) => {
            if !rule.any(&item.fields) {
                return None;
            }
            let fields = (0..).zip(&item.fields).map(|(place, field)| {
                let member = field.ident.clone().map_or(Member::from(place), Member::from);
                quote!(&self.#member)
            });
            let body = rule.show(&item.ident, &item.fields, fields);
            (item.ident.clone(), &mut item.attrs, body)
        }
        Item::Enum(item) => {
            if !item.variants.iter().any(|variant| rule.any(&variant.fields)) {
                return None;
            }
            let arms = item.variants.iter().map(|variant| {
                let ident = &variant.ident;
                let bindings = rule.bindings(&variant.fields);
                let values = bindings.iter().map(|binding| quote!(#binding));
                let shown = rule.show(ident, &variant.fields, values);
                let pattern = match &variant.fields {
                    Fields::Named(fields) => {
                        let names = fields.named.iter().map(|field| &field.ident);
                        quote!({ #(#names: #bindings),* })
                    }
                    Fields::Unnamed(_) => quote!((#(#bindings),*)),
                    Fields::Unit => quote!(),
                };
                quote!(Self::#ident #pattern => #shown)
            });
            let body = quote!(match self { #(#arms,)* });
            (item.ident.clone(), &mut item.attrs, body)
        }
        _ => return None,
    };
    crate::attributes::remove(attrs, "Debug");
    Some(quote! {
        impl ::std::fmt::Debug for #ident {
            #[allow(deprecated)]
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                #body
            }
        }
    })
}

/// Marks of a struct's fields for debug output: `secret` for a redacted one, `untyped` for one that
/// is redacted in part.
pub(crate) fn marks(
    fields: &Fields,
    input: bool,
    wire: impl Fn(&Field) -> String,
    secret: &BTreeSet<String>,
) -> Vec<Option<&'static str>> {
    let shown = Rule { input, wire: &wire, secret }.shown(fields);
    let mark = |shown| match shown {
        Shown::Not => Some("secret"),
        Shown::InPart => Some("untyped"),
        Shown::Whole => None,
    };
    shown.into_iter().map(mark).collect()
}

/// The part of a field that debug output shows.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Not,
    InPart,
    Whole,
}

/// The rule, applied to one item.
struct Rule<'a> {
    input: bool,
    wire: &'a dyn Fn(&Field) -> String,
    /// The fields that are secret by their format.
    secret: &'a BTreeSet<String>,
}

impl Rule<'_> {
    fn shown(&self, fields: &Fields) -> Vec<Shown> {
        let siblings: Vec<_> = fields.iter().map(self.wire).collect();
        let shown = |field: &Field, name: &str| {
            match (is_untyped(&field.ty) || holds_others(field), &field.ident) {
                _ if self.secret.contains(name)
                    || is_secret(&Named { name, siblings: &siblings, input: self.input }) =>
                {
                    Shown::Not
                }
                (true, Some(_)) => Shown::InPart,
                // A value of an unknown shape may contain secrets.
                (true, None) => Shown::Not,
                (false, _) => Shown::Whole,
            }
        };
        fields.iter().zip(&siblings).map(|(field, name)| shown(field, name)).collect()
    }

    fn any(&self, fields: &Fields) -> bool {
        self.shown(fields).iter().any(|shown| *shown != Shown::Whole)
    }

    /// Bindings for the fields of a variant; `_` for redacted ones.
    fn bindings(&self, fields: &Fields) -> Vec<Ident> {
        let named = |(place, shown)| match shown {
            Shown::Not => format_ident!("_"),
            _ => format_ident!("value_{place}"),
        };
        self.shown(fields).into_iter().enumerate().map(named).collect()
    }

    /// The expression that prints the fields, given the expression of each.
    fn show(
        &self,
        label: &Ident,
        fields: &Fields,
        values: impl Iterator<Item = TokenStream>,
    ) -> TokenStream {
        let label = label.to_string();
        let shown =
            fields.iter().zip(self.shown(fields)).zip(values).map(|((field, shown), value)| {
                let value = match shown {
                    Shown::Not => quote!(&format_args!("[redacted]")),
                    Shown::InPart => quote!(&__runtime::__private::Untyped(#value)),
                    Shown::Whole => value,
                };
                match &field.ident {
                    Some(name) => {
                        let label = name.to_string();
                        quote!(.field(#label, #value))
                    }
                    None => quote!(.field(#value)),
                }
            });
        match fields {
            Fields::Named(_) => quote!(f.debug_struct(#label)#(#shown)*.finish()),
            Fields::Unnamed(_) => quote!(f.debug_tuple(#label)#(#shown)*.finish()),
            Fields::Unit => quote!(f.write_str(#label)),
        }
    }
}

fn is_untyped(ty: &syn::Type) -> bool {
    ty.to_token_stream().to_string().contains("serde_json")
}

/// Returns true if the names in a field are unknown until it is read.
fn holds_others(field: &Field) -> bool {
    let metas = crate::attributes::serde_metas(&field.attrs);
    let is_flat = metas.iter().any(|it| it.path().is_ident("flatten"));
    is_flat && crate::syntax::is_named(&field.ty, "HashMap")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(name: &str, siblings: &[&str], input: bool) -> bool {
        let siblings: Vec<_> = siblings.iter().map(|name| (*name).to_owned()).collect();
        is_secret(&Named { name, siblings: &siblings, input })
    }

    #[test]
    fn credentials_and_environments_are_secret_under_any_spelling() {
        for name in ["env", "apiKey", "api_key", "accessSecret", "secrets", "userPassword", "TOKEN"]
        {
            assert!(secret(name, &[], false), "{name}");
        }
        for name in ["id", "inputTokens", "secretId", "environmentId", "key", "name"] {
            assert!(!secret(name, &[], true), "{name}");
        }
    }

    #[test]
    fn a_value_is_secret_in_an_input_and_beside_its_key() {
        assert!(secret("value", &["value"], true));
        assert!(secret("value", &["key", "value"], false));
        assert!(!secret("value", &["unit", "value"], false));
    }

    #[test]
    fn the_values_of_a_changed_field_are_secret() {
        for name in ["old", "new"] {
            assert!(secret(name, &["field", "old", "new"], false));
            assert!(!secret(name, &["old", "new"], false));
        }
    }
}
