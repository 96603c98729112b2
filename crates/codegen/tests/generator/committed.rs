//! Committed code: the layout of its files.

use std::fs;
use std::path::{Path, PathBuf};

use podqueue_codegen::__private::committed;
use podqueue_codegen::Build;

use crate::build_script::Folder;

const SHOP: &str = "openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example/v1}]
paths:
  /pets:
    get:
      operationId: listPets
      tags: [Pets]
      responses:
        '200': {description: All., headers: {X-Total: {schema: {type: integer}}}, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}
        '404': {description: None., content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}
        '409': {description: Some., content: {application/json: {schema: {type: string}}}}
  /files:
    servers: [{url: https://files.example/}]
    get: {operationId: listFiles, tags: [api], responses: {'204': {description: \"Fine \u{202e} \\\"#.\"}}}
components:
  schemas:
    Pet: {type: object, required: [tags], properties: {tags: {type: array, items: {type: string}}}}
    Problem: {type: object, properties: {title: {type: string}}}
";

/// The text of a file of the folder `shop`.
fn file<'a>(files: &'a [(PathBuf, String)], name: &str) -> &'a str {
    let found = files.iter().find(|(path, _)| path.ends_with(name));
    found.map_or_else(|| panic!("{name} is not written"), |(_, text)| text)
}

#[test]
fn files_use_each_other_in_one_direction() {
    let folder = Folder::new("committed");
    folder.write("openapi/shop.yaml", SHOP);
    let made = committed(&Build::new().rest(folder.path("openapi/shop.yaml"))).unwrap();
    let names: Vec<_> = made.files.iter().map(|(path, _)| path.display().to_string()).collect();
    let expected = ["mod.rs", "shop/mod.rs", "shop/types.rs", "shop/api_2.rs", "shop/pets.rs"];
    assert_eq!(names, expected);
    // The root re-exports, the tags use the handle and the types, and these use nothing.
    for (name, used) in [("shop/types.rs", vec![]), ("shop/pets.rs", vec!["api::Api", "types"])] {
        let lines = file(&made.files, name).lines();
        let found = lines.filter_map(|it| it.trim().strip_prefix("use super::")?.strip_suffix(';'));
        assert_eq!(found.collect::<Vec<_>>(), used, "{name}");
    }
    assert!(file(&made.files, "shop/mod.rs").contains("    pub use self::api::*;"));
}

#[test]
fn the_name_of_a_file_is_bounded() {
    let folder = Folder::new("committed-long");
    folder.write("openapi/shop.yaml", &SHOP.replace("[Pets]", &format!("[{}]", "ä".repeat(300))));
    let made = committed(&Build::new().rest(folder.path("openapi/shop.yaml"))).unwrap();
    let longest = made.files.iter().map(|(path, _)| path.file_name().unwrap().len()).max();
    assert_eq!(longest, Some(103));
}

#[test]
fn the_file_of_a_module_that_is_not_ascii_is_named() {
    let folder = Folder::new("committed-not-ascii");
    folder.write("openapi/läden.yaml", &SHOP.replace("[Pets]", "[Aufträge]"));
    let made = committed(&Build::new().rest(folder.path("openapi/läden.yaml"))).unwrap();
    let root = file(&made.files, "mod.rs");
    assert!(root.contains("#[path = \"läden/mod.rs\"]\npub mod läden;\n"), "{root}");
    let shop = file(&made.files, "läden/mod.rs");
    assert!(shop.contains("    #[path = \"aufträge.rs\"]\n    mod aufträge;\n"), "{shop}");
    assert!(shop.contains("    mod api_2;\n") && !shop.contains("api_2.rs"), "{shop}");
    file(&made.files, "läden/aufträge.rs");
}

#[test]
fn types_need_no_client_and_the_handle_has_a_fake() {
    let folder = Folder::new("committed-features");
    folder.write("openapi/shop.yaml", SHOP);
    let made = committed(&Build::new().rest(folder.path("openapi/shop.yaml"))).unwrap();
    let types = file(&made.files, "shop/types.rs");
    let (alone, of_client) =
        types.split_once("::podqueue_runtime::__private::when_client! {").unwrap();
    assert!(
        alone.contains("pub struct Pet {") && alone.contains("pub struct Problem {"),
        "{types}"
    );
    for name in ["pub enum ListPetsError", "pub struct ListPetsHeaders"] {
        assert!(of_client.contains(name) && !alone.contains(name), "{types}");
    }
    let root = file(&made.files, "shop/mod.rs");
    let (alone, rest) = root.split_once("::podqueue_runtime::__private::when_client! {").unwrap();
    assert!(alone.contains("pub mod types;") && !alone.contains("mod pets;"), "{root}");
    let (_, fake) = rest.split_once("::podqueue_runtime::__private::when_fake! {").unwrap();
    assert!(fake.contains(r#"&["https://files.example"]"#), "{fake}");
    // In a raw string, which ends at its own number of signs.
    let (_, text) = fake.split_once("const DESCRIPTION: &str = r##\"").unwrap();
    let (text, _) = text.split_once("\"##;").unwrap();
    assert!(text.contains(r##""description": "Fine \u202e \"#.""##), "{text}");
    let described: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(described["paths"].as_object().unwrap().len(), 2);
}

#[test]
fn the_fake_of_a_selection_has_what_is_selected() {
    let folder = Folder::new("committed-selection");
    folder.write("openapi/shop.yaml", SHOP);
    let made = committed(&Build::new().rest(folder.path("openapi/shop.yaml")).only(["listFiles"]))
        .unwrap();
    let root = file(&made.files, "shop/mod.rs");
    assert!(!root.contains("listPets") && root.contains("listFiles"), "{root}");
    assert!(root.contains(r#""url": "https://shop.example/v1""#), "{root}");
}

/// The example of committed code is what is generated now.
#[test]
fn the_committed_example_is_current() {
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/downstream/committed-rest");
    let made = committed(&Build::new().rest(example.join("openapi"))).unwrap();
    for (name, text) in &made.files {
        let there =
            fs::read_to_string(example.join("src/generated").join(name)).unwrap_or_default();
        let again = "run `podqueue-regenerate --into src/generated openapi` in committed-rest";
        assert!(there == *text, "{} is stale; {again}", name.display());
    }
}
