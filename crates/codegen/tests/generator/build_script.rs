//! Build scripts: the files that are read and written, and the directives for cargo.

use std::fs;
use std::path::PathBuf;

use podqueue_codegen::Build;

/// A separate folder for each test, removed on drop.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("podqueue-codegen-{}-{name}", std::process::id()));
        fs::create_dir_all(path.join("out")).unwrap();
        fs::create_dir_all(path.join("queries")).unwrap();
        fs::create_dir_all(path.join("schema")).unwrap();
        fs::create_dir_all(path.join("openapi")).unwrap();
        Self(path)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The directives, with this folder's name left out.
    pub fn directives(&self, build: &Build) -> (String, bool) {
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
fn podqueues_own_build_generates_its_interfaces() {
    let folder = Folder::new("own");
    folder.write("openapi/a.yaml", DESCRIPTION);
    folder.write("openapi/b.yaml", DESCRIPTION);
    folder.write("schema/a.graphql", SCHEMA);
    folder.write("queries/a.graphql", "query A { a }");
    let build = Build::new()
        .own_rest(folder.path("openapi/a.yaml"), "Rest")
        .own_rest(folder.path("openapi/b.yaml"), "Account")
        .operations(folder.path("schema"), folder.path("queries"));
    let (directives, failed) = folder.directives(&build);
    assert_eq!(
        directives,
        "cargo::rerun-if-changed=openapi/a.yaml\n\
         cargo::rerun-if-changed=openapi/b.yaml\n\
         cargo::rerun-if-changed=schema\n\
         cargo::rerun-if-changed=queries\n\
         cargo::metadata=schema=schema/a.graphql"
    );
    assert!(!failed);
    for (file, handle) in [("rest", "Rest"), ("account", "Account")] {
        let code = fs::read_to_string(folder.path(&format!("out/podqueue_{file}.rs"))).unwrap();
        assert!(code.contains("pub fn get_a"));
        assert!(code.contains(&format!("pub struct {handle} {{")));
    }
    assert!(fs::read_to_string(folder.path("out/graphql.rs")).unwrap().contains("pub struct A;"));
}

#[test]
fn a_users_build_may_have_its_own_schema() {
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
fn queries_without_podqueue_and_without_a_schema_are_refused() {
    let folder = Folder::new("no-schema");
    let (directives, failed) = folder.directives(&Build::new().queries(folder.path("queries")));
    assert!(failed);
    assert!(directives.ends_with(
        "cargo::error=Cargo.toml:1:1: these queries need podqueue's schema: add `podqueue` to the dependencies of this crate"
    ));
}

#[test]
fn all_errors_fail_one_build() {
    let folder = Folder::new("diagnostics");
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
fn unsupported_constructs_are_warnings_of_the_build() {
    let folder = Folder::new("warnings");
    folder.write(
        "openapi/a.yaml",
        "openapi: 3.0.0\npaths: {/a: {get: {requestBody: {required: true, content: {multipart/mixed: {}}}, responses: {}}}}",
    );
    let (directives, failed) = folder.directives(&Build::new().rest(folder.path("openapi")));
    assert!(!failed);
    assert!(directives.contains(
        "cargo::warning=openapi/a.yaml:2:14: left out GET /a: it takes multipart/mixed, which cannot be sent"
    ));
}

#[test]
fn a_description_may_be_in_several_files() {
    let folder = Folder::new("several");
    folder.write("openapi/whole.yaml", "openapi: 3.0.3\npaths: {/a: {$ref: 'parts/a.yaml#/a'}}");
    folder.write("openapi/parts/a.yaml", "a: {get: {operationId: readA, responses: {}}}");
    let (directives, failed) = folder.directives(&Build::new().rest(folder.path("openapi")));
    assert!(!failed && !directives.contains("cargo::warning"), "{directives}");
    let code = fs::read_to_string(folder.path("out/podqueue_rest_whole.rs")).unwrap();
    assert!(code.contains("pub fn read_a(&self)"));
}

#[test]
fn further_files_of_a_description_are_watched_and_named_in_errors() {
    let folder = Folder::new("further");
    let paths = "{/a: {$ref: 'parts/a.yaml'}, /b: {$ref: '../b.yaml#/b'}, /c: {$ref: 'c.yaml'}, \
                 /d: {$ref: 'https://example.com/d.yaml'}}";
    folder.write("openapi/whole.yaml", format!("openapi: 3.0.3\npaths: {paths}"));
    folder.write("openapi/parts/a.yaml", "get: {operationId: readA, responses: {}}");
    folder.write("b.yaml", "b: {get:\n  x: 'open}");
    let build = Build::new().rest(folder.path("openapi/whole.yaml"));
    let (directives, failed) = folder.directives(&build);
    assert!(!failed, "{directives}");
    for file in ["openapi/whole.yaml", "openapi/parts/a.yaml", "b.yaml", "openapi/c.yaml"] {
        let line = format!("cargo::rerun-if-changed={file}\n");
        assert!(directives.contains(&line), "{line} is not in\n{directives}");
    }
    let warnings: Vec<_> =
        directives.lines().filter_map(|line| line.strip_prefix("cargo::warning=")).collect();
    assert!(warnings[0].starts_with("b.yaml:2:"), "{warnings:?}");
    assert_eq!(warnings.len(), 4, "that, and three references that lead nowhere: {warnings:?}");
}

#[test]
fn files_that_the_build_script_writes_are_not_watched() {
    let folder = Folder::new("made");
    folder.write("out/a.yaml", DESCRIPTION);
    let (directives, failed) = folder.directives(&Build::new().rest(folder.path("out/a.yaml")));
    assert!(!failed, "{directives}");
    assert!(!directives.contains("rerun-if-changed"), "{directives}");
}

#[test]
fn several_descriptions_are_included_by_name() {
    let folder = Folder::new("named");
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    folder.write("openapi/a.yaml", DESCRIPTION);
    folder.write("more/pets/api.json", r#"{"openapi": "3.1.0", "paths": {}}"#);
    folder.write("more/shop/api.yaml", DESCRIPTION);
    folder.write("more/shop/part.yaml", "a: {type: string}");
    let build = Build::new().rest(folder.path("openapi"));
    let (directives, failed) = folder.directives(&build);
    assert!(!failed, "{directives}");
    let index = "cargo::rustc-env=PODQUEUE_REST=out/podqueue_include_rest.rs";
    assert!(directives.ends_with(index), "{directives}");
    let macros = read("out/podqueue_include_rest.rs");
    assert!(macros.contains("there is no description of the name"), "{macros}");
    assert!(macros.contains("; write include_rest!(\\\"a\\\")"), "{macros}");
    assert!(macros.contains("]) => { podqueue_rest! { [$($runtime)*] \"a\" } };"), "{macros}");

    let build = build.rest(folder.path("more"));
    let (directives, failed) = folder.directives(&build);
    assert!(!failed, "{directives}");
    for name in ["a", "pets", "shop"] {
        assert!(read(&format!("out/podqueue_rest_{name}.rs")).contains("pub struct Api {"));
    }
    let choice = read("out/podqueue_include_rest.rs");
    assert!(choice.contains("there are several descriptions; write one of"), "{choice}");

    let (directives, failed) = folder.directives(&build.rest(folder.path("openapi/a.yaml")));
    assert!(failed && directives.contains("would be called `openapi`"), "{directives}");
}

/// Names that are a word of Rust, that of a file which is always there, or one but for the case.
#[test]
fn any_file_name_is_a_name_of_a_description() {
    let folder = Folder::new("odd-names");
    for name in ["index", "type", "my api", "a.b", "Pets", "other/pets"] {
        folder.write(&format!("openapi/{name}.yaml"), DESCRIPTION);
    }
    let (directives, failed) = folder.directives(&Build::new().rest(folder.path("openapi")));
    assert!(!failed, "{directives}");
    let read = |name: &str| fs::read_to_string(folder.path(name)).unwrap();
    let choice = read("out/podqueue_include_rest.rs");
    for name in ["index", "type", "my api", "a.b", "openapi", "other"] {
        assert!(choice.contains(&format!(" {name:?}) => {{")), "{name}: {choice}");
        assert!(read(&format!("out/podqueue_rest_{name}.rs")).contains("pub struct Api {"));
    }
}

#[test]
fn a_missing_description_is_an_error_with_advice() {
    let folder = Folder::new("no-description");
    for (place, expected) in [
        ("openapi", "openapi:1:1: there is no OpenAPI description in this folder; put one there"),
        ("nowhere", "nowhere:1:1: this folder does not exist; put files that end in .yaml there"),
        ("a.yaml", "a.yaml:1:1: this file does not exist; put the OpenAPI description there"),
    ] {
        let (directives, failed) = folder.directives(&Build::new().rest(folder.path(place)));
        assert!(failed && directives.contains(expected), "{directives}");
    }
}

#[test]
fn unchanged_files_are_not_rewritten() {
    let folder = Folder::new("unchanged");
    folder.write("openapi/a.yaml", DESCRIPTION);
    let build = Build::new().rest(folder.path("openapi"));
    folder.directives(&build);
    let written = folder.path("out/podqueue_rest_a.rs");
    let long_ago =
        std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(&written).unwrap().set_modified(long_ago).unwrap();
    folder.directives(&build);
    assert_eq!(fs::metadata(&written).unwrap().modified().unwrap(), long_ago);
}

/// Folder layouts, and the resulting diagnostics.
#[test]
fn query_folders_may_be_empty_nested_missing_or_huge() {
    let odd = |name: &str, fill: &dyn Fn(&Folder)| {
        let folder = Folder::new(name);
        folder.write("schema/a.graphql", SCHEMA);
        fill(&folder);
        let build =
            Build::new().queries(folder.path("queries")).schema(folder.path("schema/a.graphql"));
        let (directives, failed) = folder.directives(&build);
        let said = directives.lines().filter(|line| !line.starts_with("cargo::rerun-if-changed="));
        (failed, said.collect::<Vec<_>>().join("\n"))
    };
    let fine = (false, String::new());
    let error = |text: &str| (true, format!("cargo::error={text}"));

    assert_eq!(odd("empty", &|_| ()), fine);
    assert_eq!(odd("nothing-of-ours", &|it| it.write("queries/README.md", "no query")), fine);
    assert_eq!(
        odd("missing", &|it| fs::remove_dir(it.path("queries")).unwrap()),
        error("queries:1:1: this folder does not exist; put files that end in .graphql there")
    );
    assert_eq!(
        odd("a-file", &|it| {
            fs::remove_dir(it.path("queries")).unwrap();
            it.write("queries", "query A { a }");
        }),
        error("queries:1:1: this folder cannot be read: Not a directory (os error 20)")
    );
    let nested = |it: &Folder| {
        for path in ["queries/one", "queries/two/deep", "queries/.hidden", "queries/dir.graphql"] {
            fs::create_dir_all(it.path(path)).unwrap();
        }
        it.write("queries/one/a.graphql", "query A { ...F }");
        it.write("queries/two/deep/a.graphql", "query B { ...F }");
        it.write("queries/two/f.gql", "fragment F on Query { a }");
        it.write("queries/.hidden/h.graphql", "not a query");
        it.write("queries/.#a.graphql", "not a query, but what an editor leaves behind");
        it.write("queries/dir.graphql/c.graphql", "query C { a }");
    };
    assert_eq!(odd("nested", &nested), fine);
    assert_eq!(
        odd("one-name", &|it| {
            fs::create_dir_all(it.path("queries/two")).unwrap();
            it.write("queries/a.graphql", "query A { a }");
            it.write("queries/two/a.graphql", "\nquery A { a }");
        }),
        error(
            "queries/two/a.graphql:2:1: the operation `A` is already defined: `A` at queries/a.graphql:1:1"
        )
    );
    assert_eq!(
        odd("case", &|it| {
            it.write("queries/Get.graphql", "query GetA { a }");
            it.write("queries/get.graphql", "query getA { a }");
        }),
        error(
            "queries/get.graphql:1:1: the operation `getA` is already defined: `GetA` at queries/Get.graphql:1:1"
        )
    );
    let many: String =
        (0..2000).map(|number| format!("query Q{number} {{ a b{number} }}\n")).collect();
    let (failed, said) = odd("huge", &|it| it.write("queries/huge.graphql", &many));
    assert!(failed);
    assert_eq!(said.lines().count(), 2000);
    let last = "queries/huge.graphql:2000:17: Cannot query field \"b1999\" on type \"Query\".";
    assert!(said.ends_with(last), "{:?}", said.lines().last());
}

#[cfg(unix)]
#[test]
fn links_are_followed_once() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    folder.write("schema/a.graphql", SCHEMA);
    folder.write("elsewhere.graphql", "query A { a }");
    symlink(folder.path("elsewhere.graphql"), folder.path("queries/linked.graphql")).unwrap();
    symlink(folder.path("queries"), folder.path("queries/itself")).unwrap();
    symlink(folder.path("nowhere"), folder.path("queries/broken.graphql")).unwrap();
    let build =
        Build::new().queries(folder.path("queries")).schema(folder.path("schema/a.graphql"));
    let (directives, failed) = folder.directives(&build);
    assert!(failed);
    let errors: Vec<_> = directives.lines().filter(|it| it.starts_with("cargo::error=")).collect();
    assert_eq!(
        errors,
        [
            "cargo::error=queries/broken.graphql:1:1: cannot be read: No such file or directory (os error 2)"
        ]
    );
    fs::remove_file(folder.path("queries/broken.graphql")).unwrap();
    let (directives, failed) = folder.directives(&build);
    assert!(!failed, "{directives}");
    assert!(directives.contains("cargo::rerun-if-changed=elsewhere.graphql"), "{directives}");
}
