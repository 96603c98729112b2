//! Generates the REST calls from `openapi/` and the GraphQL operations from `schema/` and
//! `queries/`. All that is to know about how is in `crates/codegen`.

fn main() {
    podqueue_codegen::Build::new()
        .own_rest("openapi") // $OUT_DIR/podqueue_rest.rs, brought in by src/rest.rs
        .operations("schema", "queries") // $OUT_DIR/graphql.rs, brought in by src/graphql.rs
        .run();
}
