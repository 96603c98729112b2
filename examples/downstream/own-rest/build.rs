fn main() {
    podqueue_codegen::Build::new().rest("openapi").run();
}
