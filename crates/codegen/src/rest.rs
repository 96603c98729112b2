//! REST generator: an OpenAPI description is read, normalized, given types, and emitted as typed
//! calls.

mod base_path;
pub mod description;
mod emit;
mod files;
mod formats;
mod media;
mod model;
mod normalize;
mod pages;
mod pointer;
mod read;
mod server_url;
mod shorten;
mod signatures;
mod source_map;
mod tree;
mod types;
mod untyped;
mod yaml;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use quote::quote;

pub(crate) use self::emit::fake;
pub use self::formats::Dates;
pub(crate) use self::formats::Formats;
pub(crate) use self::normalize::select::Unmatched;
pub use self::pages::Pages;
pub use self::read::read;
pub use self::untyped::UntypedValues;

use crate::syntax::name_of;
use crate::{Diagnostic, Generated, Source, print};

/// Generates types and calls from an OpenAPI 3.0 to 3.2 description, in JSON or in YAML.
///
/// The code is made to be included by any module of a crate that depends on `podqueue`: a `types`
/// module, the handle `Api` with one method for each operation, and the builders that these return.
///
/// # Errors
///
/// If nothing can be generated: the text does not parse, or is no description. Unsupported
/// constructs are omitted with a warning.
pub fn generate(source: &Source) -> Result<Generated, Vec<Diagnostic>> {
    let output = generate_with(source, &Options::default());
    output.map(|it| it.generated).map_err(|diagnostic| vec![diagnostic])
}

/// Settings of the generator for one description.
pub(crate) struct Options<'a> {
    /// The name of the handle.
    pub(crate) handle: &'a str,
    /// Selectors of the operations to generate; all of them if there are none.
    pub(crate) only: Option<&'a [String]>,
    /// Types of formats of text.
    pub(crate) formats: Formats,
    /// The order of the pages of selected operations.
    pub(crate) pages: &'a [(String, Pages)],
    /// True to generate a file for each tag.
    pub(crate) by_tag: bool,
    /// True to generate types and no calls.
    pub(crate) types_alone: bool,
    /// True to find the untyped values.
    pub(crate) untyped: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            handle: "Api",
            only: None,
            formats: Formats::default(),
            pages: &[],
            by_tag: false,
            types_alone: false,
            untyped: false,
        }
    }
}

/// The result for one description.
pub(crate) struct Output {
    /// Without code if the files are by tag.
    pub(crate) generated: Generated,
    /// The names and the code of the files by tag.
    pub(crate) by_tag: Vec<(String, String)>,
    /// Empty unless it was asked for.
    pub(crate) untyped: UntypedValues,
    /// The servers of single operations that have another origin than the others.
    pub(crate) foreign_servers: Vec<String>,
    /// The operations whose responses are pages, by their keys, and how these follow each other.
    pub(crate) pages: BTreeMap<Vec<String>, serde_json::Value>,
    /// The selectors that select none of its operations: those of `only`, and then of `pages`.
    pub(crate) unmatched: Vec<Unmatched>,
}

/// Generates with settings. The selectors may select nothing.
pub(crate) fn generate_with(source: &Source, options: &Options<'_>) -> Result<Output, Diagnostic> {
    deep(|| try_generate(source, options))
}

/// Runs with a deep stack: the type generator follows types through each other, and a description
/// has as many as it likes. Memory that is not used costs nothing.
fn deep<T: Send>(run: impl Fn() -> T + Send + Sync) -> T {
    const BYTES: usize = 512 << 20;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(BYTES);
        match thread.spawn_scoped(scope, &run) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => run(),
        }
    })
}

/// A description with all of its files in one tree, and the paths of the other files.
///
/// # Errors
///
/// If this text, or that of a referenced file, does not parse.
pub fn linked(source: &Source) -> Result<(serde_json::Value, Vec<PathBuf>), Diagnostic> {
    let mut tree = read::read(source)?;
    let linked = normalize::link(source, &mut tree);
    linked.unreadable.into_iter().next().map_or(Ok((tree, linked.files)), Err)
}

/// The media type that a call sends a body as: of several, the one that the call of the operation's
/// own name sends.
pub fn sent_media(description: &serde_json::Value, body: &serde_json::Value) -> Option<String> {
    normalize::sent_media(description, body)
}

fn try_generate(source: &Source, options: &Options<'_>) -> Result<Output, Diagnostic> {
    let (mut description, places) = read::read_with_places(source)?;
    let mut linked = normalize::link(source, &mut description);
    let files = std::mem::take(&mut linked.files);
    let servers = base_path::Servers::of(&description);
    let server_urls = server_url::variables(&description);
    let Options { only, formats, pages: stated, .. } = *options;
    let whole = (options.untyped || options.by_tag).then(|| description.clone());
    let mut normalized =
        normalize::normalize(source, &places, description, linked, only, formats, stated)?;
    let mut decided =
        signatures::generate_types_or_bisect(source, &places, formats, &mut normalized)?;
    let mut warnings = normalized.warnings;
    let is_left_out = |keys: &Vec<String>| normalized.left_out.contains(keys);
    for server in servers.foreign.iter().filter(|it| !is_left_out(&it.keys)) {
        let (line, column) = places.of(&server.keys);
        warnings.push(Diagnostic::new(&source.name, line, column, server.warning.as_str()));
    }
    let mut operations = Vec::new();
    for mut operation in normalized.operations {
        operation.server = servers.own(&operation.method, &operation.path).cloned();
        match decided.signatures.remove(&operation.name) {
            Some(mut signature) => {
                let mut of = |name: &Option<String>| {
                    let signature = decided.signatures.remove(name.as_ref()?);
                    signature.map(|it| it.response)
                };
                signature.event = of(&operation.events);
                signature.line = of(&operation.lines);
                let first = signature.response.clone();
                let successes = operation.successes.iter().map(|it| match it.is_first {
                    true => Some(first.clone()),
                    false => of(&it.name),
                });
                signature.successes = successes.collect();
                let errors = operation.error_bodies.iter();
                let errors = errors
                    .filter_map(|(status, name)| Some((status.clone(), of(&Some(name.clone()))?)));
                signature.errors = errors.collect();
                signature.item = of(&operation.paging.as_ref().map(|(_, item)| item.clone()));
                operations.push((operation, signature));
            }
            None => warnings.push(Diagnostic::of_file(
                &source.name,
                format!(
                    "left out {} {}: progenitor generated no function for it",
                    operation.method, operation.path
                ),
            )),
        }
    }
    let untyped = whole.as_ref().filter(|_| options.untyped).map(|description| {
        let walked = untyped::Walked {
            description,
            names: &normalized.names,
            operations: &operations,
            types: &decided.types,
        };
        untyped::of(source, &places, &normalized.origins, &walked)
    });
    let mut names: HashSet<_> = decided.types.iter().filter_map(name_of).collect();
    names.extend(normalized.enums.iter().map(|it| it.name.clone()));
    let emit::Calls { calls, types: own_types } = emit::calls(options.handle, &operations, names);
    let signatures = operations.iter().map(|(_, it)| it);
    let runtime = match options.by_tag {
        true => quote!(::podqueue_runtime as __runtime),
        false => quote!(super::__runtime),
    };
    let types = types::lenient(
        decided.types,
        &normalized.enums,
        &normalized.unions,
        &normalized.fields,
        signatures,
        &runtime,
    );
    let types = quote! {
        #[allow(unused_imports)]
        use ::std::prelude::v1::*;

        #types
    };
    let server_urls = server_url::emit(&server_urls, &operations);
    let handle = |methods: &[_]| {
        // The methods of committed code are in other modules.
        let field_visibility = options.by_tag.then(|| quote!(pub(super)));
        let handle = emit::emit(options.handle, &servers.base_path, methods, field_visibility);
        quote!(#handle #server_urls)
    };
    let foreign_servers: Vec<_> = servers.foreign.iter().map(|it| it.url.clone()).collect();
    let paged = operations.iter().filter_map(|(it, _)| {
        let (paging, _) = it.paging.as_ref()?;
        Some((it.keys.clone(), paging.json()))
    });
    let pages: BTreeMap<_, _> = paged.collect();
    let print = |tokens| print::file(&source.name, tokens);
    let mut generated = Generated { warnings, files, ..Generated::default() };
    let mut by_tag = Vec::new();
    if options.by_tag {
        let tags = operations.iter().map(|(operation, _)| operation.tag.as_deref());
        let mut described = whole.unwrap_or_default();
        if only.is_some() {
            described = normalize::without(described, &normalized.left_out);
        }
        prepare_for_fake(&mut described, &pages);
        let parts = files::Parts {
            name: options.handle,
            handle: handle(&[]),
            types,
            types_of_calls: own_types,
            description: &described,
            foreign_servers: &foreign_servers,
        };
        by_tag = match options.types_alone {
            true => files::types_alone(parts, print)?,
            false => files::by_tag(parts, tags.zip(calls), print)?,
        };
    } else {
        let handle = handle(&calls.iter().map(|it| &it.method).collect::<Vec<_>>());
        let builders = calls.iter().map(|it| &it.builder);
        let calls = print(quote!(#handle #(#builders)*))?;
        generated.types = print(quote! {
            /// Types of requests and responses.
            #[allow(dead_code, bindings_with_variant_name)]
            pub mod types {
                #types
            }
        })?;
        let own_types = print(quote!(mod types { #own_types }))?;
        generated.code = match options.types_alone {
            true => generated.types.clone(),
            false => format!("{}\n{calls}", with_more_items(&generated.types, &own_types)),
        };
    }
    let (untyped, unmatched) = (untyped.unwrap_or_default(), normalized.unmatched);
    Ok(Output { generated, by_tag, untyped, foreign_servers, pages, unmatched })
}

/// Makes a linked description that of the fake: it permits what calls may send, and states with its
/// operations how their pages follow each other.
pub(crate) fn prepare_for_fake(
    description: &mut serde_json::Value,
    pages: &BTreeMap<Vec<String>, serde_json::Value>,
) {
    normalize::permit_fractions(description);
    for (keys, stated) in pages {
        let operation = keys.iter().try_fold(&mut *description, |value, key| value.get_mut(key));
        if let Some(serde_json::Value::Object(operation)) = operation {
            operation.insert("x-podqueue-pages".to_owned(), stated.clone());
        }
    }
}

/// The text of a module to which the items of another one are added. The types that need a client,
/// those of errors and headers, are not among those that compile without one.
fn with_more_items(module: &str, other: &str) -> String {
    let items = other.split_once('\n').and_then(|(_, rest)| rest.trim_end().strip_suffix('}'));
    match (module.trim_end().strip_suffix('}'), items) {
        (Some(module), Some(items)) => format!("{module}{items}}}\n"),
        _ => module.to_owned(),
    }
}
