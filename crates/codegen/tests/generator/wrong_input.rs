//! Wrong input: whatever a build script or a description says, there is a line with a position and what
//! to do, or code; never a panic.

use std::panic::{AssertUnwindSafe, catch_unwind};

use podqueue_codegen::{Build, Pages};

use crate::build_script::Folder;

const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
servers: [{url: https://pets.example/v1}]
paths:
  /pets:
    get:
      operationId: listPets
      tags: [Pets]
      parameters: [{name: limit, in: query, schema: {type: integer}}]
      responses: {'200': {description: All., content: {application/json: {schema: {type: object, properties: {pets: {type: array, items: {type: string}}}}}}}}
  /pets/{petId}#history:
    get:
      operationId: petHistory
      tags: [History]
      parameters: [{name: petId, in: path, required: true, schema: {type: string}}]
      responses: {'204': {description: Fine.}}
";

/// The errors and warnings of a build, without the directives that name files.
fn said(name: &str, text: &[u8], build: impl FnOnce(Build) -> Build) -> Vec<String> {
    let folder = Folder::new(&format!("wrong-{}", name.replace(' ', "-")));
    folder.write("openapi/pets.yaml", text);
    let build = build(Build::new().rest(folder.path("openapi/pets.yaml")));
    let made = catch_unwind(AssertUnwindSafe(|| folder.directives(&build)));
    let Ok((directives, failed)) = made else { panic!("{name}: the generator panics") };
    let said = directives.lines().filter(|it| !it.starts_with("cargo::rerun-if-changed="));
    let said = said.filter(|it| !it.starts_with("cargo::rustc-env="));
    let said: Vec<_> = said.map(str::to_owned).collect();
    let has_error = said.iter().any(|it| it.starts_with("cargo::error="));
    assert_eq!(failed, has_error, "{name}: {said:?}");
    for line in &said {
        assert!(is_diagnostic(line), "{name}: not a line with a position: {line}");
    }
    said.into_iter().map(|it| it.replace("cargo::", "")).collect()
}

/// Returns true for `cargo::error=file:line:column: message`.
fn is_diagnostic(line: &str) -> bool {
    let message = ["cargo::error=", "cargo::warning="].iter().find_map(|it| line.strip_prefix(it));
    let mut parts = message.unwrap_or_default().splitn(4, ':');
    let file = parts.next().is_some_and(|it| !it.is_empty());
    let mut is_number = || parts.next().is_some_and(|it| it.parse::<usize>().is_ok());
    file && is_number() && is_number() && parts.next().is_some_and(|it| it.starts_with(' '))
}

/// The message of each selector that selects nothing.
#[test]
fn a_selector_in_another_spelling_is_refused_with_the_right_one() {
    const LIST: &str = "6:5: the selector {} selects no operation. Did you mean {}?";
    const NONE: &str = "4:1: the selector {} selects no operation; write an operationId, \
                        \"METHOD /path\" or \"tag:NAME\"";
    const HISTORY: &str = "12:5: the selector {} selects no operation. Did you mean {}?";
    for (selector, expected, suggested) in [
        ("listPetz", LIST, "listPets"),
        ("LISTPETS", LIST, "listPets"),
        ("list-pets", LIST, "listPets"),
        ("operationId:listPets", LIST, "listPets"),
        ("operationId: listPetz", LIST, "listPets"),
        ("\u{202e}listPets\n", LIST, "listPets"),
        ("Tag:Pets", LIST, "tag:Pets"),
        ("tag: pets", LIST, "tag:Pets"),
        ("tags:Pets", LIST, "tag:Pets"),
        ("pets", LIST, "tag:Pets"),
        ("/pets", LIST, "GET /pets"),
        ("GET:/pets", LIST, "GET /pets"),
        ("GET pets", LIST, "GET /pets"),
        ("GET /pets/", LIST, "GET /pets"),
        ("POST /pets", LIST, "GET /pets"),
        ("GET /pets?limit=1", LIST, "GET /pets"),
        ("GET /v1/pets", LIST, "GET /pets"),
        ("GET https://pets.example/v1/pets", LIST, "GET /pets"),
        ("https://pets.example/v1/pets?limit=1", LIST, "GET /pets"),
        ("GET /pets/{petId}", HISTORY, "GET /pets/{petId}#history"),
        ("get /pets/{id}", HISTORY, "GET /pets/{petId}#history"),
        ("", NONE, ""),
        ("   ", NONE, ""),
        ("tag:", NONE, ""),
    ] {
        let message = expected.replacen("{}", &format!("{selector:?}"), 1);
        let message = message.replace("{}?", &format!("{suggested:?}?"));
        let found = said("only", PETS.as_bytes(), |it| it.only([selector]));
        assert_eq!(found, [format!("error=openapi/pets.yaml:{message}")], "{selector:?}");
    }
    for selector in
        ["get /pets", " GET\t/pets ", "GET /pets/{petId}#history", "tag: Pets", "list_pets"]
    {
        assert_eq!(
            said("only", PETS.as_bytes(), |it| it.only([selector])),
            [""; 0],
            "{selector:?}"
        );
    }
}

#[test]
fn pages_without_a_name_are_refused() {
    let next = "what leads to the next page has no name; state a header or a field";
    let parameter = "the parameter that asks for the next page has no name; state it";
    for (name, pages, expected) in [
        ("link", Pages::link(".."), next),
        ("header", Pages::header(" "), next),
        ("cursor", Pages::cursor("limit", ""), next),
        ("last item", Pages::last_item("limit", "id", "."), next),
        ("offset", Pages::offset("").items("pets"), parameter),
        ("number", Pages::number(" ", 1), parameter),
        (
            "items",
            Pages::offset("limit").items("."),
            "its response is no list; state a field with `.items(…)`",
        ),
        (
            "text",
            Pages::offset("limit").items("pets.name"),
            "its response has no field `pets.name`",
        ),
    ] {
        let found = said(name, PETS.as_bytes(), |it| it.pages("listPets", pages));
        let message = format!(
            "error=openapi/pets.yaml:6:5: the pages that are stated for GET /pets do not \
             fit: {expected}"
        );
        assert_eq!(found, [message], "{name}");
    }
    let found =
        said("selector", PETS.as_bytes(), |it| it.pages("listPetz", Pages::offset("limit")));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("Did you mean \"listPets\"?"), "{found:?}");
}

fn whole(paths: &str, schemas: &str) -> String {
    format!(
        "openapi: 3.0.3\ninfo: {{title: A, version: '1'}}\npaths:\n{paths}\ncomponents:\n  \
         schemas:\n{schemas}\n"
    )
}

/// A description with an operation that responds with the schema `A`.
fn of(schemas: &str) -> String {
    let paths = "  /a: {get: {operationId: a, responses: {'200': {description: A, content: \
                 {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}}";
    whole(paths, schemas)
}

#[test]
fn a_discriminator_that_maps_to_no_schema_is_reported() {
    let schemas = "    A:
      oneOf: [{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/C'}]
      discriminator:
        propertyName: kind
        mapping:
          b: '#/components/schemas/B'
          x: '#/components/schemas/Nope'
          y: Gone
          c: C
    B: {type: object, properties: {kind: {type: string}}}
    C: {type: object, properties: {kind: {type: string}}}";
    let expected = |line: usize, value: &str, to: &str| {
        format!(
            "warning=openapi/pets.yaml:{line}:11: the discriminator maps \"{value}\" to \"{to}\", \
             which is no schema, so that it selects no type; map it to a branch"
        )
    };
    let expected = [expected(13, "x", "#/components/schemas/Nope"), expected(14, "y", "Gone")];
    assert_eq!(said("mapping", of(schemas).as_bytes(), |it| it), expected);
    assert_eq!(said("mapping", of(schemas).as_bytes(), |it| it.only(["a"])), expected);
}

#[test]
fn schemas_that_refer_to_each_other_only_are_reported() {
    let tests = [
        ("    A: {$ref: '#/components/schemas/A'}", "A refers to itself only"),
        (
            "    A: {$ref: '#/components/schemas/B'}\n    B: {allOf: [{$ref: '#/components/schemas/A'}]}",
            "A, B refer to each other only",
        ),
    ];
    for (schemas, what) in tests {
        let expected = format!(
            "warning=openapi/pets.yaml:7:5: {what}, which is no type; a value of it may be any JSON"
        );
        assert_eq!(said("cycle", of(schemas).as_bytes(), |it| it), [expected]);
    }
    // A chain has an end, whatever its length.
    let chain =
        (0..200).map(|it| format!("    A{it}: {{$ref: '#/components/schemas/A{}'}}\n", it + 1));
    let chain: String = chain.collect();
    let schemas =
        format!("    A: {{$ref: '#/components/schemas/A0'}}\n{chain}    A200: {{type: object}}");
    assert_eq!(said("chain", of(&schemas).as_bytes(), |it| it), [""; 0]);
}

#[test]
fn a_discriminator_that_contradicts_its_branches_is_reported() {
    let schemas = "    A:
      oneOf: [{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/C'}]
      discriminator:
        propertyName: kind
        mapping:
          b: '#/components/schemas/B'
          c: C
          one: D
        defaultMapping: Nope
    B: {type: object, properties: {kind: {type: string, enum: [x, y]}}}
    C: {type: object, properties: {kind: {type: integer}}}
    D: {type: object}";
    let expected = [
        "warning=openapi/pets.yaml:12:11: the discriminator maps \"b\" to B, but its `kind` is \
         \"x\" or \"y\"; correct one of them",
        "warning=openapi/pets.yaml:13:11: the discriminator maps \"c\" to C, but its `kind` is of \
         the type integer; correct one of them",
        "warning=openapi/pets.yaml:14:11: the discriminator maps \"one\" to \"D\", which is no branch \
         of its union, so that it selects no type; map it to a branch",
        "warning=openapi/pets.yaml:15:9: the default of the discriminator is \"Nope\", which is no \
         schema, so that it selects no type; name a branch",
    ];
    assert_eq!(said("contradiction", of(schemas).as_bytes(), |it| it), expected);
}

#[test]
fn tags_that_select_no_branch_are_reported_and_no_others() {
    let union = |discriminator: &str, branches: &[&str]| {
        let names = ["B", "C", "D"].iter().zip(branches);
        let refs: Vec<_> =
            names.clone().map(|(it, _)| format!("{{$ref: '#/components/schemas/{it}'}}")).collect();
        let schemas: Vec<_> = names
            .map(|(name, kind)| {
                format!("    {name}: {{type: object, properties: {{kind: {kind}}}}}\n")
            })
            .collect();
        of(&format!(
            "    A:\n      oneOf: [{}]\n      discriminator: {{propertyName: kind, {discriminator}}}\n{}    Z: {{type: object}}",
            refs.join(", "),
            schemas.concat()
        ))
    };
    let ambiguous = "warning=openapi/pets.yaml:9:7: B and C list \"x\" for `kind`, so that it selects \
                     none of them; list it in one, or map it";
    let outside = "warning=openapi/pets.yaml:9:43: the default of the discriminator is \"Z\", which is \
                   no branch of its union, so that it selects no type; name a branch";
    let (number, integer) = ("{type: number}", "{type: integer}");
    for (name, discriminator, branches, expected) in [
        ("twice", "", &["{enum: [x, y]}", "{enum: [x, z]}"][..], Some(ambiguous)),
        ("abstract", "", &["{enum: [x]}", "{enum: [x]}", "{enum: [y]}"], Some(ambiguous)),
        ("mapped", "mapping: {x: B}", &["{enum: [x, y]}", "{enum: [x, z]}"], None),
        ("shared", "", &["{enum: [x, y]}", "{enum: [x, y]}"], Some(ambiguous)),
        ("inherited", "mapping: {x: B, y: C}", &["{enum: [x, y, z]}", "{enum: [x, y, z]}"], None),
        ("outside", "defaultMapping: Z", &["{enum: [x]}", "{enum: [y]}"], Some(outside)),
        ("wide", "mapping: {'18446744073709551615': B, '-1': C}", &[integer, integer], None),
        ("fractions", "mapping: {'1.5': B, '2.0': C, '-3': D}", &[number, number, number], None),
        ("listed", "mapping: {'1.5': B, '2.0': C}", &["{enum: [1.5]}", "{enum: [2]}"], None),
    ] {
        let expected: Vec<_> = expected.into_iter().map(str::to_owned).collect();
        let name = format!("tags-{name}");
        assert_eq!(
            said(&name, union(discriminator, branches).as_bytes(), |it| it),
            expected,
            "{name}"
        );
    }
}

#[test]
fn integers_for_which_no_type_has_room_are_reported() {
    let schemas = "    A:
      type: object
      properties:
        a: {type: integer, enum: [-1, 18446744073709551615]}
        b: {allOf: [{type: integer, minimum: -1}, {maximum: 18446744073709551615}]}
        c: {oneOf: [{type: integer, enum: [-1]}, {type: integer, minimum: 9223372036854775808}]}
        d: {type: integer, minimum: 0, maximum: 18446744073709551615}
        e: {type: integer, minimum: -1, allOf: [{minimum: 0}], maximum: 18446744073709551615}
        f: {type: integer, minimum: -9223372036854775808, maximum: 9223372036854775807}
        g: {type: integer, enum: [1, 99999999999999999999]}";
    let expected = [(10, "a"), (11, "b"), (12, "c"), (16, "g")].map(|(line, name)| {
        format!(
            "warning=openapi/pets.yaml:{line}:9: #/components/schemas/A/properties/{name}: numbers \
             are permitted for which neither an i64 nor a u64 has room, negative ones and some above \
             9223372036854775807, or larger ones; it may be any JSON value"
        )
    });
    assert_eq!(said("integers", of(schemas).as_bytes(), |it| it), expected);
}

#[test]
fn pages_that_are_stated_in_two_ways_are_refused() {
    let twice = |first: Pages, second: Pages| {
        said("twice", PETS.as_bytes(), |it| it.pages("tag:Pets", first).pages("listPets", second))
    };
    let message = "error=openapi/pets.yaml:6:5: the pages that are stated for \"listPets\" are not those \
                   that another selector of this operation states; state one of them";
    assert_eq!(twice(Pages::offset("limit"), Pages::none()), [message]);
    assert_eq!(twice(Pages::offset("limit"), Pages::offset("limit")), [""; 0]);
}

#[test]
fn conditions_that_other_schemas_describe_are_reported() {
    let schemas = "    A:
      type: object
      properties: {a: {type: string}}
      then: {$ref: '#/components/schemas/B'}
    B: {type: object, properties: {b: {type: string}}}";
    let expected = "warning=openapi/pets.yaml:7:5: #/components/schemas/A: what it has under a condition \
                    is described by other schemas, whose fields are left out; list them among the \
                    properties";
    assert_eq!(said("conditions", of(schemas).as_bytes(), |it| it), [expected]);
}

#[test]
fn a_header_that_refers_to_itself_is_reported() {
    let paths = "  /a: {get: {responses: {'204': {description: A, headers: {x-a: {$ref: '#/components/headers/A'}, x-b: {schema: {type: integer}}}}}}}";
    let text = whole(paths, "    A: {}").replace("  schemas:", "  headers:\n    A: {$ref: '#/components/headers/B'}\n    B: {$ref: '#/components/headers/A'}\n  schemas:");
    let expected =
        "warning=openapi/pets.yaml:4:8: GET /a: the $ref of its header x-a leads nowhere";
    assert_eq!(said("header", text.as_bytes(), |it| it), [expected]);
}

#[test]
fn descriptions_that_say_nonsense_give_lines_and_no_panic() {
    let missing = "1:1: this is not an OpenAPI description: it has no `openapi` version at the top";
    let error = |message: &str| vec![format!("error=openapi/pets.yaml:{message}")];
    let warning = |message: &str| vec![format!("warning=openapi/pets.yaml:{message}")];
    let swagger = "1:1: this is a Swagger 2.0 description; only OpenAPI 3.0 to 3.2 is supported";
    let newer = "1:1: this is an OpenAPI 4.0.0 description; only 3.0 to 3.2 is supported";
    let list = "2:1: no operation is generated: `paths` is no mapping; write a key for each path";
    let empty = "7:40: an empty reference leads nowhere; it is read as any value";
    for (name, text, expected) in [
        ("empty", String::new(), error(missing)),
        ("list", "- openapi: 3.0.3\n".to_owned(), error(missing)),
        ("text", "hello\n".to_owned(), error(missing)),
        ("version list", "openapi: [3]\npaths: {}\n".to_owned(), error(missing)),
        ("swagger", "swagger: '2.0'\npaths: {}\n".to_owned(), error(swagger)),
        ("newer", "openapi: 4.0.0\npaths: {}\n".to_owned(), error(newer)),
        ("unclosed", "openapi: 3.0.3\npaths: {".to_owned(), error("2:8: unclosed bracket '{'")),
        ("paths", "openapi: 3.0.3\npaths: [a]\n".to_owned(), warning(list)),
        (
            "empty reference",
            of("    A: {type: object, properties: {a: {$ref: ''}}}"),
            warning(empty),
        ),
    ] {
        assert_eq!(said(name, text.as_bytes(), |it| it), expected, "{name}");
    }
    for (name, text) in [
        ("numbers", of("    A: {oneOf: [{$ref: '#/components/schemas/B'}], discriminator: 7}\n    B: {type: object, discriminator: {propertyName: [1], mapping: [a]}}")),
        ("itself", of("    A: {$ref: '#/components/schemas/A'}")),
        ("a union of itself", of("    A: {type: object, allOf: [{$ref: '#/components/schemas/A'}], anyOf: [{$ref: '#/components/schemas/A'}], discriminator: {propertyName: a}}")),
        ("all of itself", of("    A: {allOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}\n    B: {allOf: [{$ref: '#/components/schemas/A'}]}")),
        ("no paths", "openapi: 3.0.3\ninfo: {title: A, version: '1'}\n".to_owned()),
        ("paths", whole("  a/{b: {get: {responses: {}}}\n  '': {get: {responses: {}}}\n  '/{}': {get: {responses: {}}}\n  '/a}b': {get: {responses: {}}}", "    A: {}")),
        ("operations", whole("  /a: {get: text, put: [], post: 7, parameters: {}, delete: {parameters: {a: b}, responses: [], requestBody: 7}}", "    A: {}")),
        ("parameters", whole("  /a/{b}/{c}: {get: {parameters: [7, {}, {name: b}, {name: b, in: path}, {name: '', in: query}, {name: x, in: nowhere}, {name: q, in: query}, {name: Content-Type, in: header, schema: 7}, {name: 'a b', in: header, schema: {type: string}}], responses: {'200': 7, '99': {}, x: {}, default: []}}}", "    A: {}")),
        ("schemas", of("    A: {type: object, properties: {a: text, b: {type: []}, c: {type: [a, b]}, d: {type: array, items: []}, e: {enum: text}, f: {enum: []}, g: {allOf: {}}, h: {oneOf: []}, i: {required: yes, properties: [x]}, j: {additionalProperties: 7}, k: {type: object, properties: {'': {type: string}, self: {}, crate: {}, Self: {}, super: {}, '🦀': {}}}, l: {enum: ['', '-', ' ', '_', self, '🦀']}, m: 7, n: null}}\n    '': {type: object}\n    '🦀': {type: object}")),
        ("names", whole("  /a: {get: {operationId: '🦀', responses: {}}, put: {operationId: '', responses: {}}, post: {operationId: self, responses: {}}, delete: {operationId: 'a\n\nb', responses: {}}, patch: {operationId: [7], tags: 7, responses: {}}}", "    A: {}")),
        ("servers", "openapi: 3.0.3\nservers: text\npaths: {/a: {servers: [7, {url: ':::'}, {url: 'https://{x}.example'}], get: {servers: [{url: '{y}', variables: 7}], responses: {}}}}\n".to_owned()),
        ("security", "openapi: 3.0.3\nsecurity: text\npaths: {/a: {get: {security: [7], responses: {}}}}\ncomponents: {securitySchemes: [a], parameters: 7, schemas: []}\n".to_owned()),
        ("bodies", whole("  /a: {post: {requestBody: {content: []}, responses: {}}, put: {requestBody: {content: {'': {}, 'a/b/c': 7, 'multipart/form-data': {schema: {type: string}}}}, responses: {}}, patch: {requestBody: {content: {'application/x-www-form-urlencoded': {schema: {type: array}}}}, responses: {}}}", "    A: {}")),
        ("deep", of(&format!("    A: {}{{}}{}", "{items: ".repeat(3000), "}".repeat(3000)))),
        ("byte order mark", format!("\u{feff}{PETS}")),
        ("windows", PETS.replace('\n', "\r\n")),
    ] {
        said(name, text.as_bytes(), |it| it);
    }
    let no_text = said("no text", &[0xff, 0xfe, 0x00, 0x41], |it| it);
    assert_eq!(no_text, error("1:1: this file is not UTF-8"));
}
