//! Build script of the client: generates the REST calls from `openapi/`, and the GraphQL operations
//! from `schema/` and `queries/`, with `crates/codegen`.

fn main() {
    let mut build = podqueue_codegen::Build::new()
        .own_rest("openapi/podqueue.yaml", "Rest") // $OUT_DIR/podqueue_rest.rs, included by src/rest.rs
        .operations("schema", "queries"); // $OUT_DIR/graphql.rs, included by src/graphql.rs
    if std::env::var_os("CARGO_FEATURE_ACCOUNT").is_some() {
        // $OUT_DIR/podqueue_account.rs, included by src/account.rs
        build = build.own_rest("openapi/account.yaml", "Account");
    }
    build.run();
}
