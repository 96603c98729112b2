//! What must not be seen in a debug print, and the `Debug` that keeps it out.
//!
//! The rule goes by the names of fields, because names are all that a schema says about secrecy.
//! Case and punctuation do not count. A field is secret when
//! - its name is, or ends with, a word for a credential: `password`, `apiKey`, `accessSecret`,
//!   `token` (but not `tokens`, which are counted);
//! - it holds environment variables: `env`;
//! - it is the `value` of an input, or stands beside a `key`, or beside the `name` of a variable;
//! - its type is untyped JSON, in which any of these may be.
//!
//! It is better to hide too much here than too little: nothing is lost but a debug print.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Fields, Ident, ItemStruct};

/// What a field is called, and what its neighbours are called, on the wire.
pub(crate) struct Named<'a> {
    pub(crate) name: &'a str,
    pub(crate) siblings: &'a [String],
    /// Whether the field is one that is sent.
    pub(crate) input: bool,
}

const ENVIRONMENT: [&str; 4] = ["env", "envs", "environment", "environmentvariables"];

const CREDENTIALS: [&str; 16] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
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

/// Whether a field holds what nobody should see.
pub(crate) fn is_secret(field: &Named<'_>) -> bool {
    let name = plain(field.name);
    let beside = |other: &str| field.siblings.iter().any(|name| plain(name) == other);
    match name.as_str() {
        "value" => field.input || beside("key") || beside("name"),
        name if ENVIRONMENT.contains(&name) => true,
        name => CREDENTIALS.iter().any(|word| name.ends_with(word)),
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Takes the derived `Debug` off a struct that has secrets, and writes one that hides them.
/// `wire` gives the name that a field has on the wire.
pub(crate) fn redact(
    item: &mut ItemStruct,
    input: bool,
    wire: impl Fn(&syn::Field) -> String,
) -> Option<TokenStream> {
    let Fields::Named(fields) = &item.fields else {
        return None;
    };
    let siblings: Vec<_> = fields.named.iter().map(&wire).collect();
    let secret: Vec<bool> = fields
        .named
        .iter()
        .zip(&siblings)
        .map(|(field, name)| {
            is_untyped(&field.ty) || is_secret(&Named { name, siblings: &siblings, input })
        })
        .collect();
    if !secret.contains(&true) {
        return None;
    }
    let names: Vec<&Ident> = fields.named.iter().filter_map(|field| field.ident.as_ref()).collect();
    let shown = names.iter().zip(secret).map(|(name, secret)| {
        let label = name.to_string();
        if secret {
            quote!(.field(#label, &format_args!("[redacted]")))
        } else {
            quote!(.field(#label, &self.#name))
        }
    });
    let ident = &item.ident;
    let label = ident.to_string();
    let debug = quote! {
        impl ::std::fmt::Debug for #ident {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(#label)#(#shown)*.finish()
            }
        }
    };
    crate::derives::remove(&mut item.attrs, "Debug");
    Some(debug)
}

fn is_untyped(ty: &syn::Type) -> bool {
    ty.to_token_stream().to_string().contains("serde_json")
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
        for name in ["env", "apiKey", "api_key", "accessSecret", "userPassword", "TOKEN"] {
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
}
