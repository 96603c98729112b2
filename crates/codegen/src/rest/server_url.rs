//! URLs of servers whose variables have values: a type for each, with a setter for each variable.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

use super::description::{fields, text_at};
use super::model::Operation;
use super::signatures::Signature;
use crate::{naming, print};

/// A server whose URL has variables.
pub(super) struct Server {
    url: String,
    description: String,
    variables: Vec<Variable>,
}

struct Variable {
    wire: String,
    description: String,
    default: Option<String>,
    values: Vec<String>,
}

/// The servers of a description whose URLs have variables.
pub(super) fn variables(description: &Value) -> Vec<Server> {
    let servers = description.get("servers").and_then(Value::as_array).into_iter().flatten();
    let servers = servers.map(|server| {
        let url = text_at(server, "url");
        let is_used = |name: &str| url.contains(&format!("{{{name}}}"));
        let variables = fields(server, "variables").filter(|(name, _)| is_used(name));
        let variables = variables.map(|(name, variable)| {
            let values = variable.get("enum").and_then(Value::as_array).into_iter().flatten();
            Variable {
                wire: name.clone(),
                description: text_at(variable, "description"),
                default: variable.get("default").and_then(text),
                values: values.filter_map(text).collect(),
            }
        });
        let variables = variables.collect();
        Server { description: text_at(server, "description"), variables, url }
    });
    // A URL that is one variable is the caller's as a whole.
    let is_variable = |it: &Server| {
        let url = it.url.trim_end_matches('/');
        it.variables.iter().any(|variable| url == format!("{{{}}}", variable.wire))
    };
    servers.filter(|it| !it.variables.is_empty() && !is_variable(it)).collect()
}

/// A text, or a number that YAML without quotes has in its place.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Emits a type for each server.
pub(super) fn emit(servers: &[Server], operations: &[(Operation, Signature)]) -> TokenStream {
    let calls = operations.iter().map(|(operation, _)| naming::pascal(&operation.name));
    let mut taken: HashSet<String> = calls.collect();
    let servers = servers.iter().map(|server| {
        let name = naming::unique_pascal(&mut taken, "ServerUrl".to_owned());
        server.emit(&format_ident!("{name}"))
    });
    quote!(#(#servers)*)
}

impl Server {
    fn emit(&self, name: &syn::Ident) -> TokenStream {
        let Self { url, description, variables } = self;
        let mut docs = format!("The URL of the server `{url}`.");
        if !description.is_empty() {
            docs.push_str(&format!("\n\n{}", print::prose(description)));
        }
        let docs = print::docs(&docs);
        let mut methods: HashSet<String> = ["new", "url"].map(str::to_owned).into();
        let setters = variables.iter().map(|variable| {
            let wire = &variable.wire;
            let docs = print::docs(&variable.docs());
            let setter =
                format_ident!("{}", naming::unique(&mut methods, naming::snake(&variable.wire)));
            quote! {
                #docs
                pub fn #setter(self, value: impl Into<String>) -> Self {
                    Self(self.0.set(#wire, value))
                }
            }
        });
        let table = variables.iter().map(|variable| {
            let Variable { wire, values, default, .. } = variable;
            let default = match default {
                Some(default) => quote!(Some(#default)),
                None => quote!(None),
            };
            quote!(Variable { name: #wire, default: #default, values: &[#(#values),*] })
        });
        quote! {
            #docs
            #[derive(Clone, Debug)]
            pub struct #name(__runtime::__private::rest::ServerUrl);

            #[allow(clippy::new_without_default)]
            impl #name {
                /// The URL with the defaults of its variables.
                pub fn new() -> Self {
                    use __runtime::__private::rest::{ServerUrl, Variable};
                    Self(ServerUrl::new(#url, &[#(#table),*]))
                }

                #(#setters)*

                /// The URL, for the builder of the service.
                ///
                /// # Errors
                ///
                /// A variable has none of its possible values, or neither a value nor a default.
                pub fn url(&self) -> __runtime::Result<String> {
                    Ok(self.0.url()?)
                }
            }
        }
    }
}

impl Variable {
    fn docs(&self) -> String {
        let mut docs = print::sentence(&self.description, "A part of the URL.");
        let values: BTreeSet<_> = self.values.iter().map(|it| format!("`{it}`")).collect();
        let values: Vec<_> = values.into_iter().collect();
        if !values.is_empty() {
            docs.push_str(&format!("\n\nOne of {}.", values.join(", ")));
        }
        match &self.default {
            Some(default) => docs.push_str(&format!("\n\nThe default is `{default}`.")),
            None => docs.push_str("\n\nIt has no default, and must be set."),
        }
        docs
    }
}
