//! What all operations share: input objects, enums and scalars, each made once.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Fields, Type};

use super::inputs::Inputs;
use super::schema::Schema;
use crate::open_enum::{OpenEnum, Variant};
use crate::print;

/// The shared types of a schema.
pub(crate) struct Types {
    /// The items of the `types` module.
    pub(crate) tokens: TokenStream,
    /// Their names.
    pub(crate) names: BTreeSet<String>,
    /// Those that have a default.
    pub(crate) with_default: BTreeSet<String>,
}

impl Types {
    pub(crate) fn generate(schema: &Schema) -> Self {
        let mut names = BTreeSet::new();
        let mut tokens = TokenStream::new();
        for scalar in schema.custom_scalars() {
            let name = schema.rust_name(&scalar.name);
            let ident = format_ident!("{name}");
            let docs = print::prose_or(scalar.description.as_deref(), "A scalar of the service.");
            let docs = print::docs(&format!(
                "{docs}\n\nThe schema says no more about a scalar than its name, so this is any JSON."
            ));
            tokens
                .extend(quote!(#docs pub type #ident = ::podqueue::__private::serde_json::Value;));
            names.insert(name);
        }
        for item in schema.enums() {
            let name = schema.rust_name(&item.name);
            let open = OpenEnum {
                name: name.clone(),
                docs: print::prose_or(item.description.as_deref(), "One of several values."),
                variants: item
                    .values
                    .iter()
                    .map(|value| Variant {
                        wire: value.name.clone(),
                        docs: print::prose_or(value.description.as_deref(), ""),
                        deprecated: value.directives.iter().any(|it| it.name == "deprecated"),
                    })
                    .collect(),
            };
            tokens.extend(open.emit());
            names.insert(name);
        }
        let inputs = Inputs::new(schema);
        let mut with_default = BTreeSet::new();
        for input in &inputs.all {
            let name = schema.rust_name(&input.name);
            if inputs.has_default(input) {
                with_default.insert(name.clone());
            }
            names.insert(name);
            tokens.extend(inputs.emit(input));
        }
        Self { tokens, names, with_default }
    }
}

/// Whether a Rust type of an operation's variables has a default.
pub(crate) fn has_default(ty: &Type, types: &Types) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let name = last.ident.to_string();
    !types.names.contains(&name) || types.with_default.contains(&name)
}

/// Whether all fields of a struct have defaults.
pub(crate) fn all_default(fields: &Fields, types: &Types) -> bool {
    fields.iter().all(|field| has_default(&field.ty, types))
}
