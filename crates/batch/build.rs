//! Generates the types and calls of the Batch API, for the feature `serve`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "serve")]
    podqueue_codegen::Build::new().rest("openapi").run();
}
