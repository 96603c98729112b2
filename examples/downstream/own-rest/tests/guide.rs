//! Comparison of this crate with `docs/guide/own-rest.md`, and a run of its program.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect shall fail")]

mod server;

use std::path::Path;
use std::process::Command;

use server::Server;

fn here(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

#[test]
fn the_guide_shows_these_files() {
    let guide = here("../../../docs/guide/own-rest.md");
    for name in ["build.rs", "src/main.rs"] {
        assert!(guide.contains(&here(name)), "the guide does not show {name} as it is");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_works() {
    const PICTURES: &str = r#"[{"id": "a", "title": "Dawn"}]"#;
    let server = Server::start(&[(200, "application/json", PICTURES)]).await;
    let program = || {
        Command::new(env!("CARGO_BIN_EXE_own-rest"))
            .env("PODQUEUE_API_KEY", "key")
            .env("GALLERY_KEY", "of-the-gallery")
            .env("GALLERY_URL", &server.url)
            .output()
            .unwrap()
    };
    let output = tokio::task::block_in_place(program);
    let said = String::from_utf8(output.stdout).unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "Some(\"a\"): Some(\"Dawn\")\n", "{error}");
    assert_eq!(server.told(), [("GET /v2/pictures?tags=sea&limit=10".to_owned(), String::new())]);
}
