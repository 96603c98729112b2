//! Generated GraphQL operations: the body, the literals, errors and partial results.

use std::sync::Mutex;

use podqueue::graphql::{
    ModifyTemplate, PathSegment, SaveTemplate, SecretCreate, SecretDelete, modify_template,
    save_template, secret_create, secret_delete, types,
};
use podqueue::{Client, ErrorKind, GraphqlBody};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::{Reply, Script};

fn input(name: &str) -> types::SaveTemplateInput {
    types::SaveTemplateInput {
        id: None,
        container_disk_in_gb: 5,
        image_name: "image:1".to_owned(),
        name: name.to_owned(),
        volume_in_gb: 0,
        is_serverless: Some(true),
        docker_args: None,
        env: None,
        ports: None,
        readme: None,
        volume_mount_path: None,
        container_registry_auth_id: None,
    }
}

const SAVED: &str = r#"{"data":{"saveTemplate":{"id":"t","name":"n"}}}"#;

#[tokio::test]
async fn the_body_is_exactly_one_query_with_the_values_written_in() {
    let server = Script::of([Reply::ok(SAVED)]).await;
    let variables = save_template::Variables { input: input("n") };
    let data = server.client().graphql().execute::<SaveTemplate>(variables).await.unwrap();
    let request = server.request();
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("accept"), Some("application/json"));
    let body = request.json();
    assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), ["query"]);
    assert_eq!(
        body["query"],
        "mutation SaveTemplate { saveTemplate(input: {containerDiskInGb: 5, imageName: \"image:1\", \
         isServerless: true, name: \"n\", volumeInGb: 0}) { id name imageName isServerless \
         containerDiskInGb dockerArgs env { key value } ports readme volumeInGb volumeMountPath \
         containerRegistryAuthId } }"
    );
    assert_eq!(data.save_template.unwrap().id.as_deref(), Some("t"));
}

#[tokio::test]
async fn a_document_of_run_time_is_sent_unchanged() {
    let data = r#"{"data":{"a":[1]}}"#;
    let server = Script::of([Reply::ok(data), Reply::ok(data)]).await;
    let graphql = server.client().graphql();
    let received = graphql.raw("{ a(b: 1.0) }", Default::default()).await.unwrap();
    assert_eq!(received, json!({"a": [1]}));
    assert_eq!(server.requests()[0].json(), json!({"query": "{ a(b: 1.0) }"}));
    let variables = json!({"b": 1}).as_object().unwrap().clone();
    graphql.raw("query($b: Int) { a(b: $b) }", variables).await.unwrap();
    let body = json!({"query": "query($b: Int) { a(b: $b) }", "variables": {"b": 1}});
    assert_eq!(server.requests()[1].json(), body);
}

#[tokio::test]
async fn a_document_of_run_time_keeps_the_text_of_numbers() {
    let data = r#"{"z":12345678901234567890123,"a":1e400}"#;
    let server = Script::of([Reply::ok(format!("{{\"data\":{data}}}"))]).await;
    let graphql = server.client().graphql();
    let variables = RawValue::from_string(r#"{"n":12345678901234567890123}"#.to_owned()).unwrap();
    let received: Box<RawValue> = graphql.raw_as("{ a }", &variables).await.unwrap();
    assert_eq!(received.get(), data);
    let sent = format!("{{\"query\":\"{{ a }}\",\"variables\":{variables}}}");
    assert_eq!(server.requests()[0].body, sent);
    for (variables, why) in [(r#""s3cret""#, "must be a JSON object"), (r#"{"n":1e400}"#, "range")]
    {
        let variables = RawValue::from_string(variables.to_owned()).unwrap();
        let error = graphql.raw_as::<Value>("{ a }", &variables).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        let text = format!("{error} {error:?}");
        assert!(text.contains(why) && !text.contains("s3cret"), "{text}");
    }
}

#[tokio::test]
async fn a_document_of_run_time_is_retried_unless_it_is_a_mutation() {
    let data = r#"{"data":{"a":1}}"#;
    let server = Script::of([Reply::json(503, "{}"), Reply::ok(data)]).await;
    let graphql = server.client().graphql();
    graphql.raw("{ a }", Default::default()).await.unwrap();
    let server = Script::of([Reply::json(503, "{}"), Reply::ok(data)]).await;
    let graphql = server.client().graphql();
    let error = graphql.raw("mutation { a }", Default::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutcomeUnknown);
    let server = Script::of([Reply::ok(r#"{"errors":[{"message":"no"}]}"#)]).await;
    let error = server.client().graphql().raw("{ a }", Default::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Graphql);
}

#[tokio::test]
async fn variables_are_sent_separately_on_request() {
    let server = Script::of([Reply::ok(SAVED)]).await;
    let client = server.settings().graphql_body(GraphqlBody::Variables).build().unwrap();
    let variables = modify_template::Variables {
        input: types::SaveTemplateInput { id: Some("t".to_owned()), ..input("n") },
    };
    client.graphql().execute::<ModifyTemplate>(variables).await.unwrap();
    let body = server.request().json();
    assert_eq!(body["operationName"], "ModifyTemplate");
    assert_eq!(
        body["variables"],
        json!({"input": {
            "id": "t", "containerDiskInGb": 5, "imageName": "image:1", "name": "n",
            "volumeInGb": 0, "isServerless": true
        }})
    );
    let query = body["query"].as_str().unwrap();
    assert!(query.contains("mutation ModifyTemplate($input: SaveTemplateInput!)"), "{query}");
    graphql_parser::parse_query::<String>(query).unwrap();
}

#[tokio::test]
async fn null_is_sent_only_on_request() {
    let modified = r#"{"data":{"saveTemplate":null}}"#;
    for (body, expected) in [
        (GraphqlBody::QueryOnly, None),
        (GraphqlBody::Variables, Some(json!({"key": "K", "value": "V"}))),
    ] {
        let server = Script::of([Reply::ok(modified)]).await;
        let client = server.settings().graphql_body(body).build().unwrap();
        let pair = types::EnvironmentVariableInput { key: "K".to_owned(), value: "V".to_owned() };
        let input = types::SaveTemplateInput { env: Some(vec![pair]), ..input("n") };
        let variables = modify_template::Variables { input };
        let ask = client.graphql().execute::<ModifyTemplate>(variables);
        ask.null("input.readme").await.unwrap();
        let body = server.request().json();
        match expected {
            None => {
                let query = body["query"].as_str().unwrap();
                assert!(query.contains("readme: null"), "{query}");
                assert_eq!(query.matches("null").count(), 1, "{query}");
            }
            Some(pair) => {
                assert_eq!(body["variables"]["input"]["readme"], Value::Null);
                assert_eq!(body["variables"]["input"]["env"][0], pair);
                assert_eq!(body["variables"]["input"].as_object().unwrap().len(), 7);
            }
        }
    }
    // Nothing is sent where that cannot be.
    let server = Script::of([]).await;
    for place in ["input.name", "input.env[0].key", "input.nope", "nope"] {
        let variables = modify_template::Variables { input: input("n") };
        let ask = server.client().graphql().execute::<ModifyTemplate>(variables).null(place);
        let error = ask.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{place}");
        assert!(error.to_string().contains(place), "{error}");
    }
}

#[tokio::test]
async fn a_null_result_is_not_an_error() {
    let server = Script::of([Reply::ok(r#"{"data":{"secretDelete":null}}"#)]).await;
    let variables = secret_delete::Variables { id: "s".to_owned() };
    server.client().graphql().execute::<SecretDelete>(variables).await.unwrap();
    let query = server.request().json()["query"].clone();
    assert_eq!(query, r#"mutation SecretDelete { secretDelete(id: "s") }"#);
}

#[tokio::test]
async fn errors_are_errors_and_a_partial_result_is_not_lost() {
    let answer = json!({
        "data": {"saveTemplate": {"id": "t", "name": "n", "env": null}},
        "errors": [
            {"message": "env could not be read", "path": ["saveTemplate", "env", 0, "value"],
             "locations": [{"line": 1, "column": 2}], "extensions": {"code": "INTERNAL"}},
            {"message": "and more"}
        ]
    });
    let server = Script::of([Reply::ok(answer)]).await;
    let variables = save_template::Variables { input: input("n") };
    let error = server.client().graphql().execute::<SaveTemplate>(variables).await.unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::Graphql, Some(200)));
    assert!(error.to_string().contains("env could not be read; and more"), "{error}");
    let failure = error.graphql().unwrap();
    let first = &failure.errors()[0];
    assert_eq!(first.extensions["code"], "INTERNAL");
    let field = |name: &str| PathSegment::Field(name.to_owned());
    let path = [field("saveTemplate"), field("env"), PathSegment::Index(0), field("value")];
    assert_eq!(first.path, path);
    let partial: save_template::ResponseData = failure.partial_data().unwrap().unwrap();
    assert_eq!(partial.save_template.unwrap().id.as_deref(), Some("t"));
}

#[tokio::test]
async fn errors_without_a_result_come_with_200_and_with_400() {
    let answer = r#"{"errors":[{"message":"name is taken","path":null,"extensions":null}]}"#;
    for status in [200, 400] {
        let server = Script::of([Reply::json(status, answer)]).await;
        let variables = save_template::Variables { input: input("n") };
        let error = server.client().graphql().execute::<SaveTemplate>(variables).await.unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::Graphql, Some(status)));
        let failure = error.graphql().unwrap();
        assert_eq!(failure.errors()[0].message, "name is taken");
        assert_eq!(failure.partial_data::<Value>().unwrap(), None);
    }
    let server = Script::of([Reply::json(400, r#"{"error":"no query"}"#)]).await;
    let variables = save_template::Variables { input: input("n") };
    let error = server.client().graphql().execute::<SaveTemplate>(variables).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
}

#[tokio::test]
async fn a_secret_that_the_service_repeats_is_cut_out_of_its_error() {
    let value = "va\"lue\\ca\nnary";
    let echo = json!({"errors": [{
        "message": format!("Syntax Error in secretCreate(input: {{value: {value:?}}})"),
        "extensions": {"query": format!("value: {value}")}
    }]});
    for status in [200, 400, 500] {
        let server = Script::then_always([], Reply::json(status, &echo)).await;
        let input = types::SecretCreateInput { name: "n".to_owned(), value: value.to_owned() };
        let variables = secret_create::Variables { input };
        let error = server.client().graphql().execute::<SecretCreate>(variables).await.unwrap_err();
        let extensions = error.graphql().map(|failure| format!("{:?}", failure.errors()));
        let shown = format!("{error} {error:?} {extensions:?} {:?}", error.body());
        assert!(!shown.contains("nary"), "{shown}");
    }
}

#[tokio::test]
async fn a_change_without_a_result_in_its_response_may_have_taken_effect() {
    for body in [r#"{"data":null}"#, "{}", r#"{"data":{"saveTemplate":7}}"#, "[]"] {
        let server = Script::of([Reply::ok(body)]).await;
        let variables = save_template::Variables { input: input("n") };
        let error = server.client().graphql().execute::<SaveTemplate>(variables).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutcomeUnknown, "{body}");
        assert_eq!(error.body().unwrap(), body);
    }
}

/// The value that the document in `query` gives to `input.<field>`, as an independent parser reads
/// it.
fn read_back(query: &str, field: &str) -> String {
    use graphql_parser::query::{Definition, OperationDefinition, Selection, Value};
    let document = graphql_parser::parse_query::<String>(query).unwrap();
    let [Definition::Operation(OperationDefinition::Mutation(mutation))] =
        document.definitions.as_slice()
    else {
        panic!("one mutation: {query}");
    };
    let [Selection::Field(call)] = mutation.selection_set.items.as_slice() else {
        panic!("one field: {query}");
    };
    let (_, Value::Object(input)) = &call.arguments[0] else { panic!("an object: {query}") };
    let Value::String(text) = &input[field] else { panic!("a string: {query}") };
    text.clone()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_string_comes_back_unchanged(
        text in prop_oneof![
            any::<String>(),
            "[\"\\\\\n\r\t\u{0}-\u{1f}#{}$!()a\u{1F980}\u{feff}\u{2028}]{0,40}",
            Just("\"\"\" block \\\"\"\" \"\"\"".to_owned()),
            Just("C:\\new\\u0041".to_owned()),
        ]
    ) {
        static SHARED: Mutex<Option<(tokio::runtime::Runtime, Script, Client)>> = Mutex::new(None);
        let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (runtime, server, client) = shared.get_or_insert_with(|| {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
            let server = runtime.block_on(Script::then_always([], Reply::ok(SAVED)));
            let client = server.client();
            (runtime, server, client)
        });
        let input = types::SaveTemplateInput { readme: Some(text.clone()), ..input("n") };
        let variables = save_template::Variables { input };
        let graphql = client.graphql();
        runtime.block_on(graphql.execute::<SaveTemplate>(variables).into_future()).unwrap();
        let request = server.requests().pop().unwrap();
        prop_assert_eq!(read_back(request.json()["query"].as_str().unwrap(), "readme"), text);
    }
}
