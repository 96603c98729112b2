//! Open enums: enums of strings that keep unknown values.
//!
//! A service adds values to an enum without notice. An unknown value is read as `Other` with its
//! text, and written unchanged.

use std::collections::HashSet;

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use crate::{naming, print};

/// An enum of strings.
pub(crate) struct OpenEnum {
    /// The Rust name.
    pub(crate) name: String,
    /// Its documentation.
    pub(crate) docs: String,
    pub(crate) variants: Vec<Variant>,
}

/// One value.
pub(crate) struct Variant {
    pub(crate) wire: String,
    /// Its documentation, if the schema has one.
    pub(crate) docs: String,
    pub(crate) deprecated: bool,
}

impl OpenEnum {
    /// The enum with its implementations. serde is named through the runtime, since users' crates
    /// need not depend on it.
    pub(crate) fn emit(&self) -> TokenStream {
        let name = format_ident!("{}", self.name);
        let docs = print::docs(&self.docs);
        let mut taken = HashSet::new();
        let wires = self.variants.iter().map(|it| it.wire.clone());
        let names = wires.map(|wire| (Some(wire.clone()), naming::variant(&wire))).collect();
        let names = naming::distinct(&mut taken, names, naming::unique_pascal);
        let idents: Vec<_> = names.iter().map(|name| format_ident!("{name}")).collect();
        let other = format_ident!("{}", naming::unique_pascal(&mut taken, "Other".to_owned()));
        let wires: Vec<_> = self.variants.iter().map(|variant| variant.wire.as_str()).collect();
        let variants = self.variants.iter().zip(&idents).map(|(variant, ident)| {
            let docs = print::docs(&if variant.wire.is_empty() {
                "An empty text.".to_owned()
            } else if variant.docs.is_empty() {
                format!("`{}`.", variant.wire)
            } else {
                format!("{}\n\n`{}` on the wire.", variant.docs, variant.wire)
            });
            let deprecated = variant.deprecated.then(|| quote!(#[deprecated]));
            quote!(#docs #deprecated #ident)
        });
        let places = (0..idents.len()).map(Literal::usize_unsuffixed);
        let any_deprecated = self.variants.iter().any(|variant| variant.deprecated);
        let allow = any_deprecated.then(|| quote!(#[allow(deprecated)]));
        quote! {
            #docs
            #allow
            #[non_exhaustive]
            pub enum #name {
                #(#variants,)*
                /// A value that was not known when this was generated.
                #other(String),
            }

            __runtime::__private::open_enum! { #name #other { #(#places #idents #wires;)* } }
        }
    }
}
