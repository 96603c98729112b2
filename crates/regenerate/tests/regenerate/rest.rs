//! Comparison of a REST description: the report, the exit code and the written files.

use crate::support::{Checkout, Service};

const BEFORE: &str = r##"openapi: 3.0.3
info: {title: Shop, version: '1'}
paths:
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: string}}]
    get:
      operationId: getPet
      parameters:
        - {name: full, in: query, schema: {type: boolean, default: false}}
        - {name: old, in: query, schema: {type: string}}
      responses:
        '200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
    delete:
      operationId: deletePet
      responses: {'204': {description: Gone.}}
  /pets:
    post:
      operationId: addPet
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}}
      responses:
        '201': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
components:
  schemas:
    Pet:
      type: object
      required: [id]
      properties:
        id: {type: string}
        age: {type: integer}
        tags: {type: array, items: {type: string}}
        color: {$ref: '#/components/schemas/Color'}
        home: {type: object, properties: {city: {type: string}}}
    Color: {type: string, enum: [RED, BLUE]}
    NewPet:
      type: object
      required: [name]
      properties: {name: {type: string}, color: {$ref: '#/components/schemas/Color'}, note: {type: string}}
"##;

/// The service's next version, in JSON and with other keys first.
fn after() -> String {
    r##"{
      "components": {"schemas": {
        "NewPet": {"type": "object", "required": ["age", "name"], "properties": {
          "age": {"type": "integer"}, "name": {"type": "string"},
          "color": {"$ref": "#/components/schemas/Color"}, "nick": {"type": "string"}}},
        "Pet": {"type": "object", "properties": {
          "id": {"type": "string"}, "age": {"type": "number"},
          "tags": {"type": "array", "items": {"$ref": "#/components/schemas/Tag"}},
          "color": {"$ref": "#/components/schemas/Color"},
          "home": {"type": "object", "properties": {"city": {"type": "string"}, "zip": {"type": "string"}}}}},
        "Tag": {"type": "object", "properties": {"key": {"type": "string"}}},
        "Color": {"type": "string", "enum": ["GREEN", "RED"]}}},
      "paths": {
        "/pets": {"post": {"operationId": "createPet",
          "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewPet"}}}},
          "responses": {"201": {"description": "It.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}}},
        "/pets/{petId}": {"get": {"operationId": "getPet",
          "parameters": [
            {"name": "petId", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "full", "in": "query", "required": true, "schema": {"type": "boolean"}},
            {"name": "lang", "in": "query", "schema": {"type": "string"}}],
          "responses": {"200": {"description": "It.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}}},
        "/export": {"get": {"requestBody": {"required": true, "content": {"multipart/mixed": {}}}, "responses": {}}}},
      "info": {"title": "Shop", "version": "2"},
      "openapi": "3.0.3"
    }"##
    .to_owned()
}

const REPORT: &str = "\
REST description, openapi/shop.yaml: 17 changes, 9 of them breaking
  removed     Color.BLUE; BREAKS writers (it has no effect, or is refused); source change for readers (its variant is removed)
  removed     DELETE /pets/{petId}: deletePet; BREAKS callers (the call fails)
  changed     GET /pets/{petId} (query full): boolean = false -> boolean, required; BREAKS callers (it is now required)
  removed     GET /pets/{petId} (query old): string; BREAKS callers (it has no effect, or is refused)
  added       NewPet.age: integer, required; BREAKS writers (it is now required)
  removed     NewPet.note: string; BREAKS writers (it has no effect, or is refused)
  changed     POST /pets (body): NewPet -> NewPet, required; BREAKS callers (it is now required)
  changed     Pet.age: integer -> number; BREAKS readers (it has a different type)
  changed     Pet.tags: [string] -> [Tag]; BREAKS readers (it has a different type)
  these affect no running program:
  added       Color.GREEN
  added       GET /export
  added       GET /pets/{petId} (query lang): string
  added       NewPet.nick: string; source change for writers (literals need it, or `..Default::default()`)
  changed     POST /pets: addPet -> createPet; source change for callers (the method is renamed)
  added       Pet.home.zip: string
  changed     Pet.id: string, required -> string
  added       Tag: object
";

#[test]
fn rest_changes_are_reported_with_their_effects() {
    let checkout = Checkout::new("rest").write("openapi/shop.yaml", BEFORE);
    let service = Service::answering(&[(200, &after())]);
    let url = format!("{}/openapi.json?version=latest", service.url);
    let run = checkout.run_with(&["--rest", &url, "--check"], &[("PODQUEUE_API_KEY", "a-key")]);
    assert_eq!(run.err, "");
    let warning = format!(
        "\nwarnings of the generator:\n  {}/openapi.json:23:21: left out GET /export: it takes \
         multipart/mixed, which cannot be sent\n",
        service.url
    );
    assert_eq!(run.out, REPORT.to_owned() + &warning);
    assert_eq!(run.code, 1);
    assert_eq!(checkout.read("openapi/shop.yaml"), BEFORE);
    // The description is public, so the key is not sent to its publisher.
    assert_eq!(service.received()[0].line, "GET /openapi.json?version=latest HTTP/1.1");
}

#[test]
fn known_warnings_are_not_repeated_when_the_construct_moves() {
    let export =
        "  /export: {get: {responses: {200: {description: All., content: {text/csv: {}}}}}}\n";
    let before = BEFORE.replace("components:\n", &format!("{export}components:\n"));
    let now = BEFORE.replace("paths:\n", &format!("paths:\n{export}"));
    let now = now.replace("age: {type: integer}", "age: {type: number}");
    let checkout =
        Checkout::new("rest-known").write("openapi/shop.yaml", &before).write("now.yaml", &now);
    let run = checkout.run(&["--rest", "now.yaml", "--check"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert!(run.out.contains("Pet.age: integer -> number"), "{}", run.out);
    assert!(!run.out.contains("leaves out"), "{}", run.out);
}

#[test]
fn the_written_description_stays_yaml_and_has_no_drift() {
    let checkout = Checkout::new("rest-written")
        .write("openapi/shop.yaml", BEFORE)
        .write("now.json", &after());
    let run = checkout.run(&["--rest", "now.json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let written = checkout.read("openapi/shop.yaml");
    assert!(written.starts_with("openapi: 3.0.3\ninfo:\n  title: Shop\n"), "{written}");
    let places: Vec<_> =
        ["paths:", "  /export:", "  /pets:", "components:", "    Color:", "    Pet:"]
            .iter()
            .map(|line| {
                written.find(&format!("\n{line}\n")).unwrap_or_else(|| panic!("{line}: {written}"))
            })
            .collect();
    assert!(places.is_sorted(), "{written}");
    let run = checkout.run(&["--rest", "now.json", "--check"]);
    assert_eq!(
        (run.code, run.out.as_str()),
        (0, "REST description, openapi/shop.yaml: no drift\n")
    );
}

#[test]
fn a_description_kept_as_json_stays_json() {
    let checkout =
        Checkout::new("rest-json").write("openapi/shop.json", &after()).write("now.yaml", BEFORE);
    assert_eq!(checkout.run(&["--rest", "now.yaml"]).code, 0);
    assert!(checkout.read("openapi/shop.json").starts_with("{\n  \"components\": {\n"));
    assert_eq!(checkout.run(&["--rest", "now.yaml", "--check"]).code, 0);
}

#[test]
fn order_and_line_breaks_are_no_drift_but_extensions_are() {
    let one = "openapi: 3.0.3\ninfo: {title: A, description: \"a\\nb\"}\npaths: {}\n";
    let two = "paths: {}\ninfo: {description: a b, title: A}\nopenapi: 3.0.3\n";
    let three = "openapi: 3.0.3\ninfo: {title: A, description: a b}\npaths: {}\nx-note: 1\n";
    let checkout = Checkout::new("rest-order")
        .write("openapi/a.yaml", one)
        .write("two.yaml", two)
        .write("three.yaml", three);
    assert_eq!(checkout.run(&["--rest", "two.yaml"]).code, 0);
    assert_eq!(checkout.read("openapi/a.yaml"), one);
    let run = checkout.run(&["--rest", "three.yaml", "--check"]);
    assert_eq!(
        (run.code, run.out.as_str()),
        (
            1,
            "REST description, openapi/a.yaml: changed, but not in anything that affects generated code\n"
        )
    );
}

#[test]
fn an_unsupported_description_is_not_written() {
    let checkout = Checkout::new("rest-invalid")
        .write("openapi/a.yaml", BEFORE)
        .write("now.yaml", "swagger: '2.0'\npaths: {}\n");
    let run = checkout.run(&["--rest", "now.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    assert!(run.err.contains("this is a Swagger 2.0 description"), "{}", run.err);
    assert_eq!(checkout.read("openapi/a.yaml"), BEFORE);
}

#[test]
fn recursive_composed_and_newer_schemas_are_outlined() {
    let describe = |schemas: &str| {
        format!(
            "openapi: 3.0.3\npaths:\n  /a:\n    get:\n      responses:\n        '200': {{description: A, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Tree'}}}}}}}}\ncomponents:\n  schemas:\n{schemas}"
        )
    };
    let before = describe(
        "    Tree: {type: object, properties: {next: {$ref: '#/components/schemas/Tree'}, map: {type: object, additionalProperties: {type: integer}}, any: {}}}\n    Leaf: {oneOf: [{$ref: '#/components/schemas/Tree'}, {type: string}]}\n",
    );
    let after = describe(
        "    Tree: {type: object, properties: {next: {$ref: '#/components/schemas/Tree'}, map: {type: object, additionalProperties: {type: string}}, any: {type: string}}}\n    Leaf: {oneOf: [{type: string}]}\n",
    );
    let checkout =
        Checkout::new("rest-shapes").write("openapi/a.yaml", &before).write("now.yaml", &after);
    let run = checkout.run(&["--rest", "now.yaml", "--check"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    let changes = run.out.split("\n\n").next().unwrap();
    assert_eq!(
        changes.trim_end(),
        "REST description, openapi/a.yaml: 4 changes, 1 of them breaking\n  \
         changed     Tree.map: map of integer -> map of string; BREAKS readers (it has a different type)\n  \
         these affect no running program:\n  \
         changed     Leaf: Tree | string -> string\n  \
         removed     Leaf | Tree\n  \
         changed     Tree.any: any -> string; source change for readers (fewer values are possible)"
    );
}

#[test]
fn a_type_and_its_requirement_can_change_together() {
    let describe = |required: &str, properties: &str, parameter: &str| {
        format!(
            "openapi: 3.1.0
paths:
  /a:
    post:
      operationId: a
      parameters: [{{name: n, in: query, {parameter}}}]
      requestBody: {{required: true, content: {{application/json: {{schema: {{$ref: '#/components/schemas/New'}}}}}}}}
      responses: {{'204': {{description: Done.}}}}
components: {{schemas: {{New: {{type: object, required: [{required}], properties: {{{properties}}}}}}}}}
"
        )
    };
    let before = describe(
        "freed, unlike",
        "wide: {type: integer}, narrow: {type: number}, null_too: {type: string}, freed: {type: integer}, unlike: {type: integer}",
        "schema: {type: integer}",
    );
    let after = describe(
        "wide, narrow, null_too",
        "wide: {type: number}, narrow: {type: integer}, null_too: {type: [string, 'null']}, freed: {type: number}, unlike: {type: string}",
        "required: true, schema: {type: number}",
    );
    let checkout = Checkout::new("rest-type-and-null")
        .write("openapi/a.yaml", &before)
        .write("now.yaml", &after);
    let run = checkout.run(&["--rest", "now.yaml", "--check"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert_eq!(run.out, "\
REST description, openapi/a.yaml: 7 changes, 5 of them breaking
  changed     New.narrow: number -> integer, required; BREAKS writers (it has a different type); BREAKS writers (it is now required)
  changed     New.null_too: string -> string, required; BREAKS writers (it is now required)
  changed     New.unlike: integer, required -> string; BREAKS writers (it has a different type); source change for writers (it is now an `Option`)
  changed     New.wide: integer -> number, required; BREAKS writers (it is now required); source change for writers (more values are accepted)
  changed     POST /a (query n): integer -> number, required; BREAKS callers (it is now required); source change for callers (more values are accepted)
  these affect no running program:
  changed     New.freed: integer, required -> number; source change for writers (it is now an `Option`); source change for writers (more values are accepted)
  changed     New.null_too null: refused -> accepted; source change for writers (more values are accepted)
");
}

const NEWER: &str = r##"openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /pets:
    get:
      operationId: listPets
      parameters: [{name: after, in: query, schema: {type: [string, 'null']}}]
      responses:
        default: {description: All., content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}
    post:
      operationId: addPet
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}}
      responses: {'204': {description: Done.}}
webhooks:
  petAdded: {post: {responses: {'200': {description: Seen.}}}}
components:
  schemas:
    Pet:
      type: [object, 'null']
      $defs:
        Home: {type: object, properties: {city: {type: [string, 'null']}, since: {type: integer}}}
      properties:
        kind: {const: pet}
        age: {type: [integer, 'null'], examples: [3]}
        code: {type: [string, integer]}
        home: {$ref: '#/components/schemas/Pet/$defs/Home', description: Where it lives.}
        parts: {type: array, items: {type: object, properties: {x: {type: string}}}}
        pair: {type: array, prefixItems: [{type: object, properties: {a: {type: string}}}, {type: integer}]}
        named: {type: object, patternProperties: {'^x-': {type: object, properties: {b: {type: string}}}}}
    NewPet:
      type: object
      required: [name, age, size, chip]
      properties:
        name: {type: [string, 'null']}
        age: {type: integer}
        size: {type: number}
        chip: {anyOf: [{type: string}, {type: 'null'}]}
        code: {type: [string, integer]}
"##;

#[test]
fn an_openapi_3_1_description_has_no_drift_from_itself() {
    let checkout = Checkout::new("rest-newer").write("openapi/shop.yaml", NEWER);
    let run = checkout.run(&["--rest", "openapi/shop.yaml", "--check"]);
    assert_eq!(run.err, "");
    assert_eq!(
        (run.code, run.out.as_str()),
        (0, "REST description, openapi/shop.yaml: no drift\n")
    );
}

#[test]
fn openapi_3_1_constructs_are_outlined() {
    let now = NEWER
        .replace("{const: pet}", "{enum: [pet, animal]}")
        .replace("[integer, 'null'], examples: [3]", "[number, 'null'], examples: [4]")
        .replace(
            "code: {type: [string, integer]}\n        home",
            "code: {type: string}\n        home",
        )
        .replace("since: {type: integer}", "since: {type: string}")
        .replace("a: {type: string}", "a: {type: boolean}")
        .replace("b: {type: string}", "c: {type: string}")
        .replace("{x: {type: string}}", "{x: {type: string}, 'y': {enum: [a]}}")
        .replace("name: {type: [string, 'null']}", "name: {type: string}")
        .replace("        age: {type: integer}\n", "        age: {type: number}\n")
        .replace("size: {type: number}", "size: {type: [integer, 'null']}")
        .replace("{anyOf: [{type: string}, {type: 'null'}]}", "{type: [string, 'null']}")
        .replace("code: {type: [string, integer]}", "code: {type: [string, integer, boolean]}")
        .replace("{type: [string, 'null']}}]", "{type: [string, integer]}}]");
    let checkout =
        Checkout::new("rest-newest").write("openapi/shop.yaml", NEWER).write("now.yaml", &now);
    let run = checkout.run(&["--rest", "now.yaml", "--check"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert_eq!(
        run.out,
        "\
REST description, openapi/shop.yaml: 13 changes, 6 of them breaking
  changed     Home.since: integer -> string; BREAKS readers (it has a different type)
  changed     NewPet.name null: accepted -> refused; BREAKS writers (it must no longer be null)
  changed     NewPet.size: number, required -> integer, required; BREAKS writers (it has a different type)
  changed     Pet.age: integer -> number; BREAKS readers (it has a different type)
  removed     Pet.named{^x-}.b: string; BREAKS readers (it is no longer sent)
  changed     Pet.pair[0].a: string -> boolean; BREAKS readers (it has a different type)
  these affect no running program:
  changed     GET /pets (query after): string -> integer | string; source change for callers (more values are accepted)
  changed     NewPet.age: integer, required -> number, required; source change for writers (more values are accepted)
  changed     NewPet.code: integer | string -> boolean | integer | string; source change for writers (more values are accepted)
  changed     Pet.code: integer | string -> string; source change for readers (fewer values are possible)
  added       Pet.kind.animal
  added       Pet.named{^x-}.c: string
  added       Pet.parts[].y: string
"
    );
}

fn shop_with_field(field: &str) -> String {
    format!(
        "openapi: 3.0.3
paths:
  /type: {{get: {{operationId: match, responses: {{'200': {{description: It., content: {{application/json: {{schema: {{$ref: '#/components/schemas/Self'}}}}}}}}}}}}}}
components: {{schemas: {{Self: {{type: object, properties: {{{field}: {{type: string}}}}}}}}}}
"
    )
}

#[test]
fn one_of_several_descriptions_can_be_selected() {
    let checkout = Checkout::new("several")
        .write("openapi/shop.yaml", &shop_with_field("impl"))
        .write("openapi/type.yaml", &shop_with_field("fn"))
        .write("now.yaml", &shop_with_field("async"));
    let run = checkout.run(&["--rest", "now.yaml"]);
    assert_eq!(run.code, 3);
    assert_eq!(
        run.err,
        "podqueue-regenerate: openapi:1:1: expected exactly one OpenAPI description here, found more \
         than one; name one of the files instead\n"
    );
    let run = checkout.run(&["--rest", "now.yaml", "--openapi", "openapi/type.yaml"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(
        run.out,
        "\
REST description, openapi/type.yaml: 2 changes, 1 of them breaking
  removed     Self.fn: string; BREAKS readers (it is no longer sent)
  these affect no running program:
  added       Self.async: string
"
    );
    assert!(checkout.read("openapi/type.yaml").contains("async:"));
    assert_eq!(checkout.read("openapi/shop.yaml"), shop_with_field("impl"));
}

#[test]
fn a_missing_file_is_created() {
    let checkout = Checkout::new("several-new")
        .write("openapi/shop.yaml", &shop_with_field("impl"))
        .write("now.yaml", &shop_with_field("fn"));
    let run = checkout.run(&["--rest", "now.yaml", "--openapi", "openapi/more/type.json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(run.out, "REST description, openapi/more/type.json: new\n");
    assert!(checkout.read("openapi/more/type.json").starts_with("{\n"));
}

/// An error in a part is reported with the name of the part, and a stored description that cannot
/// be read is not taken for a change of the service.
#[test]
fn errors_name_the_file_of_the_part() {
    let whole = shop_with_field("n").replace("{type: string}", "{$ref: 'parts/n.yaml'}");
    let checkout = Checkout::new("several-fault")
        .write("openapi/shop.yaml", &whole)
        .write("openapi/parts/n.yaml", "type: string\n")
        .write("now/shop.yaml", &whole)
        .write("now/parts/n.yaml", "type: 'string\n");
    let run = checkout.run(&["--rest", "now/shop.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    assert!(run.err.starts_with("podqueue-regenerate: now/parts/n.yaml:2:1: "), "{}", run.err);
    assert_eq!(checkout.read("openapi/parts/n.yaml"), "type: string\n");

    let checkout = checkout.write("now/parts/n.yaml", "type: string\n");
    let checkout = checkout.write("openapi/parts/n.yaml", "type: 'string\n");
    let run = checkout.run(&["--rest", "now/shop.yaml", "--check"]);
    assert_eq!((run.code, run.out.as_str()), (3, ""));
    assert!(run.err.starts_with("podqueue-regenerate: openapi/parts/n.yaml:2:1: "), "{}", run.err);
}
