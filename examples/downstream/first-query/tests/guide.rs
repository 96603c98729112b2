//! Comparison of this crate with `docs/guide/own-queries.md`, and a run of its program.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

use std::path::Path;
use std::process::Command;

use podqueue_local::LocalService;

fn here(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn the_guide_shows_these_files() {
    let guide = here("../../../docs/guide/own-queries.md");
    for name in ["build.rs", "queries/keep.graphql", "src/main.rs"] {
        assert!(guide.contains(&here(name)), "the guide does not show {name} as it is");
    }
    // The manifest names versions where this one names paths.
    let manifest = here("Cargo.toml");
    for line in ["[dependencies]", "[build-dependencies]", "tokio = "] {
        let line = manifest.lines().find(|it| it.starts_with(line)).unwrap();
        assert!(guide.contains(line), "the guide lacks {line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_works() {
    let local = LocalService::builder().api_key("local").start().await.unwrap();
    let program = || {
        Command::new(env!("CARGO_BIN_EXE_first-query"))
            .env("PODQUEUE_API_KEY", "local")
            .env("PODQUEUE_GRAPHQL_URL", local.graphql_url())
            .output()
            .unwrap()
    };
    let output = tokio::task::block_in_place(program);
    let said = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("saved as Some(\""), "{said}{error}");
}
