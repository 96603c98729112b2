//! Classification of changes of a REST description: changes on the wire, and their effects.

use crate::support::{Checkout, report};

/// A description with one operation that reads and one that writes, and with these schemas.
fn shop(schemas: &str) -> String {
    format!(
        "openapi: 3.0.3
paths:
  /pet:
    get: {{operationId: getPet, responses: {{'200': {{description: It., content: {{application/json: {{schema: {{$ref: '#/components/schemas/Pet'}}}}}}}}}}}}
    put: {{operationId: putPet, requestBody: {{content: {{application/json: {{schema: {{$ref: '#/components/schemas/Pet'}}}}}}}}, responses: {{'204': {{description: Done.}}}}}}
components: {{schemas: {{{schemas}}}}}
"
    )
}

const FLAT: &str = "Pet: {type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}, at: {type: integer}}}";
const BASED: &str = "Base: {type: object, properties: {id: {type: string}, at: {type: integer}}}, Pet: {required: [id], allOf: [{$ref: '#/components/schemas/Base'}, {type: object, required: [name], properties: {name: {type: string}}}]}";

#[test]
fn an_equal_wire_format_is_no_change() {
    let before = r##"openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: 'https://shop.example/v1'}]
paths:
  /pets:
    post:
      operationId: addPet
      parameters: [{name: X-Trace, in: header, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      responses: {'204': {description: Done.}}
components:
  schemas: {Pet: {type: object, required: [name], properties: {name: {type: string}, id: {type: string, readOnly: true}, key: {$ref: '#/components/schemas/Key'}, at: {$ref: '#/components/schemas/At', readOnly: true}}}, Key: {type: string, readOnly: true}, At: {type: string}}
"##;
    let now = before
        .replace("X-Trace", "x-trace")
        .replace(
            "'https://shop.example/v1'",
            "'https://shop.example/v{n}/', variables: {n: {default: 1}}",
        )
        .replace("[name]", "[id, key, at, name]");
    let expected = "changed, but not in anything that affects generated code";
    assert_eq!(
        report("rest-same", before, &now),
        format!("REST description, openapi/shop.yaml: {expected}\n")
    );
}

#[test]
fn a_renamed_path_parameter_breaks_no_program() {
    let describe = |path: &str, a: &str, b: &str, kind: &str, id: &str| {
        format!(
            "openapi: 3.0.3
info: {{title: Shop, version: '1'}}
paths:
  {path}:
    get:
      {id}
      parameters: [{{name: {a}, in: path, required: true, schema: {{type: {kind}}}}}, {{name: {b}, in: path, required: true, schema: {{type: string}}}}]
      responses: {{'204': {{description: Done.}}}}
"
        )
    };
    let id = "operationId: get";
    let before = describe("/a/{b}/{c}", "b", "c", "string", id);
    let of = |path: &str, a: &str, b: &str, kind: &str| {
        report("rest-path", &before, &describe(path, a, b, kind, id))
    };
    // It is mentioned nevertheless, since the new name may stand for another value.
    let renamed = "1 change, 0 of them breaking
  changed     GET /a/{b}/{c} (path b): {b} -> {d}; CHECK callers";
    let report_of = of("/a/{d}/{c}", "d", "c", "string");
    assert!(report_of.contains(renamed), "{report_of}");
    for moved in ["/a/{c}/{b}", "/a/{d}/{d}"] {
        let report_of = of(moved, "c", "b", "string");
        let change =
            format!("GET /a/{{b}}/{{c}}: GET /a/{{b}}/{{c}} -> GET {moved}; BREAKS callers");
        assert!(report_of.contains(&change), "{report_of}");
    }
    let report_of = of("/a/{d}/{e}", "d", "e", "integer");
    let change = "string, required -> integer, required; BREAKS callers";
    assert!(report_of.contains("3 changes, 1 of them breaking"), "{report_of}");
    assert!(report_of.contains(change), "{report_of}");
    let (before, now) = (
        before.replace(id, "summary: s"),
        describe("/a/{d}/{c}", "d", "c", "string", "summary: s"),
    );
    let unnamed = report("rest-path-unnamed", &before, &now);
    assert!(unnamed.contains("-> GET /a/{d}/{c}; source change for callers"), "{unnamed}");
}

#[test]
fn a_field_that_moves_into_a_base_breaks_no_program() {
    assert_eq!(
        report("rest-into-base", &shop(FLAT), &shop(BASED)),
        "REST description, openapi/shop.yaml: 1 change, 0 of them breaking\n  added       Base: object\n"
    );
    assert_eq!(
        report("rest-out-of-base", &shop(BASED), &shop(FLAT)),
        "REST description, openapi/shop.yaml: 1 change, 0 of them breaking\n  \
         removed     Base: object; source change for readers (the generated type is removed)\n"
    );
}

#[test]
fn a_change_of_a_base_is_reported_once_and_a_new_base_with_its_fields() {
    let changed = BASED.replace("at: {type: integer}", "at: {type: string}, of: {type: string}");
    assert_eq!(
        report("rest-base", &shop(BASED), &shop(&changed)),
        "REST description, openapi/shop.yaml: 2 changes, 1 of them breaking
  changed     Base.at: integer -> string; BREAKS readers (it has a different type); BREAKS writers (it has a different type)
  these affect no running program:
  added       Base.of: string; source change for writers (literals need it, or `..Default::default()`)
"
    );
    let more = BASED.replace("Base: {", "Base: {allOf: [{$ref: '#/components/schemas/Root'}], ")
        + ", Root: {type: object, properties: {root: {type: string}, pet: {$ref: '#/components/schemas/Pet'}}, allOf: [{$ref: '#/components/schemas/Base'}]}";
    assert_eq!(
        report("rest-new-base", &shop(BASED), &shop(&more)),
        "REST description, openapi/shop.yaml: 5 changes, 0 of them breaking
  added       Base.pet: Pet; source change for writers (literals need it, or `..Default::default()`)
  added       Base.root: string; source change for writers (literals need it, or `..Default::default()`)
  added       Pet.pet: Pet; source change for writers (literals need it, or `..Default::default()`)
  added       Pet.root: string; source change for writers (literals need it, or `..Default::default()`)
  added       Root: object
"
    );
}

#[test]
fn an_inline_object_that_gets_a_name_breaks_no_program() {
    let inline = "Pet: {type: object, properties: {home: {type: object, properties: {city: {type: string}, door: {type: object, properties: {color: {type: string, enum: [red]}}}}}, toys: {type: array, items: {type: object, properties: {name: {type: string}}}}, mood: {type: string, enum: [calm, wild]}}}";
    let named = "Pet: {type: object, properties: {home: {$ref: '#/components/schemas/Home'}, toys: {type: array, items: {$ref: '#/components/schemas/Toy'}}, mood: {$ref: '#/components/schemas/Mood'}}}, Home: {type: object, properties: {city: {type: string}, door: {$ref: '#/components/schemas/Door'}}}, Door: {type: object, properties: {color: {type: string, enum: [red]}}}, Toy: {type: object, properties: {name: {type: string}}}, Mood: {type: string, enum: [calm, wild]}";
    let adapts = "source change for readers (the same values have a type of another name); source change for writers (the same values have a type of another name)";
    assert_eq!(
        report("rest-named", &shop(inline), &shop(named)),
        format!(
            "REST description, openapi/shop.yaml: 8 changes, 0 of them breaking
  added       Door: object
  added       Home: object
  added       Mood: enum of string
  changed     Pet.home: object -> Home; {adapts}
  changed     Pet.home.door: object -> Door; {adapts}
  changed     Pet.mood: string -> Mood; {adapts}
  changed     Pet.toys: [object] -> [Toy]; {adapts}
  added       Toy: object
"
        )
    );
    // A simultaneous change is reported at its own path.
    let changed =
        named.replace("city: {type: string}", "zip: {type: string}").replace("calm, ", "");
    let report = report("rest-named-and-changed", &shop(inline), &shop(&changed));
    assert!(report.contains("11 changes, 2 of them breaking"), "{report}");
    for line in [
        "  removed     Pet.home.city: string; BREAKS",
        "  added       Pet.home.zip: string;",
        "  removed     Pet.mood.calm; BREAKS writers",
    ] {
        assert!(report.contains(line), "{line} is not in\n{report}");
    }
}

#[test]
fn a_renamed_schema_breaks_no_program() {
    let tree = "Pet: {type: object, properties: {name: {type: string}, tree: {$ref: '#/components/schemas/Tree'}}}, Tree: {type: object, properties: {size: {type: integer}, parts: {type: array, items: {$ref: '#/components/schemas/Tree'}}}}";
    let renamed = tree.replace("Tree", "Plant");
    let report = report("rest-renamed", &shop(tree), &shop(&renamed));
    assert!(report.contains("0 of them breaking"), "{report}");
    assert!(report.contains("changed     Pet.tree: Tree -> Plant; source change"), "{report}");
}

#[test]
fn changed_encodings_and_servers_break_callers() {
    let describe = |servers: &str, ids: &str, encoding: &str, own: &str| {
        format!(
            "openapi: 3.0.3
{servers}
paths:
  /a:
    post:
      operationId: a
      {own}
      parameters:
        - {{name: ids, in: query, {ids} schema: {{type: array, items: {{type: string}}}}}}
        - {{name: n, in: query, {ids} schema: {{type: string}}}}
      requestBody: {{content: {{multipart/form-data: {{schema: {{type: object, properties: {{f: {{type: string}}}}}}, {encoding}}}}}}}
      responses: {{'204': {{description: Done.}}}}
"
        )
    };
    let before = describe("servers: [{url: https://a.example/v1}]", "", "", "");
    let same = describe(
        "servers: [{url: https://a.example/v1}, {url: https://b.example}]",
        "explode: true, style: form,",
        "",
        "",
    );
    let report_of = |name: &str, now: &str| report(name, &before, now);
    assert!(report_of("rest-encoding-same", &same).contains("not in anything that affects"));
    let now = describe(
        "servers: [{url: https://a.example/v2}]",
        "explode: false,",
        "encoding: {f: {contentType: image/png}}",
        "servers: [{url: https://c.example}]",
    );
    let report = report_of("rest-encoding", &now);
    assert!(
        report.starts_with(
            "REST description, openapi/shop.yaml: 4 changes, 4 of them breaking
  added       POST /a (body) encoding of f: image/png; BREAKS callers (it is written differently)
  changed     POST /a (query ids) encoding: form, exploded -> form; BREAKS callers (it is written differently)
  added       POST /a server: https://c.example; BREAKS callers (calls go to another URL)
  changed     server: https://a.example/v1 -> https://a.example/v2; BREAKS callers (calls go to another URL)
"
        ),
        "{report}"
    );
    let warning = "now.yaml:5:5: the server https://c.example of this operation has another origin";
    assert!(report.contains(warning), "the file at fault is named: {report}");
}

#[test]
fn a_response_that_may_become_empty_breaks_readers() {
    let describe = |responses: &str| {
        format!(
            "openapi: 3.0.3
paths:
  /a:
    get:
      operationId: a
      responses: {{{responses}}}
"
        )
    };
    let json = |status: &str, of: &str| {
        format!(
            "{status}: {{description: It., content: {{application/json: {{schema: {{type: {of}}}}}}}}}"
        )
    };
    let always = describe(&json("'200'", "string"));
    let sometimes =
        describe(&format!("{}, '204': {{description: None.}}", json("'200'", "string")));
    let number = describe(&format!("{}, '202': {{description: Wait.}}", json("'200'", "number")));
    let error = describe(&format!("'204': {{description: None.}}, {}", json("default", "string")));
    let anything = describe(&json("default", "string"));
    for (name, before, now, expected) in [
        (
            "emptied",
            &always,
            &sometimes,
            "string -> string or nothing; BREAKS readers (it may now be empty)",
        ),
        (
            "filled",
            &sometimes,
            &always,
            "string or nothing -> string; source change for readers (it is no longer an `Option`)",
        ),
        (
            "emptied-and-other",
            &always,
            &number,
            "string -> number or nothing; BREAKS readers (it has a different type); BREAKS readers (it may now be empty)",
        ),
        (
            "anything",
            &always,
            &anything,
            "string -> string or nothing; BREAKS readers (it may now be empty)",
        ),
        ("error", &sometimes, &error, "removed     GET /a (response)"),
    ] {
        let report = report(&format!("rest-{name}"), before, now);
        assert!(report.contains(expected), "{name}: {report}");
    }
}

#[test]
fn a_description_in_several_files_is_outlined_as_one() {
    let whole = shop("Pet: {$ref: 'parts/pet.yaml'}");
    let pet = "type: object\nproperties: {home: {$ref: 'home.yaml#/Home'}}\n";
    let home = "Home: {type: object, properties: {city: {type: string}}}\n";
    let checkout = Checkout::new("rest-files")
        .write("openapi/shop.yaml", &whole)
        .write("openapi/parts/pet.yaml", pet)
        .write("openapi/parts/home.yaml", home)
        .write("now/shop.yaml", &whole)
        .write("now/parts/pet.yaml", pet)
        .write(
            "now/parts/home.yaml",
            &home.replace("city: {type: string}", "city: {type: integer}"),
        );
    let run = checkout.run(&["--rest", "now/shop.yaml", "--dry-run"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let city = "Home.city: string -> integer; BREAKS readers";
    assert!(run.out.contains(city), "{}", run.out);
    assert_eq!(checkout.run(&["--rest", "now/shop.yaml"]).code, 0);
    assert!(checkout.read("openapi/parts/home.yaml").contains("{type: integer}"));
    assert_eq!(checkout.run(&["--rest", "now/shop.yaml", "--check"]).code, 0);
}

#[test]
fn changed_authorization_breaks_callers() {
    let describe = |all: &str, own: &str, name: &str| {
        format!(
            "openapi: 3.0.3
{all}
paths:
  /a: {{get: {{operationId: a, {own} responses: {{'204': {{description: Done.}}}}}}}}
  /b: {{get: {{operationId: b, responses: {{'204': {{description: Done.}}}}}}}}
components:
  securitySchemes:
    {name}: {{type: http, scheme: bearer}}
    header: {{type: apiKey, in: header, name: X-Key}}
"
        )
    };
    let bearer = describe("security: [{key: []}]", "", "key");
    let refused = "BREAKS callers (calls may be refused)\n";
    for (name, now, expected) in [
        ("named", describe("security: [{token: []}]", "", "token"), String::new()),
        ("own", describe("security: [{key: []}]", "security: [{key: []}],", "key"), String::new()),
        (
            "another",
            describe("security: [{header: []}]", "", "key"),
            format!("changed     security: HTTP bearer -> the header X-Key; {refused}"),
        ),
        (
            "more",
            describe("security: [{header: []}, {key: []}]", "", "key"),
            "changed     security: HTTP bearer -> HTTP bearer or the header X-Key\n".to_owned(),
        ),
        (
            "both",
            describe("security: [{header: [], key: []}]", "", "key"),
            format!(
                "changed     security: HTTP bearer -> HTTP bearer and the header X-Key; {refused}"
            ),
        ),
        (
            "one",
            describe("security: [{key: []}]", "security: [{header: []}],", "key"),
            format!("added       GET /a security: the header X-Key; {refused}"),
        ),
        (
            "nothing",
            describe("security: [{key: []}]", "security: [],", "key"),
            "added       GET /a security: none\n".to_owned(),
        ),
    ] {
        let report = report(&format!("rest-security-{name}"), &bearer, &now);
        assert!(report.contains(&expected), "{name}: {report}");
        assert_eq!(report.contains("security: "), !expected.is_empty(), "{name}: {report}");
    }
}

#[test]
fn a_file_that_becomes_text_breaks_writers() {
    let describe = |part: &str| {
        format!(
            "openapi: 3.1.0
paths:
  /a: {{post: {{operationId: a, requestBody: {{required: true, content: {{multipart/form-data: {{schema: {{type: object, properties: {{f: {{type: string{part}}}}}}}}}}}}}, responses: {{'204': {{description: Done.}}}}}}}}
"
        )
    };
    let text = describe("");
    let file = describe(", format: binary");
    let report_of = |name: &str, before: &str, now: &str| report(name, before, now);
    let gone = report_of("rest-file-gone", &file, &text);
    let change =
        "changed     POST /a (body).f: file -> string; BREAKS writers (it has a different type)";
    assert!(gone.contains(change), "{gone}");
    let new = report_of("rest-file-new", &text, &file);
    assert!(new.contains("(body).f: string -> file; BREAKS writers"), "{new}");
    let newer = describe(", contentMediaType: image/png");
    let same = report_of("rest-file-same", &file, &newer);
    assert!(same.contains("not in anything that affects"), "{same}");
}

/// A description with one operation of this path item.
fn described(head: &str, item: &str) -> String {
    format!("openapi: 3.2.0\n{head}paths: {{/a: {{{item}}}}}\n")
}

fn post(parts: &str) -> String {
    described("", &format!("post: {{operationId: a, {parts}}}"))
}

const DONE: &str = "responses: {'204': {description: Done.}}";

#[test]
fn a_body_of_another_media_type_breaks_callers() {
    let body = |media: &str| {
        post(&format!(
            "requestBody: {{required: true, content: {{{media}: {{schema: {{type: object, \
             properties: {{n: {{type: string}}}}}}}}}}}}, {DONE}"
        ))
    };
    assert_eq!(
        report("rest-media", &body("application/json"), &body("application/x-www-form-urlencoded")),
        "\
REST description, openapi/shop.yaml: 1 change, 1 of them breaking
  changed     POST /a (body) media type: application/json -> application/x-www-form-urlencoded; BREAKS callers (it is written differently)
"
    );
    let more = "application/xml: {}, application/json; charset=utf-8";
    let same = report("rest-media-more", &body("application/json"), &body(more));
    assert!(same.contains("not in anything that affects generated code"), "{same}");
}

#[test]
fn a_further_media_type_of_a_body_that_calls_do_not_send_is_no_change() {
    let text = "text/plain: {schema: {type: string}}";
    let bytes = "application/octet-stream: {schema: {type: string, format: binary}}";
    let body = |content: &str| post(&format!("requestBody: {{content: {{{content}}}}}, {DONE}"));
    let report = report("rest-unsent-media", &body(text), &body(&format!("{bytes}, {text}")));
    assert!(report.contains("not in anything that affects generated code"), "{report}");
}

#[test]
fn a_response_of_another_media_type_breaks_readers() {
    let answer = |media: &str| {
        post(&format!(
            "responses: {{'200': {{description: It., content: {{{media}: {{schema: {{type: \
             string}}}}}}}}}}"
        ))
    };
    assert_eq!(
        report("rest-answer-media", &answer("application/json"), &answer("text/plain")),
        "\
REST description, openapi/shop.yaml: 1 change, 1 of them breaking
  changed     POST /a (response) media type: application/json -> text/plain; BREAKS readers (it is written differently)
"
    );
    let gone = report("rest-answer-gone", &answer("application/json"), &post(DONE));
    assert_eq!(
        gone,
        "\
REST description, openapi/shop.yaml: 1 change, 1 of them breaking
  removed     POST /a (response): string; BREAKS readers (it is no longer sent)
"
    );
}

#[test]
fn parameters_of_an_operation_override_those_of_its_path() {
    let item = |of_path: &str, own: &str| {
        let parameter = |ty: &str| format!("{{name: n, in: query, schema: {{type: {ty}}}}}");
        let (shared, own) = (parameter(of_path), parameter(own));
        described(
            "",
            &format!(
                "parameters: [{shared}], post: {{operationId: a, parameters: [{own}], {DONE}}}"
            ),
        )
    };
    let changed = report("rest-own", &item("string", "string"), &item("string", "integer"));
    assert!(changed.contains("POST /a (query n): string -> integer; BREAKS callers"), "{changed}");
    let shared = report("rest-shared", &item("string", "string"), &item("integer", "string"));
    assert!(shared.contains("not in anything that affects generated code"), "{shared}");
}

#[test]
fn methods_of_any_name_are_operations() {
    let get = format!("get: {{operationId: a, {DONE}}}");
    let more = format!(
        "{get}, query: {{operationId: b, {DONE}}}, additionalOperations: {{COPY: {{operationId: c, \
         {DONE}}}}}"
    );
    assert_eq!(
        report("rest-methods", &described("", &get), &described("", &more)),
        "\
REST description, openapi/shop.yaml: 2 changes, 0 of them breaking
  added       COPY /a: c
  added       QUERY /a: b
"
    );
}

#[test]
fn a_changed_server_breaks_callers() {
    let item = format!("get: {{operationId: a, {DONE}}}");
    let server = |version: &str| {
        let variables = format!("{{v: {{default: {version}}}}}");
        let url = "'https://a.example/{v}'";
        described(&format!("servers: [{{url: {url}, variables: {variables}}}]\n"), &item)
    };
    assert_eq!(
        report("rest-server-variable", &server("v1"), &server("v2")),
        "\
REST description, openapi/shop.yaml: 1 change, 1 of them breaking
  changed     server: https://a.example/v1 -> https://a.example/v2; BREAKS callers (calls go to another URL)
"
    );
    let plain = described("servers: [{url: 'https://a.example/v1'}]\n", &item);
    let same = report("rest-server-plain", &server("v1"), &plain);
    assert!(same.contains("not in anything that affects generated code"), "{same}");
}
