//! Module of one operation: a type that represents it, and a module with its variables and its
//! response.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::visit::Visit;
use syn::{Item, Type, Visibility, parse_quote};

use super::graphql_client::GraphqlClient;
use super::operation::Operation;
use super::schema::Schema;
use super::shapes::Shapes;
use super::shapes::secret_places;
use super::types::{Types, all_default};
use super::{docs, document, rewrite};
use crate::syntax::{name_of, wire_name};
use crate::{print, redact};

/// The context of the generation of operations.
pub(crate) struct Context<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) graphql_client: &'a GraphqlClient,
    pub(crate) types: &'a Types,
    pub(crate) shapes: &'a Shapes<'a>,
}

impl Context<'_> {
    /// The items of an operation, and the names of the shared types that they use.
    pub(crate) fn operation(
        &self,
        operation: &Operation,
    ) -> Result<(TokenStream, BTreeSet<String>), String> {
        let items = self.graphql_client.items(&operation.text_for_types(self.schema))?;
        let mut items = own_items(items);
        unambiguous(&items, self.types)?;
        items.iter_mut().for_each(rewrite::rewrite);
        docs::document(self.schema, operation, &mut items);
        let used = used_names(&items, &self.types.names);
        let body: TokenStream =
            items.into_iter().map(|item| self.finish(operation, item)).collect();

        let module = format_ident!("{}", operation.module_name());
        let module_docs = format!(" Variables and response of [`{}`].", operation.type_name());
        let shared = (!used.is_empty()).then(|| {
            let shared = used.iter().map(|name| format_ident!("{name}"));
            quote!(#[doc(no_inline)] pub use super::types::{#(#shared),*};)
        });
        let item = self.emit(operation);
        let unused = may_go_unused();
        let tokens = quote! {
            #item

            #[doc = #module_docs]
            #unused
            pub mod #module {
                use super::__runtime;
                #shared
                #body
            }
        };
        Ok((tokens, used))
    }

    fn finish(&self, operation: &Operation, mut item: Item) -> TokenStream {
        let is_variables = name_of(&item).is_some_and(|name| name == "Variables");
        if let Item::Struct(it) = &mut item
            && is_variables
            && all_default(&it.fields, self.types)
        {
            rewrite::derive(&mut it.attrs, parse_quote!(Default));
        }
        // A variable is secret if it is used in a secret position.
        let places = if is_variables { secret_places(operation) } else { BTreeMap::new() };
        let debug = redact::redact(&mut item, is_variables, |field| {
            let name = wire_name(field);
            let place = places.get(&name).and_then(BTreeSet::first).cloned();
            place.unwrap_or(name)
        });
        quote!(#item #debug)
    }

    fn emit(&self, operation: &Operation) -> TokenStream {
        let ident = format_ident!("{}", operation.type_name());
        let module = format_ident!("{}", operation.module_name());
        let docs = print::docs(&docs::operation_docs(self.schema, operation));
        let name = &operation.name;
        let text = document::text(operation);
        let document = self.shapes.document(operation);
        let unused = item_may_go_unused();
        quote! {
            #docs
            #unused
            #[derive(Clone, Copy, Debug)]
            pub struct #ident;

            impl __runtime::graphql::Operation for #ident {
                type Variables = #module::Variables;
                type Data = #module::ResponseData;
                const NAME: &'static str = #name;
                const TEXT: &'static str = #text;
                const DOCUMENT: &'static __runtime::graphql::document::Document = &#document;
            }

            impl __runtime::__private::graphql_client::GraphQLQuery for #ident {
                type Variables = #module::Variables;
                type ResponseData = #module::ResponseData;

                fn build_query(
                    variables: Self::Variables,
                ) -> __runtime::__private::graphql_client::QueryBody<Self::Variables> {
                    __runtime::__private::graphql_client::QueryBody {
                        variables,
                        query: <Self as __runtime::graphql::Operation>::TEXT,
                        operation_name: <Self as __runtime::graphql::Operation>::NAME,
                    }
                }
            }
        }
    }
}

/// Lints that are allowed for a module: users need not use all generated items nor make them
/// public, and cannot change generated code.
pub(crate) fn may_go_unused() -> TokenStream {
    quote! {
        #[allow(
            dead_code,
            deprecated,
            non_camel_case_types,
            missing_copy_implementations,
            unreachable_pub,
            unused_imports,
            clippy::all,
            clippy::nursery,
            clippy::pedantic,
            clippy::restriction,
            reason = "generated from queries, all of it"
        )]
    }
}

/// Attributes that permit one item to go unused, on one line.
pub(crate) fn item_may_go_unused() -> TokenStream {
    quote! {
        #[allow(dead_code, unreachable_pub, unused_imports)]
        #[allow(clippy::all, clippy::nursery, clippy::pedantic, clippy::restriction)]
    }
}

/// Removes shared types and items of graphql_client's own interface. Aliases of scalars become
/// private; a public alias is a selection that is a single fragment.
fn own_items(items: Vec<Item>) -> Vec<Item> {
    items
        .into_iter()
        .filter(|item| match item {
            Item::Struct(_) | Item::Enum(_) => true,
            Item::Type(alias) => matches!(alias.vis, Visibility::Public(_)),
            _ => false,
        })
        .collect()
}

/// graphql_client makes type names by joining names, and field names by changing case. Equal names
/// would otherwise be an error within generated code.
fn unambiguous(items: &[Item], types: &Types) -> Result<(), String> {
    let mut seen = HashSet::new();
    for item in items {
        let name = match item {
            Item::Type(alias) => Some(alias.ident.to_string()),
            _ => name_of(item),
        };
        let Some(name) = name else { continue };
        let is_taken = types.names.contains(&name) || rewrite::BUILT_IN.contains(&name.as_str());
        if is_taken || !seen.insert(name.clone()) {
            return Err(format!(
                "two types of this operation would be called `{name}`; give one of the fields an alias, or the operation or the fragment another name"
            ));
        }
        let Item::Struct(item) = item else { continue };
        let mut fields = HashSet::new();
        for field in item.fields.iter().filter_map(|field| field.ident.as_ref()) {
            if !fields.insert(field.to_string()) {
                let what = if name == "Variables" { "variables" } else { "fields" };
                return Err(format!(
                    "two {what} of this operation would be called `{field}` in `{name}`; rename one of them"
                ));
            }
        }
    }
    Ok(())
}

/// The shared types that the items of an operation use.
fn used_names(items: &[Item], names: &BTreeSet<String>) -> BTreeSet<String> {
    struct Used<'a> {
        names: &'a BTreeSet<String>,
        used: BTreeSet<String>,
    }
    impl<'ast> Visit<'ast> for Used<'_> {
        fn visit_type(&mut self, ty: &'ast Type) {
            if let Type::Path(path) = ty
                && let Some(ident) = path.path.get_ident()
                && self.names.contains(&ident.to_string())
            {
                self.used.insert(ident.to_string());
            }
            syn::visit::visit_type(self, ty);
        }
    }
    let mut used = Used { names, used: BTreeSet::new() };
    items.iter().for_each(|item| used.visit_item(item));
    used.used
}
