//! Methods and builders generated from operations of a description.

use crate::support::{above, dense, item, paths};

const ONE: &str = "
  /pods/{podId}:
    get:
      operationId: getPod
      summary: Reads a Pod.
      description: All of it.
      parameters:
        - {name: podId, in: path, required: true, description: Which Pod., schema: {type: string}}
        - {name: includeMachine, in: query, description: The machine too., schema: {type: boolean, default: false}}
      responses:
        '200': {description: The Pod., content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}
        '404': {description: There is none.}
";

#[test]
fn an_added_operation_becomes_a_method() {
    let before = paths(ONE).code;
    assert!(!before.contains("stop_pod"));
    let after = paths(&format!(
        "{ONE}
  /pods/{{podId}}/stop:
    post:
      operationId: stopPod
      parameters:
        - {{name: podId, in: path, required: true, schema: {{type: string}}}}
      responses: {{'204': {{description: Stopped.}}}}
"
    ))
    .code;
    assert!(
        item(&after, "impl Api {")
            .contains("pub fn stop_pod(&self, pod_id: impl Into<String>) -> StopPod {")
    );
    assert!(
        item(&after, "impl StopPod {")
            .contains("pub fn send(self) -> __runtime::__private::Sending<()> {")
    );
    assert!(item(&after, "impl ::std::future::IntoFuture for StopPod {").contains("self.send()"));
    assert_eq!(item(&before, "impl GetPod {"), item(&after, "impl GetPod {"));
}

#[test]
fn a_call_is_described_piece_by_piece() {
    let code = paths(ONE).code;
    let send = dense(item(&code, "pub fn send(self"));
    assert_eq!(
        send,
        "pub fn send(self) -> __runtime::__private::Sending<types::GetPodResponse> { \
         self.call().send(__runtime::__private::rest::whole) }"
    );
    let call = dense(item(&code, "fn call(self"));
    assert_eq!(
        call,
        "fn call(self) -> __runtime::__private::rest::RestCall { \
         __runtime::__private::rest::RestCall::new(self.service, \"get_pod\", \"GET\") \
         .literal(\"/pods/\") .parameter(\"podId\", &self.pod_id) \
         .query(\"includeMachine\", &self.include_machine) .timeout(self.timeout) }"
    );
}

#[test]
fn prose_of_the_description_is_the_docs() {
    let code = paths(ONE).code;
    let docs = above(&code, "pub fn get_pod");
    for line in [
        "/// Reads a Pod.",
        "/// All of it.",
        "/// `GET /pods/{podId}`",
        "/// - `pod_id`: Which Pod.",
        "/// - 404: There is none.",
    ] {
        assert!(docs.contains(line), "{line} is not in\n{docs}");
    }
    let docs = above(&code, "pub fn include_machine");
    assert!(docs.contains("/// The machine too."), "{docs}");
    assert!(docs.contains("query parameter `includeMachine`"), "{docs}");
}

#[test]
fn every_kind_of_parameter_can_be_given() {
    let code = paths(
        "
  /a/{n}.{type}:
    put:
      operationId: put
      parameters:
        - {name: n, in: path, required: true, schema: {type: integer}}
        - {name: type, in: path, required: true, schema: {type: string}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: sort, in: query, required: true, schema: {type: string, enum: [up, down]}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: X-Must, in: header, required: true, schema: {type: number}}
      requestBody:
        required: true
        content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}
      responses: {'200': {description: Done.}}
",
    )
    .code;
    assert_eq!(
        dense(item(&code, "pub fn put(").split('{').next().unwrap()),
        "pub fn put(&self, n: i64, type_: impl Into<String>, sort: impl Into<types::PutSort>, \
         x_must: f64, body: impl Into<types::PutBody>) -> Put"
    );
    assert!(item(&code, "impl Put {").contains(
        "pub fn tags(mut self, tags: impl IntoIterator<Item = impl Into<String>>) -> Self {"
    ));
    let call = dense(item(&code, "fn call(self"));
    for part in [
        ".literal(\"/a/\") .parameter(\"n\", &self.n) .literal(\".\") .parameter(\"type\", &self.type_)",
        ".query(\"tags\", &self.tags) .query(\"sort\", &self.sort)",
        ".header(\"X-Must\", &self.x_must)",
        ".json(Some(&self.body), &self.changes)",
        ".optional_header(\"X-Trace\", &self.x_trace)",
    ] {
        assert!(call.contains(part), "{part} is not in\n{call}");
    }
    let body = item(&code, "pub struct PutBody");
    assert!(body.contains("pub name: String,"), "what a request needs is required: {body}");
}

#[test]
fn the_type_generators_client_is_discarded() {
    let code = paths(ONE).code;
    for word in ["progenitor", "reqwest", "api-version", "ClientHooks", "regress", "chrono", "uuid"]
    {
        assert!(!code.contains(word), "{word}");
    }
}

#[test]
fn names_do_not_collide_with_generated_ones() {
    let code = paths(
        "
  /a:
    get:
      operationId: rest
      parameters:
        - {name: rest, in: query, schema: {type: string}}
        - {name: send, in: query, schema: {type: string}}
        - {name: fooBar, in: query, schema: {type: string}}
        - {name: foo_bar, in: query, schema: {type: string}}
      responses: {'200': {description: Done.}}
",
    )
    .code;
    let builder = item(&code, "pub struct RestCall");
    for field in [
        "service: __runtime::__private::Service,",
        "rest: Option<String>,",
        "send_2:",
        "foo_bar:",
        "foo_bar_2:",
    ] {
        assert!(builder.contains(field), "{field} is not in\n{builder}");
    }
    let send = item(&code, "fn call(self");
    assert!(send.contains(".query(\"foo_bar\", &self.foo_bar)"), "{send}");
}

#[test]
fn servers_of_operations_and_variables_of_urls_are_generated() {
    let made = crate::support::described(
        "openapi: 3.1.0
servers:
  - url: https://{region}.shop.example:{port}/{version}
    description: Where the shop is.
    variables:
      region: {default: eu, enum: [eu, us], description: The nearest one.}
      port: {default: 443}
      version: {}
      unused: {default: a}
  - {url: '{whole}/', variables: {whole: {default: 'https://shop.example'}}}
paths:
  /a: {get: {responses: {204: {description: A}}}}
  /b: {servers: [{url: 'https://files.example/'}], get: {responses: {204: {description: A}}}}
  /c: {get: {servers: [{url: /v2}], responses: {204: {description: A}}}}
  /server-url: {get: {operationId: server_url, responses: {204: {description: A}}}}",
    );
    let code = dense(&made.code);
    for expected in [
        "RestCall::new(self.service, \"get_a\", \"GET\") .literal(\"/a\")",
        "RestCall::new(self.service, \"get_b\", \"GET\") .server(\"https://files.example\") .literal(\"/b\")",
        "RestCall::new(self.service, \"get_c\", \"GET\") .server(\"/v2\") .literal(\"/c\")",
        "/// The server is `/v2`; `Service::with_server` sets where that is.",
        "pub struct ServerUrl2(__runtime::__private::rest::ServerUrl);",
        "name: \"region\", default: Some(\"eu\"), values: &[\"eu\", \"us\"],",
        "name: \"port\", default: Some(\"443\"), values: &[],",
        "name: \"version\", default: None, values: &[],",
        "/// The nearest one. /// /// One of `eu`, `us`. /// /// The default is `eu`. pub fn region(",
    ] {
        assert!(code.contains(expected), "{expected} is not in {code}");
    }
    assert!(!code.contains("\"unused\"") && !code.contains("ServerUrl3"), "{code}");
    let warnings = crate::support::lines(&made.warnings);
    let line = warnings.lines().find(|it| it.contains("another origin")).unwrap_or_default();
    assert!(line.contains(":13:") && line.contains("https://files.example of this"), "{warnings}");
    assert!(!warnings.contains("/v2"), "{warnings}");
}
