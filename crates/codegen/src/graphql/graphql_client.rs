//! Adapter of graphql_client: the types of an operation, as it generates them.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use graphql_client_codegen::deprecation::DeprecationStrategy;
use graphql_client_codegen::normalization::Normalization;
use graphql_client_codegen::{
    CodegenMode, GraphQLClientCodegenOptions, generate_module_token_stream_from_string,
};
use syn::{Item, parse_quote};

use super::schema::Schema;
use crate::panic_guard;

/// A file with the schema, for graphql_client takes a path only; it is deleted on drop.
pub(crate) struct GraphqlClient {
    schema: PathBuf,
    enums: Vec<String>,
}

impl GraphqlClient {
    pub(crate) fn new(schema: &Schema) -> Result<Self, String> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let enums = schema.enums().iter().map(|item| schema.client_name(&item.name)).collect();
        let text = schema.text_for_types();
        let folder = std::env::var_os("OUT_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
        loop {
            // graphql_client caches schemas by path, so each needs its own.
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("podqueue-schema-{}-{number}.graphql", std::process::id());
            let path = folder.join(name);
            let file = OpenOptions::new().write(true).create_new(true).open(&path);
            match file.and_then(|mut file| file.write_all(text.as_bytes())) {
                Ok(()) => return Ok(Self { schema: path, enums }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("cannot write {}: {error}", path.display())),
            }
        }
    }

    /// The items of the module of a document's single operation.
    pub(crate) fn items(&self, document: &str) -> Result<Vec<Item>, String> {
        let tokens = panic_guard::catch(|| {
            generate_module_token_stream_from_string(document, &self.schema, self.options())
                .map_err(|error| error.to_string())
        })
        .map_err(|panic| format!("no types can be made of this operation: {panic}"))??;
        let file: syn::File = syn::parse2(tokens)
            .map_err(|error| format!("the types made of this operation do not parse: {error}"))?;
        Ok(file
            .items
            .into_iter()
            .find_map(|item| match item {
                Item::Mod(module) => module.content.map(|(_, items)| items),
                _ => None,
            })
            .unwrap_or_default())
    }

    fn options(&self) -> GraphQLClientCodegenOptions {
        let mut options = GraphQLClientCodegenOptions::new(CodegenMode::Cli);
        options.set_module_visibility(parse_quote!(pub));
        options.set_normalization(Normalization::Rust);
        options.set_skip_serializing_none(true);
        options.set_serde_path(parse_quote!(__runtime::__private::serde));
        options.set_custom_scalars_module(parse_quote!(super::types));
        options.set_variables_derives("Clone,Debug,PartialEq".to_owned());
        options.set_response_derives("Serialize,Clone,Debug,PartialEq".to_owned());
        options.set_deprecation_strategy(DeprecationStrategy::Warn);
        // `types` generates enums once for all operations.
        options.set_extern_enums(self.enums.clone());
        // A type that is later added to a union is read as `Unknown`.
        options.set_fragments_other_variant(true);
        options
    }

    #[cfg(test)]
    fn path(&self) -> &Path {
        &self.schema
    }
}

impl Drop for GraphqlClient {
    fn drop(&mut self) {
        // If this fails, a file remains in a folder for temporary files.
        let _ = fs::remove_file(AsRef::<Path>::as_ref(&self.schema));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    #[test]
    fn the_schema_file_is_deleted_on_drop() {
        let schema = Schema::parse(&Source::new("s.graphql", "type Query { a: Int }"))
            .expect("the schema parses");
        let client = GraphqlClient::new(&schema).expect("the file can be written");
        let path = client.path().to_owned();
        assert!(path.exists());
        drop(client);
        assert!(!path.exists());
    }
}
