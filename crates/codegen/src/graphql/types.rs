//! Types that all operations share: input objects, enums and scalars.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Fields, Type};

use super::inputs::Inputs;
use super::options::{Options, SharedTypes};
use super::schema::Schema;
use crate::open_enum::{OpenEnum, Variant};
use crate::print;

/// The shared types of a schema.
pub(crate) struct Types {
    /// The items of the `types` module by their names, in order.
    items: Vec<(String, TokenStream)>,
    /// The inputs, and the shared types that each contains.
    holds: BTreeMap<String, Vec<String>>,
    /// Their names.
    pub(crate) names: BTreeSet<String>,
    /// Those that have a default.
    pub(crate) with_default: BTreeSet<String>,
}

impl Types {
    /// Generates them; an error is an invalid Rust type of a scalar.
    pub(crate) fn generate(schema: &Schema, options: &Options) -> Result<Self, String> {
        let of_podqueue = options.shared == SharedTypes::OfPodqueue;
        for name in options.scalars.keys() {
            if of_podqueue {
                return Err(format!(
                    "the scalar `{name}` has podqueue's type; name a schema of your own to give it another"
                ));
            }
            if !schema.custom_scalars().iter().any(|it| it.name == *name) {
                return Err(format!("there is no scalar `{name}` to give a type to"));
            }
        }
        let mut names = BTreeSet::new();
        let mut items = Vec::new();
        for scalar in schema.custom_scalars() {
            let name = schema.rust_name(&scalar.name);
            let ident = format_ident!("{name}");
            let docs = print::prose_or(scalar.description.as_deref(), "A scalar of the service.");
            let item = match options.scalars.get(&scalar.name) {
                Some(path) => {
                    let ty: Type = syn::parse_str(path).map_err(|_| {
                        format!("`{path}`, for the scalar `{}`, is not a type", scalar.name)
                    })?;
                    let docs = print::docs(&docs);
                    quote!(#docs pub type #ident = #ty;)
                }
                None => {
                    let docs = print::docs(&format!(
                        "{docs}\n\nThe schema says no more about a scalar than its name, so this is any JSON."
                    ));
                    quote!(#docs pub type #ident = __runtime::__private::serde_json::Value;)
                }
            };
            items.push((name.clone(), item));
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
            items.push((name.clone(), open.emit()));
            names.insert(name);
        }
        let inputs = Inputs::new(schema, &options.scalars);
        let mut holds = BTreeMap::new();
        let mut with_default = BTreeSet::new();
        for input in &inputs.all {
            let name = schema.rust_name(&input.name);
            if inputs.has_default(input) {
                with_default.insert(name.clone());
            }
            let held = input.fields.iter().map(|it| schema.rust_name(it.value_type.inner_type()));
            holds.insert(name.clone(), held.collect());
            items.push((name.clone(), inputs.emit(input)));
            names.insert(name);
        }
        Ok(Self { items, holds, names, with_default })
    }

    /// The items of these names.
    pub(crate) fn emit(&self, used: &BTreeSet<String>) -> TokenStream {
        let items = self.items.iter().filter(|(name, _)| used.contains(name));
        items.map(|(_, item)| item.clone()).collect()
    }

    /// These types and all that they contain.
    pub(crate) fn held_by(&self, names: BTreeSet<String>) -> BTreeSet<String> {
        let mut waiting: Vec<_> = names.into_iter().collect();
        let mut held = BTreeSet::new();
        while let Some(name) = waiting.pop() {
            if held.insert(name.clone()) {
                waiting.extend(self.holds.get(&name).into_iter().flatten().cloned());
            }
        }
        held
    }
}

/// Returns true if a Rust type of an operation's variables has a default.
pub(crate) fn has_default(ty: &Type, types: &Types) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    let name = last.ident.to_string();
    !types.names.contains(&name) || types.with_default.contains(&name)
}

/// Returns true if all fields of a struct have defaults.
pub(crate) fn all_default(fields: &Fields, types: &Types) -> bool {
    fields.iter().all(|field| has_default(&field.ty, types))
}
