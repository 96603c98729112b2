fn main() {
    podqueue_codegen::Build::new().queries("queries").schema("schema.graphql").run();
}
