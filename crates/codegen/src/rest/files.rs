//! Layout of committed code: a file for each tag, one for the types, and one that declares them.

use std::collections::{BTreeMap, HashSet};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;

use super::emit::Call;
use crate::{Diagnostic, naming, print};

/// The file of the operations without a tag.
const UNTAGGED: &str = "operations";

/// The parts of the code that are no calls.
pub(super) struct Parts<'a> {
    /// The name of the handle.
    pub(super) name: &'a str,
    pub(super) handle: TokenStream,
    pub(super) types: TokenStream,
    /// The types that need a client: those of errors and headers.
    pub(super) types_of_calls: TokenStream,
    /// The description, for the fake.
    pub(super) description: &'a Value,
    pub(super) foreign_servers: &'a [String],
}

/// The names and the code of the files: `mod.rs` with the handle, `types.rs`, and a file with the
/// methods and builders of each tag. An operation with several tags is in the file of its first.
///
/// All items are those of the code in one file. Modules form no cycle: a tag uses `api` and `types`,
/// `types` uses none, and `mod.rs` re-exports. Without the runtime's feature `client` only `types` is
/// there, and with its feature `fake` the handle has `fake`, as where a build script generates.
pub(super) fn by_tag<'a>(
    parts: Parts<'_>,
    calls: impl Iterator<Item = (Option<&'a str>, Call)>,
    printed: impl Fn(TokenStream) -> Result<String, Diagnostic>,
) -> Result<Vec<(String, String)>, Diagnostic> {
    let name = format_ident!("{}", parts.name);
    let mut of_tags: BTreeMap<Option<&str>, Vec<Call>> = BTreeMap::new();
    for (tag, call) in calls {
        of_tags.entry(tag.filter(|tag| !tag.is_empty())).or_default().push(call);
    }
    // Tags that differ in case or punctuation only are one module.
    let mut modules: BTreeMap<String, (Vec<&str>, Vec<Call>)> = BTreeMap::new();
    for (tag, calls) in of_tags {
        let of_module = modules.entry(module(tag)).or_default();
        of_module.0.extend(tag);
        of_module.1.extend(calls);
    }
    let names: Vec<_> = modules.keys().map(|it| format_ident!("{it}")).collect();
    let declared = modules.keys().map(|it| declared(it));
    let root = printed(root())?;
    let handle = &parts.handle;
    let of_client = printed(quote! {
        #(#declared)*

        pub use self::api::*;
        #(pub use self::#names::*;)*

        /// The handle of all operations.
        mod api {
            use ::podqueue_runtime as __runtime;

            #handle
        }
    })?;
    let root = [root, within("when_client", &of_client), fake(&parts, &printed)?].join("\n");
    let mut types = printed(parts.types)?;
    let of_calls = printed(parts.types_of_calls)?;
    if !of_calls.is_empty() {
        types = [types, within("when_client", &of_calls)].join("\n");
    }
    let mut files = vec![("mod.rs".to_owned(), root), ("types.rs".to_owned(), types)];
    for (module, (tags, calls)) in modules {
        let docs = match tags.as_slice() {
            [] => "Operations without a tag.".to_owned(),
            tags => format!("Operations with the tag {}.", tags.join(" or ")),
        };
        let docs = print::prose(&docs);
        let docs = docs.lines().map(|line| format!(" {}", line.trim()));
        let methods = calls.iter().map(|it| &it.method);
        let builders = calls.iter().map(|it| &it.builder);
        let tokens = quote! {
            #(#![doc = #docs])*

            use ::podqueue_runtime as __runtime;

            use super::api::#name;
            #[allow(unused_imports)]
            use super::types;

            #[allow(dead_code, bindings_with_variant_name)]
            impl #name {
                #(#methods)*
            }

            #(#builders)*
        };
        files.push((format!("{module}.rs"), printed(tokens)?));
    }
    Ok(files)
}

/// The files of types without calls: `mod.rs` and `types.rs`.
pub(super) fn types_alone(
    parts: Parts<'_>,
    printed: impl Fn(TokenStream) -> Result<String, Diagnostic>,
) -> Result<Vec<(String, String)>, Diagnostic> {
    let root = printed(root())?;
    Ok(vec![("mod.rs".to_owned(), root), ("types.rs".to_owned(), printed(parts.types)?)])
}

fn root() -> TokenStream {
    quote! {
        /// Types of requests and responses.
        pub mod types;
    }
}

/// The declaration of a tag's module. Rust looks for the file of a module only by an ASCII name.
fn declared(module: &str) -> TokenStream {
    let name = format_ident!("{module}");
    let path = (!module.is_ascii()).then(|| format!("{module}.rs")).into_iter();
    quote!(#(#[path = #path])* mod #name;)
}

/// Items that are compiled with a feature of the runtime.
fn within(condition: &str, items: &str) -> String {
    format!("::podqueue_runtime::__private::{condition}! {{\n{}}}\n", indented(items))
}

fn indented(code: &str) -> String {
    let lines = code.lines().map(|line| match line {
        "" => "\n".to_owned(),
        line => format!("    {line}\n"),
    });
    lines.collect()
}

/// `Api::fake()`, and the description that it needs.
fn fake(
    parts: &Parts<'_>,
    printed: &impl Fn(TokenStream) -> Result<String, Diagnostic>,
) -> Result<String, Diagnostic> {
    let name = format_ident!("{}", parts.name);
    let fake = super::emit::fake(&name, &quote!(DESCRIPTION), parts.foreign_servers);
    let fake = printed(quote! {
        use ::podqueue_runtime as __runtime;

        use super::api::#name;

        #fake
    })?;
    let description = serde_json::to_string_pretty(parts.description).unwrap_or_default();
    let description = print::json_without_bidi(&description);
    // As many signs as no quote in the text has after it.
    let mut signs = "#".to_owned();
    while description.contains(&format!("\"{signs}")) {
        signs.push('#');
    }
    // The text is not indented: each space would be part of it.
    let module = indented(&format!("mod fake {{\n{}\n", indented(&fake)));
    let text = format!("        const DESCRIPTION: &str = r{signs}\"{description}\"{signs};\n");
    Ok(format!("::podqueue_runtime::__private::when_fake! {{\n{module}{text}    }}\n}}\n"))
}

/// The name of a tag's module, which is the name of a file, too, and so may not be of any length.
fn module(tag: Option<&str>) -> String {
    const MOST_BYTES: usize = 100;
    let own = ["api", "fake", "mod", "types"].map(str::to_owned);
    let mut taken: HashSet<_> = naming::devices().chain(own).collect();
    let mut name = tag.map_or_else(|| UNTAGGED.to_owned(), naming::snake);
    let end = (0..=MOST_BYTES.min(name.len())).rev().find(|it| name.is_char_boundary(*it));
    name.truncate(end.unwrap_or_default());
    naming::unique(&mut taken, name)
}
