//! What a build script reads, writes and tells cargo.

use std::fs;
use std::path::PathBuf;

use podqueue_codegen::Build;

/// A folder of its own for each test, gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("podqueue-codegen-{}-{name}", std::process::id()));
        fs::create_dir_all(path.join("out")).unwrap();
        fs::create_dir_all(path.join("queries")).unwrap();
        fs::create_dir_all(path.join("schema")).unwrap();
        fs::create_dir_all(path.join("openapi")).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The directives, with this folder's name left out.
    fn directives(&self, build: &Build) -> (String, bool) {
        let report = build.generate(&self.path("out"));
        let here = format!("{}/", self.0.display());
        (report.directives.join("\n").replace(&here, ""), report.failed)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

const SCHEMA: &str = "type Query { a: Int }";
const DESCRIPTION: &str =
    "openapi: 3.0.0\npaths: {/a: {get: {responses: {200: {description: A}}}}}";

#[test]
fn podqueues_own_build() {
    let folder = Folder::new("own");
    folder.write("openapi/a.yaml", DESCRIPTION);
    folder.write("schema/a.graphql", SCHEMA);
    folder.write("queries/a.graphql", "query A { a }");
    let build = Build::new()
        .rest(folder.path("openapi"))
        .operations(folder.path("schema"), folder.path("queries"));
    let (directives, failed) = folder.directives(&build);
    assert_eq!(
        directives,
        "cargo::rerun-if-changed=openapi\n\
         cargo::rerun-if-changed=schema\n\
         cargo::rerun-if-changed=queries\n\
         cargo::metadata=schema=schema/a.graphql"
    );
    assert!(!failed);
    assert!(fs::read_to_string(folder.path("out/rest.rs")).unwrap().contains("pub fn get_a"));
    assert!(fs::read_to_string(folder.path("out/graphql.rs")).unwrap().contains("pub struct A;"));
}

#[test]
fn a_users_build_with_a_schema_of_its_own() {
    let folder = Folder::new("user");
    folder.write("schema/a.graphql", SCHEMA);
    folder.write("queries/a.graphql", "query A { a }");
    let build =
        Build::new().queries(folder.path("queries")).schema(folder.path("schema/a.graphql"));
    let (directives, failed) = folder.directives(&build);
    assert_eq!(
        directives,
        "cargo::rerun-if-changed=queries\ncargo::rerun-if-changed=schema/a.graphql"
    );
    assert!(!failed);
    let code = fs::read_to_string(folder.path("out/podqueue_queries.rs")).unwrap();
    assert!(code.contains("pub struct A;") && code.contains("pub mod types {"));
}

#[test]
fn without_podqueue_there_is_no_schema() {
    let folder = Folder::new("no-schema");
    let (directives, failed) = folder.directives(&Build::new().queries(folder.path("queries")));
    assert!(failed);
    assert!(directives.ends_with(
        "cargo::error=Cargo.toml:1:1: these queries need podqueue's schema: add `podqueue` to the dependencies of this crate"
    ));
}

#[test]
fn mistakes_are_errors_of_the_build_all_at_once() {
    let folder = Folder::new("mistakes");
    folder.write("schema/a.graphql", SCHEMA);
    folder.write("queries/a.graphql", "query A {\n  b\n}");
    folder.write("queries/b.graphql", "query {\n  a\n}");
    folder.write("queries/c.graphql", b"# fine\nquery C { \xff }");
    folder.write("queries/notes.txt", "not a query");
    let build =
        Build::new().queries(folder.path("queries")).schema(folder.path("schema/a.graphql"));
    let (directives, failed) = folder.directives(&build);
    assert!(failed);
    let errors: Vec<_> =
        directives.lines().filter(|line| line.starts_with("cargo::error=")).collect();
    assert_eq!(
        errors,
        [
            "cargo::error=queries/a.graphql:2:3: Cannot query field \"b\" on type \"Query\".",
            "cargo::error=queries/b.graphql:1:1: this operation has no name; the Rust type is named like it: write `query Name { … }`",
            "cargo::error=queries/c.graphql:2:11: this file is not UTF-8",
        ]
    );
    assert!(!folder.path("out/podqueue_queries.rs").exists());
}

#[test]
fn what_was_left_out_is_a_warning_of_the_build() {
    let folder = Folder::new("warnings");
    folder.write(
        "openapi/a.yaml",
        "openapi: 3.0.0\npaths: {/a: {get: {responses: {200: {description: A, content: {text/csv: {}}}}}}}",
    );
    let (directives, failed) = folder.directives(&Build::new().rest(folder.path("openapi")));
    assert!(!failed);
    assert!(directives.ends_with(
        "cargo::warning=openapi/a.yaml:1:1: left out GET /a: it answers with text/csv, not with JSON"
    ));
}

#[test]
fn a_folder_of_descriptions_holds_one() {
    let folder = Folder::new("one");
    let build = Build::new().rest(folder.path("openapi"));
    let (directives, failed) = folder.directives(&build);
    assert!(
        failed
            && directives
                .ends_with("there must be one file here, but there is no .yaml, .yml, .json"),
        "{directives}"
    );
    folder.write("openapi/a.yaml", DESCRIPTION);
    folder.write("openapi/b.yaml", DESCRIPTION);
    let (directives, failed) = folder.directives(&build);
    assert!(
        failed
            && directives.ends_with(
                "there must be one file here, but there is more than one .yaml, .yml, .json"
            ),
        "{directives}"
    );
}

#[test]
fn what_did_not_change_is_not_written_again() {
    let folder = Folder::new("unchanged");
    folder.write("openapi/a.yaml", DESCRIPTION);
    let build = Build::new().rest(folder.path("openapi"));
    folder.directives(&build);
    let written = folder.path("out/rest.rs");
    let long_ago =
        std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&written).unwrap().set_modified(long_ago).unwrap();
    folder.directives(&build);
    assert_eq!(fs::metadata(&written).unwrap().modified().unwrap(), long_ago);
}
