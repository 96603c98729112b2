//! One test for each flaw that real descriptions carry. Each of them makes the type generator
//! fail, panic, or write types that refuse what the service answers.

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
fn the_same_operation_id_twice() {
    let code = paths(
        "
  /a: {get: {operationId: read, responses: {'200': {description: A}}}}
  /b: {get: {operationId: read, responses: {'200': {description: B}}}}",
    )
    .code;
    assert!(code.contains("pub fn read(&self)") && code.contains("pub fn read_2(&self)"));
}

#[test]
fn no_operation_id() {
    let code = paths("  /a/{b}/c: {get: {responses: {'200': {description: A}}}}").code;
    assert!(code.contains("pub fn get_a_b_c(&self, b: impl Into<String>)"), "{code}");
}

#[test]
fn several_success_responses() {
    let send = answers(&format!("'200': {{description: A, {JSON}}}, '204': {{description: B}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<Option<String>> {");
    let send = answers(&format!("'204': {{description: B}}, '201': {{description: A, {JSON}}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<Option<String>> {");
    let send = answers(&format!("'200': {{description: A, {JSON}}}, '404': {{description: B}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<String> {");
}

#[test]
fn a_success_and_a_default() {
    let send = answers(&format!("'200': {{description: A}}, default: {{description: B, {JSON}}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<()> {");
    let send = answers(&format!("default: {{description: B, {JSON}}}"));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<Option<String>> {");
}

#[test]
fn errors_with_bodies_of_different_types() {
    let send = answers(&format!(
        "'200': {{description: A}}, '400': {{description: B, {JSON}}}, \
         '500': {{description: C, content: {{application/json: {{schema: {{type: integer}}}}}}}}"
    ));
    assert_eq!(send.trim(), "pub fn send(self) -> __runtime::__private::Sending<()> {");
}

#[test]
fn a_key_that_occurs_twice() {
    let one = r#"{"get": {"responses": {"204": {"description": "A"}}}}"#;
    let json =
        format!("{{\n \"openapi\": \"3.0.3\", \"paths\": {{\"/a\": {one},\n\"/a\": {one}}}}}");
    for (name, text) in [("a.json", &json), ("a.yaml", &json)] {
        let source = Source { name: name.to_owned(), text: text.clone() };
        let mistakes = lines(&rest::generate(&source).unwrap_err());
        let place = if name == "a.json" { "3:4" } else { "3:1" };
        let expected = format!("{name}:{place}: the key `/a` is already defined");
        assert!(mistakes.starts_with(&expected), "{mistakes}");
    }
}

#[test]
fn an_answer_of_json_without_a_schema() {
    let send = answers("'200': {description: A, content: {application/json: {}}}");
    assert!(
        send.contains("-> __runtime::__private::Sending<__runtime::__private::serde_json::Value>"),
        "{send}"
    );
}

#[test]
fn json_under_another_name() {
    for media in ["application/json; charset=utf-8", "application/problem+json", "*/*"] {
        let content = format!("content: {{'{media}': {{schema: {{type: string}}}}}}");
        let send = answers(&format!("'200': {{description: A, {content}}}"));
        assert!(send.contains("Sending<String>"), "{media}: {send}");
    }
}

#[test]
fn reserved_characters_are_escaped_and_a_warning_says_so() {
    let made = paths(
        "  /a: {post: {parameters: [{name: q, in: query, allowReserved: true, schema: {type: string}}], requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {f: {type: string}}}, encoding: {f: {allowReserved: true}}}}}, responses: {'200': {description: A}}}, put: {requestBody: {content: {application/json: {schema: {type: object, properties: {f: {type: string}}}, encoding: {f: {allowReserved: true}}}}}, responses: {'200': {description: A}}}}",
    );
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:4:8: POST /a: the form parameter f has allowReserved, which is ignored: reserved characters are escaped\n\
         openapi/test.yaml:4:8: POST /a: the query parameter q has allowReserved, which is ignored: reserved characters are escaped"
    );
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
fn a_response_of_one_type_beside_another_has_a_variant_of_its_own() {
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
fn several_media_types_of_one_body() {
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
fn a_body_of_a_kind_that_cannot_be_sent_is_left_out_and_named() {
    let made = paths(
        "  /a: {post: {requestBody: {required: true, content: {multipart/related: {schema: {type: object}}}}, responses: {'200': {description: A}}}}",
    );
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:4:8: left out POST /a: it takes multipart/related, which cannot be sent"
    );
}

#[test]
fn a_path_parameter_that_is_not_required_or_not_declared() {
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
fn cookies_and_objects_in_headers_are_left_out_and_named() {
    let made = paths(
        "
  /a:
    get:
      operationId: read
      parameters:
        - {name: session, in: cookie, schema: {type: string}}
        - {name: filter, in: header, schema: {type: object, properties: {a: {type: string}}}}
        - {name: page, in: query, schema: {type: integer}}
      responses: {'200': {description: A}}",
    );
    assert!(item(&made.code, "impl Read {").contains("pub fn page(mut self, page: i64)"));
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:6:5: GET /a: session is a cookie parameter, which cannot be sent\n\
         openapi/test.yaml:6:5: GET /a: the parameter filter is no scalar and no list of scalars, \
         so it cannot be sent as a header"
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
fn an_enum_with_repeated_values_null_or_none() {
    let code = thing("kind: {type: string, nullable: true, enum: [A, B, A, null]}, none: {type: string, enum: []}").code;
    let kind = item(&code, "pub enum ThingKind {");
    assert_eq!(kind.matches("A,").count(), 1, "{kind}");
    assert!(code.contains("pub kind: Option<ThingKind>,"));
    assert!(code.contains("pub none: Option<String>,"));
}

#[test]
fn an_enum_whose_values_make_no_names_or_the_same_one() {
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
fn a_default_that_does_not_conform() {
    let code = thing(
        "ports: {type: array, items: {type: string}, default: 'a,b'}, \
         kind: {type: string, enum: [A], default: B}, count: {type: integer, default: many}",
    )
    .code;
    assert!(code.contains("pub ports: Vec<String>,"));
    assert!(code.contains("pub count: Option<i64>,"));
}

#[test]
fn a_default_is_not_put_in_the_place_of_what_the_service_left_out() {
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
fn a_map_written_as_an_object_with_items() {
    let code = thing("env: {type: object, items: {type: string}}").code;
    assert!(code.contains("pub env: HashMap<String, String>,"), "{code}");
}

#[test]
fn an_object_that_allows_nothing_more_still_takes_more() {
    let code = thing(
        "inner: {type: object, additionalProperties: false, properties: {a: {type: string}}}",
    )
    .code;
    assert!(!code.contains("deny_unknown_fields"), "{code}");
}

#[test]
fn null_as_an_example_of_what_cannot_be_null() {
    let code = thing("a: {type: string, example: null}, b: {type: integer, example: null}").code;
    assert!(code.contains("pub a: Option<String>,") && code.contains("pub b: Option<i64>,"));
}

#[test]
fn notes_for_other_tools_even_malformed_ones() {
    let code = thing(
        "a: {type: string, externalDocs: {}, readOnly: 'yes', discriminator: {}, xml: 5, \
         x-rust-type: {crate: elsewhere, version: '*', path: 'elsewhere::Type'}}",
    )
    .code;
    assert!(code.contains("pub a: Option<String>,"));
}

#[test]
fn a_type_that_is_left_to_be_guessed() {
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
fn a_list_or_a_map_that_can_be_null() {
    let code = thing(
        "list: {type: array, nullable: true, items: {type: string}}, \
         map: {type: object, nullable: true, additionalProperties: {type: string, nullable: true}}",
    )
    .code;
    assert!(code.contains("pub list: Vec<String>,"));
    assert!(code.contains("pub map: HashMap<String, Option<String>>,"));
}

#[test]
fn a_list_that_does_not_say_of_what_and_an_object_that_says_nothing() {
    let code = thing("list: {type: array}, object: {type: object}, any: {}").code;
    assert!(code.contains("pub list: Vec<__runtime::__private::serde_json::Value>,"));
    assert!(code.contains("pub object: __runtime::__private::serde_json::Map<"));
    assert!(code.contains("pub any: Option<__runtime::__private::serde_json::Value>,"));
}

#[test]
fn two_properties_with_one_name_in_rust() {
    let code = thing("fooBar: {type: string}, foo_bar: {type: string}").code;
    assert!(code.contains("0 \"fooBar\" foo_bar_2 optional;"));
    assert!(code.contains("1 \"foo_bar\" foo_bar optional;"));
}

#[test]
fn parts_that_lead_back_to_themselves() {
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
fn schemas_named_like_each_other_or_like_types_of_rust() {
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
fn schemas_that_hold_themselves() {
    let code = schemas(
        "Thing: {type: object, required: [left], properties: {left: {$ref: '#/components/schemas/Thing'}, all: {type: array, items: {$ref: '#/components/schemas/Thing'}}}}, \
         Loop: {$ref: '#/components/schemas/Loop'}, Lists: {type: array, items: {$ref: '#/components/schemas/Lists'}}",
    )
    .code;
    assert!(dense(&code).contains("pub left: Option<Box<Thing>>,"), "{code}");
    assert!(code.contains("pub all: Vec<Thing>,"));
}

#[test]
fn a_reference_that_leads_nowhere_is_any_value_and_named() {
    let made =
        schemas("Thing: {type: object, properties: {a: {$ref: '#/components/schemas/Gone'}}}");
    assert!(made.code.contains("pub a: Option<__runtime::__private::serde_json::Value>,"));
    assert_eq!(
        lines(&made.warnings),
        "openapi/test.yaml:7:63: the reference #/components/schemas/Gone leads nowhere; it is read as any value"
    );
}

#[test]
fn what_cannot_be_read_at_all_is_a_diagnostic() {
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
        let mistakes = rest::generate(&Source::new(name, text)).unwrap_err();
        assert_eq!(lines(&mistakes), expected);
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
fn a_path_or_a_method_that_cannot_be_sent_is_left_out_and_named() {
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
fn json_and_yaml_give_the_same() {
    let yaml = "openapi: 3.0.0\npaths: {/a: {get: {responses: {200: {description: A}}}}}";
    let json = r#"{"openapi": "3.0.0", "paths": {"/a": {"get": {"responses": {"200": {"description": "A"}}}}}}"#;
    let json = rest::generate(&Source::new("a.json", json)).unwrap().code;
    assert_eq!(described(yaml).code, json);
}

#[test]
fn the_fields_of_a_choice_that_may_be_null_are_not_required() {
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
fn what_is_left_out_has_its_place() {
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
fn a_choice_of_a_type_named_like_the_shape_that_is_not_known() {
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
    let choice = item(&code, "pub enum StringOrOther {");
    assert!(choice.contains(" Other(Other),"), "{choice}");
    assert!(choice.contains(" Other2(__runtime::__private::serde_json::Value),"), "{choice}");
}

/// Each pair of shapes is chosen between somewhere, and each shape has objects within objects.
#[test]
fn choices_repeat_no_types() {
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
fn a_choice_between_scalars_is_called_after_them() {
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
