//! What calls send and how responses are written, where a REST description changed.

use crate::support::report;

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
  changed     POST /a (answer) media type: application/json -> text/plain; BREAKS readers (it is written differently)
"
    );
    let gone = report("rest-answer-gone", &answer("application/json"), &post(DONE));
    assert_eq!(
        gone,
        "\
REST description, openapi/shop.yaml: 1 change, 1 of them breaking
  removed     POST /a (answer): string; BREAKS readers (it is no longer sent)
"
    );
}

#[test]
fn parameters_of_an_operation_go_before_those_of_its_path() {
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
fn a_server_is_the_url_that_calls_go_to() {
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
