//! What must not be seen does not get into a debug print.

use crate::support::{above, dense, item, paths, query, thing};

#[test]
fn the_environment_of_an_answer_is_hidden() {
    let code =
        thing("id: {type: string}, env: {type: object, additionalProperties: {type: string}}").code;
    assert!(!above(&code, "pub struct Thing").contains("Debug"));
    assert_eq!(
        dense(item(&code, "impl ::std::fmt::Debug for Thing")),
        "impl ::std::fmt::Debug for Thing { #[allow(deprecated)] fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) \
         -> ::std::fmt::Result { f.debug_struct(\"Thing\") .field(\"env\", &format_args!(\"[redacted]\")) \
         .field(\"id\", &self.id) .finish() } }"
    );
}

#[test]
fn untyped_json_is_hidden() {
    let code = thing("template: {type: object}, any: {}, list: {type: array}").code;
    let debug = item(&code, "impl ::std::fmt::Debug for Thing");
    assert_eq!(debug.matches("[redacted]").count(), 3, "{debug}");
}

#[test]
fn a_type_without_secrets_has_the_plain_debug() {
    let code = thing("id: {type: string}, tokens: {type: integer}").code;
    assert!(above(&code, "pub struct Thing").contains("Debug"));
    assert!(!code.contains("[redacted]"));
}

#[test]
fn secrets_of_one_of_several_shapes_are_hidden() {
    let code = thing("auth: {oneOf: [{type: string}, {type: object, properties: {user: {type: string}, password: {type: string}}}]}").code;
    let debug = dense(item(&code, "impl ::std::fmt::Debug for ThingAuth"));
    assert!(debug.contains(".field(\"password\", &format_args!(\"[redacted]\"))"), "{debug}");
    assert!(
        debug.contains(".field(\"user\", value_1)") || debug.contains(".field(\"user\", value_0)"),
        "{debug}"
    );
}

#[test]
fn secrets_of_a_request_are_hidden() {
    let code = paths(
        "  /a: {post: {operationId: make, requestBody: {required: true, content: {application/json: {schema: {type: object, properties: {name: {type: string}, value: {type: string}, apiKey: {type: string}}}}}}, responses: {'200': {description: A}}}}",
    )
    .code;
    let debug = item(&code, "impl ::std::fmt::Debug for MakeBody");
    assert_eq!(debug.matches("[redacted]").count(), 2, "{debug}");
}

const QUERY: &str = "
mutation Save($input: PetInput!) { savePet(input: $input) { id apiKey tags { key value } } }
query Find($apiToken: ID!) { pet(id: $apiToken) { id } }
";

#[test]
fn inputs_variables_and_answers_of_operations_are_hidden() {
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
fn the_shapes_say_what_is_secret() {
    let code = query(QUERY);
    let shape = dense(item(&code, "pub static PET_INPUT"));
    assert!(
        shape.contains(
            "name: \"password\", shape: Shape::String, presence: Presence::Optional, secret: true,"
        ),
        "{shape}"
    );
    assert!(
        shape.contains(
            "name: \"name\", shape: Shape::String, presence: Presence::Required, secret: false,"
        ),
        "{shape}"
    );
    assert!(dense(&code).contains(
        "name: \"apiToken\", shape: Shape::Id, presence: Presence::Required, default: None, secret: true,"
    ));
}
