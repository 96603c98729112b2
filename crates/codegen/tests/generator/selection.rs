//! Selection of operations in build scripts: what is generated, and what is refused.

use std::fs;

use podqueue_codegen::Build;

use crate::build_script::Folder;
use crate::support::item;

const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
servers: [{url: https://pets.example/v1}]
security: [{token: []}]
paths:
  /pets:
    get:
      operationId: listPets
      tags: [Pets]
      parameters: [{$ref: '#/components/parameters/Limit'}]
      responses:
        '200': {$ref: '#/components/responses/Pets'}
    post:
      operationId: savePet
      tags: [Pets, All sorts of]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}}
      responses: {'204': {description: Saved.}}
      callbacks:
        saved: {'{$request.body#/url}': {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Event'}}}}, responses: {}}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: string}}]
    get:
      tags: [Pets]
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
    delete:
      operationId: list_pets
      responses: {'204': {description: Deleted.}}
  /shops:
    get:
      operationId: listShops
      parameters: [{name: broken, in: cookie, schema: {type: string}}]
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Shop'}}}}
    put:
      operationId: sendXml
      requestBody: {required: true, content: {application/x-unknown: {schema: {type: object}}}}
      responses:
        '200': {$ref: '#/paths/~1pets~1{petId}/get/responses/200'}
webhooks:
  saved: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Event'}}}}, responses: {}}}
components:
  securitySchemes: {token: {type: http, scheme: bearer}}
  parameters:
    Limit: {name: limit, in: query, schema: {$ref: '#/components/schemas/Limit'}}
  responses:
    Pets: {description: All., content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}
  schemas:
    Limit: {type: integer, default: x}
    Pet:
      required: [kind]
      properties: {kind: {type: string}, owner: {$ref: '#/components/schemas/own-er'}}
      discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}}
    Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {lives: {type: integer}}}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {toy: {$ref: '#/components/schemas/Toy'}}}]}
    Toy: {properties: {name: {type: string}}}
    NewPet: {properties: {name: {type: string}}}
    own-er: {properties: {name: {type: string}}}
    own_er: {properties: {age: {type: integer}}}
    Shop: {properties: {name: {type: string, default: 3}, owner: {$ref: '#/components/schemas/own_er'}}}
    Event: {properties: {at: {type: string}}}
";

/// The directives and the code of a build of [`PETS`].
fn build(name: &str, only: Option<&[&str]>) -> (String, Result<String, ()>) {
    let folder = Folder::new(name);
    folder.write("openapi/pets.yaml", PETS);
    let build = Build::new().rest(folder.path("openapi"));
    let build = only.iter().fold(build, |build, only| build.only(only.iter().copied()));
    let (directives, failed) = folder.directives(&build);
    let code = fs::read_to_string(folder.path("out/podqueue_rest_pets.rs"));
    assert_eq!(failed, code.is_err(), "{directives}");
    (directives, code.map_err(drop))
}

/// The names of the functions of the handle, and of the types.
fn names(code: &str) -> (Vec<&str>, Vec<&str>) {
    let calls = item(code, "impl Api {").lines();
    let calls = calls.filter_map(|line| line.strip_prefix("    pub fn ")?.split('(').next());
    let types = item(code, "pub mod types {").lines();
    let types = types.filter_map(|line| {
        let line = line.strip_prefix("    pub ")?;
        let name = line.strip_prefix("struct ").or_else(|| line.strip_prefix("enum "))?;
        name.split([' ', '{', '<', ';']).next()
    });
    (calls.filter(|it| !["new", "at"].contains(it)).collect(), types.collect())
}

fn errors(directives: &str) -> Vec<&str> {
    directives.lines().filter_map(|it| it.strip_prefix("cargo::error=openapi/pets.yaml:")).collect()
}

#[test]
fn each_selector_selects_its_operations_and_the_closure_of_their_types() {
    let pet = ["Cat", "Dog", "OwnEr2", "Pet", "Toy"];
    for (number, (selector, calls, types)) in [
        ("GET /pets", vec!["list_pets_2"], pet.to_vec()),
        ("get  /pets/{petId}", vec!["get_pets_pet_id"], pet.to_vec()),
        ("get_pets_pet_id", vec!["get_pets_pet_id"], pet.to_vec()),
        ("listPets", vec!["list_pets_2"], pet.to_vec()),
        ("list_pets", vec!["list_pets"], vec![]),
        ("tag:Pets", vec!["get_pets_pet_id", "list_pets_2", "save_pet"], {
            vec!["Cat", "Dog", "NewPet", "OwnEr2", "Pet", "Toy"]
        }),
        ("tag:All sorts of", vec!["save_pet"], vec!["NewPet"]),
        ("listShops", vec!["list_shops"], vec!["OwnEr", "Shop"]),
    ]
    .into_iter()
    .enumerate()
    {
        let (directives, code) = build(&format!("selector-{number}"), Some(&[selector]));
        let code = code.unwrap();
        let (found_calls, mut found_types) = names(&code);
        found_types.sort_unstable();
        assert_eq!((found_calls, found_types), (calls, types), "{selector}: {directives}");
    }
}

#[test]
fn selected_operations_are_as_in_the_whole_output() {
    let (warnings, whole) = build("whole", None);
    let (found, part) = build("part", Some(&["tag:Pets", "listPets", "tag:Pets"]));
    let (whole, part) = (whole.unwrap(), part.unwrap());
    for name in names(&part).0 {
        let function = format!("pub fn {name}(");
        assert_eq!(item(&part, &function), item(&whole, &function));
    }
    for name in ["GetPetsPetId", "ListPets2", "SavePet"] {
        for start in [format!("pub struct {name} {{"), format!("impl {name} {{")] {
            assert_eq!(item(&part, &start), item(&whole, &start));
        }
    }
    for name in names(&part).1 {
        let start = |code: &str| {
            let starts = [format!("pub struct {name} {{"), format!("pub enum {name} {{")];
            starts.into_iter().find(|it| code.contains(it.as_str())).unwrap()
        };
        assert_eq!(item(&part, &start(&part)), item(&whole, &start(&whole)));
    }
    assert!(warnings.contains("GET /shops: ") && warnings.contains("1 more like it"), "{warnings}");
    let warnings: Vec<_> = found.lines().filter(|it| it.contains("::warning")).collect();
    assert_eq!(warnings.len(), 1, "the default of Limit: {found}");
    assert!(part.contains("`/v1` is added"), "{part}");
}

#[test]
fn each_unknown_selector_is_one_error_with_a_suggestion() {
    let (directives, _) = build(
        "unknown",
        Some(&[
            "listPets",
            "listPetz",
            "tag:pets",
            "GET /pets/{id}",
            "PATCH /pets/{id}",
            "/pets",
            "Pets",
            "GET /nothing/like/it",
            "",
        ]),
    );
    assert_eq!(
        errors(&directives),
        [
            "7:5: the selector \"listPetz\" selects no operation. Did you mean \"listPets\"?",
            "7:5: the selector \"tag:pets\" selects no operation. Did you mean \"tag:Pets\"?",
            "22:5: the selector \"GET /pets/{id}\" selects no operation. Did you mean \"GET /pets/{petId}\"?",
            "22:5: the selector \"PATCH /pets/{id}\" selects no operation. Did you mean \"GET /pets/{petId}\"?",
            "7:5: the selector \"/pets\" selects no operation. Did you mean \"GET /pets\"?",
            "7:5: the selector \"Pets\" selects no operation. Did you mean \"tag:Pets\"?",
            "5:1: the selector \"GET /nothing/like/it\" selects no operation; write an operationId, \"METHOD /path\" or \"tag:NAME\"",
            "5:1: the selector \"\" selects no operation; write an operationId, \"METHOD /path\" or \"tag:NAME\"",
        ]
    );
}

#[test]
fn a_selection_of_nothing_is_refused() {
    let (directives, _) = build("nothing", Some(&[]));
    let expected = "1:1: no operation of this description is selected; add a selector for one, or \
                    name the other descriptions only";
    assert_eq!(errors(&directives), [expected]);

    let folder = Folder::new("before");
    folder.write("openapi/pets.yaml", PETS);
    let build = Build::new().only(["listPets"]).rest(folder.path("openapi"));
    let (directives, failed) = folder.directives(&build);
    let expected = "cargo::error=build.rs:1:1: `only` and `pages` select operations of the";
    assert!(failed && directives.contains(expected), "{directives}");
}

#[test]
fn selectors_are_of_the_descriptions_before_them() {
    let folder = Folder::new("several");
    let other = "openapi: 3.0.0\npaths: {/a: {get: {responses: {}}}, /b: {get: {responses: {}}}}";
    folder.write("openapi/pets.yaml", PETS);
    folder.write("openapi/other.yaml", other);
    folder.write("more/third.yaml", other);
    let build = Build::new().rest(folder.path("openapi")).only(["listPets"]).only(["get_a"]);
    let build = build.rest(folder.path("more"));
    let (directives, failed) = folder.directives(&build);
    assert!(!failed, "{directives}");
    let calls = |name: &str| {
        let code = fs::read_to_string(folder.path(&format!("out/podqueue_rest_{name}.rs")));
        names(&code.unwrap()).0.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(calls("pets"), ["list_pets_2"]);
    assert_eq!(calls("other"), ["get_a"]);
    assert_eq!(calls("third"), ["get_a", "get_b"]);

    let only = |selectors: &[&str]| {
        let build = Build::new().rest(folder.path("openapi")).only(selectors.iter().copied());
        let (directives, failed) = folder.directives(&build);
        assert!(failed, "{directives}");
        directives
            .lines()
            .filter(|it| it.starts_with("cargo::error"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(
        only(&["listPetz", "get_a"]),
        "cargo::error=openapi/pets.yaml:7:5: the selector \"listPetz\" selects no operation. Did \
         you mean \"listPets\"?"
    );
    let expected =
        "cargo::error=openapi/other.yaml:1:1: no operation of this description is selected";
    assert!(only(&["listPets"]).starts_with(expected));
}
