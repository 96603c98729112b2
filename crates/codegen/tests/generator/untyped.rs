//! Untyped values: each is found at its place, with the reason.

use std::collections::BTreeSet;
use std::path::Path;

use podqueue_codegen::__private::untyped;
use podqueue_codegen::{Build, Source, rest};
use quote::ToTokens;
use syn::Item;

use crate::build_script::Folder;
use crate::compositions::{nested, pairs};

const SHOP: &str = "openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /pets:
    parameters: [{name: where, in: query, content: {application/json: {schema: {type: array, items: {}}}}}]
    get:
      operationId: listPets
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
        - {name: filter, in: query, style: deepObject, schema: {type: object}}
      responses:
        '200':
          description: All.
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}
        '404':
          description: None.
          content: {application/json: {schema: {}}}
    post:
      operationId: savePet
      requestBody:
        content:
          application/json: {schema: {$ref: 'parts.yaml#/Kept'}}
      responses:
        '200': {description: Whatever., content: {application/json: {schema: {description: Anything.}}}}
        '202': {description: Later., content: {application/json: {schema: {type: object, properties: {at: {type: [string, integer]}, log: {type: array}}}}}}
components:
  schemas:
    Pet:
      type: object
      required: [name]
      additionalProperties: true
      properties:
        name: {type: string}
        notes:
        labels: {type: object}
        prices: {type: object, additionalProperties: {type: number}}
        scores: {type: object, additionalProperties: {}}
        either: {anyOf: [{type: string}, {}]}
        lost: {$ref: '#/components/schemas/Gone'}
        nothing: {type: 'null'}
        mixed: {allOf: [{type: string}, {type: integer}]}
        shop: {allOf: [{$ref: '#/components/schemas/Shop'}, {type: object, properties: {extra: {}}}]}
    Shop:
      type: object
      properties:
        open: {description: When.}
";

const PARTS: &str = "Kept:
  type: object
  properties:
    tag: {type: string}
    more:
      type: object
      properties:
        deep: true
";

/// The report of a folder with these files, without the name of the folder.
fn report(name: &str, only: Option<&[String]>) -> (Vec<String>, usize, usize) {
    let folder = Folder::new(&format!("untyped-{name}"));
    folder.write("openapi/shop.yaml", SHOP);
    folder.write("openapi/parts.yaml", PARTS);
    let build = Build::new().rest(folder.path("openapi"));
    let build = only.into_iter().fold(build, |build, only| build.only(only));
    let untyped = untyped(&build).unwrap();
    let lines = untyped.untyped.iter().map(|it| {
        let line = it.to_string();
        line.split_once("openapi/").map_or(line.clone(), |(_, rest)| rest.to_owned())
    });
    (lines.collect(), untyped.fields, untyped.typed)
}

#[test]
fn each_untyped_value_has_its_place_and_a_reason() {
    let (lines, fields, typed) = report("all", None);
    let expected = "\
parts.yaml:8:9: `KeptMore::deep` is `Option<Value>`: no schema
shop.yaml:5:94: the parameter `where_` of `list_pets` is `Vec<Value>`: no schema
shop.yaml:5:94: the parameter `where_` of `save_pet` is `Vec<Value>`: no schema
shop.yaml:10:56: the parameter `filter` of `list_pets` is `Map<String, Value>`: an object without properties
shop.yaml:19:40: the response 404 of `list_pets` is `Value`: no schema
shop.yaml:26:70: the response of `save_pet` is `Value`: no schema
shop.yaml:27:134: `SavePet202Response::log` is `Vec<Value>`: a list whose items have no schema
shop.yaml:33:7: `Pet::extra` is `Map<String, Value>`: additionalProperties without a schema
shop.yaml:36:9: `Pet::notes` is `Option<Value>`: no schema
shop.yaml:37:9: `Pet::labels` is `Map<String, Value>`: an object without properties
shop.yaml:39:32: `Pet::scores` is `Map<String, Value>`: additionalProperties without a schema
shop.yaml:40:9: `Pet::either` is `Option<Value>`: a union with a branch that has no schema
shop.yaml:41:9: `Pet::lost` is `Option<Value>`: its $ref leads nowhere
shop.yaml:42:9: `Pet::nothing` is `Option<Value>`: always null
shop.yaml:43:9: `Pet::mixed` is `Option<Value>`: parts of an allOf that contradict each other
shop.yaml:44:89: `PetShop::extra` is `Option<Value>`: no schema
shop.yaml:48:9: `PetShop::open` is `Option<Value>`: no schema";
    assert_eq!(lines.join("\n"), expected);
    assert_eq!((fields, typed), (29, 12));
}

/// The reasons of the untyped values of one description.
fn reasons(name: &str, description: &str) -> BTreeSet<String> {
    let folder = Folder::new(&format!("untyped-{name}"));
    folder.write("openapi/test.yaml", description);
    let untyped = untyped(&Build::new().rest(folder.path("openapi"))).unwrap();
    let lines = untyped.untyped.iter();
    lines.map(|it| it.message.rsplit_once(": ").unwrap().1.to_owned()).collect()
}

#[test]
fn what_exceeds_a_limit_of_the_generator_has_that_as_its_reason() {
    let merged = pairs(40, [[1, 3], [3, 5]]);
    let expected = "the schemas that are merged here lead to too many combinations";
    assert_eq!(reasons("budget", &merged), BTreeSet::from([expected.to_owned()]));
    let expected = "it is within too many unions, each in a branch of another";
    assert_eq!(reasons("unions", &nested(8)), BTreeSet::from([expected.to_owned()]));
}

#[test]
fn values_that_no_type_has_room_for_have_that_as_their_reason() {
    let description = |schema: &str| {
        format!(
            "openapi: 3.1.0
info: {{title: Test, version: '1'}}
paths: {{/thing: {{get: {{operationId: getThing, responses: {{'200': {{description: It., content: {{application/json: {{schema: {{type: object, properties: {{a: {schema}}}}}}}}}}}}}}}}}}}
"
        )
    };
    for (name, schema, reason) in [
        ("null", "{enum: [null]}", "always null"),
        (
            "tuple",
            "{type: array, prefixItems: [{type: string}]}",
            "a tuple whose further items have no schema",
        ),
        (
            "old-tuple",
            "{type: array, items: [{type: string}]}",
            "a tuple whose further items have no schema",
        ),
        (
            "contains",
            "{type: array, contains: {type: string}}",
            "a list whose items have no schema",
        ),
        (
            "wide",
            "{type: integer, minimum: -1, maximum: 18446744073709551615}",
            "integers that neither an i64 nor a u64 has room for",
        ),
    ] {
        assert_eq!(reasons(name, &description(schema)), BTreeSet::from([reason.to_owned()]));
    }
    let cycle = format!(
        "{}components: {{schemas: {{A: {{$ref: '#/components/schemas/B'}}, B: {{$ref: '#/components/schemas/A'}}}}}}\n",
        description("{$ref: '#/components/schemas/A'}")
    );
    let expected = "schemas that refer to each other only";
    assert_eq!(reasons("cycle", &cycle), BTreeSet::from([expected.to_owned()]));
    for (name, schema) in [
        (
            "closed-tuple",
            "{type: array, prefixItems: [{type: string}, {type: integer}], items: false}",
        ),
        (
            "full-tuple",
            "{type: array, prefixItems: [{type: string}, {type: integer}], maxItems: 2}",
        ),
        ("mixed", "{type: array, prefixItems: [{type: string}], items: {type: integer}}"),
        ("contains-and-items", "{type: array, contains: {const: a}, items: {type: string}}"),
        ("large", "{const: 9007199254740993}"),
        ("largest", "{const: 18446744073709551615}"),
        ("whole-values", "{enum: [1, 2, null]}"),
        ("values", "{enum: [1, 2.5]}"),
        ("flags", "{enum: [true]}"),
    ] {
        assert_eq!(reasons(name, &description(schema)), BTreeSet::new());
    }
}

#[test]
fn only_selected_operations_count() {
    let only = ["savePet".to_owned()];
    let (lines, fields, typed) = report("selected", Some(&only));
    assert_eq!(lines.len(), fields - typed, "{}", lines.join("\n"));
    assert!(lines.iter().all(|it| !it.contains("Pet::")), "{}", lines.join("\n"));
}

#[test]
fn no_field_of_a_generated_type_is_missed() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/rest");
    for path in Source::find(&corpus, &["yaml"]).unwrap() {
        let source = Source::read(&path).unwrap();
        if !source.text.starts_with("openapi") {
            continue;
        }
        let lines = untyped(&Build::new().rest(path)).unwrap().untyped;
        let found = lines.iter().filter_map(|it| it.message.strip_prefix('`'));
        let found: BTreeSet<_> = found.map(|it| it.split_once('`').unwrap().0.to_owned()).collect();
        let types = syn::parse_file(&rest::generate(&source).unwrap().types).unwrap();
        let Some(Item::Mod(module)) = types.items.into_iter().next() else { panic!("a module") };
        for item in module.content.unwrap().1 {
            let Item::Struct(item) = item else { continue };
            for field in item.fields {
                let name = field.ident.map(|it| it.to_string()).unwrap_or_default();
                let what = format!("{}::{name}", item.ident);
                let is_untyped =
                    field.ty.to_token_stream().to_string().contains("serde_json :: Value");
                assert_eq!(found.contains(&what), is_untyped, "{}: {what}", source.name);
            }
        }
    }
}
