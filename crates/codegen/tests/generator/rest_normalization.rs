//! Normalization: a test for each construct of published descriptions that makes the type generator
//! fail, panic, or generate types that refuse responses.

use crate::build_script::Folder;
use crate::support::{dense, described, item, lines, paths, thing};
use podqueue_codegen::{Source, rest};

/// `GET /thing` with these responses.
fn answers(responses: &str) -> String {
    let code = paths(&format!(
        "  /thing:\n    get:\n      operationId: getThing\n      responses: {{{responses}}}"
    ))
    .code;
    let start = code.find("pub fn send(").unwrap();
    let (signature, _) = code[start..].split_once(" {\n").unwrap();
    crate::support::dense(signature).replace("( ", "(").replace(", )", ")") + " {"
}

const JSON: &str = "content: {application/json: {schema: {type: string}}}";

#[test]
fn repeated_operation_ids_are_numbered() {
    let code = paths(
        "
  /a: {get: {operationId: read, responses: {'200': {description: A}}}}
  /b: {get: {operationId: read, responses: {'200': {description: B}}}}",
    )
    .code;
    assert!(code.contains("pub fn read(&self)") && code.contains("pub fn read_2(&self)"));
}

#[test]
fn operations_without_an_id_are_named_after_their_path() {
    let code = paths("  /a/{b}/c: {get: {responses: {'200': {description: A}}}}").code;
    assert!(code.contains("pub fn get_a_b_c(&self, b: impl Into<String>)"), "{code}");
}

#[test]
fn a_success_without_content_makes_the_response_optional() {
    let send = answers(&format!("'200': {{description: A, {JSON}}}, '204': {{description: B}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<Option<String>> {");
    let send = answers(&format!("'204': {{description: B}}, '201': {{description: A, {JSON}}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<Option<String>> {");
    let send = answers(&format!("'200': {{description: A, {JSON}}}, '404': {{description: B}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<String> {");
}

#[test]
fn a_default_response_beside_a_success_is_an_error() {
    let send = answers(&format!("'200': {{description: A}}, default: {{description: B, {JSON}}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<()> {");
    let send = answers(&format!("default: {{description: B, {JSON}}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<Option<String>> {");
}

#[test]
fn errors_may_have_bodies_of_different_types() {
    let send = answers(&format!(
        "'200': {{description: A}}, '400': {{description: B, {JSON}}}, \
         '500': {{description: C, content: {{application/json: {{schema: {{type: integer}}}}}}}}"
    ));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<()> {");
}

#[test]
fn a_repeated_key_is_an_error() {
    let one = r#"{"get": {"responses": {"204": {"description": "A"}}}}"#;
    let json =
        format!("{{\n \"openapi\": \"3.0.3\", \"paths\": {{\"/a\": {one},\n\"/a\": {one}}}}}");
    for (name, text) in [("a.json", &json), ("a.yaml", &json)] {
        let source = Source { name: name.to_owned(), text: text.clone() };
        let diagnostics = lines(&rest::generate(&source).unwrap_err());
        let place = if name == "a.json" { "3:4" } else { "3:1" };
        let expected = format!("{name}:{place}: the key `/a` is already defined");
        assert!(diagnostics.starts_with(&expected), "{diagnostics}");
    }
}

#[test]
fn a_json_response_without_a_schema_is_any_value() {
    let send = answers("'200': {description: A, content: {application/json: {}}}");
    assert!(
        send.contains("-> __runtime::__private::Sending<__runtime::__private::serde_json::Value>"),
        "{send}"
    );
}

#[test]
fn media_types_that_end_in_json_are_json() {
    for media in ["application/json; charset=utf-8", "application/problem+json", "*/*"] {
        let content = format!("content: {{'{media}': {{schema: {{type: string}}}}}}");
        let send = answers(&format!("'200': {{description: A, {content}}}"));
        assert!(send.contains("Sending<String>"), "{media}: {send}");
    }
}

/// A response of the other type would be read as the first one, without its fields.
#[test]
fn json_of_another_schema_is_not_asked_for() {
    let response = |other: &str| {
        let one = "{schema: {type: object, properties: {one: {type: string}}}}";
        paths(&format!(
            "  /a: {{get: {{responses: {{'200': {{description: A, content: {{application/one+json: {one}, application/two+json: {other}, application/three+json: {one}}}}}}}}}}}"
        ))
        .code
    };
    let code = dense(&response("{schema: {type: object, properties: {two: {type: string}}}}"));
    assert!(code.contains("application/one+json, application/three+json"), "{code}");
    assert!(!code.contains("application/two+json"), "{code}");
}

#[test]
fn reserved_characters_of_a_path_are_escaped_and_a_warning_says_so() {
    let made = paths(
        "  /a/{p}: {post: {parameters: [{name: p, in: path, required: true, allowReserved: true, schema: {type: string}}, {name: q, in: query, allowReserved: true, schema: {type: string}}], responses: {'200': {description: A}}}}",
    );
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:4:12: POST /a/{p}: the path parameter p has allowReserved, which is ignored: reserved characters are escaped"
    );
}

/// Both are read as booleans, too.
#[test]
fn a_boolean_whose_example_is_its_text_is_a_boolean() {
    let made = thing("a: {type: boolean, example: 'False'}, b: {type: boolean, example: 1}");
    let code = item(&made.code, "pub struct Thing {");
    assert!(code.contains("pub a: Option<bool>") && code.contains("pub b: Option<bool>"), "{code}");
    assert!(made.warnings.is_empty(), "{}", lines(&made.warnings));
    let made = thing("a: {type: boolean, example: maybe}");
    assert!(item(&made.code, "pub struct Thing {").contains("Value"), "{}", made.code);
}

/// 3.0 ignores it, where it would contradict the reference.
#[test]
fn a_type_beside_a_reference_does_not_count_in_3_0() {
    let made = thing("a: {$ref: '#/components/schemas/Thing', type: string, description: One.}");
    let code = item(&made.code, "pub struct Thing {");
    assert!(code.contains("pub a: Option<Box<Thing>>") && code.contains("/// One."), "{code}");
}

#[test]
fn examples_that_contradict_their_schemas_are_one_warning() {
    let made = thing(
        "a: {type: integer, example: x}, b: {type: integer, example: y}, c: {type: array, items: {type: string}, example: 'a,b'}",
    );
    assert_eq!(made.warnings.len(), 1, "{}", lines(&made.warnings));
    assert!(lines(&made.warnings).ends_with("responses may hold any value (2 more like it)"));
}

#[test]
fn an_integer_whose_example_has_a_fraction_is_a_number() {
    let made = thing(
        "a: {type: integer, example: 0.5}, b: {type: integer, example: '1.5'}, c: {type: integer, example: 2.0}",
    );
    let code = item(&made.code, "pub struct Thing {");
    for field in ["pub a: Option<f64>", "pub b: Option<f64>", "pub c: Option<i64>"] {
        assert!(code.contains(field), "{code}");
    }
    let expected =
        "its example is no integer; it is a number that may have a fraction (1 more like it)";
    assert!(lines(&made.warnings).ends_with(expected), "{}", lines(&made.warnings));
}

#[test]
fn an_integer_above_the_signed_range_is_unsigned() {
    let made = thing(
        "a: {type: integer, minimum: 0, maximum: 18446744073709551615}, \
         b: {type: integer, enum: [1, 18446744073709551615]}, \
         c: {type: integer, example: 18446744073709551615}, \
         d: {type: integer, default: 9223372036854775808}, \
         e: {type: integer, minimum: 0}, \
         f: {type: integer, minimum: 0, maximum: 9223372036854775807}, \
         g: {type: integer, exclusiveMinimum: -1, maximum: 18446744073709551615}, \
         h: {type: integer, exclusiveMinimum: 9223372036854775807}, \
         i: {type: integer, minimum: 9223372036854775807, exclusiveMinimum: true}, \
         j: {type: integer, minimum: 9223372036854775808}, \
         k: {allOf: [{type: integer, minimum: 0}, {maximum: 18446744073709551615}]}, \
         l: {type: [integer, 'null'], maximum: 18446744073709551615}, \
         m: {oneOf: [{type: integer}, {type: integer, format: uint64}]}, \
         n: {type: integer, example: '18446744073709551615'}, \
         o: {type: integer, minimum: -9223372036854776000, maximum: 9223372036854776000}",
    );
    let code = item(&made.code, "pub struct Thing {");
    for (field, ty) in [
        ("a", "u64"),
        ("b", "u64"),
        ("c", "u64"),
        ("d", "u64"),
        ("e", "i64"),
        ("f", "i64"),
        ("g", "u64"),
        ("h", "u64"),
        ("i", "u64"),
        ("j", "u64"),
        ("k", "u64"),
        ("l", "u64"),
        ("m", "u64"),
        ("n", "u64"),
        ("o", "i64"),
    ] {
        assert!(code.contains(&format!("pub {field}: Option<{ty}>")), "{field}: {code}");
    }
    assert_eq!(lines(&made.warnings), "");
}

#[test]
fn an_example_counts_for_a_type_that_may_be_null() {
    let made = thing(
        "a: {type: [integer, 'null'], example: 1.5}, \
         b: {anyOf: [{type: integer}, {type: 'null'}], example: 1.5}, \
         c: {type: [array, 'null'], items: {type: string}, example: 'x,y'}, \
         d: {type: [integer, 'null'], example: null}",
    );
    let code = item(&made.code, "pub struct Thing {");
    let any = "__runtime::__private::serde_json::Value";
    for (field, ty) in [("a", "f64"), ("b", "f64"), ("c", any), ("d", "i64")] {
        assert!(code.contains(&format!("pub {field}: Option<{ty}>")), "{field}: {code}");
    }
    assert!(lines(&made.warnings).ends_with("(2 more like it)"), "{}", lines(&made.warnings));
}

#[test]
fn responses_with_different_types_are_variants_by_status() {
    let made = paths(
        "  /a: {get: {responses: {'200': {description: A, content: {text/csv: {}}}, '201': {description: B, content: {application/json: {schema: {type: string}}}}, '202': {description: C, content: {application/json: {schema: {type: integer}}}}}}}",
    );
    for variant in ["Status200(String),", "Status201(String),", "Status202(i64),"] {
        assert!(made.code.contains(variant), "{variant} is not in\n{}", made.code);
    }
    assert!(made.code.contains("pub fn send(self) -> __runtime::__private::Sending<String>"));
    assert_eq!(lines(&made.warnings), "");
}

#[test]
fn of_several_media_types_the_best_is_sent() {
    let code = paths(
        "
  /a:
    post:
      operationId: make
      requestBody: {required: true, content: {application/xml: {schema: {type: string}}, application/json: {schema: {type: object, properties: {a: {type: string}}}}}}
      responses: {'201': {description: Made.}}",
    )
    .code;
    assert!(code.contains("pub fn make(&self, body: impl Into<types::MakeBody>)"), "{code}");
}

#[test]
fn a_body_that_cannot_be_sent_is_left_out_with_a_warning() {
    let made = paths(
        "  /a: {post: {requestBody: {required: true, content: {multipart/related: {schema: {type: object}}}}, responses: {'200': {description: A}}}}",
    );
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:4:8: left out POST /a: it takes multipart/related, which cannot be sent"
    );
}

#[test]
fn path_parameters_are_required_even_if_undeclared() {
    let code = paths(
        "
  /a/{b}/{c}:
    get:
      operationId: read
      parameters: [{name: b, in: path, schema: {type: integer}}]
      responses: {'200': {description: A}}",
    )
    .code;
    assert!(code.contains("pub fn read(&self, b: i64, c: impl Into<String>) -> Read {"), "{code}");
}

#[test]
fn cookies_and_lists_of_objects_in_headers_are_left_out_with_a_warning() {
    let made = paths(
        "
  /a:
    get:
      operationId: read
      parameters:
        - {name: session, in: cookie, schema: {type: string}}
        - {name: filters, in: header, schema: {type: array, items: {type: object, properties: {a: {type: string}}}}}
        - {name: page, in: query, schema: {type: integer}}
      responses: {'200': {description: A}}",
    );
    assert!(item(&made.code, "impl Read {").contains("pub fn page(mut self, page: i64)"));
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:6:5: GET /a: session is a cookie parameter, which cannot be sent\n\
         openapi/test.yaml:6:5: GET /a: the parameter filters is a list of lists or objects, so it \
         cannot be sent as a header"
    );
}

#[test]
fn headers_of_the_connection_cannot_be_given() {
    let made = paths(
        "
  /a:
    put:
      operationId: write
      parameters: [{name: Content-Length, in: header, required: true, schema: {type: integer}}]
      responses: {'200': {description: A}}",
    );
    assert!(made.code.contains("pub fn write(&self) -> Write {"));
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:6:5: PUT /a: Content-Length is a header that the HTTP client sets, so it \
         cannot be given"
    );
}

#[test]
fn enums_with_repeated_values_null_or_no_values_are_normalized() {
    let code = thing("kind: {type: string, nullable: true, enum: [A, B, A, null]}, none: {type: string, enum: []}").code;
    let kind = item(&code, "pub enum ThingKind {");
    assert_eq!(kind.matches("A,").count(), 1, "{kind}");
    assert!(code.contains("pub kind: Option<ThingKind>,"));
    assert!(code.contains("pub none: Option<String>,"));
}

#[test]
fn enum_values_without_distinct_names_are_numbered() {
    let code =
        thing("odd: {type: string, enum: ['a-b', a_b, '', '+1', '-1', '1', '>', self]}").code;
    let odd = item(&code, "pub enum ThingOdd {");
    for variant in [
        "AB,",
        "AB2,",
        "Empty,",
        "Plus1,",
        "Minus1,",
        "V1,",
        "Greater,",
        "Self_,",
        "Other(String),",
    ] {
        assert!(odd.contains(variant), "{variant} is not in {odd}");
    }
}

#[test]
fn the_same_enum_in_many_places_is_one_type() {
    let code = thing(
        "a: {type: string, enum: [up, down]}, b: {type: string, nullable: true, enum: [up, down, null]}, \
         c: {type: array, items: {type: string, enum: [up, down]}}",
    )
    .code;
    assert_eq!(code.matches("pub enum ").count(), 1, "{code}");
    assert!(code.contains("pub b: Option<ThingA>,") && code.contains("pub c: Vec<ThingA>,"));
}

#[test]
fn an_enum_of_numbers_is_a_number() {
    let code = thing("level: {type: integer, enum: [1, 2, 3]}").code;
    assert!(code.contains("pub level: Option<i64>,"));
}

#[test]
fn a_default_that_does_not_conform_is_a_warning() {
    let code = thing(
        "ports: {type: array, items: {type: string}, default: 'a,b'}, \
         kind: {type: string, enum: [A], default: B}, count: {type: integer, default: many}",
    )
    .code;
    assert!(code.contains("pub ports: Vec<String>,"));
    assert!(code.contains("pub count: Option<i64>,"));
}

#[test]
fn defaults_do_not_replace_missing_fields_of_responses() {
    let code = thing("size: {type: integer, default: 50}, on: {type: boolean, default: true}").code;
    assert!(code.contains("pub size: Option<i64>,") && code.contains("pub on: Option<bool>,"));
    assert!(!code.contains("50") && !code.contains("true"), "{code}");
}

#[test]
fn formats_and_limits_do_not_narrow_types() {
    let code = thing(
        "ip: {type: string, format: ipv4}, at: {type: string, format: date-time}, \
         id: {type: string, format: uuid}, name: {type: string, maxLength: 191, pattern: '^a$'}, \
         n: {type: integer, format: int32, minimum: 1}, price: {type: number, format: currency, minimum: 0}, \
         set: {type: array, uniqueItems: true, minItems: 2, maxItems: 2, items: {type: string}}",
    )
    .code;
    for field in ["ip", "at", "id", "name"] {
        assert!(code.contains(&format!("pub {field}: Option<String>,")), "{field}");
    }
    assert!(code.contains("pub n: Option<i64>,"));
    assert!(code.contains("pub price: Option<f64>,"));
    assert!(code.contains("pub set: Vec<String>,"));
}

#[test]
fn an_object_with_items_is_a_map() {
    let code = thing("env: {type: object, items: {type: string}}").code;
    assert!(code.contains("pub env: HashMap<String, String>,"), "{code}");
}

#[test]
fn an_object_without_additional_properties_still_reads_more() {
    let code = thing(
        "inner: {type: object, additionalProperties: false, properties: {a: {type: string}}}",
    )
    .code;
    assert!(!code.contains("deny_unknown_fields"), "{code}");
}

#[test]
fn null_is_accepted_as_an_example_of_any_type() {
    let code = thing("a: {type: string, example: null}, b: {type: integer, example: null}").code;
    assert!(code.contains("pub a: Option<String>,") && code.contains("pub b: Option<i64>,"));
}

#[test]
fn malformed_hints_for_other_tools_are_ignored() {
    let code = thing(
        "a: {type: string, externalDocs: {}, readOnly: 'yes', discriminator: {}, xml: 5, \
         x-rust-type: {crate: elsewhere, version: '*', path: 'elsewhere::Type'}}",
    )
    .code;
    assert!(code.contains("pub a: Option<String>,"));
}

#[test]
fn missing_types_are_inferred_from_other_keywords() {
    let code = thing(
        "kind: {enum: [A, B]}, list: {items: {type: string}}, \
         map: {additionalProperties: {type: string}}, object: {properties: {a: {type: string}}}",
    )
    .code;
    assert!(code.contains("pub kind: Option<ThingKind>,"));
    assert!(code.contains("pub list: Vec<String>,"));
    assert!(code.contains("pub map: HashMap<String, String>,"));
    assert!(code.contains("pub object: Option<ThingObject>,"));
}

#[test]
fn nullable_lists_and_maps_are_not_options() {
    let code = thing(
        "list: {type: array, nullable: true, items: {type: string}}, \
         map: {type: object, nullable: true, additionalProperties: {type: string, nullable: true}}",
    )
    .code;
    assert!(code.contains("pub list: Vec<String>,"));
    assert!(code.contains("pub map: HashMap<String, Option<String>>,"));
}

#[test]
fn lists_without_items_and_objects_without_fields_are_any_json() {
    let code = thing("list: {type: array}, object: {type: object}, any: {}").code;
    assert!(code.contains("pub list: Vec<__runtime::__private::serde_json::Value>,"));
    assert!(code.contains("pub object: __runtime::__private::serde_json::Map<"));
    assert!(code.contains("pub any: Option<__runtime::__private::serde_json::Value>,"));
}

#[test]
fn properties_with_equal_names_in_rust_are_numbered() {
    let code = thing("fooBar: {type: string}, foo_bar: {type: string}").code;
    assert!(code.contains("0 \"fooBar\" foo_bar_2 optional;"));
    assert!(code.contains("1 \"foo_bar\" foo_bar optional;"));
}

#[test]
fn recursive_parts_of_multipart_bodies_are_cut_off() {
    let made = described(
        "openapi: 3.0.3
info: {title: Test, version: 1}
paths:
  /a: {post: {operationId: send_it, requestBody: {content: {multipart/form-data: {schema: {$ref: '#/components/schemas/Body'}}}}, responses: {204: {description: A}}}}
components:
  schemas:
    Body: {type: object, oneOf: [{$ref: '#/components/schemas/Body'}], properties: {list: {$ref: '#/components/schemas/List'}, choice: {$ref: '#/components/schemas/Choice'}}}
    List: {type: array, items: {$ref: '#/components/schemas/List'}}
    Choice: {oneOf: [{$ref: '#/components/schemas/Choice'}, {type: string}]}",
    );
    assert!(made.code.contains("pub fn list("), "{}", made.code);
}

/// A description with these schemas, of which `Thing` is answered.
fn schemas(schemas: &str) -> podqueue_codegen::Generated {
    described(&format!(
        "openapi: 3.0.3
info: {{title: Test, version: 1}}
paths:
  /thing:
    get:
      responses: {{200: {{description: A, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Thing'}}}}}}}}}}
components: {{schemas: {{{schemas}}}}}"
    ))
}

#[test]
fn schemas_with_equal_names_or_names_of_rust_are_renamed() {
    let code = schemas(
        "Thing: {type: object, properties: {a: {$ref: '#/components/schemas/pod_info'}, b: {$ref: '#/components/schemas/PodInfo'}, c: {$ref: '#/components/schemas/Option'}}}, \
         pod_info: {type: object, properties: {x: {type: string}}}, \
         PodInfo: {type: object, properties: {y: {type: string}}}, \
         Option: {type: object, properties: {z: {type: string}}}",
    )
    .code;
    assert!(item(&code, "pub struct PodInfo {").contains("pub y:"), "{code}");
    assert!(item(&code, "pub struct PodInfo2 {").contains("pub x:"), "{code}");
    assert!(code.contains("pub c: Option<OptionObject>,"), "{code}");
}

#[test]
fn a_schema_that_only_names_a_string_is_a_string() {
    let code = schemas(
        "Thing: {type: object, properties: {a: {$ref: '#/components/schemas/Name'}, b: {$ref: '#/components/schemas/Names'}}}, \
         Name: {type: string, maxLength: 3}, Names: {type: array, items: {$ref: '#/components/schemas/Name'}}",
    )
    .code;
    assert!(code.contains("pub a: Option<String>,") && code.contains("pub b: Vec<String>,"));
    assert!(!code.contains("struct Name"), "{code}");
}

#[test]
fn recursive_schemas_are_boxed() {
    let code = schemas(
        "Thing: {type: object, required: [left], properties: {left: {$ref: '#/components/schemas/Thing'}, all: {type: array, items: {$ref: '#/components/schemas/Thing'}}}}, \
         Loop: {$ref: '#/components/schemas/Loop'}, Lists: {type: array, items: {$ref: '#/components/schemas/Lists'}}",
    )
    .code;
    assert!(dense(&code).contains("pub left: Option<Box<Thing>>,"), "{code}");
    assert!(code.contains("pub all: Vec<Thing>,"));
}

#[test]
fn a_reference_that_leads_nowhere_is_any_value_with_a_warning() {
    let made =
        schemas("Thing: {type: object, properties: {a: {$ref: '#/components/schemas/Gone'}}}");
    assert!(made.code.contains("pub a: Option<__runtime::__private::serde_json::Value>,"));
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:7:63: the reference #/components/schemas/Gone leads nowhere; it is read as any value"
    );
}

#[test]
fn references_of_other_files_that_lead_nowhere_are_reported_there() {
    let folder = Folder::new("nowhere");
    folder.write(
        "openapi/all.yaml",
        "openapi: 3.0.3
paths:
  /pets: {$ref: 'pets.yaml#/pets'}
components: {schemas: {Owner: {$ref: 'pets.yaml#/Owner'}}}
",
    );
    folder.write(
        "openapi/pets.yaml",
        "pets:
  get:
    operationId: listPets
    parameters: [{$ref: '#/Gone'}, {name: c, in: cookie, schema: {type: string}}]
    responses:
      '200': {$ref: '#/List'}
  post:
    operationId: addPet
    responses: {'204': {$ref: 'gone.yaml'}}
List:
  description: All.
  content:
    application/json:
      schema:
        type: array
        items:
          $ref: '#/NoPet'
Owner: {type: object, properties: {pets: {type: array, items: {$ref: nowhere.yaml}}}}
",
    );
    let source = Source::read(&folder.path("openapi/all.yaml")).unwrap();
    let made = rest::generate(&source).unwrap_or_else(|it| panic!("{}", lines(&it)));
    let here = format!("{}/", folder.path("openapi").display());
    assert_eq!(
        lines(&made.warnings).replace(&here, ""),
        "pets.yaml:2:3: GET /pets: left out a parameter: #/Gone leads nowhere
pets.yaml:2:3: GET /pets: c is a cookie parameter, which cannot be sent
pets.yaml:7:3: POST /pets: the $ref of its response 204 leads nowhere
pets.yaml:17:11: the reference #/NoPet leads nowhere; it is read as any value
pets.yaml:18:64: the reference nowhere.yaml leads nowhere; it is read as any value"
    );
}

/// Also the width of an integer: `i64` has no room for the largest ones.
#[test]
fn values_without_a_type_have_that_of_the_values() {
    let made = thing(
        "a: {const: 18446744073709551615}, b: {enum: [18446744073709551615, 1]}, c: {enum: [1, 2]}, d: {enum: [1, 2.5]}, e: {enum: [true]}, f: {enum: [1, 'a']}, g: {const: 1.5}",
    );
    let code = dense(item(&made.code, "pub struct Thing {"));
    for field in [
        "a: Option<u64>",
        "b: Option<u64>",
        "c: Option<i64>",
        "d: Option<f64>",
        "e: Option<bool>",
        "f: Option<__runtime::__private::serde_json::Value>",
        "g: Option<f64>",
    ] {
        assert!(code.contains(field), "{field}: {code}");
    }
}

/// `~` need not be escaped in a URL, and in a pointer only before `0` and `1`.
#[test]
fn a_name_with_a_tilde_is_found_however_it_is_escaped() {
    let made = described(
        "openapi: 3.0.3
info: {title: Test, version: '1'}
paths: {/thing: {get: {operationId: getThing, responses: {'200': {description: It., content: {application/json: {schema: {type: object, properties: {a: {$ref: '#/components/schemas/A%7Eb'}, b: {$ref: '#/components/schemas/A~b'}, c: {$ref: '#/components/schemas/A~0b'}}}}}}}}}}
components: {schemas: {A~b: {type: integer}}}
",
    );
    assert_eq!(lines(&made.warnings), "");
    let code = item(&made.code, "pub struct GetThingResponse {");
    assert_eq!(code.matches("Option<i64>").count(), 3, "{code}");
}

/// Such a path item has no operations.
#[test]
fn a_path_item_that_is_no_mapping_is_ignored() {
    for item in ["[]", "text", "1", ""] {
        let made = paths(&format!(
            "  '/a{{?page}}': {item}\n  /b: {{get: {{operationId: read, responses: {{'204': {{description: B}}}}}}}}"
        ));
        assert!(made.code.contains("pub fn read(&self)"), "{}", made.code);
    }
}

/// So it was in the one file that was taken apart.
#[test]
fn references_of_other_files_to_what_only_the_description_has_are_reported_there() {
    let folder = Folder::new("misplaced");
    folder.write(
        "openapi/all.yaml",
        "openapi: 3.0.3
paths:
  /pets: {$ref: 'parts/pets.yaml#/pets'}
components:
  parameters: {Limit: {name: limit, in: query, schema: {type: integer}}}
  schemas:
    Pet: {type: object, properties: {name: {type: string}}}
    Shop: {type: object, properties: {name: {type: string}}}
",
    );
    folder.write(
        "openapi/parts/pets.yaml",
        "pets:
  get:
    operationId: listPets
    parameters: [{$ref: '#/components/parameters/Limit'}]
    responses:
      '200':
        description: All.
        content:
          application/json:
            schema:
              type: object
              properties:
                pets: {type: array, items: {$ref: '#/components/schemas/Pet'}}
                shop: {$ref: '#/components/schemas/Shop'}
                owner: {$ref: '../all.yaml#/components/schemas/Shop'}
                again: {$ref: '#/components/schemas/Pet'}
components: {schemas: {Shop: {type: object, properties: {own: {type: string}}}}}
",
    );
    let source = Source::read(&folder.path("openapi/all.yaml")).unwrap();
    let made = rest::generate(&source).unwrap();
    let here = format!("{}/openapi/", folder.path("").display().to_string().trim_end_matches('/'));
    let said = "leads nowhere in this file, and is read as that of all.yaml: write the path of that \
                file before the `#`";
    assert_eq!(
        lines(&made.warnings).replace(&here, ""),
        format!(
            "parts/pets.yaml:4:19: the reference #/components/parameters/Limit {said}
parts/pets.yaml:13:45: the reference #/components/schemas/Pet {said}"
        )
    );
    let response = item(&made.code, "pub struct ListPetsResponse {");
    for field in ["pets: Vec<Pet>", "shop: Option<Shop2>", "owner: Option<Shop>"] {
        assert!(response.contains(field), "{field}: {response}");
    }
    assert!(made.code.contains("pub fn limit(mut self, limit: i64)"), "{}", made.code);
}

#[test]
fn unreadable_descriptions_are_diagnostics() {
    let cases = [
        (
            "a.yaml",
            "openapi: 4.0.0\npaths: {}",
            "a.yaml:1:1: this is an OpenAPI 4.0.0 description; only 3.0 to 3.2 is supported",
        ),
        (
            "a.yaml",
            "swagger: '2.0'",
            "a.yaml:1:1: this is a Swagger 2.0 description; only OpenAPI 3.0 to 3.2 is supported",
        ),
        (
            "a.yaml",
            "title: x",
            "a.yaml:1:1: this is not an OpenAPI description: it has no `openapi` version at the top",
        ),
        ("a.json", "{\n  \"openapi\": ]", "a.json:2:14: expected value at line 2 column 14"),
        ("a.yaml", "a: b: c", "a.yaml:1:5: mapping values are not allowed in this context"),
    ];
    for (name, text, expected) in cases {
        let diagnostics = rest::generate(&Source::new(name, text)).unwrap_err();
        assert_eq!(lines(&diagnostics), expected);
    }
}

#[test]
fn a_byte_order_mark_changes_nothing() {
    for name in ["a.json", "a.yaml"] {
        let text = "\u{feff}{\"openapi\": \"3.2.0\", \"paths\": {}}";
        assert!(rest::generate(&Source::new(name, text)).is_ok(), "{name}");
    }
}

#[test]
fn paths_and_methods_that_cannot_be_sent_are_left_out_with_a_warning() {
    let made = paths(
        "  '/a?b={c}-{d}': {get: {responses: {'204': {description: A}}}}
  /b: {additionalOperations: {'NO METHOD': {responses: {'204': {description: A}}}}}",
    );
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:4:20: left out GET /a?b={c}-{d}: its path has the query b={c}-{d}, and only a whole value can be a parameter\n\
         openapi/test.yaml:5:31: left out NO METHOD /b: HTTP has no such method"
    );
}

#[test]
fn json_and_yaml_give_the_same_code() {
    let yaml = "openapi: 3.0.0\npaths: {/a: {get: {responses: {200: {description: A}}}}}";
    let json = r#"{"openapi": "3.0.0", "paths": {"/a": {"get": {"responses": {"200": {"description": "A"}}}}}}"#;
    let json = rest::generate(&Source::new("a.json", json)).unwrap().code;
    assert_eq!(described(yaml).code, json);
}

#[test]
fn the_fields_of_a_union_that_may_be_null_are_not_required() {
    let code = paths(
        "  /a:
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [a]
              properties: {a: {type: string}}
              oneOf: [{type: 'null'}, {type: object, required: [b], properties: {b: {type: string}}}]
      responses: {'204': {description: Done.}}",
    )
    .code;
    let body = item(&code, "pub struct PostABody {");
    assert!(body.contains("pub a: String,") && body.contains("pub b: Option<String>,"), "{body}");
}

#[test]
fn warnings_have_positions() {
    let warnings = paths(
        "  /a:
    get:
      parameters:
        - {name: c, in: cookie, schema: {type: string, default: 5}}
      responses: {'200': {description: A, content: {application/json: {schema: {$ref: '#/gone'}}}}}
  '/b':
    post: {requestBody: {required: true, content: {multipart/mixed: {}}}, responses: {}}",
    )
    .warnings;
    let places: Vec<_> = warnings.iter().map(|it| (it.line, it.column, &*it.message)).collect();
    assert_eq!(
        places,
        [
            (
                7,
                56,
                "#/paths/~1a/get/parameters/0/schema: the default 5 does not conform to its schema"
            ),
            (5, 5, "GET /a: c is a cookie parameter, which cannot be sent"),
            (10, 5, "left out POST /b: it takes multipart/mixed, which cannot be sent"),
            (8, 81, "the reference #/gone leads nowhere; it is read as any value"),
        ]
    );
}

#[test]
fn a_type_named_other_in_a_union_is_renamed() {
    let code = described(
        "openapi: 3.0.3
info: {title: Test, version: '1'}
paths:
  /thing: {get: {operationId: getThing, responses: {'200': {description: A, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}}}
components:
  schemas:
    Thing: {type: object, properties: {a: {oneOf: [{type: string}, {$ref: '#/components/schemas/Other'}]}}}
    Other: {type: object, properties: {id: {type: string}}}
",
    )
    .code;
    let union = item(&code, "pub enum StringOrOther {");
    assert!(union.contains(" Other(Other),"), "{union}");
    assert!(union.contains(" Other2(__runtime::__private::serde_json::Value),"), "{union}");
}

/// Each pair of objects is a union somewhere, and each object has objects within objects.
#[test]
fn unions_repeat_no_types() {
    let shape = |number: usize| {
        format!(
            "    Shape{number}: {{type: object, properties: {{n{number}: {{type: string}}, own{number}: {{type: object, properties: {{x{number}: {{type: string}}}}}}, home: {{type: object, description: Where., properties: {{at{number}: {{type: string}}, door: {{type: object, properties: {{d{number}: {{type: integer}}}}}}}}}}, size: {{oneOf: [{{type: string}}, {{type: integer}}]}}}}}}\n"
        )
    };
    let shapes: String = (0..12).map(shape).collect();
    let pairs = (0..12).flat_map(|a| (0..a).map(move |b| (a, b)));
    let of = |number: usize| format!("{{$ref: '#/components/schemas/Shape{number}'}}");
    let fields: String = pairs
        .clone()
        .map(|(a, b)| format!("        p{a}_{b}: {{oneOf: [{}, {}]}}\n", of(a), of(b)))
        .collect();
    let alone: String = (0..12).map(|it| format!("        s{it}: {}\n", of(it))).collect();
    let made = paths(&format!(
        "  /a: {{get: {{responses: {{'200': {{description: A, content: {{application/json: {{schema: {{$ref: '#/components/schemas/All'}}}}}}}}}}}}}}
components:
  schemas:
    All:
      type: object
      properties:
{alone}{fields}{shapes}"
    ));
    assert_eq!(made.warnings.len(), pairs.clone().count());
    assert!(
        made.warnings.iter().all(|it| it.message.contains("is one type with the fields of all"))
    );
    let types =
        made.code.matches("    pub struct ").count() + made.code.matches("    pub enum ").count();
    // Each shape has four, and each pair three: itself, its `home`, which differs, and the `door`
    // within that. What only one of a pair has, such as `own3`, is of that shape's type.
    assert_eq!(types, 1 + 1 + 12 * 4 + pairs.count() * 3, "{}", made.code);
}

#[test]
fn a_union_of_scalars_is_named_after_them() {
    let code = paths(
        "  /a: {get: {responses: {'200': {description: A, content: {application/json: {schema: {type: object, properties: {a: {description: One., oneOf: [{type: integer}, {type: string}]}, b: {description: Another., type: [string, integer, 'null']}, c: {oneOf: [{type: array, items: {type: string}}, {type: string}]}, d: {oneOf: [{type: string}, {type: object, properties: {e: {type: string}}}]}}}}}}}}}",
    )
    .code;
    for field in [
        "pub a: Option<StringOrInteger>,",
        "pub b: Option<StringOrInteger>,",
        "pub c: Option<StringOrStringList>,",
        "pub d: Option<GetAResponseD>,",
    ] {
        assert!(code.contains(field), "{field} is not in\n{code}");
    }
    assert_eq!(code.matches("pub enum StringOrInteger").count(), 1);
}

#[test]
fn a_security_scheme_is_reported_with_its_authorization() {
    let made = crate::support::described(include_str!("../corpus/rest/security.yaml"));
    let warnings = crate::support::lines(&made.warnings);
    for expected in [
        "key demands the header X-API-Key: authorize the service with \
         `Authorization::header(\"X-API-Key\", …)`",
        "query demands the query parameter api_key: authorize the service with \
         `Authorization::query(\"api_key\", …)`",
        "bearer demands a bearer token, together with cookie: authorize the service with \
         `Authorization::bearer(…).and(Authorization::cookie(\"session\", …))`",
        "cookie demands the cookie session, together with bearer: authorize",
        "basic demands HTTP authentication of the scheme basic: authorize the service with \
         `Authorization::basic(…, …)`",
        "tls demands a client certificate",
        "lost is demanded but not described",
    ] {
        assert!(warnings.contains(&format!("the security scheme {expected}")), "{warnings}");
    }
    assert!(!warnings.contains("oauth") && !warnings.contains("unneeded"), "{warnings}");
}

#[test]
fn the_name_of_a_schema_counts_beside_a_mapping_unless_its_values_forbid_it() {
    let made = crate::support::described(
        "openapi: 3.1.0
paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Any'}}}}, responses: {204: {description: A}}}}}
components:
  schemas:
    Any:
      oneOf: [{$ref: '#/components/schemas/One'}, {$ref: '#/components/schemas/Two'}, {$ref: '#/components/schemas/Three'}]
      discriminator: {propertyName: kind, mapping: {one: One, two: '#/components/schemas/Two', Three: Two, three: Three}}
    One: {required: [kind, a], properties: {kind: {type: string}, a: {type: integer}}}
    Two: {required: [kind, a], properties: {kind: {const: two}, a: {type: integer}}}
    Three: {required: [kind, a], properties: {kind: {type: string}, a: {type: integer}}}",
    );
    let union = dense(item(&made.code, "__runtime::__private::discriminated_union! {"));
    for expected in [
        "0 One[{ \"kind\"[Text(\"one\"), Text(\"One\")];;; }] [];",
        "1 Two[{ \"kind\"[Text(\"Three\"), Text(\"two\")];;; }] [];",
        "2 Three[{ \"kind\"[Text(\"three\")];;; }] [];",
    ] {
        assert!(union.contains(expected), "{expected} is not in {union}");
    }
    let code = dense(&made.code);
    assert!(code.contains("Self { a, kind: \"one\".into() }"), "{code}");
}

#[test]
fn constructors_write_constant_numbers_that_tell_branches_apart() {
    let made = crate::support::described(
        "openapi: 3.1.0
paths: {/a: {post: {requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Any'}}}}, responses: {204: {description: A}}}}}
components:
  schemas:
    Any: {oneOf: [{$ref: '#/components/schemas/One'}, {$ref: '#/components/schemas/Two'}]}
    One: {type: object, required: [v, a], properties: {v: {type: integer, format: int32, const: 1}, a: {type: integer}}}
    Two: {type: object, required: [v, a], properties: {v: {type: integer, format: uint64, enum: [2]}, a: {type: integer}}}",
    );
    let code = dense(&made.code);
    for expected in ["Self { a, v: 1 }", "Self { a, v: 2 }"] {
        assert!(code.contains(expected), "{expected} is not in {code}");
    }
}
