//! Build script of the client: generates the REST calls from `openapi/`, and the GraphQL operations
//! from `schema/` and `queries/`, with `crates/codegen`.

fn main() {
    podqueue_codegen::Build::new()
        .own_rest("openapi") // $OUT_DIR/podqueue_rest.rs, included by src/rest.rs
        .operations("schema", "queries") // $OUT_DIR/graphql.rs, included by src/graphql.rs
        .run();
}
