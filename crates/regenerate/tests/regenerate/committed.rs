//! Committed code: written, compared, and called without a build script.

use std::path::Path;

use podqueue_codegen::Build;
use podqueue_regenerate::Committed;

use crate::support::{Checkout, Run, Service};

const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    get:
      operationId: listPets
      tags: [Pets & more, other]
      responses: {'200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}}
  /types:
    get:
      operationId: listTypes
      tags: [types]
      responses: {'200': {content: {application/json: {schema: {type: array, items: {enum: [cat, dog]}}}}}}
  /health:
    get: {operationId: health, responses: {'204': {description: Fine.}}}
components:
  schemas:
    Pet: {properties: {name: {type: string}, shop: {$ref: '#/components/schemas/Shop'}}}
    Shop: {properties: {name: {type: string}}}
";

const INTO: [&str; 3] = ["--into", "src/generated", "openapi"];

fn run(checkout: &Checkout, more: &[&str]) -> Run {
    checkout.run(&[&INTO, more].concat())
}

#[test]
fn a_file_is_written_for_each_tag_and_compared() {
    let checkout = Checkout::new("into").write("openapi/pet-shop.yaml", PETS);
    let missing = run(&checkout, &["--check"]);
    assert_eq!((missing.code, missing.err.as_str()), (1, ""));
    assert_eq!(missing.out.lines().count(), 6, "{}", missing.out);
    let expected = "src/generated/mod.rs:1:1: this file is missing; run podqueue-regenerate with \
                    the same arguments, without --check\n";
    assert!(missing.out.starts_with(expected), "{}", missing.out);

    let written = run(&checkout, &[]);
    assert_eq!(
        (written.code, written.out.as_str(), written.err.as_str()),
        (
            0,
            "written: src/generated/mod.rs\n\
             written: src/generated/pet_shop/mod.rs\n\
             written: src/generated/pet_shop/types.rs\n\
             written: src/generated/pet_shop/operations.rs\n\
             written: src/generated/pet_shop/pets_more.rs\n\
             written: src/generated/pet_shop/types_2.rs\n",
            ""
        )
    );
    let unchanged = run(&checkout, &[]);
    assert_eq!((unchanged.code, unchanged.out.as_str()), (0, ""));
    let same = run(&checkout, &["--check"]);
    assert_eq!((same.code, same.out.as_str()), (0, ""));

    // Line ends of Windows are no difference.
    let pets = "src/generated/pet_shop/pets_more.rs";
    let text = checkout.read(pets);
    let checkout = checkout.write(pets, &text.replace('\n', "\r\n"));
    assert_eq!(run(&checkout, &["--check"]).out, "");

    let edited = text.replacen("pub struct ListPets {", "pub struct ListPetz {", 1);
    let line = 1 + edited.lines().position(|it| it.contains("ListPetz")).unwrap();
    let types = checkout.read("src/generated/pet_shop/types.rs");
    let checkout = checkout
        .write(pets, &edited)
        .write("src/generated/pet_shop/old.rs", &types)
        .write("src/generated/pet_shop/mine.rs", "// Mine.\n")
        .write("src/generated/pet_shop/operations.rs", "fn mine() {}\n");
    let stale = run(&checkout, &["--check"]);
    assert_eq!(stale.code, 1);
    assert_eq!(
        stale.out.lines().collect::<Vec<_>>(),
        [
            "src/generated/pet_shop/operations.rs:1:1: this is not what the description generates now; run podqueue-regenerate with the same arguments, without --check".to_owned(),
            format!("{pets}:{line}:19: this is not what the description generates now; run podqueue-regenerate with the same arguments, without --check"),
            "src/generated/pet_shop/old.rs:1:1: this file is no longer generated; run podqueue-regenerate with the same arguments, without --check, or remove it".to_owned(),
        ]
    );
    let dry = run(&checkout, &["--dry-run"]);
    assert_eq!((dry.code, dry.out), (0, stale.out));

    let refused = run(&checkout, &[]);
    let expected = "podqueue-regenerate: src/generated/pet_shop/operations.rs:1:1: this file was \
                    not generated, and is not overwritten; remove it, or choose another folder\n";
    assert_eq!((refused.code, refused.err.as_str()), (3, expected));
    assert!(checkout.read(pets).contains("ListPetz"), "nothing is written");

    let first = text.lines().next().unwrap();
    let checkout = checkout.write("src/generated/pet_shop/operations.rs", first);
    // As an interrupted run leaves it.
    let checkout = checkout.write("src/generated/pet_shop/types.rs", "");
    let written = run(&checkout, &[]);
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(written.out.ends_with("removed: src/generated/pet_shop/old.rs\n"), "{}", written.out);
    assert!(checkout.has("src/generated/pet_shop/mine.rs"));
    assert_eq!(checkout.read(pets), text);
    assert!(checkout.read("src/generated/pet_shop/types.rs").starts_with(first));
}

#[test]
fn selected_operations_only_are_written() {
    let checkout = Checkout::new("into-only").write("openapi/pets.yaml", PETS);
    let written = run(&checkout, &["--only", "tag:types", "--only", "GET /health"]);
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(!checkout.has("src/generated/pets/pets_more.rs"));
    assert!(!checkout.read("src/generated/pets/types.rs").contains("Shop"));

    let refused = run(&checkout, &["--only", "listPetz"]);
    let expected = "podqueue-regenerate: openapi/pets.yaml:5:5: the selector \"listPetz\" selects \
                    no operation. Did you mean \"listPets\"?\n";
    assert_eq!((refused.code, refused.err.as_str()), (3, expected));
    let refused = checkout.run(&["--into", "a", "nowhere"]);
    assert_eq!((refused.code, refused.out.as_str()), (3, ""), "{}", refused.err);
    assert_eq!(checkout.run(&["--only", "x", "--rest", "y"]).code, 2);
    assert_eq!(checkout.run(&["--only", "x", "--graphql", "y"]).code, 2);
    assert_eq!(checkout.run(&["openapi"]).code, 2);
}

#[test]
fn files_of_another_output_below_the_folder_are_left() {
    let checkout = Checkout::new("into-here").write("openapi/pets.yaml", PETS);
    assert_eq!(run(&checkout, &[]).code, 0);
    let checkout = checkout.write("openapi/shop.yaml", PETS);
    let here = ["--into", ".", "openapi/shop.yaml"];
    let written = checkout.run(&here);
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(checkout.has("src/generated/pets/types.rs") && checkout.has("shop/types.rs"));
    // What the folder's own `mod.rs` declares is its own.
    let checkout = checkout.write("openapi/other.yaml", PETS);
    let other = checkout.run(&["--into", ".", "openapi/other.yaml", "--check"]);
    assert!(
        other.out.contains("shop/types.rs:1:1: this file is no longer generated"),
        "{}",
        other.out
    );
    let other = checkout.run(&["--into", ".", "openapi/other.yaml"]);
    assert!(other.out.contains("removed: ./shop/types.rs\n"), "{}", other.out);
    assert!(checkout.has("src/generated/pets/types.rs") && !checkout.has("shop"));
    assert_eq!(checkout.run(&["--into", ".", "openapi/other.yaml", "--check"]).out, "");
}

#[test]
fn an_output_within_another_one_is_refused() {
    let checkout = Checkout::new("into-nested").write("openapi/pets.yaml", PETS);
    assert_eq!(run(&checkout, &[]).code, 0);
    let before = checkout.read("src/generated/pets/mod.rs");
    let within = checkout.run(&["--into", "src/generated/pets", "openapi"]);
    let refused = |file: &str| {
        format!(
            "podqueue-regenerate: {file}:1:1: this file is of another output, whose folder this one \
             is within or around, and is not overwritten; choose another folder\n"
        )
    };
    assert_eq!((within.code, within.err), (3, refused("src/generated/pets/mod.rs")));
    assert_eq!(checkout.read("src/generated/pets/mod.rs"), before);
    assert_eq!(checkout.run(&["--into", "src/other/pets", "openapi"]).code, 0);
    let around = checkout.run(&["--into", "src/other", "openapi"]);
    assert_eq!((around.code, around.err), (3, refused("src/other/pets/mod.rs")));
    assert!(!checkout.has("src/other/mod.rs"), "nothing is written");
}

#[test]
fn no_file_has_the_name_of_a_device() {
    let description = PETS.replace("tags: [types]", "tags: [CON]");
    let checkout = Checkout::new("into-devices").write("openapi/aux.yaml", &description);
    let written = run(&checkout, &[]);
    assert_eq!(written.code, 0, "{}", written.err);
    assert!(checkout.has("src/generated/aux_2/con_2.rs"), "{}", written.out);
    assert!(checkout.read("src/generated/aux_2/mod.rs").contains("mod con_2;"));
}

#[test]
fn runs_at_once_write_whole_files() {
    let checkout = Checkout::new("into-at-once").write("openapi/pets.yaml", PETS);
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| run(&checkout, &[]))).collect();
        for run in runs {
            let run = run.join().unwrap();
            assert_eq!((run.code, run.err.as_str()), (0, ""));
        }
    });
    assert_eq!(run(&checkout, &["--check"]).out, "");
}

/// Many times, so that they meet in all steps: files that both have, that one removes, and that the
/// other one has meanwhile written.
#[test]
fn runs_at_once_with_other_settings_leave_the_files_of_one_of_them() {
    let checkout = Checkout::new("into-at-once-mixed").write("openapi/pets.yaml", PETS);
    let (openapi, folder) = (checkout.path("openapi"), checkout.path("src/generated"));
    let generate = |build| Committed::generate(&build, &folder).unwrap();
    let build = || Build::new().rest(&openapi);
    let all = [
        generate(build()),
        generate(build().only(["listPets"])),
        generate(build().only(["tag:types", "health"])),
    ];
    for _ in 0..30 {
        std::thread::scope(|scope| {
            let runs: Vec<_> = all.iter().map(|it| scope.spawn(|| it.write())).collect();
            runs.into_iter().for_each(|run| drop(run.join().unwrap().unwrap()));
        });
        let found = all.each_ref().map(|it| it.differences().unwrap());
        assert!(found.iter().any(Vec::is_empty), "{found:?}");
    }
}

#[test]
fn what_a_build_script_states_are_options() {
    let description = PETS.replace(
        "Shop: {properties: {name: {type: string}}}",
        "Shop: {properties: {id: {type: string, format: uuid}, born: {type: string, format: date}}}",
    );
    let description = description.replace(
        "      tags: [Pets & more, other]\n",
        "      tags: [Pets & more, other]\n      parameters: [{name: skip, in: query, schema: {type: integer}}]\n",
    );
    let checkout = Checkout::new("into-options").write("openapi/pets.yaml", &description);
    let stated = ["--pages", "listPets=offset(skip)", "--dates", "time", "--uuids"];
    let written = run(&checkout, &stated);
    assert_eq!(written.code, 0, "{}", written.err);
    let types = checkout.read("src/generated/pets/types.rs");
    assert!(types.contains("time::Date") && types.contains("uuid::Uuid"), "{types}");
    assert!(checkout.read("src/generated/pets/pets_more.rs").contains("pub fn items(self)"));
    assert_eq!(run(&checkout, &[&stated[..], &["--check"]].concat()).code, 0);

    let refused = run(&checkout, &["--pages", "listPets=cursor(from, next)"]);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("openapi/pets.yaml:5:5: the pages"), "{}", refused.err);
    let twice = ["--pages", "listPets=offset(skip)", "--pages", "GET /pets=none()"];
    let twice = run(&checkout, &twice);
    assert_eq!(twice.code, 3);
    assert!(twice.err.contains("the pages that are stated for \"GET /pets\""), "{}", twice.err);
    let wrong = run(&checkout, &["--pages", "listPets=curser(from, next)"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("states no pages: write one of link_header()"), "{}", wrong.err);

    let alone = run(&checkout, &["--types-alone"]);
    assert_eq!(alone.code, 0, "{}", alone.err);
    assert!(alone.out.contains("removed: src/generated/pets/pets_more.rs\n"), "{}", alone.out);
    let root = checkout.read("src/generated/pets/mod.rs");
    assert!(root.contains("pub mod types;") && !root.contains("Api"), "{root}");
}

/// The module is part of these tests, so it compiles without warnings beside the runtime alone.
#[test]
fn committed_code_is_what_the_description_generates() {
    let checkout = Checkout::new("into-crate").write("openapi/pets.yaml", PETS);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regenerate/generated");
    let mut into = vec!["--into", folder.to_str().unwrap(), "openapi"];
    if std::env::var_os("UPDATE_SNAPSHOTS").is_none() {
        into.push("--check");
    }
    let run = checkout.run(&into);
    assert_eq!(run.code, 0, "`UPDATE_SNAPSHOTS=1` accepts what is generated now:\n{}", run.out);
    let service = Service::answering(&[(200, r#"[{"name": "Rex"}]"#)]);
    let pets = crate::generated::pets::Api::new(
        &podqueue_runtime::Service::builder(&service.url).build().unwrap(),
    );
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listed = runtime.block_on(pets.list_pets().into_future()).unwrap();
    assert_eq!(listed[0].name.as_deref(), Some("Rex"));
}

#[test]
fn values_that_stay_any_json_are_reported() {
    let description =
        PETS.replace("name: {type: string}, shop", "name: {}, tags: {type: array}, shop");
    let checkout = Checkout::new("report").write("openapi/pets.yaml", &description);
    let report = checkout.run(&["--report"]);
    let expected = "openapi/pets.yaml:18:24: `Pet::name` is `Option<Value>`: no schema\n\
                    openapi/pets.yaml:18:34: `Pet::tags` is `Vec<Value>`: a list whose items have no schema\n\
                    fields: 6, typed: 4, untyped: 2\n";
    assert_eq!((report.code, report.out.as_str(), report.err.as_str()), (0, expected, ""));
    let selected = checkout.run(&["--report", "--only", "tag:types", "openapi/pets.yaml"]);
    assert_eq!(selected.out, "fields: 1, typed: 1, untyped: 0\n");
    let unknown = checkout.run(&["--report", "--only", "tag:type"]);
    assert_eq!((unknown.code, unknown.out.as_str()), (3, ""));
    assert!(unknown.err.contains("Did you mean"), "{}", unknown.err);
    assert_eq!(checkout.run(&["--report", "--check"]).code, 2);
}
