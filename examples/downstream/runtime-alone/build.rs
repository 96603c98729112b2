//! Generates the calls of the descriptions in `openapi/`.

fn main() {
    podqueue_codegen::Build::new().rest("openapi").run();
}
