//! Redaction of secrets in debug output.

use crate::support::{above, dense, described, item, lines, paths, query, thing};

#[test]
fn environment_variables_of_a_response_are_redacted() {
    let code =
        thing("id: {type: string}, env: {type: object, additionalProperties: {type: string}}").code;
    assert!(!above(&code, "pub struct Thing").contains("Debug"));
    let object = dense(item(&code, "__runtime::__private::object! {"));
    assert!(object.contains("\"env\" env optional secret;"), "{object}");
    assert!(object.contains("\"id\" id optional;"), "{object}");
}

#[test]
fn only_secret_names_in_untyped_json_are_redacted() {
    let code = thing("template: {type: object}, any: {}, list: {type: array}, token: {}").code;
    let object = dense(item(&code, "__runtime::__private::object! {"));
    for field in ["template", "any", "list"] {
        let shown = format!("\"{field}\" {field} optional untyped;");
        assert!(object.contains(&shown), "{field} in {object}");
    }
    assert!(object.contains("token optional secret;"), "{object}");
}

#[test]
fn only_secret_names_in_additional_fields_are_redacted() {
    let labels = "labels: {type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}";
    let code = thing(labels).code;
    assert!(dense(&code).contains("extra additional untyped;"), "{code}");
}

#[test]
fn fields_of_the_format_password_are_redacted() {
    let made = described(
        "openapi: 3.1.0
info: {title: Test, version: '1'}
paths:
  /thing:
    post:
      operationId: makeThing
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}
      responses: {'200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}}}
components:
  schemas:
    Pin: {type: string, format: password}
    Pins: {type: array, items: {$ref: '#/components/schemas/Pin'}}
    Base: {type: object, properties: {merged: {type: string, format: password}}}
    Thing:
      allOf:
        - {$ref: '#/components/schemas/Base'}
        - type: object
          required: [plain]
          properties:
            id: {type: string}
            plain: {type: string, format: password}
            nullable: {type: [string, 'null'], format: password}
            by_name: {$ref: '#/components/schemas/Pin'}
            worded: {description: A pin., $ref: '#/components/schemas/Pin'}
            list: {$ref: '#/components/schemas/Pins'}
            map: {type: object, additionalProperties: {type: string, format: password}}
            either: {oneOf: [{type: integer}, {type: string, format: password}]}
            merged: {type: string, minLength: 3}
            inner: {type: object, properties: {pin: {$ref: '#/components/schemas/Pin'}, open: {type: string}}}
",
    );
    assert_eq!(lines(&made.warnings), "");
    let code = dense(&made.code);
    for name in ["plain", "nullable", "by_name", "worded", "list", "map", "either", "merged", "pin"]
    {
        let line = code.split_once(&format!(" \"{name}\" {name}")).map(|(_, rest)| rest);
        let line = line.and_then(|rest| rest.split(';').next()).unwrap_or_default();
        assert!(line.ends_with("secret"), "{name}{line} in {code}");
    }
    for name in ["id", "inner", "open"] {
        assert!(code.contains(&format!(" \"{name}\" {name} optional;")), "{name} in {code}");
    }
}

#[test]
fn a_type_without_secrets_derives_debug() {
    let code = thing("id: {type: string}, tokens: {type: integer}").code;
    assert!(!code.contains("secret;") && !code.contains("untyped;"));
}

#[test]
fn secrets_of_a_union_are_redacted() {
    let code = thing("auth: {oneOf: [{type: string}, {type: object, properties: {user: {type: string}, password: {type: string}}}]}").code;
    let debug = dense(item(&code, "impl ::std::fmt::Debug for ThingAuth"));
    assert!(debug.contains(".field(\"password\", &format_args!(\"[redacted]\"))"), "{debug}");
    assert!(
        debug.contains(".field(\"user\", value_1)") || debug.contains(".field(\"user\", value_0)"),
        "{debug}"
    );
}

#[test]
fn secrets_of_a_request_are_redacted() {
    let code = paths(
        "  /a: {post: {operationId: make, requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {name: {type: string}, value: {type: string}, apiKey: {type: string}}}}}}, responses: {'200': {description: A}}}}",
    )
    .code;
    let object = item(&code, "__runtime::__private::object! {");
    assert_eq!(object.matches("optional secret;").count(), 2, "{object}");
}

const QUERY: &str = "
mutation Save($input: PetInput!) { savePet(input: $input) { id apiKey tags { key value } } }
query Find($apiToken: ID!) { pet(id: $apiToken) { id } }
";

#[test]
fn secrets_of_inputs_variables_and_responses_are_redacted() {
    let code = query(QUERY);
    for (item_name, field) in [
        ("PetInput", "password"),
        ("SaveSavePet", "api_key"),
        ("SaveSavePetTags", "value"),
        ("Variables", "api_token"),
    ] {
        let debug = item(&code, &format!("impl ::std::fmt::Debug for {item_name}"));
        let hidden = format!(".field(\"{field}\", &format_args!(\"[redacted]\"))");
        assert!(debug.contains(&hidden), "{field} is not hidden in {debug}");
        assert!(!debug.contains(&format!("&self.{field}")), "{debug}");
    }
}

#[test]
fn a_variable_is_secret_if_it_is_passed_to_a_secret_argument() {
    let code = query(
        "mutation Keep($what: String!, $label: String!) {
           savePet(input: {name: $label, password: $what, friends: [{name: $label, password: $what}]}) { id } }",
    );
    let debug = dense(item(&code, "impl ::std::fmt::Debug for Variables"));
    assert!(debug.contains(".field(\"what\", &format_args!(\"[redacted]\"))"), "{debug}");
    assert!(debug.contains(".field(\"label\", &self.label)"), "{debug}");
    let code = dense(&code);
    for places in ["\"password\"", ""] {
        assert!(code.contains(&format!("secret_places: &[{places}]")), "{places}");
    }
}

/// Generator and client redact by the same word list; packaged apart, they cannot share a file.
#[test]
fn the_secret_names_are_those_of_the_runtime() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let words = |path: &str, list: &str| {
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        let list = text.split_once(&format!("const {list}: [&str;")).unwrap().1;
        let list = list.split_once("= [").unwrap().1.split_once(']').unwrap().0;
        let words: Vec<_> = list.split(',').map(|word| word.trim().to_owned()).collect();
        words
    };
    for list in ["ENVIRONMENT", "CREDENTIALS"] {
        let here = words("crates/codegen/src/redact.rs", list);
        assert!(here.contains(&"\"env\"".to_owned()) || here.contains(&"\"password\"".to_owned()));
        assert_eq!(here, words("crates/runtime/src/redact/secret_values.rs", list), "{list}");
    }
}
