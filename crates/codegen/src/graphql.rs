//! GraphQL generator: a schema and files of queries are parsed, validated, given types by
//! graphql_client, and emitted as typed operations.

mod docs;
pub(crate) mod document;
mod flatten;
mod folder;
mod graphql_client;
mod inputs;
mod module;
mod operation;
mod options;
mod positions;
mod rewrite;
pub(crate) mod schema;
mod sdl;
mod shapes;
mod text;
mod types;
mod validate;

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

pub use self::options::{Options, SharedTypes};
use crate::{Diagnostic, Generated, Source, print};

/// Generates operations from a schema and the files that use it. The schema is SDL, or the result
/// of an introspection query if its name ends in `.json`.
///
/// ```
/// use podqueue_codegen::Source;
/// use podqueue_codegen::graphql::{self, SharedTypes};
///
/// # fn main() -> Result<(), Vec<podqueue_codegen::Diagnostic>> {
/// let schema = Source::new("schema.graphql", "type Query { version: String }");
/// let query = Source::new("version.graphql", "query Version { version }");
/// let generated = graphql::generate(&schema, &[query], SharedTypes::Here)?;
/// assert!(generated.code.contains("pub struct Version;"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// All errors in all files, each with its line and column. One error is enough for nothing to be
/// generated.
pub fn generate(
    schema: &Source,
    files: &[Source],
    options: impl Into<Options>,
) -> Result<Generated, Vec<Diagnostic>> {
    let options = options.into();
    let schema = &normalize_lines(schema);
    let files: Vec<_> = files.iter().map(normalize_lines).collect();
    let schema_name = &schema.name;
    let in_schema = |message: String| vec![Diagnostic::of_file(schema_name, message)];
    let schema = Source::new(schema_name, text::decoded(&schema.text));
    let schema = schema::Schema::parse(&schema)?;
    let (operations, warnings) = validate::operations(&schema, &files)?;
    let graphql_client = graphql_client::GraphqlClient::new(&schema).map_err(in_schema)?;
    let types = types::Types::generate(&schema, &options).map_err(in_schema)?;
    let shapes = shapes::Shapes::new(&schema);
    let context = module::Context {
        schema: &schema,
        graphql_client: &graphql_client,
        types: &types,
        shapes: &shapes,
    };
    let mut diagnostics = Vec::new();
    let mut modules = TokenStream::new();
    let mut used = BTreeSet::new();
    for operation in &operations {
        match context.operation(operation) {
            Ok((tokens, mentioned)) => {
                modules.extend(tokens);
                used.extend(mentioned);
            }
            Err(message) => diagnostics.push(Diagnostic::new(
                &operation.file,
                operation.position.line,
                operation.position.column,
                message,
            )),
        }
    }
    if !diagnostics.is_empty() {
        diagnostics.sort();
        return Err(diagnostics);
    }
    let (unused, unused_item) = (module::may_go_unused(), module::item_may_go_unused());
    let shared = match options.shared {
        SharedTypes::Here | SharedTypes::All => {
            let used = match options.shared {
                SharedTypes::All => types.names.clone(),
                _ => types.held_by(used),
            };
            let (types, shapes) = (types.emit(&used), shapes.emit(&used));
            quote! {
                /// Input objects, enums and scalars, which all operations share.
                #unused
                pub mod types {
                    use super::__runtime;
                    #types
                }

                /// Literal shapes of input types.
                #[doc(hidden)]
                #unused
                pub mod shapes {
                    use super::__runtime;
                    #shapes
                }
            }
        }
        SharedTypes::OfPodqueue => quote! {
            #[doc(no_inline)]
            #unused_item
            pub use __runtime::graphql::types;

            #[doc(hidden)]
            #unused_item
            pub use __runtime::graphql::shapes;
        },
    };
    let code = print::file(schema_name, quote!(#shared #modules)).map_err(|it| vec![it])?;
    Ok(Generated { code, warnings, ..Generated::default() })
}

/// Normalizes line ends and removes a byte order mark, which the parser counts wrongly: it takes CR
/// LF for two line ends, does not know a lone CR, and counts the mark as a column.
fn normalize_lines(source: &Source) -> Source {
    let text = source.text.strip_prefix('\u{feff}').unwrap_or(&source.text);
    Source::new(&source.name, text.replace("\r\n", "\n").replace('\r', "\n"))
}
