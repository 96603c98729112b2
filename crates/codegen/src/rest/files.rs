//! Layout of committed code: a file for each tag, one for the types, and one that declares them.

use std::collections::{BTreeMap, HashSet};

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::emit::Call;
use crate::{Diagnostic, naming};

/// The file of the operations without a tag.
const UNTAGGED: &str = "operations";

/// The names and the code of the files: `mod.rs` with the handle, `types.rs`, and a file with the
/// methods and builders of each tag. An operation with several tags is in the file of its first.
///
/// All items are those of the code in one file.
pub(super) fn by_tag<'a>(
    handle_name: &str,
    handle: TokenStream,
    types: TokenStream,
    calls: impl Iterator<Item = (Option<&'a str>, Call)>,
    print: impl Fn(TokenStream) -> Result<String, Diagnostic>,
) -> Result<Vec<(String, String)>, Diagnostic> {
    let name = format_ident!("{handle_name}");
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
    let root = quote! {
        use ::podqueue_runtime as __runtime;

        #(mod #names;)*
        /// Types of requests and responses.
        pub mod types;

        #(pub use self::#names::*;)*

        #handle
    };
    let mut files =
        vec![("mod.rs".to_owned(), print(root)?), ("types.rs".to_owned(), print(types)?)];
    for (module, (tags, calls)) in modules {
        let docs = match tags.as_slice() {
            [] => "Operations without a tag.".to_owned(),
            tags => format!("Operations with the tag {}.", tags.join(" or ")),
        };
        let docs = crate::print::prose(&docs);
        let docs = docs.lines().map(|line| format!(" {}", line.trim()));
        let methods = calls.iter().map(|it| &it.method);
        let builders = calls.iter().map(|it| &it.builder);
        let tokens = quote! {
            #(#![doc = #docs])*

            #[allow(unused_imports)]
            use super::{__runtime, #name, types};

            #[allow(dead_code, bindings_with_variant_name)]
            impl #name {
                #(#methods)*
            }

            #(#builders)*
        };
        files.push((format!("{module}.rs"), print(tokens)?));
    }
    Ok(files)
}

/// The name of a tag's module.
fn module(tag: Option<&str>) -> String {
    let mut taken = HashSet::from(["types", "mod"].map(str::to_owned));
    let name = tag.map_or_else(|| UNTAGGED.to_owned(), naming::snake);
    naming::unique(&mut taken, name)
}
